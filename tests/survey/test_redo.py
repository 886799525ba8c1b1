from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from solstat.cli.app import solstat
from solstat.deals import SeedRange
from solstat.games import rules
from solstat.report.redo import redo
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import open_run
from solstat.survey.redo import OUT, account, command, otherwise
from solstat.survey.run import run_survey

WASP = Plan(rules("wasp"), SeedRange(0, 20), 300, "solstat")
PLANS = {
    "seeds": WASP,
    "rules": replace(WASP, rules=rules("wasp", face_down_piles=3, empty_pile="king")),
    "plain, without lines": replace(WASP, search="plain", lines=False),
    "boards": replace(WASP, deals=SeedRange(31_990, 32_010), scheme="pysol"),
    "boards of Microsoft": replace(WASP, deals=SeedRange(5, 25, "ms"), scheme="pysol"),
    "far seeds": replace(WASP, deals=SeedRange(2**64 - 20, 2**64)),
    "another family": replace(WASP, rules=rules("will-o-the-wisp"), budget=2500),
}


@pytest.fixture
def again(tmp_path: Path, monkeypatch, content) -> Callable[[Path], list[dict[str, Any]]]:
    """What a stranger gets who runs the command, in another folder."""

    def run(path: Path) -> list[dict[str, Any]]:
        monkeypatch.chdir(tmp_path)
        words = shlex.split(command(open_run(path)))
        assert words[0] == "solstat"
        result = CliRunner().invoke(solstat, [*words[1:], "--workers", "1"])
        assert result.exit_code == 0, result.output
        return content(tmp_path / OUT)

    return run


@pytest.mark.parametrize("name", PLANS)
def test_the_command_makes_the_same_rows(tmp_path: Path, inline, content, again, name: str) -> None:
    (path,) = run_survey([PLANS[name]], tmp_path / "run", workers=1, executor=inline)
    assert again(path) == content(path)


def test_the_deals_of_a_file(tmp_path: Path, file_plan: Plan, inline, content, again) -> None:
    (path,) = run_survey([file_plan], tmp_path / "run", workers=1, executor=inline)
    assert again(path) == content(path)
    assert f"sha256 of its deals: {file_plan.deals_sha256(30)}" in account(open_run(path))


def test_a_run_that_went_on_in_steps(tmp_path: Path, inline, content, again) -> None:
    """What was searched at once before has other steps, and it says of how many rows."""
    small = replace(WASP, deals=SeedRange(0, 12))
    run_survey([small], tmp_path / "run", workers=1, executor=inline)
    steps = replace(WASP, budget=60, again=(Again("unsettled", 300),))
    (path,) = run_survey([steps], tmp_path / "run", workers=1, executor=inline)
    run, made = open_run(path), again(path)
    differing = [(a, b) for a, b in zip(made, content(path), strict=True) if a != b]
    assert otherwise(run) == len(differing) > 1
    for a, b in differing:
        assert {name for name in a if a[name] != b[name]} <= {"budget", "attempt"}
    assert f"of {len(differing)} rows: these deals were searched in other" in account(run)[2]
    assert otherwise(open_run(tmp_path / OUT)) == 0
    assert f"attempt of {len(differing)} rows will be others" in redo(run, 20).what


def test_a_run_that_a_rule_has_stopped(tmp_path: Path, inline, content, again) -> None:
    plan = replace(WASP, deals=SeedRange(0, 10_000), until="half-width=20%", lines=False)
    (path,) = run_survey(
        [plan], tmp_path / "run", workers=1, executor=inline, stop=lambda counts: counts.n > 100
    )
    assert " --deals 0:110 " in command(open_run(path))
    assert again(path) == content(path)


class TestAccount:
    def test_says_all_that_is_known(self, tmp_path: Path, plan, longer, inline) -> None:
        for count in (10, 20):
            run_survey(
                [longer(plan, count)],
                tmp_path,
                workers=1,
                executor=inline,
                command=["/opt/solstat", "run", "a b.toml"],
            )
        lines = account(open_run(tmp_path))
        assert lines[0].startswith("search full, search version ")
        assert [" ".join(line.split()[2:]) for line in lines if line.startswith("started")] == [
            f"for {entry['seconds']:,.1f} s, with {stored} stored, workers 1"
            for entry, stored in zip(open_run(tmp_path).record.history, (0, 10), strict=True)
        ]
        assert lines.count("  command: solstat run 'a b.toml'") == 2
        for start in ("  versions: python 3.", "  machine: "):
            assert sum(line.startswith(start) for line in lines) == 2

    def test_leaves_out_what_is_not(self, tmp_path: Path, plan, inline) -> None:
        (path,) = run_survey([plan], tmp_path, workers=1, executor=inline)
        run = open_run(path)
        entry = {"started": "2026-01-01T00:00:00+00:00", "seconds": None, "stored_before": 7}
        odd = {"versions": [], "machine": {"cpu": None, "cores": 2, "memory_bytes": "x"}}
        history = (entry, entry | odd | {"commit": "abc+"})
        replace(run.record, history=history).save(path)
        assert account(open_run(path))[2:] == [
            "started 2026-01-01T00:00:00+00:00, with 7 stored",
            "started 2026-01-01T00:00:00+00:00, with 7 stored",
            "  commit: abc, with files changed since",
            "  machine: 2 cores",
        ]
