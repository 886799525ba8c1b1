"""What some CPU hours make of a pilot's interval: by more deals, a larger budget, or both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from solstat.stats.choices import HOUR, MOST_DEALS, budgets, expected
from solstat.stats.pilot import Outlook, Pilot
from solstat.stats.sequential import Width, width

LEFT = 0.01
"""At least such a share of the hours goes to more deals, where a larger budget has the others."""


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
        CPU hours it takes; fewer than there are if they are enough for the largest number of deals
        that is looked at.
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
        A larger budget for the deals that are open. None if none is open, or if there is no larger
        budget that the hours allow.
    both : Spending or None
        More deals, and all at a larger budget; None if there is none that the hours allow.
    advice : str
        Which of these makes the interval narrowest: ``deals``, ``budget`` or ``both``.
    """

    hours: float
    now: Width
    deals: Spending
    budget: Spending | None
    both: Spending | None
    advice: str


def next_hours(
    pilot: Pilot, hours: float, interval: str = "wilson", also: Sequence[int] = ()
) -> NextHours:
    """What some CPU hours make of the interval, by more deals, by more budget, or by both.

    Larger budgets, for either way, are those of `budgets(pilot, also)`, and the largest up to the
    last of these that the hours allow.
    """
    ways = {"deals": _spent(pilot, pilot.limit, hours, 0.0, interval)}
    again = {budget: _hours_again(pilot, budget) for budget in _larger(pilot, hours, also)}
    if again:
        ways["budget"] = _narrowest(
            _spending(pilot, pilot.outlook(budget), 0, paid, interval)
            for budget, paid in again.items()
        )
    both = [
        _spent(pilot, budget, hours, paid, interval)
        for budget, paid in again.items()
        if paid <= (1 - LEFT) * hours
    ]
    if both := [each for each in both if each.deals]:
        ways["both"] = _narrowest(both)
    return NextHours(
        hours=hours,
        now=width(pilot.counts(pilot.limit), interval=interval),
        deals=ways["deals"],
        budget=ways.get("budget"),
        both=ways.get("both"),
        advice=min(ways, key=lambda way: ways[way].width.half),
    )


def _narrowest(found: Iterable[Spending]) -> Spending:
    """The one with the narrowest interval; of several the first, which has the smallest budget."""
    return min(found, key=lambda each: each.width.half)


def _larger(pilot: Pilot, hours: float, also: Sequence[int]) -> list[int]:
    """Budgets above the limit at which some hours allow to search the open deals again."""
    low, high = pilot.limit, budgets(pilot, also)[-1]
    if not pilot.counts(low).unsettled or _hours_again(pilot, low) > hours:
        return []
    while low < high:
        middle = high - (high - low) // 2
        if _hours_again(pilot, middle) > hours:
            high = middle - 1
        else:
            low = middle
    return [each for each in budgets(pilot, [*also, low]) if pilot.limit < each <= low]


def _hours_again(pilot: Pilot, budget: int) -> float:
    """CPU hours that the open deals of a pilot are expected to take, from the start to a budget."""
    unsettled, tail = pilot.counts(pilot.limit).unsettled, pilot.tail
    return unsettled * (tail.limit + tail.extra(budget)) * pilot.seconds_a_position / HOUR


def _spent(pilot: Pilot, budget: int, hours: float, on_open: float, interval: str) -> Spending:
    """As many more deals as can be had, of what is left of the hours after those on open ones."""
    outlook = pilot.outlook(budget)
    each = max(outlook.seconds, 1e-9) / HOUR
    deals = (hours - on_open) / each
    if deals > MOST_DEALS:
        deals, hours = MOST_DEALS, on_open + MOST_DEALS * each
    return _spending(pilot, outlook, int(deals), hours, interval)


def _spending(pilot: Pilot, outlook: Outlook, deals: int, hours: float, interval: str) -> Spending:
    n = pilot.n + deals
    won = outlook.won + outlook.still_open * outlook.won / max(outlook.won + outlook.lost, 1e-9)
    none_open = replace(outlook, won=min(won, 1.0), still_open=0.0)
    return Spending(
        budget=outlook.budget,
        deals=deals,
        hours=hours,
        width=expected(outlook, n, interval),
        best=expected(none_open, n, interval).half,
    )
