from __future__ import annotations

import io
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from solstat.errors import UsageError
from solstat.report.figures import budget_curve, positions_histogram, save, unsettled_curve
from solstat.stats.curve import Costs, curve
from solstat.stats.published import Published, exactly

SVG = "{http://www.w3.org/2000/svg}"
COSTS = Costs("wasp", "full", 10, np.array([2, 2, 30, 400, 5000]), np.array([1, 80]), 1, 10_000)
NOTHING = Costs("wasp", "full", 0, np.empty(0, int), np.empty(0, int), 0, 1)


def drawn(figure: Figure) -> bytes:
    to = io.BytesIO()
    figure.savefig(to, format="png")
    return to.getvalue()


class TestBudgetCurve:
    def test_shows_every_share_and_every_published_point_with_a_budget(self) -> None:
        found = curve(COSTS)
        marks = [Published("a", 100, exactly(82), budget=250), Published("b", 9, exactly(3))]
        figure = budget_curve({"full": found, "plain": found}, marks)
        (axes,) = figure.axes
        assert axes.get_xscale() == "log"
        labels = [
            f"{name}: {what}" for name in ("full", "plain") for what in ("settled", "won", "lost")
        ]
        assert axes.get_legend_handles_labels()[1] == [*labels, "published: won of 100"]
        by_label = dict(zip(labels, axes.lines, strict=False))
        assert np.array_equal(by_label["full: won"].get_ydata(), found.won_share)
        assert np.array_equal(by_label["plain: lost"].get_xdata(), found.budgets)
        (points,) = (line for line in axes.lines if line.get_marker() == "o")
        assert (points.get_xdata(), points.get_ydata()) == ([250.0], [0.82])
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        assert drawn(figure).startswith(b"\x89PNG")

    def test_series_are_told_apart_without_colour(self) -> None:
        found = curve(COSTS)
        figure = budget_curve({"full": found, "plain": found})
        assert len({line.get_linestyle() for line in figure.axes[0].lines}) == 2

    @pytest.mark.parametrize("costs", [NOTHING, COSTS])
    def test_leaves_the_settings_of_others_alone(self, costs: Costs) -> None:
        before = dict(mpl.rcParams)
        assert drawn(budget_curve({"": curve(costs)}))
        assert dict(mpl.rcParams) == before

    def test_a_name_is_text(self) -> None:
        names = ["_a", "$x^", "$y$", "<b>&"]
        figure = budget_curve({name: curve(COSTS) for name in names})
        files = [io.BytesIO(), io.BytesIO()]
        for file in files:
            save(figure, file, "svg")
        assert files[0].getvalue() == files[1].getvalue()
        texts = {
            text.text for text in ElementTree.fromstring(files[0].getvalue()).iter(f"{SVG}text")
        }
        assert texts >= {" _a", "$x^", "$y$", "<b>&", "settled", "won", "lost"}

    @pytest.mark.parametrize("count", [1, 2, 4, 5, 8])
    @pytest.mark.parametrize("name", ["a", "runs/somewhere/wasp", "runs/" + "W" * 100])
    def test_the_legend_is_in_the_figure_and_tells_all_apart(self, count: int, name: str) -> None:
        names = [f"{name}/{place}" for place in range(count)]
        for draw in (budget_curve, unsettled_curve):
            figure = draw({each: curve(COSTS) for each in names})
            assert drawn(figure)
            texts = [text.get_text().replace("\n", "") for text in figure.legends[-1].get_texts()]
            assert texts == names
            for legend in figure.legends:
                extent = legend.get_window_extent()
                assert 0 <= extent.x0 < extent.x1 <= figure.bbox.width
                assert 0 <= extent.y0 < extent.y1 <= figure.bbox.height
            kinds = {
                (line.get_linestyle(), line.get_marker(), line.get_color())
                for line in figure.axes[0].lines
            }
            assert len(kinds) == len(figure.axes[0].lines)
            assert figure.axes[0].bbox.height > 250

    def test_there_can_be_too_many(self) -> None:
        with pytest.raises(UsageError, match="8 curves apart at most, and these are 9"):
            budget_curve({str(place): curve(COSTS) for place in range(9)})

    def test_of_no_deals_among_others(self) -> None:
        found = {str(place): curve(COSTS) for place in range(7)} | {"none": curve(NOTHING)}
        assert drawn(budget_curve(found))
        assert drawn(unsettled_curve(found))

    def test_one_budget_is_a_point(self) -> None:
        figure = budget_curve({"a": curve(COSTS, [500]), "b": curve(COSTS)})
        assert [line.get_marker() for line in figure.axes[0].lines] == ["o"] * 3 + [""] * 3

    def test_starts_where_its_curves_start(self) -> None:
        figure = budget_curve({"a": curve(COSTS, first=30), "b": curve(COSTS, first=200)})
        assert figure.axes[0].get_xlim()[0] == 30
        assert budget_curve({"": curve(COSTS)}).axes[0].get_xlim()[0] == 1


