"""``solstat status``: how far runs are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solstat.cli.command import command
from solstat.cli.inputs import sound_runs_at
from solstat.cli.options import json_option, runs_argument
from solstat.cli.output import write, write_json
from solstat.cli.until import how_it_ended
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.survey.reader import Counts, Run
    from solstat.survey.status import Status

SHOWN = 5
TALLY = ("done", "won", "lost", "unsettled", "error")


@command(
    "solstat status runs/wasp",
    "solstat status runs/wasp --provenance",
    "solstat status runs/wasp --json",
)
@runs_argument
@click.option(
    "--provenance", is_flag=True, help="Also how each run came about, and how to do it again."
)
@json_option
def status(paths: tuple[str, ...], provenance: bool, as_json: bool) -> int:
    """Show how far a run is.

    RUN may be a directory of several; damaged ones among them are named and passed over, and the
    exit code is 1.
    """
    from solstat.survey.status import status as how_far

    runs, code = sound_runs_at(paths)
    found = [how_far(run) for run in runs]
    if as_json:
        more = [_provenance(run) if provenance else {} for run in runs]
        parts = zip(found, more, strict=True)
        write_json([asdict(each) | _goal(each) | about for each, about in parts])
    else:
        for run, each in zip(runs, found, strict=True):
            write(_as_text(run, each))
            if provenance:
                write(_indented(run))
        for line in _totals(runs, found):
            write(line)
    return code


def _provenance(run: Run) -> dict[str, Any]:
    from solstat.survey import redo

    record = run.record
    return {
        "again": redo.command(run),
        "searched_otherwise": redo.otherwise(run),
        "identity": asdict(record.identity),
        "history": list(record.history),
    }


def _indented(run: Run) -> str:
    from solstat.survey import redo

    return "\n".join(f"  {line}" for line in redo.account(run))


def _totals(runs: Sequence[Run], found: Sequence[Status]) -> Iterator[str]:
    """A line or two for all shards of each survey; there may be some yet to begin."""
    surveys: dict[tuple[Path, int, int], list[tuple[int, Status]]] = {}
    for run, status in zip(runs, found, strict=True):
        if (shard := run.record.shard) is not None:
            survey = (run.path.parent, shard.of, shard.deals)
            surveys.setdefault(survey, []).append((shard.number, status))
    for (place, of, deals), shards in surveys.items():
        begun = {number for number, _ in shards}
        finished = sum(status.state == "finished" for _, status in shards)
        tally = Counter[str]()
        for _, status in shards:
            tally.update({name: getattr(status, name) for name in TALLY})
        missing = [f"{number}/{of}" for number in range(1, of + 1) if number not in begun]
        more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
        yield (
            f"{place}: {finished} of {of} shards finished"
            + (f", not begun: {', '.join(missing[:SHOWN])}{more}" if missing else "")
            + f"\n  {_done(tally, deals)}"
        )


def _done(tally: Mapping[str, int], planned: int) -> str:
    done = tally["done"]
    return (
        f"{done:,} of {counted(planned, 'deal')} done, {planned - done:,} to do: "
        f"{tally['won']:,} won, {tally['lost']:,} lost, "
        f"{tally['unsettled']:,} unsettled, {counted(tally['error'], 'error')}"
    )


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


def _is_all_there_is(run: Run) -> bool:
    """Whether a run may go on to the last seed of its scheme, so that it has no end of its own."""
    from solstat.deals import seeds_from

    first, scheme = run.record.identity.first_seed, run.record.identity.scheme
    return first is not None and run.record.most == seeds_from(first, scheme).count


def _as_text(run: Run, status: Status) -> str:
    from solstat.budget import format_budget

    state = status.state
    if state == "incomplete":
        state += " (rows are gone; the same run command solves them)"
    shard = "" if status.shard is None else f"shard {status.shard}, "
    rule = "" if status.until is None else f", until {status.until}"
    if status.most is not None and not _is_all_there_is(run):
        rule += f" or {status.most:,} deals"
    lines = [
        f"{status.run}: {status.rules}, {shard}"
        f"budget {format_budget(status.budget)}{rule}, {state}",
        f"  {_done(asdict(status), status.planned)}",
    ]
    if (again := status.again) is not None:
        lines.append(
            f"  {again.what} again with {format_budget(again.budget)}: "
            f"{again.done:,} of {again.deals:,} deals done"
        )
    if status.until is not None and status.done:
        from solstat.stats.sequential import parse_until

        lines.append(f"  {how_it_ended(parse_until(status.until), _counts(status))}")
    if status.rate is not None:
        left = "" if status.seconds_left is None else f", {status.seconds_left:,.0f} s left"
        lines.append(f"  {status.rate:,.0f} deals a second{left}")
    return "\n".join(lines)
