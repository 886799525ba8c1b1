"""``solstat tune``: what a pilot run advises."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import runs_at
from solstat.cli.options import Budget, Share, json_option
from solstat.cli.output import counted, write, write_json

if TYPE_CHECKING:
    from solstat.stats.pilot import Outlook
    from solstat.stats.tuning import Advice, Choice, Settling, Spending


POOR = 0.5
"""Estimates are said to be poor if more of the deals than so many are in what they rest on."""


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
    found = [
        advice(
            pilot(run),
            settle=settle,
            half_width=half_width,
            hours=hours,
            also=() if budget is None else (budget,),
            interval="wilson" if run.record.until is None else "sequence",
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

    now = advice.next.now
    errors = f", {counted(advice.error, 'error')}" if advice.error else ""
    lines = [
        f"{advice.rules}, {counted(advice.n, 'deal')} at {format_budget(advice.limit)}{errors}: "
        f"half-width {_percent(now.half)}, {_percent(now.sampling)} of it by sampling and "
        f"{_percent(now.still_open)} by open deals",
        _settling_text(advice.settling, advice.limit),
    ]
    if budget is not None:
        asked = next(each for each in advice.choices if each.outlook.budget == budget)
        lines.append(_outlook_text(asked.outlook, advice.n))
    if advice.tail.share > POOR:
        lines.append(
            f"Its budget is low: {_percent(advice.tail.share)} of the deals took more than a tenth "
            "of it. What is marked ~ is a poor guess"
        )
    return "\n".join(
        [*lines, "", f"To a half-width of {_percent(advice.half_width)}:"]
        + [_table(advice.choices), "", *_next_lines(advice)]
    )


def _settling_text(settling: Settling, limit: int) -> str:
    from solstat.budget import format_budget

    above = f"above {format_budget(limit)}"
    ends = [f"{end:,}" if end is not None else above for end in (settling.low, settling.high)]
    if settling.budget is not None:
        text = f"{settling.budget:,} positions"
    elif settling.estimate is not None:
        text = f"a budget {above}, ~{_round(settling.estimate)}"
    else:
        text = f"no budget that can be told, one {above}"
    interval = " to ".join(ends) if ends[0] != ends[1] else ends[0]
    return f"{_percent(settling.share)} are settled by {text} (95 % interval: {interval})"


def _outlook_text(outlook: Outlook, n: int) -> str:
    from solstat.budget import format_budget

    at, settled = format_budget(outlook.budget), _percent(outlook.settled_least)
    hours = _hours(n * outlook.seconds / 3600)
    if outlook.known:
        return (
            f"A budget of {at} settles {settled}, for {outlook.positions:,.0f} positions and "
            f"{_milliseconds(outlook.seconds)} ms a deal: {hours} CPU hours for so many deals"
        )
    expected = _percent(1 - outlook.still_open)
    low, high = (
        _hours(n * seconds / 3600) for seconds in (outlook.seconds_low, outlook.seconds_high)
    )
    return (
        f"A budget of {at} settles {settled} at least, ~{expected}, for "
        f"~{outlook.positions:,.0f} positions a deal ({outlook.positions_low:,.0f} to "
        f"{outlook.positions_high:,.0f}): ~{hours} CPU hours for so many deals ({low} to {high})"
    )


def _table(choices: tuple[Choice, ...]) -> str:
    from solstat.budget import format_budget
    from solstat.report.tables import aligned

    header = ["budget", "open %", "positions", "ms", "deals", "CPU hours to go", ""]
    rows = []
    for each in choices:
        outlook = each.outlook
        mark = "" if outlook.known else "~"
        cells = [
            f"{100 * outlook.still_open:.2f}",
            f"{outlook.positions:,.0f}",
            _milliseconds(outlook.seconds),
        ]
        if each.deals is None or each.hours is None:
            need = ["too many open", "", ""]
        else:
            cheapest = "cheapest" if each.cheapest else ""
            need = [f"{mark}{each.deals:,}", f"{mark}{_hours(each.hours)}", cheapest]
        rows.append([format_budget(outlook.budget), *(mark + cell for cell in cells), *need])
    return aligned(header, rows, left=(6,))


def _next_lines(advice: Advice) -> list[str]:
    plan = advice.next
    driven = "sampling" if plan.now.sampling >= plan.now.still_open else "open deals"
    ways: list[tuple[str, str, Spending | None]] = [
        ("deals", "more deals", plan.deals),
        ("budget", "a larger budget for the open deals", plan.budget),
        ("both", "more deals and a larger budget for all", plan.both),
    ]
    best = next(text for way, text, _ in ways if way == plan.advice)
    next_hours = "CPU hour is" if plan.hours == 1 else f"{plan.hours:g} CPU hours are"
    return [
        f"The interval is driven by {driven}; the next {next_hours} best spent on {best}:",
        *(
            f"  {text}: {_spending_text(spending, advice)}"
            for _, text, spending in ways
            if spending is not None
        ),
    ]


def _spending_text(spending: Spending, advice: Advice) -> str:
    larger = spending.budget > advice.limit
    parts = [f"{spending.deals:,} more"] if spending.deals or not larger else []
    if larger:
        parts.append(f"up to {_round(spending.budget)}")
    if spending.hours < advice.next.hours:
        parts.append(f"{_hours(spending.hours)} hours are enough")
    mark = "~" if larger else ""
    return f"{', '.join(parts)}; half-width {mark}{_percent(spending.width.half)}"


def _round(budget: float) -> str:
    """A budget to two digits, and with the suffix it is best read with."""
    for factor, suffix in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if budget >= factor:
            return f"{float(f'{budget / factor:.2g}'):g}{suffix}"
    return f"{budget:.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %" if share > 0.9 else f"{100 * share:.2g} %"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.3g}"


def _hours(hours: float) -> str:
    if 0 < hours < 0.001:
        return "<0.001"
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.2g}"
