from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from time import perf_counter

import numpy as np
import pytest

from solstat.solver import OUTCOMES
from solstat.stats.difference import paired_interval
from solstat.stats.worst import _Lowest, worst_bounds

WON, LOST, OPEN = (OUTCOMES.index(name) for name in ("won", "lost", "unsettled"))
CELLS = [*product((WON, LOST, OPEN), repeat=2)]
SETTLED = CELLS[:2] + CELLS[3:5]  # both, first, second, neither
RELATIONS = {"none": (), "forward": ("forward",), "back": ("back",)}

Settled = tuple[int, ...]


def ways(cell: tuple[int, int], relation: str) -> list[int]:
    """What a deal of a cell may be: places in SETTLED."""
    barred = {"none": None, "forward": (WON, LOST), "back": (LOST, WON)}[relation]
    return [
        place
        for place, each in enumerate(SETTLED)
        if each != barred
        and all(open_or in (OPEN, is_so) for open_or, is_so in zip(cell, each, strict=True))
    ]


def every(counts: Settled, relation: str, known: dict[Settled, set[Settled]]) -> set[Settled]:
    """All that the deals of a table may be settled as; `known` of smaller tables."""
    if counts not in known:
        cell = next(place for place, count in enumerate(counts) if count)
        fewer = every(more(counts, cell, -1), relation, known)
        may = ways(CELLS[cell], relation)
        known[counts] = {more(each, way, 1) for each in fewer for way in may}
    return known[counts]


def more(counts: Settled, place: int, by: int) -> Settled:
    return (*counts[:place], counts[place] + by, *counts[place + 1 :])


def tables(n: int, relation: str) -> Iterator[Settled]:
    """Every way to put n deals into CELLS."""
    for cuts in combinations(range(n + len(CELLS) - 1), len(CELLS) - 1):
        ends = (-1, *cuts, n + len(CELLS) - 1)
        counts = tuple(last - first - 1 for first, last in pairwise(ends))
        if all(ways(cell, relation) for cell, count in zip(CELLS, counts, strict=True) if count):
            yield counts


def made(counts: Settled) -> np.ndarray:
    table = np.zeros((4, 4), np.int64)
    for cell, count in zip(CELLS, counts, strict=True):
        table[cell] = count
    return table


def bounds(counts: Settled, confidence: float, relation: str) -> tuple[float, float]:
    return worst_bounds(made(counts), confidence, **dict.fromkeys(RELATIONS[relation], True))


def nothing() -> dict[Settled, set[Settled]]:
    return {(0,) * len(CELLS): {(0,) * len(SETTLED)}}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("n", "confidence"),
    [(n, confidence) for n in (1, 2, 3, 4) for confidence in (0.5, 0.9, 0.95, 0.99, 0.9999)]
    + [(5, 0.95), (6, 0.99)],
)
def test_are_those_of_one_way_to_settle_a_small_table(
    n: int, confidence: float, relation: str
) -> None:
    """Every table, and all that its open deals can be."""
    known = nothing()
    of = {
        each: paired_interval(*each, confidence)
        for each in product(range(n + 1), repeat=4)
        if sum(each) == n
    }
    for counts in tables(n, relation):
        low, high = bounds(counts, confidence, relation)
        possible = [of[each] for each in every(counts, relation, known)]
        assert -1e-12 < min(each.low for each in possible) - low < 2e-9, counts
        assert -1e-12 < high - max(each.high for each in possible) < 2e-9, counts


@pytest.mark.parametrize("relation", RELATIONS)
def test_of_more_deals(relation: str) -> None:
    draw = random.Random(4)
    for _ in range(60):
        counts = tuple(
            0
            if not ways(cell, relation)
            else draw.choice([0, 1, 3, 8, 40])
            if OPEN not in cell
            else draw.choice([0, 0, 1, 3, 5])
            for cell in CELLS
        )
        confidence = draw.choice([0.8, 0.95, 0.99, 0.999])
        possible = [
            paired_interval(*each, confidence) for each in every(counts, relation, nothing())
        ]
        low, high = bounds(counts, confidence, relation)
        assert -1e-12 < min(each.low for each in possible) - low < 2e-9
        assert -1e-12 < high - max(each.high for each in possible) < 2e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_box_holds_what_is_below_its_bound(relation: str) -> None:
    """What makes the search exact: it drops boxes without a look inside."""
    draw = random.Random(5)
    checked = 0
    for _ in range(1500):
        counts = [draw.choice([0, 0, 1, 4]) if ways(cell, relation) else 0 for cell in CELLS]
        cells, z = np.array(counts).reshape(3, 3), draw.choice([0.1, 1.0, 2.0, 4.0])
        search = _Lowest(cells, z, relation == "forward", relation == "back")
        cases = {
            (both + first, second - first)
            for both, first, second, _ in every(tuple(counts), relation, nothing())
        }
        if len(cases) < 3:
            continue
        corners = sorted(draw.choice(sorted(cases)) for _ in range(2))
        (low, one), (high, other) = corners
        box = low, high, min(one, other), max(one, other)
        inside = [
            (won, won, more, more)
            for won, more in cases
            if box[0] <= won <= box[1] and box[2] <= more <= box[3]
        ]
        (bound,) = search._below(np.array(box)[:, None])
        assert bound <= search._below(np.array(inside).T).min() + 1e-12, (counts, box, z)
        afters = [won + more for won, _, more, _ in inside]
        (least,) = search._correlation(
            np.array(box)[:, None], np.array([min(afters)]), np.array([max(afters)])
        )
        of_cases = search._correlation(np.array(inside).T, np.array(afters), np.array(afters))
        assert least <= of_cases.min() + 1e-12, (counts, box)
        checked += len(inside) > 2
    assert checked > 100


