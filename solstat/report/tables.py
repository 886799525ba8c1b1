"""Plain text tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from solstat.budget import format_budget
from solstat.report.text import ends, rounded
from solstat.stats.paired import Paired
from solstat.stats.proportion import Figures
from solstat.survey.reader import Counts

MADE_AS = "made as"
"""The column that says how intervals were made."""


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
    How intervals were made is said unless all are Wilson's at 95 %.
    """
    header = ["rules", "budget", "n", "", "deals", "floor %", "ceiling %", "interval %"]
    methods = made_as(figures)
    if any(methods):
        header.append(MADE_AS)
    rows: list[Sequence[str]] = []
    first_rows = []
    for each, method in zip(figures, methods, strict=True):
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
            if any(methods):
                outcome.append(method if outcome[-1] else "")
            rows.append([*run, *outcome])
            run = ["", "", ""]
    lines = aligned(header, rows, left=(0, 3, 8)).split("\n")
    for place, name in reversed(list(zip(first_rows, names, strict=False))):
        lines.insert(place, name)
    return "\n".join(lines)


def made_as(figures: Sequence[Figures]) -> list[str]:
    """How the intervals of each were made; nothing of any if all are Wilson's at 95 %."""
    methods = [f"{100 * each.confidence:.10g} % {each.interval}" for each in figures]
    return [""] * len(methods) if set(methods) <= {"95 % wilson"} else methods


def stages_table(stages: Mapping[str, Counts]) -> str:
    """What each stage of the search settled: deals, and percent of all that are won, or lost.

    Parameters
    ----------
    stages : mapping of str to Counts
        From `solstat.stats.stages.by_stage`. What is not settled stands with the last stage tried.
    """
    won = sum(each.won for each in stages.values())
    lost = sum(each.lost for each in stages.values())
    return aligned(
        ["stage", "won", "of all won %", "lost", "of all lost %", "unsettled, last tried"],
        (
            [
                stage,
                f"{each.won:,}",
                rounded(each.won / won) if won else "",
                f"{each.lost:,}",
                rounded(each.lost / lost) if lost else "",
                f"{each.unsettled + each.error:,}",
            ]
            for stage, each in stages.items()
        ),
    )


def patterns_table(paired: Paired, names: Sequence[str], *, most: int = 20) -> str:
    """Which outcomes the same deals have under several rules, and how many deals have them.

    Parameters
    ----------
    paired : Paired
        From `solstat.stats.paired.paired`.
    names : sequence of str
        What the table calls the rules.
    most : int
        The seeds are listed of at most so many deals.
    """
    return aligned(
        [*names, "deals", "seeds"],
        (
            [*outcomes, f"{len(seeds):,}", " ".join(seeds) if len(seeds) <= most else ""]
            for outcomes, seeds in paired.patterns().items()
        ),
        left=(*range(len(names)), len(names) + 1),
    )


def _shares(floor: float, ceiling: float, low: float, high: float) -> list[str]:
    return [rounded(floor), rounded(ceiling), ends(low, high)]
