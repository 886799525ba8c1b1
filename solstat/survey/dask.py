"""Chunks solved by the workers of a Dask cluster: on many machines, or on this one.

The cluster may be anybody's: its scheduler is named, or a cluster of this machine is made and taken
down. Nothing of the cluster is changed, and workers may come and go. A worker needs solstat as it
is here, for rows of one run must be of one search.
"""

from __future__ import annotations

import gc
import json
import logging
import pickle
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import metadata
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from solstat import __version__, solver
from solstat.errors import SolstatError, UsageError
from solstat.survey import dask_local
from solstat.survey.dask_worker import Task, Work, other
from solstat.survey.executors import Died, Processes, Solved, solve_chunk
from solstat.survey.logs import logger
from solstat.survey.plan import Chunk

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

    from solstat.solver import Batch

_Results = SimpleQueue[tuple[int, "Batch | BaseException"]]

MISSING = "--executor dask needs the package distributed: pip install 'solstat[dask]'"


class _Sent(NamedTuple):
    """A chunk that the scheduler has; whether it alone is to blame if its worker dies."""

    chunk: Chunk
    alone: bool
    future: Future[Batch]


class Dask:
    """The workers of a Dask cluster.

    When a worker dies, Dask does not tell which of its chunks it was at. All of them are suspects:
    they are tried again with no other chunk beside or behind them at the same worker, and one over
    which a worker dies then is given back. By default a scheduler gives a task three more chances
    before it says that workers die over it; a local cluster gives none.

    Parameters
    ----------
    workers : int
        Number of processes of a local cluster. Another has as many as it has.
    scheduler : str, optional
        Address of a scheduler, such as ``tcp://host:8786``, or the file in which it has written
        its address; a local cluster if not given.
    work : callable, optional
        From chunk, pulse and cancel flag to batch.
    hang_seconds : float, optional
        So long a search may stand still; then its worker ends itself.

    Raises
    ------
    UsageError
        The package `distributed` is missing, or `scheduler` is no address.
    SolstatError
        No scheduler answers, or a worker has another solstat than is here.
    """

    packages = ("distributed",)
    AHEAD = 2  # chunks per thread: one it is at, one that waits for it
    LOOK_SECONDS = 2.0  # between two looks at which workers there are
    CONNECT_SECONDS = 10.0
    CLOSE_SECONDS = 5.0

    def __init__(
        self,
        workers: int,
        scheduler: str | None = None,
        work: Work = solve_chunk,
        hang_seconds: float = Processes.HANG_SECONDS,
    ) -> None:
        try:
            import distributed  # noqa: F401, its parts are imported where they are used
        except ImportError:
            raise UsageError(MISSING) from None
        self._work = work
        self._hang_seconds = hang_seconds
        self._needs = {family: solver.search_version(family) for family in solver.STAGES}
        self._results: _Results = SimpleQueue()
        self._sent: dict[int, _Sent] = {}
        self._number = 0
        self._suspects: deque[Chunk] = deque()  # are sent when there is a worker without a chunk
        self._threads: Mapping[str, int] = {}  # by the worker's address
        self._looked = 0.0
        self._waits = False  # there are no workers, and it was told
        self._failure: SolstatError | None = None
        self._open = ExitStack()
        self._cluster: LocalCluster | None = None
        try:
            self._open.enter_context(_quiet())
            if scheduler is None:
                import dask

                self._open.enter_context(dask.config.set(dask_local.SETTINGS))
                self._cluster = dask_local.start(workers)
                self._open.callback(dask_local.close, self._cluster, self.CLOSE_SECONDS)
                scheduler = self._cluster.scheduler_address
            self._client = _connected(scheduler, self.CONNECT_SECONDS)
            self._open.callback(self._close_client)
            self._where: str = self._client.scheduler_info(n_workers=0)["address"]
            if self._cluster is not None:
                self._client.register_plugin(dask_local.deaf_workers())
            self._look()
            self._check(self._threads)
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        """How many chunks are solved at once, as far as is known now."""
        return max(1, sum(self._threads.values()))

    @property
    def is_here(self) -> bool:
        """Whether its workers take their memory from this machine."""
        return self._cluster is not None

    @property
    def has_workers(self) -> bool:
        """Whether there were any when it looked last."""
        return bool(self._threads)

    @property
    def room(self) -> int:
        """How many more chunks it takes now: some also while there are no workers yet."""
        if self._suspects or any(sent.alone for sent in self._sent.values()):
            return max(0, len(self._threads) - self.in_flight)
        return max(0, self.AHEAD * self.workers - self.in_flight)

    @property
    def in_flight(self) -> int:
        """How many chunks it has and has not given back."""
        return len(self._sent) + len(self._suspects)

    def submit(self, chunk: Chunk) -> None:
        """Take a chunk."""
        if chunk.deaths:
            self._suspects.append(chunk)
        else:
            self._send(chunk)

    def _send(self, chunk: Chunk, alone: bool = False) -> None:
        number = self._number
        self._number += 1
        import cloudpickle

        task = Task(chunk, self._work, self._hang_seconds, __version__, self._needs)
        with self._with_scheduler():
            future = self._client.submit(pickle.loads, cloudpickle.dumps(task), pure=False)
        self._sent[number] = _Sent(chunk, alone, future)
        assert self._client.loop is not None, "close() comes last"
        self._client.loop.add_callback(_fetch, future, number, self._results)

    def wait(self, seconds: float) -> list[Solved | Died]:
        """What has become of chunks since the last call; waits until there is something."""
        if self._failure is not None:
            raise self._failure
        found: list[Solved | Died] = []
        try:
            while self._suspects and len(self._sent) < max(1, len(self._threads)):
                self._send(self._suspects.popleft(), alone=True)
            with suppress(Empty):
                number, result = self._results.get(timeout=seconds)
                while True:
                    if (end := self._ended(self._sent.pop(number), result)) is not None:
                        found.append(end)
                    number, result = self._results.get_nowait()
            if time.monotonic() - self._looked > self.LOOK_SECONDS:
                self._look()
        except SolstatError as failure:
            if not found:
                raise
            self._failure = failure  # what is solved is to be stored first
        return found

    def _ended(self, sent: _Sent, result: Batch | BaseException) -> Solved | Died | None:
        """What has become of a chunk; None if it is to be solved yet."""
        from distributed import CancelledError, KilledWorker

        match result:
            case solver.Batch():
                seconds = float(result.seconds.sum())
                logger.debug("deals %s: %.2f s", sent.chunk.span, seconds)
                return Solved(sent.chunk, result)
            case KilledWorker() if sent.alone:
                return Died(sent.chunk, "KilledWorker")
            case KilledWorker():
                self._suspects.append(sent.chunk)
                return None
            case MemoryError():
                return Died(sent.chunk, "MemoryError")
            case CancelledError():
                raise self._lost()
            case SolstatError():
                raise result
        self._look()
        self._check(self._threads)  # one may not even have understood what it was to do
        raise result

    def _look(self) -> None:
        """Which workers are there now; those that are new check for themselves if they will do."""
        with self._with_scheduler():
            self._threads = there = dict(self._client.nthreads())
        self._looked = time.monotonic()
        if not there and not self._waits:
            logger.warning("there are no workers at %s: waiting for some", self._where)
        elif there and self._waits:
            logger.info("there are workers at %s again", self._where)
        self._waits = not there

    def _check(self, workers: Collection[str]) -> None:
        """Refuse (SolstatError) a worker with another solstat than is here."""
        if not workers:
            return
        self._compare("solstat", __version__, self._run(workers, metadata.version, "solstat"))
        for family, version in self._needs.items():
            found = self._run(workers, solver.search_version, family)
            self._compare(f"search version of {family}", version, found)

    def _run(self, workers: Collection[str], *call: Any) -> Mapping[str, Any]:
        with self._with_scheduler():
            found: Mapping[str, Any] = self._client.run(
                *call, workers=list(workers), on_error="return"
            )
        return found

    def _compare(self, name: str, here: object, found: Mapping[str, Any]) -> None:
        for address, there in found.items():
            if there != here and not isinstance(there, OSError):  # that one is gone
                raise SolstatError(other(address, name, there, here))

    @contextmanager
    def _with_scheduler(self) -> Iterator[None]:
        """Tell in one line (SolstatError) that the scheduler is gone."""
        from distributed.client import ClosedClientError

        try:
            yield
        except (OSError, RuntimeError, ClosedClientError):  # the client closes when it gives up
            raise self._lost() from None

    def _lost(self) -> SolstatError:
        return SolstatError(
            f"the scheduler at {self._where} is lost: what was stored stays, and the same command "
            "goes on once there is one again"
        )

    def close(self) -> None:
        """Stop all workers at once, whatever they are at. It always returns."""
        self._open.close()

    def _close_client(self) -> None:
        # What is in flight is forgotten with the client; see `_solve` for what is begun.
        self._sent.clear()
        with suppress(Exception):
            self._client.close(timeout=self.CLOSE_SECONDS)


