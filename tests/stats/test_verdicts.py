from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from solstat.deals import SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.games import rules
from solstat.stats.claims import OTHER, Claim, choose, read_claims
from solstat.stats.intervals import wilson
from solstat.stats.players import Model
from solstat.stats.verdicts import (
    CONFIDENCE,
    NOT_PUBLISHED,
    PLAYERS,
    judge,
    key,
    verdicts,
    verdicts_of_kept,
    wanted,
)
from solstat.survey.playing import play_deals
from solstat.survey.reader import Counts

ROOT = Path(__file__).parents[2]

[FLOOR] = choose(read_claims(ROOT / "configs/claims"), ["wasp-563"])
FLOOR = replace(FLOOR, id="one", n=1000, budget=None, won=800, share=None, printed="80 %")
SHARE = replace(FLOOR, kind="share")
PRINTED = replace(SHARE, n=None, won=None, share="80.0")
OUTCOMES = replace(FLOOR, kind="outcomes", n=100, won=80, lost=15, unsettled=5)


def ours(won: int, lost: int, unsettled: int = 0, error: int = 0) -> Counts:
    return Counts("wasp", 1000, won, lost, unsettled, error)


def percent(share: int) -> Counts:
    """A survey that is as good as exact."""
    return ours(share * 10**7, (100 - share) * 10**7)


class TestIntervalsOfClaims:
    def test_from_its_number_of_deals(self) -> None:
        found = judge(FLOOR, percent(80))
        assert found.won is not None
        assert (found.won.low, found.won.high) == wilson(800, 1000, CONFIDENCE)
        assert found.won.floor == found.won.ceiling == 0.8
        assert found.basis == "n"
        assert NOT_PUBLISHED not in found.why

    def test_of_all_counts_that_a_percentage_can_mean(self) -> None:
        found = judge(replace(FLOOR, n=563, won=None, share="89"), percent(89))
        assert found.won is not None
        assert found.won.low == wilson(499, 563, CONFIDENCE).low
        assert found.won.high == wilson(503, 563, CONFIDENCE).high

    def test_open_deals_of_a_share_may_belong_to_it(self) -> None:
        found = judge(replace(SHARE, lost=150, unsettled=50), percent(80))
        assert found.won is not None
        assert found.won.ceiling == 0.85
        assert found.won.high == wilson(850, 1000, CONFIDENCE).high

    def test_the_number_of_deals_comes_before_the_half_width_that_is_printed(self) -> None:
        found = judge(replace(SHARE, half_width="0.1"), percent(80))
        assert found.basis == "n"

    def test_half_a_width_as_printed(self) -> None:
        found = judge(replace(PRINTED, half_width="0.3"), percent(80))
        assert found.won is not None
        assert (found.won.low, found.won.high) == (0.797, 0.803)
        assert found.basis == "half width"
        assert NOT_PUBLISHED in found.why

    @pytest.mark.parametrize(
        ("share", "low", "high"),
        [
            ("80.0", 0.7995, 0.8005),
            ("0", 0, 0.005),
            ("0.00", 0, 0.00005),
            ("100", 0.995, 1),
            ("99.97", 0.99965, 0.99975),
        ],
    )
    def test_half_a_unit_of_the_last_digit(self, share: str, low: float, high: float) -> None:
        found = judge(replace(PRINTED, share=share), percent(80))
        assert found.won is not None
        assert (found.won.low, found.won.high) == (low, high)
        assert found.basis == "rounding"
        assert NOT_PUBLISHED in found.why


class TestShares:
    # The interval of 800 in 1,000 at 99 % goes from 76.6 to 83.1 %.
    @pytest.mark.parametrize(
        ("share", "verdict"),
        [(76, "too high"), (77, "consistent"), (83, "consistent"), (84, "too low")],
    )
    def test_consistent_where_the_intervals_meet(self, share: int, verdict: str) -> None:
        assert judge(SHARE, percent(share)).verdict == verdict

    @pytest.mark.parametrize(
        ("printed", "verdict"),
        [("80.0", "consistent"), ("80.06", "too high"), ("79.94", "too low")],
    )
    def test_without_a_number_of_deals(self, printed: str, verdict: str) -> None:
        found = judge(replace(PRINTED, share=printed), percent(80))
        assert found.verdict == verdict
        assert found.why.endswith(NOT_PUBLISHED)

    def test_intervals_that_touch_meet(self) -> None:
        survey = ours(1000, 0)
        touching = replace(PRINTED, share="0", half_width="100")
        assert judge(touching, survey).verdict == "consistent"

    def test_our_open_deals_may_be_either(self) -> None:
        assert judge(SHARE, ours(5 * 10**6, 2 * 10**6)).verdict == "too high"
        assert judge(SHARE, ours(5 * 10**6, 10**6, 4 * 10**6)).verdict == "consistent"
        assert judge(SHARE, ours(5 * 10**6, 10**6, 0, 4 * 10**6)).verdict == "consistent"


