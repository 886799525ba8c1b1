from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import duckdb
import pandas
import pytest

from solstat import solver
from solstat.errors import Interrupted
from solstat.survey.executors import Processes

TWO_RULES = """
deals = "0:20"
budget = "5k"

[[rules]]
game = "wasp"

[[rules]]
game = "wasp"
face_down_piles = 3
"""


def rows(directory: str) -> pandas.DataFrame:
    return pandas.concat(map(pandas.read_parquet, sorted(Path(directory).glob("*.parquet"))))


def test_flags_make_a_run_and_tell_how_to_read_it(cli):
    result = cli(
        *("run", "-g", "wasp", "--deals", "5:25", "--budget", "5k", "--workers", 1, "-o", "runs/a")
    )
    assert rows("runs/a")["seed"].tolist() == [str(seed) for seed in range(5, 25)]
    assert set(rows("runs/a")["budget"]) == {5000}
    assert result.stdout == cli("stats", "runs/a").stdout
    assert "runs/a/*.parquet" in result.stderr


def test_json_is_that_of_stats(cli):
    made = cli(
        *("run", "-g", "wasp", "--deals", "0:20", "--budget", "5k", "--workers", 1),
        *("-o", "a", "--json"),
    )
    assert json.loads(made.stdout) == json.loads(cli("stats", "a", "--json").stdout)


def test_a_config_of_several_rules(cli):
    Path("two.toml").write_text(TWO_RULES)
    cli("run", "two.toml", "--workers", 1)
    listed = json.loads(cli("stats", "runs/two", "--json").stdout)
    assert [each["rules"] for each in listed] == ["wasp", "wasp(face_down_piles=3)"]
    assert [each["n"] for each in listed] == [20, 20]


def test_how_to_read_the_rows_is_said_once_and_not_with_json(cli):
    Path("two.toml").write_text(TWO_RULES)
    told = cli("run", "two.toml", "--workers", 1).stderr
    assert told.count("The rows are in runs/two,") == told.count("The rows are in") == 1
    assert "runs/two/*/*.parquet" in told
    assert "The rows are in" not in cli("run", "two.toml", "--json").stderr


@pytest.mark.parametrize("name", ["a", "it's [a] run?", "100%*"])
def test_how_to_read_the_rows_can_be_pasted(cli, name):
    told = cli(
        *("run", "-g", "wasp", "--deals", "0:5", "--budget", "5k", "--workers", 1, "-o", name)
    ).stderr
    python = re.search("^  pandas  (import glob, pandas; )(.*)$", told, re.MULTILINE)
    exec(python[1])
    assert len(eval(python[2])) == 5
    query = re.search("^  DuckDB  (.*)$", told, re.MULTILINE)[1]
    assert sum(count for _, count in duckdb.sql(query).fetchall()) == 5


def test_a_table_can_be_added_to_a_config_of_one(cli):
    Path("two.toml").write_text(TWO_RULES.rpartition("[[rules]]")[0])
    cli("run", "two.toml", "--workers", 1)
    before = rows("runs/two/wasp")
    Path("two.toml").write_text(TWO_RULES)
    cli("run", "two.toml", "--workers", 1)
    pandas.testing.assert_frame_equal(rows("runs/two/wasp"), before)
    assert len(json.loads(cli("stats", "runs/two", "--json").stdout)) == 2


def test_flags_override_the_config(cli):
    Path("two.toml").write_text(TWO_RULES)
    cli(
        *("run", "two.toml", "-g", "wasp", "-r", "face_down_piles=2", "--deals", "0:3"),
        *("--budget", "2k", "--no-lines", "--search", "plain", "--workers", 1, "-o", "mine"),
    )
    found = rows("mine")
    assert set(found["rules"]) == {"wasp(face_down_piles=2)"}
    assert set(found["budget"]) == {2000}
    assert set(found["search"]) == {"plain"}
    assert found["line"].isna().all()
    assert len(found) == 3


