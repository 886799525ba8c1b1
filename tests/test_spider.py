"""The family `spider` in the kernel: what is called dead, and what options that allow more win.

Winning lines of full deals are as many as SOLSTAT_SPIDER_LINES says; a soak takes ten thousand.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from solstat import solver
from solstat.cards import deck, parse_card
from solstat.errors import UsageError
from solstat.games import Rules, SmallDeck, rules

LINES = int(os.environ.get("SOLSTAT_SPIDER_LINES", "600"))
FIRST = 2_400_000  # the first seed
GAMES = ("will-o-the-wisp", "spiderette")
KINDS = ("leave", "optional", "return")  # each allows what the one before it does, and more
WON, LOST = solver.OUTCOMES.index("won"), solver.OUTCOMES.index("lost")

VARIANTS = [
    rules(game, finished_runs=kind, deal_onto_empty=onto_empty)
    for game, kind, onto_empty in product(GAMES, KINDS, (False, True))
]


def winning_lines(made: Rules, wanted: int) -> list[tuple[list[int], str]]:
    """Deals and lines that win them, found by a search that calls nothing dead."""
    found: list[tuple[list[int], str]] = []
    for first in count(FIRST, 100):
        deals = solver.deal_many("solstat", range(first, first + min(100, wanted)))
        batch = solver.solve_many(made, deals, 20_000, prunings=())
        lines = zip(deals.tolist(), batch.line, strict=True)
        found += [(cards, line) for cards, line in lines if line is not None]
        if len(found) >= wanted:
            return found[:wanted]
    raise AssertionError


@pytest.mark.parametrize("made", VARIANTS, ids=lambda made: made.id)
def test_no_position_of_a_winning_line_is_called_dead(made: Rules) -> None:
    for cards, line in winning_lines(made, -(-LINES // len(VARIANTS))):
        said = solver.dead(made, cards, line)
        assert said == [False] * (len(line.split()) + 1), f"{made.id} {cards} {line}"


class Small(NamedTuple):
    """Random deals of one small deck, and their verdicts under all options."""

    deals: NDArray[np.uint8]
    rules: dict[tuple[str, bool], Rules]
    batches: dict[tuple[str, bool], solver.Batch]


def small_decks(seed: int, number: int) -> Iterator[Small]:
    """Decks of up to 16 cards, with 40 deals each."""
    rng = random.Random(seed)
    for place in range(number):
        game = GAMES[place % 2]
        made: dict[tuple[str, bool], Rules] = {}
        while not made:
            sizes = [rng.randint(low, high) for low, high in ((2, 4), (2, 4), (2, 4), (1, 2))]
            small = SmallDeck(*sizes)
            with suppress(UsageError):
                for kind, onto_empty in product(KINDS, (False, True)):
                    made[kind, onto_empty] = rules(
                        game, small=small, finished_runs=kind, deal_onto_empty=onto_empty
                    )
            if small.size > 16:
                made = {}
        cards = deck(small.ranks, small.suits)
        deals = np.array([rng.sample(cards, len(cards)) for _ in range(40)], dtype=np.uint8)
        batches = {options: solver.solve_many(one, deals, 20_000) for options, one in made.items()}
        yield Small(deals, made, batches)


def test_options_that_allow_more_win_more() -> None:
    gains: Counter[tuple[object, object]] = Counter()
    for small in small_decks(1, 150):
        for less, more in (*pairwise(KINDS), (False, True)):
            for other in (False, True) if less in KINDS else KINDS:
                pair = [(step, other) if step in KINDS else (other, step) for step in (less, more)]
                with_less, with_more = (small.batches[options].outcome for options in pair)  # type: ignore[index]
                wrong = (with_less == WON) & (with_more == LOST)
                assert not wrong.any(), (
                    f"{small.rules} {small.deals[wrong].tolist()}: {less}, {more}"
                )
                gains[less, more] += np.sum((with_less == LOST) & (with_more == WON))
    assert len(gains) == 3
    assert min(gains.values()) > 0


def test_cards_that_must_come_back_are_not_called_dead() -> None:
    lines = 0
    for small in small_decks(2, 150):
        for onto_empty in (False, True):
            made = small.rules["return", onto_empty]
            free = small.batches["return", onto_empty].outcome
            only = (free == WON) & (small.batches["optional", onto_empty].outcome == LOST)
            deals = small.deals[only]
            found = solver.solve_many(made, deals, 20_000, prunings=()).line
            for cards, line in zip(deals.tolist(), found, strict=True):
                assert line is not None
                assert "back:" in line
                assert not any(solver.dead(made, cards, line))
                lines += 1
    assert lines > 20


def test_deals_that_are_called_dead_are_lost() -> None:
    dead = 0
    for small in small_decks(3, 20):
        for options, made in small.rules.items():
            full = small.batches[options]
            plain = solver.solve_many(made, small.deals, 100_000, "plain", lines=False)
            for index, cards in enumerate(small.deals.tolist()):
                if solver.dead(made, cards, "") == [True]:
                    assert plain.outcome[index] != WON
                    assert (full.outcome[index], full.positions[index]) == (LOST, 1)
                    dead += 1
    assert dead > 50


def test_positions_of_a_line_are_told_one_by_one() -> None:
    made = rules("will-o-the-wisp", small=SmallDeck(ranks=2, suits=2, piles=3, depth=1))
    cards = [parse_card(text) for text in ("AC", "2C", "2S", "AS")]
    assert solver.dead(made, cards, "deal AS>3 AC>2") == [False] * 4
    # A run that leaves before the deal leaves fewer cards than piles, and the stock is stuck.
    assert solver.dead(made, cards, "AC>2") == [False, True]
    with pytest.raises(UsageError, match="AS is in the stock"):
        solver.dead(made, cards, "AS>3")
    with pytest.raises(UsageError, match="wasp: the kernel tests no single positions"):
        solver.dead(rules("wasp"), deck(), "")
