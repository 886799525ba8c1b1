"""What a pilot run advises: which budget, how many deals, and where the next CPU hours go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt
from typing import TYPE_CHECKING

from solstat.budget import MAX_BUDGET
from solstat.errors import UsageError
from solstat.stats.intervals import CONFIDENCE
from solstat.stats.pilot import Outlook, Pilot, Tail
from solstat.stats.sequential import Width, width
from solstat.survey.reader import Counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOUR = 3600.0
MOST_DEALS = 10**12
"""More deals than these are no answer."""

BEYOND = 10
"""Budgets up to so many times the limit are looked at."""


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
class Choice:
    """A budget, and how many deals give an interval of some width at it.

    Attributes
    ----------
    outlook : Outlook
        What the budget settles and costs.
    deals : int or None
        Number of deals in all; None where open deals alone make the interval wider.
    hours : float or None
        CPU hours of those that are still to be searched. Up to the limit the pilot's deals are
        there already, above it all are searched anew.
    cheapest : bool
        Whether no other of the budgets takes fewer hours.
    """

    outlook: Outlook
    deals: int | None
    hours: float | None
    cheapest: bool = False


@dataclass(frozen=True)
class Spending:
    """A way to spend CPU hours on a run.

    Attributes
    ----------
    budget : int
        The budget of all deals then; where it is above the limit, deals that are open are searched
        again from the start.
    deals : int
        How many deals more there are then.
    hours : float
        CPU hours it takes.
    width : Width
        The half-width that is expected then, and its parts; above the limit an estimate.
    best : float
        The half-width if no deal at all were open then.
    """

    budget: int
    deals: int
    hours: float
    width: Width
    best: float


@dataclass(frozen=True)
class NextHours:
    """What some CPU hours make of the interval, spent in one way or the other.

    Attributes
    ----------
    hours : float
        CPU hours.
    now : Width
        The half-width and its parts, as it is.
    deals : Spending
        More deals at the limit.
    budget : Spending or None
        A larger budget for the deals that are open; no larger than leaves one of them open at the
        most, by the estimate. None if none is open, or if the time is less than they have taken
        already.
    both : Spending or None
        More deals, and all at the larger budget that is best for this; None if there is none that
        the hours allow.
    advice : str
        Which of these makes the interval narrowest: ``deals``, ``budget`` or ``both``.
    """

    hours: float
    now: Width
    deals: Spending
    budget: Spending | None
    both: Spending | None
    advice: str


@dataclass(frozen=True)
class Advice:
    """All that a pilot run advises.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    n, error, limit : int
        As in `Pilot`.
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
    next : NextHours
        Where the next CPU hours go.
    """

    rules: str
    n: int
    error: int
    limit: int
    interval: str
    half_width: float
    tail: Tail
    settling: Settling
    choices: tuple[Choice, ...]
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


def deals_for(half_width: float, outlook: Outlook, interval: str = "wilson") -> int | None:
    """How many deals give an interval so narrow, if outcomes have the shares that are expected.

    Returns
    -------
    int or None
        None where open deals alone make it wider, or it takes more than `MOST_DEALS`.
    """
    if outlook.still_open / 2 >= half_width:
        return None
    too_few, enough = 0, 1
    while _expected(outlook, enough, interval).half > half_width:
        too_few, enough = enough, 2 * enough
        if enough > MOST_DEALS:
            return None
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _expected(outlook, middle, interval).half > half_width:
            too_few = middle
        else:
            enough = middle
    return enough


def _expected(outlook: Outlook, n: int, interval: str) -> Width:
    """The width that n deals are expected to give."""
    won, ceiling = round(outlook.won * n), round((outlook.won + outlook.still_open) * n)
    counts = Counts("", outlook.budget, won=won, lost=n - ceiling, unsettled=ceiling - won)
    return width(counts, interval=interval)


def budgets(pilot: Pilot, also: Sequence[int] = ()) -> list[int]:
    """Budgets to compare: 1, 2 and 5 by powers of ten, from where half of the deals is settled."""
    half = _order(pilot.settled, (pilot.n + 1) // 2)
    beyond = BEYOND if pilot.counts(pilot.limit).unsettled else 1
    first, last = half or pilot.limit, min(pilot.limit * beyond, MAX_BUDGET)
    steps = (digit * 10**power for power in range(19) for digit in (1, 2, 5))
    chosen = {step for step in steps if first <= step <= last}
    return sorted(chosen | {pilot.limit, *also})


def choices(
    pilot: Pilot, half_width: float, at: Sequence[int], interval: str = "wilson"
) -> tuple[Choice, ...]:
    """What several budgets take to give an interval so narrow."""
    found = []
    for budget in at:
        outlook = pilot.outlook(budget)
        deals = deals_for(half_width, outlook, interval)
        hours = None
        if deals is not None:
            there = pilot.n if outlook.known else 0
            hours = max(0, deals - there) * outlook.seconds / HOUR
        found.append(Choice(outlook, deals, hours))
    hours_of = [each.hours for each in found if each.hours is not None]
    least = min(hours_of, default=None)
    # Of several that take no time, the largest budget settles the most.
    best = max((place for place, each in enumerate(found) if each.hours == least), default=None)
    return tuple(
        Choice(each.outlook, each.deals, each.hours, least is not None and place == best)
        for place, each in enumerate(found)
    )


def next_hours(pilot: Pilot, hours: float, interval: str = "wilson") -> NextHours:
    """What some CPU hours make of the interval, by more deals, by more budget, or by both."""
    again = _SearchedAgain(pilot)

    def spent(budget: int, hours_on_open: float) -> Spending:
        outlook = pilot.outlook(budget)
        left = max(0.0, hours - hours_on_open) * HOUR
        deals = int(min(left / max(outlook.seconds, 1e-9), MOST_DEALS))
        return _spending(pilot, outlook, deals, hours, interval)

    ways = {"deals": spent(pilot.limit, 0.0)}
    larger = [each for each in budgets(pilot) if each > pilot.limit and again.unsettled]
    if budget := again.reachable(hours):
        paid = again.hours(budget)
        ways["budget"] = _spending(pilot, pilot.outlook(budget), 0, paid, interval)
        larger.append(budget)
    mixed = [spent(each, paid) for each in larger if (paid := again.hours(each)) < hours]
    if mixed:
        ways["both"] = min(mixed, key=lambda each: each.width.half)
    return NextHours(
        hours=hours,
        now=width(pilot.counts(pilot.limit), interval=interval),
        deals=ways["deals"],
        budget=ways.get("budget"),
        both=ways.get("both"),
        advice=min(ways, key=lambda way: ways[way].width.half),
    )


def _spending(pilot: Pilot, outlook: Outlook, deals: int, hours: float, interval: str) -> Spending:
    n = pilot.n + deals
    won = outlook.won + outlook.still_open * outlook.won / max(outlook.won + outlook.lost, 1e-9)
    none_open = replace(outlook, won=min(won, 1.0), still_open=0.0)
    return Spending(
        budget=outlook.budget,
        deals=deals,
        hours=hours,
        width=_expected(outlook, n, interval),
        best=_expected(none_open, n, interval).half,
    )


class _SearchedAgain:
    """What it costs to search the open deals of a pilot again, from the start."""

    def __init__(self, pilot: Pilot) -> None:
        self.unsettled = pilot.counts(pilot.limit).unsettled
        self._tail = pilot.tail
        self._rate = pilot.seconds_a_position / HOUR

    def hours(self, budget: float) -> float:
        """CPU hours that are expected up to a budget."""
        return self.unsettled * (self._tail.limit + self._tail.extra(budget)) * self._rate

    def reachable(self, hours: float) -> int | None:
        """The largest budget that some hours allow, and that is of use."""
        low, high = float(self._tail.limit), float(MAX_BUDGET)
        if not self.unsettled or self.hours(low) >= hours:
            return None
        while high / low > 1 + 1e-6:
            middle = sqrt(low * high)
            one_open = self.unsettled * self._tail.still_open(middle) < 1
            low, high = (low, middle) if one_open or self.hours(middle) > hours else (middle, high)
        return int(low)


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
    return Advice(
        rules=pilot.rules,
        n=pilot.n,
        error=pilot.error,
        limit=pilot.limit,
        interval=interval,
        half_width=half_width,
        tail=pilot.tail,
        settling=settling(pilot, settle),
        choices=choices(pilot, half_width, budgets(pilot, also), interval),
        next=next_hours(pilot, hours, interval),
    )
