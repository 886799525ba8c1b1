"""Lists of boards as files: CSV, JSON and Parquet.

What is written depends on the boards alone: the same list is the same file, byte for byte.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from solstat.boards.board import Board
from solstat.errors import UsageError, choose_from

FOOTER = b"solstat"
"""The key, in the footer of a Parquet file, of what is said about the list."""

About = Mapping[str, Any]


def format_of(out: str) -> str:
    """The format that the name of a file asks for (UsageError if it asks for none)."""
    ending = Path(out).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(
            f"-o {out}: name a .parquet, .csv or .json file, or say which with --format"
        )
    return ending


def write_boards(file: BinaryIO, form: str, boards: Sequence[Board], about: About) -> None:
    """Write a list of boards.

    Parameters
    ----------
    file : binary file
        Where to.
    form : str
        One of `FORMATS`.
    boards : sequence of Board
        All with a date, or all without.
    about : mapping
        What JSON and the footer of Parquet say about the list; CSV has no place for it.
    """
    if form not in FORMATS:
        raise UsageError(f"unknown format {form}: {choose_from(form, FORMATS)}")
    FORMATS[form](file, boards, about)


def _names(boards: Sequence[Board]) -> list[str]:
    dated = bool(boards) and boards[0].date is not None
    return [*(["date"] if dated else []), *_COLUMNS]


def _write_csv(file: BinaryIO, boards: Sequence[Board], about: About) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, _names(boards), lineterminator="\n")
    writer.writeheader()
    writer.writerows(board.row() for board in boards)
    file.write(text.getvalue().encode())


def _write_json(file: BinaryIO, boards: Sequence[Board], about: About) -> None:
    rows = ",\n  ".join(json.dumps(board.row()) for board in boards)
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in about.items())
    file.write(f'{{\n{head} "boards": [\n  {rows}\n ]\n}}\n'.encode())


def _write_parquet(file: BinaryIO, boards: Sequence[Board], about: About) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"int32": pa.int32(), "int64": pa.int64(), "string": pa.string()}
    fields = [(name, types[_COLUMNS.get(name, "string")]) for name in _names(boards)]
    schema = pa.schema(fields).with_metadata({FOOTER: json.dumps(about)})
    table = pa.Table.from_pylist([board.row() for board in boards], schema=schema)
    pq.write_table(table, file, compression="zstd")


_COLUMNS = {
    "rules": "string",
    "scheme": "string",
    "seed": "string",
    "difficulty": "int32",
    "moves": "int32",
    "positions": "int64",
    "deal": "string",
    "line": "string",
}

FORMATS: dict[str, Callable[[BinaryIO, Sequence[Board], About], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "json": _write_json,
}
