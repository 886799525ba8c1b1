from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from solstat.errors import SolstatError, UsageError
from solstat.survey import summary as summaries
from solstat.survey.executors import Executor
from solstat.survey.plan import Plan
from solstat.survey.reader import counts, open_run
from solstat.survey.run import run_survey
from solstat.survey.summary import read_summaries, summary, to_json


@pytest.fixture
def directory(plan: Plan, tmp_path: Path, inline: Callable[[int], Executor]) -> Path:
    """A finished run."""
    run_survey([plan], tmp_path / "run", workers=1, executor=inline)
    return tmp_path / "run"


def test_a_summary_says_what_the_rows_say(directory: Path) -> None:
    made = open_run(directory)
    found = summary(made)
    rows = list(made.rows())
    assert found.counts == counts(made)
    assert found.counts.won > 0
    assert found.counts.unsettled > 0
    assert found.positions == sum(row["positions"] for row in rows)
    for outcome in ("won", "lost", "unsettled", "error"):
        assert found.seeds[outcome] == [row["seed"] for row in rows if row["outcome"] == outcome]


def test_seeds_of_what_is_not_rare_are_left_out(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won = summary(open_run(directory)).counts.won
    monkeypatch.setattr(summaries, "RARE", won - 1)
    assert "won" not in summary(open_run(directory)).seeds
    monkeypatch.setattr(summaries, "RARE", won)
    assert len(summary(open_run(directory)).seeds["won"]) == won


def test_a_file_gives_back_what_was_written(directory: Path, tmp_path: Path) -> None:
    found = summary(open_run(directory))
    path = tmp_path / "summary.json"
    path.write_text(to_json([found]))
    assert read_summaries(path) == [found]
    path.write_text(to_json([found, found]))
    with pytest.raises(SolstatError, match="two summaries of one run"):
        read_summaries(path)
    path.write_text(to_json([]))
    assert read_summaries(path) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: made.update(version=2), "version 2"),
        (lambda made: made.pop("lost"), "damaged .KeyError"),
        (lambda made: made.update(won=1001), "seeds are of"),
        (lambda made: made.update(lost=made["lost"] + 1), "other seeds than so many"),
        (lambda made: made.update(won=-1), "won is -1"),
        (lambda made: made.update(won=3.5), "won is 3.5"),
        (lambda made: made.update(won="3"), "won is '3'"),
        (lambda made: made["seeds"].update(lost=7), "other seeds than so many"),
        (lambda made: made.pop("seeds"), "damaged .KeyError"),
        (
            lambda made: (made.update(error=1), made["seeds"].update(error=["7"])),
            "101 outcomes of 100 deals",
        ),
        (
            lambda made: made["run"]["identity"].update(rules="chess"),
            "damaged .UsageError: unknown game .chess",
        ),
        (lambda made: made["run"].update(budget="many"), "damaged .TypeError"),
    ],
)
def test_what_is_no_summary_is_refused(
    directory: Path, tmp_path: Path, change: object, message: str
) -> None:
    assert callable(change)
    (made,) = json.loads(to_json([summary(open_run(directory))]))
    change(made)
    path = tmp_path / "summary.json"
    path.write_text(json.dumps([made]))
    with pytest.raises(SolstatError, match=message):
        read_summaries(path)


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[" * 100_000])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "summary.json"
    path.write_text(text)
    with pytest.raises(SolstatError, match=r"summary\.json: "):
        read_summaries(path)
    with pytest.raises(UsageError, match="no such file"):
        read_summaries(tmp_path / "none.json")
