"""When a run may end, and what is said once it has ended."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from solstat.cli.figures import show_figures
from solstat.cli.output import talk

if TYPE_CHECKING:
    from solstat.stats.sequential import Until
    from solstat.survey.reader import Counts


class Looks:
    """Says of outcomes whether a run may stop, and tells, once for each rules, if it never will."""

    def __init__(self, text: str) -> None:
        from solstat.stats.sequential import parse_until

        self.rule = parse_until(text)
        self._told: set[str] = set()

    def __call__(self, counts: Counts) -> bool:
        if self.rule.out_of_reach(counts) and counts.rules not in self._told:
            from solstat.survey.logs import logger

            self._told.add(counts.rules)
            logger.warning("%s: %s", counts.rules, _out_of_reach(self.rule, counts))
        return self.rule.reached(counts)


def _out_of_reach(rule: Until, counts: Counts) -> str:
    share = (counts.unsettled + counts.error) / counts.n
    return (
        f"{_percent(share)} of {counts.n:,} deals are open: at this budget {rule} is out of reach, "
        "however many deals there are; a larger budget may help"
    )


def conclude(
    directories: list[Path], place: Path, as_json: bool, quiet: bool, until: Until | None
) -> int:
    """Show what came out and say how to read it; 3 if some deals are errors."""
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts, open_run

    runs = [open_run(directory) for directory in directories]
    tallies = [counts(run) for run in runs]
    found = [
        figures(tally, interval=run.record.interval)
        for run, tally in zip(runs, tallies, strict=True)
    ]
    show_figures(runs, found, as_json)
    if until is not None and not quiet:
        for tally in tallies:
            talk(f"{tally.rules}: {_how_it_ended(until, tally)}")
    if not as_json and not quiet:
        below = "*/" * len(directories[0].relative_to(place).parts)
        talk(
            f"\nThe rows are in {place}, as Parquet. To read them:\n"
            + how_to_read(f"{glob.escape(str(place))}/{below}*.parquet")
        )
    return 3 if any(each.error for each in found) else 0


def _how_it_ended(rule: Until, counts: Counts) -> str:
    """Whether the interval is as narrow as was asked for; if not, why, and what would help."""
    from solstat.stats.sequential import width

    found = width(counts)
    if rule.reached(counts):
        return f"{rule} is reached by {counts.n:,} deals: it is {_percent(found.half)}"
    if rule.out_of_reach(counts):
        why = _out_of_reach(rule, counts)
    elif found.still_open >= rule.half_width:
        why = "the open deals of these alone make it as wide: a larger budget may help"
    else:
        why = "more deals may help"
    return (
        f"{rule} is not reached by {counts.n:,} deals: it is {_percent(found.half)}, "
        f"{_percent(found.sampling)} of that by sampling and {_percent(found.still_open)} by open "
        f"deals; {why}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def how_to_read(pattern: str) -> str:
    """Lines to paste, for all files that a pattern matches."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    return (
        f"  pandas  import glob, pandas; pandas.read_parquet(glob.glob({pattern!r}))\n"
        f"  DuckDB  SELECT outcome, count(*) FROM {quoted} GROUP BY outcome"
    )