class TestUnsettledCurve:
    def test_shows_what_is_open_under_each_rules(self) -> None:
        found = curve(COSTS, first=10)
        figure = unsettled_curve({"leave": found, "return": curve(COSTS)})
        (axes,) = figure.axes
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_legend_handles_labels()[1] == ["leave", "return"]
        line = axes.lines[0]
        assert np.array_equal(line.get_xdata(), found.budgets)
        assert line.get_ydata()[-1] == pytest.approx(0.3)  # two are unsettled, one is an error
        assert len({line.get_linestyle() for line in axes.lines}) == 2
        assert axes.get_xlim()[0] == 1
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        ticks = {text.get_text() for text in axes.get_yticklabels()}
        assert drawn(figure)
        assert ticks >= {"10%", "100%"}

    def test_ends_where_nothing_is_open(self) -> None:
        costs = Costs("wasp", "full", 3, np.array([2, 30]), np.array([400]), 0, 10_000)
        figure = unsettled_curve({"": curve(costs, [1, 2, 399, 400, 10_000])})
        shares = figure.axes[0].lines[0].get_ydata()
        assert shares == pytest.approx([1, 2 / 3, 1 / 3, np.nan, np.nan], nan_ok=True)
        assert drawn(figure)

    def test_of_no_deals(self) -> None:
        assert drawn(unsettled_curve({"": curve(NOTHING)}))


class TestPositionsHistogram:
    def test_every_settled_deal_is_in_a_bar(self) -> None:
        figure = positions_histogram(COSTS)
        upper, lower = figure.axes
        assert sum(bar.get_height() for bar in upper.containers[0]) == 5
        assert sum(bar.get_height() for bar in lower.containers[0]) == 2
        assert upper.get_title(loc="left") == "5 deals won"
        texts = [text.get_text() for axes in figure.axes for text in axes.texts]
        assert texts == ["median 30", "median 40"]
        assert upper.get_title(loc="right") == "3 open"
        assert lower.get_xscale() == "log"
        assert drawn(figure)

    @pytest.mark.parametrize("median", [1, 2, 30, 100, 861, 999, 1000])
    @pytest.mark.parametrize("width", [4.4, 7.2])
    def test_what_is_said_is_apart(self, median: int, width: float) -> None:
        costs = Costs("wasp", "full", 60, np.array([median] * 3), np.array([median]), 0, 1000)
        figure = positions_histogram(costs)
        figure.set_size_inches(width, 5.2)
        assert drawn(figure)
        upper = figure.axes[0]
        (label,) = upper.texts
        box = label.get_window_extent()
        assert upper.bbox.x0 < box.x0 < box.x1 < upper.bbox.x1
        line = upper.transData.transform((1000, 1))[0]
        assert box.x1 < line
        assert box.y1 < upper.bbox.y1  # titles stand above

    def test_of_no_deals(self) -> None:
        figure = positions_histogram(NOTHING)
        assert [axes.get_title(loc="left") for axes in figure.axes] == [
            "0 deals won",
            "0 deals lost",
        ]
        assert drawn(figure)
