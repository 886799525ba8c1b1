"""What the tests of surveys share: plans, an executor without processes, rows to compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solstat.deals import Deal, SeedRange
from solstat.games import rules
from solstat.survey.executors import Died, Solved, solve_chunk
from solstat.survey.plan import Chunk, Plan
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


class Inline:
    """An executor that solves a chunk when it is waited for.

    `dies` says of a chunk whether the worker dies over it, and of what. `before` is called ahead of
    each chunk.
    """

    is_here = True

    def __init__(
        self,
        workers: int,
        dies: Callable[[Chunk], str | None] = lambda chunk: None,
        before: Callable[[Chunk], None] = lambda chunk: None,
    ) -> None:
        self.workers = workers
        self.chunks: list[Chunk] = []
        self.seen: list[Chunk] = []
        self.closed = False
        self._dies = dies
        self._before = before

    @property
    def room(self) -> int:
        return 2 * self.workers - len(self.chunks)

    @property
    def in_flight(self) -> int:
        return len(self.chunks)

    def submit(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        self.seen.append(chunk)

    def wait(self, seconds: float) -> list[Solved | Died]:
        chunk = self.chunks.pop(0)
        self._before(chunk)
        cause = self._dies(chunk)
        return [Died(chunk, cause) if cause else Solved(chunk, solve_chunk(chunk))]

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def inline() -> type[Inline]:
    """The executor without processes."""
    return Inline


@pytest.fixture
def content() -> Callable[[Path], list[dict[str, Any]]]:
    """All rows of a run, but for the one column that is never the same twice."""

    def rows(path: Path) -> list[dict[str, Any]]:
        found = list(open_run(path).rows())
        assert [row["index"] for row in found] == sorted({row["index"] for row in found})
        return [{name: row[name] for name in row if name != "seconds"} for row in found]

    return rows
