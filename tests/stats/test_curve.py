from __future__ import annotations

import numpy as np
import pytest

from solstat.deals import SeedRange
from solstat.errors import UsageError
from solstat.games import rules
from solstat.stats.curve import Costs, costs, curve, round_budgets, settled
from solstat.stats.proportion import figures
from solstat.survey.executors import Died, Solved, solve_chunk
from solstat.survey.plan import Chunk, Plan
from solstat.survey.reader import Counts, Run, counts, open_run
from solstat.survey.run import run_survey


class Inline:
    """An executor without processes, whose worker dies over the last of the deals."""

    packages = ()
    is_here = True
    has_workers = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._chunks: list[Chunk] = []

    @property
    def room(self) -> int:
        return 1 - len(self._chunks)

    @property
    def in_flight(self) -> int:
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        self._chunks.append(chunk)

    def wait(self, seconds: float) -> list[Solved | Died]:
        chunk = self._chunks.pop()
        if chunk.range.last == 100:
            return [Died(chunk, "SIGSEGV")]
        return [Solved(chunk, solve_chunk(chunk))]

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Deals of wasp, most of them settled, one over which the solver failed."""
    plan = Plan(rules("wasp"), SeedRange(100, 200), 300, "solstat")
    path = tmp_path_factory.mktemp("curve") / "run"
    (directory,) = run_survey([plan], path, workers=1, executor=Inline)
    return open_run(directory)


def made(won: list[int], lost: list[int], n: int, limit: int, error: int = 0) -> Costs:
    return Costs("wasp", "full", n, np.array(won, int), np.array(lost, int), error, limit)


class TestCosts:
    def test_are_of_the_rows(self, run: Run) -> None:
        found = costs(run)
        rows = list(run.rows(["outcome", "positions"]))
        for outcome, positions in (("won", found.won), ("lost", found.lost)):
            wanted = sorted(row["positions"] for row in rows if row["outcome"] == outcome)
            assert positions.tolist() == wanted
        assert (found.n, found.error, found.limit) == (100, 1, 300)
        assert (found.rules, found.search) == ("wasp", "full")

    def test_a_run_without_rows(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(run, "tables", lambda columns: iter(()))
        found = costs(run)
        assert (found.n, len(found.won), len(found.lost), found.limit) == (0, 0, 0, 300)
        assert np.isnan(curve(found, 300).won_share).all()


class TestCurve:
    def test_at_every_budget_is_what_the_reader_counts(self, run: Run) -> None:
        budgets = [1, 2, 17, 60, 61, 150, 299, 300]
        found = curve(costs(run), budgets)
        assert found.counts() == [counts(run, budget) for budget in budgets]
        assert found.counts()[0].unsettled > found.counts()[-1].unsettled > 0

    def test_makes_the_figures_of_the_run(self, run: Run) -> None:
        found = curve(costs(run), 250)
        assert figures(found.counts()[0]) == figures(counts(run, 250))
        assert found.won_share[0] == figures(counts(run, 250)).floor

    def test_a_deal_is_settled_at_the_very_budget_that_it_cost(self) -> None:
        found = curve(made([10, 20], [20], 4, 100), [9, 10, 19, 20, 100])
        assert found.won.tolist() == [0, 1, 1, 2, 2]
        assert found.lost.tolist() == [0, 0, 0, 1, 1]
        assert found.settled_share.tolist() == [0, 0.25, 0.25, 0.75, 0.75]

    def test_by_default_goes_from_one_to_the_limit(self) -> None:
        for limit in (1, 7, 250_000, 123_456_789):
            found = curve(made([1], [], 2, limit))
            assert (found.budgets[0], found.budgets[-1]) == (1, limit)
            assert (np.diff(found.budgets) > 0).all()

    def test_can_start_later(self) -> None:
        whole = made([1], [], 2, 50_000)
        found = curve(whole, first=1000)
        assert (found.budgets[0], found.budgets[-1]) == (1000, 50_000)
        assert curve(whole, first=50_000).budgets.tolist() == [50_000]
        with pytest.raises(UsageError, match="budget 50001 is above .* ask for 50k or less"):
            curve(whole, first=50_001)

    def test_can_end_earlier(self) -> None:
        whole = made([1], [], 2, 50_000)
        found = curve(whole, first=10, last=1000)
        assert (found.budgets[0], found.budgets[-1]) == (10, 1000)
        with pytest.raises(UsageError, match="budget 50001 is above .* ask for 50k or less"):
            curve(whole, last=50_001)
        with pytest.raises(UsageError, match="from budget 20 to 10: "):
            curve(whole, first=20, last=10)

    def test_never_falls(self, run: Run) -> None:
        found = curve(costs(run))
        assert (np.diff(found.won) >= 0).all()
        assert (np.diff(found.lost) >= 0).all()

    @pytest.mark.parametrize("budget", [0, -5])
    def test_there_is_no_budget_below_1(self, run: Run, budget: int) -> None:
        with pytest.raises(UsageError, match=f"budget {budget}: "):
            curve(costs(run), [10, budget])

    def test_above_the_limit_nobody_knows_as_the_reader_says(self, run: Run) -> None:
        with pytest.raises(UsageError) as ours:
            curve(costs(run), [10, 301])
        with pytest.raises(UsageError) as theirs:
            counts(run, 301)
        assert str(theirs.value) == f"{run.path}: {ours.value}"

    def test_above_the_limit_all_is_known_if_nothing_is_unsettled(self) -> None:
        found = curve(made([10, 400], [20], 4, 100, error=1), [20, 10_000])
        assert (found.won.tolist(), found.lost.tolist()) == ([1, 2], [1, 1])


class TestRoundBudgets:
    @pytest.mark.parametrize(
        ("found", "budgets"),
        [
            (made([], [], 0, 700), [700]),
            (made([], [], 5, 700), [700]),
            (made([1], [], 5, 7), [1, 2, 5, 7]),
            (made([11], [300], 5, 1000), [10, 20, 50, 100, 200, 500, 1000]),
            (made([10], [300], 5, 900), [5, 10, 20, 50, 100, 200, 500, 900]),
            (made([30], [10], 2, 100_000), [5, 10, 20, 50, 100_000]),  # no deal is open above 50
            (made([30, 3000], [], 2, 20), [20]),  # dearer deals than those at the limit
            (made([1], [1], 2, 1), [1]),
        ],
    )
    def test_go_from_where_nothing_is_settled_to_the_limit(self, found, budgets) -> None:
        assert round_budgets(found) == budgets
        assert curve(found, round_budgets(found)).budgets.tolist() == budgets


class TestSettled:
    def test_an_error_may_be_settled_or_not(self) -> None:
        share = settled(Counts("wasp", 10, won=3, lost=1, unsettled=4, error=2))
        assert (share.floor, share.ceiling) == (0.4, 0.6)
        assert share.low < 0.4 < 0.6 < share.high

    def test_of_no_deals_nothing_is_known(self) -> None:
        assert settled(Counts("wasp", 10)) == (share := settled(Counts("wasp", 1)))
        assert (share.floor, share.ceiling, share.low, share.high) == (0, 1, 0, 1)

    def test_exact_bounds_are_wider(self) -> None:
        found = Counts("wasp", 10, won=3, lost=1, unsettled=4)
        assert settled(found, interval="exact").high > settled(found).high
        assert settled(found, confidence=0.99).low < settled(found).low
