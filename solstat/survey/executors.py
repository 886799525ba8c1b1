"""Where chunks are solved.

An executor takes chunks and gives back what became of each: a batch of verdicts, or how the worker
over it died. It decides nothing: what is tried again is up to `run`.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np
from pebble import ProcessExpired, ProcessPool
from pebble.pool.process import WORKERS_NAME

from solstat import solver
from solstat.errors import SolstatError
from solstat.survey import logs
from solstat.survey.plan import Chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solstat.solver import Batch, CancelFlag

FILES_PER_WORKER = 2
FILES_BESIDE = 24
"""Open files of a pool itself, of parts that are read and written, and some to spare."""

Pulse: TypeAlias = "NDArray[np.uint64] | None"
Work = Callable[[Chunk, Pulse], "Batch"]

TIMEOUT = "timeout"
"""Cause of death of a worker that was killed because its search stood still."""


class Solved(NamedTuple):
    """A chunk and its verdicts."""

    chunk: Chunk
    batch: Batch


class Died(NamedTuple):
    """A chunk over which a worker died, and of what: the name of a signal, mostly."""

    chunk: Chunk
    cause: str

    @property
    def reason(self) -> str:
        """What a row says of it: ``timeout``, or ``crash:`` and the cause."""
        return TIMEOUT if self.cause == TIMEOUT else f"crash:{self.cause}"


class Executor(Protocol):
    """Solves chunks in its own order; `submit` and `wait` belong to one thread."""

    @property
    def workers(self) -> int:
        """How many chunks it solves at once."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages by which it works, whose versions run.json is to tell."""

    @property
    def is_here(self) -> bool:
        """Whether its workers take their memory from this machine."""

    @property
    def has_workers(self) -> bool:
        """Whether there are any now; while there are none, nothing in flight is being solved."""

    @property
    def room(self) -> int:
        """How many more chunks it takes now: enough that no worker is idle, and few beyond."""

    @property
    def in_flight(self) -> int:
        """How many chunks it has and has not given back."""

    def submit(self, chunk: Chunk) -> None:
        """Take a chunk."""

    def wait(self, seconds: float) -> list[Solved | Died]:
        """What has become of chunks since the last call; waits until there is something."""

    def close(self) -> None:
        """Stop all workers at once, whatever they are at. It always returns."""


def solve_chunk(chunk: Chunk, pulse: Pulse = None, cancel: CancelFlag | None = None) -> Batch:
    """Deal, if need be, and search a chunk; `pulse` and `cancel` as `solver.solve_many`."""
    cards = chunk.cards
    if cards is None:
        assert chunk.first_seed is not None, "a chunk has seeds or cards"
        places = chunk.places
        if places is None:
            places = np.arange(*chunk.range, dtype=np.int64)
        cards = solver.deal_range(chunk.scheme, chunk.first_seed, places)
    return solver.solve_many(
        chunk.rules,
        cards,
        chunk.budget,
        chunk.search,
        lines=chunk.lines,
        pulse=pulse,
        cancel=cancel,
    )


