"""``solstat stats``: the shares that runs give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.figures import show_figures, show_pools
from solstat.cli.inputs import sound_runs_at, tell_unfinished
from solstat.cli.options import Budget, confidence_option, json_option, runs_argument
from solstat.cli.output import write, write_json
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.survey.reader import Run


@command(
    "solstat stats runs/wasp",
    "solstat stats runs/wasp runs/three --exact --confidence 99%",
    "solstat stats runs/wasp --budget 10k --json",
    "solstat stats runs/wasp runs/three --by rules --budget 9k",
    "solstat stats runs/wasp --by stage",
)
@runs_argument
@click.option("--budget", type=Budget(), help="Outcomes as they are at this lower budget.")
@click.option(
    "--by",
    type=click.Choice(["run", "rules", "stage"]),
    default="run",
    show_default=True,
    help="Figures of each run, of the runs of the same rules together, or of each stage.",
)
@click.option("--exact", is_flag=True, help="Clopper-Pearson intervals instead of Wilson's.")
@confidence_option
@json_option
@click.pass_context
def stats(
    ctx: click.Context,
    paths: tuple[str, ...],
    budget: int | None,
    by: str,
    exact: bool,
    confidence: float,
    as_json: bool,
) -> int:
    """Show the shares won and lost, with intervals.

    An unsettled deal may be won or lost: a share lies between its floor, where none of them counts,
    and its ceiling, where all do. The interval goes from the lower bound of the floor to the upper
    bound of the ceiling. Figures of several runs stand under their paths.

    With --by rules, runs of the same rules, scheme and search are put together; a deal that two of
    them hold is refused. With --by stage, each run is shown by the stages of the search: how many
    deals each of them settled.

    Damaged runs among several are named and passed over, and the exit code is 1.
    """
    from solstat.stats.pool import interval_of, pools
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts

    runs, code = sound_runs_at(paths)
    if not runs and not as_json:
        return code
    tell_unfinished(runs)
    if by == "stage":
        given = ctx.get_parameter_source("confidence")
        if exact or given is not click.core.ParameterSource.DEFAULT:
            raise UsageError("--by stage has no intervals: leave out --exact and --confidence")
        _show_stages(runs, budget, as_json)
    elif by == "rules":
        pooled = pools(runs, budget)
        methods = [interval_of(pool.runs, exact=exact) for pool in pooled]
        show_pools(
            pooled,
            [
                figures(pool.counts, confidence=confidence, interval=method)
                for pool, method in zip(pooled, methods, strict=True)
            ],
            as_json,
        )
    else:
        methods = [interval_of([run], exact=exact) for run in runs]
        show_figures(
            runs,
            [
                figures(counts(run, budget), confidence=confidence, interval=method)
                for run, method in zip(runs, methods, strict=True)
            ],
            as_json,
        )
    return code


def _show_stages(runs: Sequence[Run], budget: int | None, as_json: bool) -> None:
    from solstat.report.tables import stages_table
    from solstat.stats.stages import by_stage

    found = [by_stage(run, budget) for run in runs]
    if as_json:
        write_json(
            [
                {"run": str(run.path), "search": run.record.identity.search, "stage": stage}
                | {"n": counts.n}
                | asdict(counts)
                for run, stages in zip(runs, found, strict=True)
                for stage, counts in stages.items()
            ]
        )
        return
    tables = [stages_table(stages) for stages in found]
    if len(runs) > 1:
        tables = [f"{run.path}\n{table}" for run, table in zip(runs, tables, strict=True)]
    write("\n\n".join(tables))
