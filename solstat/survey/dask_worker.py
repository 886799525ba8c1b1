"""What a worker of a Dask cluster does with a chunk.

It may be of another version of solstat than the process that has sent the chunk, or have none.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solstat import __version__, solver
from solstat.errors import SolstatError
from solstat.survey.executors import Pulse
from solstat.survey.plan import Chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solstat.solver import Batch, CancelFlag

Work = Callable[[Chunk, Pulse, "CancelFlag"], "Batch"]

AWAY_SECONDS = 5.0
"""Who looks that much later than he should was stopped, or the machine was asleep."""
WATCH_SECONDS = 0.5
"""How soon a worker notices that nobody wants a chunk any more, or that its search hangs."""


class Task(NamedTuple):
    """What a worker is to do, and the solstat it is to have for it.

    It is done when its pickle is loaded. Dask gets to see bytes only: it would take a worker that
    cannot load a chunk, for want of solstat, for one that has died over it.
    """

    chunk: Chunk
    work: Work
    hang_seconds: float
    version: str
    search_versions: Mapping[str, int]

    def __reduce__(self) -> tuple[Any, ...]:
        return _solve, tuple(self)


def _solve(
    chunk: Chunk,
    work: Work,
    hang_seconds: float,
    version: str,
    search_versions: Mapping[str, int],
) -> Batch:
    """Solve a chunk in a worker, unless it is none for it, and until nobody wants it any more."""
    from distributed import get_worker

    worker = get_worker()
    if version != __version__:
        raise SolstatError(other(worker.address, "solstat", __version__, version))
    family = chunk.rules.family
    if (there := solver.search_version(family)) != (here := search_versions[family]):
        raise SolstatError(other(worker.address, f"search version of {family}", there, here))
    cancel = solver.CancelFlag()
    done = threading.Event()
    pulse = np.zeros(1, np.uint64)
    key = worker.get_current_task()
    watch = (worker, key, cancel, pulse, hang_seconds, done)
    threading.Thread(target=_watch, args=watch, daemon=True).start()
    try:
        return work(chunk, pulse, cancel)
    finally:
        done.set()


def _watch(
    worker: Any,
    key: str,
    cancel: CancelFlag,
    pulse: NDArray[np.uint64],
    hang_seconds: float,
    done: threading.Event,
) -> None:
    """Stop a search whose client has gone, with which a worker goes on else; end one that hangs.

    For a search that stands still nothing helps but to end its process, as `Processes` does.
    """
    stirred = looked = time.monotonic()
    before = int(pulse[0])
    while not done.wait(WATCH_SECONDS):
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            cancel.set()
        now = time.monotonic()
        if pulse[0] != before or now - looked > AWAY_SECONDS:
            before, stirred = int(pulse[0]), now
        looked = now
        if now - stirred > hang_seconds:
            os.kill(os.getpid(), signal.SIGKILL)


def other(address: str, name: str, there: object, here: object) -> str:
    """What to say of a worker that has another solstat than is here."""
    has = "no solstat" if isinstance(there, Exception) else f"{name} {there}"
    return (
        f"the Dask worker at {address} has {has}, here it is {name} {here}: "
        "install the same solstat for all"
    )