def test_the_same_command_again_changes_nothing_and_a_longer_one_adds(cli):
    command = ["run", "-g", "wasp", "--budget", "5k", "--workers", 1, "-o", "a", "--deals"]
    cli(*command, "0:20")
    first = rows("a")
    cli(*command, "0:20")
    pandas.testing.assert_frame_equal(rows("a"), first)
    cli(*command, "0:30")
    assert rows("a")["index"].tolist() == list(range(30))
    pandas.testing.assert_frame_equal(rows("a")[:20], first)


def test_deals_of_standard_input(cli):
    deals = "".join(cli("deal", "wasp", seed).stdout for seed in (7, 9))
    cli(
        *("run", "-g", "wasp", "--deals-file", "-", "--budget", "5k", "--workers", 1, "-o", "a"),
        stdin=deals,
    )
    assert rows("a")["seed"].tolist() == ["7", "9"]
    assert set(rows("a")["scheme"]) == {"file"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--deals", "0:2", "--budget", "5k", "-o", "a"], "-g wasp"),
        (["-g", "wasp", "--deals", "0:2", "--budget", "5k"], "-o runs/wasp"),
        (["-g", "wasp", "--deals", "0:2", "-o", "a"], "budget"),
        (["-g", "wasp", "--budget", "5k", "-o", "a"], "0:563"),
        ([], "name a CONFIG, or give options like -g wasp, --deals 0:563"),
        (["-g", "wasp"], "--deals-file FILE), --budget 250k, -o runs/wasp"),
        (["-g", "wasp", "--deals", "0:2", "--budget", "5k", "-o", "two.toml"], "is a file"),
        (["two.toml", "-r", "face_down_piles=3"], "stand in its [[rules]] tables"),
        (["-g", "wasp", "--deals", "2:2", "--budget", "5k", "-o", "a"], "first:last"),
        (["-g", "wasp", "--deals", "0:2", "--budget", "5k", "-o", "a", "--workers", "0"], "0"),
        (["-g", "wasp", "--deals-file", "none.txt", "--budget", "5k", "-o", "a"], "none.txt"),
        (["-r", "face_down_piles=3", "two.toml"], "-g"),
        (["none.toml"], "none.toml"),
        (["wrong.toml"], "budget"),
    ],
)
def test_usage_errors_write_nothing(cli, arguments, says):
    Path("two.toml").write_text(TWO_RULES)
    Path("wrong.toml").write_text('game = "wasp"\ndeals = "0:2"\nbudgte = "5k"\n')
    result = cli("run", *arguments, code=2)
    assert result.stderr.count("\n") == 1
    assert says in result.stderr
    assert sorted(os.listdir()) == ["two.toml", "wrong.toml"]


def test_another_survey_in_the_directory_is_refused(cli):
    command = ["run", "-g", "wasp", "--deals", "0:3", "--workers", 1, "-o", "a", "--budget"]
    cli(*command, "5k")
    result = cli(*command, "6k", code=2)
    assert "5k" in result.stderr
    assert "6k" in result.stderr
    assert "stats" not in result.stderr


def test_what_is_there_already_is_not_refused_without_advice(cli):
    command = ["run", "-g", "wasp", "--workers", 1, "-o", "a"]
    cli(*command, "--deals", "0:5", "--budget", "5k")
    lower = cli(*command, "--deals", "0:5", "--budget", "1k", code=2)
    assert lower.stderr.endswith("or see the figures at 1k: solstat stats RUN --budget 1k\n")
    fewer = cli(*command, "--deals", "0:3", "--budget", "5k", code=2)
    assert "ask for 5 or more to go on with it, or use another directory" in fewer.stderr


def test_deals_that_are_errors_make_the_exit_code_3(cli, monkeypatch):
    solve_many = solver.solve_many

    def one_error(*arguments, **options):
        batch = solve_many(*arguments, **options)
        batch.outcome[0] = solver.OUTCOMES.index("error")
        return batch

    monkeypatch.setattr(solver, "solve_many", one_error)
    result = cli(
        *("run", "-g", "wasp", "--deals", "0:3", "--budget", "5k", "--workers", 1, "-o", "a"),
        code=3,
    )
    assert "error" in result.stdout


