from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from solstat.errors import UsageError
from solstat.stats.intervals import Interval, clopper_pearson, wilson
from solstat.stats.proportion import figures, share
from solstat.survey.reader import Counts


class TestWilson:
    @pytest.mark.parametrize(
        ("k", "n", "low", "high"),
        [
            # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0000, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ],
    )
    def test_published_values(self, k: int, n: int, low: float, high: float) -> None:
        assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)

    @given(st.integers(1, 10**7), st.data(), st.floats(0.5, 0.999))
    def test_is_scipys(self, n: int, data: st.DataObject, confidence: float) -> None:
        k = data.draw(st.integers(0, n))
        wanted = binomtest(k, n).proportion_ci(confidence, method="wilson")
        assert wilson(k, n, confidence) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


class TestClopperPearson:
    def test_published_values(self) -> None:
        # The same table, method 5.
        assert clopper_pearson(81, 263) == pytest.approx((0.2527, 0.3676), abs=5e-5)
        assert clopper_pearson(0, 20) == pytest.approx((0.0, 0.1684), abs=5e-5)

    def test_ends_are_closed_forms(self) -> None:
        assert clopper_pearson(0, 50).high == pytest.approx(1 - 0.025 ** (1 / 50))
        assert clopper_pearson(50, 50).low == pytest.approx(0.025 ** (1 / 50))


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
class TestBoth:
    def test_none_all_and_nothing(self, interval) -> None:
        assert interval(0, 10, 0.95).low == 0
        assert 0 < interval(0, 10, 0.95).high < 0.4
        assert interval(10, 10, 0.95).high == 1
        assert 0.6 < interval(10, 10, 0.95).low < 1
        assert interval(0, 0, 0.95) == Interval(0, 1)

    def test_holds_the_share_it_is_of(self, interval) -> None:
        for k in range(13):
            low, high = interval(k, 12, 0.9)
            assert 0 <= low <= k / 12 <= high <= 1

    def test_mirrors(self, interval) -> None:
        one, other = interval(3, 40, 0.95), interval(37, 40, 0.95)
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))

    @pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, 0)])
    def test_impossible_numbers(self, interval, k: int, n: int) -> None:
        with pytest.raises(ValueError, match=f"{k} of {n} deals"):
            interval(k, n, 0.95)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
    def test_impossible_confidence(self, interval, confidence: float) -> None:
        with pytest.raises(UsageError, match="between 0 and 1"):
            interval(1, 5, confidence)


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
