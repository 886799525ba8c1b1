"""Whether the rows of a part are such as a run writes, to the last value.

Readers see to it that a part is whole, of the run, and of the deals that its name says. This reads
all of it, and also finds what somebody has changed by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solstat.deals import Deal, parse_seed
from solstat.errors import SolstatError
from solstat.solver import OUTCOMES, STAGES
from solstat.survey import parts, stored
from solstat.survey.plan import Range, deals_sha256
from solstat.survey.record import Record

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

FirstDeals = Callable[[int], Sequence[Deal] | None]


class NotOfRun(SolstatError):
    """A part can be read, and is not one that the run of a record writes."""


class OfAnotherRun(NotOfRun):
    """A part says itself that it is of another run."""


def check_part(
    directory: Path,
    part: Range,
    record: Record,
    first_deals: FirstDeals,
    most_attempts: int | None = None,
) -> None:
    """Refuse a part that is not as the run writes it.

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
    most_attempts : int, optional
        How often a deal may have been searched at most, if that is known.

    Raises
    ------
    OfAnotherRun
        Its footer says so.
    NotOfRun
        It has rows that the run does not write.
    SolstatError
        It is damaged, or was written with another schema.
    FileNotFoundError
        The part is gone: a writer has merged it into another.
    """
    path = directory / parts.name(part)
    at = part.first
    with stored.open_part(directory, part) as file:
        try:
            stored.check_footer(path, file, record, fingerprint(file, record, first_deals))
        except SolstatError as error:
            raise OfAnotherRun(str(error)) from None
        for table in stored.read(file, path):
            index = np.arange(at, at + len(table))
            if problem := row_problem(table, record, index, first_deals, record.budget):
                raise NotOfRun(f"{path}: {problem}")
            if most_attempts is not None and pc.max(table["attempt"]).as_py() > most_attempts:
                raise NotOfRun(f"{path}: attempt: not as a run writes it")
            at += len(table)


def fingerprint(
    file: pq.ParquetFile, record: Record, first_deals: FirstDeals
) -> Callable[[int], str | None]:
    """What `stored.check_footer` needs for a part, also if the deals are not known."""
    identity = stored.footer(file).get("identity")
    said = identity.get("deals_sha256") if isinstance(identity, dict) else None

    def of_first(count: int) -> str | None:
        whole = record.identity.deals_sha256
        if whole is None or count == record.deals:
            return whole
        deals = first_deals(count)
        # Without the deals nobody can tell; the part may well be of them.
        return deals_sha256(deals) if deals is not None else said

    return of_first


def _seeds(record: Record, index: NDArray[np.int64], first_deals: FirstDeals) -> list[str] | None:
    first = record.identity.first_seed
    if first is None:
        deals = first_deals(record.deals)
        return None if deals is None else [deals[place].id for place in index.tolist()]
    seed = parse_seed(first, record.identity.scheme)
    return [f"{seed.prefix}{seed.number + place}" for place in index.tolist()]


def row_problem(
    table: pa.Table,
    record: Record,
    index: NDArray[np.int64],
    first_deals: FirstDeals,
    least_budget: int,
) -> str | None:
    """What of some rows the run does not write, if there is such.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    record : Record
        The run.
    index : ndarray of int64
        Of which deals they are to be.
    first_deals : callable
        As for `check_part`.
    least_budget : int
        What open deals among them were searched with at least.
    """
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
    if table["index"].to_pylist() != index.tolist():
        return "an index is not that of its place"
    seeds = _seeds(record, index, first_deals)
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
        and _all(pc.greater_equal(budget, least_budget).filter(still_open)),
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
