"""At the table hints of the solver itself lead from the deal to the end."""

from __future__ import annotations

import pytest

from solstat.games import presets
from solstat.hint import hint
from solstat.table.commands import Table
from solstat.table.game import Game

BUDGET = 20_000


def given(game: Game):
    return hint(game.rules, game.deal.cards, game.line, BUDGET)


@pytest.mark.parametrize("game", [preset.name for preset in presets()])
def test_following_hints_wins(new_game, game):
    for seed in range(50):
        table = Table(new_game(game, seed), given, lambda game, file: None)
        first = table.answer("hint")
        assert first is not None
        if first.data["hint"]["outcome"] == "won":
            break
    for _ in range(first.said.count("it wins") * 300):
        answer = table.answer("hint")
        assert answer is not None
        if answer.said == "the game is won":
            break
        assert answer.said.startswith(answer.data["hint"]["move"] + " (it wins")
        played = table.answer(answer.data["hint"]["move"])
        assert played is not None
        assert played.changed
    assert table.game.position.won


def test_a_lost_deal_is_said_to_be_lost(new_game):
    for seed in range(50):
        table = Table(new_game("wave-motion", seed), given, lambda game, file: None)
        answer = table.answer("hint")
        assert answer is not None
        if answer.data["hint"]["outcome"] == "lost":
            break
    assert answer.said == "proved lost: no move wins from here"
