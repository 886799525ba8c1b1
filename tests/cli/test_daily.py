from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from solstat.boards import daily

DAY = ("daily", "wasp", "--date", "2026-11-29")


def test_a_day(cli):
    result = cli(*DAY)
    assert result.stderr == ""
    head, *_, deal = result.stdout.splitlines()
    seed = deal.partition(":")[0]
    assert re.fullmatch(
        f"# wasp of 2026-11-29: seed {seed}, difficulty [1-5] of 5, won in [0-9]+ moves", head
    )
    assert result.stdout.splitlines()[1:] == cli("deal", "wasp", seed).stdout.splitlines()[1:]
    solved = cli("solve", "wasp", "--deal", "-", "--json", stdin=result.stdout)
    board = json.loads(cli(*DAY, "--json").stdout)
    for name in ("line", "moves", "positions", "seed", "rules"):
        assert board[name] == json.loads(solved.stdout)[name]
    assert board["date"] == "2026-11-29"


def test_a_day_goes_to_a_file_and_can_be_played(cli):
    assert cli(*DAY, "-o", "day.txt").stdout == ""
    assert Path("day.txt").read_text() == cli(*DAY).stdout
    line = json.loads(cli(*DAY, "--json").stdout)["line"]
    played = cli("play", "wasp", "--deal", "day.txt", "--line", line, stdin="")
    assert played.stdout.endswith(": won\n")
    assert cli(*DAY, "--json", "-o", "day.json").stdout == ""
    assert Path("day.json").read_text() == cli(*DAY, "--json").stdout


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Pacific/Honolulu"])
def test_today_is_the_date_in_utc(zone):
    before = datetime.now(UTC).date()
    done = subprocess.run(
        [Path(sys.executable).parent / "solstat", "daily", "flow", "--json"],
        env=os.environ | {"TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    board = json.loads(done.stdout)
    assert board["date"] in (before.isoformat(), (before + timedelta(days=1)).isoformat())
    assert f"the board of {board['date']}, today's date in UTC" in done.stderr


def test_a_calendar_is_the_boards_of_its_days(cli):
    cli("daily", "flow", "--calendar", "2028", "-o", "2028.csv", "--workers", 1)
    rows = list(csv.DictReader(Path("2028.csv").read_text().splitlines()))
    assert len({row["seed"] for row in rows}) == len({row["deal"] for row in rows}) == 366
    assert rows[0]["date"] == "2028-01-01"
    assert rows[59]["date"] == "2028-02-29"
    board = json.loads(cli("daily", "flow", "--date", "2028-02-29", "--json").stdout)
    assert rows[59] == {name: str(value) for name, value in board.items()}
    listed = json.loads(cli("daily", "flow", "--calendar", "2028", "--json").stdout)
    assert listed["boards"][59] == board
    assert listed["stream"] == "solstat-daily-1"
    assert (listed["first"], listed["last"]) == ("2028-01-01", "2028-12-31")


def test_a_calendar_is_the_same_everywhere(tmp_path):
    files = []
    for zone, workers in (("Pacific/Auckland", "1"), ("Pacific/Honolulu", "2")):
        out = tmp_path / f"{workers}.parquet"
        subprocess.run(
            [
                *(Path(sys.executable).parent / "solstat", "daily", "wave-motion"),
                *("--calendar", "2027", "--workers", workers, "-q", "-o", out),
            ],
            env=os.environ | {"TZ": zone},
            check=True,
        )
        files.append(out.read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wasp", "--date", "2026-02-30"], "write a day that there is, like 2026-11-29"),
        (["wasp", "--date", "tomorrow"], "write a day that there is, like 2026-11-29"),
        (["wasp", "--calendar", "0"], "0"),
        (["wasp", "--calendar", "2027", "--date", "2026-11-29"], "--date with --calendar"),
        (["wasp", "-o", "a.csv"], "-o a.csv: .csv is for --calendar"),
        (["wasp", "-o", "a.json"], "-o a.json: the board of one day is a deal file"),
        (["wasp", "-o", ".."], "-o ..: a directory; name a file"),
        (["wasp", "--format", "csv"], "--format is for --calendar"),
        (["wasp", "--calendar", "2027", "-o", "a.xls"], "name a .parquet, .csv or .json file"),
        (["wasp", "--calendar", "2027", "--json", "-o", "a.csv"], "--json"),
        (["waps"], "wasp"),
    ],
)
def test_usage_errors_write_nothing(cli, arguments, says):
    result = cli("daily", *arguments, code=2)
    assert result.stderr.count("\n") == 1
    assert says in result.stderr
    assert os.listdir() == []


def test_a_date_without_the_option_is_said(cli, monkeypatch):
    monkeypatch.setattr(daily, "today", lambda: daily.parse_date("2026-11-29"))
    result = cli("daily", "wasp")
    assert result.stdout == cli(*DAY).stdout
    assert result.stderr == "That is the board of 2026-11-29, today's date in UTC.\n"
    assert cli("daily", "wasp", "-q").stderr == ""
