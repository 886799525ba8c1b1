"""Deals searched again, from the command line."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pandas
import pytest

from solstat.errors import Interrupted
from solstat.survey.executors import Processes

TWO_RULES = """
deals = "0:20"
budget = "50"

[[rules]]
game = "wasp"

[[rules]]
game = "wasp"
face_down_piles = 3
"""


def rows(directory: str) -> pandas.DataFrame:
    return pandas.concat(map(pandas.read_parquet, sorted(Path(directory).glob("*.parquet"))))


class TestRetry:
    RUN = ("run", "-g", "wasp", "--deals", "0:100", "--workers", 1)

    @staticmethod
    def found(cli, path):
        (figures,) = json.loads(cli("stats", path, "--json").stdout)
        return figures

    def test_unsettled_ones_with_more(self, cli):
        cli(*self.RUN, "--budget", 50, "-o", "a")
        before = rows("a")
        told = cli("run", "--retry", "unsettled", "--budget", "3k", "-o", "a", "--workers", 1)
        assert "unsettled again with 3k: " in told.stderr
        cli(*self.RUN, "--budget", "3k", "-o", "b")
        for name in ("n", "won", "lost", "unsettled", "budget"):
            assert self.found(cli, "a")[name] == self.found(cli, "b")[name]
        was_open = before["outcome"] == "unsettled"
        assert (rows("a")["attempt"] == 1 + was_open).all()
        assert "budget 3k, finished" in cli("status", "a").stdout
        earlier = cli("export", "a", "--attempts").stdout.splitlines()
        assert len(earlier) == 1 + 100 + was_open.sum()
        assert len(cli("export", "a").stdout.splitlines()) == 1 + 100
        listed = cli("export", "a", "--attempts", "--format", "jsonl").stdout.splitlines()
        assert [json.loads(line)["attempt"] for line in listed[100:]] == [1] * was_open.sum()

    def test_the_command_of_the_run_with_the_option_added(self, cli):
        cli(*self.RUN, "--budget", 50, "-o", "a")
        cli(*self.RUN, "--budget", "400", "--retry", "unsettled", "-o", "a")
        assert self.found(cli, "a")["budget"] == 400
        cli(*self.RUN, "--budget", "400", "--retry", "errors", "-o", "a")
        told = cli(*self.RUN, "--budget", "50", "--retry", "unsettled", "-o", "a", code=2).stderr
        assert told == (
            "Error: a: its open deals were searched with 400 each: they need more, "
            "such as --budget 4k\n"
        )

    def test_all_runs_of_a_config(self, cli):
        Path("two.toml").write_text(TWO_RULES)
        cli("run", "two.toml", "--workers", 1)
        cli("run", "two.toml", "--workers", 1, "--retry", "unsettled", "--budget", "400,1k")
        cli("run", "--workers", 1, "--retry", "unsettled", "--budget", "2k", "-o", "runs/two")
        listed = json.loads(cli("stats", "runs/two", "--json").stdout)
        assert [each["budget"] for each in listed] == [2000, 2000]

    def test_of_several_runs_those_with_nothing_to_do_are_passed_over(self, cli):
        for name, budget in (("a", "50"), ("b", "400"), ("c", "40k")):
            cli(*self.RUN, "--budget", budget, "-o", f"all/{name}")
        words = ("run", "--workers", 1, "--retry", "unsettled")
        told = cli(*words, "--budget", "100", "-o", "all")
        assert "all/b: nothing to do there" in told.stderr
        assert told.stdout.count("wasp") == 1
        assert [self.found(cli, f"all/{name}")["budget"] for name in "abc"] == [100, 400, 40_000]
        refused = cli(*words, "--budget", "100", "-o", "all/b", code=2).stderr
        assert "its open deals were searched with 400 each" in refused
        assert "no deals are open" in cli(*words, "-o", "all/c").stderr

    def test_budgets_in_steps(self, cli):
        Path("steps.toml").write_text(
            'game = "wasp"\ndeals = "0:100"\nbudgets = [50, "400", "3k"]\nworkers = 1\n'
        )
        first = cli("run", "steps.toml")
        assert "unsettled again with 400" in first.stderr
        assert "unsettled again with 3k" in first.stderr
        again = cli("run", "steps.toml")
        assert again.stdout == first.stdout
        assert "all 100 deals were there already" in again.stderr
        cli(*self.RUN, "--budget", "50,400,3k", "-o", "b")
        same = [name for name in rows("b") if name != "seconds"]
        pandas.testing.assert_frame_equal(rows("runs/steps")[same], rows("b")[same])

    def test_the_report_says_how_to_redo_it(self, cli):
        cli(*self.RUN, "--budget", "50,4k", "-o", "a")
        cli("report", "a", "-o", "a.html")
        assert "--budget 50,4k " in Path("a.html").read_text()

    def test_a_run_that_was_stopped_early_keeps_its_interval(self, cli):
        words = ("run", "-g", "wasp", "--deals", "0:9k", "--budget", 70, "--workers", 1)
        cli(*words, "--until", "half-width=15%", "-o", "a")
        n = self.found(cli, "a")["n"]
        told = cli("run", "--retry", "unsettled", "--budget", "3k", "-o", "a", "--json").stdout
        assert [(each["n"], each["interval"]) for each in json.loads(told)] == [(n, "sequence")]
        assert json.loads(cli("status", "a", "--json").stdout)[0]["most"] == 9000

    def test_verify_sees_no_difference(self, cli):
        cli(*self.RUN, "--budget", "50,4k", "-o", "a")
        assert "0 with other results" in cli("verify", "a", "--sample", "100%").stdout

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--retry", "unsettled", "--budget", "5k"], "name the run"),
            (["--retry", "unsettled", "--budget", "5k", "-o", "none"], "none: no run here"),
            (["--retry", "all", "-o", "a"], "'all' is not one of"),
            (["--retry", "errors", "--deals", "0:5", "-o", "a"], "leave out --deals"),
            (["--retry", "errors", "--search", "full", "-o", "a"], "leave out --search"),
            (["--retry", "errors", "--until", "half-width=9%", "-o", "a"], "--until"),
            (["--retry", "unsettled", "-o", "a"], "they need more"),
            (["--retry", "unsettled", "--budget", "9k,5k", "-o", "a"], "above the one before"),
            (["--retry", "unsettled", "--budget", "1,500", "-o", "a"], "write 1500 without commas"),
            (["-g", "wasp", "--deals", "0:5", "--retry", "errors", "-o", "a"], "holds a run of"),
            (["-g", "scorpion", "--deals", "0:9", "--retry", "errors", "-o", "a"], "its rules"),
            (
                ["-g", "wasp", "--deals", "0:9", "--budget", "1k,2k", "--until", "half-width=9%"]
                + ["-o", "b"],
                "until 'half-width=9%' with several budgets: use one",
            ),
        ],
    )
    def test_refused(self, cli, arguments, says):
        cli("run", "-g", "wasp", "--deals", "0:9", "--budget", "50", "--workers", 1, "-o", "a")
        before = {path: path.stat().st_mtime_ns for path in Path("a").rglob("part-*")}
        told = cli("run", *arguments, code=2).stderr
        assert told.count("\n") == 1
        assert says in told
        assert {path: path.stat().st_mtime_ns for path in Path("a").rglob("part-*")} == before

    def test_interrupted_says_how_to_go_on(self, cli, monkeypatch):
        cli(*self.RUN, "--budget", 50, "-o", "a")
        wait = Processes.wait

        def interrupt(self, seconds):
            os.kill(os.getpid(), signal.SIGINT)
            return wait(self, seconds)

        words = ["run", "--retry", "unsettled", "--budget", "3k", "-o", "a", "--workers", "1"]
        with monkeypatch.context() as patch:
            patch.setattr(Processes, "wait", interrupt)
            told = cli(*words, code=Interrupted.exit_code).stderr
        assert told.rstrip().endswith("solstat " + " ".join(words))
        assert "  unsettled again with 3k: " in cli("status", "a").stdout
        found = json.loads(cli("status", "a", "--json").stdout)[0]["again"]
        assert found["deals"] > found["done"] > 0
        cli(*words)
        assert json.loads(cli("status", "a", "--json").stdout)[0]["again"] is None
