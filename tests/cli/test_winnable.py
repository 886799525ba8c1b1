from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas
import pytest

from solstat.boards import winnable
from solstat.errors import Interrupted
from solstat.survey.executors import Processes

WASP = ("winnable", "wasp", "--workers", 1)


def test_a_list_on_standard_output(cli):
    result = cli(*WASP, "--count", 5)
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["seed"] for row in rows] == ["0", "2", "3", "4", "5"]
    assert "wasp: 5 winnable boards among 6 deals; passed over: 1 lost, 0 unsettled" in (
        result.stderr
    )
    assert os.listdir() == []


def test_json_says_what_was_passed_over(cli):
    found = json.loads(cli(*WASP, "--count", 30, "--first", 100, "--budget", 300, "--json").stdout)
    boards = found.pop("boards")
    assert len(boards) == found["won"] == 30
    assert found["searched"] == 30 + found["lost"] + found["unsettled"]
    assert found["lost"] > 0
    assert found["unsettled"] > 0
    assert {name: found[name] for name in ("rules", "scheme", "budget", "first", "error")} == {
        "rules": "wasp",
        "scheme": "solstat",
        "budget": 300,
        "first": "100",
        "error": 0,
    }


def test_a_file_by_its_ending(cli):
    for ending in ("csv", "json", "parquet"):
        cli(*WASP, "--count", 4, "-o", f"boards.{ending}")
    assert sorted(os.listdir()) == ["boards.csv", "boards.json", "boards.parquet"]
    rows = pandas.read_parquet("boards.parquet")
    assert rows["seed"].tolist() == ["0", "2", "3", "4"]
    assert json.loads(Path("boards.json").read_text())["boards"] == rows.to_dict("records")
    cli(*WASP, "--count", 4, "-o", "boards.txt", "--format", "csv")
    assert Path("boards.txt").read_bytes() == Path("boards.csv").read_bytes()


def test_the_same_file_for_any_number_of_workers(cli):
    for workers in (1, 2):
        cli("winnable", "wasp", "--count", 130, "--workers", workers, "-o", f"{workers}.parquet")
    assert Path("1.parquet").read_bytes() == Path("2.parquet").read_bytes()


def test_options_of_the_game_and_schemes(cli):
    nine = cli("winnable", "wave-motion", "-r", "columns=9", "--count", 2, "--json")
    (first, _) = json.loads(nine.stdout)["boards"]
    assert first["rules"] == "wave-motion(columns=9)"
    pysol = json.loads(cli(*WASP, "--count", 3, "--scheme", "pysol", "--json").stdout)
    assert pysol["first"] == "1"
    microsoft = cli(*WASP, "--count", 3, "--scheme", "pysol", "--first", "ms5", "--json")
    assert json.loads(microsoft.stdout)["boards"][0]["seed"].startswith("ms")


def test_boards_are_solved_by_what_the_list_says(cli):
    (board,) = json.loads(cli(*WASP, "--count", 1, "--first", 40, "--json").stdout)["boards"]
    Path("deal.txt").write_text(f"{board['seed']}: {board['deal']}\n")
    solved = json.loads(cli("solve", "wasp", "--deal", "deal.txt", "--json").stdout)
    for name in ("line", "moves", "positions"):
        assert board[name] == solved[name]
    perft = ("perft", "wasp", "--deals-file", "deal.txt", "--line", board["line"])
    assert json.loads(cli(*perft, "--depth", 1, "--engine", "python", "--json").stdout) == {
        board["seed"]: [0]
    }


