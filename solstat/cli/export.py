"""``solstat export``: rows for tools that read no Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from solstat.cli.command import command
from solstat.cli.inputs import runs_at
from solstat.cli.options import runs_argument
from solstat.cli.output import check_file, in_place_of
from solstat.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from solstat.survey.reader import Run


@command(
    "solstat export runs/wasp -o wasp.csv",
    "solstat export runs/wasp > wasp.csv",
    "solstat export runs/wasp --format jsonl | head -n 3",
    "solstat export runs/wasp --format summary -o wasp.json",
    "solstat export runs/wasp --attempts -o all.csv",
)
@runs_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "summary"]),
    help="CSV with a header, a JSON object on each line, or a summary of each run.  "
    "[default: csv, or jsonl for a file of that ending]",
)
@click.option(
    "--attempts",
    is_flag=True,
    help="Earlier rows of deals that were searched again too, after the others of their run.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="The file to write, in place of one there once it is whole.  [default: standard output]",
)
def export(paths: tuple[str, ...], form: str | None, attempts: bool, out: str | None) -> None:
    """Write the rows of a run as CSV or JSON lines.

    They come in the order of their index, for all runs of a directory one after the other.

    A summary is JSON, a list of an object for each run: what the run is and how it came about
    (run.json), the number of its deals with each outcome, and the seeds of outcomes that a thousand
    deals have at most. It is what to keep of a run whose rows are too many to keep.
    """
    if attempts and form == "summary":
        raise UsageError("--attempts with --format summary: a summary is of the rows that count")
    if out is not None:
        check_file(out)
    runs = runs_at(paths)
    writers = {"csv": _write_csv, "jsonl": _write_jsonl, "summary": _write_summary}
    write_rows = writers[form or _form_of(out)]
    if out is None:
        write_rows(runs, sys.stdout.buffer, attempts)
        sys.stdout.buffer.flush()
    else:
        with in_place_of(Path(out)) as file:
            write_rows(runs, file, attempts)


def _form_of(out: str | None) -> str:
    """The format that the name of a file asks for."""
    ending = "" if out is None else Path(out).suffix.lower()
    if ending == ".parquet":
        raise UsageError(f"-o {out}: the rows of a run are Parquet files already: read those")
    if ending == ".json":
        raise UsageError(f"-o {out}: say which, --format jsonl or --format summary")
    return "jsonl" if ending == ".jsonl" else "csv"


def _tables(runs: list[Run], attempts: bool) -> Iterator[pa.Table]:
    from solstat.survey.older import older_rows, searched_again

    for run in runs:
        now = []
        for table in run.tables():
            yield table
            if attempts:
                now.append(searched_again(table))
        if attempts:
            yield from older_rows(run, now=now)


def _write_csv(runs: list[Run], out: BinaryIO, attempts: bool) -> None:
    import pyarrow.csv

    from solstat.survey.schema import SCHEMA

    with pyarrow.csv.CSVWriter(out, SCHEMA) as writer:
        for table in _tables(runs, attempts):
            writer.write_table(table)


def _write_jsonl(runs: list[Run], out: BinaryIO, attempts: bool) -> None:
    import json

    from solstat.survey.reader import dictionaries

    for row in dictionaries(_tables(runs, attempts)):
        out.write(f"{json.dumps(row)}\n".encode())


def _write_summary(runs: list[Run], out: BinaryIO, attempts: bool) -> None:
    from solstat.survey.summary import summary, to_json

    out.write(to_json([summary(run) for run in runs]).encode())
