"""Budgets beside each other: how many deals each takes to give an interval of some width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solstat.budget import MAX_BUDGET
from solstat.stats.pilot import Outlook, Pilot
from solstat.stats.sequential import Width, width
from solstat.survey.reader import Counts

HOUR = 3600.0
MOST_DEALS = 10**12
"""More deals than these are no answer."""

BEYOND = 10
"""Budgets up to so many times the limit are looked at."""


@dataclass(frozen=True)
class Choice:
    """A budget, and how many deals give an interval of some width at it.

    Attributes
    ----------
    outlook : Outlook
        What the budget settles and costs.
    deals : int or None
        Number of deals in all; None where open deals alone make the interval wider, or where it
        takes more than `MOST_DEALS`.
    hours : float or None
        CPU hours of those that are still to be searched. Up to the limit the pilot's deals are
        there already, above it all are searched anew.
    cheapest : bool
        Whether none of the budgets takes fewer hours, and no smaller one as few.
    """

    outlook: Outlook
    deals: int | None
    hours: float | None
    cheapest: bool = False


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
    while expected(outlook, enough, interval).half > half_width:
        too_few, enough = enough, 2 * enough
        if enough > MOST_DEALS:
            return None
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if expected(outlook, middle, interval).half > half_width:
            too_few = middle
        else:
            enough = middle
    return enough


def expected(outlook: Outlook, n: int, interval: str) -> Width:
    """The width that n deals are expected to give."""
    won, ceiling = round(outlook.won * n), round((outlook.won + outlook.still_open) * n)
    counts = Counts("", outlook.budget, won=won, lost=n - ceiling, unsettled=ceiling - won)
    return width(counts, interval=interval)


def budgets(pilot: Pilot, also: Sequence[int] = ()) -> list[int]:
    """Budgets to compare, in ascending order: 1, 2 and 5 by powers of ten, and the limit.

    They start where half of the deals is settled, and end where all are, or else some way above the
    limit. Those of `also` are there in any case.
    """
    settled, limit = pilot.settled, pilot.limit
    half = (pilot.n + 1) // 2
    first = int(settled[half - 1]) if half <= len(settled) else limit
    steps = [digit * 10**power for power in range(19) for digit in (1, 2, 5)]
    if pilot.counts(limit).unsettled:
        last = min(limit * BEYOND, MAX_BUDGET)
        return sorted({step for step in steps if first <= step <= last} | {limit, *also})
    all_settled = int(settled[-1])
    last = next((step for step in steps if all_settled <= step <= limit), limit)
    return sorted({step for step in steps if first <= step < last} | {last, *also})


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
    cheapest = next((each for each in found if each.hours == least is not None), None)
    return tuple(replace(each, cheapest=each is cheapest) for each in found)
