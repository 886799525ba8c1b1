from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solstat.deals import SeedRange
from solstat.errors import UsageError
from solstat.games import rules
from solstat.stats.choices import MOST_DEALS, budgets, choices, deals_for
from solstat.stats.intervals import wilson
from solstat.stats.pilot import Pilot, pilot
from solstat.stats.spending import next_hours
from solstat.stats.tuning import advice, settling
from solstat.survey.plan import Plan
from solstat.survey.reader import Counts, counts, open_run
from solstat.survey.run import run_survey


def made(won=(), lost=(), unsettled: int = 0, error: int = 0, limit: int = 1000) -> Pilot:
    """A pilot of deals that cost a millisecond a position."""
    rows = [(cost, "won") for cost in won] + [(cost, "lost") for cost in lost]
    rows = sorted(rows + [(limit, "open")] * unsettled)
    positions = np.array([cost for cost, _ in rows], np.int64)
    return Pilot(
        rules="wasp",
        n=len(rows) + error,
        error=error,
        limit=limit,
        positions=positions,
        seconds=positions / 1000,
        won=np.array([kind == "won" for _, kind in rows], bool),
        lost=np.array([kind == "lost" for _, kind in rows], bool),
    )


def power_law(n: int, exponent: float, limit: int, seed: int = 1, first: float = 10.0) -> Pilot:
    draw = np.random.default_rng(seed)
    costs = np.minimum(first * draw.random(n) ** (-1 / exponent), 2 * limit).astype(np.int64)
    return made(won=costs[costs <= limit], unsettled=int((costs > limit).sum()), limit=limit)


EDGES = {
    "one deal, won": made(won=[1]),
    "one deal, open": made(unsettled=1),
    "nothing settled": made(unsettled=50),
    "all settled at once": made(won=[1] * 30, lost=[1] * 20),
    "all settled at the limit": made(won=[1000] * 40),
    "errors": made(won=[5] * 10, lost=[900], unsettled=2, error=5),
    "all but one are errors": made(won=[7], error=20),
    "a limit of one position": made(won=[1], unsettled=3, limit=1),
    "the largest budget": made(won=[5], unsettled=1, limit=2**63 - 1),
}


class TestPilot:
    def test_up_to_the_limit_it_knows_all_of_its_own_deals(self) -> None:
        found = made(won=[10, 20, 400], lost=[30], unsettled=1, error=1)
        assert found.counts(20) == Counts("wasp", 20, won=2, unsettled=3, error=1)
        outlook = found.outlook(20)
        assert outlook.known
        assert outlook.still_open == pytest.approx(4 / 6)
        assert outlook.settled_least == pytest.approx(2 / 6)
        assert outlook.positions == outlook.positions_low == outlook.positions_high == 90 / 5
        assert outlook.seconds == pytest.approx(0.09 / 5)

    def test_above_it_bounds_hold_the_estimate(self) -> None:
        found = power_law(3000, 0.6, 1000)
        at_limit, above = found.outlook(1000), found.outlook(5000)
        assert at_limit.known
        assert not above.known
        assert above.settled_least == at_limit.settled_least < 1 - above.still_open
        assert above.positions_low == at_limit.positions < above.positions < above.positions_high
        assert above.seconds_low < above.seconds < above.seconds_high
        unsettled = found.counts(1000).unsettled
        most = at_limit.positions + 4000 * unsettled / found.n
        assert above.positions_high == pytest.approx(most)
        assert above.seconds == pytest.approx(above.positions / 1000)

    @settings(max_examples=25)
    @given(st.floats(0.3, 2.5), st.integers(0, 1000))
    def test_the_tail_of_a_power_law_is_found(self, exponent: float, seed: int) -> None:
        tail = power_law(20_000, exponent, 100_000, seed, first=1e4).tail
        assert tail.exponent == pytest.approx(exponent, rel=0.06)
        assert tail.low < tail.exponent < tail.high

    def test_its_interval_holds_as_often_as_it_says(self) -> None:
        held = 0
        for seed in range(300):
            tail = power_law(120, 0.8, 3000, seed, first=300.0).tail
            held += tail.low <= 0.8 <= tail.high
        assert 0.92 <= held / 300 <= 0.99

    def test_open_deals_go_on_as_the_power_law_says(self) -> None:
        found, longer = power_law(100_000, 0.7, 1000), power_law(100_000, 0.7, 8000)
        estimate, truth = found.outlook(8000), longer.outlook(8000)
        assert estimate.still_open == pytest.approx(truth.still_open, rel=0.05)
        assert estimate.positions == pytest.approx(truth.positions, rel=0.03)

    def test_an_exponent_of_one_has_no_gap(self) -> None:
        tail = made(won=[500], unsettled=1).tail
        near, at = (replace(tail, exponent=h).extra(5000) for h in (1 + 1e-7, 1.0))
        assert near == pytest.approx(at, rel=1e-5)
        assert at == pytest.approx(1000 * math.log(5))

    def test_without_anything_in_the_last_decade_nothing_is_promised(self) -> None:
        found = made(won=[5] * 100, unsettled=3)
        assert (found.tail.exponent, found.tail.settled) == (0, 0)
        assert found.outlook(9000).still_open == pytest.approx(3 / 103)