@pytest.mark.parametrize(
    ("both", "second", "neither", "alike"),
    [(0, 5, 0, 20), (1, 10, 0, 50), (5, 20, 5, 100), (100, 20, 100, 100), (0, 100, 0, 1000)],
)
def test_deals_open_under_both_do_their_worst_in_between(
    both: int, second: int, neither: int, alike: int
) -> None:
    """Won or lost under both rules, the difference is the same and its interval is not."""
    low, _ = bounds((both, 0, 0, second, neither, 0, 0, 0, alike), 0.95, "forward")
    lows = [
        paired_interval(both + won, 0, second, neither + alike - won).low
        for won in range(alike + 1)
    ]
    assert low == pytest.approx(min(lows), abs=2e-9)
    assert low < min(lows[0], lows[-1]) - 1e-5


def test_a_difference_that_its_ends_make_sure_of_may_be_none() -> None:
    low, high = bounds((0, 0, 0, 4, 0, 0, 0, 0, 6), 0.95, "forward")
    assert min(paired_interval(won, 0, 4, 6 - won).low for won in (0, 6)) > 0
    assert low < 0
    assert low == pytest.approx(paired_interval(1, 0, 4, 5).low, abs=2e-9)
    assert high == 1


@pytest.mark.parametrize("counts", [(2, 0, 1, 0, 1, 0, 0, 1, 0), (0, 0, 1, 8, 0, 0, 2, 1, 0)])
def test_without_a_relation_the_greatest_difference_need_not_be_the_worst(counts: Settled) -> None:
    possible = every(counts, "none", nothing())
    of_greatest = max(
        (second - first, paired_interval(both, first, second, neither, 0.99).high)
        for both, first, second, neither in possible
    )[1]
    assert bounds(counts, 0.99, "none")[1] > of_greatest + 1e-3


@pytest.mark.parametrize("relation", RELATIONS)
def test_millions_of_deals_take_no_time_and_hold_what_they_may_be(relation: str) -> None:
    draw = np.random.default_rng(6)
    for huge in (
        (3_000_000, 90_000, 500_000, 80_000, 9_000_000, 7_000, 400_000, 300_000, 2_000_000),
        (0, 0, 0, 0, 1022, 0, 0, 0, 4_116_907),
        (0, 0, 1, 0, 0, 0, 1, 0, 20_000_000),
    ):
        counts = tuple(
            count if ways(cell, relation) else 0 for cell, count in zip(CELLS, huge, strict=True)
        )
        start = perf_counter()
        low, high = bounds(counts, 0.99, relation)
        assert perf_counter() - start < 20
        for _ in range(200):
            settled = np.zeros(4, np.int64)
            for cell, count in zip(CELLS, counts, strict=True):
                may = ways(cell, relation) or [0]
                settled[may] += draw.multinomial(count, draw.dirichlet([0.2] * len(may)))
            here = paired_interval(*settled.tolist(), 0.99)
            assert low <= here.low + 1e-12
            assert here.high <= high + 1e-12


def test_nothing_open_is_the_interval_itself_and_errors_are_open() -> None:
    assert bounds((5, 2, 0, 4, 6, 0, 0, 0, 0), 0.9, "none") == pytest.approx(
        paired_interval(5, 2, 4, 6, 0.9), abs=1e-12
    )
    table = made((5, 2, 3, 4, 6, 1, 0, 2, 7))
    failed = table.copy()
    error = OUTCOMES.index("error")
    failed[[OPEN, error]] = failed[[error, OPEN]]
    failed[:, [OPEN, error]] = failed[:, [error, OPEN]]
    assert worst_bounds(failed) == worst_bounds(table)
    assert worst_bounds(np.zeros((4, 4), np.int64)) == (-1, 1)
