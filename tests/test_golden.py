"""What the search says of a deal may only change under a new search version: runs must not mix."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest

from solstat import games, solver

BUDGET = 20_000


@pytest.mark.parametrize("game", [preset.name for preset in games.presets()])
def test_nothing_changes_under_a_search_version(game: str, data: Path) -> None:
    with (data / "golden.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["game"] == game]
    assert len(rows) == 1000
    rules = games.rules(game)
    assert {row["version"] for row in rows} == {str(solver.search_version(rules.family))}, (
        "the search version was raised: write the golden verdicts anew (make golden)"
    )
    seeds = np.array([int(row["seed"]) for row in rows], dtype=np.uint64)
    batch = solver.solve_many(rules, solver.deal_many("solstat", seeds), BUDGET)
    hint = "verdicts have changed: raise search_version of the family (then make golden)"
    outcomes = [solver.OUTCOMES[index] for index in batch.outcome]
    assert [row["outcome"] for row in rows] == outcomes, hint
    assert [int(row["positions"]) for row in rows] == batch.positions.tolist(), hint
    assert [int(row["moves"]) for row in rows] == batch.moves.tolist(), hint
    assert [row["line"] for row in rows] == [line_hash(line) for line in batch.line], hint


def line_hash(line: str | None) -> str:
    """The first twelve hexadecimal digits of the SHA-256 of a line."""
    return hashlib.sha256((line or "").encode()).hexdigest()[:12]