class TestSettling:
    def test_is_an_order_statistic(self) -> None:
        found = settling(made(won=range(1, 101)), 0.5)
        assert found.budget == 50
        # Binomial of 100 and one half: at most 39 has a chance of 1.8 %, 60 or more of 2.8 %.
        assert (found.low, found.high) == (40, 61)

    def test_its_interval_holds_as_often_as_it_says_whatever_the_distribution(self) -> None:
        draw = np.random.default_rng(5)
        held = 0
        for _ in range(500):
            costs = np.ceil(np.exp(3 * draw.standard_normal(200) + 6)).astype(np.int64)
            found = settling(made(won=costs, limit=10**9), 0.9)
            truth = math.exp(3 * 1.2815515655 + 6)
            held += found.low <= truth <= found.high
        assert held / 500 >= 0.95

    def test_above_the_limit(self) -> None:
        found = settling(power_law(5000, 0.7, 1000), 0.99)
        assert (found.budget, found.low, found.high) == (None, None, None)
        assert found.estimate == pytest.approx(10 * 100 ** (1 / 0.7), rel=0.15)

    def test_an_interval_may_end_above_the_limit(self) -> None:
        found = settling(made(won=range(1, 991), unsettled=10), 0.985)
        assert found.budget == 985
        assert found.low is not None
        assert found.high is None

    def test_errors_are_never_settled(self) -> None:
        found = settling(made(won=[5] * 90, lost=[900], unsettled=1, error=8), 0.95)
        assert (found.budget, found.estimate) == (None, None)


class TestDeals:
    def test_of_a_share_without_open_deals_are_those_of_wilson(self) -> None:
        n = deals_for(0.01, made(won=[1] * 86, lost=[1] * 14).outlook(1000))
        assert n is not None

        def half(n: int) -> float:
            low, high = wilson(round(0.86 * n), n)
            return (high - low) / 2

        assert half(n) <= 0.01
        assert half(round(0.99 * n)) > 0.01

    def test_open_deals_make_it_more_and_then_impossible(self) -> None:
        need = [
            deals_for(0.01, made(won=[1] * 800, lost=[1] * (200 - n), unsettled=n).outlook(1000))
            for n in (0, 10, 19, 20, 100)
        ]
        assert need[0] < need[1] < need[2]
        assert need[3:] == [None, None]

    def test_a_confidence_sequence_needs_more(self) -> None:
        outlook = made(won=[1] * 86, lost=[1] * 14).outlook(1000)
        fixed, sequence = deals_for(0.01, outlook), deals_for(0.01, outlook, "sequence")
        assert 2 * fixed < sequence < 3 * fixed

    def test_budgets_are_round_and_have_those_that_matter(self) -> None:
        found = power_law(1000, 0.7, 3000)
        assert budgets(found, [77]) == [50, 77, 100, 200, 500, 1000, 2000, 3000, 5000] + [
            10_000,
            20_000,
        ]

    def test_budgets_end_where_all_deals_are_settled(self) -> None:
        assert budgets(made(won=[90] * 9)) == [100]
        assert budgets(made(won=[5] * 9 + [300])) == [5, 10, 20, 50, 100, 200, 500]
        assert budgets(made(won=[5, 5, 90], limit=95)) == [5, 10, 20, 50, 95]
        assert budgets(made(won=[5, 5, 9], error=1), [2000]) == [5, 10, 2000]

    def test_the_cheapest_is_the_one_with_the_fewest_hours(self) -> None:
        found = choices(power_law(5000, 0.7, 3000), 0.01, (50, 1000, 3000, 9000))
        assert found[0].deals is found[0].hours is None
        (cheapest,) = (each for each in found if each.cheapest)
        assert cheapest.hours == min(each.hours for each in found if each.hours is not None)

    def test_of_several_that_cost_as_little_the_smallest_budget_is_the_cheapest(self) -> None:
        found = choices(made(won=[10] * 8600, lost=[10] * 1400), 0.01, (5, 20, 50, 500))
        assert [each.hours for each in found] == [None, 0, 0, 0]
        assert [each.cheapest for each in found] == [False, True, False, False]

    def test_without_an_answer_none_is_the_cheapest(self) -> None:
        found = choices(made(unsettled=9), 0.01, (5, 20))
        assert not any(each.cheapest for each in found)

    def test_deals_that_are_there_cost_nothing_up_to_the_limit(self) -> None:
        found = made(won=[10] * 8600, lost=[10] * 1400)
        below, above = choices(found, 0.01, (500, 2000))
        assert below.deals == above.deals < 10_000
        assert below.hours == 0
        assert above.hours == pytest.approx(above.deals * 0.01 / 3600)


