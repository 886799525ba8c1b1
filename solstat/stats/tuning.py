"""What a pilot run advises: which budget, how many deals, and where the next CPU hours go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log
from typing import TYPE_CHECKING

from solstat.budget import MAX_BUDGET
from solstat.errors import UsageError
from solstat.stats.choices import Choice, budgets, choices
from solstat.stats.intervals import CONFIDENCE
from solstat.stats.pilot import Pilot, Tail
from solstat.stats.spending import NextHours, next_hours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW_DEALS = 100
FEW_OUTCOMES = 10
"""With fewer deals than these, or fewer of the rarer outcome, what is told of others is a guess."""


@dataclass(frozen=True)
class Settling:
    """The budget at which a share of all deals is settled.

    Attributes
    ----------
    share : float
        The share.
    budget : int or None
        The smallest budget that settles such a share of the pilot's deals; None if its limit does
        not.
    low, high : int or None
        A 95 % interval, free of any assumption on how positions are distributed; None for an end
        above the limit.
    estimate : float or None
        Where the limit settles less: the budget by the pilot's `Tail`; None if there is none below
        2**63, or where the budget is known.
    """

    share: float
    budget: int | None
    low: int | None
    high: int | None
    estimate: float | None


@dataclass(frozen=True)
class Advice:
    """All that a pilot run advises.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    n, error, limit : int
        As in `Pilot`.
    won, lost : int
        How many deals the limit settles so.
    guess : bool
        Whether there are too few deals, or too few of the rarer outcome, to tell much.
    interval : str
        How intervals are made: one of `solstat.stats.intervals.METHODS`.
    half_width : float
        What is asked for, as a share.
    tail : Tail
        What estimates above the limit rest on.
    settling : Settling
        The budget that settles a share.
    choices : tuple of Choice
        Budgets in ascending order.
    larger : float or None
        If too many deals are open at all of them: a larger budget at which, by the pilot's `Tail`,
        they are half of what they may be. None if there is none to tell, or no need.
    next : NextHours
        Where the next CPU hours go.
    """

    rules: str
    n: int
    error: int
    limit: int
    won: int
    lost: int
    guess: bool
    interval: str
    half_width: float
    tail: Tail
    settling: Settling
    choices: tuple[Choice, ...]
    larger: float | None
    next: NextHours


def settling(pilot: Pilot, share: float) -> Settling:
    """The budget at which a share of all deals is settled.

    Of n deals sorted by positions, the number that lie below the true budget is binomial: so two of
    them are its confidence bounds, whatever the distribution.

    References
    ----------
    H. A. David, H. N. Nagaraja, Order Statistics, 3rd edition, Wiley 2003, section 7.1.
    """
    from scipy.stats import binom  # a second to import

    found, n, tail = pilot.settled, pilot.n, (1 - CONFIDENCE) / 2
    first = int(binom.ppf(tail, n, share))
    last = int(binom.ppf(1 - tail, n, share)) + 1
    budget = _order(found, ceil(share * n - 1e-9))
    estimate = None
    if budget is None:
        estimate = _estimate(pilot, share)
    return Settling(share, budget, _order(found, first), _order(found, last), estimate)


def _order(found: NDArray[np.int64], place: int) -> int | None:
    """The positions of the deal at a place from 1; the deal itself is position 1."""
    if place < 1:
        return 1
    return int(found[place - 1]) if place <= len(found) else None


def _estimate(pilot: Pilot, share: float) -> float | None:
    tally, tail = pilot.counts(pilot.limit), pilot.tail
    allowed = (1 - share) * pilot.n - pilot.error
    if tail.exponent == 0 or allowed <= 0:
        return None
    ratio = log(tally.unsettled / allowed) / tail.exponent
    if ratio >= log(MAX_BUDGET / pilot.limit):
        return None
    return float(pilot.limit * exp(ratio))


def advice(
    pilot: Pilot,
    *,
    settle: float = 0.99,
    half_width: float = 0.005,
    hours: float = 1.0,
    also: Sequence[int] = (),
    interval: str = "wilson",
) -> Advice:
    """All that a pilot run advises.

    Parameters
    ----------
    pilot : Pilot
        From `solstat.stats.pilot.pilot`.
    settle : float
        The share of deals that are to be settled, above 0 and below 1.
    half_width : float
        Half the width of the interval that is asked for, as a share.
    hours : float
        CPU hours to spend next.
    also : sequence of int
        Budgets to look at, besides those of `budgets`.
    interval : str
        One of `solstat.stats.intervals.METHODS`.

    Raises
    ------
    UsageError
        A number is out of its range.
    """
    if not 0 < settle < 1:
        raise UsageError(f"settle {settle}: give a share between 0 and 1, like 0.99")
    if not 0 < half_width < 0.5:
        raise UsageError(f"half-width {half_width}: give a share between 0 and 0.5, like 0.005")
    if not 0 < hours <= 10**9:
        raise UsageError(f"{hours} hours: give a number above 0, like 2")
    tally = pilot.counts(pilot.limit)
    found = choices(pilot, half_width, budgets(pilot, also), interval)
    too_open = all(each.outlook.still_open / 2 >= half_width for each in found)
    return Advice(
        rules=pilot.rules,
        n=pilot.n,
        error=pilot.error,
        limit=pilot.limit,
        won=tally.won,
        lost=tally.lost,
        guess=pilot.n < FEW_DEALS or min(tally.won, tally.lost) < FEW_OUTCOMES,
        interval=interval,
        half_width=half_width,
        tail=pilot.tail,
        settling=settling(pilot, settle),
        choices=found,
        larger=_estimate(pilot, 1 - half_width) if too_open else None,
        next=next_hours(pilot, hours, interval, also),
    )
