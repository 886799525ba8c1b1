"""The figures of runs, as `run` and `stats` show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from solstat.cli.output import write, write_json

if TYPE_CHECKING:
    from solstat.stats.proportion import Figures
    from solstat.survey.reader import Run


def show_figures(runs: Sequence[Run], found: Sequence[Figures], as_json: bool) -> None:
    """Write a table in which several runs are told apart by their paths, or JSON objects."""
    from solstat.report.tables import figures_table

    if not as_json:
        write(figures_table(found, [str(run.path) for run in runs] if len(runs) > 1 else []))
        return
    objects = []
    for run, figures in zip(runs, found, strict=True):
        identity = run.record.identity
        about = {
            "run": str(run.path),
            "scheme": identity.scheme,
            "first_seed": identity.first_seed,
            "search": identity.search,
        }
        objects.append(about | asdict(figures))
    write_json(objects)