class TestFloors:
    @pytest.mark.parametrize(
        ("share", "verdict"), [(76, "too high"), (77, "consistent"), (99, "consistent")]
    )
    def test_only_too_high_is_against_it(self, share: int, verdict: str) -> None:
        assert judge(FLOOR, percent(share)).verdict == verdict

    def test_what_may_be_above_ours_is_not_said_to_be_below(self) -> None:
        found = judge(FLOOR, percent(77))  # it says more than 77 %, but its interval meets ours
        assert found.won is not None
        assert found.won.floor > 0.77
        assert found.why == "a floor, and not shown to be above ours"

    # 80 and 15 of 100 go down to 68.0 and to 8.1 %.
    @pytest.mark.parametrize(
        ("survey", "verdict", "what"),
        [
            (percent(80), "consistent", "floors"),
            (percent(67), "too high", "won"),
            (percent(93), "too high", "lost"),
            (percent(91), "consistent", "floors"),
        ],
    )
    def test_outcomes_are_two(self, survey: Counts, verdict: str, what: str) -> None:
        found = judge(OUTCOMES, survey)
        assert found.verdict == verdict
        assert what in found.why
        assert found.lost is not None
        assert (found.lost.low, found.lost.high) == wilson(15, 100, CONFIDENCE)


def player(policy: str, won: int) -> Model:
    low, high = wilson(won, 10_000, CONFIDENCE)
    rest = 10_000 - won
    return Model(
        "wasp", policy, "solstat", "0", 10_000, won, rest, 0, won / 10_000, low, high, CONFIDENCE
    )


class TestWhatPeopleWin:
    HUMAN = replace(PRINTED, kind="human", share="20", half_width="5")

    def test_no_more_than_can_be_won_is_consistent_however_little(self) -> None:
        for share in (1, 20, 80):
            found = judge(replace(self.HUMAN, share=str(share), half_width=None), percent(80))
            assert (found.verdict, found.players) == ("consistent", ())
            assert found.why.startswith(
                "not shown to be more than can be won; sample size not published"
            )

    def test_more_than_can_be_won_is_too_high(self) -> None:
        found = judge(self.HUMAN, percent(12))
        assert found.verdict == "too high"
        assert found.why.startswith("people are said to win more than can be won")
        assert judge(self.HUMAN, percent(15)).verdict == "consistent"

    def test_players_stand_beside_it_and_refute_nothing(self) -> None:
        players = [player("random", 10), player("greedy", 2010), player("careful", 6000)]
        found = judge(self.HUMAN, percent(80), players=players)
        assert found.verdict == "consistent"
        assert (
            "people are above random (0.10 %), near greedy (20.10 %), below careful (60.00 %)"
            in found.why
        )
        assert found.players == tuple(players)

    def test_games_that_are_kept_are_found(self, tmp_path: Path) -> None:
        seeds = SeedRange(0, 20)
        play_deals(rules("wasp"), ["greedy", "random"], "solstat", seeds, tmp_path / PLAYERS)
        play_deals(rules("flow"), ["greedy"], "solstat", seeds, tmp_path / PLAYERS)
        needed = wanted([self.HUMAN], ROOT / "configs")
        surveys = {name: each.kept(ROOT / "results") for name, each in needed.items()}
        [found] = verdicts([self.HUMAN], surveys, tmp_path)
        assert [(each.rules, each.policy) for each in found.players] == [
            ("wasp", "random"),
            ("wasp", "greedy"),
        ]
        assert all(each.confidence == CONFIDENCE for each in found.players)
        [alone] = verdicts([self.HUMAN], surveys, tmp_path / "nothing")
        assert alone.players == ()


class TestNotComparable:
    def test_says_why(self) -> None:
        other = judge(replace(SHARE, rules=OTHER, comparable=False, why="another stock"))
        assert (other.verdict, other.why) == ("not comparable", "other rules: another stock")
        human = judge(replace(PRINTED, kind="human", comparable=False, why="no model"))
        assert (human.verdict, human.why) == ("not comparable", "what people win: no model")
        assert human.won is not None
        plain = judge(replace(SHARE, comparable=False, why="withdrawn"))
        assert plain.why == "withdrawn"
        assert plain.ours is None

    def test_nothing_need_be_known(self) -> None:
        empty = replace(PRINTED, kind="human", share=None, comparable=False, why="no figure")
        found = judge(empty)
        assert (found.won, found.basis) == (None, None)

    def test_a_remark_stays_with_the_verdict(self) -> None:
        assert judge(replace(FLOOR, why="budget not stated"), percent(90)).why.endswith(
            "; budget not stated"
        )