def test_the_run_behind_it_can_be_kept_and_extended(cli):
    few = cli(*WASP, "--count", 20, "--run", "run", "-o", "few.csv").stderr
    assert "passed over" in few
    cli("verify", "run")
    assert "won=20 is reached by 22 deals: 20 are won" in cli("status", "run").stdout
    shown = cli("status", "run").stdout
    assert "budget 250k, until won=20, finished\n" in shown  # the last seed there is is no end
    cli(*WASP, "--count", 120, "--run", "run", "-o", "many.csv")
    few_lines = Path("few.csv").read_text().splitlines()
    assert Path("many.csv").read_text().splitlines()[:21] == few_lines
    cli(*WASP, "--count", 120, "-o", "anew.csv")
    assert Path("many.csv").read_bytes() == Path("anew.csv").read_bytes()


def test_killed_at_any_time_the_same_command_goes_on(cli):
    words = [str(word) for word in (*WASP, "--count", 2000, "-o", "boards.csv")]
    command = [Path(sys.executable).parent / "solstat", *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while len(list(Path().glob("boards.csv.partial/part-*"))) < 1 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert os.listdir() == ["boards.csv.partial"]
    again = cli(*words)
    assert "deals are there" in again.stderr
    assert os.listdir() == ["boards.csv"]
    cli(*words[:-1], "whole.csv")
    assert Path("boards.csv").read_bytes() == Path("whole.csv").read_bytes()


def interrupted(cli, monkeypatch, *more):
    wait = Processes.wait

    def interrupt(self, seconds):
        os.kill(os.getpid(), signal.SIGINT)
        return wait(self, seconds)

    with monkeypatch.context() as patched:
        patched.setattr(Processes, "wait", interrupt)
        words = [str(word) for word in (*WASP, "--count", 3000, *more)]
        return words, cli(*words, code=Interrupted.exit_code).stderr.rstrip()


def test_interrupted_says_how_to_go_on(cli, monkeypatch):
    words, told = interrupted(cli, monkeypatch, "-o", "a.csv")
    assert told.endswith("to go on: solstat " + " ".join(words))
    assert "of 3,000 deals planned so far, until won=3000, are stored" in told
    _, told = interrupted(cli, monkeypatch)
    assert told.endswith("interrupted; with -o FILE or --run RUN, the same command would go on")
    assert os.listdir() == ["a.csv.partial"]


def test_errors_make_the_exit_code_3_and_too_few_boards_1(cli, monkeypatch):
    find = winnable.find_winnable

    def one_error(*arguments, **options):
        found = find(*arguments, **options)
        return winnable.Winnable(found.boards, found.searched + 1, found.lost, 0, 1)

    monkeypatch.setattr(winnable, "find_winnable", one_error)
    assert "0 unsettled, 1 error" in cli(*WASP, "--count", 5, code=3).stderr
    monkeypatch.undo()
    few = cli(*WASP, "--count", 50, "--first", 2**64 - 10, code=1)
    assert "no seed is left" in few.stderr
    assert 1 < few.stdout.count("\n") < 12


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wasp"], "--count"),
        (["wasp", "--count", "0"], "0"),
        (["waps", "--count", "5"], "wasp"),
        (["wasp", "--count", "5", "--first", "-1"], "whole numbers"),
        (["wasp", "--count", "5", "--first", "x"], "whole numbers"),
        (["wasp", "--count", "5", "--scheme", "x"], "unknown scheme"),
        (["wasp", "--count", "5", "--budget", "0"], "budget"),
        (["wasp", "--count", "5", "-o", "boards.xls"], "-o boards.xls: name a .parquet, .csv or"),
        (["wasp", "--count", "5", "-o", "here"], "-o here: a directory; name a file"),
        (["wasp", "--count", "5", "-o", "here", "--format", "csv"], "a directory; name a file"),
        (["wasp", "--count", "5", "-o", "none/a.csv"], "-o none/a.csv: there is no directory none"),
        (
            ["wasp", "--count", "5", "--run", "here", "-o", "here/run.json"],
            "-o here/run.json: here is the directory of a run",
        ),
        (["wasp", "--count", "5", "--json", "--format", "csv"], "--json with --format csv"),
        (["wasp", "--count", "5", "-r", "columns=9"], "wasp has no option columns"),
        (["wasp", "--count", "5", "-q", "-v"], "both -v and -q"),
    ],
)
def test_usage_errors_write_nothing(cli, arguments, says):
    Path("here").mkdir()
    result = cli("winnable", *arguments, code=2)
    assert result.stderr.count("\n") == 1
    assert says in result.stderr
    assert os.listdir() == ["here"]


