"""Figures: budget curves and what deals cost, on a logarithmic axis of positions.

Importing this imports matplotlib; do so only where a figure is made. No window, no global state:
each function returns a figure of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import cycle, islice, product
from math import ceil
from pathlib import Path
from typing import IO, Any

import matplotlib.style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, PercentFormatter

from solstat.errors import UsageError
from solstat.report.text import visible
from solstat.stats.curve import PER_DECADE, Costs, Curve
from solstat.stats.published import Published

STYLE = Path(__file__).with_name("style.mplstyle")
WON, LOST, OPEN = "#0072B2", "#D55E00", "#666666"
"""Colours of outcomes, the same in every figure; of Okabe and Ito's."""

MOST = 8
"""So many curves a figure tells apart."""

_SHARES = {"settled": OPEN, "won": WON, "lost": LOST}
_LINES = ("-", "--", ":", "-.")
_POINTS = ("", "o")  # on the lines: after all kinds of lines once, they come again with points
_LABEL = 44  # a longer name goes on in the next line of a legend
_MARKERS = ("o", "s", "D", "^")
_BINS_PER_DECADE = 8


def save(figure: Figure, file: IO[bytes], form: str) -> None:
    """Write a figure, the same bytes each time: ``png`` or ``svg``, whose text stays text."""
    dated = {"Date": None} if form == "svg" else {}
    with matplotlib.style.context(STYLE):
        figure.savefig(file, format=form, metadata=dated)


def budget_curve(curves: Mapping[str, Curve], published: Sequence[Published] = ()) -> Figure:
    """Shares won, lost and settled against the budget.

    Parameters
    ----------
    curves : mapping of str to Curve
        By what the legend calls them, `MOST` at most; each has its own kind of line. The axis
        starts at the smallest of their budgets. A curve of one budget is a point.
    published : sequence of Published
        Shares proved won that are marked with their 95 % interval, at their budgets; those whose
        budget is not known are left out.

    Raises
    ------
    UsageError
        There are too many curves.
    """
    if len(curves) > MOST:
        raise UsageError(
            f"a figure tells {MOST} curves apart at most, and these are {len(curves)}: name fewer"
        )
    with matplotlib.style.context(STYLE):
        figure = Figure()
        axes = figure.add_subplot()
        kinds = _kinds(curves)
        for (name, each), kind in zip(curves.items(), kinds, strict=True):
            point = {"marker": "o"} if len(each.budgets) == 1 else {}
            for share, (what, colour) in zip(
                (each.settled_share, each.won_share, each.lost_share), _SHARES.items(), strict=True
            ):
                label = f"{name}: {what}" if name else what
                style = kind | point | {"color": colour, "label": label}
                axes.step(each.budgets, share, where="post", **style)
        marked = [mark for mark in published if mark.budget is not None]
        marks = [
            _mark(axes, mark, marker)
            for mark, marker in zip(marked, _cycle(_MARKERS, len(marked)), strict=True)
        ]
        axes.set_title("Outcomes at every budget")
        axes.set_xlabel("budget, positions a deal")
        axes.set_ylabel("share of the deals")
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        _positions_axis(
            axes,
            [
                *(each.budgets[-1] for each in curves.values()),
                *(mark.budget or 1 for mark in marked),
            ],
            start=int(min(each.budgets[0] for each in curves.values())),
        )
        shares = [Line2D([], [], color=colour, label=what) for what, colour in _SHARES.items()]
        if any(curves):  # they have names; colours say which share, kinds of lines whose
            figure.legend(handles=shares, loc="outside upper right", ncols=len(shares))
            names = [
                Line2D([], [], color="black", label=_label(name), **kind)
                for name, kind in zip(curves, kinds, strict=True)
            ]
            _legend(figure, [*names, *marks])
        else:
            _legend(figure, [*shares, *marks])
    return figure


