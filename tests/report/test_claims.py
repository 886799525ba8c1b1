from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from solstat.report.claims import (
    at_budget_table,
    claimed,
    claims_table,
    quotes,
    summary_line,
    verdicts_table,
)
from solstat.report.forest import verdict_rows
from solstat.stats.claims import OTHER, Claim, choose, read_claims
from solstat.stats.verdicts import judge
from solstat.survey.reader import Counts

ROOT = Path(__file__).parents[2]

[FLOOR] = choose(read_claims(ROOT / "configs/claims"), ["wasp-563"])
FLOOR = replace(
    FLOOR, id="one", printed="89 %", title="A page", publisher="unknown", seen="unknown"
)
OUTCOMES = replace(
    FLOOR, id="two", kind="outcomes", n=100, won=82, lost=13, unsettled=5, share=None
)
HUMAN = replace(FLOOR, id="three", kind="human", n=None, comparable=False, why="no model")
OURS = Counts("wasp", 10**8, won=850, lost=140, unsettled=6, error=4)
VERDICTS = [
    judge(FLOOR, OURS),
    judge(OUTCOMES, OURS, replace(OURS, budget=1_000_000)),
    judge(HUMAN),
]


def words(line: str) -> str:
    return " ".join(line.split())


class TestClaimed:
    @pytest.mark.parametrize(
        ("claim", "text"),
        [
            (FLOOR, "89 %"),
            (replace(FLOOR, half_width="0.03"), "89 % +- 0.03"),
            (OUTCOMES, "82 won, 13 lost, 5 unsettled"),
            (replace(OUTCOMES, lost=None, unsettled=None), "82 won"),
            (replace(FLOOR, share=None), "unknown"),
        ],
    )
    def test_as_printed(self, claim: Claim, text: str) -> None:
        assert claimed(claim) == text


class TestClaimsTable:
    def test_unknown_is_said(self) -> None:
        first, second = claims_table([FLOOR, replace(HUMAN, rules=OTHER, budget=None)]).split("\n")[
            1:
        ]
        assert words(first) == "one wasp floor 563 1M 89 % yes A page, publisher unknown"
        assert "wasp, other rules" in second
        assert second.count("unknown") == 3  # n, budget, publisher


class TestQuotes:
    def test_words_stand_once_with_their_source(self) -> None:
        same = [replace(FLOOR, id=name) for name in ("a", "b", "c")]
        about = "A page, publisher unknown; n 563, budget 1M, where unknown, seen unknown"
        other = "A page, publisher unknown; n unknown, budget 1M, where unknown, seen 2026-11-29"
        assert quotes([*same, replace(HUMAN, printed="few", seen="2026-11-29")]).split("\n") == [
            f"- a to c (3 claims): *89 %* ({about})",
            f"- three: *few* ({other})",
        ]

    def test_no_text_has_a_meaning_of_its_own(self) -> None:
        made = quotes([replace(FLOOR, printed="*<b>* 5 %", title="[a](b)", where="`x` | y")])
        assert r": *\*&lt;b&gt;\* 5 %* (\[a\](b), " in made
        assert r"where \`x\` \| y, " in made


class TestVerdictsTable:
    def test_claims_beside_ours(self) -> None:
        table = verdicts_table(VERDICTS)
        header, floor, won, lost, human = table.splitlines()
        assert header.split()[-2:] == ["verdict", "why"]
        assert "84.727 to 92.246" in floor
        assert "85.000 to 86.000" in floor
        assert "100M" in floor
        assert "consistent" in floor
        assert "82 won, 13 lost" in won
        assert lost.split()[0] == "lost"
        assert "14.000 to 15.000" in lost
        assert human.endswith("not comparable  what people win: no model")
        assert "85.000" not in human

    def test_a_survey_with_nothing_open_has_one_share(self) -> None:
        line = verdicts_table([judge(FLOOR, Counts("wasp", 9, 85, 15))]).splitlines()[1]
        assert " 85.000  " in line


class TestAtBudgetTable:
    def test_published_above_ours(self) -> None:
        # Without those at whose budget nothing is known.
        published, ours = map(words, at_budget_table(VERDICTS).splitlines()[1:])
        assert published == "two published 1M 100 82 13 5 82.00 13.00 5.00"
        assert ours == "ours 1M 1,000 850 140 10 85.00 14.00 1.00"

    def test_what_is_not_said_is_unknown(self) -> None:
        row = at_budget_table([judge(FLOOR, OURS, OURS)]).splitlines()[1]
        assert words(row) == "one published 100M 563 499 to 503 unknown unknown"

    def test_no_deals_have_no_shares(self) -> None:
        none = Counts("wasp", 9)
        row = at_budget_table([judge(FLOOR, none, none)]).splitlines()[2]
        assert row.split() == ["ours", "9", "0", "0", "0", "0"]


class TestSummaryLine:
    def test_counts_verdicts(self) -> None:
        assert summary_line(VERDICTS) == "3 claims: 2 consistent, 1 not comparable"
        assert summary_line(VERDICTS[:1]) == "1 claim: 1 consistent"


class TestVerdictRows:
    def test_claims_stand_under_the_survey_they_are_held_against(self) -> None:
        other = replace(FLOOR, id="four", rules="wasp(face_down_piles=0)", kind="share")
        rows = verdict_rows(
            [*VERDICTS[:1], judge(other, replace(OURS, rules=other.rules)), *VERDICTS[1:]]
        )
        assert [row.name for row in rows] == [
            "ours, wasp",
            "one",
            "two",
            "ours, wasp(face_down_piles=0)",
            "four",
        ]
        assert [row.is_ours for row in rows] == [True, False, False, True, False]
        assert [row.at_least for row in rows] == [False, True, True, False, False]
        assert rows[0].floor == 0.85
        assert rows[0].ceiling == 0.86
        assert rows[1].verdict == "consistent"

    def test_of_one_survey_the_number_of_deals_is_said(self) -> None:
        assert verdict_rows(VERDICTS)[0].name == "ours, 1,000 deals"
        assert verdict_rows(VERDICTS[2:]) == []
