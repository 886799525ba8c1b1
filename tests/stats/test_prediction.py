"""What a pilot tells of other budgets and of more deals, beside what came of deals not seen."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from solstat.deals import SeedRange
from solstat.games import rules
from solstat.stats.choices import deals_for
from solstat.stats.pilot import Pilot, pilot
from solstat.stats.sequential import width
from solstat.stats.spending import next_hours
from solstat.stats.tuning import settling
from solstat.survey.plan import Plan
from solstat.survey.reader import Counts, counts, open_run
from solstat.survey.run import run_survey


class Held:
    """A pilot, and other deals that were searched further, whose outcome it did not see."""

    def __init__(self, folder: Path, game: str, limit: int, n: int, held_out: int) -> None:
        self.limit, self.further = limit, 4 * limit
        self.pilot = self._survey(folder / "pilot", game, 1_000_000, n, limit)
        self.pilot_further = self._survey(folder / "further", game, 1_000_000, n, self.further)
        self.truth = self._survey(folder / "truth", game, 1_100_000, held_out, self.further)

    def _survey(self, out: Path, game: str, first: int, n: int, budget: int) -> Pilot:
        seeds = SeedRange(first, first + n)
        run_survey([Plan(rules(game), seeds, budget, "solstat", lines=False)], out, workers=1)
        run = open_run(out)
        found = pilot(run)
        assert found.counts(budget) == counts(run)
        # A machine of even speed: how busy this one is must not matter.
        return replace(found, seconds=found.positions / 1e6)


@pytest.fixture(scope="module", params=["wasp", "will-o-the-wisp"])
def held(request, tmp_path_factory) -> Held:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "wasp":
        return Held(folder, "wasp", 50_000, 1500, 3000)
    return Held(folder, "will-o-the-wisp", 6000, 300, 600)


class TestPredictionAgainstOutcome:
    """What the pilot says, and what deals that it has not seen come to."""

    def test_the_budget_that_settles_a_share(self, held: Held) -> None:
        for share in (0.5, 0.75, 0.9):
            told, came = settling(held.pilot, share), settling(held.truth, share)
            assert told.low <= came.high
            assert came.low <= (told.high or held.limit)
            assert told.budget == pytest.approx(came.budget, rel=0.35)

    def test_what_a_smaller_budget_settles_and_costs(self, held: Held) -> None:
        for budget in (held.limit // 10, held.limit // 3, held.limit):
            told, came = held.pilot.outlook(budget), held.truth.outlook(budget)
            assert told.known
            spread = 4 * math.sqrt(0.25 / held.pilot.n)
            assert told.won == pytest.approx(came.won, abs=spread)
            assert told.still_open == pytest.approx(came.still_open, abs=spread)
            assert told.positions == pytest.approx(came.positions, rel=0.2)

    @pytest.mark.parametrize("times", [2, 4])
    def test_what_a_larger_budget_settles_and_costs(self, held: Held, times: int) -> None:
        told = held.pilot.outlook(times * held.limit)
        for source in (held.truth, held.pilot_further):
            came = source.outlook(times * held.limit)
            assert not told.known
            assert told.still_open == pytest.approx(came.still_open, rel=1.0)
            assert told.positions == pytest.approx(came.positions, rel=0.35)
        # Of its own deals the bounds are certain.
        assert told.settled_least <= 1 - came.still_open
        assert told.positions_low <= came.positions <= told.positions_high

    def test_how_many_deals_give_a_half_width(self, held: Held) -> None:
        """As many deals of the others, taken again and again, have about that half-width."""
        aim = held.pilot.outlook(held.limit).still_open / 2 + 0.015
        need = deals_for(aim, held.pilot.outlook(held.limit))
        assert need is not None
        tally = held.truth.counts(held.limit)
        scale = need / tally.n
        won, unsettled = round(tally.won * scale), round(tally.unsettled * scale)
        came = Counts("", 1, won=won, unsettled=unsettled, lost=need - won - unsettled)
        assert width(came, interval="wilson").half == pytest.approx(aim, rel=0.35)

    def test_more_budget_for_the_open_deals(self, held: Held) -> None:
        """The pilot's own deals, searched further, beside what it expected of that."""
        told = held.pilot.outlook(held.further)
        now = width(held.pilot.counts(held.limit), interval="wilson")
        came = width(held.pilot_further.counts(held.further), interval="wilson")
        expected = now.sampling + told.still_open / 2
        assert came.half < now.half
        assert expected < now.half
        assert expected == pytest.approx(came.half, rel=0.5)

    def test_more_deals_for_the_hours(self, held: Held) -> None:
        """So many hours as the others took at the limit: as many deals, and as narrow."""
        came = held.truth.outlook(held.limit)
        hours = held.truth.n * came.seconds / 3600
        told = next_hours(held.pilot, hours, "wilson")
        assert told.deals.deals == pytest.approx(held.truth.n, rel=0.6)
        both = Counts(
            "",
            1,
            *(
                getattr(held.pilot.counts(held.limit), name)
                + getattr(held.truth.counts(held.limit), name)
                for name in ("won", "lost", "unsettled")
            ),
        )
        assert told.deals.width.half == pytest.approx(width(both, interval="wilson").half, rel=0.35)