class TestNextHours:
    def test_sampling_asks_for_deals(self) -> None:
        found = next_hours(made(won=[100] * 80, lost=[100] * 20, limit=200), 1.0)
        assert found.advice == "deals"
        assert found.deals.deals == 36_000
        assert found.deals.width.half < found.now.half / 15
        assert found.budget is found.both is None

    def test_open_deals_ask_for_a_larger_budget(self) -> None:
        costs = [100] * 9000 + list(range(150, 1000))
        found = next_hours(made(won=costs, unsettled=500), 0.5)
        assert found.now.still_open > found.now.sampling
        assert found.advice == "budget"
        assert found.budget.deals == 0
        assert found.budget.width.still_open < found.now.still_open
        assert found.budget.best <= found.budget.width.half

    def test_all_larger_budgets_of_the_table_are_for_either_way(self) -> None:
        costs = [100] * 9000 + list(range(150, 1000))
        source = made(won=costs, unsettled=500)
        usual = next_hours(source, 50.0)
        assert usual.budget.budget == budgets(source)[-1] == 10_000
        assert usual.both.budget <= 10_000
        further = next_hours(source, 50.0, also=[200_000])
        assert further.budget.budget == further.both.budget == 200_000
        assert further.both.width.half < usual.both.width.half
        assert further.both.hours == 50.0

    def test_a_larger_budget_takes_no_more_than_there_is(self) -> None:
        costs = [100] * 9000 + list(range(150, 1000))
        found = next_hours(made(won=costs, unsettled=500), 0.5, also=[200_000])
        assert 0.49 < found.budget.hours <= 0.5
        assert 1000 < found.both.budget < found.budget.budget < 10_000
        assert found.both.deals > 0

    def test_no_more_deals_than_are_looked_at(self) -> None:
        found = next_hours(made(won=[100] * 80, lost=[100] * 20, limit=200), 1e9)
        assert found.deals.deals == MOST_DEALS
        assert found.deals.hours == pytest.approx(MOST_DEALS * 0.1 / 3600)

    def test_no_more_is_spent_on_open_deals_than_is_of_use(self) -> None:
        costs = [100] * 9000 + list(range(150, 1000))
        found = next_hours(made(won=costs, unsettled=50), 1000.0)
        assert found.budget.hours < 10
        assert found.advice == "both"
        assert found.both.deals > 0

    def test_hours_that_do_not_do_for_the_open_deals_again(self) -> None:
        found = next_hours(made(won=[10] * 50, unsettled=50), 40 / 3600)
        assert found.budget is found.both is None
        assert found.advice == "deals"

    def test_more_hours_never_make_it_wider(self) -> None:
        source = power_law(3000, 0.7, 3000)
        halves = [
            min(
                each.width.half
                for each in (found.deals, found.budget, found.both)
                if each is not None
            )
            for found in (next_hours(source, hours) for hours in (0.01, 0.1, 1, 10, 100))
        ]
        assert halves == sorted(halves, reverse=True)


