"""The kernel's referee of family `wave`, which replays every win, against the readable rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solstat import _kernel, solver
from solstat.cards import deck
from solstat.errors import UsageError
from solstat.families import FAMILIES
from solstat.games import Move, Rules, SmallDeck, rules, start

VARIANTS = (
    ("wave-motion", {}),
    ("wave-motion", {"reserve_moves": "run"}),
    ("flow", {}),
    ("flow", {"empty_reserve": "never"}),
)
every_variant = pytest.mark.parametrize(("game", "options"), VARIANTS)


def kernel_says(made: Rules, cards: tuple[int, ...], line: list[Move]) -> bool:
    family = FAMILIES[made.family]
    return _kernel.wave_replays(family.rules(made), np.array([cards], np.uint8), line)


def rules_say(made: Rules, cards: tuple[int, ...], line: list[Move]) -> bool:
    position = start(made, cards)
    try:
        for move in line:
            position = position.play(move)
    except UsageError:
        return False
    return position.won


def spoilt(line: list[Move], piles: int, rng: random.Random) -> list[Move]:
    """A line with something changed: a move left out, doubled, swapped or sent elsewhere."""
    line = list(line)
    at = rng.randrange(len(line))
    match rng.randrange(4):
        case 0:
            del line[at]
        case 1:
            line.insert(at, line[at])
        case 2:
            other = rng.randrange(len(line))
            line[at], line[other] = line[other], line[at]
        case _:
            line[at] = line[at]._replace(pile=rng.randrange(piles))
    return line


@every_variant
def test_lines_win_under_the_rules_if_and_only_if_the_referee_says_so(
    game: str, options: dict[str, object]
) -> None:
    rng = random.Random(f"{game} {options}")
    verdicts = {True: 0, False: 0}
    for small, layout in (
        (None, {}),
        (SmallDeck(ranks=5, suits=3), {"reserves": 4, "columns": 4}),
        (SmallDeck(ranks=4, suits=2), {"reserves": 3, "columns": 3}),
    ):
        made = rules(game, small=small, **options, **layout)
        everything = deck(made.deck.ranks, made.deck.suits)
        piles = int(made.option("columns")) + int(made.option("reserves"))
        for _ in range(40):
            cards = tuple(rng.sample(everything, len(everything)))
            found = solver.solve(made, cards, 100_000).line
            if found is None:
                continue
            first = start(made, cards)
            line = [first.parse_move(word) for word in found.split()]
            assert kernel_says(made, cards, line)
            assert rules_say(made, cards, line)
            for _ in range(15):
                other = spoilt(line, piles, rng)
                verdict = rules_say(made, cards, other)
                assert kernel_says(made, cards, other) == verdict, (made.id, cards, other)
                verdicts[verdict] += 1
    assert min(verdicts.values()) > 30


@every_variant
def test_random_play_is_judged_alike(game: str, options: dict[str, object]) -> None:
    """Legal moves of all kinds, also such as no search plays; now and then they win."""
    rng = random.Random(f"random {game} {options}")
    won = 0
    for _ in range(150):
        made = rules(game, small=SmallDeck(ranks=3, suits=2), reserves=3, columns=3, **options)
        cards = tuple(rng.sample(deck(3, 2), 6))
        position, line = start(made, cards), []
        for _ in range(40):
            moves = position.moves()
            if not moves or (position.won and rng.random() < 0.5):
                break
            line.append(rng.choice(moves))
            position = position.play(line[-1])
        assert kernel_says(made, cards, line) == position.won
        won += position.won
    assert won > 30
