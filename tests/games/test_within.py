"""What `Rules.within` says, against exhaustive search of small decks."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from itertools import pairwise

import pytest

from solstat import reference
from solstat.cards import deck
from solstat.errors import UsageError
from solstat.games import Rules, SmallDeck, family_options, rules, start

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
        assert strict.within(free)
        assert not free.within(strict)
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
