"""Flow: the rare deals that are lost if an emptied reserve stays empty."""

from __future__ import annotations

import numpy as np

from solstat import games, solver
from solstat.verify import replay_win

NEVER = games.rules("flow", empty_reserve="never")
SINGLE = games.rules("flow")


def lost_deals(number: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Those among so many deals that are lost under `empty_reserve=never`."""
    deals = solver.deal_many("solstat", range(2_200_000, 2_200_000 + number))
    batch = solver.solve_many(NEVER, deals, 1_000_000, lines=False)
    assert np.all(batch.outcome != 0)
    return deals[batch.outcome == 2]


def test_lost_deals_are_so_without_any_pruning_and_cost_each_position_once() -> None:
    deals = lost_deals(20_000)
    assert len(deals) > 0
    plain = solver.solve_many(NEVER, deals, 10_000_000, "plain")
    assert np.all(plain.outcome == 2)
    for backwards in (False, True):
        bare = solver.solve_many(
            NEVER, deals, 10_000_000, prunings=(), key_seed=5, backwards=backwards
        )
        assert np.all(bare.outcome == 2)
        assert np.array_equal(bare.positions, plain.positions)


def test_stages_take_turns_where_empty_reserves_may_be_filled() -> None:
    deals = lost_deals(40_000)
    batch = solver.solve_many(SINGLE, deals, 1_000_000)
    assert np.sum(batch.outcome == 1) > 0
    assert {batch.stages[index] for index in batch.stage} == {"cyclic"}
    first = solver.solve_many(NEVER, deals, 1_000_000)
    assert {first.stages[index] for index in first.stage} == {"sets"}
    assert np.all(batch.positions > first.positions)  # what the first stage searched counts too
    for cards, line in zip(deals.tolist(), batch.line, strict=True):
        if line is not None:
            assert replay_win(SINGLE, cards, line).won
    # A budget that the first stage spends in full leaves nothing for the second.
    for cards, spent in zip(deals.tolist(), first.positions.tolist(), strict=True):
        result = solver.solve(SINGLE, cards, spent)
        assert (result.outcome, result.positions, result.stage) == ("unsettled", spent, "cyclic")
        assert solver.solve(SINGLE, cards, spent - 1).stage == "sets"


def test_a_line_of_flow_is_as_long_as_it_says_and_moves_each_card_twice_at_most() -> None:
    deals = solver.deal_many("solstat", range(2_250_000, 2_250_200))
    batch = solver.solve_many(NEVER, deals, 100_000)
    for moves, line in zip(batch.moves.tolist(), batch.line, strict=True):
        if line is None:
            continue
        cards = [word.split(">")[0] for word in line.split()]
        assert len(cards) == moves
        assert max(cards.count(card) for card in cards) <= 2
