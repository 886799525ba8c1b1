"""``solstat stats``: the shares that runs give."""

from __future__ import annotations

from dataclasses import asdict

import click

from solstat.cli.command import command
from solstat.cli.options import Budget, json_option
from solstat.cli.output import write, write_json


@command(
    "solstat stats runs/wasp",
    "solstat stats runs/wasp runs/three --exact",
    "solstat stats runs/wasp --budget 10k --json",
)
@click.argument("paths", metavar="RUN...", type=click.Path(), nargs=-1, required=True)
@click.option("--budget", type=Budget(), help="Outcomes as they are at this lower budget.")
@click.option("--exact", is_flag=True, help="Clopper-Pearson intervals instead of Wilson's.")
@json_option
def stats(paths: tuple[str, ...], budget: int | None, exact: bool, as_json: bool) -> None:
    """Show the shares won and lost, with intervals.

    An unsettled deal may be won or lost: a share lies between its floor, where none of them counts,
    and its ceiling, where all do. The 95 % interval goes from the lower bound of the floor to the
    upper bound of the ceiling.
    """
    from solstat.report.tables import figures_table
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts, runs_under

    runs = [run for path in paths for run in runs_under(path)]
    found = [figures(counts(run, budget), exact=exact) for run in runs]
    if as_json:
        write_json([asdict(each) for each in found])
    else:
        write(figures_table(found))
