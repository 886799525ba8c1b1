"""Whether the rows of a part are such as a run writes, to the last value.

Readers see to it that a part is whole, of the run, and of the deals that its name says. This reads
all of it, and also finds what somebody has changed by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from solstat.deals import Deal, parse_seed
from solstat.errors import SolstatError
from solstat.solver import OUTCOMES, STAGES
from solstat.survey import parts, stored
from solstat.survey.plan import Range, deals_sha256
from solstat.survey.record import Record

FirstDeals = Callable[[int], Sequence[Deal] | None]


def check_part(directory: Path, part: Range, record: Record, first_deals: FirstDeals) -> None:
    """Refuse (SolstatError) a part that is not as the run writes it.

    Parameters
    ----------
    directory : Path
        The run directory.
    part : Range
        Which part.
    record : Record
        The run.
    first_deals : callable
        The first so many deals of the run's file; None if they are not known, or it is of seeds.

    Raises
    ------
    FileNotFoundError
        The part is gone: a writer has merged it into another.
    """
    path = directory / parts.name(part)

    def fingerprint(count: int) -> str | None:
        whole = record.identity.deals_sha256
        if whole is None or count == record.deals:
            return whole
        deals = first_deals(count)
        # Without the deals nobody can tell; the part may well be of them.
        return deals_sha256(deals) if deals is not None else said_sha256

    at = part.first
    with stored.open_part(directory, part) as file:
        identity = stored.footer(file).get("identity")
        said_sha256 = identity.get("deals_sha256") if isinstance(identity, dict) else None
        stored.check_footer(path, file, record, fingerprint)
        for table in stored.read(file, path):
            seeds = _seeds(record, Range(at, at + len(table)), first_deals)
            if problem := _problem(table, record, at, seeds):
                raise SolstatError(f"{path}: {problem}")
            at += len(table)


def _seeds(record: Record, part: Range, first_deals: FirstDeals) -> list[str] | None:
    first = record.identity.first_seed
    if first is None:
        deals = first_deals(part.last)
        return None if deals is None else [deal.id for deal in deals[part.first :]]
    seed = parse_seed(first, record.identity.scheme)
    return [f"{seed.prefix}{seed.number + place}" for place in range(*part)]


def _problem(table: pa.Table, record: Record, first: int, seeds: list[str] | None) -> str | None:
    """What of some rows no run writes."""
    identity = record.identity
    constant = {
        "game": record.rules.game,
        "rules": identity.rules,
        "scheme": identity.scheme,
        "search": identity.search,
    }
    for name, value in constant.items():
        if not _all(pc.equal(table[name], value)):
            return f"a {name} is not {value}"
    if table["index"].to_pylist() != list(range(first, first + len(table))):
        return "an index is not that of its place"
    if seeds is not None and table["seed"].to_pylist() != seeds:
        return "a seed is not that of its index"
    outcome = table["outcome"]
    if not _all(pc.is_in(outcome, pa.array(OUTCOMES))):
        return "an outcome is unknown"
    won, error, still_open = (pc.equal(outcome, name) for name in ("won", "error", "unsettled"))
    positions, budget, reason = table["positions"], table["budget"], table["reason"]
    has_reason = pc.or_(error, still_open)
    lines_of = won if identity.lines else pa.scalar(False)
    checks = {
        "budget": _all(pc.is_in(budget, pa.array(record.budgets)))
        and _all(pc.greater_equal(budget, record.budget).filter(still_open)),
        "reason": _all(pc.equal(pc.is_valid(reason), has_reason))
        and _all(pc.equal(pc.fill_null(pc.equal(reason, "budget"), False), still_open)),
        "stage": _all(_one_of(table["stage"], STAGES[record.rules.family], error)),
        "positions": _all(_within(positions, 1, budget, error))
        and _all(pc.equal(positions, budget).filter(still_open)),
        "moves": _all(_within(table["moves"], 0, None, pc.invert(won))),
        "line": _all(pc.equal(pc.is_valid(table["line"]), lines_of)),
        "attempt": _all(pc.greater_equal(table["attempt"], 1)),
        "seconds": _all(_within(table["seconds"], 0, None, error)),
    }
    wrong = [name for name, right in checks.items() if not right]
    return f"{', '.join(wrong)}: not as a run writes it" if wrong else None


def _within(values: pa.Array, least: int, most: pa.Array | None, absent: pa.Array) -> pa.Array:
    """Where values are between two bounds, or null where they are to be absent."""
    inside = pc.greater_equal(values, least)
    if most is not None:
        inside = pc.and_(inside, pc.less_equal(values, most))
    return pc.if_else(absent, pc.is_null(values), pc.fill_null(inside, False))


def _one_of(values: pa.Array, known: Sequence[str], absent: pa.Array) -> pa.Array:
    return pc.if_else(absent, pc.is_null(values), pc.is_in(values, pa.array(known)))


def _all(true: pa.Array) -> bool:
    """Whether all are true, and none unknown."""
    return bool(pc.all(true, skip_nulls=True, min_count=0).as_py()) and not true.null_count
