from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta

from solstat.errors import UsageError
from solstat.stats.intervals import METHODS, Interval, wilson
from solstat.stats.proportion import figures
from solstat.stats.sequential import (
    PRIOR_DEALS,
    Until,
    Won,
    confidence_sequence,
    log_evidence,
    parse_until,
    width,
)
from solstat.survey.reader import Counts

SHARES = (0.002, 0.03, 0.14, 0.35, 0.5, 0.86, 0.97, 0.998)


def paths(truth: float, times: int, n: int, seed: int) -> np.ndarray:
    """Deals that count among the first 1 to n, for so many surveys: shape (times, n)."""
    draw = np.random.default_rng(seed)
    return np.cumsum(draw.random((times, n)) < truth, axis=1)


def missing(truth: float, n: int, bounds) -> list[tuple[int, int]]:
    """For each size up to n: the counts from and to which an interval holds the truth."""
    found, first, last = [], 0, 0
    for size in range(1, n + 1):
        while bounds(first, size).high < truth:
            first += 1
        last = max(last, first)
        while last < size and bounds(last + 1, size).low <= truth:
            last += 1
        found.append((first, last))
    return found


def chance_to_miss(truth: float, held: list[tuple[int, int]]) -> float:
    """That the interval at any of the sizes misses, exactly: step by step over all counts."""
    alive = np.array([1.0])
    for first, last in held:
        alive = np.append(alive, 0) * (1 - truth) + np.append(0, alive) * truth
        alive[:first] = 0
        alive[last + 1 :] = 0
    return 1 - float(alive.sum())


class TestEvidence:
    @pytest.mark.parametrize(("k", "n", "share"), [(0, 3, 0.4), (7, 20, 0.6), (40, 50, 0.7)])
    def test_is_the_likelihood_mixed_over_other_shares(self, k, n, share) -> None:
        prior = beta(PRIOR_DEALS * share, PRIOR_DEALS * (1 - share))

        def ratio(other: float) -> float:
            likelihood = (other / share) ** k * ((1 - other) / (1 - share)) ** (n - k)
            return float(likelihood * prior.pdf(other))

        wanted, _ = quad(ratio, 0, 1, points=[share], limit=200)
        assert math.exp(log_evidence(k, n, share)) == pytest.approx(wanted, rel=1e-6)

    @given(st.integers(0, 10**6), st.data(), st.floats(0.001, 0.999))
    def test_is_a_martingale_under_the_share(self, n, data, share) -> None:
        k = data.draw(st.integers(0, n))
        now = log_evidence(k, n, share)
        after = [log_evidence(k + won, n + 1, share) - now for won in (0, 1)]
        mean = math.exp(after[0]) * (1 - share) + math.exp(after[1]) * share
        assert mean == pytest.approx(1, abs=1e-6)


