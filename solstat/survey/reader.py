"""A run directory as everyone but its writer sees it, while it is written to or later."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solstat.budget import format_budget
from solstat.deals import Deal, SeedRange, parse_seed, read_deals
from solstat.errors import SolstatError, UsageError
from solstat.games import Rules
from solstat.survey import parts
from solstat.survey.plan import Range, deals_sha256
from solstat.survey.record import FILE, Record, directory_path
from solstat.survey.store import DEALS

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

ROWS_AT_ONCE = 10_000
SHARD = "shard-*-of-*"
"""The names of the directories of shards, as a pattern."""
JOINED = "_shards"
"""Where shards go once they are joined: readers of Parquet pass over names that begin like this."""
LEVELS = 3
"""So far below a directory its runs are looked for."""


class Run:
    """One run directory, for reading.

    Attributes
    ----------
    path : Path
        The directory.
    record : Record
        What run.json says: identity, budget, planned deals, state, history. Reading rows reads it
        again.
    rules : Rules
        The game.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = Record.load(path)
        self.rules: Rules = self.record.rules

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The rows that are stored, in the order of their index, as Arrow tables.

        A writer may add and merge parts meanwhile: the rows are those of the deals that were there
        at the start, each once, and `record` is what run.json said then. Of deals that are searched
        again meanwhile they are the newer ones or the older ones.

        Parameters
        ----------
        columns : sequence of str, optional
            Names of columns of the schema; all of them if not given.

        Raises
        ------
        SolstatError
            A part is damaged, of another run, or of another schema.
        """
        from solstat.survey import stored

        there = found = self._look()
        at = 0
        while part := next((part for part in found if part.last > at), None):
            wanted = [each for each in there if each.first < part.last and at < each.last]
            path = self.path / parts.name(part)
            try:
                file = stored.open_part(self.path, part)
            except FileNotFoundError:  # merged into another since
                found, _ = parts.listed(self.path)
                continue
            with file:
                self._check_footer(path, file)
                first = part.first
                for table in stored.read(file, path, columns) if wanted else ():
                    for each in wanted:
                        low = max(first, at, each.first)
                        high = min(first + len(table), each.last)
                        if low < high:
                            yield table.slice(low - first, high - low)
                    first += len(table)
            at = part.last

    def _look(self) -> list[Range]:
        """The parts that are there now, by index, and into `record` what run.json says of them.

        It is read before and after: a writer lowers the budget before it adds deals, plans more
        before it solves them, and says that it has finished after the last of them.
        """
        while True:
            before = self.record
            found, _ = parts.listed(self.path)
            self.record = Record.load(self.path)
            if self.record == before:
                return found
            for cached in ("_file_cards", "file_deals"):
                self.__dict__.pop(cached, None)

    def _check_footer(self, path: Path, file: pq.ParquetFile) -> None:
        from solstat.survey import stored

        try:
            stored.check_footer(path, file, self.record, self._deals_sha256)
        except SolstatError:
            now = Run(self.path)  # extended since, or searched again
            if now.record == self.record:
                raise
            stored.check_footer(path, file, now.record, now._deals_sha256)

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries by column; parameters and errors as `tables`."""
        return dictionaries(self.tables(columns))

    @property
    def stored(self) -> int:
        """Number of deals that are stored now."""
        return sum(part.size for part in parts.listed(self.path)[0])

    def cards(self, index: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The deals at some indices.

        Parameters
        ----------
        index : ndarray of int64
            As in the column ``index``.

        Returns
        -------
        ndarray of uint8
            Shape (deals, cards), the first card of each the first dealt.

        Raises
        ------
        SolstatError
            The run is of a deal file and its copy is gone or changed.
        """
        from solstat.solver import deal_range

        first = self.record.identity.first_seed
        if first is None:
            return self._file_cards[index]
        return deal_range(self.record.identity.scheme, first, index)

    def seeds(self, index: NDArray[np.int64]) -> list[str]:
        """The seeds, or ids of a file's deals, at some indices. Parameters, errors as `cards`."""
        first = self.record.identity.first_seed
        if first is None:
            return [self.file_deals[place].id for place in index.tolist()]
        seed = parse_seed(first, self.record.identity.scheme)
        return [str(seed._replace(number=seed.number + place)) for place in index.tolist()]

    @property
    def deals(self) -> SeedRange | tuple[Deal, ...]:
        """The deals that are planned, as plans have them. Errors as `cards`."""
        first = self.record.identity.first_seed
        if first is None:
            return tuple(self.file_deals[: self.record.deals])
        seed = parse_seed(first, self.record.identity.scheme)
        return SeedRange(seed.number, seed.number + self.record.deals, seed.prefix)

    @cached_property
    def _file_cards(self) -> NDArray[np.uint8]:
        import numpy as np

        return np.array([deal.cards for deal in self.file_deals], dtype=np.uint8)

    @cached_property
    def file_deals(self) -> list[Deal]:
        """The run's copy of its deals; more than were planned if it is extended meanwhile."""
        path = self.path / DEALS
        try:
            deals = read_deals(path)
        except UsageError as error:
            raise SolstatError(f"the run's copy of its deals: {error}") from None
        if deals_sha256(deals[: self.record.deals]) != self.record.identity.deals_sha256:
            raise SolstatError(f"{path}: not the deals of the run")
        return deals

    def _deals_sha256(self, count: int) -> str | None:
        whole = self.record.identity.deals_sha256
        if whole is None or count == self.record.deals:
            return whole
        return deals_sha256(self.file_deals[:count])


def dictionaries(tables: Iterable[pa.Table]) -> Iterator[dict[str, Any]]:
    """The rows of tables as dictionaries by column."""
    for table in tables:
        for first in range(0, len(table), ROWS_AT_ONCE):
            yield from table.slice(first, ROWS_AT_ONCE).to_pylist()


def open_run(path: str | os.PathLike[str]) -> Run:
    """The run in a directory (UsageError if there is none, SolstatError if it is damaged)."""
    return Run(directory_path(path))


def runs_under(path: str | os.PathLike[str]) -> list[Run]:
    """The run in a directory, and those in the directories up to `LEVELS` below it, by path.

    Shards that are joined are passed over: the run they have made is there.

    Raises
    ------
    UsageError
        There is none.
    SolstatError
        One of them is damaged.
    """
    return [Run(directory) for directory in directories_under(path)]


def directories_under(path: str | os.PathLike[str], *, parts_will_do: bool = False) -> list[Path]:
    """The run directories that `runs_under` reads, and, if they will do, those of parts alone.

    Raises
    ------
    UsageError
        There is none.
    """
    top = directory_path(path)
    names = (FILE, "part-*.parquet") if parts_will_do else (FILE,)
    found = {
        entry.parent
        for level in range(LEVELS + 1)
        for name in names
        for entry in top.glob("*/" * level + name)
        if not any(folder.startswith(("_", ".")) for folder in entry.relative_to(top).parts[:-1])
    }
    if not found:
        why = (
            f"no {FILE} in it or up to {LEVELS} levels below"
            if top.is_dir()
            else "no such directory"
        )
        raise UsageError(f"{top}: no run here ({why})")
    return sorted(path for path in found if not _is_joined(path, found))


def _is_joined(directory: Path, found: Collection[Path]) -> bool:
    """Whether a shard is still beside the run that it was joined into."""
    is_beside = directory.match(SHARD) and directory.parent in found
    return is_beside and (directory.parent / FILE).exists()


@dataclass(frozen=True)
class Counts:
    """How many of the stored deals of a run have which outcome, at a budget.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    budget : int
        The budget the outcomes are at.
    won, lost, unsettled, error : int
        Number of deals.
    """

    rules: str
    budget: int
    won: int = 0
    lost: int = 0
    unsettled: int = 0
    error: int = 0

    @property
    def n(self) -> int:
        """Number of deals."""
        return self.won + self.lost + self.unsettled + self.error


def outcomes(
    run: Run, budget: int | None = None, columns: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """The outcomes at a budget: settled at it is what was settled within so many positions.

    Parameters
    ----------
    run : Run
        The run.
    budget : int, optional
        The run's own if not given.
    columns : sequence of str
        More columns, which stay as they are stored.

    Yields
    ------
    pyarrow.Table
        Rows in the order of their index: ``outcome``, ``positions``, ``budget`` and `columns`; also
        ``stored``, the outcome whatever the budget.

    Raises
    ------
    UsageError
        Deals are unsettled that were searched with less than the budget: nobody knows what they
        are at it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from solstat.solver import OUTCOMES

    for table in run.tables(["outcome", "positions", "budget", *columns]):
        at = run.record.budget if budget is None else budget  # as it was when they were listed
        still_open = pc.equal(table["outcome"], "unsettled")
        if pc.any(pc.and_(still_open, pc.less(table["budget"], at))).as_py():
            raise UsageError(f"{run.path}: {_unknown(run, at)}")
        known = pc.is_in(table["outcome"], pa.array(OUTCOMES))
        if not pc.all(known, min_count=0).as_py():
            raise SolstatError(f"{run.path}: damaged, it has outcomes that no run has")
        settled = pc.is_in(table["outcome"], pa.array(["won", "lost"]))
        beyond = pc.and_kleene(settled, pc.greater(table["positions"], at))
        outcome = pc.if_else(beyond, "unsettled", table["outcome"])
        place = table.schema.get_field_index("outcome")
        yield table.append_column("stored", table["outcome"]).set_column(place, "outcome", outcome)


def unknown_budget(budget: int, unsettled: int, limit: int) -> str:
    """Why outcomes are not known at a budget, and where they are.

    Parameters
    ----------
    budget : int
        What is asked for.
    unsettled : int
        Number of deals that are unsettled and were searched with less.
    limit : int
        The least that one of them was searched with.
    """
    deals = "1 unsettled deal was" if unsettled == 1 else f"{unsettled:,} unsettled deals were"
    return (
        f"budget {format_budget(budget)} is above what {deals} searched with; "
        f"ask for {format_budget(limit)} or less"
    )


def _unknown(run: Run, budget: int) -> str:
    import pyarrow.compute as pc

    unsettled, limit = 0, budget
    for table in run.tables(["outcome", "budget"]):
        searched = table["budget"].filter(pc.equal(table["outcome"], "unsettled"))
        too_short = searched.filter(pc.less(searched, budget))
        if len(too_short):
            unsettled += len(too_short)
            limit = min(limit, pc.min(too_short).as_py())
    return unknown_budget(budget, unsettled, limit)


def counts(run: Run, budget: int | None = None) -> Counts:
    """How many deals have which outcome at a budget. Parameters and errors as `outcomes`."""
    import pyarrow.compute as pc

    tally = dict.fromkeys(("won", "lost", "unsettled", "error"), 0)
    for table in outcomes(run, budget):
        for entry in pc.value_counts(table["outcome"]):
            tally[entry["values"].as_py()] += entry["counts"].as_py()
    at = run.record.budget if budget is None else budget
    return Counts(run.record.identity.rules, at, **tally)
