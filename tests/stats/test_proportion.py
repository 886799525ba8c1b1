from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.stats.intervals import METHODS, clopper_pearson, wilson
from solstat.stats.proportion import figures, share
from solstat.survey.reader import Counts


class TestShare:
    @given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
    def test_goes_from_the_floor_to_the_ceiling(self, k: int, still_open: int, rest: int) -> None:
        n = k + still_open + rest
        found = share(k, still_open, n)
        assert 0 <= found.low <= found.floor <= found.ceiling <= found.high <= 1
        if n:
            assert found.floor == k / n
            assert found.ceiling == (k + still_open) / n

    def test_bounds_are_those_of_floor_and_ceiling(self) -> None:
        found = share(30, 10, 100)
        assert found.low == wilson(30, 100).low
        assert found.high == wilson(40, 100).high
        exact = share(30, 10, 100, interval=clopper_pearson)
        assert exact.low == clopper_pearson(30, 100).low < found.low

    def test_of_no_deals_nothing_is_known(self) -> None:
        found = share(0, 0, 0)
        assert (found.floor, found.ceiling, found.low, found.high) == (0, 1, 0, 1)

    def test_holds_the_truth_at_least_as_often_as_it_says(self) -> None:
        """Deals stay open at random, and by outcome: neither makes the interval miss."""
        draw = random.Random(1)
        truth, n, times = 0.85, 200, 500
        held = 0
        for time in range(times):
            won = still_open = 0
            for _ in range(n):
                is_won = draw.random() < truth
                if draw.random() < (0.05 if is_won or time % 2 else 0.3):
                    still_open += 1
                else:
                    won += is_won
            found = share(won, still_open, n)
            held += found.low <= truth <= found.high
        assert held / times > 0.95


class TestFigures:
    def test_errors_are_open_like_unsettled(self) -> None:
        found = figures(Counts("wasp", 250_000, won=80, lost=10, unsettled=7, error=3))
        assert (found.n, found.floor, found.ceiling) == (100, 0.8, 0.9)
        assert (found.lost_floor, found.lost_ceiling) == (0.1, 0.2)
        assert (found.low, found.high) == (wilson(80, 100).low, wilson(90, 100).high)
        assert (found.lost_low, found.lost_high) == (wilson(10, 100).low, wilson(20, 100).high)
        assert found.n == found.won + found.lost + found.unsettled + found.error

    def test_exact_and_another_confidence(self) -> None:
        counted = Counts("wasp", 250_000, won=80, lost=20)
        found = figures(counted, interval="exact", confidence=0.5)
        assert (found.low, found.high) == clopper_pearson(80, 100, 0.5)

    @pytest.mark.parametrize("interval", METHODS)
    @pytest.mark.parametrize(
        ("counted", "won", "lost"),
        [
            (Counts("wasp", 9), (0, 1), (0, 1)),
            (Counts("wasp", 9, won=50), (1, 1), (0, 0)),
            (Counts("wasp", 9, lost=50), (0, 0), (1, 1)),
            (Counts("wasp", 9, unsettled=50), (0, 1), (0, 1)),
            (Counts("wasp", 9, error=50), (0, 1), (0, 1)),
            (Counts("wasp", 9, won=1), (1, 1), (0, 0)),
        ],
    )
    def test_none_all_and_nothing_settled(
        self,
        interval: str,
        counted: Counts,
        won: tuple[float, float],
        lost: tuple[float, float],
    ) -> None:
        found = figures(counted, interval=interval)
        assert (found.floor, found.ceiling) == won
        assert (found.lost_floor, found.lost_ceiling) == lost
        assert found.low == 0 or (found.floor == 1 and 0 < found.low < 1)
        assert found.high == 1 or (found.ceiling == 0 and 0 < found.high < 1)
        assert found.lost_low == 0 or (found.lost_floor == 1 and 0 < found.lost_low < 1)
        assert found.lost_high == 1 or (found.lost_ceiling == 0 and 0 < found.lost_high < 1)
        assert (found.interval, found.confidence) == (interval, 0.95)
