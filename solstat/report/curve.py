"""Shares at several budgets, as the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping

from solstat.budget import format_budget
from solstat.report.tables import MADE_AS, aligned, made_as
from solstat.report.text import percent
from solstat.stats.curve import Curve, settled
from solstat.stats.proportion import Figures, Share, figures
from solstat.survey.reader import Counts

_NAME = 1  # the column of what the table calls the runs


def curve_rows(curves: Mapping[str, Curve]) -> list[list[str]]:
    """Shares settled, won and lost at each budget, in percent of the deals, below their header.

    Parameters
    ----------
    curves : mapping of str to Curve
        By what the table calls them, each at budgets of its own; those at the same budget stand
        below each other. The shares are floors, their intervals go up to the ceilings. A single
        one may have an empty name. How intervals were made is said last, unless all are Wilson's
        at 95 %.
    """
    found: list[tuple[int, str, Curve, Counts]] = sorted(
        (
            (counts.budget, name, curve, counts)
            for name, curve in curves.items()
            for counts in curve.counts()
        ),
        key=lambda each: each[0],  # runs stay in their order
    )
    shares = [text for what in ("settled", "won", "lost") for text in (f"{what} %", "interval %")]
    rows = [["budget", "run", "n", *shares]]
    before = None
    every = [figures(counts, interval=curve.interval) for _, _, curve, counts in found]
    methods = made_as(every)
    for (budget, name, curve, counts), made in zip(found, every, strict=True):
        share = settled(counts, interval=curve.interval)
        rows.append(
            [
                "" if budget == before else format_budget(budget),
                name,
                f"{counts.n:,}",
                *_share(share.floor, share),
                *_share(made.floor, made),
                *_share(made.lost_floor, Share(0, 1, made.lost_low, made.lost_high)),
            ]
        )
        before = budget
    if any(methods):
        for row, method in zip(rows, [MADE_AS, *methods], strict=True):
            row.append(method)
    if not any(curves):
        for row in rows:
            del row[_NAME]
    return rows


def curve_table(curves: Mapping[str, Curve]) -> str:
    """`curve_rows` as plain text."""
    header, *rows = curve_rows(curves)
    left = {header.index(name) for name in ("run", MADE_AS) if name in header}
    return aligned(header, rows, left=left)


def _share(floor: float, bounds: Share | Figures) -> tuple[str, str]:
    return percent(floor), f"{percent(bounds.low)} to {percent(bounds.high)}"
