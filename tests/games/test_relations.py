"""Games that win what others win, against exhaustive search of small decks."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from itertools import pairwise

import pytest

from solstat import reference
from solstat.cards import deck
from solstat.errors import UsageError
from solstat.games import Rules, SmallDeck, family_options, parse_rules, rules, start, within

LIMIT = 3000  # positions of the exhaustive search
DEALS = 150

# For each option that has an order: a game, its other options, and small decks that it decides.
CASES: list[tuple[str, str, dict[str, object], SmallDeck]] = [
    ("wasp", "empty_pile", {}, SmallDeck(4, 3, 3, 3)),
    ("will-o-the-wisp", "deal_onto_empty", {}, SmallDeck(4, 2, 3, 1)),
    ("will-o-the-wisp", "finished_runs", {}, SmallDeck(3, 2, 2, 1)),
    ("spiderette", "finished_runs", {}, SmallDeck(2, 4, 2, 2)),
    ("wave-motion", "columns", {"reserves": 3}, SmallDeck(4, 2)),
    ("flow", "empty_reserve", {"reserves": 3, "columns": 2}, SmallDeck(5, 2)),
    (
        "flow",
        "reserve_build",
        {"reserves": 3, "columns": 2, "empty_reserve": "never"},
        SmallDeck(5, 2),
    ),
    ("wave-motion", "reserve_moves", {"reserves": 3, "columns": 2}, SmallDeck(5, 2)),
]


def steps(game: str, name: str, others: dict[str, object], small: SmallDeck) -> list[Rules]:
    """The games with each value of an option, from strict to free, as far as they make sense."""
    (order,) = (
        option.freer for option in family_options(rules(game).family) if option.name == name
    )
    made = []
    for value in list(order)[:5]:
        with suppress(UsageError):  # fewer columns than suits
            made.append(rules(game, small=small, **others, **{name: value}))
    return made


def some_deals(small: SmallDeck, seed: object, count: int = DEALS) -> list[tuple[int, ...]]:
    draw, cards = random.Random(str(seed)), deck(small.ranks, small.suits)
    return [tuple(draw.sample(cards, len(cards))) for _ in range(count)]


class TestWithin:
    @pytest.mark.parametrize(
        ("strict", "free"),
        [
            ("scorpion", "wasp"),
            ("wasp(empty_pile=king,face_down_piles=2)", "wasp(face_down_piles=2)"),
            ("will-o-the-wisp", "will-o-the-wisp(finished_runs=optional)"),
            ("will-o-the-wisp", "will-o-the-wisp(deal_onto_empty=true,finished_runs=return)"),
            ("spiderette(finished_runs=optional)", "spiderette(finished_runs=return)"),
            ("wave-motion", "flow"),
            ("wave-motion", "wave-motion(reserve_moves=run)"),
            ("flow(empty_reserve=never)", "flow"),
            ("flow(columns=9)", "flow(columns=10)"),
            ("wave-motion(columns=4,reserves=9)", "flow(columns=52,reserves=9)"),
        ],
    )
    def test_the_strict_rules_are_within_the_free_ones_only(self, strict: str, free: str) -> None:
        first, second = parse_rules(strict), parse_rules(free)
        assert within(first, second)
        assert not within(second, first)
        assert within(first, first)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("wasp", "wasp(face_down_piles=0)"),
            ("scorpion(face_down_piles=3)", "wasp"),
            ("will-o-the-wisp", "spiderette"),
            ("wave-motion", "wave-motion(reserves=9)"),
            ("wave-motion(columns=9)", "flow"),
            ("wave-motion", "wasp"),
            (
                "will-o-the-wisp(finished_runs=return)",
                "will-o-the-wisp(deal_onto_empty=true)",
            ),
        ],
    )
    def test_nothing_is_known_of_others(self, one: str, other: str) -> None:
        first, second = parse_rules(one), parse_rules(other)
        assert not within(first, second)
        assert not within(second, first)

    def test_names_do_not_matter_but_decks_do(self) -> None:
        assert within(rules("wasp", empty_pile="king"), rules("scorpion"))
        assert within(rules("scorpion"), rules("wasp", empty_pile="king"))
        small = rules("scorpion", small=SmallDeck(3, 2, 2, 2))
        assert within(small, rules("wasp", small=SmallDeck(3, 2, 2, 2)))
        assert not within(small, rules("wasp"))


def test_every_option_with_an_order_is_tried() -> None:
    ordered = {
        (family, option.name)
        for family in ("scorpion", "spider", "wave")
        for option in family_options(family)
        if option.freer
    }
    assert ordered == {(rules(game).family, name) for game, name, _, _ in CASES}


@pytest.mark.parametrize(("game", "name", "others", "small"), CASES)
def test_what_the_strict_rules_win_the_free_ones_win(
    game: str, name: str, others: dict[str, object], small: SmallDeck
) -> None:
    tally: Counter[tuple[str, str]] = Counter()
    for strict, free in pairwise(steps(game, name, others, small)):
        assert within(strict, free)
        assert not within(free, strict)
        for cards in some_deals(small, f"{game} {name}"):
            tally[reference.solve(strict, cards, LIMIT), reference.solve(free, cards, LIMIT)] += 1
    assert tally["won", "lost"] == 0
    assert tally["lost", "won"] > 0  # so these deals would show an order that is the wrong way
    assert tally["won", "won"] > 0


# A run that leaves by itself is no move, and with another column the reserves' numbers are others.
MOVE_BY_MOVE = [case for case in CASES if case[1] not in {"finished_runs", "columns"}]


@pytest.mark.parametrize(("game", "name", "others", "small"), MOVE_BY_MOVE)
def test_free_rules_have_every_move_of_the_strict_ones_to_the_same_table(
    game: str, name: str, others: dict[str, object], small: SmallDeck
) -> None:
    draw = random.Random(1)
    added = 0
    strict, free = steps(game, name, others, small)
    for cards in some_deals(small, "walks", 50):
        there, here = start(strict, cards), start(free, cards)
        while (moves := there.moves()) and draw.random() < 0.95:
            assert set(moves) <= set(here.moves())
            added += len(here.moves()) > len(moves)
            move = draw.choice(moves)
            there, here = there.after(move), here.after(move)
            assert (there.table(), there.won) == (here.table(), here.won)
    assert added > 0
