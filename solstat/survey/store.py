"""A run directory as its one writer sees it.

The directory holds run.json, one Parquet part for each chunk that is solved, and for the deals of a
file a copy of them. A file is written under a temporary name, closed, then renamed, so that
whatever is there under its own name is whole. Small parts are merged as the run goes on, and into
parts of about a million rows when it is finished.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from solstat.budget import format_budget
from solstat.deals import Deal, SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.lock import LOCK, locked
from solstat.survey.logs import logger
from solstat.survey.plan import Again, Chunk, Plan, Range, deals_text, first_look, gaps, next_look
from solstat.survey.record import FILE, Record, State, write_file
from solstat.survey.rounds import Round, pending
from solstat.survey.shelf import Shelf

if TYPE_CHECKING:
    from solstat.solver import Batch
    from solstat.survey.retry import Retry

DEALS = "deals.txt"


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
        self._ended: Again | None = None  # what was searched again last
        self._shelf: Shelf | None = None
        self._provenance: Mapping[str, Any] = {}
        self._began = time.monotonic()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._refuse_other_files()
            self._lock = locked(directory)
        except OSError as error:
            raise SolstatError(f"cannot write to {directory}: {error.strerror}") from None
        try:
            self._record = self._opened(search_version)
            self._round = pending(directory, self._record)
            self._refuse_other_round()
            self._parts, superseded = parts.listed(directory)
            beyond = self._parts[-1].last if self._parts else 0
            if beyond > self._record.deals:
                raise SolstatError(
                    f"{directory / parts.name(self._parts[-1])}: "
                    f"beyond the {self._record.deals} deals of the run; move it away"
                )
            self._superseded = superseded
            if self.todo:  # which are not known at more than the first budget for some time
                self._record = replace(self._record, budget=plan.budget)
            self._again = [each for each in plan.again if self._is_due(each)]
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
            if self._plan.until is None and record.deals == there.deals:
                return record  # nothing more is asked for, as when deals are searched again
        else:
            record = Record.of(self._up_to(self._next_look(0)), search_version)
        return replace(record, most=None if record.until is None else self._plan.count)

    def _up_to(self, count: int) -> Plan:
        """What to plan if the run is to look at so many deals, should it look."""
        return self._plan if self._plan.until is None else self._plan.cut(count)

    def _next_look(self, planned: int) -> int:
        return next_look(planned, first_look(self._plan.until))

    def _refuse_other_round(self) -> None:
        """What was begun is to be ended, or given up, before anything else."""
        if self._round is not None and self._round.again not in self._plan.again:
            raise UsageError(
                f"{self.directory}: deals are being searched again: go on with solstat run "
                f"{self._round.again} -o {self.directory}, or give that up by removing "
                f"{self._round.directory(self.directory)}"
            )

    def _is_due(self, again: Again) -> bool:
        """Whether there may be deals to search again, as far as the record tells."""
        return again.what == "errors" or again.budget > self._record.budget

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
    def left_again(self) -> int:
        """The most deals there may be to search again."""
        if self._round is not None:
            return self._round.deals
        return self._record.deals if self._again else 0

    @property
    def finished(self) -> bool:
        """Whether the run is as it was left when it ended: nothing need be done, but for a look."""
        is_whole = not self.todo and not self.left_again
        return self._record.state == "finished" and is_whole and not self._has_new_rule

    @property
    def total(self) -> int:
        """Number of deals that are planned."""
        return self._record.deals

    @property
    def plan(self) -> Plan:
        """What is to be in it, at most."""
        return self._plan

    @property
    def parts(self) -> Sequence[Range]:
        """The parts, by index."""
        return self._parts

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What the footers of its parts say."""
        return self._provenance

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
        from solstat.survey import rows, stored

        for part in parts.covering(self._parts, self._superseded):
            stored.check_whole(self.directory, part, self._record, self._plan.deals_sha256)
        if self._deals:
            write_file(self.directory / DEALS, deals_text(self._deals))
        budgets = (*self._record.budgets, *(each.budget for each in self._plan.again))
        self._record = replace(self._record, state="running", budgets=budgets)
        self._began = time.monotonic() if began is None else began
        history = {
            "started": moment(time.monotonic() - self._began),
            "seconds": None,
            "stored_before": self.done,
            **entry,
        }
        self._record = replace(self._record, history=(*self._record.history, history))
        self._record.save(self.directory)
        rows.remove(self.directory, self._superseded)
        rows.remove_partial(self.directory)
        self._provenance = provenance
        writer = rows.Writer(self.directory, self._record, self._deals, provenance)
        self._shelf = Shelf(self._parts, writer)

    def grow(self) -> None:
        """Plan the deals up to the next look too. The record is there before any of their rows."""
        from solstat.survey import rows

        longer = self._up_to(self._next_look(self._record.deals))
        self.check_place()
        self._record = self._record.extended(longer, self._record.identity.search_version)
        self._record.save(self.directory)
        self._rows.writer = rows.Writer(self.directory, self._record, self._deals, self._provenance)

    def write(self, part: Range, batch: Batch) -> None:
        """Store solved deals."""
        self.check_place()
        self._rows.write(part, self._rows.writer.solved(part, batch))

    def write_failed(self, part: Range, reason: str) -> None:
        """Store that the solver itself failed over deals."""
        self.check_place()
        self._rows.write(part, self._rows.writer.failed(part, reason))

    def next_retry(self) -> Retry | None:
        """The next deals that are to be searched again, once all are stored; None at the end.

        The budget of the record rises only here, once no deal is open that was searched with less.
        """
        from solstat.survey import retry

        self._rows.compact()
        if self._round is None:
            while self._again and self._round is None:
                self._round = retry.begin(self, self._again[0])
                if self._round is None:
                    self._raise_to(self._again.pop(0))
        if self._round is None:
            return None
        if self._round.again.what == "errors":  # those that fail again stay errors
            self._again = [each for each in self._again if each != self._round.again]
        return retry.Retry(self, self._round)

    def _raise_to(self, again: Again) -> None:
        if again.what == "unsettled":
            self._record = replace(self._record, budget=max(self._record.budget, again.budget))
            self._record.save(self.directory)
            if again != self._ended:
                budget = format_budget(self._record.budget)
                logger.info("%s: no deals are open: its budget is now %s", self.rules, budget)

    def close_round(self, found: Round) -> None:
        """Note that the results of a round are among the rows."""
        self.check_place()
        self._record = replace(self._record, round=found.number)
        self._record.save(self.directory)
        self._round = None
        self._ended = found.again

    def finish(self) -> None:
        """Merge the parts into a few large ones, and note that the run is finished."""
        self._rows.compact()
        self.note("finished")

    def note(self, state: State) -> None:
        """Note in run.json how the run has ended, if it was started."""
        if self._shelf is None:
            return
        self.check_place()
        *before, last = self._record.history
        ended = {**last, "seconds": round(time.monotonic() - self._began, 3)}
        self._record = replace(self._record, state=state, history=(*before, ended))
        self._record.save(self.directory)

    def check_place(self) -> None:
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
    def _rows(self) -> Shelf:
        assert self._shelf is not None, "start() comes first"
        return self._shelf


def moment(seconds_ago: float) -> str:
    """When that was, as the history of a run tells it."""
    when = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    return when.isoformat(timespec="milliseconds")
