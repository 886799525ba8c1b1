"""Which directory is that of which run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from solstat.errors import SolstatError, UsageError
from solstat.survey import shards
from solstat.survey.plan import Plan
from solstat.survey.reader import SHARD
from solstat.survey.record import FILE, Record, directory_path


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
        _refuse_other_shards(top, plan)
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


def _refuse_other_shards(top: Path, plan: Plan) -> None:
    """Refuse a shard beside one that it can never be merged with."""
    assert plan.shard is not None
    own = shards.directory_name(plan.shard)
    asked = _survey(Record.of(plan, 0))
    for path in sorted(top.glob(f"{SHARD}/{FILE}")):
        try:
            there = Record.load(path.parent)
        except SolstatError:  # it has just gone, or is for those who read it to name
            continue
        if there.shard is None or path.parent.name == own:  # which the run itself sees to
            continue
        differing = [
            f"{name} {here}, not {asked[name]}"
            for name, here in _survey(there).items()
            if here != asked[name]
        ]
        if differing:
            raise UsageError(
                f"{path.parent} is a shard of another survey: {'; '.join(differing)}; "
                "use another directory"
            )


def _survey(record: Record) -> dict[str, object]:
    """What all shards of a survey have in common, but for what a retry may change."""
    identity, shard = record.identity, record.shard
    assert shard is not None
    return {
        "rules": identity.rules,
        "scheme": identity.scheme,
        "search": identity.search,
        "lines": "on" if identity.lines else "off",
        "number of shards": shard.of,
        "number of deals": shard.deals,
        "first seed": shard.first_seed,
        "file of deals": shard.deals_sha256,
    }


def _refuse_run(top: Path) -> None:
    if (top / FILE).exists():
        raise UsageError(
            f"{top} is the directory of one run, and here each run has one of its own under it: "
            "use another directory"
        )
