"""``solstat status``: how far runs are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from solstat.cli.command import command
from solstat.cli.inputs import runs_at
from solstat.cli.options import json_option, runs_argument
from solstat.cli.output import write, write_json
from solstat.cli.until import how_it_ended

if TYPE_CHECKING:
    from solstat.survey.reader import Counts, Status


@command("solstat status runs/wasp", "solstat status runs/wasp --json")
@runs_argument
@json_option
def status(paths: tuple[str, ...], as_json: bool) -> None:
    """Show how far a run is.

    RUN may be a directory of several.
    """
    from solstat.survey import reader

    found = [reader.status(run) for run in runs_at(paths)]
    if as_json:
        write_json([asdict(each) | _goal(each) for each in found])
    else:
        write("\n".join(map(_as_text, found)))


def _counts(status: Status) -> Counts:
    from solstat.survey.reader import Counts

    outcomes = (status.won, status.lost, status.unsettled, status.error)
    return Counts(status.rules, status.budget, *outcomes)


def _goal(status: Status) -> dict[str, Any]:
    """How narrow the interval is that a run is to stop by, and whether that is enough."""
    from solstat.stats.sequential import parse_until, width

    if status.until is None or not status.done:
        return {"half_width": None, "reached": None}
    counts = _counts(status)
    reached = parse_until(status.until).reached(counts)
    return {"half_width": width(counts).half, "reached": reached}


def _as_text(status: Status) -> str:
    from solstat.budget import format_budget

    state = status.state
    if state == "incomplete":
        state += " (rows are gone; the same run command solves them)"
    rule = "" if status.until is None else f", until {status.until}"
    if status.most is not None:
        rule += f" or {status.most:,} deals"
    lines = [
        f"{status.run}: {status.rules}, budget {format_budget(status.budget)}{rule}, {state}",
        f"  {status.done:,} of {status.planned:,} deals done, {status.todo:,} to do: "
        f"{status.won:,} won, {status.lost:,} lost, "
        f"{status.unsettled:,} unsettled, {status.error:,} errors",
    ]
    if status.until is not None and status.done:
        from solstat.stats.sequential import parse_until

        lines.append(f"  {how_it_ended(parse_until(status.until), _counts(status))}")
    if status.rate is not None:
        left = "" if status.seconds_left is None else f", {status.seconds_left:,.0f} s left"
        lines.append(f"  {status.rate:,.0f} deals a second{left}")
    return "\n".join(lines)
