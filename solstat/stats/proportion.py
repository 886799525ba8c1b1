"""The share of deals that can be won, or lost, when some are not settled.

An unsettled deal is never dropped: it may be won or lost. So a share is known between a floor,
where no unsettled deal counts, and a ceiling, where all do. The interval goes from the lower
confidence bound of the floor to the upper bound of the ceiling, and so holds the true share at
least as often as it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solstat.stats.intervals import CONFIDENCE, METHODS, Interval, wilson
from solstat.survey.reader import Counts


@dataclass(frozen=True)
class Share:
    """A share of `n` deals.

    Attributes
    ----------
    floor, ceiling : float
        The share if no open deal belongs to it, and if all do; 0 and 1 of no deals.
    low, high : float
        Confidence bounds: the lower one of the floor, the upper one of the ceiling.
    """

    floor: float
    ceiling: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """The outcomes of a run and the shares they make, for deals won and for deals lost.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    budget : int
        The budget the outcomes are at.
    n, won, lost, unsettled, error : int
        Numbers of deals; `n` is the sum of the others.
    floor, ceiling, low, high : float
        Share won, see `Share`.
    lost_floor, lost_ceiling, lost_low, lost_high : float
        Share lost.
    interval : str
        How the bounds were made: one of `solstat.stats.intervals.METHODS`.
    confidence : float
        Two-sided, of the bounds.
    """

    rules: str
    budget: int
    n: int
    won: int
    lost: int
    unsettled: int
    error: int
    floor: float
    ceiling: float
    low: float
    high: float
    lost_floor: float
    lost_ceiling: float
    lost_low: float
    lost_high: float
    interval: str
    confidence: float


def share(
    k: int,
    still_open: int,
    n: int,
    *,
    confidence: float = CONFIDENCE,
    interval: Callable[[int, int, float], Interval] = wilson,
) -> Share:
    """The share of k in n when `still_open` more of the n may belong to it.

    Parameters
    ----------
    k, still_open, n : int
        Numbers of deals; k + still_open <= n.
    confidence : float
        Two-sided, between 0 and 1.
    interval : callable
        One of the values of `solstat.stats.intervals.METHODS`.
    """
    low = interval(k, n, confidence).low
    high = interval(k + still_open, n, confidence).high
    if n == 0:
        return Share(0.0, 1.0, low, high)
    return Share(k / n, (k + still_open) / n, low, high)


def figures(counts: Counts, *, confidence: float = CONFIDENCE, interval: str = "wilson") -> Figures:
    """The figures of a run's outcomes.

    Parameters
    ----------
    counts : Counts
        From `solstat.survey.reader.counts`.
    confidence : float
        Two-sided, between 0 and 1.
    interval : str
        One of `solstat.stats.intervals.METHODS`.
    """
    bounds = METHODS[interval]
    still_open = counts.unsettled + counts.error
    won = share(counts.won, still_open, counts.n, confidence=confidence, interval=bounds)
    lost = share(counts.lost, still_open, counts.n, confidence=confidence, interval=bounds)
    return Figures(
        rules=counts.rules,
        budget=counts.budget,
        n=counts.n,
        won=counts.won,
        lost=counts.lost,
        unsettled=counts.unsettled,
        error=counts.error,
        floor=won.floor,
        ceiling=won.ceiling,
        low=won.low,
        high=won.high,
        lost_floor=lost.floor,
        lost_ceiling=lost.ceiling,
        lost_low=lost.low,
        lost_high=lost.high,
        interval=interval,
        confidence=confidence,
    )