def test_interrupted_says_how_to_go_on(cli, monkeypatch):
    wait = Processes.wait

    def interrupt(self, seconds):
        os.kill(os.getpid(), signal.SIGINT)
        return wait(self, seconds)

    monkeypatch.setattr(Processes, "wait", interrupt)
    words = ["run", "-g", "wasp", "--deals", "0:5000", "--budget", "5k", "--workers", 1, "-o", "a"]
    result = cli(*words, code=Interrupted.exit_code)
    assert result.stderr.rstrip().endswith("solstat " + " ".join(map(str, words)))
    assert "Traceback" not in result.stderr


class TestUntil:
    RUN = ("run", "-g", "wasp", "--budget", "5k", "--workers", 1, "-o", "a")

    def test_stops_when_the_interval_is_narrow_enough(self, cli):
        result = cli(*self.RUN, "--deals", "0:3k", "--until", "half-width=.08", "--json")
        (found,) = json.loads(result.stdout)
        assert 200 < found["n"] < 1000
        assert found["interval"] == "sequence"
        assert (found["high"] - found["low"]) / 2 <= 0.08
        assert f"half-width=8% is reached by {found['n']} deals: it is 7." in result.stderr
        assert rows("a")["line"].isna().all()
        again = cli(*self.RUN, "--deals", "0:3k", "--until", "half-width=8%", "--json")
        assert again.stdout == result.stdout
        told = cli("status", "a").stdout
        assert ", until half-width=8% or 3,000 deals, finished" in told
        assert f"\n  half-width=8% is reached by {found['n']} deals: it is 7." in told
        (status,) = json.loads(cli("status", "a", "--json").stdout)
        assert status["half_width"] == pytest.approx((found["high"] - found["low"]) / 2)
        assert (status["reached"], status["most"]) == (True, 3000)

    def test_says_why_it_is_not_reached(self, cli):
        told = cli(*self.RUN, "--deals", "0:150", "--until", "half-width=3%").stderr
        assert "half-width=3% is not reached by 150 deals: it is 1" in told
        assert told.count("more deals may help") == 1
        assert "half-width=3% is not reached by 150 deals: it is 1" in cli("status", "a").stdout
        (status,) = json.loads(cli("status", "a", "--json").stdout)
        assert (status["reached"], status["most"]) == (False, 150)
        assert len(rows("a")) == 150

    def test_without_a_rule_status_has_none(self, cli):
        cli(*self.RUN, "--deals", "0:20")
        (status,) = json.loads(cli("status", "a", "--json").stdout)
        assert [status[key] for key in ("until", "most", "half_width", "reached")] == [None] * 4
        assert "half-width" not in cli("status", "a").stdout

    def test_a_run_that_had_none_says_what_becomes_of_its_interval(self, cli):
        cli(*self.RUN, "--deals", "0:120")
        told = cli(*self.RUN, "--deals", "0:150", "--until", "half-width=3%").stderr
        assert told.count("from now on its interval allows for having looked") == 1
        again = cli(*self.RUN, "--deals", "0:160", "--until", "half-width=3%").stderr
        assert "from now on" not in again

    def test_says_that_open_deals_put_it_out_of_reach(self, cli):
        words = ("run", "-g", "wasp", "--budget", 50, "--workers", 1, "-o", "b")
        told = cli(*words, "--deals", "0:300", "--until", "half-width=1%").stderr
        assert "at this budget half-width=1% is out of reach" in told
        assert told.count("deals are open") == 2  # once when it is first seen, once at the end

    def test_by_a_config(self, cli):
        Path("two.toml").write_text('until = "half-width=9%"\n' + TWO_RULES.replace("20", "2k"))
        told = cli("run", "two.toml", "--workers", 1).stderr
        assert len(re.findall(r"half-width=9% is reached by [0-9]+ deals", told)) == 2
        narrower = cli("run", "two.toml", "--workers", 1, "--until", "half-width=8%").stderr
        assert len(re.findall(r"half-width=8% is reached by [0-9]+ deals", narrower)) == 2

    @pytest.mark.parametrize("words", [(), ("--until", "half-width=9%")])
    def test_no_rule_in_a_config(self, cli, words):
        Path("two.toml").write_text('until = "garbage"\n' + TWO_RULES)
        told = cli("run", "two.toml", *words, code=2).stderr
        assert told.startswith("Error: config two.toml: until 'garbage': write half-width=0.5%")
        assert told.count("\n") == 1
        assert os.listdir() == ["two.toml"]

    @pytest.mark.parametrize("rule", ["9%", "half-width=0%", "half-width=x", "errors=0"])
    def test_no_rule(self, cli, rule):
        told = cli(*self.RUN, "--deals", "0:9", "--until", rule, code=2).stderr
        assert told.count("\n") == 1
        assert "write half-width=0.5%" in told
        assert os.listdir() == []


