from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solstat.cards import deck
from solstat.games import parse_rules, perft, rules, start
from solstat.verify import replay

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parents[1] / "data"


def golden(name: str) -> Iterator[object]:
    """Game, deal, line and the counts of depths 1, 2, ... of each position in a file."""
    positions: dict[tuple[str, str, str], list[int]] = {}
    with (DATA / name).open() as file:
        for row in csv.DictReader(file):
            counts = positions.setdefault((row["game"], row["deal"], row.get("line", "")), [])
            counts.append(int(row["moves"]))
            assert len(counts) == int(row["depth"])
    for (game, deal, line), counts in positions.items():
        played = f"after {len(line.split())}" if line else "start"
        yield pytest.param(game, deal, line, counts, id=f"{game}, {deal}, {played}")


@pytest.mark.parametrize(
    ("game", "deal", "line", "counts"), [*golden("perft.csv"), *golden("perft-mid.csv")]
)
def test_golden_counts(
    game: str, deal: str, line: str, counts: list[int], oracle_deals: dict[str, tuple[int, ...]]
) -> None:
    assert perft(replay(parse_rules(game), oracle_deals[deal], line), len(counts)) == counts


def test_depth_zero_counts_nothing() -> None:
    assert perft(start(rules("wasp"), deck()), 0) == []


def test_depth_one_counts_the_moves() -> None:
    position = start(rules("wasp"), deck())
    assert perft(position, 1) == [len(position.moves())]
