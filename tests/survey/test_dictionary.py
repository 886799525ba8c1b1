"""The data dictionary says of every column what it is."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from solstat.survey.plan import Plan
from solstat.survey.reader import open_run
from solstat.survey.run import run_survey
from solstat.survey.schema import SCHEMA, SCHEMA_VERSION

TEXT = (Path(__file__).parents[2] / "docs/data.md").read_text()
COLUMNS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| `")
]
NULL = {
    "never": lambda row: False,
    "error": lambda row: row["outcome"] == "error",
    "won or lost": lambda row: row["outcome"] in {"won", "lost"},
    "not won": lambda row: row["outcome"] != "won",
    "not won, or lines were not kept": lambda row: row["outcome"] != "won",
}


def test_has_the_columns_of_the_schema_in_order_with_their_types() -> None:
    found = [(name.strip("`"), kind) for name, kind, *_ in COLUMNS]
    # Arrow's name for float64 is double.
    assert found == [
        (field.name, "float64" if field.type == pa.float64() else str(field.type))
        for field in SCHEMA
    ]


def test_names_the_version_of_the_schema() -> None:
    assert re.findall(r"Version of the schema: (\d+)", TEXT) == [str(SCHEMA_VERSION)]


def test_examples_are_of_the_type() -> None:
    for name, _, _, _, _, example in COLUMNS:
        kind = SCHEMA.field(name.strip("`")).type
        text = example.strip("`")
        value = text if kind == pa.string() else float(text) if "." in text else int(text)
        assert pa.scalar(value, kind).as_py() == value


@pytest.fixture(params=[True, False], ids=["lines", "no lines"])
def found(request, tmp_path: Path, plan: Plan, inline) -> list[dict[str, Any]]:
    """Rows of every outcome, with and without lines."""
    executor = partial(inline, dies=lambda chunk: "SIGSEGV" if chunk.range.last == 100 else None)
    mine = replace(plan, lines=request.param)
    (directory,) = run_survey([mine], tmp_path / "run", workers=1, executor=executor)
    rows = list(open_run(directory).rows())
    assert {row["outcome"] for row in rows} == {"won", "lost", "unsettled", "error"}
    return rows


def test_is_null_when_it_says(found: list[dict[str, Any]]) -> None:
    lines = any(row["line"] is not None for row in found)
    for name, _, _, _, when, _ in COLUMNS:
        for row in found:
            wanted = NULL[when](row) or (name == "`line`" and not lines)
            assert (row[name.strip("`")] is None) == wanted, (name, row)


def test_what_it_says_of_rows_that_are_not_settled(found: list[dict[str, Any]]) -> None:
    for row in found:
        if row["outcome"] == "unsettled":
            assert (row["reason"], row["positions"]) == ("budget", row["budget"])
        if row["outcome"] == "error":
            assert row["reason"] == "crash:SIGSEGV"
