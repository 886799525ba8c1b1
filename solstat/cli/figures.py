"""The figures of runs, as `run` and `stats` show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.stats.pool import Pool
    from solstat.stats.proportion import Figures
    from solstat.survey.reader import Run

_NAMED = 3  # paths of the runs of a pool


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
            "planned": run.record.deals,
        }
        objects.append(about | asdict(figures))
    write_json(objects)


def show_pools(pools: Sequence[Pool], found: Sequence[Figures], as_json: bool) -> None:
    """Write a table in which each pool is named by its runs, or JSON objects with their paths."""
    from solstat.report.tables import figures_table

    if not as_json:
        write(figures_table(found, [_name(pool) for pool in pools]))
        return
    objects = []
    for pool, figures in zip(pools, found, strict=True):
        identity = pool.runs[0].record.identity
        about = {
            "runs": [str(run.path) for run in pool.runs],
            "scheme": identity.scheme,
            "search": identity.search,
            "search_version": identity.search_version,
            "planned": sum(run.record.deals for run in pool.runs),
        }
        objects.append(about | asdict(figures))
    write_json(objects)


def _name(pool: Pool) -> str:
    """How many runs it is of, their scheme and search, and the paths of the first."""
    identity = pool.runs[0].record.identity
    paths = ", ".join(str(run.path) for run in pool.runs[:_NAMED])
    more = ", ..." if len(pool.runs) > _NAMED else ""
    what = f"{counted(len(pool.runs), 'run')}, scheme {identity.scheme}, search {identity.search}"
    return f"{what}: {paths}{more}"
