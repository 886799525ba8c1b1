"""The share of deals that can be won, or lost, when some are not settled.

An unsettled deal is never dropped: it may be won or lost. So a share is known between a floor,
where no unsettled deal counts, and a ceiling, where all do. The interval goes from the lower
confidence bound of the floor to the upper bound of the ceiling, and so holds the true share at
least as often as it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from solstat.errors import UsageError
from solstat.survey.reader import Counts

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Confidence bounds of a share, from 0 to 1."""

    low: float
    high: float


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


def wilson(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of k in n.

    Parameters
    ----------
    k, n : int
        Deals that count, of how many; 0 <= k <= n. Of no deals nothing is known: 0 to 1.
    confidence : float
        Two-sided, between 0 and 1.

    Returns
    -------
    Interval

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of
    the American Statistical Association 22 (1927) 209-212.
    """
    _check(k, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (k + z * z / 2) / (n + z * z)
    half = z * sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    # At the ends the bound is the end itself; rounding would miss it.
    low = 0.0 if k == 0 else middle - half
    high = 1.0 if k == n else middle + half
    return Interval(low, high)


def clopper_pearson(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The exact interval of k in n: it never holds the true share less often than it says.

    Parameters and result as `wilson`.

    References
    ----------
    C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case
    of the binomial, Biometrika 26 (1934) 404-413.
    """
    _check(k, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    from scipy.stats import binomtest  # a second to import

    found = binomtest(k, n).proportion_ci(confidence, method="exact")
    return Interval(float(found.low), float(found.high))


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
        `wilson` or `clopper_pearson`.
    """
    low = interval(k, n, confidence).low
    high = interval(k + still_open, n, confidence).high
    if n == 0:
        return Share(0.0, 1.0, low, high)
    return Share(k / n, (k + still_open) / n, low, high)


def figures(counts: Counts, *, confidence: float = CONFIDENCE, exact: bool = False) -> Figures:
    """The figures of a run's outcomes.

    Parameters
    ----------
    counts : Counts
        From `solstat.survey.reader.counts`.
    confidence : float
        Two-sided, between 0 and 1.
    exact : bool
        Clopper-Pearson bounds instead of Wilson's.
    """
    interval = clopper_pearson if exact else wilson
    still_open = counts.unsettled + counts.error
    won = share(counts.won, still_open, counts.n, confidence=confidence, interval=interval)
    lost = share(counts.lost, still_open, counts.n, confidence=confidence, interval=interval)
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
    )


def _check(k: int, n: int, confidence: float) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} deals")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}: give a number between 0 and 1, like 0.95")
