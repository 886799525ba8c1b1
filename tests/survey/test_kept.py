from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solstat.errors import SolstatError, UsageError
from solstat.games import parse_rules
from solstat.survey.config import Settings
from solstat.survey.kept import Kept, kept
from solstat.survey.plan import Plan
from solstat.survey.reader import counts, open_run
from solstat.survey.record import Record
from solstat.survey.run import run_survey
from solstat.survey.summary import summary, to_json

RULES = parse_rules("wasp(face_down_piles=3)")


def plan(**changes: Any) -> Plan:
    settings = Settings(rules=(RULES,), deals="0:40", budget=2000, lines=False)
    [made] = replace(settings, **changes).plans()
    return made


def found(asked: Plan, top: Path, apart: bool = False) -> Kept:
    return kept(asked, "small", top, apart=apart)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    run_survey([plan()], tmp_path / "small", workers=1)
    return tmp_path


@pytest.fixture
def summaries(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("summaries")
    (top / "small.json").write_text(to_json([summary(open_run(results / "small"))]))
    return top


def test_rows_are_found(results: Path) -> None:
    survey = found(plan(), results)
    assert survey.path == results / "small"
    assert survey.counts() == counts(open_run(results / "small"))
    assert survey.counts(100) == counts(open_run(results / "small"), 100)


def test_lines_do_not_matter_unless_they_are_asked_for(results: Path) -> None:
    assert found(plan(lines=None), results).path == results / "small"
    with pytest.raises(UsageError, match="its lines are off, not on"):
        found(plan(lines=True), results)


def test_several_rules_have_directories_of_their_own(results: Path) -> None:
    directory = results / "small" / "wasp-face_down_piles-3"
    with pytest.raises(UsageError, match=f"{directory}: no run there, and no summary"):
        found(plan(), results, apart=True)
    run_survey([plan()], results / "tables", apart=True, workers=1)
    assert kept(plan(), "tables", results, apart=True).counts().n == 40


def test_a_summary_is_found_and_knows_its_own_budget(results: Path, summaries: Path) -> None:
    survey = found(plan(), summaries)
    assert survey.path == summaries / "small.json"
    assert survey.counts() == survey.counts(2000) == found(plan(), results).counts()
    with pytest.raises(UsageError, match="knows its own budget only"):
        survey.counts(100)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": 3000}, "its budget is 2k, not 3k"),
        ({"deals": "0:50"}, "finished, 40 deals planned, and 50 are asked for"),
        ({"deals": "0:30"}, "a run of 40 deals, 30 are asked for"),
        ({"deals": "1:41"}, "its first seed is 0, not 1"),
        ({"search": "plain"}, "its search is full, not plain"),
    ],
)
@pytest.mark.parametrize("what", ["results", "summaries"])
def test_other_surveys_are_named(
    what: str, changes: dict[str, object], message: str, request: pytest.FixtureRequest
) -> None:
    top: Path = request.getfixturevalue(what)
    with pytest.raises(UsageError, match=message) as refused:
        found(plan(**changes), top)
    assert str(refused.value).startswith(str(top))


def test_another_search_version_is_another_survey(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solstat.solver.search_version", lambda family: 99)
    with pytest.raises(UsageError, match="its search version is [0-9]+, not 99"):
        found(plan(), results)


def test_other_rules_are_not_in_a_summary(summaries: Path) -> None:
    with pytest.raises(UsageError, match="no summary of scorpion in it"):
        found(plan(rules=(parse_rules("scorpion"),)), summaries)


def test_of_a_directory_and_a_summary_the_one_that_is_asked_for_counts(
    results: Path, summaries: Path
) -> None:
    run_survey([plan(deals="0:50")], summaries / "small", workers=1)
    assert found(plan(), summaries).path == summaries / "small.json"
    assert found(plan(deals="0:50"), summaries).path == summaries / "small"
    with pytest.raises(UsageError) as refused:
        found(plan(deals="0:60"), summaries)
    assert str(refused.value) == (
        f"{summaries}/small: finished, 50 deals planned, and 60 are asked for; "
        f"{summaries}/small.json: finished, 40 deals planned, and 60 are asked for"
    )
    shutil.copy(summaries / "small.json", results / "small.json")
    assert found(plan(), results).path == results / "small"  # with rows, it says more


def test_what_is_not_finished_is_not_kept(results: Path) -> None:
    directory = results / "small"
    record = Record.load(directory)
    replace(record, state="interrupted").save(directory)
    with pytest.raises(UsageError, match="interrupted, 40 deals planned"):
        found(plan(), results)
    record.save(directory)
    for part in directory.glob("part-*"):
        part.unlink()
    with pytest.raises(UsageError, match="0 of 40 deals are there"):
        found(plan(), results)


def test_a_summary_of_a_part_is_not_kept(summaries: Path) -> None:
    path = summaries / "small.json"
    made = json.loads(path.read_text())
    for each in made:
        each["won"], each["seeds"]["won"] = 0, []
    path.write_text(json.dumps(made))
    with pytest.raises(UsageError, match="of 40 deals are in it"):
        found(plan(), summaries)


def test_damage_is_said(results: Path) -> None:
    (results / "small" / "run.json").write_text("{")
    with pytest.raises(SolstatError, match="damaged"):
        found(plan(), results)