async def _fetch(future: Future[Batch], number: int, results: _Results) -> None:
    """Wait for the verdicts, or for what became of them instead, in the client's own loop."""
    try:
        results.put((number, await future))
    except BaseException as error:
        results.put((number, error))


def _connected(scheduler: str, seconds: float) -> Client:
    """A client of a scheduler, by its address or its file."""
    from distributed import Client

    address = _address(scheduler)
    # A client that has failed to connect closes itself when it is collected, and takes a lock for
    # that, which another holds while it starts: in one thread it would wait for ever.
    gc.collect()
    try:
        return Client(address, timeout=seconds, set_as_default=False, name="solstat")
    except OSError:
        raise SolstatError(f"no Dask scheduler answers at {scheduler}") from None


def _address(scheduler: str) -> str:
    """The address of a scheduler, or the one in its file, if it is one.

    It is looked at here, for a client that is given a bad one is never rid of.
    """
    from distributed.comm.addressing import get_address_host_port

    try:
        is_file = Path(scheduler).is_file()
        address = json.loads(Path(scheduler).read_text())["address"] if is_file else scheduler
        get_address_host_port(address, strict=False)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        is_gone = "://" not in scheduler and not Path(scheduler).exists()
        why = "there is no such file" if is_gone else error
        raise UsageError(
            f"--scheduler {scheduler}: {why}; name an address such as tcp://host:8786, "
            "or the scheduler's file"
        ) from None
    return str(address)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own log from the terminal: it tells at length what is told here in a line."""
    handlers = logging.getLogger("distributed").handlers
    before = [(handler, handler.level) for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in before:
            handler.setLevel(level)