def test_few_deals_or_few_of_the_rarer_outcome_are_a_guess() -> None:
    def guess(won: int, lost: int) -> bool:
        return advice(made(won=[1] * won, lost=[2] * lost)).guess

    assert [guess(50, 49), guess(91, 9), guess(9, 991)] == [True] * 3
    assert [guess(50, 50), guess(10, 990), guess(990, 10)] == [False] * 3


def test_a_larger_budget_to_try_where_too_many_deals_are_open() -> None:
    source = power_law(5000, 0.7, 1000)
    found = advice(source, half_width=0.001)
    assert found.choices[-1].deals is None
    assert source.outlook(int(found.larger)).still_open == pytest.approx(0.001, rel=0.01)
    again = advice(source, half_width=0.001, also=[int(found.larger)])
    assert again.choices[-1].deals is not None
    assert again.larger is None
    assert advice(made(won=[5], unsettled=9)).larger is None
    assert advice(made(won=[5] * 200), half_width=1e-9).larger is None


@pytest.mark.parametrize("source", EDGES.values(), ids=EDGES)
@pytest.mark.parametrize("interval", ["wilson", "exact", "sequence"])
def test_edges_give_advice_that_is_sensible(source: Pilot, interval: str) -> None:
    found = advice(source, also=[1, 10**6], interval=interval)
    text = json.dumps(asdict(found), allow_nan=False)
    assert json.loads(text)["n"] == source.n
    for each in found.choices:
        outlook = each.outlook
        assert outlook.won + outlook.lost + outlook.still_open == pytest.approx(1)
        assert 0 <= outlook.settled_least <= 1 - outlook.still_open + 1e-12
        assert outlook.positions_low <= outlook.positions <= outlook.positions_high
        assert (each.deals is None) == (each.hours is None)
    assert 0 <= found.next.now.half <= 0.5
    ends = [end for end in (found.settling.low, found.settling.high) if end is not None]
    assert ends == sorted(ends)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"settle": 1.0}, "settle 1.0"),
        ({"settle": math.nan}, "settle nan"),
        ({"half_width": 0.0}, "half-width 0.0"),
        ({"half_width": 0.5}, "half-width 0.5"),
        ({"hours": 0.0}, "0.0 hours"),
        ({"hours": math.inf}, "inf hours"),
        ({"hours": math.nan}, "nan hours"),
    ],
)
def test_numbers_out_of_range(asked, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        advice(made(won=[1]), **asked)


class TestOfRuns:
    def test_is_of_the_rows(self, tmp_path) -> None:
        plan = Plan(rules("wasp"), SeedRange(1_000_000, 1_000_200), 300, "solstat")
        run_survey([plan], tmp_path, workers=1)
        run = open_run(tmp_path)
        found = pilot(run)
        assert (found.n, found.limit) == (200, 300)
        for budget in (50, 100, 300):
            assert found.counts(budget) == counts(run, budget)
        rows = list(run.rows(["positions", "seconds"]))
        assert found.positions.sum() == sum(row["positions"] for row in rows)
        assert found.seconds.sum() == pytest.approx(sum(row["seconds"] for row in rows))

    def test_without_deals_or_with_errors_alone(self, tmp_path, monkeypatch) -> None:
        plan = Plan(rules("wasp"), SeedRange(1_000_000, 1_000_005), 300, "solstat")
        run_survey([plan], tmp_path, workers=1)
        run = open_run(tmp_path)
        tables = list(run.tables())
        monkeypatch.setattr(run, "tables", lambda columns: iter([]))
        with pytest.raises(UsageError, match="it has no deals yet"):
            pilot(run)
        errors = tables[0].to_pandas()
        errors["outcome"] = "error"
        errors[["positions", "seconds"]] = None
        table = tables[0].from_pandas(errors, schema=tables[0].schema)
        monkeypatch.setattr(run, "tables", lambda columns: iter([table.select(columns)]))
        with pytest.raises(UsageError, match="failed over all its deals"):
            pilot(run)
