"""The kernel against its twin, the readable rules with exhaustive search, on random small decks.

The number of decks for each preset is that of SOLSTAT_TWIN_DECKS, and SOLSTAT_TWIN_SEED gives other
decks: a soak runs a million of them as several processes with a seed each.
"""

from __future__ import annotations

import os
import random
from contextlib import suppress
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest

from solstat import reference, solver
from solstat.cards import deck
from solstat.errors import UsageError
from solstat.games import Position, Rules, SmallDeck, perft, preset, presets, rules, start
from solstat.verify import replay_win

DECKS = int(os.environ.get("SOLSTAT_TWIN_DECKS", "20000"))
SEED = int(os.environ.get("SOLSTAT_TWIN_SEED", "0"))
GROUP = 50  # decks under the same rules
LIMIT = 20_000  # positions of the exhaustive search, of which it settles nearly all decks within
BUDGET = 1_000_000

every_game = pytest.mark.parametrize("game", [game.name for game in presets()])


class Group(NamedTuple):
    """Random deals under the same rules."""

    rules: Rules
    deals: list[tuple[int, ...]]


@cache
def small_decks(game: str, ranks: int, piles: int, depth: int) -> list[SmallDeck]:
    """Every small deck of a game with up to so many ranks, piles and cards in a pile."""
    some = []
    layouts = [range(2, piles + 1), range(1, depth + 1)]
    if preset(game).family == "wave":  # there the layout is a matter of options
        layouts = []
    for sizes in product(range(2, ranks + 1), range(1, 5), *layouts):
        small = SmallDeck(*sizes)
        with suppress(UsageError):
            rules(game, small=small)
            some.append(small)
    return some


def some_group(
    game: str, smalls: list[SmallDeck], number: int, *, exhaustive: bool = True
) -> Group:
    """The group of that number, with one of some small decks; larger ones come more often."""
    rng = random.Random(f"{game} {SEED} {number}")
    fitting: list[SmallDeck] = []
    while not fitting:
        options, largest = some_options(game, rng)
        possible = [small for small in smalls if not exhaustive or small.size <= largest]
        fitting = [small for small in possible if fits(game, options, small)]
    (small,) = rng.choices(fitting, [small.size**2 for small in fitting])
    made = rules(game, small=small, **options)
    cards = deck(small.ranks, small.suits)
    return Group(made, [tuple(rng.sample(cards, len(cards))) for _ in range(GROUP)])


def some_options(game: str, rng: random.Random) -> tuple[dict[str, object], int]:
    """Options of a game, drawn at random, and the most cards to search exhaustively with them."""
    if preset(game).family == "scorpion":
        return {"face_down_piles": rng.randint(0, 7)}, 24
    if preset(game).family == "wave":
        options: dict[str, object] = {"columns": rng.randint(1, 4), "reserves": rng.randint(1, 5)}
        if game == "flow":
            return options | {"empty_reserve": rng.choice(("never", "single"))}, 12
        return options | {"reserve_moves": rng.choice(("top", "run"))}, rng.choice((10, 10, 10, 12))
    # Cards that come back from foundations make many more positions.
    runs, largest = rng.choices((("leave", 10), ("optional", 10), ("return", 7)), (9, 9, 2))[0]
    return {"finished_runs": runs, "deal_onto_empty": rng.choice((False, True))}, largest


def fits(game: str, options: dict[str, object], small: SmallDeck | None = None) -> bool:
    """Whether a game can be played with some options, and a small deck."""
    with suppress(UsageError):
        rules(game, small=small, **options)
        return True
    return False


def prunings(family: str, number: int) -> list[tuple[str, ...]]:
    """All prunings of a family, none, all but one, and for each group of decks a few sets more."""
    known = solver.PRUNINGS[family]
    sets = [some for count in range(len(known) + 1) for some in combinations(known, count)]
    usual = [some for some in sets if len(some) in {0, len(known) - 1, len(known)}]
    rest = [some for some in sets if some not in usual]
    return usual + [rest[(3 * number + place) % len(rest)] for place in range(min(3, len(rest)))]


