from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solstat import solver
from solstat.deals import SeedRange
from solstat.games import rules
from solstat.survey.check import check
from solstat.survey.plan import Chunk, Plan
from solstat.survey.reader import Run, open_run
from solstat.survey.run import run_survey
from solstat.survey.sample import Again, Stored, in_sample, solve_again


def sampled(seeds: Sequence[str], share: float) -> set[str]:
    return {seed for seed, chosen in zip(seeds, in_sample(seeds, share), strict=True) if chosen}


class TestInSample:
    seeds = tuple(map(str, range(20_000)))

    def test_it_is_the_same_every_time(self) -> None:
        # Of `printf SEED | sha256sum`: 5feceb66..., 6b86b273..., d4735e3a..., 4b227777...
        assert in_sample(["0", "1", "2", "4"], 0x60 / 256) == [True, False, False, True]

    @pytest.mark.parametrize("share", [0.001, 0.01, 0.3])
    def test_it_holds_about_such_a_share(self, share: float) -> None:
        expected = share * len(self.seeds)
        assert abs(len(sampled(self.seeds, share)) - expected) < 4 * expected**0.5

    def test_a_larger_one_holds_a_smaller_one(self) -> None:
        samples = [sampled(self.seeds, share) for share in (0.001, 0.01, 0.1, 1)]
        assert samples[0] < samples[1] < samples[2] < samples[3]
        assert samples[3] == set(self.seeds)

    def test_ids_of_a_deal_file_are_seeds_too(self) -> None:
        assert 0 < sum(in_sample([f"oracle-{number}" for number in range(100)], 0.5)) < 100


@pytest.fixture
def run(tmp_path: Path, plan: Plan, inline) -> Run:
    """A hundred cheap deals without lines."""
    run_survey([replace(plan, lines=False)], tmp_path, executor=inline)
    return open_run(tmp_path)


class TestSolveAgain:
    def stored(self, run: Run, outcome: str) -> tuple[Stored, np.ndarray]:
        row = next(row for row in run.rows() if row["outcome"] == outcome)
        deal = Stored(row["seed"], outcome, row["positions"], None, row["budget"])
        return deal, run.cards(np.array([row["index"]]))

    def again(self, run: Run, deal: Stored, cards: np.ndarray, **identity: Any) -> Again:
        changed = replace(run.record.identity, **identity)
        (found,) = solve_again(run.rules, replace(run.record, identity=changed), [deal], cards)
        return found

    @pytest.mark.parametrize("outcome", ["won", "lost", "unsettled"])
    def test_the_same_result_is_all_right(self, run: Run, outcome: str) -> None:
        deal, cards = self.stored(run, outcome)
        assert self.again(run, deal, cards) == Again(deal.seed, replayed=outcome == "won")

    @pytest.mark.parametrize("outcome", ["won", "lost", "unsettled"])
    def test_another_outcome_is_told(self, run: Run, outcome: str) -> None:
        deal, cards = self.stored(run, outcome)
        for wrong in {"won", "lost", "unsettled"} - {outcome}:
            found = self.again(run, deal._replace(outcome=wrong), cards)
            count = f"{deal.positions:,} position{'s' if deal.positions > 1 else ''}"
            assert found.other == f"{wrong} after {count}, solved again {outcome} after {count}"
            assert not found.replayed

    def test_another_count_is_told(self, run: Run) -> None:
        deal, cards = self.stored(run, "lost")
        assert self.again(run, deal._replace(positions=deal.positions + 1), cards).other

    def test_under_another_search_version_counts_may_differ_and_won_is_not_lost(
        self, run: Run
    ) -> None:
        version = {"search_version": run.record.identity.search_version + 1}
        won, cards = self.stored(run, "won")
        for outcome, differs in (("won", False), ("unsettled", False), ("lost", True)):
            deal = won._replace(outcome=outcome, positions=won.positions + 1)
            assert (self.again(run, deal, cards, **version).other is not None) == differs

    def test_a_line_that_was_kept_is_the_one_that_is_played(self, run: Run) -> None:
        deal, cards = self.stored(run, "won")
        assert self.again(run, deal, cards, lines=True).bad == "no line"
        assert self.again(run, deal._replace(line="deal"), cards, lines=True).bad
        line = solver.solve(run.rules, cards[0].tolist(), 1000).line
        assert self.again(run, deal._replace(line=line), cards, lines=True).replayed


class TestCheck:
    def test_a_sample_is_solved_again_and_its_wins_are_replayed(self, run: Run) -> None:
        rows = list(run.rows(["seed", "outcome"]))
        won = sampled([row["seed"] for row in rows if row["outcome"] == "won"], 0.5)
        every = sampled([row["seed"] for row in rows], 0.5)
        found = check(run, 1, sample=0.5)
        assert (found.sampled, found.replayed) == (len(every), len(won))
        assert (found.bad, found.differing, found.missing) == ((), (), 0)
        assert found.replayed + found.no_line == check(run, 1).no_line
        assert found.lost == found.lost_unchecked == check(run, 1).lost

    def test_all_of_a_deal_file(self, tmp_path: Path, file_plan: Plan, inline) -> None:
        run_survey([file_plan], tmp_path, executor=inline)
        run = open_run(tmp_path)
        found = check(run, 1, sample=1)
        assert found.sampled == 30
        assert found.replayed == check(run, 1).replayed > 0
        assert found.differing == found.bad == ()

    def test_a_run_of_the_plain_search_is_searched_plainly(self, tmp_path: Path, inline) -> None:
        plan = Plan(rules("wasp"), SeedRange(0, 20), 2000, "solstat", search="plain", lines=False)
        run_survey([plan], tmp_path, executor=inline)
        found = check(open_run(tmp_path), 1, sample=1)
        assert (found.sampled, found.differing) == (20, ())

    def test_errors_have_no_result(self, tmp_path: Path, plan: Plan, inline) -> None:
        def dies(chunk: Chunk) -> str | None:
            return "SIGSEGV" if chunk.range.first <= 3 < chunk.range.last else None

        def dying(workers: int):
            return inline(workers, dies)

        run_survey([replace(plan, lines=False)], tmp_path, executor=dying)
        run = open_run(tmp_path)
        assert [row["outcome"] for row in run.rows()].index("error") == 3
        assert check(run, 1, sample=1).sampled == 99

    def test_losses_are_proved_evenly_spread_with_or_without_a_sample(self, run: Run) -> None:
        losses = check(run, 1).lost
        for sample in (None, 0.1):
            found = check(run, 1, losses=4, budget=100_000, sample=sample)
            assert found.lost_checked + len(found.open) == 4
            assert found.lost_unchecked == losses - found.lost_checked