class Processes:
    """A pool of forked processes on this machine.

    A worker that dies fails the chunk it was at and is replaced (pebble's doing). What it leaves
    behind can still, rarely, stall the pool: it may die with a lock of the pool held, or between
    taking a chunk and being known to have it. So each worker notes in shared memory which chunk it
    is at. A pool that gives no results for `STALL_SECONDS`, all the while with fewer living workers
    at work than there is work for, is made anew, and its chunks are given to the new one.

    A worker that hangs is killed, which fails its chunk like any other death. That it hangs is told
    by its search, which shows that it is alive in shared memory too, whatever a deal takes: if
    nothing stirs there for `hang_seconds`, no position is reached any more.

    Parameters
    ----------
    workers : int
        Number of processes. They are forked here and now, before the caller imports what they
        need not hold.
    work : callable, optional
        From chunk and pulse to batch; a function of a module.
    hang_seconds : float, optional
        So long a search may stand still.

    Raises
    ------
    SolstatError
        The system does not allow so many.
    """

    packages = ("pebble",)
    is_here = True
    has_workers = True  # one that dies is replaced
    AHEAD = 2  # chunks per worker: one it is at, one that waits for it
    STALL_SECONDS = 10.0
    STALLS = 5  # pools in a row that solve nothing, until it is not worth another
    CLOSE_SECONDS = 10.0
    HANG_SECONDS = 60.0

    def __init__(
        self, workers: int, work: Work = solve_chunk, hang_seconds: float = HANG_SECONDS
    ) -> None:
        self.workers = workers
        self._work = work
        self._hang_seconds = hang_seconds
        self._results: SimpleQueue[tuple[int, Future[Batch]]] = SimpleQueue()
        self._stalls = 0
        with starting(workers):
            self._start()

    def _start(self) -> None:
        slots = self.AHEAD * self.workers
        # The process id of the worker at each chunk, 0 before and after.
        self._at_work: NDArray[np.int64] = np.frombuffer(mmap.mmap(-1, 8 * slots), dtype=np.int64)
        self._pulse: NDArray[np.uint64] = np.frombuffer(mmap.mmap(-1, 8 * slots), dtype=np.uint64)
        # What was last seen to stir in each slot, and when; the slots whose workers were killed.
        self._seen: dict[int, tuple[tuple[int, int], float]] = {}
        self._hung: set[int] = set()
        self._free = list(range(slots))
        self._chunks: dict[int, tuple[Chunk, Future[Batch]]] = {}
        self._busy_since = self._watched = time.monotonic()
        self._open = ExitStack()
        self._open.enter_context(logs.from_workers())
        self._pool = ProcessPool(
            max_workers=self.workers,
            initializer=_start_worker,
            initargs=(os.getpid(), self._at_work, self._pulse),
            context=multiprocessing.get_context("fork"),
        )
        assert self._pool.active  # asking starts the workers

    @property
    def room(self) -> int:
        """How many more chunks it takes now."""
        return len(self._free)

    @property
    def in_flight(self) -> int:
        """How many chunks it has and has not given back."""
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        """Take a chunk."""
        slot = self._free.pop()
        self._at_work[slot] = 0
        future: Future[Batch]
        try:
            future = self._pool.schedule(_run, args=(self._work, slot, chunk))
        except RuntimeError as error:  # the pool broke
            future = Future()
            future.set_exception(BrokenProcessPool(str(error)))
        self._chunks[slot] = (chunk, future)
        results = self._results
        future.add_done_callback(lambda future: results.put((slot, future)))

    def wait(self, seconds: float) -> list[Solved | Died]:
        """What has become of chunks since the last call; waits until there is something."""
        found: list[Solved | Died] = []
        with suppress(Empty):
            slot, future = self._results.get(timeout=seconds)
            while True:
                # The results of a pool that was given up are no longer waited for.
                if slot in self._chunks and self._chunks[slot][1] is future:
                    if (result := self._result(slot, future)) is None:
                        self._restart("broke")
                        return found
                    found.append(result)
                slot, future = self._results.get_nowait()
        now = time.monotonic()
        if now - self._watched > self.STALL_SECONDS / 2:  # the caller was elsewhere, or stopped
            self._seen.clear()
            self._busy_since = now
        self._watched = now
        self._kill_hung(now)
        if self._stalled(now, bool(found)):
            self._restart("stalled")
        return found

    def _result(self, slot: int, future: Future[Batch]) -> Solved | Died | None:
        chunk, _ = self._chunks[slot]
        try:
            result: Solved | Died = Solved(chunk, future.result())
            self._stalls = 0
        except ProcessExpired as error:
            result = Died(chunk, TIMEOUT if slot in self._hung else _cause(error.exitcode))
        except MemoryError:
            result = Died(chunk, "MemoryError")
        except BrokenProcessPool:
            return None
        del self._chunks[slot]
        self._at_work[slot] = 0
        self._hung.discard(slot)
        self._seen.pop(slot, None)
        self._free.append(slot)
        return result

    def _kill_hung(self, now: float) -> None:
        for slot in self._chunks:
            stirs = int(self._at_work[slot]), int(self._pulse[slot])
            before, since = self._seen.get(slot, (None, now))
            if stirs != before or not stirs[0]:
                self._seen[slot] = stirs, now
            elif now - since > self._hang_seconds and slot not in self._hung:
                self._hung.add(slot)
                _kill(child for child in _children() if child.pid == self._at_work[slot])

    def _stalled(self, now: float, results: bool) -> bool:
        alive = {child.pid for child in _children()}
        at_work = sum(int(pid) in alive for pid in self._at_work if pid)
        if results or at_work >= min(self.workers, self.in_flight):
            self._busy_since = now
        return now - self._busy_since > self.STALL_SECONDS

    def _restart(self, why: str) -> None:
        self._stalls += 1
        if self._stalls > self.STALLS:
            raise SolstatError("the workers do not work: each dies as soon as it starts")
        logs.logger.warning("the pool of workers %s: it is made anew", why)
        chunks = [chunk for chunk, _ in self._chunks.values()]
        self.close()
        with starting(self.workers):
            self._start()
        for chunk in chunks:
            self.submit(chunk)

    def close(self) -> None:
        """Stop all workers at once, whatever they are at. It always returns."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        # Idle workers leave by themselves when their pipe closes, with their last log records; for
        # the others pebble would wait in turn.
        _kill(child for child in _children() if child.pid in self._at_work)
        # What a dying worker left behind, a pipe half written, can block pebble for ever.
        joining = threading.Thread(target=self._pool.join, daemon=True)
        joining.start()
        joining.join(self.CLOSE_SECONDS)
        _kill(_children())
        self._open.close()


@contextmanager
def starting(workers: int) -> Iterator[None]:
    """Tell in one line (SolstatError) why so many processes cannot be started meanwhile."""
    check_files(workers, FILES_PER_WORKER, FILES_BESIDE)
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.ENOMEM):
            remedy = "use fewer --workers, or raise the limit of processes (ulimit -u) or memory"
        else:
            remedy = "their semaphores are kept in /dev/shm, which must be writable and have room"
        raise SolstatError(
            f"cannot start {workers} workers: {error.strerror or error}; {remedy}"
        ) from None


def check_files(workers: int, each: int, beside: int) -> None:
    """Refuse (SolstatError) workers for which too few open files are allowed.

    It is looked at before they are started: pools and clusters do not notice, or tell at length.

    Parameters
    ----------
    workers : int
        Number of workers.
    each, beside : int
        Open files that this process needs for each, and beside.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = limit - len(os.listdir("/dev/fd")) - beside
    if limit != resource.RLIM_INFINITY and each * workers > free:
        fit = max(free // each, 0)
        remedy = f"use --workers {fit}, or raise the limit" if fit else "raise the limit"
        raise SolstatError(
            f"too few open files are allowed (ulimit -n {limit}) for {workers} workers: {remedy}"
        )


def _children() -> list[BaseProcess]:
    return [child for child in multiprocessing.active_children() if child.name == WORKERS_NAME]


def _kill(children: Iterable[BaseProcess]) -> None:
    for child in children:
        child.kill()


_at_work: NDArray[np.int64]
_pulse: NDArray[np.uint64]


def _start_worker(parent: int, at_work: NDArray[np.int64], pulse: NDArray[np.uint64]) -> None:
    global _at_work, _pulse
    _at_work, _pulse = at_work, pulse
    follow_parent(parent)
    # Signals to the whole group are for the parent, who lets the workers finish what they are at.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def follow_parent(parent: int) -> None:
    """What a worker does first: see to it that it ends with its parent, and only then."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel knew that we care
        os._exit(1)


def _run(work: Work, slot: int, chunk: Chunk) -> Batch:
    """Solve a chunk in a worker."""
    _at_work[slot] = os.getpid()
    started = time.monotonic()
    try:
        batch = work(chunk, _pulse[slot : slot + 1])
    finally:
        _at_work[slot] = 0
    logs.logger.debug("deals %s: %.2f s", chunk.span, time.monotonic() - started)
    return batch


def _cause(exit_code: int) -> str:
    if exit_code < 0:
        with suppress(ValueError):
            return signal.Signals(-exit_code).name
    return f"exit {exit_code}"
