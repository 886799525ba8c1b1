from __future__ import annotations

from pathlib import Path

from solstat.survey.check import check
from solstat.survey.parts import name
from solstat.survey.plan import Plan, Range
from solstat.survey.reader import counts, open_run
from solstat.survey.run import run_survey


def test_deals_without_a_row_are_missing(tmp_path: Path, plan: Plan, inline) -> None:
    run_survey([plan], tmp_path, executor=inline)
    found = check(open_run(tmp_path), 1)
    assert (found.replayed, found.missing) == (counts(open_run(tmp_path)).won, 0)
    (tmp_path / name(Range(0, 100))).unlink()
    found = check(open_run(tmp_path), 1)
    assert (found.replayed, found.missing) == (0, 100)
