from __future__ import annotations

from itertools import permutations

import pytest

from solstat.cards import deck, parse_card
from solstat.games import Rules, SmallDeck, rules
from solstat.reference import solve


def dealt(text: str) -> list[int]:
    return [parse_card(word) for word in text.split()]


def two_piles(game: str) -> Rules:
    return rules(game, small=SmallDeck(ranks=3, suits=1, piles=1, depth=3), face_down_piles=0)


def test_a_deal_that_is_won_as_dealt() -> None:
    assert solve(two_piles("wasp"), dealt("3C 2C AC")) == "won"


def test_without_a_move_all_else_is_lost() -> None:
    verdicts = [solve(two_piles("wasp"), cards) for cards in permutations(deck(3, 1))]
    assert verdicts.count("won") == 1
    assert verdicts.count("lost") == 5


def test_a_deal_that_only_wasp_wins() -> None:
    small = SmallDeck(ranks=4, suits=1, piles=2, depth=1)
    cards = dealt("2C 3C AC 4C")
    # 2C>2 3C>1 deal 3C>2: the whole pile must go where the stock brings the ace, and has no king.
    assert solve(rules("wasp", small=small), cards) == "won"
    assert solve(rules("scorpion", small=small), cards) == "lost"


@pytest.mark.parametrize("limit", [1, 2])
def test_a_deal_that_needs_more_than_the_limit_is_unsettled(limit: int) -> None:
    small = SmallDeck(ranks=4, suits=1, piles=2, depth=1)
    assert solve(rules("wasp", small=small), dealt("2C 3C AC 4C"), limit) == "unsettled"


def test_the_limit_does_not_touch_a_verdict_within_it() -> None:
    assert solve(two_piles("wasp"), dealt("AC 2C 3C"), 1) == "lost"
