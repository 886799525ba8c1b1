from __future__ import annotations

import io
import logging
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from solstat.survey import logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What is logged meanwhile, without the time."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(process)d %(message)s"))
    before = logs.logger.handlers, logs.logger.level
    logs.logger.handlers = [handler]
    logs.logger.setLevel(logging.DEBUG)
    yield stream
    logs.logger.handlers, logs.logger.level = before


def test_records_of_workers_arrive_once_each_and_whole(stream: io.StringIO) -> None:
    def work() -> None:
        for number in range(50):
            logs.logger.info("line %d of %s", number, "x" * 200)

    with logs.from_workers():
        workers = [multiprocessing.get_context("fork").Process(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        logs.logger.info("from the parent")
        for worker in workers:
            worker.join()
    wanted = [f"{os.getpid()} from the parent"]
    for worker in workers:
        wanted += [f"{worker.pid} line {number} of {'x' * 200}" for number in range(50)]
    assert sorted(stream.getvalue().splitlines()) == sorted(wanted)


def test_handlers_are_as_before_when_it_is_over(stream: io.StringIO) -> None:
    before = list(logs.logger.handlers)
    threads = threading.active_count()
    with logs.from_workers():
        assert logs.logger.handlers != before
    assert logs.logger.handlers == before
    assert threading.active_count() == threads
    logs.logger.info("still heard")
    assert "still heard" in stream.getvalue()


def test_nothing_is_wrapped_where_processes_are_not_forked(stream, monkeypatch) -> None:
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda: "spawn")
    before = list(logs.logger.handlers)
    with logs.from_workers():
        assert logs.logger.handlers == before


class TestToStderr:
    @pytest.fixture(autouse=True)
    def restored(self, stream: io.StringIO) -> Iterator[None]:
        propagate = logs.logger.propagate
        yield
        logs.logger.propagate = propagate

    def test_writes_lines_with_the_time(self, capsys: pytest.CaptureFixture[str]) -> None:
        logs.to_stderr()
        logs.logger.info("on the way")
        logs.logger.debug("not told")
        time, text = capsys.readouterr().err.split(" ", 1)
        assert text == "on the way\n"
        assert len(time) == len("12:34:56")

    def test_makes_room_beside_a_bar(self, capsys, monkeypatch) -> None:
        logs.to_stderr()

        class Room:
            def __enter__(self) -> None:
                sys.stderr.write("[")

            def __exit__(self, *_: object) -> None:
                sys.stderr.write("]")

        monkeypatch.setattr(logs, "beside_bar", Room)
        logs.logger.info("x")
        assert capsys.readouterr().err.endswith(" x\n]")

    def test_a_terminal_that_is_gone_stops_nothing(self, capsys, monkeypatch) -> None:
        logs.to_stderr()

        def gone() -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(logs, "beside_bar", gone)
        monkeypatch.setattr(logging, "raiseExceptions", False)
        logs.logger.info("x")

    def test_without_stderr_nothing_is_written(self, monkeypatch) -> None:
        monkeypatch.setattr(sys, "stderr", None)
        logs.to_stderr()
        assert logs.logger.handlers == []
        logs.logger.info("x")


def test_a_fresh_interpreter_exits_though_a_worker_was_killed_with_records_waiting() -> None:
    program = """
import logging, multiprocessing, os, signal
multiprocessing.set_start_method("fork")
from solstat.survey import logs
logs.to_stderr()
def work():
    for k in range(1000):
        logs.logger.info("x" * 1000)
        if k == 900:
            os.kill(os.getpid(), signal.SIGKILL)
with logs.from_workers():
    worker = multiprocessing.Process(target=work)
    worker.start()
    worker.join()
"""
    subprocess.run(
        [sys.executable, "-c", program], cwd="/", check=True, timeout=30, capture_output=True
    )
