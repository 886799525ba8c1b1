from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.errors import UsageError
from solstat.stats.intervals import wilson
from solstat.stats.published import (
    Published,
    exactly,
    likely,
    outcomes_p_value,
    probability,
    rounded,
)


def binomial(k: int, n: int, share: Fraction) -> Fraction:
    return comb(n, k) * share**k * (1 - share) ** (n - k)


class TestRounded:
    @pytest.mark.parametrize(
        ("percent", "n", "first", "last"),
        [("89", 563, 499, 503), ("12.8", 1000, 128, 128), ("77.9", 1000, 779, 779)],
    )
    def test_counts_that_round_to_it(self, percent: str, n: int, first: int, last: int) -> None:
        assert rounded(percent, n) == range(first, last + 1)

    def test_what_no_count_rounds_to_is_refused(self) -> None:
        with pytest.raises(UsageError, match="50 % of 1 deals"):
            rounded("50", 1)

    @given(st.integers(1, 3000), st.data(), st.integers(0, 3))
    def test_holds_the_count_it_was_rounded_from(
        self, n: int, data: st.DataObject, digits: int
    ) -> None:
        k = data.draw(st.integers(0, n))
        percent = f"{100 * k / n:.{digits}f}"
        found = rounded(percent, n)
        assert k in found
        assert 0 <= found[0] <= found[-1] <= n
        assert len(found) <= n / (100 * 10**digits) + 1

    def test_a_half_may_have_gone_either_way(self) -> None:
        assert rounded("12", 200) == range(23, 26)  # 11.5 % and 12.5 %


class TestProbability:
    @given(st.integers(1, 40), st.data(), st.integers(0, 20))
    def test_is_the_sum_of_the_definition(
        self, n: int, data: st.DataObject, twentieths: int
    ) -> None:
        first = data.draw(st.integers(0, n))
        last = data.draw(st.integers(first, n))
        share = Fraction(twentieths, 20)
        chances = [binomial(k, n, share) for k in range(n + 1)]
        found = probability(range(first, last + 1), n, float(share))
        assert found == pytest.approx(float(sum(chances[first : last + 1])))
        assert 0 <= found <= 1

    def test_far_tails_are_not_lost_to_rounding(self) -> None:
        assert probability(exactly(1000), 1000, 0.5) == pytest.approx(0.5**1000)
        assert probability(range(1001), 1000, 0.5) == pytest.approx(1)

    @pytest.mark.parametrize("counts", [range(0), range(-1, 3), range(5, 12), range(0, 6, 2)])
    def test_impossible_counts(self, counts: range) -> None:
        with pytest.raises(ValueError, match="of 10 deals"):
            probability(counts, 10, 0.5)


class TestLikely:
    @given(st.integers(0, 60), st.integers(0, 20), st.integers(0, 20))
    def test_leaves_out_the_tails_and_no_more(self, n: int, low: int, more: int) -> None:
        ends = Fraction(low, 20), Fraction(min(20, low + more), 20)
        found = likely(n, float(ends[0]), float(ends[1]), 0.9)
        below, above = (
            sum(binomial(k, n, end) for k in counts)
            for end, counts in zip(
                ends, (range(found[0]), range(found[-1] + 1, n + 1)), strict=True
            )
        )
        edges = binomial(found[0], n, ends[0]), binomial(found[-1], n, ends[1])
        slack = 1e-9
        assert below < 0.05 + slack
        assert above < 0.05 + slack
        assert below + edges[0] > 0.05 - slack
        assert above + edges[1] > 0.05 - slack

    def test_the_ends(self) -> None:
        assert likely(10, 0, 0) == exactly(0)
        assert likely(10, 1, 1) == exactly(10)
        assert likely(10, 0, 1) == range(11)

    @pytest.mark.parametrize(("low", "high"), [(-0.1, 0.5), (0.6, 0.5), (0.5, 1.1)])
    def test_impossible_shares(self, low: float, high: float) -> None:
        with pytest.raises(ValueError, match="of 10 deals"):
            likely(10, low, high)


class TestOutcomesPValue:
    @pytest.mark.parametrize("counts", [(2, 1, 2), (5, 0, 0), (0, 1, 4), (3, 1, 1)])
    def test_is_the_sum_of_the_definition(self, counts: tuple[int, int, int]) -> None:
        shares = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))

        def chance(won: int, lost: int, still_open: int) -> Fraction:
            ways = factorial(5) // (factorial(won) * factorial(lost) * factorial(still_open))
            return ways * shares[0] ** won * shares[1] ** lost * shares[2] ** still_open

        every = [chance(w, x, 5 - w - x) for w in range(6) for x in range(6 - w)]
        assert sum(every) == 1
        wanted = sum(each for each in every if each <= chance(*counts))
        found = outcomes_p_value(counts, [float(share) for share in shares])
        assert found == pytest.approx(float(wanted))

    def test_the_likeliest_and_the_impossible(self) -> None:
        assert outcomes_p_value((80, 20, 0), (0.8, 0.2, 0.0)) == pytest.approx(1)
        assert outcomes_p_value((80, 15, 5), (0.8, 0.2, 0.0)) == 0


class TestPublished:
    def test_unsettled_deals_may_be_winnable(self) -> None:
        found = Published("a page", 100, exactly(82), lost=13, budget=250_000)
        assert found.winnable == range(82, 88)
        assert (found.proved().floor, found.proved().ceiling) == (0.82, 0.82)
        share = found.share()
        assert (share.floor, share.ceiling) == (0.82, 0.87)
        assert (share.low, share.high) == (wilson(82, 100).low, wilson(87, 100).high)

    def test_winnable_deals_that_were_left_unproved(self) -> None:
        found = Published("a page", 100, range(80, 83), lost=13)
        assert found.unproved(range(84, 86)) == range(2, 6)
        assert found.unproved(range(81, 101)) == range(8)  # no more than were not settled
        assert found.unproved(range(70, 80)) == range(1)

    def test_a_floor_says_nothing_of_what_is_lost(self) -> None:
        found = Published("a page", 563, rounded("89", 563))
        assert found.winnable == range(499, 564)
        assert found.share().high == 1
        assert found.proved().ceiling == 503 / 563
