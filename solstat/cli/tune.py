"""``solstat tune``: what a pilot run advises."""

from __future__ import annotations

from dataclasses import asdict
from math import floor, log10
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import runs_at, tell_unfinished
from solstat.cli.options import Budget, Share, json_option
from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.stats.choices import Choice
    from solstat.stats.pilot import Outlook
    from solstat.stats.spending import Spending
    from solstat.stats.tuning import Advice


POOR = 0.5
"""Estimates are said to be poor if more of the deals than so many are in what they rest on."""

FAR = 1000
"""A budget is not advised that is more than so many times that of the pilot."""


@command(
    "solstat tune runs/wasp",
    "solstat tune runs/wasp --settle 99.9% --budget 4M",
    "solstat tune runs/wasp --half-width 0.5% --hours 2 --json",
)
@click.argument("path", metavar="RUN", type=click.Path())
@click.option(
    "--settle",
    type=Share(),
    default=0.99,
    metavar="SHARE",
    help="Tell the budget that settles such a share of the deals.  [default: 99%]",
)
@click.option("--budget", type=Budget(), help="Tell what this budget settles and costs, too.")
@click.option(
    "--half-width",
    type=Share("0.5% or 0.005", below=50),
    default=0.005,
    metavar="SHARE",
    help="Tell how many deals make the interval of the share won so narrow, half its width.  "
    "[default: 0.5%]",
)
@click.option(
    "--hours",
    type=float,
    default=1.0,
    metavar="HOURS",
    help="Tell how so many CPU hours are best spent next.  [default: 1]",
)
@json_option
def tune(
    path: str, settle: float, budget: int | None, half_width: float, hours: float, as_json: bool
) -> None:
    """Show which budget and how many deals to take.

    RUN is a pilot. Up to its own budget it tells all by itself. What is said of larger ones is an
    estimate, and marked with ~: it takes for granted that open deals go on to be settled at the
    rate at which deals were in the last tenfold of the budget.
    """
    from solstat.stats.pilot import pilot
    from solstat.stats.tuning import advice

    runs = runs_at([path])
    tell_unfinished(runs)
    found = [
        advice(
            pilot(run),
            settle=settle,
            half_width=half_width,
            hours=hours,
            also=() if budget is None else (budget,),
            interval=run.record.interval,
        )
        for run in runs
    ]
    if as_json:
        pairs = zip(runs, found, strict=True)
        write_json([{"run": str(run.path)} | asdict(each) for run, each in pairs])
        return
    write("\n\n".join(_as_text(each, budget) for each in found))


def _as_text(advice: Advice, budget: int | None) -> str:
    from solstat.budget import format_budget

    now, at = advice.next.now, format_budget(advice.limit)
    errors = f", {counted(advice.error, 'error')}" if advice.error else ""
    lines = [
        f"{advice.rules}, {counted(advice.n, 'deal')} at {at}{errors}: "
        f"half-width {_percent(now.half)}, {_percent(now.sampling)} of it by sampling and "
        f"{_percent(now.still_open)} by open deals",
        _settling_text(advice),
    ]
    if budget is not None:
        asked = next(each for each in advice.choices if each.outlook.budget == budget)
        lines.append(_outlook_text(asked.outlook, advice))
    lines += _warnings(advice)
    goal = f"a half-width of {_asked(advice.half_width)}"
    title = f"To {goal}:"
    if now.half <= advice.half_width:
        title = (
            f"The goal is met by these {counted(advice.n, 'deal')}. What it takes to reach {goal}:"
        )
    return "\n".join(
        [*lines, "", title, _table(advice), *_table_notes(advice), "", *_next_lines(advice)]
    )


def _warnings(advice: Advice) -> list[str]:
    """Why what is told may be far from what comes."""
    found = []
    if advice.guess:
        found.append(
            f"A pilot of {counted(advice.n, 'deal')}, {advice.won:,} won and {advice.lost:,} lost, "
            "tells little: what is marked ~ is a guess"
        )
    if advice.tail.share > POOR:
        found.append(
            f"Its budget is low: {_percent(advice.tail.share)} of the deals took more than a tenth "
            "of it. What is told of larger ones is a poor guess"
        )
    return found


def _settling_text(advice: Advice) -> str:
    from solstat.budget import format_budget

    found, above = advice.settling, f"above {format_budget(advice.limit)}"
    share = _asked(found.share)
    if advice.error > (1 - found.share) * advice.n:
        return f"{share} are settled by no budget: the solver failed over {advice.error:,} deals"
    ends = [f"{end:,}" if end is not None else above for end in (found.low, found.high)]
    interval = f"95 % interval: {' to '.join(ends) if ends[0] != ends[1] else ends[0]}"
    if found.budget is not None:
        return f"{share} are settled by {counted(found.budget, 'position')} ({interval})"
    if found.estimate is not None:
        estimate = f"~{_round(found.estimate)}"
        return f"{share} are settled by a budget {above}, {estimate} ({interval})"
    return f"{share} are settled {above}, by what budget cannot be told from this pilot"


