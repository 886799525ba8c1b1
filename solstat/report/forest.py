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

from solstat.report.figures import LOST, OPEN, STYLE, WON
from solstat.stats.claims import FLOORS
from solstat.stats.players import Model
from solstat.stats.proportion import Figures, Share
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
        rows[ours].append(claim_row(each, won))
    return [row for of_survey in rows.values() for row in of_survey]


def player_rows(models: Sequence[Model]) -> list[Row]:
    """The share that each player wins."""
    return [
        Row(f"{each.rules}, {each.policy}", each.low, each.high, each.share, each.share)
        for each in models
    ]


def claim_row(verdict: Verdict, won: Share) -> Row:
    """The row of a claim whose share won is known."""
    return Row(
        verdict.claim.id,
        won.low,
        won.high,
        won.floor,
        won.ceiling,
        at_least=verdict.claim.kind in FLOORS,
        verdict=verdict.verdict,
    )


def forest(rows: Sequence[Row], *, title: str = "Share that can be won") -> Figure:
    """Draw shares under one another, the first at the top.

    A thin line is an interval, a thick one goes from floor to ceiling, a point is in the middle of
    them: filled if the survey is ours, hollow if it is published. An arrow says that the share is
    a floor. If there is one survey of ours, its interval is a band behind all rows.

    Parameters
    ----------
    rows : sequence of Row
        Of none an empty plot is made.
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
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(False, axis="y")
    return figure


def differences(verdicts: Sequence[Verdict], *, title: str = "Published less ours") -> Figure:
    """How far published shares are from ours, in points: one row for each comparable claim.

    A bar is the interval of ours, a line that of the claim, both less the middle of our floor and
    ceiling. Where many surveys of ours differ in their shares, this shows what `forest` would not.
    """
    rows = [
        (each.claim.id, each.verdict, each.won, each.ours)
        for each in verdicts
        if each.won is not None and each.ours is not None
    ]
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(7.2, 1.2 + 0.55 * _INCHES_A_ROW * len(rows)))
        axes = figure.add_subplot()
        for place, (_, verdict, won, ours) in enumerate(rows):
            middle = (ours.floor + ours.ceiling) / 2
            low, high, point, *bar = (
                100 * (share - middle)
                for share in (won.low, won.high, (won.floor + won.ceiling) / 2, ours.low, ours.high)
            )
            axes.barh(place, bar[1] - bar[0], 0.8, bar[0], color=WON, alpha=0.3, linewidth=0)
            bad = verdict != "consistent"
            colour = LOST if bad else "black"
            axes.plot([low, high], [place, place], color=colour, linewidth=1.6)
            axes.plot(
                [point],
                [place],
                "D" if bad else "s",
                color=colour,
                markerfacecolor=colour if bad else "white",
                markersize=4,
            )
        axes.set_title(title)
        axes.set_xlabel("points; bars: our intervals; lines: published; diamonds: they do not meet")
        names = [
            name + (f", {verdict}" if verdict.startswith("too ") else "")
            for name, verdict, *_ in rows
        ]
        axes.set_yticks(range(len(rows)), names, fontsize=8)
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
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
    low = min((row.low for row in rows), default=0.0)
    high = max((row.high for row in rows), default=1.0)
    if (missing := _LEAST_SPAN - (high - low)) > 0:
        low = min(max(0.0, low - missing / 2), 1 - _LEAST_SPAN)
        high = low + _LEAST_SPAN
    margin = _MARGIN * (high - low)
    # A point at 0 or 1 is seen whole: the axis goes a little beyond.
    return max(low - margin, -margin / 2), min(high + margin, 1 + margin / 2)
