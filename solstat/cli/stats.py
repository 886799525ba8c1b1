"""``solstat stats``: the shares that runs give."""

from __future__ import annotations

import click

from solstat.cli.command import command
from solstat.cli.figures import show_figures
from solstat.cli.inputs import runs_at
from solstat.cli.options import Budget, json_option, runs_argument


@command(
    "solstat stats runs/wasp",
    "solstat stats runs/wasp runs/three --exact",
    "solstat stats runs/wasp --budget 10k --json",
)
@runs_argument
@click.option("--budget", type=Budget(), help="Outcomes as they are at this lower budget.")
@click.option("--exact", is_flag=True, help="Clopper-Pearson intervals instead of Wilson's.")
@json_option
def stats(paths: tuple[str, ...], budget: int | None, exact: bool, as_json: bool) -> None:
    """Show the shares won and lost, with intervals.

    An unsettled deal may be won or lost: a share lies between its floor, where none of them counts,
    and its ceiling, where all do. The 95 % interval goes from the lower bound of the floor to the
    upper bound of the ceiling. Figures of several runs stand under their paths.
    """
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts

    runs = runs_at(paths)
    show_figures(
        runs,
        [figures(counts(run, budget), interval="exact" if exact else "wilson") for run in runs],
        as_json,
    )