class TestTheEnds:
    """0 of n, n of n, no deals, nothing settled, only errors."""

    @pytest.mark.parametrize(
        "survey", [ours(0, 0), ours(0, 0, 1000), ours(0, 0, 0, 1000)], ids=["none", "open", "error"]
    )
    @pytest.mark.parametrize("claim", [FLOOR, SHARE, PRINTED, OUTCOMES])
    def test_who_knows_nothing_contradicts_nothing(self, claim: Claim, survey: Counts) -> None:
        found = judge(claim, survey)
        assert found.verdict == "consistent"
        assert found.ours is not None
        assert (found.ours.low, found.ours.high) == (0, 1)

    def test_all_won_and_all_lost(self) -> None:
        assert judge(SHARE, ours(10**5, 0)).verdict == "too low"
        assert judge(SHARE, ours(0, 10**5)).verdict == "too high"
        assert judge(FLOOR, ours(0, 10**5)).verdict == "too high"
        assert judge(FLOOR, ours(10**5, 0)).verdict == "consistent"

    def test_claims_of_all_and_of_none(self) -> None:
        everything, nothing = replace(FLOOR, won=1000), replace(FLOOR, won=0)
        assert judge(everything, percent(100)).verdict == "consistent"
        assert judge(everything, percent(99)).verdict == "too high"
        assert judge(nothing, percent(0)).verdict == "consistent"
        assert judge(replace(nothing, kind="share"), percent(1)).verdict == "too low"


class TestSurveys:
    def test_every_claim_has_a_verdict_from_what_is_kept(self) -> None:
        claims = read_claims(ROOT / "configs/claims")
        found = verdicts_of_kept(claims, ROOT / "configs", ROOT / "results")
        assert [each.claim for each in found] == claims
        for each in found:
            assert (each.ours is None) is (each.verdict == "not comparable")
            if each.ours is not None:
                assert each.ours.rules == each.claim.rules
                assert each.ours.confidence == CONFIDENCE

    def test_outcomes_stand_beside_ours_at_the_same_budget(self) -> None:
        claims = read_claims(ROOT / "configs/claims")
        found = verdicts_of_kept(claims, ROOT / "configs", ROOT / "results")
        outcomes = [each for each in found if each.claim.kind == "outcomes"]
        assert len(outcomes) == 2
        for each in outcomes:
            assert each.at_budget is not None
            assert each.ours is not None
            assert each.at_budget.budget == each.claim.budget
            assert each.at_budget.n == each.ours.n
            assert each.at_budget.unsettled >= each.ours.unsettled

    def test_only_what_is_needed_is_wanted(self) -> None:
        claims = {claim.id: claim for claim in read_claims(ROOT / "configs/claims")}
        chosen = [claims[name] for name in ("wave-run", "wisp-solvitaire", "wave-grid-4x5")]
        assert list(wanted(chosen, ROOT / "configs")) == [
            ("wave-motion", "wave-motion(reserve_moves=run)"),
            ("wave-grid", "wave-motion(columns=5,reserves=4)"),
        ]

    def test_configs_that_do_not_fit_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"claim one: config .*wasp-20000\.toml: No such file"):
            wanted([FLOOR], tmp_path)
        (tmp_path / "wasp-20000.toml").write_text('game="scorpion"\ndeals="0:9"\nbudget="9k"\n')
        with pytest.raises(UsageError, match=r"claim one: no survey of wasp in .*20000\.toml"):
            wanted([FLOOR], tmp_path)

    @pytest.mark.parametrize("rule", ["half-width=5%", "garbage"])
    def test_configs_that_may_stop_before_the_end_are_refused(
        self, tmp_path: Path, rule: str
    ) -> None:
        config = f'game="wasp"\ndeals="0:9"\nbudget="9k"\nuntil="{rule}"\n'
        (tmp_path / "wasp-20000.toml").write_text(config)
        with pytest.raises(UsageError, match=r"claim one: config .*20000\.toml has until: "):
            wanted([FLOOR], tmp_path)

    def test_what_is_not_kept_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"wasp-20000: no run there, and no summary"):
            verdicts_of_kept([FLOOR], ROOT / "configs", tmp_path)

    def test_a_summary_knows_its_own_budget_only(self, tmp_path: Path) -> None:
        shutil.copy(ROOT / "results/wave-motion.json", tmp_path)
        [top] = [claim for claim in read_claims(ROOT / "configs/claims") if claim.id == "wave-top"]
        for budget, known in ((300_000, True), (1000, False)):
            at = replace(top, budget=budget)
            [found] = verdicts_of_kept([at], ROOT / "configs", tmp_path)
            assert (found.at_budget is not None) is known

    def test_damage_is_no_missing_survey(self, tmp_path: Path) -> None:
        (tmp_path / "wasp-20000.json").write_text("[1]")
        with pytest.raises(SolstatError, match="a summary of version") as failed:
            verdicts_of_kept([FLOOR], ROOT / "configs", tmp_path)
        assert not isinstance(failed.value, UsageError)

    def test_one_survey_serves_many_claims(self) -> None:
        other = replace(FLOOR, id="two", won=999)
        needed = wanted([FLOOR, other], ROOT / "configs")
        assert list(needed) == [key(FLOOR)]
        survey = needed[key(FLOOR)].kept(ROOT / "results")
        found = verdicts([FLOOR, other], {key(FLOOR): survey})
        assert [each.verdict for each in found] == ["consistent", "too high"]
