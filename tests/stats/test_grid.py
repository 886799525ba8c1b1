from __future__ import annotations

from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from solstat.errors import UsageError
from solstat.games import rules
from solstat.stats.claims import read_claims
from solstat.stats.grid import Cell, beside, printed_shares
from solstat.stats.proportion import Figures, figures
from solstat.survey.reader import Counts

PUBLISHED = Path(__file__).parents[2] / "configs" / "claims" / "wave-grid.toml"


def survey(won: int, lost: int, unsettled: int = 0, **layout: int) -> Figures:
    made = rules("wave-motion", **layout)
    return figures(Counts(made.id, 1000, won, lost, unsettled))


class TestCell:
    @pytest.mark.parametrize(
        ("printed", "rounding"), [("7.1", 0.0005), ("0", 0.005), ("0.36", 0.00005)]
    )
    def test_rounding_is_half_a_unit_of_the_last_digit(self, printed: str, rounding: float) -> None:
        assert Cell(printed, survey(1, 1)).rounding == pytest.approx(rounding)

    def test_differences_are_ours_less_theirs(self) -> None:
        assert Cell("35.3", survey(35_000, 65_000)).difference == pytest.approx(-0.003)

    def test_three_and_a_half_standard_errors_and_the_rounding_are_allowed(self) -> None:
        cell = Cell("50.0", survey(1, 9_999))
        assert cell.allowed == pytest.approx(3.5 * 0.005 + 0.0005)
        low = Cell("0.00", survey(0, 10_000))
        assert low.allowed == pytest.approx(3.5 * sqrt(0.00005 * 0.99995 / 10_000) + 0.00005)
        high = Cell("100", survey(10_000, 0))
        assert high.allowed == pytest.approx(3.5 * sqrt(0.005 * 0.995 / 10_000) + 0.005)

    @pytest.mark.parametrize(
        ("won", "unsettled", "agrees"),
        [(4826, 0, True), (4814, 0, False), (5179, 0, True), (5182, 0, False), (4800, 30, True)],
    )
    def test_a_cell_agrees_if_the_difference_may_be_chance(
        self, won: int, unsettled: int, agrees: bool
    ) -> None:
        ours = survey(won, 10_000 - won - unsettled, unsettled)
        assert Cell("50.0", ours).agrees is agrees


class TestPrintedShares:
    def test_the_published_table_is_whole(self) -> None:
        table = printed_shares(read_claims(PUBLISHED))
        assert list(table) == [(row, column) for row in range(4, 14) for column in range(5, 11)]
        assert table[8, 8] == "35.3"
        assert table[13, 5] == "0.60"

    def test_doubled_layouts_and_unknown_shares_are_refused(self) -> None:
        first, *_ = read_claims(PUBLISHED)
        with pytest.raises(UsageError, match="wave-grid-4x5: another one is of 4 reserves, 5 col"):
            printed_shares([first, first])
        with pytest.raises(UsageError, match="wave-grid-4x5: no share is known"):
            printed_shares([replace(first, share=None)])


class TestBeside:
    def test_surveys_are_found_by_their_layout(self) -> None:
        standard, other = survey(1, 2), survey(3, 4, reserves=5, columns=9)
        cells = beside({(5, 9): "16.4", (8, 8): "35.3"}, [standard, other])
        assert cells == {(5, 9): Cell("16.4", other), (8, 8): Cell("35.3", standard)}

    def test_missing_and_doubled_layouts_are_refused(self) -> None:
        with pytest.raises(UsageError, match="no survey of 5 reserves and 9 columns"):
            beside({(5, 9): "16.4"}, [survey(1, 2)])
        with pytest.raises(UsageError, match="two surveys of 8 reserves, 8 columns"):
            beside({}, [survey(1, 2), survey(1, 2)])
