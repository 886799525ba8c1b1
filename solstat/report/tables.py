"""Plain text tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from solstat.budget import format_budget
from solstat.stats.proportion import Figures


def aligned(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[int] = (0,)
) -> str:
    """Rows under a header, columns two spaces apart: those in `left` flush left, others right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def figures_table(figures: Sequence[Figures], names: Sequence[str] = ()) -> str:
    """The outcomes of runs, a row each, with shares of the deals in percent.

    The floor of a share counts no deal that is not settled, the ceiling counts them all. `names`,
    one for each run if there are any, are lines of their own, each above the figures of its run.
    """
    header = ["rules", "budget", "n", "", "deals", "floor %", "ceiling %", "interval %"]
    rows: list[Sequence[str]] = []
    first_rows = []
    for each in figures:
        first_rows.append(len(rows) + 1)  # after the header
        won = (each.floor, each.ceiling, each.low, each.high)
        lost = (each.lost_floor, each.lost_ceiling, each.lost_low, each.lost_high)
        outcomes = [
            ["won", f"{each.won:,}", *_shares(*won)],
            ["lost", f"{each.lost:,}", *_shares(*lost)],
            ["unsettled", f"{each.unsettled:,}", "", "", ""],
        ]
        if each.error:
            outcomes.append(["error", f"{each.error:,}", "", "", ""])
        run = [each.rules, format_budget(each.budget), f"{each.n:,}"]
        for outcome in outcomes:
            rows.append([*run, *outcome])
            run = ["", "", ""]
    lines = aligned(header, rows, left=(0, 3)).split("\n")
    for place, name in reversed(list(zip(first_rows, names, strict=False))):
        lines.insert(place, name)
    return "\n".join(lines)


def _shares(floor: float, ceiling: float, low: float, high: float) -> list[str]:
    return [_percent(floor), _percent(ceiling), f"{_percent(low)} to {_percent(high)}"]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"
