"""The door to the kernel: full deals, budgets, keys, cancelling, golden verdicts."""

from __future__ import annotations

import csv
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from solstat import games, solver
from solstat.errors import UsageError
from solstat.verify import replay_win

WASP = games.rules("wasp")
every_game = pytest.mark.parametrize(
    "rules", [games.rules(game.name) for game in games.presets()], ids=lambda rules: rules.id
)
# Numbers of deals, and a budget at which most of them are settled and some are not.
SIZES = {
    "wasp": (300, 2000),
    "scorpion": (300, 2000),
    "will-o-the-wisp": (60, 20_000),
    "spiderette": (60, 20_000),
    "wave-motion": (300, 700),
    "flow": (2000, 300),
}


def columns(batch: solver.Batch) -> list[tuple[int, int, int, str | None]]:
    """All that must not depend on anything but deal, rules, search and budget."""
    arrays = (batch.outcome.tolist(), batch.positions.tolist(), batch.moves.tolist(), batch.line)
    return list(zip(*arrays, strict=True))


@pytest.mark.parametrize(
    "rules_id",
    [
        *(name for name in SIZES if name != "flow"),  # of which no other program has verdicts
        "wave-motion(reserve_moves=run)",
    ],
)
def test_verdicts_are_those_of_independent_programs(
    rules_id: str, data: Path, oracle_deals: dict[str, tuple[int, ...]]
) -> None:
    rules = games.parse_rules(rules_id)
    with (data / "verdicts.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["game"] == rules_id]
    assert len(rows) >= 140
    deals = [oracle_deals[row["deal"]] for row in rows]
    batch = solver.solve_many(rules, np.array(deals, dtype=np.uint8), 20_000_000)
    assert [solver.OUTCOMES[index] for index in batch.outcome] == [row["outcome"] for row in rows]
    for cards, line, moves in zip(deals, batch.line, batch.moves, strict=True):
        if line is not None:
            assert replay_win(rules, cards, line).won
            assert moves == len(line.split())


@every_game
def test_a_budget_only_decides_where_the_search_stops(rules: games.Rules) -> None:
    number, most = SIZES[rules.game]
    deals = solver.deal_many("solstat", range(2_100_000, 2_100_000 + number))
    large = solver.solve_many(rules, deals, most)
    assert 0 < np.sum(large.outcome == 0) < number / 4
    for budget in (1, 2, 50, 300, most):
        small = solver.solve_many(rules, deals, budget)
        for then, now in zip(columns(large), columns(small), strict=True):
            settled = then[0] != 0 and then[1] <= budget
            assert now == (then if settled else (0, budget, -1, None))


@every_game
def test_keys_do_not_matter(rules: games.Rules) -> None:
    deals = solver.deal_many("solstat", range(2_100_300, 2_100_500))
    usual = solver.solve_many(rules, deals, 3000)
    assert columns(solver.solve_many(rules, deals, 3000, key_seed=99)) == columns(usual)
    settled = usual.outcome != 0
    assert np.sum(settled) > 50
    wide = solver.solve_many(rules, deals[settled], 16_000_001)
    narrow = solver.solve_many(rules, deals[settled], 16_000_000)
    assert columns(wide) == columns(narrow)


@every_game
def test_no_pruning_changes_a_verdict_of_full_deals(rules: games.Rules) -> None:
    number, _ = SIZES[rules.game]
    deals = solver.deal_many("solstat", range(2_100_500, 2_100_500 + number))
    full = solver.solve_many(rules, deals, 30_000)
    known = solver.PRUNINGS[rules.family]
    for some in [(), *(tuple(set(known) - {name}) for name in known)]:
        other = solver.solve_many(rules, deals, 30_000, prunings=some)
        settled = (full.outcome != 0) & (other.outcome != 0)
        assert np.sum(settled) > number / 2
        assert np.array_equal(full.outcome[settled], other.outcome[settled])


def test_plain_is_the_search_without_prunings() -> None:
    deals = solver.deal_many("solstat", range(2_100_800, 2_100_900))
    plain = solver.solve_many(WASP, deals, 10_000, "plain")
    assert columns(plain) == columns(solver.solve_many(WASP, deals, 10_000, prunings=()))
    full = solver.solve_many(WASP, deals, 10_000)
    assert full.positions.sum() < plain.positions.sum()


def test_every_win_has_its_length_with_lines_or_without() -> None:
    deals = solver.deal_many("solstat", range(2_100_900, 2_101_000))
    shown = solver.solve_many(WASP, deals, 10_000)
    silent = solver.solve_many(WASP, deals, 10_000, lines=False)
    assert silent.line == [None] * 100
    assert np.array_equal(shown.moves, silent.moves)
    assert np.array_equal(shown.moves >= 0, shown.outcome == 1)


def test_one_deal_is_a_batch_of_one() -> None:
    deals = solver.deal_many("solstat", [7, 2**64 - 1])
    batch = solver.solve_many(WASP, deals, 10_000)
    for index, cards in enumerate(deals.tolist()):
        result = solver.solve(WASP, cards, 10_000)
        assert result.outcome == solver.OUTCOMES[batch.outcome[index]]
        assert (result.positions, result.line) == (batch.positions[index], batch.line[index])
        assert result.stage == "dfs"
    lost = solver.solve(WASP, deals[0].tolist(), 1)
    assert (lost.outcome, lost.moves, lost.line) == ("unsettled", None, None)


def hard_deals() -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Deals that take minutes with the plain search."""
    deals = solver.deal_many("solstat", range(2_101_000, 2_101_300))
    quick = solver.solve_many(WASP, deals, 10_000, "plain")
    return np.repeat(deals[quick.outcome == 0], 100, axis=0)


def test_a_flag_stops_a_search() -> None:
    flag = solver.CancelFlag()
    timer = threading.Timer(0.2, flag.set)
    timer.start()
    with pytest.raises(solver.Cancelled):
        solver.solve_many(WASP, hard_deals(), 16_000_000, "plain", cancel=flag)
    timer.join()
    assert flag.is_set()


def test_an_interrupt_stops_a_search() -> None:
    deals = hard_deals()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solver.solve_many(WASP, deals, 16_000_000, "plain")
    assert time.monotonic() - begin < 30
    timer.join()


def test_an_interrupt_stops_perft() -> None:
    cards = solver.deal_many("solstat", [0])[0].tolist()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.perft(WASP, cards, "", 40)
    timer.join()


def test_wrong_arguments_are_named() -> None:
    deals = solver.deal_many("solstat", [1])
    with pytest.raises(UsageError, match="unknown search clever"):
        solver.solve_many(WASP, deals, 10, "clever")
    with pytest.raises(UsageError, match="budget 0 is too small"):
        solver.solve_many(WASP, deals, 0)
    with pytest.raises(UsageError, match="unknown pruning hope"):
        solver.solve_many(WASP, deals, 10, prunings=["hope"])
    with pytest.raises(UsageError, match="wasp: its search is ordered by no score"):
        solver.solve_many(WASP, deals, 10, weights=[1])
    with pytest.raises(UsageError, match="unknown scheme .tarot"):
        solver.deal_many("tarot", [1])
    with pytest.raises(ValueError, match=r"have shape \(n, 52\)"):
        solver.solve_many(WASP, deals[:, :51], 10)


def test_a_stage_and_a_version_for_every_family() -> None:
    for game in games.presets():
        assert solver.search_version(game.family) >= 1
        assert "dfs" in solver.STAGES[game.family]
