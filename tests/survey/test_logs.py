from __future__ import annotations

import io
import logging
import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from solstat.errors import SolstatError
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

    def test_what_a_bar_says_is_left_out_beside_it(self, capsys, monkeypatch) -> None:
        logs.to_stderr()
        logs.logger.info("1 of 9", extra=logs.HOW_FAR)
        monkeypatch.setattr(logs, "beside_bar", lambda: nullcontext())
        logs.logger.info("2 of 9", extra=logs.HOW_FAR)
        logs.logger.info("news")
        assert [line[9:] for line in capsys.readouterr().err.splitlines()] == ["1 of 9", "news"]

    def test_only_errors(self, capsys, monkeypatch) -> None:
        monkeypatch.setattr(logs, "quiet", False)
        logs.to_stderr(logging.ERROR)
        assert logs.quiet
        logs.logger.warning("no")
        logs.logger.error("yes")
        assert capsys.readouterr().err[9:] == "yes\n"

    def test_a_file_beside(self, capsys, tmp_path: Path, monkeypatch) -> None:
        """It is appended to, and has its own level, whatever stderr gets."""
        monkeypatch.setattr(logs, "quiet", False)
        for _ in range(2):
            logs.to_stderr(logging.ERROR)
            logs.to_file(tmp_path / "log", logging.DEBUG)
            logs.logger.debug("a %s", "\udcff")
            for handler in logs.logger.handlers:
                handler.close()
        assert capsys.readouterr().err == ""
        day = r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}"
        line = rf"{day} DEBUG {os.getpid()} a \\udcff\n"
        assert re.fullmatch(line * 2, (tmp_path / "log").read_text())

    @pytest.mark.parametrize("path", [".", "none/log", "a\0b"])
    def test_a_file_that_cannot_be_written(self, tmp_path: Path, monkeypatch, path: str) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SolstatError, match="cannot write --log-file "):
            logs.to_file(path)

    def test_a_disk_that_is_full_stops_nothing(self, capsys) -> None:
        logs.to_stderr()
        logs.to_file("/dev/full")
        logs.logger.info("x")
        logs.logger.handlers[-1].close()
        assert capsys.readouterr().err[9:] == "x\n"

    def test_without_stderr_nothing_is_written(self, monkeypatch) -> None:
        monkeypatch.setattr(sys, "stderr", None)
        logs.to_stderr()
        assert logs.logger.handlers == []
        logs.logger.info("x")


PER_WORKER = 3000


def test_thousands_of_records_arrive_once_each_in_every_place(
    stream: io.StringIO, tmp_path: Path
) -> None:
    """Two handlers, three workers, and a pool that is closed while records are on their way."""
    logs.to_file(tmp_path / "log", logging.DEBUG)

    def work() -> None:
        for number in range(PER_WORKER):
            logs.logger.debug("%d: %d", os.getpid(), number)

    began = time.monotonic()
    with logs.from_workers():
        workers = [multiprocessing.get_context("fork").Process(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    wanted = sorted(f"{one.pid}: {number}" for one in workers for number in range(PER_WORKER))
    assert sorted(line.split(" ", 1)[1] for line in stream.getvalue().splitlines()) == wanted
    lines = (tmp_path / "log").read_text().splitlines()
    assert sorted(line.split(" ", 4)[4] for line in lines) == wanted
    assert time.monotonic() - began < 60
    logs.logger.info("still heard")
    logs.logger.handlers[-1].close()
    assert (tmp_path / "log").read_text().endswith(" still heard\n")


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
