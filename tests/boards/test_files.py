from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass

import pandas
import pyarrow.parquet as pq
import pytest

from solstat.boards.board import Board
from solstat.boards.files import FOOTER, format_of, write_boards
from solstat.errors import UsageError
from solstat.games import rules

ABOUT = {"rules": "wasp", "lost": 3}
BOARD = Board(rules("wasp"), "solstat", str(2**64 - 1), tuple(range(52)), 10**9, 58, "7H>3 deal")
COLUMNS = ["rules", "scheme", "seed", "difficulty", "moves", "positions", "deal", "line"]


@dataclass
class Read:
    rows: list[dict[str, object]]
    about: object


def written(form, boards):
    file = io.BytesIO()
    write_boards(file, form, boards, ABOUT)
    content = file.getvalue()
    if form == "csv":
        numbers = ("difficulty", "moves", "positions")
        rows = [
            {name: int(text) if name in numbers else text for name, text in row.items()}
            for row in csv.DictReader(io.StringIO(content.decode()))
        ]
        return Read(rows, ABOUT)
    if form == "json":
        value = json.loads(content)
        rows = value.pop("boards")
        return Read(rows, value)
    table = pq.read_table(io.BytesIO(content))
    return Read(table.to_pylist(), json.loads(table.schema.metadata[FOOTER]))


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
@pytest.mark.parametrize("day", [None, "2026-11-29"])
def test_read_back(form, day):
    boards = [BOARD._replace(date=day), BOARD._replace(seed="7", date=day)]
    found = written(form, boards)
    assert found.rows == [board.row() for board in boards]
    assert [*found.rows[0]] == ([] if day is None else ["date"]) + COLUMNS
    assert found.about == ABOUT
    assert found.rows[0]["deal"].startswith("AC 2C 3C")


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_list_of_none(form):
    assert written(form, []).rows == []


def test_the_same_list_is_the_same_file():
    for form in ("csv", "json", "parquet"):
        files = [io.BytesIO(), io.BytesIO()]
        for file in files:
            write_boards(file, form, [BOARD] * 3, ABOUT)
        assert files[0].getvalue() == files[1].getvalue()


def test_pandas_reads_seeds_as_text(tmp_path):
    path = tmp_path / "boards.parquet"
    with path.open("wb") as file:
        write_boards(file, "parquet", [BOARD], ABOUT)
    assert pandas.read_parquet(path)["seed"].tolist() == ["18446744073709551615"]


def test_the_format_of_a_name():
    assert [format_of(f"a.b/c.{end}") for end in ("csv", "JSON", "parquet")] == [
        "csv",
        "json",
        "parquet",
    ]
    for name in ("boards", "boards.txt", "csv"):
        with pytest.raises(UsageError, match="name a .parquet, .csv or .json file"):
            format_of(name)
    with pytest.raises(UsageError, match="unknown format xlsx"):
        write_boards(io.BytesIO(), "xlsx", [], ABOUT)
