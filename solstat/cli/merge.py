"""``solstat merge``: from shards to one run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import WORDS, command
from solstat.cli.options import json_option
from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.survey.status import Status


@command(
    "solstat merge runs/halves -o runs/one",
    "solstat merge runs/halves",
)
@click.argument("shards", metavar="SHARDS", type=click.Path())
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="The directory of the run.  [default: SHARDS, where the shards move into _shards]",
)
@json_option
@click.pass_context
def merge(ctx: click.Context, /, shards: str, out: str | None, as_json: bool) -> None:
    """Join the shards of a survey, all of them finished, into one run.

    SHARDS is the directory that was given to each `solstat run --shard`. The run is the one that
    a single command without --shard makes. If it is stopped, the same command does it again.
    """
    with ended_by_interrupt():
        from solstat.survey.merge import merge as join
        from solstat.survey.reader import open_run
        from solstat.survey.status import status

        directories = join(shards, out, ctx.meta[WORDS])
        found = [status(open_run(each)) for each in directories]
    if as_json:
        write_json([asdict(each) for each in found])
    else:
        write("\n".join(map(_as_text, found)))


def _as_text(status: Status) -> str:
    return (
        f"{status.run}: {status.rules}, {counted(status.done, 'deal')}: "
        f"{status.won:,} won, {status.lost:,} lost, {status.unsettled:,} unsettled, "
        f"{counted(status.error, 'error')}"
    )
