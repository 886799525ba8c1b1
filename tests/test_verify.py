from __future__ import annotations

import pytest

from solstat.cards import parse_card
from solstat.errors import UsageError
from solstat.games import SmallDeck, rules
from solstat.verify import BadLine, replay, replay_win

RULES = rules("wasp", small=SmallDeck(ranks=3, suits=1, piles=3, depth=1))
CARDS = [parse_card(text) for text in ("AC", "3C", "2C")]
WIN = "2C>2 AC>2"


def test_a_line_is_played_move_by_move() -> None:
    assert str(replay(RULES, CARDS, "2C>2")) == "1: AC\n2: 3C 2C\n3:\nstock:"


def test_a_winning_line_ends_in_a_won_position() -> None:
    assert replay(RULES, CARDS, WIN).won
    assert replay_win(RULES, CARDS, WIN).won


def test_an_empty_line_is_the_start() -> None:
    assert str(replay(RULES, CARDS, "")) == "1: AC\n2: 3C\n3: 2C\nstock:"


def test_a_deal_that_is_won_as_dealt_is_won_by_an_empty_line() -> None:
    two = rules("wasp", small=SmallDeck(ranks=2, suits=1, piles=1, depth=2), face_down_piles=0)
    assert replay_win(two, [parse_card("2C"), parse_card("AC")], "").won


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("AC>3 AC>2", "move 2: AC>2: AC is not the next lower card of 3C's suit"),
        ("2C>2 AC>4", "move 2: AC>4: there are the piles 1 to 3"),
        ("2C>2 deal", "move 2: deal: the stock has been dealt"),
        ("2C>2 AC-2", "move 2: 'AC-2' is no move: write card>pile, like 7H>3, or deal"),
        ("2C>2 XX>2", "move 2: 'XX' is no card"),
        ("2C>2 AC>2 AC>1", "move 3: AC>1: AC is not on the table"),
    ],
)
def test_a_bad_line_is_refused_with_the_move_and_why(line: str, message: str) -> None:
    with pytest.raises(BadLine) as caught:
        replay(RULES, CARDS, line)
    assert str(caught.value).startswith(message)


def test_a_line_that_does_not_win_is_bad_as_a_win() -> None:
    with pytest.raises(BadLine, match="legal, but the game is not won after its 1 moves"):
        replay_win(RULES, CARDS, "2C>2")


def test_cards_that_are_no_deal_are_refused() -> None:
    with pytest.raises(UsageError, match="takes each of its 3 cards once"):
        replay(RULES, CARDS[:2], "")
