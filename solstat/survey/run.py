"""Running surveys: from plans to rows on disk, and how it stops."""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solstat import solver
from solstat.budget import format_budget
from solstat.errors import Interrupted, SolstatError
from solstat.survey import executors, limits
from solstat.survey.directories import run_directories
from solstat.survey.executors import Died, Executor, Solved
from solstat.survey.logs import logger
from solstat.survey.plan import Chunk, Chunker, Plan, Range
from solstat.survey.reader import Counts, Run, counts
from solstat.survey.signals import Signals
from solstat.survey.store import Store

if TYPE_CHECKING:
    from solstat.survey.progress import Progress
    from solstat.survey.retry import Retry

DEATHS = 3
"""So many workers must die over a deal before it counts as an error."""

BEGINS_TO_LOOK = (
    "its number of deals was fixed; from now on its interval allows for having looked, also if it "
    "goes on without --until: it is wider, about 1.6 times from 1,000 deals on, more for fewer"
)
"""What a run is told that gets a rule to stop by when it is there already."""

POLL_SECONDS = 0.25
"""How soon a signal is heeded."""


def default_workers() -> int:
    """The CPUs this process may use."""
    return limits.cpus()


def run_survey(
    plans: Sequence[Plan],
    out: str | os.PathLike[str],
    *,
    apart: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    command: Sequence[str] = (),
    stop: Callable[[Counts], bool] | None = None,
    executor: Callable[[int], Executor] = executors.Processes,
) -> list[Path]:
    """Solve what of some plans is not stored yet, and store it.

    One plan makes `out` its run directory, unless it is to be `apart`; each of several has one of
    its own under it. A shard has one under that.
    The same call finishes what was killed or interrupted, and a longer plan extends what is there.

    Parameters
    ----------
    plans : sequence of Plan
        From `solstat.survey.config.Settings.plans`.
    out : path
        Where the rows go.
    apart : bool
        Whether a single plan has a directory under `out` too, so that more may come beside it.
    workers : int, optional
        Number of processes; the CPUs this process may use if not given.
    memory : int, optional
        Bytes that all of them may use; what this process may use if not given. Of workers
        elsewhere nothing is known, and nothing asked.
    command : sequence of str
        The words of the command line, for run.json and for the message of `Interrupted`.
    stop : callable, optional
        From the outcomes so far to whether a run is to stop. Runs whose plan has `until` ask it,
        each time that all deals up to a look are stored (see `solstat.survey.plan.next_look`), and
        no deal after that is begun before it answers.
    executor : callable
        From a number of workers to what solves chunks.

    Returns
    -------
    list of Path
        The run directory of each plan.

    Raises
    ------
    UsageError
        A directory holds another run, or deals may need more memory than there is.
    SolstatError
        A directory is damaged, in use, or cannot be written. What was stored stays.
    Interrupted
        By SIGINT, SIGTERM or SIGHUP, once what was in flight is stored (at once at the second
        signal). The message says how to go on.
    """
    directories = run_directories(plans, out, apart=apart)
    _run(directories, plans, workers, memory, command, stop, executor)
    return directories


def retry_survey(
    directories: Sequence[Path],
    plans: Sequence[Plan],
    *,
    workers: int | None = None,
    memory: int | None = None,
    command: Sequence[str] = (),
    executor: Callable[[int], Executor] = executors.Processes,
) -> None:
    """Search deals of runs again that exist.

    Parameters
    ----------
    directories : sequence of Path
        The run directories.
    plans : sequence of Plan
        For each, from `solstat.survey.again.plan_again`.
    workers, memory, command, executor
        As for `run_survey`; errors too.
    """
    _run(directories, plans, workers, memory, command, None, executor)


