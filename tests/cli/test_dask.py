"""`run --executor dask` on this machine, in a process of its own: it starts a cluster."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from solstat.survey.reader import open_run
from solstat.survey.status import status

RUN = [sys.executable, "-m", "solstat", "run", "--search", "plain"]
SLOW = ["-g", "will-o-the-wisp", "--deals", "0:1000", "--budget", "16M"]
ON_DASK = ["--executor", "dask", "--out", "run"]
DASK = [*ON_DASK, "--workers", "2"]


def until(what: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*RUN, *words, *DASK],
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def parts(folder: Path) -> list[Path]:
    return list((folder / "run").glob("part-*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_interrupted_and_finished(tmp_path: Path, number: signal.Signals) -> None:
    """The whole group gets the signal: workers finish what they are at all the same."""
    survey = ["-g", "wasp", "--deals", "0:3000", "--budget", "30k"]
    with start(tmp_path, *survey) as it:
        until(lambda: len(parts(tmp_path)) > 3)
        os.killpg(it.pid, number)
        _, told = it.communicate(timeout=30)
    assert it.returncode == 130
    last = told.splitlines()[-1]
    assert last.startswith("interrupted, ")
    resume = shlex.split(last.partition("to go on: ")[2])
    assert resume[1:] == [*RUN[3:], *survey, *DASK]
    assert "Traceback" not in told
    assert "distributed" not in told
    assert 0 < status(open_run(tmp_path / "run")).done < 3000
    with start(tmp_path, *survey) as it:
        _, told = it.communicate(timeout=60)
    assert it.returncode == 0
    found = status(open_run(tmp_path / "run"))
    assert (found.state, found.done, found.error) == ("finished", 3000, 0)


@pytest.mark.parametrize("how", ["interrupted twice", "killed"])
def test_stopped_at_once(tmp_path: Path, how: str) -> None:
    """Deals that take minutes are given up, and no worker stays."""
    with start(tmp_path, *SLOW) as it:
        until(lambda: (tmp_path / "run" / "run.json").exists())
        time.sleep(0.5)
        workers = psutil.Process(it.pid).children(recursive=True)
        assert len(workers) > 2
        if how == "killed":
            it.kill()
        else:
            it.send_signal(signal.SIGINT)
            time.sleep(0.5)
            it.send_signal(signal.SIGINT)
        _, told = it.communicate(timeout=60)
    assert it.returncode == (-signal.SIGKILL if how == "killed" else 130), told
    assert not psutil.wait_procs(workers, timeout=30)[1]


def test_too_few_files_are_allowed(tmp_path: Path) -> None:
    many = [*RUN, *SLOW, *ON_DASK, "--workers", "9"]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 60; exec "$@"', "sh", *many],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "Error: too few open files are allowed (ulimit -n 60) for 9 workers: "
    )
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run" / "run.json").exists()


def test_as_many_workers_as_files_are_said_to_be_enough_for(tmp_path: Path) -> None:
    survey = ["-g", "wasp", "--deals", "0:9", "--budget", "9k"]
    workers = "90"
    for code in (1, 0):
        done = subprocess.run(
            ["sh", "-c", 'ulimit -n 90; exec "$@"', "sh", *RUN, *survey, *ON_DASK]
            + ["--workers", workers],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        workers = done.stderr.partition("use --workers ")[2].partition(",")[0]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("scheduler", "code", "says"),
    [
        ("nowhere", 2, "there is no such file"),
        ("scheduler.json", 2, "there is no such file"),
        ("pigeon://here:1", 2, "unknown address scheme"),
        ("file.json", 2, "'address'"),
        ("tcp://127.0.0.1:1", 1, "no Dask scheduler answers at tcp://127.0.0.1:1"),
    ],
)
def test_bad_address_is_one_line(tmp_path: Path, scheduler: str, code: int, says: str) -> None:
    """Nor does anything of Dask come after it when the process ends, or keep it from ending."""
    (tmp_path / "file.json").write_text("{}")
    survey = ["-g", "wasp", "--deals", "0:9", "--budget", "9k", "--out", "run"]
    done = subprocess.run(
        [*RUN, *survey, "--scheduler", scheduler],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    assert says in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_refusals(cli) -> None:
    survey = ("run", "-g", "wasp", "--deals", "0:9", "--budget", "9k", "-o", "run")
    scheduler = ("--scheduler", "tcp://127.0.0.1:1")
    told = cli(*survey, *scheduler, "--workers", 2, code=2).stderr
    assert told == "Error: --workers with --scheduler: a cluster has the workers it has\n"
    told = cli(*survey, *scheduler, "--memory", "8G", code=2).stderr
    assert told == "Error: --memory with --scheduler: a cluster has the memory it has\n"
    told = cli(*survey, *scheduler, "--executor", "processes", code=2).stderr
    assert told == "Error: --scheduler is for --executor dask, not for processes\n"
