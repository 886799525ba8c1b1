"""What tests of deals that are searched again share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from solstat.survey.again import plan_again
from solstat.survey.older import older_rows
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import dictionaries, open_run
from solstat.survey.run import retry_survey

BUDGETS = (50, 400, 3000)


def waterfall(plan: Plan, *budgets: int) -> Plan:
    first, *later = budgets or BUDGETS
    return replace(plan, budget=first, again=tuple(Again("unsettled", each) for each in later))


def retry(path: Path, what: Any, *budgets: int, executor: Any) -> None:
    """As `solstat run --retry`."""
    plan = plan_again(open_run(path), what, budgets)
    retry_survey([path], [plan], workers=1, executor=executor)


def older(path: Path) -> list[dict[str, Any]]:
    found = dictionaries(older_rows(open_run(path)))
    rows = [{name: row[name] for name in row if name != "seconds"} for row in found]
    return sorted(rows, key=lambda row: (row["index"], row["attempt"]))


def files(path: Path) -> set[str]:
    return {entry.name for entry in path.iterdir()}
