from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from solstat.errors import UsageError
from solstat.stats.intervals import METHODS, Interval, clopper_pearson, wilson

SIZES = (5, 10, 20, 50, 100, 200, 500)
SHARES = np.linspace(0.01, 0.99, 99)


@cache
def bounds(method: str, n: int, confidence: float) -> np.ndarray:
    """Shape (n + 1, 2): the intervals of each number of deals that may count."""
    return np.array([METHODS[method](k, n, confidence) for k in range(n + 1)])


def holds(method: str, n: int, confidence: float, share: float) -> np.ndarray:
    """Of each number of deals that may count, whether its interval holds the share."""
    low, high = bounds(method, n, confidence).T
    return (low <= share) & (share <= high)


def coverage(method: str, n: int, confidence: float) -> np.ndarray:
    """How often intervals hold the share, of each of SHARES: exactly, by enumeration."""
    k = np.arange(n + 1)
    return np.array(
        [binom.pmf(k, n, share)[holds(method, n, confidence, share)].sum() for share in SHARES]
    )


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


@pytest.mark.parametrize(("method", "theirs"), [("wilson", "wilson"), ("exact", "beta")])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_statsmodels_finds_the_same(method: str, theirs: str, confidence: float) -> None:
    for n in (1, 2, 17, 563, 20_000, 10**7):
        for k in sorted({0, 1, n // 7, n // 2, n - 1, n}):
            wanted = proportion_confint(k, n, alpha=1 - confidence, method=theirs)
            assert METHODS[method](k, n, confidence) == pytest.approx(wanted, abs=1e-9)


class TestCoverage:
    @pytest.mark.parametrize("confidence", [0.95, 0.99])
    def test_exact_intervals_hold_every_share_at_least_as_often_as_they_say(
        self, confidence: float
    ) -> None:
        for n in SIZES:
            assert coverage("exact", n, confidence).min() >= confidence - 1e-12

    def test_wilsons_do_so_on_average(self) -> None:
        found = np.array([coverage("wilson", n, 0.95) for n in SIZES])
        assert 0.94 < found.mean() < 0.96
        assert ((found.mean(axis=1) > 0.94) & (found.mean(axis=1) < 0.965)).all()
        # No single share is held badly, and some are held too seldom: it is no exact interval.
        assert 0.83 < found.min() < 0.94

    @pytest.mark.parametrize(
        ("method", "least", "most"), [("exact", 0.95, 1), ("wilson", 0.94, 0.96)]
    )
    def test_so_does_a_simulation(self, method: str, least: float, most: float) -> None:
        draw = np.random.default_rng(6)
        times = 20_000
        found = []
        for n in (20, 100, 500):
            for share in (0.02, 0.1, 0.3, 0.5, 0.862, 0.98):
                k = draw.binomial(n, share, times)
                found.append(holds(method, n, 0.95, share)[k].mean())
        assert least <= np.mean(found) <= most
        noise = 4 * math.sqrt(0.95 * 0.05 / times)
        assert min(found) >= least - noise - (0.03 if method == "wilson" else 0)
