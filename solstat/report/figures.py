"""Figures: budget curves and what deals cost, on a logarithmic axis of positions.

Importing this imports matplotlib; do so only where a figure is made. No window, no global state:
each function returns a figure of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from solstat.stats.curve import Costs, Curve
from solstat.stats.published import Published

STYLE = Path(__file__).with_name("style.mplstyle")
WON, LOST, OPEN = "#0072B2", "#D55E00", "#666666"
"""Colours of outcomes, the same in every figure; of Okabe and Ito's."""

_LINES = ("-", "--", ":", "-.")
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
        By what the legend calls them; each has its own kind of line. The axis starts at the
        smallest of their budgets.
    published : sequence of Published
        Shares proved won that are marked with their 95 % interval, at their budgets; those whose
        budget is not known are left out.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure()
        axes = figure.add_subplot()
        for (name, each), line in zip(curves.items(), _cycle(_LINES, len(curves)), strict=True):
            # A legend leaves out what begins with an underscore.
            prefix = f"{' ' if name.startswith('_') else ''}{name}: " if name else ""
            for share, what, colour in (
                (each.settled_share, "settled", OPEN),
                (each.won_share, "won", WON),
                (each.lost_share, "lost", LOST),
            ):
                axes.step(
                    each.budgets, share, line, where="post", color=colour, label=prefix + what
                )
        marked = [mark for mark in published if mark.budget is not None]
        for mark, marker in zip(marked, _cycle(_MARKERS, len(marked)), strict=True):
            _mark(axes, mark, marker)
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
        columns = len(curves) + bool(marked)  # three series of a curve in each
        figure.legend(loc="outside lower center", ncols=columns if columns > 1 else 3)
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
        for (name, each), line in zip(curves.items(), _cycle(_LINES, len(curves)), strict=True):
            still_open = 1 - each.settled_share
            still_open[each.won + each.lost == each.n] = np.nan
            axes.step(each.budgets, still_open, line, where="post", label=name)
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
            figure.legend(loc="outside lower center", ncols=len(curves))
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
                axes.axvline(median, color="black", linestyle="--", linewidth=1.2)
                axes.annotate(
                    f"median {median:,.0f}",
                    (median, 0.9),
                    xytext=(6, 0),
                    xycoords=("data", "axes fraction"),
                    textcoords="offset points",
                )
            if still_open:
                axes.axvspan(costs.limit, 10**decades * 1.3, color=OPEN, alpha=0.18, linewidth=0)
                axes.axvline(costs.limit, color=OPEN, linestyle=":")
            _positions_axis(axes, [10**decades])
        if still_open:
            upper.annotate(
                f"{still_open:,} open",
                (costs.limit, 0.9),
                xytext=(-6, 0),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="right",
            )
        lower.set_xlabel("positions until settled")
    return figure


def _mark(axes: Axes, mark: Published, marker: str) -> None:
    share = mark.proved()
    middle = (share.floor + share.ceiling) / 2
    axes.errorbar(
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
