"""Deals of a run that are searched again, and how what is found comes to be the run's rows.

At any moment the directory is one that every reader understands, and that the same command
finishes:

1. the rows of the deals are copied to ``_attempts``;
2. ``_retry/retry.json`` is written: the round has begun, and these rows say which deals it is of;
3. what is found is written to ``_retry``, part by part, as a run does;
4. once all is there, each part of the run is written anew with the rows that were found, under its
   own name, so that it is always whole;
5. run.json says that the round is over, and ``_retry`` is removed.

Until all parts are written anew, the run's budget is the old one. At it the new rows say the same
as the old ones, for a search does not look at its budget.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solstat.errors import SolstatError
from solstat.survey import parts, rows, stored
from solstat.survey.logs import logger
from solstat.survey.older import older_rows
from solstat.survey.plan import Again, Chunk, Range, gaps
from solstat.survey.reader import Run
from solstat.survey.record import sync_directory
from solstat.survey.rounds import FILE, OLDER, RESULTS, Round, older_files
from solstat.survey.schema import SCHEMA
from solstat.survey.shelf import Shelf

if TYPE_CHECKING:
    from solstat.solver import Batch
    from solstat.survey.store import Store


class Retry:
    """A round that has begun, for the writer of its run.

    Its deals count from 0 in the order of their index, and ranges are of these numbers.

    Parameters
    ----------
    store : Store
        The run.
    found : Round
        Which deals, and with what budget.

    Raises
    ------
    SolstatError
        What is there is damaged.
    """

    def __init__(self, store: Store, found: Round) -> None:
        self.round = found
        self._store = store
        self._directory = found.directory(store.directory)
        self._targets = self._read_targets()
        self._parts, superseded = parts.listed(self._directory)
        self._tally: Counter[str] = Counter()
        for part in self._parts:
            for table in self._read(part):
                self._tally.update(table["outcome"].to_pylist())
        rows.remove(self._directory, superseded)
        rows.remove_partial(self._directory)
        record = replace(store.record, budget=found.again.budget)
        deals = store.plan.deals if isinstance(store.plan.deals, tuple) else ()
        writer = rows.Writer(self._directory, record, deals, store.provenance, self._targets)
        self._shelf = Shelf(self._parts, writer)

    def _read_targets(self) -> rows.Targets:
        path = self.round.older(self._store.directory)
        try:
            found = pa.concat_tables(stored.read_file(path, ["index", "attempt"]))
            index = found["index"].to_numpy()
            is_sound = bool((np.diff(index) > 0).all()) and index[-1] < self._store.record.deals
        except (SolstatError, pa.ArrowException):
            is_sound = False
        if not is_sound or len(index) != self.round.deals:
            raise SolstatError(
                f"{path}: gone or damaged, and names the deals that are searched again; move it "
                f"away, remove {self._directory}, and the same command begins again"
            )
        return rows.Targets(index, found["attempt"].to_numpy())

    @property
    def todo(self) -> list[Range]:
        """The deals that are not searched yet."""
        return gaps(self._parts, self.total)

    @property
    def done(self) -> int:
        """Number of deals that are searched."""
        return sum(part.size for part in self._parts)

    @property
    def total(self) -> int:
        """Number of deals."""
        return self.round.deals

    @property
    def tally(self) -> Counter[str]:
        """The outcomes of those that were searched when it was opened."""
        return self._tally

    def chunk(self, part: Range) -> Chunk:
        """The deals of a range as a worker gets them."""
        plan = self._store.plan
        places = self._targets.index[part.first : part.last]
        return Chunk(
            rules=plan.rules,
            scheme=plan.scheme,
            budget=self.round.again.budget,
            search=plan.search,
            lines=self._store.record.identity.lines,
            range=part,
            first_seed=plan.first_seed,
            cards=None if plan.cards is None else plan.cards[places],
            places=places,
        )

    def write(self, part: Range, batch: Batch) -> None:
        """Store searched deals."""
        self._store.check_place()
        self._shelf.write(part, self._shelf.writer.solved(part, batch))

    def write_failed(self, part: Range, reason: str) -> None:
        """Store that the solver itself failed over deals."""
        self._store.check_place()
        self._shelf.write(part, self._shelf.writer.failed(part, reason))

    def finish(self) -> None:
        """Make what was found the rows of the run, and end the round."""
        store = self._store
        record = replace(store.record, budget=max(self.round.again.budget, store.record.budget))
        writer = rows.Writer(store.directory, record, (), store.provenance)
        for part in store.parts:
            if self._is_newer(part):
                store.check_place()
                writer.write(part, self._renewed(part))
        sync_directory(store.directory)
        store.close_round(self.round)
        sync_directory(store.directory)
        _clear(store)

    def _within(self, first: int, last: int) -> Range:
        """Which of the deals have an index from `first` up to, and without, `last`."""
        return Range(*np.searchsorted(self._targets.index, [first, last]).tolist())

    def _is_newer(self, part: Range) -> bool:
        """Whether a part of the run has rows yet that are to be replaced."""
        here = self._within(*part)
        if not here.size:
            return False
        path = self._store.directory / parts.name(part)
        with stored.open_part(self._store.directory, part) as file:
            attempt = pa.concat_tables(stored.read(file, path, ["attempt"]))["attempt"].to_numpy()
        at = self._targets.index[here.first : here.last] - part.first
        return bool((attempt[at] <= self._targets.attempt[here.first : here.last]).any())

    def _renewed(self, part: Range) -> Iterator[pa.Table]:
        """The rows of a part of the run, with those that were found in place of older ones."""
        first = part.first
        path = self._store.directory / parts.name(part)
        with stored.open_part(self._store.directory, part) as file:
            for table in stored.read(file, path):
                last = first + len(table)
                here = self._within(first, last)
                found = self._results(here)
                order = np.arange(len(table))
                at = self._targets.index[here.first : here.last] - first
                is_newer = table["attempt"].to_numpy()[at] < found["attempt"].to_numpy()
                order[at[is_newer]] = len(table) + np.flatnonzero(is_newer)
                yield pa.concat_tables([table, found]).take(order)
                first = last

    def _results(self, wanted: Range) -> pa.Table:
        """What was found of some of the deals."""
        found = [SCHEMA.empty_table()]
        for part in self._parts:
            if part.first < wanted.last and wanted.first < part.last:
                at = part.first
                for table in self._read(part):
                    first, last = max(wanted.first - at, 0), min(wanted.last - at, len(table))
                    if first < last:
                        found.append(table.slice(first, last - first))
                    at += len(table)
        return pa.concat_tables(found)

    def _read(self, part: Range) -> Iterator[pa.Table]:
        """The rows of a part of what was found, each of its tables checked."""
        path = self._directory / parts.name(part)
        with stored.open_part(self._directory, part, self._targets.index) as file:
            deals_sha256 = self._store.plan.deals_sha256
            stored.check_footer(path, file, self._store.record, deals_sha256)
            yield from stored.read(file, path)


def begin(store: Store, again: Again) -> Round | None:
    """Begin a round, if there are deals to search again. Errors as `Run.tables`."""
    _clear(store)
    run = Run(store.directory)
    there = list(older_files(store.directory))
    stale = [path for number, path in there if number > store.record.round]
    for path in stale:  # a round that was given up, or killed before it had begun
        if not any(len(table) for table in older_rows(run, ["index"], [path])):
            path.unlink()
    numbers = [number for number, _ in older_files(store.directory)]
    number = max([store.record.round, *numbers]) + 1
    deals = 0
    for table in run.tables(["outcome", "budget"]):
        deals += pc.sum(_is_target(table, again)).as_py() or 0
    if not deals:
        if again.what == "errors":
            logger.info("%s: no deals are errors", store.rules)
        return None
    found = Round(number, again, deals)
    try:
        for name in (OLDER, RESULTS):
            (store.directory / name).mkdir(exist_ok=True)
    except OSError as error:
        raise SolstatError(f"cannot write to {store.directory}: {error.strerror}") from None
    tables = (table.filter(_is_target(table, again)) for table in run.tables())
    rows.remove_partial(store.directory / OLDER)
    schema = rows.Writer(store.directory, store.record, (), store.provenance).schema
    rows.write(found.older(store.directory), schema, tables)
    sync_directory(store.directory / OLDER)
    sync_directory(store.directory)
    found.save(store.directory)
    return found


def _is_target(table: pa.Table, again: Again) -> pa.Array:
    if again.what == "errors":
        return pc.equal(table["outcome"], "error")
    is_open = pc.equal(table["outcome"], "unsettled")
    return pc.and_(is_open, pc.less(table["budget"], again.budget))


def _clear(store: Store) -> None:
    """Remove what a round has left, its file first that says it is going on."""
    directory = Round.directory(store.directory)
    try:
        (directory / FILE).unlink(missing_ok=True)
        if directory.exists():
            shutil.rmtree(directory)
    except OSError as error:
        raise SolstatError(f"cannot remove {directory}: {error.strerror}") from None