def unsettled_curve(curves: Mapping[str, Curve]) -> Figure:
    """Shares that are not settled against the budget, both on logarithmic axes.

    Parameters
    ----------
    curves : mapping of str to Curve
        By what the legend calls them; each has its own kind of line, which ends where no deal is
        left open.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure()
        axes = figure.add_subplot()
        for (name, each), kind in zip(curves.items(), _kinds(curves), strict=True):
            still_open = 1 - each.settled_share
            still_open[each.won + each.lost == each.n] = np.nan
            axes.step(each.budgets, still_open, where="post", label=_label(name), **kind)
        axes.set_title("Not settled at every budget")
        axes.set_xlabel("budget, positions a deal")
        axes.set_ylabel("share of the deals")
        axes.set_yscale("log")
        one_deal = 1 / max([1, *(each.n for each in curves.values())])
        axes.set_ylim(0.7 * one_deal, 1.3)
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        _positions_axis(
            axes,
            [each.budgets[-1] for each in curves.values()],
            start=int(min(each.budgets[0] for each in curves.values())),
        )
        if any(curves):  # they have names
            _legend(figure, axes.lines)
    return figure


def positions_histogram(costs: Costs) -> Figure:
    """How many deals cost how many positions, won and lost apart.

    Parameters
    ----------
    costs : Costs
        Of one run. Deals are on a logarithmic axis too, so that the few dear ones show. The open
        deals stand at the right: they cost more than the limit, nobody knows how much.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(7.2, 5.2))
        upper, lower = figure.subplots(2, 1, sharex=True)
        dearest = max([costs.limit, *costs.won[-1:], *costs.lost[-1:]])
        decades = max(1, int(np.ceil(np.log10(dearest))))
        edges = np.geomspace(1, 10**decades, decades * _BINS_PER_DECADE + 1)
        edges = np.union1d(edges, [costs.limit])  # no bar lies on both sides of it
        still_open = costs.n - len(costs.won) - len(costs.lost)
        end = max(10**decades, 2 * costs.limit) if still_open else 10**decades
        for axes, positions, what, colour, hatch in (
            (upper, costs.won, "won", WON, ""),
            (lower, costs.lost, "lost", LOST, "///"),
        ):
            tallest = np.histogram(positions, edges)[0].max()
            axes.hist(positions, edges, color=colour, hatch=hatch, edgecolor="white", linewidth=0.6)
            axes.set_ylim(0.7, 3 * max(10, tallest))  # a single deal is seen
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(EngFormatter(sep=""))
            axes.set_ylabel("deals")
            axes.set_title(f"{len(positions):,} deals {what}")
            if len(positions):
                median = float(np.median(positions))
                is_left = median**2 < end
                axes.axvline(median, color="black", linestyle="--", linewidth=1.2)
                axes.annotate(
                    f"median {median:,.0f}",
                    (median, 0.9),
                    xytext=(6 if is_left else -6, 0),
                    xycoords=("data", "axes fraction"),
                    textcoords="offset points",
                    ha="left" if is_left else "right",
                )
            if still_open:
                axes.axvspan(costs.limit, 1.3 * end, color=OPEN, alpha=0.18, linewidth=0)
                axes.axvline(costs.limit, color=OPEN, linestyle=":")
            _positions_axis(axes, [end])
        if still_open:  # above what is beyond the line, away from all that is below
            upper.set_title(f"{still_open:,} open", loc="right", color=OPEN)
        lower.set_xlabel("positions until settled")
    return figure


def _kinds(curves: Collection[str]) -> list[dict[str, Any]]:
    """How the lines of each curve are drawn, colours left aside."""
    return [
        {"linestyle": line, "marker": point, "markevery": PER_DECADE // 2, "markersize": 4}
        for point, line in islice(cycle(product(_POINTS, _LINES)), len(curves))
    ]


def _label(name: str) -> str:
    """A name as a legend shows it: whole, though it be long or begin with an underscore."""
    text = visible(name)
    lines = [text[first : first + _LABEL] for first in range(0, len(text), _LABEL)]
    return (" " if text.startswith("_") else "") + "\n".join(lines)


def _legend(figure: Figure, handles: Sequence[Artist | Container]) -> None:
    """A legend below, in as many columns as there is room for; the figure grows by further rows."""
    for columns in range(len(handles), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=columns)
        extent = legend.get_window_extent()
        if extent.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    rows = ceil(len(handles) / columns)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + extent.height / figure.dpi * (1 - 1 / rows))


def _mark(axes: Axes, mark: Published, marker: str) -> Container:
    share = mark.proved()
    middle = (share.floor + share.ceiling) / 2
    return axes.errorbar(
        [float(mark.budget or 0)],
        [middle],
        yerr=[[middle - share.low], [share.high - middle]],
        fmt=marker,
        color="black",
        markerfacecolor="white",
        label=f"published: won of {mark.n:,}",
        zorder=3,
    )


def _positions_axis(axes: Axes, ends: Iterable[int], *, start: int = 1) -> None:
    axes.set_xscale("log")
    axes.set_xlim(start, 1.3 * max(10, *ends))  # what stands at the end is seen whole
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.minorticks_off()


def _cycle(kinds: Sequence[str], count: int) -> list[str]:
    return [kinds[place % len(kinds)] for place in range(count)]
