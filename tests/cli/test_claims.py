"""The commands on published figures: claims, claims check."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from solstat.survey.reader import counts, open_run

ROOT = Path(__file__).parents[2]

COMMON = """\
[common]
game = "wasp"
rules = "wasp"
kind = "floor"
n = 100
budget = "1k"
won = 80
lost = "unknown"
unsettled = "unknown"
share = "unknown"
half_width = "unknown"
printed = "so many of 100"
title = "A page"
publisher = "unknown"
seen = "unknown"
where = "unknown"
comparable = true
survey = "tables"
"""
CLAIMS = """
[[claim]]
id = "wasp"

[[claim]]
id = "scorpion"
game = "scorpion"
rules = "scorpion"
kind = "outcomes"
lost = 20

[[claim]]
id = "alone"
won = 100
survey = "alone"

[[claim]]
id = "people"
kind = "human"
comparable = false
why = "no model of them"
"""
TABLES = 'deals = "0:60"\nbudget = "5k"\n[[rules]]\ngame = "wasp"\n[[rules]]\ngame = "scorpion"\n'
ALONE = 'game = "wasp"\ndeals = "100:150"\nbudget = "2k"\n'


@pytest.fixture
def place(cli: Any, tmp_path: Path) -> Path:
    """A folder with claims, configs and no results."""
    (tmp_path / "configs/claims").mkdir(parents=True)
    (tmp_path / "results").mkdir()
    (tmp_path / "configs/claims/a.toml").write_text(COMMON + CLAIMS)
    (tmp_path / "configs/tables.toml").write_text(TABLES)
    (tmp_path / "configs/alone.toml").write_text(ALONE)
    return tmp_path


def checked(cli: Any, *words: object) -> dict[str, dict[str, Any]]:
    found = json.loads(cli("claims", "check", *words, "--workers", 1, "--json").stdout)
    return {each["id"]: each for each in found}


class TestList:
    def test_json_has_every_field_and_null_where_nothing_is_known(self, cli, place):
        listed = json.loads(cli("claims", "--json").stdout)
        assert [each["id"] for each in listed] == ["wasp", "scorpion", "alone", "people"]
        first = listed[0]
        assert (first["n"], first["won"], first["lost"], first["share"]) == (100, 80, None, None)
        assert (first["budget"], first["publisher"]) == (1000, "unknown")

    def test_text(self, cli, place):
        lines = cli("claims").stdout.splitlines()
        assert len(lines) == 5
        assert lines[2].split("  ")[0] == "scorpion"
        assert "80 won, 20 lost" in lines[2]
        assert lines[2].endswith("A page, publisher unknown")

    def test_those_that_come_with_solstat(self, cli):
        listed = json.loads(cli("claims", "--claims", ROOT / "configs/claims", "--json").stdout)
        assert len(listed) == 73

    def test_a_folder_without_claims(self, cli):
        said = cli("claims", code=2).stderr
        assert said.startswith("Error: no directory configs/claims here: ")
        assert "--claims DIR" in said
        assert "nowhere: no such file" in cli("claims", "--claims", "nowhere", code=2).stderr


class TestCheck:
    def test_what_is_missing_is_done_and_then_there(self, cli, place):
        first = cli("claims", "check", "--all", "--workers", 1)
        assert "tables is to be done: results/tables/wasp: no run there" in first.stderr
        assert "4 claims: " in first.stderr
        again = cli("claims", "check", "--all", "--workers", 1)
        assert again.stdout == first.stdout
        assert "all 60 deals were there already" in again.stderr

    def test_only_what_is_asked_for_is_done(self, cli, place):
        found = checked(cli, "wasp")
        assert list(found) == ["wasp"]
        assert [path.name for path in place.glob("runs/*/*")] == ["wasp"]
        assert list(checked(cli, "people")) == ["people"]
        assert list(checked(cli, "alone", "people", "alone")) == ["alone", "people"]
        assert (place / "runs/alone/run.json").exists()

    def test_verdicts_have_the_numbers_behind_them(self, cli, place):
        found = checked(cli, "--all")
        run = open_run(found["scorpion"]["run"])
        own, at_budget = counts(run), counts(run, 1000)
        scorpion = found["scorpion"]
        assert scorpion["verdict"] == "too high"
        assert scorpion["ours"]["n"] == own.n == 60
        assert scorpion["ours"]["won"] == own.won
        assert scorpion["ours"]["confidence"] == 0.99
        assert scorpion["at_budget"]["lost"] == at_budget.lost
        assert scorpion["won"]["low"] > scorpion["ours"]["high"]
        assert scorpion["lost"]["high"] < scorpion["ours"]["lost_high"]
        assert (found["people"]["verdict"], found["people"]["ours"]) == ("not comparable", None)
        assert found["people"]["run"] is None

    def test_finished_results_are_taken_and_nothing_is_done(self, cli, place):
        before = checked(cli, "--all")
        shutil.move("runs/tables", "results/tables")
        cli("export", "runs/alone", "--format", "summary", "-o", "results/alone.json")
        shutil.rmtree("runs")
        found = checked(cli, "--all")
        assert not Path("runs").exists()
        assert found["wasp"]["run"] == "results/tables/wasp"
        assert found["alone"]["run"] == "results/alone.json"
        assert found["alone"]["at_budget"] is None  # a summary knows its own budget
        for name, each in found.items():
            assert (each["ours"], each["verdict"]) == (
                before[name]["ours"],
                before[name]["verdict"],
            )

    def test_results_of_another_survey_are_not_taken(self, cli, place):
        checked(cli, "alone", "-o", "results")
        config = place / "configs/alone.toml"
        config.write_text(ALONE.replace("150", "160"))
        done = cli("claims", "check", "alone", "--workers", 1)
        assert "alone is to be done: results/alone: finished, 50 deals planned" in done.stderr
        assert counts(open_run("runs/alone")).n == 60
        assert counts(open_run("results/alone")).n == 50

    def test_a_config_with_until_is_refused(self, cli, place):
        (place / "configs/alone.toml").write_text(ALONE + 'until = "half-width=5%"\n')
        said = cli("claims", "check", "alone", code=2).stderr
        assert said.startswith("Error: claim alone: config configs/alone.toml has until: ")
        assert said.count("\n") == 1
        assert not (place / "runs").exists()

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (["--deals", "100:160"], "runs/alone holds a run of 60 deals, 50 are asked for"),
            (["--budget", "1k"], "runs/alone holds another run: its budget is 1k, not 2k"),
        ],
    )
    def test_a_place_that_is_taken_is_named_and_the_way_out(self, cli, place, words, reason):
        cli("run", "configs/alone.toml", *words, "--workers", 1)
        result = cli("claims", "check", "alone", code=2)
        last = result.stderr.splitlines()[-1]
        assert last.startswith(
            f"Error: alone cannot be done in runs: name another place with -o DIR ({reason}"
        )
        assert checked(cli, "alone", "-o", "others")["alone"]["run"] == "others/alone"

    def test_a_summary_is_not_hidden_by_another_run(self, cli, place):
        checked(cli, "alone")
        cli("export", "runs/alone", "--format", "summary", "-o", "results/alone.json")
        cli("run", "configs/alone.toml", "--deals", "0:9", "--workers", 1, "-o", "results/alone")
        assert checked(cli, "alone")["alone"]["run"] == "results/alone.json"

    def test_fresh_leaves_results_alone(self, cli, place):
        before = checked(cli, "--all", "-o", "results")
        after = checked(cli, "--all", "--fresh", "-o", "fresh")
        assert {each["run"] for each in after.values()} == {
            None,
            "fresh/alone",
            "fresh/tables/scorpion",
            "fresh/tables/wasp",
        }
        for name, each in after.items():
            assert each["ours"] == before[name]["ours"]

    def test_without_results_fresh_is_asked_for(self, cli, place):
        (place / "results").rmdir()
        said = cli("claims", "check", "wasp", code=2).stderr
        assert said == "Error: results: no such directory: name --results DIR, or say --fresh\n"
        assert cli("claims", "check", "people").stdout  # which needs none
        assert checked(cli, "wasp", "--fresh")["wasp"]["ours"]["n"] == 60

    def test_deals_that_are_errors_have_a_code(self, cli, place):
        checked(cli, "alone")
        cli("export", "runs/alone", "--format", "summary", "-o", "results/alone.json")
        summary = Path("results/alone.json")
        [survey] = json.loads(summary.read_text())
        survey["error"], survey["won"] = survey["won"], 0
        survey["seeds"] |= {"error": survey["seeds"]["won"], "won": []}
        summary.write_text(json.dumps([survey]))
        result = cli("claims", "check", "alone", "--json", code=3)
        assert json.loads(result.stdout)[0]["ours"]["floor"] == 0

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ([], "name claims like wasp-563, or say --all"),
            (["--all", "wasp"], "name claims like wasp-563, or say --all"),
            (["wsp"], "unknown claim 'wsp': did you mean wasp?"),
            (["wasp", "--claims", "x"], "x: no such file or directory"),
            (["--all", "--al"], "--all"),
        ],
    )
    def test_bad_words_are_refused(self, cli, place, words, said):
        result = cli("claims", "check", *words, code=2)
        assert said in result.stderr
        assert result.stderr.count("\n") == 1

    def test_options_of_check_stand_after_it(self, cli, place):
        assert "stand after it" in cli("claims", "--json", "check", "wasp", code=2).stderr
        assert "Did you mean 'check'" in cli("claims", "chek", code=2).stderr

    def test_help_fits_a_terminal(self, cli):
        assert max(map(len, cli("claims", "check", "--help").stdout.splitlines())) <= 80

    def test_a_bad_claim_is_a_line(self, cli, place):
        (place / "configs/claims/b.toml").write_text(COMMON + '[[claim]]\nid = "b"\nn = -1\n')
        said = cli("claims", "check", "--all", code=2).stderr
        assert said.startswith("Error: configs/claims/b.toml, claim b: n = '-1': write a whole")
        assert said.count("\n") == 1


def test_a_check_that_is_killed_goes_on_and_comes_to_the_same(cli, place):
    (place / "configs/tables.toml").write_text(TABLES.replace("0:60", "0:3000"))
    words = ["claims", "check", "wasp", "scorpion", "--workers", "1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "solstat", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not list(Path("runs").glob("tables/*/part-*")):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    went_on = cli(*words)
    assert "going on: " in went_on.stderr
    straight = json.loads(cli(*words, "-o", "straight").stdout)
    for one, other in zip(json.loads(went_on.stdout), straight, strict=True):
        assert one | {"run": ""} == other | {"run": ""}


def test_every_claim_that_comes_with_solstat_is_answered_from_results(cli, monkeypatch):
    monkeypatch.chdir(ROOT)
    began = time.monotonic()
    result = cli("claims", "check", "--all", "--json")
    assert time.monotonic() - began < 60
    found = json.loads(result.stdout)
    assert len(found) == 73
    assert all(each["run"].startswith("results/") for each in found if each["ours"])
    assert {each["verdict"] for each in found} <= {
        "consistent",
        "too high",
        "too low",
        "not comparable",
    }