class TestConfidenceSequence:
    def test_none_all_and_nothing(self) -> None:
        assert confidence_sequence(0, 0) == confidence_sequence(0, 1) == Interval(0, 1)
        none, every = confidence_sequence(0, 1000), confidence_sequence(1000, 1000)
        assert none.low == 0
        assert 0 < none.high < 0.01
        assert every.high == 1
        assert 0.99 < every.low < 1
        assert confidence_sequence(1, 1000).low == 0
        assert confidence_sequence(999, 1000).high == 1

    @given(st.integers(2, 10**9), st.data(), st.floats(0.5, 0.9999))
    def test_ends_are_where_the_evidence_is_enough(self, n, data, confidence) -> None:
        k = data.draw(st.integers(0, n))
        low, high = confidence_sequence(k, n, confidence)
        assert 0 <= low <= k / n <= high <= 1
        for end in (low, high):
            if 0 < end < 1:
                found = log_evidence(k, n, end)
                assert found == pytest.approx(-math.log(1 - confidence), rel=1e-3)

    @given(st.integers(1, 10**6), st.data())
    def test_one_more_that_counts_never_lowers_an_end(self, n, data) -> None:
        """So floor and ceiling hold what lies between them, as ``docs/stopping.md`` shows."""
        k = data.draw(st.integers(0, n - 1))
        fewer, more = confidence_sequence(k, n), confidence_sequence(k + 1, n)
        assert fewer.low <= more.low
        assert fewer.high <= more.high

    @given(st.integers(0, 10**6), st.data())
    def test_mirrors(self, n, data) -> None:
        k = data.draw(st.integers(0, n))
        one, other = confidence_sequence(k, n), confidence_sequence(n - k, n)
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-12)

    def test_is_wider_than_an_interval_of_a_fixed_size_but_not_by_much(self) -> None:
        for n in (1000, 10_000, 100_000):
            sequence, fixed = confidence_sequence(n // 2, n), wilson(n // 2, n)
            assert 1.4 < (sequence.high - sequence.low) / (fixed.high - fixed.low) < 1.75

    @pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, 0)])
    def test_impossible_numbers(self, k: int, n: int) -> None:
        with pytest.raises(ValueError, match=f"{k} of {n} deals"):
            confidence_sequence(k, n)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
    def test_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(UsageError, match="between 0 and 1"):
            confidence_sequence(1, 5, confidence)


class TestCoverage:
    """Looked at after each deal, for as long as one likes."""

    @pytest.mark.parametrize("truth", SHARES)
    def test_the_exact_chance_ever_to_miss(self, truth: float) -> None:
        chance = chance_to_miss(truth, missing(truth, 1500, confidence_sequence))
        assert chance <= 0.05

    def test_an_ordinary_interval_misses_much_more_often(self) -> None:
        assert chance_to_miss(0.5, missing(0.5, 1500, wilson)) > 0.3

    @pytest.mark.parametrize("truth", SHARES)
    def test_simulated_with_a_stop_at_the_worst_moment(self, truth: float) -> None:
        """10,000 deals each; open deals are left open by outcome, the worst way for the interval.

        Whoever wants to be wrong stops at the first deal at which the interval misses the truth.
        """
        times, n = 250, 10_000
        won = paths(truth, times, n, seed=int(1000 * truth))
        looks = np.unique(np.geomspace(1, n, 100).astype(int))
        held = np.ones(times, bool)
        for size in looks:
            for at in np.flatnonzero(held):
                low, high = confidence_sequence(int(won[at, size - 1]), int(size))
                held[at] = low <= truth <= high
        assert held.mean() >= 0.95

    def test_simulated_runs_that_stop_when_they_are_sure_of_something(self) -> None:
        """A stop as soon as the interval leaves one half, where the truth is one half."""
        won = paths(0.5, 200, 5000, seed=3)
        held = 0
        for path in won:
            size = next(
                (
                    n
                    for n in range(100, 5001, 50)
                    if not (i := confidence_sequence(int(path[n - 1]), n)).low <= 0.5 <= i.high
                ),
                5000,
            )
            low, high = confidence_sequence(int(path[size - 1]), size)
            held += low <= 0.5 <= high
        assert held / len(won) >= 0.95

    @pytest.mark.parametrize("open_of_won", [0.0, 0.05, 0.3])
    def test_simulated_with_open_deals_and_a_stopping_rule(self, open_of_won: float) -> None:
        """The share that can be won is in the interval, although open deals are mostly such."""
        truth, rule, held, times = 0.8, parse_until("half-width=17%"), 0, 200
        draw = np.random.default_rng(17)
        for _ in range(times):
            winnable = draw.random(2000) < truth
            still_open = winnable & (draw.random(2000) < open_of_won)
            won, opened = np.cumsum(winnable & ~still_open), np.cumsum(still_open)
            for n in range(100, 2001, 20):
                w, o = int(won[n - 1]), int(opened[n - 1])
                counts = Counts("wasp", 1, won=w, unsettled=o, lost=n - w - o)
                if rule.reached(counts):
                    break
            found = figures(counts, interval="sequence")
            assert rule.reached(counts)
            held += found.low <= truth <= found.high
        assert held / times >= 0.95