def _outlook_text(outlook: Outlook, advice: Advice) -> str:
    from solstat.budget import format_budget

    at, settled = format_budget(outlook.budget), _percent(outlook.settled_least)
    n, deals = advice.n, counted(advice.n, "deal")
    hours = _hours(n * outlook.seconds / 3600)
    if outlook.known:
        return (
            f"A budget of {at} settles {settled}, for {outlook.positions:,.0f} positions and "
            f"{_milliseconds(outlook.seconds)} ms a deal: {hours} CPU hours for {deals}"
        )
    expected = _percent(1 - outlook.still_open)
    low, high = (
        _hours(n * seconds / 3600) for seconds in (outlook.seconds_low, outlook.seconds_high)
    )
    return (
        f"A budget of {at} settles {settled} at least, ~{expected}, for "
        f"~{outlook.positions:,.0f} positions a deal ({outlook.positions_low:,.0f} to "
        f"{outlook.positions_high:,.0f}): ~{hours} CPU hours for {deals} ({low} to {high})"
    )


def _table(advice: Advice) -> str:
    from solstat.budget import format_budget
    from solstat.report.tables import aligned

    header = ["budget", "open %", "positions", "ms", "deals", "CPU hours to go", ""]
    rows = []
    for each in advice.choices:
        outlook = each.outlook
        mark = "~" if advice.guess or not outlook.known else ""
        cells = [
            f"{100 * outlook.still_open:.2f}",
            f"{outlook.positions:,.0f}",
            _milliseconds(outlook.seconds),
        ]
        if each.deals is not None and each.hours is not None:
            cheapest = "cheapest" if each.cheapest else ""
            need = [f"{mark}{each.deals:,}", f"{mark}{_hours(each.hours)}", cheapest]
        elif _too_open(each, advice):
            need = ["too many open", "", ""]
        else:
            need = ["too many", "", ""]
        rows.append([format_budget(outlook.budget), *(mark + cell for cell in cells), *need])
    return aligned(header, rows, left=(6,))


def _too_open(choice: Choice, advice: Advice) -> bool:
    return choice.outlook.still_open / 2 >= advice.half_width


def _table_notes(advice: Advice) -> list[str]:
    """What to try if no row of the table has an answer."""
    if any(each.deals is not None for each in advice.choices):
        return []
    if not all(_too_open(each, advice) for each in advice.choices):
        return ["It takes more than 10^12 deals: ask for a wider one, by --half-width"]
    if advice.error / 2 >= advice.half_width * advice.n:
        return [f"No budget is enough: the solver failed over {counted(advice.error, 'deal')}"]
    if advice.larger is not None and advice.larger <= FAR * advice.limit:
        return [f"Try a larger budget, such as --budget {_step(advice.larger)}"]
    larger = _step(10 * advice.limit)
    return [f"How large a budget is enough cannot be told: try a pilot at a larger one, {larger}"]


def _step(budget: float) -> str:
    """A round budget of at least so many positions, as an option takes it."""
    from solstat.budget import format_budget

    power = 10 ** int(log10(budget))
    steps = (digit * power for digit in (1, 2, 5, 10))
    return format_budget(next(step for step in steps if step >= budget))


def _next_lines(advice: Advice) -> list[str]:
    plan = advice.next
    driven = "sampling" if plan.now.sampling >= plan.now.still_open else "open deals"
    ways: list[tuple[str, str, Spending | None]] = [
        ("deals", "more deals", plan.deals),
        ("budget", "a larger budget for the open deals", plan.budget),
        ("both", "more deals and a larger budget for all", plan.both),
    ]
    best = next(text for way, text, _ in ways if way == plan.advice)
    hours = "CPU hour is" if plan.hours == 1 else f"{plan.hours:,.10g} CPU hours are"
    return [
        f"The interval is driven by {driven}; the next {hours} best spent on {best}:",
        *(
            f"  {text}: {_spending_text(spending, advice)}"
            for _, text, spending in ways
            if spending is not None
        ),
    ]


def _spending_text(spending: Spending, advice: Advice) -> str:
    larger = spending.budget > advice.limit
    more = f"{spending.deals:,} more" if spending.deals or not larger else ""
    parts = [more, f"up to {_round(spending.budget)}" if larger else ""]
    if spending.hours < advice.next.hours:
        hours = _hours(spending.hours)
        enough = "1 CPU hour is enough" if hours == "1" else f"{hours} CPU hours are enough"
        # Where there are more deals, all hours are spent but for the largest number of them.
        parts.append(f"no more are looked at, {enough}" if spending.deals else enough)
    mark = "~" if larger or advice.guess else ""
    told = ", ".join(part for part in parts if part)
    return f"{told}; half-width {mark}{_percent(spending.width.half)}"


def _round(budget: float) -> str:
    """A budget to two digits, and with the suffix it is best read with."""
    for factor, suffix in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if budget >= factor:
            return f"{float(f'{budget / factor:.2g}'):g}{suffix}"
    return f"{budget:.0f}"


def _percent(share: float) -> str:
    """A share to two digits; near 1 what is left of it is, so that only all is 100 %."""
    left = 100 * (1 - share)
    if left == 0:
        return "100 %"
    if share <= 0.9:
        return f"{100 * share:.2g} %"
    digits = max(2, 1 - floor(log10(left)))
    return f"{f'{100 * share:.{digits}f}'.rstrip('0').rstrip('.')} %"


def _asked(share: float) -> str:
    """A share as it was asked for."""
    return f"{100 * share:.10g} %"


def _milliseconds(seconds: float) -> str:
    milliseconds = 1000 * seconds
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def _hours(hours: float) -> str:
    if 0 < hours < 0.001:
        return "<0.001"
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.2g}"