def _run(
    directories: Sequence[Path],
    plans: Sequence[Plan],
    workers: int | None,
    memory: int | None,
    command: Sequence[str],
    stop: Callable[[Counts], bool] | None,
    executor: Callable[[int], Executor],
) -> None:
    with ExitStack() as stack:
        signals = stack.enter_context(Signals())
        stores = [
            stack.enter_context(Store(path, plan, solver.search_version(plan.rules.family)))
            for path, plan in zip(directories, plans, strict=True)
        ]
        most = sum(store.left + store.left_again for store in stores)
        count = min(workers or default_workers(), most)
        left = [
            plan for plan, store in zip(plans, stores, strict=True) if store.left + store.left_again
        ]
        # The workers are forked here, before the stores start and import pyarrow.
        pool = executor(count) if count else None
        if pool is not None:
            stack.callback(pool.close)
            count = pool.workers  # a cluster has its own
            if pool.is_here:
                limits.check_memory(left, count, limits.memory() if memory is None else memory)
        for store in stores:
            _Loop(store, pool, count, signals, command, stop).run()


class _Loop:
    """One run, from the first chunk to the last."""

    def __init__(
        self,
        store: Store,
        pool: Executor | None,
        workers: int,
        signals: Signals,
        command: Sequence[str],
        stop: Callable[[Counts], bool] | None,
    ) -> None:
        self._store = store
        self._pool = pool
        self._workers = workers
        self._signals = signals
        self._command = command
        self._stop = stop
        self._rows: Store | Retry = store  # where what is solved now belongs
        self._chunker = Chunker(store.todo, max(1, workers))
        self._again: list[Chunk] = []
        self._deals_in_flight = 0
        self._tally: Counter[str] = Counter()
        self._began = time.monotonic()

    def run(self) -> None:
        """Solve and store all that is left, or raise what `run_survey` raises."""
        if self._store.finished and self._is_enough():
            done = f"{self._store.done:,}"
            logger.info("%s: all %s deals were there already", self._store.rules, done)
            return
        if self._pool is not None:
            self._fill(self._pool)  # before pyarrow is imported, so that no worker waits for it
        try:
            self._solve_planned()
            while retry := self._store.next_retry():
                self._solve_again(retry)
            self._store.finish()
        except Interrupted:
            raise
        except BaseException:
            with suppress(SolstatError):  # the first error is the one to tell
                self._store.note("failed")
            raise

    def _solve_planned(self) -> None:
        """Solve the deals that have no rows, up to the last one or till it is enough."""
        progress = self._start()
        try:
            self._solve(progress)
            while not self._is_enough():
                self._store.grow()
                self._chunker.add(self._store.todo)
                progress.extend(self._store.record.deals)
                self._solve(progress)
        finally:
            progress.close()

    def _solve_again(self, retry: Retry) -> None:
        """Search deals once more, and make what is found the rows of the run."""
        from solstat.survey.progress import Progress

        again = retry.round.again
        label = f"{self._store.rules}, {again.what} again with {format_budget(again.budget)}"
        if retry.done:
            logger.info("%s: going on: %s of %s deals are there", label, *_counts(retry))
        self._rows = retry
        self._chunker = Chunker(retry.todo, max(1, self._workers))
        progress = Progress(label, retry.total, retry.tally)
        try:
            self._solve(progress)
            retry.finish()
        finally:
            progress.close()

    def _start(self) -> Progress:
        from solstat.survey.progress import Progress
        from solstat.survey.provenance import command_text, provenance

        record = self._store.record
        if self._store.done:
            if self._store.todo or not self._store.left_again:
                there = _counts(self._store)
                logger.info("%s: going on: %s of %s deals are there", self._store.rules, *there)
            self._tally = self._stored()  # reads, and so checks, every part
        if self._store.begins_to_look:
            logger.warning("%s: %s", record.identity.rules, BEGINS_TO_LOOK)
        about = provenance(() if self._pool is None else self._pool.packages)
        entry = {"workers": self._workers, "command": command_text(self._command), **about}
        self._store.start(entry, about, self._began)
        label = record.identity.rules
        if self._may_grow:
            label += f", until {self._store.plan.until}"
        return Progress(label, record.deals, self._tally, self._began, so_far=self._may_grow)

    @property
    def _may_grow(self) -> bool:
        """Whether there are more deals beyond those of its next look."""
        return self._stop is not None and self._store.record.deals < self._store.plan.count

    def _stored(self) -> Counter[str]:
        found = counts(Run(self._store.directory))
        return Counter({name: getattr(found, name) for name in solver.OUTCOMES})

    def _is_enough(self) -> bool:
        """Whether the run may end, now that all deals up to a look are stored."""
        if not self._store.left:
            return True
        if self._stop is None:
            return False
        record = self._store.record
        self._tally = self._tally or self._stored()
        return self._stop(Counts(record.identity.rules, record.budget, **self._tally))

    def _fill(self, pool: Executor) -> None:
        while pool.room and not self._signals.count:
            if self._again:
                chunk = self._again.pop()
            elif part := self._chunker.next():
                chunk = self._rows.chunk(part)
            else:
                return
            pool.submit(chunk)
            self._deals_in_flight += chunk.size

    def _solve(self, progress: Progress) -> None:
        """Solve what is planned so far, or raise `Interrupted`."""
        if self._pool is not None:
            self._solve_by(self._pool, progress)
        if self._rows.todo:
            self._store.note("interrupted")
            raise Interrupted(self._farewell())

    def _solve_by(self, pool: Executor, progress: Progress) -> None:
        told = False
        while self._signals.count < 2:
            self._fill(pool)
            if not pool.in_flight:
                return
            for result in pool.wait(POLL_SECONDS):
                self._deals_in_flight -= result.chunk.size
                if isinstance(result, Solved):
                    new = self._store_solved(result)
                else:
                    new = self._try_again(result)
                self._tally.update(new)
                progress.add(new)
            progress.wait_for_workers(not pool.has_workers)
            progress.tick()
            if self._signals.count and not pool.has_workers:
                return
            if self._signals.count and not told:
                told = True
                logger.info("%s", self._stopping())

    def _stopping(self) -> str:
        if not self._deals_in_flight:
            return "stopping"
        return (
            f"stopping: the {self._deals_in_flight:,} deals in flight are solved and stored first; "
            "interrupt once more to stop at once"
        )

    def _store_solved(self, solved: Solved) -> dict[str, int]:
        chunk, batch = solved
        self._rows.write(chunk.range, batch)
        self._chunker.record(chunk.size, float(batch.seconds.sum()))
        tally = np.bincount(batch.outcome, minlength=len(solver.OUTCOMES)).tolist()
        return dict(zip(solver.OUTCOMES, tally, strict=True))

    def _try_again(self, died: Died) -> dict[str, int]:
        """Once more whole, then in halves, so that in the end a deal fails alone."""
        chunk = died.chunk
        deaths = chunk.deaths + 1
        first, last = chunk.range
        logger.warning("a worker died (%s) over deals %s, death %d", died.cause, chunk.span, deaths)
        if chunk.size == 1 and deaths == DEATHS:
            self._rows.write_failed(chunk.range, died.reason)
            return {"error": 1}
        if chunk.size == 1 or deaths == 1:
            self._again.append(chunk.part(first, last, deaths))
        else:
            middle = (first + last) // 2
            for half in (Range(middle, last), Range(first, middle)):
                self._again.append(chunk.part(*half, 0 if half.size == 1 else 1))
        return {}

    def _farewell(self) -> str:
        done, total = _counts(self._rows)
        which = "deals" if self._rows is self._store else "deals that are searched again"
        if self._rows is self._store and self._may_grow:
            which = f"deals planned so far, until {self._store.plan.until},"
        how = shlex.join(self._command) if self._command else "the same call"
        return f"interrupted, {done} of {total} {which} are stored; to go on: {how}"


def _counts(place: Store | Retry) -> tuple[str, str]:
    return f"{place.done:,}", f"{place.total:,}"
