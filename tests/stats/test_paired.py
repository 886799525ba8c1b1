from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solstat.deals import Deal, SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.games import parse_rules
from solstat.solver import OUTCOMES
from solstat.stats.paired import Paired, paired
from solstat.stats.proportion import figures, share
from solstat.survey.plan import Plan
from solstat.survey.reader import Run, counts, open_run
from solstat.survey.run import run_survey

ASCENDING, DESCENDING = tuple(range(52)), tuple(reversed(range(52)))
DEALS = SeedRange(1, 61)
WAYS = ("leave", "optional", "return")


def made(*outcomes: str) -> Paired:
    """Deals 10, 11, ... under three rules, from words like ``wlu`` of their first letters."""
    code = {name[0]: number for number, name in enumerate(OUTCOMES)}
    seeds = tuple(str(10 + number) for number in range(len(outcomes)))
    table = np.array([[code[letter] for letter in each] for each in outcomes], np.uint8)
    return Paired(WAYS, (100, 100, 200), seeds, table.reshape(-1, 3).T)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paired")


def survey(
    place: Path,
    name: str,
    rules: str = "wasp",
    deals: SeedRange | tuple[Deal, ...] = DEALS,
    scheme: str = "solstat",
    budget: int = 300,
) -> Run:
    plan = Plan(parse_rules(rules), deals, budget, scheme)
    (directory,) = run_survey([plan], place / name, workers=1)
    return open_run(directory)


class TestPaired:
    def test_outcomes_are_those_of_the_rows_and_the_counts_those_of_the_runs(
        self, place: Path
    ) -> None:
        runs = [survey(place, "a"), survey(place, "b", "wasp(face_down_piles=0)")]
        found = paired(runs)
        assert found.rules == ("wasp", "wasp(face_down_piles=0)")
        assert found.counts() == [counts(run) for run in runs]
        assert found.n == 60
        for run, row in zip(runs, found.outcome, strict=True):
            wanted = [(each["seed"], each["outcome"]) for each in run.rows(["seed", "outcome"])]
            assert [*zip(found.seeds, (OUTCOMES[code] for code in row), strict=True)] == wanted
        # These rules decide deals.
        assert found.differing()
        assert set(found.differing()) == {
            seed
            for outcomes, seeds in found.patterns().items()
            if {"won", "lost"} <= set(outcomes)
            for seed in seeds
        }

    def test_other_deals_are_refused(self, place: Path) -> None:
        first = survey(place, "first")
        for other in (
            survey(place, "more", deals=SeedRange(1, 62)),
            survey(place, "others", deals=SeedRange(2, 62)),
            survey(place, "scheme", scheme="pysol"),
        ):
            with pytest.raises(UsageError, match=f"{other.path.name}: not the deals of .*first"):
                paired([first, other])

    def test_files_of_other_deals_are_refused_though_the_ids_are_alike(self, place: Path) -> None:
        one, same, other = (
            survey(place, name, deals=(Deal("1", cards),), scheme="file")
            for name, cards in (("one", ASCENDING), ("same", ASCENDING), ("other", DESCENDING))
        )
        assert paired([one, same]).seeds == ("1",)
        with pytest.raises(UsageError, match="other: not the deals of .*one"):
            paired([one, other])


class TestPatterns:
    def test_the_commonest_first_with_their_seeds(self) -> None:
        found = made("lww", "www", "uuu", "www").patterns()
        assert list(found.items()) == [
            (("won", "won", "won"), ["11", "13"]),
            (("lost", "won", "won"), ["10"]),
            (("unsettled",) * 3, ["12"]),
        ]

    def test_what_differs_and_what_is_open(self) -> None:
        found = made("lww", "www", "ulw", "uww", "lle", "lll")
        assert found.differing() == ["10", "12"]
        assert found.still_open() == ["12", "13", "14"]

    def test_of_no_deals(self) -> None:
        found = made()
        assert (found.n, found.patterns(), found.differing(), found.still_open()) == (0, {}, [], [])
        assert figures(found.implied().counts()[0]).high == 1


class TestImplied:
    @pytest.mark.parametrize(
        ("known", "told"),
        [("wuu", "www"), ("uwu", "uww"), ("uul", "lll"), ("ulu", "llu"), ("lue", "lue")]
        + [("eel", "lll"), ("wee", "www"), ("lww", "lww"), ("uuu", "uuu"), ("ulw", "llw")],
    )
    def test_wins_go_on_and_losses_go_back(self, known: str, told: str) -> None:
        found = made(known).implied()
        assert np.array_equal(found.outcome, made(told).outcome)
        assert (found.seeds, found.budgets) == (("10",), (100, 100, 200))

    def test_finished_runs_are_such_an_order(self, place: Path) -> None:
        runs = [
            survey(place, way, f"will-o-the-wisp(finished_runs={way})", budget=2000) for way in WAYS
        ]
        found = paired(runs)
        told = found.implied()  # or it would be a contradiction
        assert 0 < len(told.still_open()) <= len(found.still_open()) < found.n
        assert not set(told.still_open()) - set(found.still_open())

    @pytest.mark.parametrize(
        ("known", "won", "lost"),
        [("wwl", "leave", "return"), ("uwl", "optional", "return"), ("wlu", "leave", "optional")],
    )
    def test_a_contradiction_is_named(self, known: str, won: str, lost: str) -> None:
        with pytest.raises(SolstatError, match=f"deal 11 is won under {won} and lost under {lost}"):
            made("www", known, "uuu").implied()


class TestGained:
    def test_is_the_share_of_deals_that_one_loses_and_the_other_wins(self) -> None:
        # Gained for sure: one. Perhaps: an open one, one lost by the first, one won by the other.
        found = made("lww", "uuu", "leu", "uew", "www", "lll", "uul", "wuu").gained(0, 2)
        assert found == share(1, 3, 8)

    def test_takes_the_rules_that_are_named(self) -> None:
        found = made("lww", "llw")
        gained = [found.gained(*places).floor for places in ((0, 1), (1, 2), (0, 2), (2, 0))]
        assert gained == [0.5, 0.5, 1, 0]

    def test_narrows_by_what_surveys_tell_each_other(self) -> None:
        found = made("uul", "wuu")
        assert found.gained(0, 1).ceiling == 0.5
        assert found.implied().gained(0, 1).ceiling == 0
