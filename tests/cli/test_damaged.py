"""Directories of several runs, some of them damaged: the others are not hidden by them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from solstat.deals import SeedRange
from solstat.games import rules
from solstat.survey.plan import Plan
from solstat.survey.run import run_survey

SOUND = ("a", "d/wasp")


@pytest.fixture
def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sound runs, one whose record is damaged, and one whose rows are."""
    monkeypatch.chdir(tmp_path)
    for name, first in {"a": 0, "d/wasp": 9, "b": 18, "c": 27}.items():
        plan = Plan(rules("wasp"), SeedRange(first, first + 9), 300, "solstat")
        run_survey([plan], Path("runs", name), workers=1)
    Path("runs/b/run.json").write_text("{")
    (part,) = Path("runs/c").glob("part-*.parquet")
    part.write_bytes(part.read_bytes()[:-1])
    return tmp_path


PASSED_OVER = ["passed over: runs/b/run.json: damaged", "passed over: runs/c/part-"]


@pytest.mark.parametrize(
    "words", [["status"], ["stats"], ["stats", "--by", "rules"], ["stats", "--by", "stage"]]
)
class TestOthersAreShown:
    def test_as_text(self, several: Path, cli, words: list[str]) -> None:
        done = cli(*words, "runs", code=1)
        lines = done.stderr.splitlines()
        assert [line[: len(start)] for line, start in zip(lines, PASSED_OVER, strict=True)] == (
            PASSED_OVER
        )
        for name in SOUND:
            assert f"runs/{name}" in done.stdout
        assert "runs/b" not in done.stdout

    def test_as_json(self, several: Path, cli, words: list[str]) -> None:
        found = json.loads(cli(*words, "runs", "--json", code=1).stdout)
        text = json.dumps(found)
        assert "runs/a" in text
        assert "runs/c" not in text

    def test_one_alone_is_not_passed_over(self, several: Path, cli, words: list[str]) -> None:
        done = cli(*words, "runs/b", code=1)
        assert done.stderr.startswith("Error: runs/b/run.json: damaged")
        assert done.stdout == ""

    def test_nothing_is_left(self, several: Path, cli, words: list[str]) -> None:
        done = cli(*words, "runs/b", "runs/c", code=1)
        assert done.stdout == ""
        assert json.loads(cli(*words, "runs/b", "runs/c", "--json", code=1).stdout) == []


class TestDoctor:
    def test_finds_and_mends(self, several: Path, cli) -> None:
        first = cli("doctor", "runs", code=1).stdout
        assert "runs/a: sound, 9 of 9 deals stored\n" in first
        assert "\n  run.json: damaged, it is no JSON: --fix writes it as the parts say\n" in first
        assert "moves it to _damaged, and the command that made the run solves its deals" in first
        mended = cli("doctor", "runs", "--fix", code=1).stdout
        assert "  run.json: damaged, it is no JSON: written as the parts say\n" in mended
        assert ": moved to _damaged\n" in mended
        words = ["run", "-g", "wasp", "--budget", "300", "--workers", "1"]
        for name, deals in {"b": "18:27", "c": "27:36"}.items():
            cli(*words, "--deals", deals, "-o", f"runs/{name}")
        assert cli("doctor", "runs").stdout.count("sound, 9 of 9 deals stored") == 4
        shown = cli("stats", "runs").stdout
        assert shown.count("runs/") == 4

    def test_json(self, several: Path, cli) -> None:
        found = json.loads(cli("doctor", "runs/a", "runs/c", "--json", code=1).stdout)
        assert found[0] == {
            "run": "runs/a",
            "at_work": False,
            "planned": 9,
            "stored": 9,
            "problems": [],
            "sound": True,
        }
        assert [each["file"][:8] for each in found[1]["problems"]] == ["part-000", "run.json"]
        assert not found[1]["sound"]

    def test_a_record_that_is_gone(self, several: Path, cli) -> None:
        Path("runs/a/run.json").unlink()
        assert "runs/a" not in cli("status", "runs", code=1).stdout
        assert cli("doctor", "runs/a", "--fix").stdout.startswith("runs/a: 1 problem, 9 of 9")
        assert "runs/a: wasp, budget 300, interrupted" in cli("status", "runs", code=1).stdout

    @pytest.mark.parametrize("what", ["none", "runs/b/run.json"])
    def test_no_run(self, several: Path, cli: Callable, what: str) -> None:
        assert cli("doctor", what, code=2).stderr.startswith(f"Error: {what}: ")

    def test_a_run_that_is_not_whole(self, several: Path, cli) -> None:
        """Nor is one whose rule to stop by is none."""
        next(Path("runs/a").glob("part-*")).unlink()
        said = json.loads(Path("runs/a/run.json").read_text())
        Path("runs/a/run.json").write_text(json.dumps(said | {"state": "interrupted"}))
        assert cli("doctor", "runs/a").stdout == (
            "runs/a: sound as far as it goes, 0 of 9 deals stored\n"
        )
        said = json.loads(Path("runs/d/wasp/run.json").read_text())
        Path("runs/d/wasp/run.json").write_text(json.dumps(said | {"until": "zzz"}))
        assert "run.json: until 'zzz': write half-width" in cli("doctor", "runs/d", code=1).stdout
        cli("doctor", "runs/d", "--fix")
        assert json.loads(Path("runs/d/wasp/run.json").read_text())["until"] is None