class TestWon:
    def test_is_read_as_it_is_written(self) -> None:
        assert parse_until("won=1000") == Won(1000)
        assert str(Won(1000)) == "won=1000"

    @pytest.mark.parametrize("text", ["won=0", "won=", "won=-5", "won=1e3", "won=5%", "won=1k"])
    def test_what_is_no_rule(self, text: str) -> None:
        with pytest.raises(UsageError, match="below 50 %, or won=1000$"):
            parse_until(text)

    def test_is_reached_by_wins_alone(self) -> None:
        assert Won(80).reached(Counts("wasp", 9, won=80))
        assert not Won(80).reached(Counts("wasp", 9, won=79, lost=500, unsettled=5, error=5))


class TestWidth:
    def test_is_of_sampling_and_of_open_deals(self) -> None:
        counts = Counts("wasp", 9, won=800, lost=150, unsettled=40, error=10)
        found = width(counts)
        assert found.still_open == pytest.approx(0.025)
        assert found.half == pytest.approx(found.sampling + found.still_open)
        low, high = confidence_sequence(800, 1000).low, confidence_sequence(850, 1000).high
        assert found.half == pytest.approx((high - low) / 2)
        assert width(counts, interval="wilson").half < found.half

    def test_of_no_deals_and_of_open_deals_alone(self) -> None:
        assert width(Counts("wasp", 9)).half == 0.5
        for counts in (Counts("wasp", 9, unsettled=500), Counts("wasp", 9, error=500)):
            found = width(counts)
            assert (found.half, found.still_open, found.sampling) == (0.5, 0.5, 0)

    def test_figures_have_the_same_interval(self) -> None:
        found = figures(Counts("wasp", 9, won=80, lost=20), interval="sequence")
        assert (found.low, found.high) == METHODS["sequence"](80, 100, 0.95)
        assert found.interval == "sequence"


class TestUntil:
    @pytest.mark.parametrize(
        ("text", "percent"),
        [
            ("half-width=0.5%", "0.5"),
            ("half-width=.50%", "0.5"),
            ("half-width=0.005", "0.5"),
            ("half-width=2%", "2"),
            ("half-width=20%", "20"),
        ],
    )
    def test_texts(self, text: str, percent: str) -> None:
        rule = parse_until(text)
        assert rule.percent == Decimal(percent)
        assert str(rule) == f"half-width={percent}%"
        assert parse_until(str(rule)) == rule
        assert rule.half_width == float(percent) / 100

    @pytest.mark.parametrize(
        "text",
        ["", "0.5%", "half-width", "half-width=0%", "half-width=50%", "half-width=5", "width=1%"]
        + ["half-width=-1%", "half-width=nan%", "half-width=1e-3", "half-width=1%;unsettled=0"],
    )
    def test_what_is_no_rule(self, text: str) -> None:
        with pytest.raises(UsageError, match=r"write half-width=0\.5%") as refused:
            parse_until(text)
        assert "\n" not in str(refused.value)

    def test_is_reached_by_deals(self) -> None:
        rule = Until(Decimal(5))
        assert not rule.reached(Counts("wasp", 9))
        assert not rule.reached(Counts("wasp", 9, won=86, lost=14))
        assert rule.reached(Counts("wasp", 9, won=860, lost=140))

    def test_is_out_of_reach_only_for_open_deals(self) -> None:
        rule = Until(Decimal(5))
        assert not rule.out_of_reach(Counts("wasp", 9))
        assert not rule.out_of_reach(Counts("wasp", 9, won=5, lost=5))
        assert not rule.out_of_reach(Counts("wasp", 9, won=890, unsettled=110))  # perhaps
        assert rule.out_of_reach(Counts("wasp", 9, won=800, unsettled=150, error=50))