@every_game
def test_every_verdict_is_that_of_exhaustive_search_and_every_line_wins(game: str) -> None:
    settled = 0
    for number in range(-(-DECKS // GROUP)):
        group = some_group(game, small_decks(game, 6, 5, 4), number)
        truth = [reference.solve(group.rules, cards, LIMIT) for cards in group.deals]
        settled += sum(outcome != "unsettled" for outcome in truth)
        lines = set()
        for some in prunings(group.rules.family, number):
            batch = solver.solve_many(group.rules, np.array(group.deals), BUDGET, prunings=some)
            verdicts = [solver.OUTCOMES[index] for index in batch.outcome]
            for cards, expected, verdict, line in zip(
                group.deals, truth, verdicts, batch.line, strict=True
            ):
                assert verdict == expected or expected == "unsettled" != verdict, (
                    f"{group.rules.id} {cards}: {verdict} with {some}, in truth {expected}"
                )
                assert (line is not None) == (verdict == "won")
                if line is not None:
                    lines.add((cards, line))
        for cards, line in lines:
            assert replay_win(group.rules, cards, line).won
    assert settled > 0.99 * DECKS


@every_game
def test_every_verdict_from_a_position_is_that_of_exhaustive_search(game: str) -> None:
    settled, seen = 0, {"won": 0, "lost": 0}
    decks = DECKS // 5
    for number in range(decks // GROUP):
        group = some_group(game, small_decks(game, 6, 5, 4), number)
        rng = random.Random(f"{game} {SEED} {number} played")
        deals = np.array(group.deals)
        walks = [some_moves(start(group.rules, cards), rng) for cards in group.deals]
        played = [line for line, _ in walks]
        truth = [reference.solve_from(position, LIMIT) for _, position in walks]
        settled += sum(outcome != "unsettled" for outcome in truth)
        for outcome in seen:
            seen[outcome] += truth.count(outcome)
        batches = [solver.solve_many(group.rules, deals, BUDGET, "plain", played=played)] + [
            solver.solve_many(group.rules, deals, BUDGET, prunings=some, played=played)
            for some in prunings(group.rules.family, number)
        ]
        lines = set()
        for batch in batches:
            for cards, before, expected, index, line in zip(
                group.deals, played, truth, batch.outcome, batch.line, strict=True
            ):
                verdict = solver.OUTCOMES[index]
                assert verdict == expected or expected == "unsettled" != verdict, (
                    f"{group.rules.id} {cards} {before}: {verdict}, in truth {expected}"
                )
                assert (line is not None) == (verdict == "won")
                if line is not None:
                    lines.add((cards, f"{before} {line}"))
        for cards, line in lines:
            assert replay_win(group.rules, cards, line).won
    assert settled > 0.9 * decks  # groups share their rules, and some rules have many positions
    assert min(seen.values()) > 0.05 * decks


def some_moves(position: Position, rng: random.Random) -> tuple[str, Position]:
    """Up to 30 moves at random as a line, and the position after them."""
    line: list[str] = []
    for _ in range(rng.randrange(31)):
        moves = position.moves()
        if not moves or position.won:
            break
        move = rng.choice(moves)
        line.append(position.move_text(move))
        position = position.after(move)
    return " ".join(line), position


@every_game
def test_no_pruning_changes_a_verdict_of_larger_decks(game: str) -> None:
    # Too large for exhaustive search in Python: the kernel without prunings stands in for it.
    smalls = [
        small
        for small in small_decks(game, 8, 7, 6)
        if small.suits >= 2 and small.depth >= 3 and 12 <= small.size <= 36
    ]
    settled = 0
    decks = 5 * DECKS if preset(game).family == "scorpion" else DECKS  # the others take longer
    for number in range(decks // GROUP):
        group = some_group(game, smalls, number, exhaustive=False)
        deals = np.array(group.deals)
        truth = solver.solve_many(group.rules, deals, 5000, prunings=(), lines=False).outcome
        settled += np.sum(truth != 0)
        known = solver.PRUNINGS[group.rules.family]
        for some in [known, *combinations(known, len(known) - 1)]:
            batch = solver.solve_many(group.rules, deals, 5000, prunings=some, lines=False)
            wrong = (batch.outcome != 0) & (truth != 0) & (batch.outcome != truth)
            assert not wrong.any(), f"{group.rules.id} {deals[wrong].tolist()} with {some}"
    assert settled > 0.9 * decks


@every_game
def test_a_lost_deal_costs_each_of_its_positions_once(game: str) -> None:
    smalls = [small for small in small_decks(game, 6, 5, 4) if small.size <= 16]
    checked = 0
    for number in range(DECKS // 200):
        group = some_group(game, smalls, number)
        batch = solver.solve_many(group.rules, np.array(group.deals), BUDGET, search="plain")
        for cards, index, positions in zip(
            group.deals, batch.outcome, batch.positions, strict=True
        ):
            if solver.OUTCOMES[index] == "lost":
                assert positions == distinct_positions(start(group.rules, cards))
                checked += 1
    assert checked > DECKS // 100


def distinct_positions(first: Position) -> int:
    """How many positions can be reached; those equal up to interchangeable piles are one.

    In wave-motion those are one in which the same cards have been taken, which is what is searched.
    """
    seen = {merged(first)}
    counted = {taken(first)}
    to_expand = [first]
    while to_expand:
        position = to_expand.pop()
        for move in position.moves():
            after = position.after(move)
            if merged(after) not in seen:
                seen.add(merged(after))
                counted.add(taken(after))
                to_expand.append(after)
    return len(counted if first.rules.game == "wave-motion" else seen)


def taken(position: Position) -> object:
    """Equal for positions of a deal if the same cards have been taken from the reserves."""
    return tuple(pile.cards for pile in position.table() if pile.name.startswith("r"))


def merged(position: Position) -> object:
    """Equal for positions that differ only by piles that no stock card can tell apart."""
    if position.rules.family == "wave":
        return tuple(sorted((pile.name[0], pile.cards) for pile in position.table()))
    *piles, stock = position.table()
    # What is off the table follows from the rest, and those piles are no places for the stock.
    tables = [(pile.cards, pile.down) for pile in piles if not pile.name.startswith("off:")]
    told_apart = len(stock.cards)
    return stock.cards, tuple(tables[:told_apart]), tuple(sorted(tables[told_apart:]))


@every_game
def test_move_lists_agree_under_every_option(game: str) -> None:
    rng = random.Random(f"{game} {SEED}")
    for number in range(DECKS // 40):
        if number % 2:
            group = some_group(game, small_decks(game, 6, 5, 4), number)
            made, cards = group.rules, group.deals[0]
        else:
            options = some_options(game, rng)[0]
            while not fits(game, options):
                options = some_options(game, rng)[0]
            made = rules(game, **options)
            cards = tuple(sorted(deck(), key=lambda card: rng.uniform(0, 5) - card % 13))
        position = start(made, cards)
        line: list[str] = []
        for _ in range(rng.randrange(100)):
            moves = position.moves()
            if not moves:
                break
            move = rng.choice(moves)
            line.append(position.move_text(move))
            position = position.play(move)
        counts = solver.perft(made, cards, " ".join(line), 3)
        assert counts == perft(position, 3), f"{made.id} {cards} {' '.join(line)}"
