"""Searches that start after some moves: from positions of full deals."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from solstat import solver
from solstat.errors import UsageError
from solstat.games import Rules, parse_rules, start
from solstat.solver import OUTCOMES, deal_many, solve, solve_many
from solstat.verify import replay_win

LOST_OFTEN = ["wasp", "scorpion", "spiderette", "wave-motion", "wave-motion(reserve_moves=run)"]


def some_wins(rules: Rules, count: int) -> list[tuple[tuple[int, ...], str]]:
    """The first deals that are won, each with a line."""
    wins: list[tuple[tuple[int, ...], str]] = []
    seed = 0
    while len(wins) < count:
        deals = deal_many("solstat", range(seed, seed + 10))
        batch = solve_many(rules, deals, 10_000)
        pairs = zip(deals.tolist(), batch.line, strict=True)
        wins += [(tuple(cards), line) for cards, line in pairs if line is not None]
        seed += 10
    return wins[:count]


def some_moves(rules: Rules, cards: Sequence[int], rng: random.Random, count: int) -> str:
    """So many moves at random, or fewer if there are none left."""
    position, line = start(rules, cards), []
    for _ in range(count):
        if moves := position.moves():
            move = rng.choice(moves)
            line.append(position.move_text(move))
            position = position.after(move)
    return " ".join(line)


def test_no_position_of_a_winning_line_is_lost(any_rules: Rules) -> None:
    settled = asked = 0
    for cards, line in some_wins(any_rules, 6):
        moves = line.split()
        played = [" ".join(moves[:length]) for length in range(0, len(moves) + 1, 6)]
        deals = np.array([cards] * len(played))
        batch = solve_many(any_rules, deals, 100_000, played=played)
        for before, index, rest in zip(played, batch.outcome, batch.line, strict=True):
            assert OUTCOMES[index] != "lost"
            if rest is not None:
                assert replay_win(any_rules, cards, f"{before} {rest}").won
                settled += 1
        asked += len(played)
    assert settled > 0.9 * asked


@pytest.mark.parametrize("game", LOST_OFTEN)
def test_a_lost_deal_is_lost_after_any_moves(game: str) -> None:
    rules, rng = parse_rules(game), random.Random(game)
    deals = deal_many("solstat", range(200))
    batch = solve_many(rules, deals, 2000, lines=False)
    lost = deals[batch.outcome == OUTCOMES.index("lost")][:20]
    assert len(lost) > 0
    played = [some_moves(rules, cards, rng, rng.randrange(1, 12)) for cards in lost.tolist()]
    after = solve_many(rules, lost, 5000, played=played)
    assert OUTCOMES.index("won") not in after.outcome
    assert OUTCOMES.index("lost") in after.outcome


@pytest.mark.parametrize("game", ["wave-motion", "wave-motion(columns=9,reserve_moves=run)"])
def test_both_searches_of_sets_agree_where_columns_are_full(game: str) -> None:
    rules, rng = parse_rules(game), random.Random(game)
    deals = deal_many("solstat", range(200))
    played = [some_moves(rules, cards, rng, rng.randrange(5, 25)) for cards in deals.tolist()]
    full = solve_many(rules, deals, 1_000_000, played=played)
    for prunings in (None, (), ("closure",), ("commit",), ("closure", "commit")):
        search = "full" if prunings is not None else "plain"
        other = solve_many(rules, deals, 1_000_000, search, played=played, prunings=prunings)
        assert (other.outcome == full.outcome).all()
    assert set(full.outcome.tolist()) == {OUTCOMES.index("won"), OUTCOMES.index("lost")}


def test_the_position_is_number_1_and_the_line_begins_there(any_rules: Rules) -> None:
    ((cards, line),) = some_wins(any_rules, 1)
    over = solve(any_rules, cards, 1, line=line)
    assert (over.outcome, over.positions, over.moves, over.line) == ("won", 1, 0, "")
    *before, _ = line.split()
    result = solve(any_rules, cards, 1000, line=" ".join(before))
    assert result.outcome == "won"
    assert result.moves == 1
    assert replay_win(any_rules, cards, " ".join([*before, str(result.line)])).won
    if any_rules.game != "flow":  # there, cards that can all be joined are won
        assert solve(any_rules, cards, 1, line=" ".join(before)).outcome == "unsettled"


def test_nothing_played_is_the_deal() -> None:
    rules = parse_rules("wasp")
    deals = deal_many("solstat", range(20))
    usual = solve_many(rules, deals, 10_000)
    played = solve_many(rules, deals, 10_000, played=[""] * 20)
    assert (usual.positions == played.positions).all()
    assert usual.line == played.line


def test_moves_must_be_legal_and_for_each_deal() -> None:
    rules, deals = parse_rules("wasp"), deal_many("solstat", range(2))
    with pytest.raises(UsageError, match="deal: the stock has been dealt"):
        solver.solve(rules, deals[0].tolist(), 1000, line="deal deal")
    with pytest.raises(ValueError, match="2 deals with moves played in 1 of them"):
        solve_many(rules, deals, 1000, played=["deal"])
