"""Surveys on a Dask cluster: a scheduler and workers that are processes of their own."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from solstat.errors import Interrupted, SolstatError, UsageError
from solstat.games import rules
from solstat.solver import Batch, CancelFlag
from solstat.survey.dask import Dask
from solstat.survey.executors import Died, Pulse, Solved, solve_chunk
from solstat.survey.plan import Again, Chunk, Range
from solstat.survey.reader import open_run
from solstat.survey.run import run_survey
from solstat.survey.status import status

# The second: how long a worker that is dead, but not yet known to be, is asked for what it solved.
CONFIG = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s",
}

# A worker that is not as it should be: what it says of itself is changed before it starts.
WORKER = "from distributed.cli.dask_worker import main; main()"
OTHER_SEARCH = (
    "from solstat.families import FAMILIES as f;"
    "f['scorpion'] = f['scorpion']._replace(search_version=1234);"
)
OTHER_SOLSTAT = """
import importlib.metadata as m, solstat
solstat.__version__ = "0.0.9"
real = m.version
m.version = lambda name: solstat.__version__ if name == "solstat" else real(name)
"""
NO_SOLSTAT = """
import importlib.metadata as m, sys
sys.modules["solstat"] = None
real = m.version
def version(name):
    if name == "solstat":
        raise m.PackageNotFoundError(name)
    return real(name)
