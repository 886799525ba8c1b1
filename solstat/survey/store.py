"""A run directory as its one writer sees it.

The directory holds run.json, one Parquet part for each chunk that is solved, and for the deals of a
file a copy of them. A file is written under a temporary name, closed, then renamed, so that
whatever is there under its own name is whole. Small parts are merged as the run goes on, and into
parts of about a million rows when it is finished.
"""

from __future__ import annotations

import fcntl
import os
import time
from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from solstat.deals import Deal, SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.plan import Chunk, Plan, Range, deals_text, gaps, next_look
from solstat.survey.record import FILE, Record, State, write_file

if TYPE_CHECKING:
    from solstat.solver import Batch
    from solstat.survey.rows import Writer

LOCK = ".lock"
DEALS = "deals.txt"
LOCK_SECONDS = 1.0
"""How long a lock may be held by someone who only looks whether a writer is at work."""


class Store:
    """The run directory of a plan, locked, its parts known; use it as a context manager.

    Opening it imports no pyarrow; `start` does.

    Parameters
    ----------
    directory : Path
        The run directory; made if it is not there.
    plan : Plan
        What is to be in it, at most: if it has a rule to stop by, the record's plan goes only as
        far as the next look, and `grow` to the one after.
    search_version : int
        The kernel's SEARCH_VERSION of the plan's family.

    Raises
    ------
    UsageError
        The directory holds another run, or other files and no run.
    SolstatError
        Another process writes to it, or it is damaged or cannot be written.

    Attributes
    ----------
    begins_to_look : bool
        Whether it is there already, and has a rule to stop by for the first time now.
    """

    def __init__(self, directory: Path, plan: Plan, search_version: int) -> None:
        self.directory = directory
        self._deals: Sequence[Deal] = () if isinstance(plan.deals, SeedRange) else plan.deals
        self._plan = plan
        self._has_new_rule = False
        self.begins_to_look = False
        self._writer: Writer | None = None
        self._provenance: Mapping[str, Any] = {}
        self._began = time.monotonic()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._refuse_other_files()
            self._lock = _locked(directory)
        except OSError as error:
            raise SolstatError(f"cannot write to {directory}: {error.strerror}") from None
        try:
            record = self._opened(search_version)
            self._record = replace(record, most=None if record.until is None else plan.count)
            self._parts, superseded = parts.listed(directory)
            beyond = self._parts[-1].last if self._parts else 0
            if beyond > self._record.deals:
                raise SolstatError(
                    f"{directory / parts.name(self._parts[-1])}: "
                    f"beyond the {self._record.deals} deals of the run; move it away"
                )
            self._superseded = superseded
        except BaseException:
            self._lock.close()
            raise

    def _opened(self, search_version: int) -> Record:
        if (self.directory / FILE).exists():
            try:
                there = Record.load(self.directory)
                record = there.extended(self._up_to(there.deals), search_version)
            except UsageError as error:
                raise UsageError(f"{self.directory} {error}") from None
            self._has_new_rule = record.until != there.until
            self.begins_to_look = self._has_new_rule and there.until is None
            return record
        return Record.of(self._up_to(next_look(0)), search_version)

    def _up_to(self, count: int) -> Plan:
        """What to plan if the run is to look at so many deals, should it look."""
        return self._plan if self._plan.until is None else self._plan.cut(count)

    def _refuse_other_files(self) -> None:
        """Without a record, all there may be is what an earlier attempt has left."""
        others = sorted(
            entry for entry in self.directory.iterdir() if not self._is_left_over(entry)
        )
        if not others or (self.directory / FILE).exists():
            return
        if parts.listed(self.directory)[0]:
            raise SolstatError(f"{self.directory}: has parts of a run, but no {FILE}")
        raise UsageError(
            f"{self.directory} holds other files, such as {others[0].name}: "
            "name a new or empty directory"
        )

    def _is_left_over(self, entry: Path) -> bool:
        hidden = entry.name.startswith(".")
        return hidden or (entry.name == DEALS and entry.read_bytes() == deals_text(self._deals))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.close()

    @property
    def record(self) -> Record:
        """What run.json says, or is about to say."""
        return self._record

    @property
    def rules(self) -> str:
        """Canonical rules id."""
        return self._record.identity.rules

    @property
    def todo(self) -> list[Range]:
        """The deals that are not stored yet."""
        return gaps(self._parts, self._record.deals)

    @property
    def done(self) -> int:
        """Number of deals that are stored."""
        return sum(part.size for part in self._parts)

    @property
    def left(self) -> int:
        """Number of deals that may still be to do, those after the next look included."""
        return self._plan.count - self.done

    @property
    def finished(self) -> bool:
        """Whether the run is as it was left when it ended: nothing need be done, but for a look."""
        return self._record.state == "finished" and not self.todo and not self._has_new_rule

    def chunk(self, part: Range) -> Chunk:
        """The deals of a range as a worker gets them."""
        plan = self._plan
        return Chunk(
            rules=plan.rules,
            scheme=plan.scheme,
            budget=plan.budget,
            search=plan.search,
            lines=self._record.identity.lines,
            range=part,
            first_seed=plan.first_seed,
            cards=None if plan.cards is None else plan.cards[part.first : part.last],
        )

    def start(
        self, entry: Mapping[str, Any], provenance: Mapping[str, Any], began: float | None = None
    ) -> None:
        """Note in run.json that the run goes on, and make ready to write.

        Parameters
        ----------
        entry : mapping
            What its history says of this time, beyond when it was.
        provenance : mapping
            What the footers of its parts say.
        began : float, optional
            When this time began, as `time.monotonic`; now if not given.

        Raises
        ------
        SolstatError
            It cannot be written, or a part that others are within is not sound; all of them stay.
        """
        from solstat.survey import rows

        for part in parts.covering(self._parts, self._superseded):
            rows.check_whole(self.directory, part, self._record, self._plan.deals_sha256)
        if self._deals:
            write_file(self.directory / DEALS, deals_text(self._deals))
        self._record = replace(self._record, state="running")
        self._began = time.monotonic() if began is None else began
        history = {
            "started": _time(time.monotonic() - self._began),
            "seconds": None,
            "stored_before": self.done,
            **entry,
        }
        self._record = replace(self._record, history=(*self._record.history, history))
        self._record.save(self.directory)
        rows.remove(self.directory, self._superseded)
        rows.remove_partial(self.directory)
        self._provenance = provenance
        self._writer = rows.Writer(self.directory, self._record, self._deals, provenance)

    def grow(self) -> None:
        """Plan the deals up to the next look too. The record is there before any of their rows."""
        from solstat.survey import rows

        longer = self._up_to(next_look(self._record.deals))
        self._check_place()
        self._record = self._record.extended(longer, self._record.identity.search_version)
        self._record.save(self.directory)
        self._writer = rows.Writer(self.directory, self._record, self._deals, self._provenance)

    def write(self, part: Range, batch: Batch) -> None:
        """Store solved deals."""
        self._write(part, self._rows.solved(part, batch))

    def write_failed(self, part: Range, reason: str) -> None:
        """Store that the solver itself failed over deals."""
        self._write(part, self._rows.failed(part, reason))

    def _write(self, part: Range, table: Any) -> None:
        self._check_place()
        self._rows.write(part, [table])
        insort(self._parts, part)
        new = part
        while group := parts.small_neighbours(self._parts, new):
            new = self._merge(group)

    def _merge(self, group: list[Range]) -> Range:
        merged = self._rows.merge(group)
        at = self._parts.index(group[0])
        self._parts[at : at + len(group)] = [merged]
        return merged

    def finish(self) -> None:
        """Merge the parts into a few large ones, and note that the run is finished."""
        for group in list(parts.large_groups(self._parts)):
            if len(group) > 1:
                self._merge(group)
        self.note("finished")

    def note(self, state: State) -> None:
        """Note in run.json how the run has ended, if it was started."""
        if self._writer is None:
            return
        self._check_place()
        *before, last = self._record.history
        ended = {**last, "seconds": round(time.monotonic() - self._began, 3)}
        self._record = replace(self._record, state=state, history=(*before, ended))
        self._record.save(self.directory)

    def _check_place(self) -> None:
        """See to it that the directory is still the one that is locked: else it would be two."""
        try:
            there = os.stat(self.directory / LOCK)
        except OSError as error:
            raise SolstatError(
                f"cannot write to {self.directory}: {error.strerror}: moved away or replaced?"
            ) from None
        if not os.path.samestat(there, os.fstat(self._lock.fileno())):
            raise SolstatError(f"cannot write to {self.directory}: it was moved away or replaced")

    @property
    def _rows(self) -> Writer:
        assert self._writer is not None, "start() comes first"
        return self._writer


def _locked(directory: Path) -> Any:
    """The lock file of a directory, locked until it is closed; a forked process has no part in it.

    It is a lock of the process: closing any other descriptor of the file would give it up.
    """
    file = open(directory / LOCK, "a")
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() < end:
                time.sleep(LOCK_SECONDS / 20)
                continue
            file.close()
            raise SolstatError(
                f"{directory}: another process is at work on this run; wait for it, or stop it"
            ) from None
        return file


def being_written(directory: Path) -> bool:
    """Whether a process is at work on a run (never call it in that process)."""
    try:
        file = open(directory / LOCK)
    except OSError:
        return False
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _time(seconds_ago: float) -> str:
    when = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    return when.isoformat(timespec="milliseconds")
