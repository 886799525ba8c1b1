"""How fast the executors are: the same survey by processes and by Dask, two workers each.

Dask has a scheduler and workers that are processes of their own, set up as docs/cluster.md says,
and talks with them by the loopback. The two take turns, so that what else the machine does falls on
both; start-up counts. Besides the time there is the CPU time of all processes, Dask's own included,
which does not depend on who else is at work, and the share of it that is spent on deals.

tools/throughput.py --deals 20000 --rounds 3
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from solstat.survey.reader import open_run

WORKERS = 2
SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__MALLOC_TRIM_THRESHOLD_": "134217728",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}


class Measured(NamedTuple):
    """One survey: seconds by the clock, CPU seconds, and those that workers spent on deals."""

    clock: float
    cpu: float
    deals: float


@contextmanager
def started(*words: str) -> Iterator[psutil.Popen]:
    """A program of Dask, quiet, that ends with the block."""
    process = psutil.Popen(
        [sys.executable, "-m", *words],
        env=os.environ | SETTINGS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def cpu(processes: list[psutil.Process]) -> float:
    """CPU seconds of some processes and of those they have waited for."""
    times = [process.cpu_times() for process in processes]
    return sum(
        each.user + each.system + each.children_user + each.children_system for each in times
    )


def measure(out: Path, deals: int, cluster: list[psutil.Process], *how: str) -> Measured:
    """Solve a survey by a command, and perhaps a cluster."""
    survey = ["-g", "wasp", "--deals", f"0:{deals}", "--budget", "250k", "--no-lines"]
    command = [sys.executable, "-m", "solstat", "run", *survey, "--out", str(out), *how]
    everybody = [psutil.Process(), *cluster]
    before = cpu(everybody)
    subprocess.run(command, check=True, capture_output=True)
    used = cpu(everybody) - before
    run = open_run(out)
    clock: float = run.record.history[-1]["seconds"]
    return Measured(
        clock,
        used,
        sum(float(each["seconds"].to_numpy().sum()) for each in run.tables(["seconds"])),
    )


def main() -> None:
    """Print a line a survey, and the ratios of the medians."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--deals", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    found: dict[str, list[Measured]] = {"processes": [], "dask": []}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file = folder / "scheduler.json"
        scheduler = stack.enter_context(
            started("distributed.cli.dask_scheduler", "--port=0", f"--scheduler-file={file}")
        )
        while not file.exists():
            time.sleep(0.1)
        words = [f"--scheduler-file={file}", f"--nworkers={WORKERS}", "--nthreads=1"]
        nannies = stack.enter_context(started("distributed.cli.dask_worker", *words))
        while len(nannies.children()) < WORKERS:
            time.sleep(0.1)
        time.sleep(2)
        cluster = [scheduler, nannies, *nannies.children()]
        for number in range(asked.rounds):
            for name, at, how in (
                ("processes", [], ["--workers", str(WORKERS)]),
                ("dask", cluster, ["--scheduler", str(file)]),
            ):
                one = measure(folder / f"{name}-{number}", asked.deals, at, *how)
                found[name].append(one)
                share = one.deals / (WORKERS * one.clock)
                print(
                    f"{name:9} {one.clock:6.2f} s, {asked.deals / one.clock:6,.0f} deals/s; "
                    f"{one.cpu:6.2f} s of CPU; workers at deals {share:.1%} of the time",
                    flush=True,
                )
    for what in ("clock", "cpu"):
        medians = {name: median(getattr(one, what) for one in found[name]) for name in found}
        ratio = medians["processes"] / medians["dask"]
        print(f"dask against processes, by {what}: {ratio:.1%}")


if __name__ == "__main__":
    main()
