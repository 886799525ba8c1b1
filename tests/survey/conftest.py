"""What the tests of surveys share: plans, rows to compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solstat.deals import Deal, SeedRange
from solstat.games import rules
from solstat.survey import parts
from solstat.survey.plan import Plan
from solstat.survey.reader import open_run

CHEAP = 300
"""A budget that settles most deals of wasp, and leaves some open."""


@pytest.fixture
def plan() -> Plan:
    """A hundred cheap deals."""
    return Plan(rules("wasp"), SeedRange(100, 200), CHEAP, "solstat")


@pytest.fixture
def file_plan(oracle_deals: dict[str, tuple[int, ...]]) -> Plan:
    """The deals of a file."""
    deals = tuple(Deal(name, cards) for name, cards in list(oracle_deals.items())[:30])
    return Plan(rules("wasp"), deals, CHEAP, "file")


def longer(plan: Plan, count: int) -> Plan:
    assert isinstance(plan.deals, SeedRange)
    return replace(plan, deals=SeedRange(plan.deals.first, plan.deals.first + count))


@pytest.fixture(name="longer")
def longer_fixture() -> Callable[[Plan, int], Plan]:
    """Make a plan of so many deals of another plan of seeds."""
    return longer


@pytest.fixture
def content() -> Callable[[Path], list[dict[str, Any]]]:
    """All rows of a run, but for the one column that is never the same twice."""

    def rows(path: Path) -> list[dict[str, Any]]:
        found = list(open_run(path).rows())
        assert [row["index"] for row in found] == sorted({row["index"] for row in found})
        return [{name: row[name] for name in row if name != "seconds"} for row in found]

    return rows


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of many parts, and merges among few."""
    monkeypatch.setattr(parts, "MILLION", 30)
    monkeypatch.setattr(parts, "FAN", 3)
