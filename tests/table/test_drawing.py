from __future__ import annotations

import re

import pytest

from solstat.cards import card_text
from solstat.games import presets
from solstat.table.drawing import data, draw
from solstat.table.game import hidden

GAMES = [preset.name for preset in presets()]

WASP_24 = """\
   1   2   3   4   5   6   7
  ##  ##  ##  ##  6D  9C  9S
  ##  ##  ##  ##  4C  2D  AC
  ##  ##  ##  ##  QC  QS  7C
  KS  3C  4D  5D  2H  7S  KC
  TD  TS  QD  AH  AD  QH  7D
  8D  8H  KD  5H  KH  3S  5C
  AS  3D  9D  JH  2C  8S  4H
stock: 3"""


def test_piles_stand_side_by_side(new_game):
    assert "\n".join(draw(new_game().position)) == WASP_24


def test_an_empty_pile_has_a_sign_and_an_empty_stock_none(new_game):
    game = new_game("spiderette(deal_onto_empty=true)", 2)
    game.play_line(["deal"] * 4)
    assert "stock" not in "\n".join(draw(game.position))
    lines = draw(new_game("flow").position)
    assert lines[:3] == [
        "  c1  c2  c3  c4  c5  c6  c7  c8",
        "  --  --  --  --  --  --  --  --",
        "  r1  r2  r3  r4  r5  r6  r7  r8",
    ]


@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_are_not_to_be_found(new_game, game):
    position = new_game(game).position
    unseen = {card_text(card) for card in hidden(position)}
    shown = set(re.findall("[A2-9TJQK][CSHD]", "\n".join(draw(position))))
    assert shown == {card_text(card) for card in range(52)} - unseen
    assert not unseen & {card for pile in data(position) for card in pile["cards"]}
    assert sum(pile["face_down"] for pile in data(position)) == len(unseen)


@pytest.mark.parametrize("width", [1, 20, 47, 80, 200])
def test_piles_that_do_not_fit_stand_in_more_rows(new_game, width):
    position = new_game("wave-motion(columns=12,reserves=52)").position
    lines = draw(position, width=width)
    assert max(map(len, lines)) <= max(width, 5)
    names = [word for line in lines for word in line.split() if re.fullmatch(r"[cr]\d+", word)]
    assert names == [pile.name for pile in position.table()]


def test_a_paint_is_given_each_kind_of_sign(new_game):
    painted = "\n".join(draw(new_game().position, lambda text, kind: f"<{kind}:{text}>"))
    assert "<red:6D>" in painted
    assert "<black:KS>" in painted
    assert painted.count("<hidden:##>") == 12
    assert [f"<name:{n}>" in painted for n in range(1, 8)] == [True] * 7


def test_what_has_left_is_named(new_game):
    from solstat.solver import solve

    for game, last in {
        "wasp": "off: C S H D",
        "will-o-the-wisp(finished_runs=return)": "off:D AD, 13 cards",
    }.items():
        played = new_game(game)
        line = solve(played.rules, played.deal.cards, 250_000).line
        assert line is not None
        played.play_line(line.split())
        assert draw(played.position)[-1] == last
