from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, multinomial
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels
from statsmodels.stats.proportion import confint_proportions_2indep

from solstat.stats.difference import fisher, mcnemar, paired_interval, unpaired_interval

Table = tuple[int, int, int, int]


def tables(n: int) -> Iterator[Table]:
    """Every way to put n deals into four cells."""
    for both, first, second in product(range(n + 1), repeat=3):
        if both + first + second <= n:
            yield both, first, second, n - both - first - second


class TestPairedInterval:
    @pytest.mark.parametrize(
        ("table", "low", "high"),
        [
            # R. G. Newcombe, Statistics in Medicine 17 (1998) 2635-2650, table III, method 10.
            ((36, 12, 2, 0), -0.3404, -0.0569),
            # D. G. Altman and others, Statistics with confidence, 2nd edition (2000), page 52.
            ((14, 5, 0, 22), -0.226, -0.011),
            # M. W. Fagerland and others, BMC Medical Research Methodology 14 (2014) 21.
            ((1, 1, 7, 12), 0.026, 0.507),
        ],
    )
    def test_published_values(self, table: Table, low: float, high: float) -> None:
        digits = len(str(low).partition(".")[2])
        assert paired_interval(*table) == pytest.approx((low, high), abs=0.51 * 10**-digits)

    def test_mirrors(self) -> None:
        for both, first, second, neither in tables(7):
            one = paired_interval(both, first, second, neither, 0.9)
            other = paired_interval(both, second, first, neither, 0.9)
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
            assert -1 <= one.low <= (second - first) / 7 <= one.high <= 1

    def test_none_and_all(self) -> None:
        assert paired_interval(0, 0, 0, 0) == (-1, 1)
        for table in ((50, 0, 0, 0), (0, 0, 0, 50), (25, 0, 0, 25)):
            low, high = paired_interval(*table)
            assert low == pytest.approx(-high)
            assert 0 < high < 0.15
        assert paired_interval(0, 50, 0, 0).low == -1
        assert paired_interval(0, 0, 50, 0).high == 1

    def test_holds_the_difference_about_as_often_as_it_says(self) -> None:
        """Exactly, by enumeration: the mean over a grid, and no share of it far below."""
        n = 30
        found = []
        every = list(tables(n))
        bounds = np.array([paired_interval(*table) for table in every])
        for shares in product((0.05, 0.2, 0.5, 0.8), repeat=3):
            if sum(shares) >= 1:
                continue
            cells = [*shares, 1 - sum(shares)]
            truth = cells[2] - cells[1]
            holds = (bounds[:, 0] <= truth) & (truth <= bounds[:, 1])
            found.append(float(multinomial.pmf(every, n, cells)[holds].sum()))
        assert len(found) > 15
        assert 0.945 < np.mean(found) < 0.97
        assert min(found) > 0.92


class TestUnpairedInterval:
    def test_published_values(self) -> None:
        # R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10.
        for (second, of_second, first, of_first), bounds in (
            ((56, 70, 48, 80), (0.0524, 0.3339)),
            ((9, 10, 3, 10), (0.1705, 0.8090)),
            ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ):
            assert unpaired_interval(first, of_first, second, of_second) == pytest.approx(
                bounds, abs=5e-5
            )

    def test_is_that_of_statsmodels(self) -> None:
        draw = random.Random(2)
        for _ in range(300):
            of_first, of_second = draw.randint(1, 500), draw.randint(1, 500)
            first, second = draw.randint(0, of_first), draw.randint(0, of_second)
            wanted = confint_proportions_2indep(
                second, of_second, first, of_first, method="newcomb", compare="diff", alpha=0.1
            )
            found = unpaired_interval(first, of_first, second, of_second, 0.9)
            assert found == pytest.approx(wanted, abs=1e-12)

    def test_of_no_deals(self) -> None:
        assert unpaired_interval(0, 0, 3, 10) == unpaired_interval(3, 10, 0, 0) == (-1, 1)


class TestTests:
    def test_mcnemar_is_that_of_statsmodels(self) -> None:
        for first, second in product(range(12), repeat=2):
            if first or second:
                wanted = mcnemar_of_statsmodels([[5, first], [second, 9]], exact=True).pvalue
                assert mcnemar(first, second) == pytest.approx(min(1, wanted))
        assert mcnemar(0, 0) == 1
        assert mcnemar(4_900_000, 5_000_000) < 1e-20

    def test_fisher_is_twice_the_smaller_tail(self) -> None:
        for first, second in product(range(8), range(6)):
            table = [[first, 7 - first], [second, 5 - second]]
            tails = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
            assert fisher(first, 7, second, 5) == pytest.approx(min(1, 2 * min(tails)))
        assert fisher(0, 0, 3, 9) == fisher(0, 0, 0, 0) == fisher(0, 5, 0, 9) == 1
        assert 0 < fisher(6_000_000, 10_000_000, 6_010_000, 10_000_000) < 1e-4

    def test_neither_finds_too_much_where_there_is_nothing(self) -> None:
        for n, share in product((6, 25), (0.1, 0.5, 0.9)):
            chance = binom.pmf(range(n + 1), n, share)
            found = sum(
                chance[first] * chance[second]
                for first, second in product(range(n + 1), repeat=2)
                if fisher(first, n, second, n) <= 0.05
            )
            assert found <= 0.05
            even = binom.pmf(range(n + 1), n, 0.5)
            assert sum(even[k] for k in range(n + 1) if mcnemar(k, n - k) <= 0.05) <= 0.05
