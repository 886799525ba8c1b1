"""``solstat export``: rows for tools that read no Parquet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.options import run_argument

if TYPE_CHECKING:
    from solstat.survey.reader import Run


@command(
    "solstat export runs/wasp --format csv > wasp.csv",
    "solstat export runs/wasp --format jsonl | head -n 3",
)
@run_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl"]),
    required=True,
    help="CSV with a header, or a JSON object on each line.",
)
def export(path: str, form: str) -> None:
    """Write the rows of a run as CSV or JSON lines.

    They come in the order of their index, for all runs of a directory one after the other.
    """
    from solstat.survey.reader import runs_under

    runs = runs_under(path)
    if form == "csv":
        _write_csv(runs)
    else:
        _write_jsonl(runs)


def _write_csv(runs: list[Run]) -> None:
    import pyarrow.csv

    from solstat.survey.rows import SCHEMA

    out = sys.stdout.buffer
    with pyarrow.csv.CSVWriter(out, SCHEMA) as writer:
        for run in runs:
            for table in run.tables():
                writer.write_table(table)
    out.flush()


def _write_jsonl(runs: list[Run]) -> None:
    import json

    for run in runs:
        for row in run.rows():
            sys.stdout.write(f"{json.dumps(row)}\n")
