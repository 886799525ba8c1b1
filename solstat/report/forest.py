"""A forest plot: intervals of shares under one another, published ones beside ours.

Importing this imports matplotlib; do so only where a figure is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from solstat.report.figures import OPEN, STYLE, WON
from solstat.stats.claims import FLOORS
from solstat.stats.proportion import Figures
from solstat.stats.verdicts import Verdict

_INCHES_A_ROW = 0.36
_MARGIN = 0.06
"""Left free beside the intervals, as a part of what they span."""
_LEAST_SPAN = 0.002
"""The least that the axis spans, as a share: two tenths of a point."""


@dataclass(frozen=True)
class Row:
    """One share with its interval, as a line of a forest plot; all of them from 0 to 1.

    Attributes
    ----------
    name : str
        What stands at the left.
    low, high : float
        Ends of the interval.
    floor, ceiling : float
        The share itself: from its floor to its ceiling, which may be one.
    is_ours : bool
        Whether it is a survey of ours, not a published share.
    at_least : bool
        Whether it is a floor, so that the true share may be anywhere above the interval too.
    verdict : str
        What stands at the right, such as ``consistent``.
    """

    name: str
    low: float
    high: float
    floor: float
    ceiling: float
    is_ours: bool = False
    at_least: bool = False
    verdict: str = ""


def verdict_rows(verdicts: Sequence[Verdict]) -> list[Row]:
    """Each survey of ours, and under it the claims that were held against it.

    Claims that are not comparable are left out. Of `outcomes` the deals won are shown.
    """
    several = len({each.ours.rules for each in verdicts if each.ours is not None}) > 1
    rows: dict[Figures, list[Row]] = {}
    for each in verdicts:
        if (ours := each.ours) is None or (won := each.won) is None:
            continue
        if ours not in rows:
            name = f"ours, {ours.rules}" if several else f"ours, {ours.n:,} deals"
            bounds = ours.low, ours.high, ours.floor, ours.ceiling
            rows[ours] = [Row(name, *bounds, is_ours=True)]
        rows[ours].append(
            Row(
                each.claim.id,
                won.low,
                won.high,
                won.floor,
                won.ceiling,
                at_least=each.claim.kind in FLOORS,
                verdict=each.verdict,
            )
        )
    return [row for of_survey in rows.values() for row in of_survey]


def forest(rows: Sequence[Row], *, title: str = "Share of the deals that can be won") -> Figure:
    """Draw shares under one another, the first at the top.

    A thin line is an interval, a thick one goes from floor to ceiling, a point is in the middle of
    them: filled if the survey is ours, hollow if it is published. An arrow says that the share is
    a floor. If there is one survey of ours, its interval is a band behind all rows.

    Parameters
    ----------
    rows : sequence of Row
        At least one.
    title : str
        Of the figure.
    """
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(7.2, 1.1 + _INCHES_A_ROW * len(rows)))
        axes = figure.add_subplot()
        low, high = _span(rows)
        ours = [row for row in rows if row.is_ours]
        if len(ours) == 1:
            axes.axvspan(ours[0].low, ours[0].high, color=WON, alpha=0.12, linewidth=0, zorder=0)
        for place, row in enumerate(rows):
            _draw(axes, place, row, high)
            axes.annotate(
                row.verdict,
                (1, place),
                xytext=(8, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontweight="bold" if row.verdict.startswith("too ") else "normal",
            )
        axes.set_title(title)
        axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(False, axis="y")
    return figure


def _draw(axes: Axes, place: int, row: Row, end: float) -> None:
    colour = WON if row.is_ours else OPEN
    axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.6)
    axes.plot([row.low, row.high], [place, place], "|", color=colour, markersize=8)
    axes.plot([row.floor, row.ceiling], [place, place], color=colour, linewidth=5)
    axes.plot(
        [(row.floor + row.ceiling) / 2],
        [place],
        "o" if row.is_ours else "s",
        color=colour,
        markerfacecolor=colour if row.is_ours else "white",
        markersize=6.5,
        zorder=3,
    )
    if row.at_least and row.high < end:
        axes.annotate(
            "",
            (end, place),
            (row.high, place),
            arrowprops={"arrowstyle": "->", "color": colour, "linestyle": ":", "shrinkB": 0},
        )


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of the axis: all intervals and a margin, within what a share can be."""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    if (missing := _LEAST_SPAN - (high - low)) > 0:
        low = min(max(0.0, low - missing / 2), 1 - _LEAST_SPAN)
        high = low + _LEAST_SPAN
    margin = _MARGIN * (high - low)
    # A point at 0 or 1 is seen whole: the axis goes a little beyond.
    return max(low - margin, -margin / 2), min(high + margin, 1 + margin / 2)
