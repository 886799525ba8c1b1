from __future__ import annotations

import io

import matplotlib as mpl

from solstat.games import rules
from solstat.report.grid import grid_table, heat_maps, layout_curves
from solstat.stats.grid import Cell, Layout
from solstat.stats.proportion import figures
from solstat.survey.reader import Counts


def cells() -> dict[Layout, Cell]:
    """Two layouts that agree with what is printed and two that do not."""
    found = {}
    for layout, printed, won in (
        ((4, 5), "0.00", 0),
        ((4, 6), "10.0", 1500),
        ((5, 5), "50.0", 4990),
        ((5, 6), "99.9", 9000),
    ):
        made = rules("wave-motion", reserves=layout[0], columns=layout[1])
        found[layout] = Cell(printed, figures(Counts(made.id, 1000, won, 10_000 - won)))
    return found


def test_three_maps_have_the_numbers_of_every_cell() -> None:
    figure = heat_maps(cells())
    published, ours, difference = figure.axes
    texts = [[text.get_text() for text in axes.texts] for axes in (published, ours, difference)]
    assert texts == [
        ["0.00", "10.0", "50.0", "99.9"],
        ["0.00", "15.00", "49.90", "90.00"],
        ["+0.00", "+5.00", "-0.10", "-9.90"],
    ]
    assert [text.get_fontweight() for text in difference.texts] == [
        "normal",
        "bold",
        "normal",
        "bold",
    ]
    assert [label.get_text() for label in published.get_yticklabels()] == ["4", "5"]
    assert published.get_xlabel()
    assert published.get_ylabel()


def test_curves_have_a_line_and_published_points_for_each_number_of_reserves() -> None:
    figure = layout_curves(cells())
    (axes,) = figure.axes
    ours, published = axes.lines[::2], axes.lines[1::2]
    assert [list(line.get_xdata()) for line in ours] == [[5, 6], [5, 6]]
    assert [list(line.get_ydata()) for line in ours] == [[0, 0.15], [0.499, 0.9]]
    assert [list(line.get_ydata()) for line in published] == [[0, 0.1], [0.5, 0.999]]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["5", "4"]


def test_a_figure_is_drawn_and_changes_nothing_for_others() -> None:
    before = dict(mpl.rcParams)
    to = io.BytesIO()
    heat_maps(cells()).savefig(to, format="png")
    assert to.getvalue().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_the_table_says_which_cells_are_beyond_chance() -> None:
    header, *lines = grid_table(cells()).splitlines()
    assert header.split()[:3] == ["reserves", "columns", "n"]
    assert [line.endswith("beyond") for line in lines] == [False, True, False, True]
    assert "+5.000" in lines[1]
