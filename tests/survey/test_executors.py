from __future__ import annotations

import errno
import faulthandler
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from solstat import _kernel
from solstat.errors import SolstatError
from solstat.games import rules
from solstat.solver import Batch, deal_many, solve_many
from solstat.survey import executors
from solstat.survey.executors import Died, Processes, Solved, solve_chunk
from solstat.survey.plan import Chunk, Plan, Range


def chunk(first: int, last: int, **more: object) -> Chunk:
    return Chunk(rules("wasp"), "solstat", 200, "full", False, Range(first, last), "1000", **more)


# Work for the pool. What it does depends on the first deal of the chunk.


def quick(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    return solve_chunk(chunk)


def who(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    """Tells the worker's process id as a number of positions."""
    batch = solve_chunk(chunk)
    batch.positions[:] = os.getpid()
    return batch


def killed(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return solve_chunk(chunk)


def aborted(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        faulthandler.disable()  # pytest's; it would tell all about it
        os.abort()
    return solve_chunk(chunk)


def crashes(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        faulthandler.disable()
        _kernel.crash()
    return solve_chunk(chunk)


def hangs(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        _kernel.hang()
    return solve_chunk(chunk, pulse)


def stopped(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        os.kill(os.getpid(), signal.SIGSTOP)
    return solve_chunk(chunk, pulse)


def endless(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    """A search that takes much longer than one may stand still, and reaches positions."""
    return solve_many(
        rules("will-o-the-wisp"),
        deal_many("solstat", [1_500_000]),
        10_000_000,
        "plain",
        pulse=pulse,
    )


def leaves(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        os._exit(7)
    return solve_chunk(chunk)


def greedy(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    if chunk.range.first == 13:
        raise MemoryError
    return solve_chunk(chunk)


def wrong(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    raise ValueError("a bug")


def slow(chunk: Chunk, pulse: executors.Pulse = None) -> Batch:
    time.sleep(60)
    return solve_chunk(chunk)


def workers_of(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children()


def gone(workers: list[psutil.Process]) -> bool:
    """Whether they end soon. (psutil's wait would reap them, and pebble never know.)"""
    end = time.monotonic() + 30
    while any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in workers):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def results_of(pool: Processes, chunks: list[Chunk]) -> list[Solved | Died]:
    """Solve chunks as `run` does: as many at a time as there is room for."""
    waiting, found = list(chunks), []
    end = time.monotonic() + 60
    while waiting or pool.in_flight:
        while waiting and pool.room:
            pool.submit(waiting.pop(0))
        found += pool.wait(0.1)
        assert time.monotonic() < end
    return found


@pytest.fixture
def pool() -> Iterator[object]:
    """Make pools that are closed after the test."""
    made: list[Processes] = []

    def make(workers: int, work: executors.Work = quick, **more: float) -> Processes:
        made.append(Processes(workers, work, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()
    assert gone([psutil.Process(child.pid) for child in executors._children()])


class TestSolveChunk:
    def test_seeds(self) -> None:
        batch = solve_chunk(chunk(5, 9))
        wanted = solve_many(rules("wasp"), deal_many("solstat", range(1005, 1009)), 200)
        assert np.array_equal(batch.outcome, wanted.outcome)
        assert np.array_equal(batch.positions, wanted.positions)
        assert batch.line == [None] * 4

    def test_cards_of_a_file(self, file_plan: Plan) -> None:
        assert file_plan.cards is not None
        cards = file_plan.cards[2:5]
        batch = solve_chunk(
            Chunk(rules("wasp"), "file", 200, "full", True, Range(2, 5), None, cards)
        )
        wanted = solve_many(rules("wasp"), cards, 200)
        assert np.array_equal(batch.positions, wanted.positions)
        assert batch.line == wanted.line


class TestProcesses:
    def test_solves_each_chunk_once(self, pool) -> None:
        chunks = [chunk(first, first + 7) for first in range(0, 140, 7)]
        found = results_of(pool(2), chunks)
        assert sorted(each.chunk.range for each in found) == [each.range for each in chunks]
        for each in found:
            assert isinstance(each, Solved)
            assert np.array_equal(each.batch.positions, solve_chunk(each.chunk).positions)

    def test_workers_are_there_from_the_start_and_all_work(self, pool) -> None:
        made = pool(2, who)
        pids = {child.pid for child in workers_of(os.getpid())}
        assert len(pids) == 2
        worked, end = set(), time.monotonic() + 60
        while worked != pids:  # a busy machine may let one of them wait
            assert time.monotonic() < end
            found = results_of(made, [chunk(first, first + 100) for first in range(0, 900, 100)])
            worked |= {int(each.batch.positions[0]) for each in found}

    def test_has_room_for_two_chunks_a_worker(self, pool) -> None:
        made = pool(2, slow)
        assert (made.room, made.in_flight) == (4, 0)
        made.submit(chunk(0, 1))
        assert (made.room, made.in_flight) == (3, 1)
        assert made.wait(0.01) == []

    @pytest.mark.parametrize(
        ("work", "cause"),
        [
            (killed, "SIGKILL"),
            (aborted, "SIGABRT"),
            (crashes, "SIGSEGV"),
            (leaves, "exit 7"),
            (greedy, "MemoryError"),
        ],
    )
    def test_a_worker_that_dies_fails_its_chunk_alone(self, pool, work, cause) -> None:
        found = results_of(pool(2, work), [chunk(first, first + 1) for first in range(10, 18)])
        assert len(found) == 8
        (died,) = (each for each in found if isinstance(each, Died))
        assert (died.chunk.range, died.cause) == ((13, 14), cause)

    @pytest.mark.parametrize("work", [hangs, stopped])
    def test_a_worker_that_hangs_is_killed_and_fails_its_chunk_alone(self, pool, work) -> None:
        made = pool(2, work, hang_seconds=1.0)
        found = results_of(made, [chunk(first, first + 1) for first in range(10, 18)])
        assert len(found) == 8
        (died,) = (each for each in found if isinstance(each, Died))
        assert died.chunk.range == (13, 14)
        assert (died.cause, died.reason) == ("timeout", "timeout")

    def test_a_search_that_takes_long_is_left_alone(self, pool) -> None:
        (found,) = results_of(pool(1, endless, hang_seconds=1.5), [chunk(0, 1)])
        assert isinstance(found, Solved)
        assert found.batch.seconds.sum() > 1.5

    def test_a_worker_that_is_killed_while_idle_is_replaced(self, pool) -> None:
        made = pool(1)
        for _ in range(3):  # pebble calls a pool broken that loses a worker and has no work
            (worker,) = workers_of(os.getpid())
            worker.kill()
            assert gone([worker])
            (found,) = results_of(made, [chunk(0, 3)])
            assert isinstance(found, Solved)

    def test_an_error_in_the_work_is_raised(self, pool) -> None:
        made = pool(1, wrong)
        made.submit(chunk(0, 1))
        with pytest.raises(ValueError, match="a bug"):
            made.wait(10)

    def test_a_pool_that_stalls_is_made_anew(self, pool, monkeypatch) -> None:
        monkeypatch.setattr(Processes, "STALL_SECONDS", 0.5)
        made = pool(1)
        stopped = workers_of(os.getpid())
        # As if a worker had died with a lock of the pool held: chunks go in, nobody takes them.
        stopped[0].suspend()
        (found,) = results_of(made, [chunk(0, 3)])
        assert isinstance(found, Solved)
        assert gone(stopped)

    def test_a_pool_that_breaks_is_made_anew(self, pool) -> None:
        made = pool(1)
        made._pool.stop()
        (found,) = results_of(made, [chunk(0, 3)])
        assert isinstance(found, Solved)

    def test_workers_that_never_work_are_given_up(self, pool, monkeypatch) -> None:
        monkeypatch.setattr(Processes, "STALL_SECONDS", 0.3)
        monkeypatch.setattr(executors, "_start_worker", lambda *_: os._exit(1))
        made = pool(1)
        with pytest.raises(SolstatError, match="the workers do not work"):
            results_of(made, [chunk(0, 1)])


class TestClose:
    def test_does_not_wait_for_what_is_at_work(self) -> None:
        made = Processes(2, slow)
        workers = workers_of(os.getpid())
        for first in range(4):
            made.submit(chunk(first, first + 1))
        made.wait(0.3)
        started = time.monotonic()
        made.close()
        assert time.monotonic() - started < 30  # they take a minute
        assert gone(workers)

    def test_returns_though_pebble_does_not(self, monkeypatch) -> None:
        monkeypatch.setattr(Processes, "CLOSE_SECONDS", 0.2)
        made = Processes(2)
        join = made._pool.join
        monkeypatch.setattr(made._pool, "join", lambda: time.sleep(1))
        workers = workers_of(os.getpid())
        made.close()
        assert gone(workers)
        join()


class TestWorkers:
    def test_ignore_signals_that_are_for_the_parent(self, pool) -> None:
        made = pool(1)
        results_of(made, [chunk(0, 1)])  # so that it has started
        (worker,) = workers_of(os.getpid())
        worker.send_signal(signal.SIGINT)
        worker.send_signal(signal.SIGTERM)
        results_of(made, [chunk(0, 1)])
        assert worker.is_running()

    def test_end_with_their_parent(self, tmp_path: Path) -> None:
        """The parent alone is killed; its workers were in the middle of something."""
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        parent = context.Process(target=_parent, args=(ready,))
        parent.start()
        assert ready.wait(10)
        assert parent.pid is not None
        workers = workers_of(parent.pid)
        assert len(workers) == 2
        parent.kill()
        parent.join()
        _, alive = psutil.wait_procs(workers, timeout=2)
        assert all(worker.status() == psutil.STATUS_ZOMBIE for worker in alive)  # ended, not reaped

    def test_do_not_outlive_a_parent_that_is_gone_already(self) -> None:
        child = os.fork()
        if child == 0:
            executors.follow_parent(parent=1 if os.getppid() != 1 else 2)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def _parent(ready) -> None:
    pool = Processes(2, slow)
    for first in range(4):
        pool.submit(chunk(first, first + 1))
    pool.wait(0.5)
    ready.set()
    time.sleep(60)


class TestStarting:
    @pytest.fixture
    def few_files(self) -> Iterator[int]:
        """Open files are allowed for a few workers, and not for many."""
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        fit = 3
        limit = len(os.listdir("/dev/fd")) + executors.FILES_BESIDE + 2 * fit
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
        yield fit
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    def test_too_few_open_files(self, few_files: int) -> None:
        with pytest.raises(
            SolstatError, match=rf"ulimit -n \d+\) for {few_files + 1} .*--workers {few_files},"
        ):
            Processes(few_files + 1)
        pool = Processes(few_files)
        for first in range(2 * few_files):
            pool.submit(chunk(first, first + 1))
        solved: list[Solved | Died] = []
        while pool.in_flight:
            solved += pool.wait(1)
        pool.close()
        assert len(solved) == 2 * few_files

    @pytest.mark.parametrize(
        ("number", "message"),
        [
            (errno.ENOSPC, "2 workers: No space left on device; their semaphores .* /dev/shm"),
            (errno.EROFS, "2 workers: Read-only file system; their semaphores .* /dev/shm"),
            (errno.EAGAIN, "2 workers: Resource temporarily unavailable; use fewer --workers"),
        ],
    )
    def test_a_system_that_refuses(self, monkeypatch, number: int, message: str) -> None:
        def refuse(**_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(executors, "ProcessPool", refuse)
        with pytest.raises(SolstatError, match=message):
            Processes(2)
