from __future__ import annotations

import pyarrow as pa
import pytest

from solstat.deals import SeedRange
from solstat.games import rules
from solstat.stats.stages import by_stage
from solstat.survey.plan import Plan
from solstat.survey.reader import Counts, Run, counts, open_run
from solstat.survey.run import run_survey


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    plan = Plan(rules("wasp"), SeedRange(0, 60), 300, "solstat")
    (directory,) = run_survey([plan], tmp_path_factory.mktemp("stages") / "run", workers=1)
    return open_run(directory)


def test_all_of_a_search_with_one_stage(run: Run) -> None:
    assert by_stage(run) == {"dfs": counts(run)}


def test_several_stages_in_several_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def tables(columns: list[str]) -> list[pa.Table]:
        assert set(columns) == {"stage", "outcome", "positions", "budget"}
        return [
            pa.table(
                {
                    "outcome": ["lost", "unsettled", "won", "won", "error"],
                    "positions": [200, 300, 10, 300, None],
                    "budget": [300] * 5,
                    "stage": ["proof", "proof", "dive", "dive", None],
                }
            ),
            pa.table(
                {
                    "outcome": ["unsettled", "won"],
                    "positions": [300, 20],
                    "budget": [300] * 2,
                    "stage": ["proof", "dive"],
                }
            ),
        ]

    monkeypatch.setattr(run, "tables", tables)
    # What a lower budget leaves unsettled may have been in any stage then.
    assert by_stage(run, 250) == {
        "dive": Counts("wasp", 250, won=2),
        "proof": Counts("wasp", 250, lost=1),
        "none": Counts("wasp", 250, error=1),
        "unknown": Counts("wasp", 250, unsettled=3),
    }
    found = by_stage(run)
    assert found == {
        "dive": Counts("wasp", 300, won=3),
        "proof": Counts("wasp", 300, lost=1, unsettled=2),
        "none": Counts("wasp", 300, error=1),
    }
    assert list(found) == ["dive", "proof", "none"]


def test_no_rows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "tables", lambda columns: iter(()))
    assert by_stage(run) == {}
