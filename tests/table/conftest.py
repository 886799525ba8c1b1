"""Games to play with, and hints that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from solstat.deals import Deal
from solstat.games import parse_rules
from solstat.solver import deal_many
from solstat.table.game import Game


class Hinted(NamedTuple):
    """A hint as `solstat.hint` gives it."""

    outcome: str = "unsettled"
    line: str = ""
    move: str | None = None
    guess: bool = False


@pytest.fixture
def new_game() -> Callable[..., Game]:
    def make(rules: str = "wasp", seed: int = 24) -> Game:
        cards = tuple(deal_many("solstat", [seed])[0].tolist())
        return Game(parse_rules(rules), "solstat", Deal(str(seed), cards))

    return make


@pytest.fixture
def hinted() -> type[Hinted]:
    return Hinted
