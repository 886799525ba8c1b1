"""Whether what there is of deals that are, or were, searched again is as a run leaves it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solstat.budget import format_budget
from solstat.errors import SolstatError
from solstat.survey import audit, parts, stored
from solstat.survey.plan import Range
from solstat.survey.record import Record
from solstat.survey.rounds import FILE, OLDER, RESULTS, Round, older_files, pending

BEGIN_AGAIN = f"remove {RESULTS}, and the same command begins again"
_AWAY_AND_BEGIN_AGAIN = f"move it away, {BEGIN_AGAIN}"
_AWAY = "move it away: what deals were before is gone, the run itself is whole"
_ATTEMPTS = 1 << 20  # more than anyone makes
_NO_MORE = "what deals were before is gone, the run itself is whole"


class Flaw(NamedTuple):
    """Something that is wrong: in which file of the run directory, what, and what helps."""

    file: str
    problem: str
    remedy: str


class Rounds:
    """What belongs to searches of some deals again.

    Parameters
    ----------
    directory : Path
        The run directory.
    record : Record
        The run.
    sound : sequence of Range
        Its parts that are sound.
    first_deals : callable
        As for `solstat.survey.audit.check_part`.
    """

    def __init__(
        self,
        directory: Path,
        record: Record,
        sound: Sequence[Range],
        first_deals: audit.FirstDeals,
    ) -> None:
        self._directory = directory
        self._record = record
        self._first_deals = first_deals
        self._attempt = _attempts(directory, sound)
        self._older: dict[int, pa.Table] = {}

    def flaws(self) -> Iterator[Flaw]:
        """All that is wrong."""
        for name in (OLDER, RESULTS):
            path = self._directory / name
            if os.path.lexists(path) and not path.is_dir():
                yield Flaw(name, "is no directory", "move it away")
        found = self._pending()
        if isinstance(found, Flaw):
            yield found
            found = None
        number = 0 if found is None else found.number
        damaged = False
        for each, path in older_files(self._directory):
            try:
                self._older[each] = self._read(path)
            except SolstatError as error:
                damaged = True
                remedy = _AWAY_AND_BEGIN_AGAIN if each == number else _AWAY
                yield Flaw(self._name(path), str(error), remedy)
        if found is not None:
            yield from self._flaws_of(found)
        if not damaged and (lost := self._lost()):
            yield Flaw(OLDER, f"earlier rows of {lost:,} deals are not there", _NO_MORE)

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._directory))

    def _pending(self) -> Round | Flaw | None:
        try:
            return pending(self._directory, self._record)
        except SolstatError as error:
            return Flaw(f"{RESULTS}/{FILE}", str(error), BEGIN_AGAIN)

    def _read(self, path: Path) -> pa.Table:
        """The rows of a file that deals had before; SolstatError if they are not of the run."""
        tables = list(stored.read_file(path))
        if not tables:
            raise SolstatError("has no rows")
        table = pa.concat_tables(tables)
        index = table["index"].to_numpy(zero_copy_only=False)
        if table["index"].null_count or index[0] < 0 or (np.diff(index) <= 0).any():
            raise SolstatError("no run writes such rows")
        if index[-1] >= self._record.deals:
            raise SolstatError("has rows of deals that the run does not plan")
        if problem := audit.row_problem(table, self._record, index, self._first_deals, 0):
            raise SolstatError(problem)
        return table.select(["index", "attempt", "outcome", "budget"])

    def _flaws_of(self, found: Round) -> Iterator[Flaw]:
        """What is wrong with the round that is going on."""
        older = found.older(self._directory)
        said = f"{RESULTS}/{FILE}"
        budget = format_budget(found.again.budget)
        table = self._older.get(found.number)
        if table is None:
            if not older.exists():
                remedy = f"{BEGIN_AGAIN} (it named the deals that are searched again)"
                yield Flaw(self._name(older), "gone", remedy)
        elif len(table) != found.deals:
            problem = f"says {found.deals:,} deals, and there are {len(table):,}"
            yield Flaw(said, f"{problem} in {self._name(older)}", BEGIN_AGAIN)
        elif found.again.budget not in self._record.budgets:
            yield Flaw(said, f"its budget {budget} is none of the run", BEGIN_AGAIN)
        elif not self._are_targets(table, found):
            problem = f"not the deals that are searched again with {budget}"
            yield Flaw(self._name(older), problem, _AWAY_AND_BEGIN_AGAIN)
        else:
            yield from self._flaws_of_results(found, table)

    def _are_targets(self, table: pa.Table, found: Round) -> bool:
        attempt = table["attempt"].to_numpy()
        now = self._now(table["index"].to_numpy())
        is_known = (now == 0) | (now == attempt) | (now == attempt + 1)
        if found.again.what == "errors":
            return bool(is_known.all()) and pc.all(pc.equal(table["outcome"], "error")).as_py()
        is_open = pc.equal(table["outcome"], "unsettled")
        was_less = pc.less(table["budget"], found.again.budget)
        return bool(is_known.all()) and pc.all(pc.and_(is_open, was_less)).as_py()

    def _flaws_of_results(self, found: Round, targets: pa.Table) -> Iterator[Flaw]:
        """What is wrong with what was found so far."""
        results = found.directory(self._directory)
        remedy = "remove it, and the same command searches its deals again"
        try:
            parts.listed(results)
        except SolstatError as error:
            yield Flaw(RESULTS, str(error), BEGIN_AGAIN)
            return
        index = targets["index"].to_numpy()
        attempt = targets["attempt"].to_numpy() + 1
        record = replace(self._record, budget=found.again.budget)
        for path in sorted(results.glob("part-*.parquet")):
            if (part := parts.parse_name(path.name)) is None:
                continue
            try:
                with stored.open_part(results, part, index) as file:
                    of_deals = audit.fingerprint(file, record, self._first_deals)
                    stored.check_footer(path, file, record, of_deals)
                    table = pa.concat_tables(stored.read(file, path))
                    here = slice(part.first, part.last)
                    problem = audit.row_problem(
                        table, record, index[here], self._first_deals, record.budget
                    )
                    if not problem and (table["attempt"].to_numpy() != attempt[here]).any():
                        problem = "attempt: not as a run writes it"
                    if problem:
                        raise SolstatError(problem)
            except SolstatError as error:
                yield Flaw(self._name(path), str(error), remedy)

    def _lost(self) -> int:
        """Number of deals of which earlier rows are not there."""
        keys = [np.empty(0, np.int64)]
        for table in self._older.values():
            index, attempt = table["index"].to_numpy(), table["attempt"].to_numpy()
            is_older = attempt < self._now(index)
            keys.append(index[is_older] * _ATTEMPTS + attempt[is_older])
        # A round that was given up leaves rows that the next one has too.
        index = np.unique(np.concatenate(keys)) // _ATTEMPTS
        there = np.bincount(index, minlength=len(self._attempt))
        return int((there < self._attempt - 1).sum())

    def _now(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """How often deals have been searched, 0 if they are not there."""
        found = np.zeros(len(index), np.int64)
        is_there = index < len(self._attempt)
        found[is_there] = self._attempt[index[is_there]]
        return found


def _attempts(directory: Path, sound: Sequence[Range]) -> NDArray[np.int64]:
    """How often each deal has been searched, 0 if it is not there, up to the last one that is."""
    found = np.zeros(max((part.last for part in sound), default=0), np.int64)
    for part in sound:
        path = directory / parts.name(part)
        with stored.open_part(directory, part) as file:
            tables = stored.read(file, path, ["attempt"])
            found[part.first : part.last] = pa.concat_tables(tables)["attempt"].to_numpy()
    return found