m.version = version
"""


def chunk(first: int, last: int, **more: Any) -> Chunk:
    return Chunk(rules("wasp"), "solstat", 200, "full", False, Range(first, last), "1000", **more)


def until(what: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


class Cluster:
    """A scheduler, and the workers that are started for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            "from distributed.cli.dask_scheduler import main; main()",
            "--port=0",
            "--no-dashboard",
            f"--scheduler-file={self.file}",
        )
        until(lambda: self.file.exists() and self.file.read_text().endswith("}"))
        self.address: str = json.loads(self.file.read_text())["address"]

    def start_worker(self, before: str = "", *options: str) -> subprocess.Popen[bytes]:
        """A worker of one thread, and the nanny that starts it again when it dies."""
        return self._start(
            before + WORKER, self.address, "--nthreads=1", "--no-dashboard", *options
        )

    def _start(self, code: str, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=self.folder,
            env=os.environ | CONFIG,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def dask(self, **more: Any) -> Dask:
        return Dask(1, self.address, **more)

    def stop(self) -> None:
        for process in reversed(self.processes):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()


@contextmanager
def new_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    made = Cluster(folder)
    try:
        for _ in range(workers):
            made.start_worker()
        with closed(made.dask()) as dask:
            until(lambda: dask.wait(0.1) == [] and dask.workers == max(1, workers))
        yield made
    finally:
        made.stop()


@contextmanager
def closed(dask: Dask) -> Iterator[Dask]:
    dask.LOOK_SECONDS = 0.1
    try:
        yield dask
    finally:
        dask.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    """Two workers on this machine."""
    with new_cluster(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made


def results(dask: Dask, seconds: float = 60) -> list[Solved | Died]:
    """All that comes of the chunks in flight."""
    found: list[Solved | Died] = []
    end = time.monotonic() + seconds
    while dask.in_flight:
        found += dask.wait(0.1)
        assert time.monotonic() < end
    return found


def test_rows_are_those_of_processes(tmp_path: Path, cluster: Cluster, plan, content) -> None:
    run_survey([plan], tmp_path / "here", workers=2)
    run_survey([plan], tmp_path / "there", executor=lambda _: cluster.dask())
    assert content(tmp_path / "there") == content(tmp_path / "here")
    (start,) = open_run(tmp_path / "there").record.history
    assert "distributed" in start["versions"]
    assert "pebble" not in start["versions"]


def test_cards_of_a_file_go_to_the_workers(tmp_path, cluster, file_plan, inline, content) -> None:
    plan = replace(file_plan, lines=True)
    run_survey([plan], tmp_path / "here", executor=inline)
    by_file = functools.partial(Dask, scheduler=str(cluster.file))
    run_survey([plan], tmp_path / "there", executor=by_file)
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_room_for_two_chunks_a_thread(cluster: Cluster) -> None:
    with closed(cluster.dask()) as dask:
        assert (dask.workers, dask.room, dask.in_flight) == (2, 4, 0)
        dask.submit(chunk(0, 10))
        assert (dask.room, dask.in_flight) == (3, 1)
        (solved,) = results(dask)
        assert isinstance(solved, Solved)
        assert solved.chunk.range == Range(0, 10)
        assert solved.batch.positions.tolist() == solve_chunk(chunk(0, 10)).positions.tolist()


def test_only_the_chunk_that_kills_is_charged(cluster: Cluster) -> None:
    """Those that wait behind it are solved, by whichever worker comes."""

    def work(chunk: Chunk, pulse: Pulse, cancel: CancelFlag) -> Batch:
        time.sleep(0.3)  # the others wait by then
        if chunk.range.first == 20:
            os.kill(os.getpid(), signal.SIGKILL)
        return solve_chunk(chunk, pulse, cancel)

    with closed(cluster.dask(work=work)) as dask:
        until(lambda: dask.wait(0.1) == [] and dask.workers == 2)
        for first in (20, 0, 30, 40):
            dask.submit(chunk(first, first + 10))
        found = {result.chunk.range.first: result for result in results(dask)}
        assert found.pop(20) == Died(chunk(20, 30), "KilledWorker")
        assert sorted(found) == [0, 30, 40]
        assert all(isinstance(result, Solved) for result in found.values())
        until(lambda: dask.wait(0.1) == [] and dask.workers == 2)


def test_a_deal_that_kills_is_an_error_alone(tmp_path, cluster, plan, content, inline) -> None:
    def work(chunk: Chunk, pulse: Pulse, cancel: CancelFlag) -> Batch:
        if 60 in range(*chunk.range):
            os.kill(os.getpid(), signal.SIGKILL)
        return solve_chunk(chunk, pulse, cancel)

    run_survey([plan], tmp_path / "here", executor=inline)
    run_survey([plan], tmp_path / "there", executor=lambda _: cluster.dask(work=work))
    expected = content(tmp_path / "here")
    found = content(tmp_path / "there")
    assert (found[60]["outcome"], found[60]["reason"]) == ("error", "crash:KilledWorker")
    del found[60], expected[60]
    assert found == expected


def test_memory_error_is_a_death(cluster: Cluster) -> None:
    def work(chunk: Chunk, pulse: Pulse, cancel: CancelFlag) -> Batch:
        raise MemoryError

    with closed(cluster.dask(work=work)) as dask:
        dask.submit(chunk(0, 10))
        assert results(dask) == [Died(chunk(0, 10), "MemoryError")]


def test_deals_are_searched_again(tmp_path, cluster, plan, content, inline) -> None:
    """What is left open goes to the cluster too, and no memory is asked for here."""
    plan = replace(plan, budget=50, again=(Again("unsettled", 3000),))
    run_survey([plan], tmp_path / "here", executor=inline)
    there = tmp_path / "there"
    run_survey([plan], there, executor=lambda _: cluster.dask(), memory=1)
    assert content(there) == content(tmp_path / "here")
    assert max(row["attempt"] for row in content(there)) == 2


def test_worker_that_hangs_ends_itself(cluster: Cluster) -> None:
    def work(chunk: Chunk, pulse: Pulse, cancel: CancelFlag) -> Batch:
        if chunk.range.first == 20:
            threading.Event().wait()
        for _ in range(8):  # longer than a search may stand still, but it does not
            time.sleep(0.5)
            pulse += 1
        return solve_chunk(chunk, pulse, cancel)

    with closed(cluster.dask(work=work, hang_seconds=2)) as dask:
        for first in (20, 0):
            dask.submit(chunk(first, first + 10))
        found = {result.chunk.range.first: result for result in results(dask)}
    assert found[20] == Died(chunk(20, 30), "KilledWorker")
    assert isinstance(found[0], Solved)


def test_bug_is_told_as_it_is(cluster: Cluster) -> None:
    def work(chunk: Chunk, pulse: Pulse, cancel: CancelFlag) -> Batch:
        raise ZeroDivisionError("of all things")

    with closed(cluster.dask(work=work)) as dask:
        dask.submit(chunk(0, 10))
        with pytest.raises(ZeroDivisionError, match="of all things"):
            results(dask)


def test_workers_stop_when_nobody_waits(cluster: Cluster) -> None:
    """Chunks that take minutes are given up, and the workers are free for others."""
    long = replace(chunk(0, 1000), search="plain", budget=10**9)
    with closed(cluster.dask()) as dask:
        for _ in range(4):
            dask.submit(long)
        assert dask.wait(1) == []
    with closed(cluster.dask()) as dask:
        dask.submit(chunk(0, 10))
        assert isinstance(results(dask, 15)[0], Solved)


def test_workers_killed_in_mid_run(tmp_path: Path, content, plan, longer) -> None:
    plan = replace(longer(plan, 20_000), lines=False)
    run_survey([plan], tmp_path / "here", workers=2)
    with new_cluster(tmp_path, 2) as cluster:

        def kill() -> None:
            for _ in range(3):
                for nanny in cluster.processes[1:]:
                    for worker in psutil.Process(nanny.pid).children()[-1:]:
                        worker.kill()
                    time.sleep(0.4)

        killer = threading.Thread(target=kill)

        def executor(_: int) -> Dask:
            killer.start()
            return cluster.dask()

        run_survey([plan], tmp_path / "there", executor=executor)
        killer.join()
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_scheduler_lost(tmp_path: Path, plan, longer, content) -> None:
    """What is stored stays, and processes here can do the rest."""
    plan = replace(longer(plan, 3000), lines=False, search="plain", budget=30_000)
    out = tmp_path / "run"
    with new_cluster(tmp_path, 2) as cluster:

        def kill() -> None:
            until(lambda: len(list(out.glob("part-*"))) > 3)
            cluster.scheduler.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(SolstatError, match=f"the scheduler at {cluster.address} is lost: "):
            run_survey([plan], out, executor=lambda _: cluster.dask())
        killer.join()
        found = status(open_run(out))
        assert found.state == "failed"
        assert 0 < found.done < 3000
    run_survey([plan], out, workers=2)
    run_survey([plan], tmp_path / "here", workers=2)
    assert content(out) == content(tmp_path / "here")


@pytest.mark.parametrize(
    ("before", "has"),
    [
        (OTHER_SEARCH, "search version of scorpion 1234, here it is search version of scorpion"),
        (OTHER_SOLSTAT, "solstat 0.0.9, here it is solstat"),
        (NO_SOLSTAT, "no solstat, here it is solstat"),
    ],
)
def test_worker_with_another_solstat(tmp_path: Path, before: str, has: str) -> None:
    """It is refused if it is there at the start, and if it comes later."""
    with new_cluster(tmp_path, 0) as cluster, closed(cluster.dask()) as early:
        early.submit(chunk(0, 10))
        cluster.start_worker(before, "--no-nanny")
        message = f"the Dask worker at tcp://.* has {has}"
        with pytest.raises(SolstatError, match=message):
            results(early)
        with pytest.raises(SolstatError, match=message):
            cluster.dask()


def test_worker_that_comes_late(tmp_path: Path, caplog) -> None:
    with new_cluster(tmp_path, 0) as cluster, closed(cluster.dask()) as dask:
        dask.submit(chunk(0, 10))
        assert dask.wait(0.3) == []
        cluster.start_worker()
        assert isinstance(results(dask)[0], Solved)
    assert "there are no workers at tcp://" in caplog.text


def test_without_workers_nothing_is_waited_for(tmp_path: Path, plan) -> None:
    out = tmp_path / "run"

    def interrupt() -> None:
        until((out / "run.json").exists)
        signal.raise_signal(signal.SIGINT)

    with new_cluster(tmp_path, 0) as cluster:
        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(Interrupted, match=f"interrupted, 0 of {plan.count} deals are stored"):
            run_survey([plan], out, executor=lambda _: cluster.dask())
        interrupter.join()


def test_package_missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'solstat\[dask\]'"):
        Dask(1)


def test_nobody_answers(monkeypatch) -> None:
    monkeypatch.setattr(Dask, "CONNECT_SECONDS", 1)
    with pytest.raises(SolstatError, match="no Dask scheduler answers at tcp://127.0.0.1:1"):
        Dask(1, "tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["nowhere", "tcp://", "pigeon://here:1", "here:there"])
def test_no_address(monkeypatch, address: str) -> None:
    monkeypatch.setattr(Dask, "CONNECT_SECONDS", 1)
    with pytest.raises(UsageError, match=f"--scheduler {address}: "):
        Dask(1, address)
