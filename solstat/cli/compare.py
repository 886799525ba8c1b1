"""``solstat compare``: two runs, deal by deal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from solstat.cli.command import command
from solstat.cli.inputs import runs_at, tell_unfinished
from solstat.cli.options import Budget, confidence_option, json_option
from solstat.cli.output import talk, write, write_json
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.stats.compare import Comparison
    from solstat.survey.reader import Run


@command(
    "solstat compare runs/wasp runs/three",
    "solstat compare runs/wasp runs/three --budget 10k --json",
)
@click.argument("first", metavar="FIRST", type=click.Path())
@click.argument("second", metavar="SECOND", type=click.Path())
@click.option("--budget", type=Budget(), help="Outcomes as they are at this lower budget.")
@confidence_option
@json_option
def compare(first: str, second: str, budget: int | None, confidence: float, as_json: bool) -> None:
    """Compare two runs: the same deals under two settings.

    The settings may differ in rules, search or budget. Compared are the deals that both runs have:
    how many have which outcomes, by how much the shares won and settled differ, with intervals and
    exact tests, and which deals have another outcome. Deals that are open may be won or lost: the
    lowest and the highest difference, and the p-values in brackets, are those they leave possible.
    Runs without a deal in common are compared as two samples.

    Where every deal that can be won under some rules can be won under the others, and where the
    rules are the same, a verdict against it is an error that names the deal.
    """
    from solstat.report.comparison import comparison_text
    from solstat.stats.compare import compare as compared

    runs = _one_run(first), _one_run(second)
    tell_unfinished(runs)
    found = compared(*runs, budget, confidence=confidence)
    for run in runs:
        if run.record.until:
            talk(f"{run.path} was stopped by its outcomes: the intervals do not allow for that")
    if as_json:
        write_json(_as_object(found, confidence))
    else:
        write(comparison_text(found, confidence=confidence))


def _one_run(path: str) -> Run:
    runs = runs_at([path])
    if len(runs) > 1:
        names = ", ".join(str(run.path) for run in runs[:3]) + (", ..." if len(runs) > 3 else "")
        raise UsageError(f"{path} holds {len(runs)} runs: name one of {names}")
    return runs[0]


def _as_object(found: Comparison, confidence: float) -> dict[str, Any]:
    outcomes = ("won", "lost", "unsettled", "error")
    runs = found.first, found.second
    return {
        "first": _side(found, 0),
        "second": _side(found, 1),
        "paired": found.is_paired,
        "relation": found.relation,
        "confidence": confidence,
        "allows_for_stopping": False if any(run.record.until for run in runs) else None,
        "won_difference": None if found.won is None else asdict(found.won),
        "settled_difference": asdict(found.settled),
        "deals": [
            {"first": before, "second": after, "n": found.number(before, after)}
            | ({} if before == after else {"seeds": found.seeds(before, after)})
            for before in outcomes
            for after in outcomes
            if found.is_paired
        ],
    }


def _side(found: Comparison, place: int) -> dict[str, Any]:
    run, counts = (found.first, found.second)[place], found.counts[place]
    identity = run.record.identity
    return {
        "run": str(run.path),
        "scheme": identity.scheme,
        "first_seed": identity.first_seed,
        "planned": run.record.deals,
        "until": run.record.until,
        "search": identity.search,
        "n": counts.n,
        "left_out": found.left_out[place],
    } | asdict(counts)
