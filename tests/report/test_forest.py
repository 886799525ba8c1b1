from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from solstat.report.forest import Row, differences, forest
from solstat.stats.claims import read_claims
from solstat.stats.verdicts import judge
from solstat.survey.reader import Counts

GRID = Path(__file__).parents[2] / "configs/claims/wave-grid.toml"

OURS = Row("ours", 0.85, 0.87, 0.86, 0.865, is_ours=True)
CLAIM = Row("a claim", 0.7, 0.9, 0.8, 0.8, at_least=True, verdict="consistent")
HIGH = Row("another", 0.95, 0.97, 0.96, 0.96, verdict="too high")


def texts(figure: Figure) -> dict[str, str]:
    return {text.get_text(): str(text.get_fontweight()) for text in figure.axes[0].texts}


class TestForest:
    def test_rows_stand_under_one_another_by_name(self) -> None:
        axes = forest([OURS, CLAIM, HIGH]).axes[0]
        assert [label.get_text() for label in axes.get_yticklabels()] == [
            "ours",
            "a claim",
            "another",
        ]
        bottom, top = axes.get_ylim()
        assert bottom > top  # the first at the top

    def test_intervals_and_shares_are_where_they_belong(self) -> None:
        axes = forest([OURS, CLAIM]).axes[0]
        thin, _, thick, point = axes.lines[:4]
        assert list(thin.get_xdata()) == [0.85, 0.87]
        assert list(thick.get_xdata()) == [0.86, 0.865]
        assert list(point.get_xdata()) == [pytest.approx(0.8625)]
        low, high = axes.get_xlim()
        assert low < 0.7
        assert 0.9 < high < 1

    def test_verdicts_stand_beside_and_a_bad_one_is_seen(self) -> None:
        found = texts(forest([OURS, CLAIM, HIGH]))
        assert found["consistent"] == "normal"
        assert found["too high"] == "bold"

    def test_ours_is_a_band_only_if_it_is_there(self) -> None:
        assert len(forest([OURS, CLAIM]).axes[0].patches) == 1
        assert not forest([CLAIM]).axes[0].patches

    def test_a_floor_has_an_arrow(self) -> None:
        def arrows(*rows: Row) -> int:
            return sum(text.arrow_patch is not None for text in forest(rows).axes[0].texts)

        assert arrows(OURS, HIGH) == 0
        assert arrows(OURS, CLAIM) == 1
        assert arrows(Row("nothing known", 0, 1, 0, 1, at_least=True)) == 1

    @pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5)])
    def test_the_ends_of_what_a_share_can_be_are_seen(self, low: float, high: float) -> None:
        figure = forest([Row("one", low, high, low, high)])
        left, right = figure.axes[0].get_xlim()
        assert left < low
        assert right > high
        assert right - left >= 0.002
        figure.savefig(io.BytesIO(), format="svg")

    def test_of_no_rows_there_is_an_empty_plot(self) -> None:
        figure = forest([])
        assert not figure.axes[0].lines
        figure.savefig(io.BytesIO(), format="svg")

    def test_leaves_the_look_of_other_figures_alone(self) -> None:
        before = dict(mpl.rcParams)
        forest([OURS])
        assert dict(mpl.rcParams) == before


class TestDifferences:
    def test_published_shares_stand_at_their_distance_from_ours(self) -> None:
        claims = [claim for claim in read_claims(GRID) if claim.share in ("24.2", "53.5")]
        survey = Counts("wave-motion", 1000, won=242_500, lost=757_500)
        figure = differences([judge(claim, survey) for claim in claims])
        [axes] = figure.axes
        line, point = axes.lines[:2]
        assert list(line.get_xdata()) == [pytest.approx(-0.1), pytest.approx(0)]
        assert list(point.get_xdata()) == [pytest.approx(-0.05)]
        [bar, _] = axes.patches
        assert bar.get_x() == pytest.approx(-0.11, abs=0.005)
        assert [label.get_text() for label in axes.get_yticklabels()] == [
            "wave-grid-4x10",
            "wave-grid-5x10, too high",
        ]

    def test_nothing_to_compare(self) -> None:
        figure = differences([])
        assert not figure.axes[0].lines
        figure.savefig(io.BytesIO(), format="svg")
