"""A Dask cluster of this machine, that ends with this process."""

from __future__ import annotations

import logging
import os
import signal
from contextlib import suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from solstat.errors import SolstatError
from solstat.survey.executors import FILES_BESIDE, check_files

if TYPE_CHECKING:
    from distributed import LocalCluster

SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    # How long a worker that is dead, but not yet known to be, is asked for what it has solved.
    "distributed.comm.timeouts.connect": "5s",
    # Dask's default gives memory back to the system again and again: some 5 % of the time.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 27,
    "distributed.worker.profile.enabled": False,
}
"""Settings of a local cluster; docs/cluster.md has those for others."""
FILES_PER_WORKER = 11
FILES_OF_CLUSTER = 20
"""Open files of a local cluster in this process: 10.5 a worker and 18 were seen."""


def start(workers: int) -> LocalCluster:
    """A cluster on this machine, of processes that end with this one."""
    from distributed import LocalCluster

    check_files(workers, FILES_PER_WORKER, FILES_OF_CLUSTER + FILES_BESIDE)
    _start_resource_tracker()
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # no worker is paused or killed by Dask itself
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError) as error:
        raise SolstatError(
            f"cannot start a Dask cluster of {workers} workers: {error}; "
            "use fewer --workers, or raise the limits of open files and processes (ulimit -n, -u)"
        ) from None


def _start_resource_tracker() -> None:
    """Start the process of multiprocessing that sees to what spawned processes leave behind.

    It ignores SIGINT and SIGTERM by itself. The end of the terminal would end it, and the next one
    would tell at length of all that it does not know. What is blocked here it never gets.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def close(cluster: LocalCluster, seconds: float) -> None:
    """End a cluster within so many seconds, whatever its workers are at."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)
    with suppress(Exception):
        cluster.close(timeout=seconds)


def deaf_workers() -> Any:
    """A plugin for workers of a local cluster.

    Signals to the whole group are for the parent, who lets the workers finish what they are at.
    """
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    return Deaf()
