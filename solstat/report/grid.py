"""Many layouts of a game at once: heat maps and tables of reserves by columns.

Importing this imports matplotlib; do so only where a figure is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from solstat.report.figures import STYLE
from solstat.report.tables import aligned
from solstat.stats.grid import Cell, Layout


def heat_maps(cells: Mapping[Layout, Cell]) -> Figure:
    """Published shares won, ours, and how far they are apart, as three heat maps.

    Parameters
    ----------
    cells : mapping of (reserves, columns) to Cell
        A whole grid. The third map shows differences in parts of what chance allows
        (`Cell.allowed`); one beyond it has its number in bold.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(10.5, 5.2))
        left, middle, right = figure.subplots(1, 3, sharey=True)
        shares = Normalize(0, 1)
        _map(left, cells, lambda cell: cell.published, lambda cell: cell.printed, "viridis", shares)
        _map(
            middle,
            cells,
            lambda cell: cell.ours.floor,
            lambda cell: f"{100 * cell.ours.floor:.2f}",
            "viridis",
            shares,
        )
        _map(
            right,
            cells,
            lambda cell: cell.difference / cell.allowed,
            lambda cell: f"{100 * cell.difference:+.2f}",
            "RdBu",
            TwoSlopeNorm(0, -1.5, 1.5),
        )
        left.set_title("published, % won")
        middle.set_title("ours, % won")
        right.set_title("ours less published, points")
        left.set_ylabel("reserves")
    return figure


def layout_curves(cells: Mapping[Layout, Cell]) -> Figure:
    """Our shares won by number of columns, a line for each number of reserves, published as points.

    Parameters
    ----------
    cells : mapping of (reserves, columns) to Cell
        A whole grid.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(7.2, 5.2))
        axes = figure.add_subplot()
        rows = sorted({reserves for reserves, _ in cells})
        colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.9, len(rows)))
        for row, colour in zip(rows, colours, strict=True):
            line = {columns: cell for (reserves, columns), cell in cells.items() if reserves == row}
            ours = [cell.ours.floor for cell in line.values()]
            axes.plot(list(line), ours, color=colour, label=str(row))
            axes.plot(
                list(line),
                [cell.published for cell in line.values()],
                "o",
                markerfacecolor="white",
                markeredgecolor=colour,
            )
        axes.set_title("Lines: ours; points: published")
        axes.set_xlabel("columns")
        axes.set_ylabel("share of the deals won")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.set_xticks(sorted({columns for _, columns in cells}))
        figure.legend(title="reserves", loc="outside right upper", reverse=True)
    return figure


def grid_table(cells: Mapping[Layout, Cell]) -> str:
    """Each layout: published, ours with its interval, the difference, and what chance allows."""
    return aligned(
        [
            "reserves",
            "columns",
            "n",
            "published %",
            "won %",
            "interval %",
            "unsettled",
            "difference",
            "allowed",
            "",
        ],
        (
            [
                str(reserves),
                str(columns),
                f"{cell.ours.n:,}",
                cell.printed,
                f"{100 * cell.ours.floor:.3f}",
                f"{100 * cell.ours.low:.3f} to {100 * cell.ours.high:.3f}",
                f"{cell.ours.unsettled + cell.ours.error:,}",
                f"{100 * cell.difference:+.3f}",
                f"{100 * cell.allowed:.3f}",
                "" if cell.agrees else "beyond",
            ]
            for (reserves, columns), cell in cells.items()
        ),
        left=(),
    )


def _map(
    axes: Axes,
    cells: Mapping[Layout, Cell],
    value: Callable[[Cell], float],
    text: Callable[[Cell], str],
    colours: str,
    norm: Normalize,
) -> None:
    rows = sorted({reserves for reserves, _ in cells})
    places = sorted({columns for _, columns in cells})
    values = np.array([[value(cells[row, place]) for place in places] for row in rows])
    image = axes.imshow(values, cmap=colours, norm=norm, aspect="auto", origin="lower")
    for (row, place), number in np.ndenumerate(values):
        red, green, blue, _ = image.cmap(norm(number))
        cell = cells[rows[row], places[place]]
        axes.text(
            place,
            row,
            text(cell),
            ha="center",
            va="center",
            fontsize=7,
            color="black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white",
            fontweight="normal" if cell.agrees else "bold",
        )
    axes.set_xticks(range(len(places)), [str(place) for place in places])
    axes.set_yticks(range(len(rows)), [str(row) for row in rows])
    axes.set_xlabel("columns")
    axes.grid(False)