def test_what_was_refused_leaves_nothing_and_takes_nothing(cli):
    words = [*WASP, "--count", 5, "-o", "a.csv"]
    assert "--memory" in cli(*words, "--memory", "1M", code=2).stderr
    assert os.listdir() == []
    Path("a.csv.partial").mkdir()
    Path("a.csv.partial/mine.txt").write_text("keep")
    assert "a.csv.partial holds other files" in cli(*words, code=2).stderr
    assert os.listdir("a.csv.partial") == ["mine.txt"]


def test_a_file_that_is_none_has_no_survey_beside_it(cli):
    os.mkfifo("boards")
    reader = os.open("boards", os.O_RDONLY | os.O_NONBLOCK)
    cli(*WASP, "--count", 5, "-o", "boards", "--format", "csv")
    assert os.read(reader, 10**6).count(b"\n") == 6
    os.close(reader)
    assert os.listdir() == ["boards"]


def test_a_survey_behind_a_link_is_not_begun(cli):
    Path("elsewhere").mkdir()
    Path("a.csv.partial").symlink_to("elsewhere")
    said = cli(*WASP, "--count", 5, "-o", "a.csv", code=2).stderr
    assert said.startswith("Error: a.csv.partial: a link; ")
    assert os.listdir("elsewhere") == []
    assert sorted(os.listdir()) == ["a.csv.partial", "elsewhere"]


def test_another_list_under_way_is_not_mixed_with_this_one(cli, monkeypatch):
    interrupted(cli, monkeypatch, "-o", "a.csv")
    words = [*WASP, "--count", 5, "--first", 7, "-o", "a.csv"]
    told = cli(*words, code=2).stderr
    assert "a.csv.partial holds another run: its first seed is 0, not 7" in told
    assert os.listdir() == ["a.csv.partial"]


@pytest.mark.parametrize("place", [("-o", "a.csv"), ("--run", "a", "-o", "a.csv")])
def test_fewer_boards_than_a_list_under_way_are_refused(cli, monkeypatch, place):
    interrupted(cli, monkeypatch, *place)
    (held,) = os.listdir()
    told = cli(*WASP, "--count", 5, *place, code=2).stderr
    assert told == (
        f"Error: {held} holds a list of 3,000 boards that is not finished: "
        f"go on with --count 3000, name another place, or remove {held}\n"
    )
    assert os.listdir() == [held]
    assert "until won=3000" in cli("status", held).stdout


def test_fewer_boards_than_a_finished_list_are_there_at_once(cli):
    cli(*WASP, "--count", 120, "--run", "run", "-o", "many.csv")
    parts = sorted(os.listdir("run"))
    cli(*WASP, "--count", 20, "--run", "run", "-o", "few.csv")
    assert sorted(os.listdir("run")) == parts
    lines = Path("many.csv").read_text().splitlines()
    assert Path("few.csv").read_text().splitlines() == lines[:21]


def test_a_run_by_the_same_rule(cli):
    told = cli(
        *("run", "-g", "wasp", "--deals", "0:1k", "--budget", "5k", "--workers", 1),
        *("--until", "won=90", "-o", "a"),
    ).stderr
    assert "wasp: won=90 is reached by 118 deals: 98 are won" in told
    short = ("run", "-g", "wasp", "--deals", "0:50", "--budget", "5k", "--workers", 1)
    assert (
        "won=90 is not reached by 50 deals: 4" in cli(*short, "--until", "won=90", "-o", "b").stderr
    )
    cli("report", "a", "-o", "a.html")
    assert "--until won=90" in Path("a.html").read_text()
