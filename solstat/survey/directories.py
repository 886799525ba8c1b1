"""Which directory is that of which run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from solstat.errors import UsageError
from solstat.survey import shards
from solstat.survey.plan import Plan
from solstat.survey.reader import SHARD
from solstat.survey.record import FILE, directory_path


def directory_name(rules: str) -> str:
    """The directory of one of several runs: its rules id in characters that any shell takes.

    There is no ``=`` in it either, of which readers of Parquet would make a column.

    >>> directory_name("wasp(empty_pile=king,face_down_piles=3)")
    'wasp-empty_pile-king-face_down_piles-3'
    """
    return rules.rstrip(")").translate(str.maketrans("(,=", "---"))


def run_directories(
    plans: Sequence[Plan], out: str | os.PathLike[str], *, apart: bool = False
) -> list[Path]:
    """The run directory of each plan; parameters and errors as `solstat.survey.run.run_survey`."""
    out = directory_path(out)
    if len(plans) > 1 or apart:
        _refuse_run(out)
        tops = [out / directory_name(plan.rules.id) for plan in plans]
    else:
        tops = [out]
    return [_directory(plan, top) for plan, top in zip(plans, tops, strict=True)]


def _directory(plan: Plan, top: Path) -> Path:
    if plan.shard is not None:
        _refuse_run(top)
        return top / shards.directory_name(plan.shard)
    if not (top / FILE).exists():
        if next(top.glob(f"{SHARD}/{FILE}"), None):
            raise UsageError(
                f"{top} holds shards of a survey: join them (solstat merge {top}), "
                "or use another directory"
            )
        if next(top.glob(f"*/{FILE}"), None):
            raise UsageError(f"{top} holds runs of several rules: use another directory")
    return top


def _refuse_run(top: Path) -> None:
    if (top / FILE).exists():
        raise UsageError(
            f"{top} is the directory of one run, and here each run has one of its own under it: "
            "use another directory"
        )