class TestLimits:
    WORDS = ("run", "-g", "wasp", "--deals", "0:20", "--workers", "2", "-o", "w")

    def test_too_little_memory_is_refused_before_anything_is_solved(self, cli) -> None:
        done = cli(*self.WORDS, "--budget", "1M", "--memory", "32M", code=2)
        assert done.stderr == (
            "Error: 2 workers may need 61.1M of memory, and there is 32M (wasp: budget 1M, up to "
            "32 bytes a position): use --workers 1, or --memory 61.1M to run all the same\n"
        )
        cli("status", "w", code=2)
        cli(*self.WORDS, "--budget", "1M", "--memory", "61.1M")

    def test_what_is_done_needs_none(self, cli) -> None:
        cli(*self.WORDS, "--budget", "10k")
        cli(*self.WORDS, "--budget", "10k", "--memory", "1K")

    def test_a_huge_budget(self, cli) -> None:
        done = cli(*self.WORDS, "--budget", 2**63 - 1, code=2)
        assert "use with --workers 1 a budget of at most " in done.stderr

    @pytest.mark.parametrize("size", ["8 G", "much", "0"])
    def test_no_size(self, cli, size: str) -> None:
        done = cli(*self.WORDS, "--budget", "1k", "--memory", size, code=2)
        assert "write a size, like 8G or 512M" in done.stderr


class TestLogs:
    WORDS = ("run", "-g", "wasp", "--deals", "0:300", "--budget", "10k", "--workers", "2")

    def test_quiet(self, cli) -> None:
        done = cli(*self.WORDS, "-q", "-o", "w")
        assert done.stderr == ""
        assert done.stdout.startswith("rules ")

    def test_verbose_and_into_a_file(self, cli) -> None:
        done = cli(*self.WORDS, "-v", "-o", "w", "--log-file", "log")
        cli(*self.WORDS, "-q", "-o", "w", "--log-file", "log")
        lines = Path("log").read_text().splitlines()
        chunks = [re.search(r"DEBUG [0-9]+ deals ([0-9]+)-([0-9]+): ", line) for line in lines]
        found = sorted((int(chunk[1]), int(chunk[2])) for chunk in chunks if chunk)
        assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])]
        assert found[-1][1] == 300
        assert len(found) == done.stderr.count(" deals ") - 1  # the last one says how far it is
        assert lines[-1].endswith(" wasp: all 300 deals were there already")

    def test_both(self, cli) -> None:
        assert "both -v and -q" in cli(*self.WORDS, "-q", "-v", "-o", "w", code=2).stderr

    def test_a_log_that_cannot_be_written(self, cli) -> None:
        done = cli(*self.WORDS, "-o", "w", "--log-file", "none/log", code=1)
        assert (
            done.stderr == "Error: cannot write --log-file 'none/log': No such file or directory\n"
        )
