"""The family on small decks: layouts, whole games, and which rules win what others win."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise, permutations

import pytest

from solstat.cards import card_text, deck, parse_card
from solstat.errors import UsageError
from solstat.games import Rules, SmallDeck, rules, start
from solstat.reference import solve

# From the hardest to the easiest: each wins all that the one before it wins.
CHAIN: tuple[dict[str, object], ...] = (
    {"reserve_moves": "top"},
    {"reserve_moves": "run"},
    {"reserve_moves": "run", "reserve_build": True},
    {"reserve_moves": "run", "reserve_build": True, "empty_reserve": "single"},
)


def small(ranks: int, suits: int, reserves: int, columns: int, **options: object) -> Rules:
    deck = SmallDeck(ranks=ranks, suits=suits)
    return rules("wave-motion", small=deck, reserves=reserves, columns=columns, **options)


def dealt(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


class TestLayout:
    def test_ranks_and_suits_are_of_the_deck_piles_of_the_options(self) -> None:
        position = start(small(3, 2, 4, 2), deck(3, 2))
        assert str(position).splitlines() == [
            "c1:",
            "c2:",
            "r1: AC 2S",
            "r2: 2C 3S",
            "r3: 3C",
            "r4: AS",
        ]

    def test_reserves_may_be_empty_from_the_start(self) -> None:
        position = start(small(2, 1, 4, 1), deck(2, 1))
        assert str(position).splitlines() == ["c1:", "r1: AC", "r2: 2C", "r3:", "r4:"]

    @pytest.mark.parametrize(
        "size", [SmallDeck(ranks=1), SmallDeck(ranks=14), SmallDeck(suits=0), SmallDeck(suits=5)]
    )
    def test_what_is_no_deck_is_refused(self, size: SmallDeck) -> None:
        with pytest.raises(UsageError, match="2 to 13 ranks, 1 to 4 suits"):
            rules("flow", small=size)

    def test_fewer_columns_than_suits_are_refused(self) -> None:
        small(2, 3, 2, 3)
        with pytest.raises(UsageError, match="so there must be at least 3 columns"):
            small(2, 3, 2, 2)


class TestWholeGames:
    def test_one_suit_in_one_column_is_won_only_from_the_king_down(self) -> None:
        verdicts = {cards: solve(small(3, 1, 1, 1), cards) for cards in permutations(deck(3, 1))}
        assert [cards for cards, outcome in verdicts.items() if outcome == "won"] == [(0, 1, 2)]

    def test_as_many_columns_as_cards_win_every_deal(self) -> None:
        for cards in permutations(deck(2, 2)):
            assert solve(small(2, 2, 1, 4), cards) == "won"


SHAPES = [  # ranks, suits, reserves, columns
    *(
        (ranks, 2, reserves, columns)
        for ranks in (3, 4, 5)
        for reserves in (1, 2, 3)
        for columns in (2, 3)
    ),
    *((2, 3, reserves, 3) for reserves in (1, 2, 3)),
    *((3, 3, reserves, columns) for reserves in (1, 2) for columns in (3, 4)),
    (4, 3, 2, 3),
]


class TestWhatEachRuleWins:
    def test_an_easier_rule_or_a_column_more_wins_what_was_won_before(self) -> None:
        rng = random.Random(0)
        won: Counter[int] = Counter()
        for number in range(3000):
            ranks, suits, reserves, columns = SHAPES[number % len(SHAPES)]
            cards = deck(ranks, suits)
            deal = rng.sample(cards, len(cards))
            made = [small(ranks, suits, reserves, columns, **options) for options in CHAIN]
            verdicts = [solve(rule, deal, 3000) for rule in made]
            options = CHAIN[number % len(CHAIN)]
            more = small(ranks, suits, reserves, columns + 1, **options)
            pairs = [*pairwise(verdicts), (verdicts[number % len(CHAIN)], solve(more, deal, 3000))]
            wrong = ("won", "lost") in pairs
            assert not wrong, f"{made[0].id} {' '.join(map(card_text, deal))}: {pairs}"
            won.update(place for place, outcome in enumerate(verdicts) if outcome == "won")
        assert 500 < won[0] < won[1] < won[2] < won[3]

    @pytest.mark.parametrize(
        ("shape", "deal", "wins"),
        [
            # Two cards that lie in order on a reserve have to leave it together.
            ((2, 2, 1, 2), "2S AS AC 2C", 3),
            ((3, 2, 2, 2), "2C AS AC 2S 3S 3C", 3),
            ((4, 3, 3, 3), "AH 2C 3H 2H AC AS 4C 4H 4S 3C 2S 3S", 3),
            # A card waits on the next higher one, which no column has yet.
            ((2, 2, 1, 2), "2C AS AC 2S", 2),
            ((3, 3, 2, 3), "2S 3S 2H 3C AH 2C AS 3H AC", 2),
            # A reserve that was emptied holds a card of any kind.
            ((4, 2, 2, 2), "3S AC 4S AS 2C 3C 2S 4C", 1),
            ((3, 3, 2, 3), "AS 2C 2H 3H AC 3S 3C 2S AH", 1),
            ((3, 4, 2, 4), "2S AD AH 2H 2C AC 3H 3C 2D AS 3D 3S", 1),
        ],
    )
    def test_deals_that_only_the_last_rules_win(
        self, shape: tuple[int, int, int, int], deal: str, wins: int
    ) -> None:
        verdicts = [solve(small(*shape, **options), dealt(deal)) for options in CHAIN]
        assert verdicts == ["lost"] * (4 - wins) + ["won"] * wins
