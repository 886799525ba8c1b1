"""What is said once a run has ended."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from solstat.cli.figures import show_figures
from solstat.cli.output import talk
from solstat.cli.until import how_it_ended

if TYPE_CHECKING:
    from solstat.stats.sequential import StopRule


def conclude(
    directories: list[Path], place: Path, as_json: bool, quiet: bool, until: StopRule | None
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
            talk(f"{tally.rules}: {how_it_ended(until, tally)}")
    if not as_json and not quiet:
        below = "*/" * len(directories[0].relative_to(place).parts)
        talk(
            f"\nThe rows are in {place}, as Parquet. To read them:\n"
            + how_to_read(f"{glob.escape(str(place))}/{below}*.parquet")
        )
    return 3 if any(each.error for each in found) else 0


def how_to_read(pattern: str) -> str:
    """Lines to paste, for all files that a pattern matches."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    return (
        f"  pandas  import glob, pandas; pandas.read_parquet(glob.glob({pattern!r}))\n"
        f"  DuckDB  SELECT outcome, count(*) FROM {quoted} GROUP BY outcome"
    )
