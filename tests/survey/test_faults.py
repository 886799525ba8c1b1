"""Faults, by doing them: each run here is a process of its own."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from solstat import _kernel
from solstat.deals import SeedRange
from solstat.games import rules
from solstat.solver import Batch
from solstat.survey.executors import Processes, Pulse, Work, solve_chunk
from solstat.survey.plan import Chunk, Plan
from solstat.survey.reader import open_run
from solstat.survey.run import run_survey
from solstat.survey.status import status

# The plain search takes its time, and will not get much faster.
DEALS = 3000
SEARCH = ["-g", "wasp", "--search", "plain", "--budget", "30k", "--lines"]
SURVEY = [*SEARCH, "--deals", f"0:{DEALS}"]
SLOW = ["-g", "will-o-the-wisp", "--deals", "0:1000", "--budget", "16M", "--search", "plain"]
PARTS = "part-*.parquet"


def command(out: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "solstat", "run", *words, "--out", str(out)]


@contextmanager
def started(out: Path, *words: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A run in a process group of its own."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "text": True} | more
    # Whoever started the tests may want signals ignored; that would be inherited.
    heard = ["env", "--default-signal=HUP,INT,TERM"]
    with subprocess.Popen(
        [*heard, *command(out, *words)], cwd=out.parent, start_new_session=True, **options
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def until(what: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def parts(out: Path) -> set[Path]:
    return set(out.glob(PARTS))


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    """The survey as it is when nothing happens to it."""
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    plan = Plan(rules("wasp"), SeedRange(0, DEALS), 30_000, "solstat", "plain", lines=True)
    run_survey([plan], out, workers=2)
    return out


@pytest.fixture
def finishes_as_undisturbed(undisturbed: Path, content) -> Callable[[Path], None]:
    """The same command finishes a run, and its rows are those of one that nothing happened to.

    Other workers and another hash seed than before make no difference either.
    """

    def check(out: Path) -> None:
        assert 0 < status(open_run(out)).done < DEALS, "the fault came too late"
        subprocess.run(
            command(out, *SURVEY, "--workers", "1"),
            cwd=out.parent,
            env=os.environ | {"PYTHONHASHSEED": "7"},
            check=True,
            capture_output=True,
        )
        assert content(out) == content(undisturbed)
        assert len(parts(out)) == 1
        assert not list(out.glob(".*.partial"))

    return check


@pytest.mark.parametrize("whole_group", [False, True])
def test_parent_killed(tmp_path: Path, finishes_as_undisturbed, whole_group: bool) -> None:
    out = tmp_path / "run"
    for _ in range(2):
        had = parts(out)
        with started(
            out, *SURVEY, "--workers", "2", env=os.environ | {"PYTHONHASHSEED": "1"}
        ) as it:
            until(lambda had=had: len(parts(out) - had) > 3)
            time.sleep(random.random() / 5)
            workers = workers_of(it)
            assert len(workers) == 2
            if whole_group:
                os.killpg(it.pid, signal.SIGKILL)
            else:
                it.kill()
            it.wait()
            _, alive = psutil.wait_procs(workers, timeout=30)
            assert not alive
        assert status(open_run(out)).state == "killed"
    finishes_as_undisturbed(out)


def test_workers_killed(tmp_path: Path, undisturbed: Path, content) -> None:
    """Nothing is lost, nothing is an error: what killed them has passed."""
    out = tmp_path / "run"
    with started(out, *SURVEY, "--workers", "2") as it:
        for _ in range(3):
            had = parts(out)
            until(lambda had=had: parts(out) - had or it.poll() is not None)
            for worker in workers_of(it)[:1] if it.poll() is None else ():
                worker.kill()
        assert it.wait(60) == 0
    assert content(out) == content(undisturbed)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_asked_to_stop(tmp_path: Path, finishes_as_undisturbed, number: signal.Signals) -> None:
    """The whole group gets the signal, as from a terminal or a scheduler."""
    out = tmp_path / "run"
    with started(out, *SURVEY, "--workers", "2", stderr=subprocess.PIPE) as it:
        until(lambda: len(parts(out)) > 3)
        os.killpg(it.pid, number)
        _, told = it.communicate(timeout=30)
    assert it.returncode == 130
    last = told.splitlines()[-1]
    assert last.startswith("interrupted, ")
    resume = shlex.split(last.partition("to go on: ")[2])
    assert resume[1:] == command(out, *SURVEY, "--workers", "2")[3:]
    assert "Traceback" not in told
    assert json.loads((out / "run.json").read_text())["state"] == "interrupted"
    finishes_as_undisturbed(out)


def test_asked_twice_to_stop(tmp_path: Path) -> None:
    """Deals that take minutes are given up at once."""
    out = tmp_path / "run"
    with started(out, *SLOW, "--workers", "2", stderr=subprocess.PIPE) as it:
        until(lambda: (out / "run.json").exists() and len(workers_of(it)) == 2)
        time.sleep(0.5)
        workers = workers_of(it)
        it.send_signal(signal.SIGINT)
        while "interrupt once more to stop at once" not in it.stderr.readline():
            assert it.poll() is None
        it.send_signal(signal.SIGINT)
        it.communicate(timeout=30)
    assert it.returncode == 130
    assert not psutil.wait_procs(workers, timeout=30)[1]
    found = status(open_run(out))
    assert found.state == "interrupted"
    assert found.todo > 0


def test_nobody_listens(tmp_path: Path, undisturbed: Path, content) -> None:
    """stdout and stderr are pipes whose readers are gone."""
    out = tmp_path / "run"
    read, write = os.pipe()
    os.close(read)
    with started(out, *SEARCH, "--deals", "0:300", stdout=write, stderr=write) as it:
        os.close(write)
        it.wait(30)
    assert content(out) == content(undisturbed)[:300]


def test_two_at_one_directory(tmp_path: Path, finishes_as_undisturbed) -> None:
    out = tmp_path / "run"
    with started(out, *SURVEY, "--workers", "1") as it:
        until(lambda: parts(out))
        assert status(open_run(out)).state == "running"
        second = subprocess.run(
            command(out, *SURVEY), cwd=tmp_path, capture_output=True, text=True, timeout=30
        )
        assert second.returncode == 1
        assert second.stderr == (
            f"Error: {out}: another process is at work on this run; wait for it, or stop it\n"
        )
        assert it.poll() is None
        it.kill()
    finishes_as_undisturbed(out)


def in_own_mounts(script: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A shell script that may mount what only it sees, with words as its parameters."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
    shell = ["sh", "-c", f"set -u\n{script}", "sh", *map(str, words)]
    return subprocess.run([*unshare, *shell], cwd="/", capture_output=True, text=True, timeout=120)


def test_disk_full(tmp_path: Path, undisturbed: Path, content) -> None:
    """One line says so; with more room the same command does the rest."""
    place, kept = tmp_path / "disk", tmp_path / "kept"
    place.mkdir()
    survey = shlex.join(command(place / "run", *SURVEY, "--workers", "2"))
    done = in_own_mounts(
        f"""
        mount -t tmpfs -o size=160k tmpfs "$1" || exit 99
        {survey}
        echo "code $?"
        mount -o remount,size=64m "$1"
        {shlex.join([sys.executable, "-m", "solstat"])} status "$1/run" --json
        {survey} >"$1/figures" && cp -r "$1/run" "$2"
        """,
        place,
        kept,
    )
    assert done.returncode == 0, done.stderr
    code, _, found = done.stdout.partition("\n")
    assert code == "code 1"
    assert 0 < json.loads(found)[0]["done"] < DEALS
    (error,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert re.fullmatch(rf"Error: cannot write {place}/run/.*: No space left on device", error)
    assert "Traceback" not in done.stderr
    assert content(kept) == content(undisturbed)


def test_read_only(tmp_path: Path, undisturbed: Path) -> None:
    """What is there can be read; a run says that it cannot write, and changes nothing."""
    disk = tmp_path / "disk"
    shutil.copytree(undisturbed, disk / "run")
    solstat = shlex.join([sys.executable, "-m", "solstat"])
    done = in_own_mounts(
        f"""
        mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
        {solstat} stats "$1/run" --json && {solstat} status "$1/run" --json || exit 98
        {shlex.join(command(disk / "run", *SEARCH, "--deals", f"0:{DEALS + 9}"))}
        echo "code $?"
        {shlex.join(command(disk / "new", *SURVEY))}
        echo "code $?"
        """,
        disk,
    )
    assert done.returncode == 0, done.stderr
    figures, found, *codes = done.stdout.splitlines()
    assert json.loads(figures)[0]["n"] == json.loads(found)[0]["done"] == DEALS
    assert json.loads(found)[0]["state"] == "finished"
    assert codes == ["code 1", "code 1"]
    assert done.stderr.splitlines() == [
        f"Error: cannot write to {disk}/{name}: Read-only file system" for name in ("run", "new")
    ]


def crashes_over_7(chunk: Chunk, pulse: Pulse) -> Batch:
    if chunk.range.first <= 7 < chunk.range.last:
        faulthandler.disable()
        _kernel.crash()
    return solve_chunk(chunk, pulse)


def hangs_over_7(chunk: Chunk, pulse: Pulse) -> Batch:
    if chunk.range.first <= 7 < chunk.range.last:
        _kernel.hang()
    return solve_chunk(chunk, pulse)


@pytest.mark.parametrize(
    ("work", "reason"), [(crashes_over_7, "crash:SIGSEGV"), (hangs_over_7, "timeout")]
)
def test_a_deal_over_which_the_kernel_fails(
    tmp_path: Path, content, plan: Plan, work: Work, reason: str
) -> None:
    """It is an error after three deaths, never lost; all other deals are as ever."""
    run_survey([plan], tmp_path / "well", workers=1)
    executor = partial(Processes, work=work, hang_seconds=0.5)
    run_survey([plan], tmp_path / "ill", workers=2, executor=executor)
    well, ill = content(tmp_path / "well"), content(tmp_path / "ill")
    assert [row["index"] for row in ill] == [row["index"] for row in well]
    assert (ill[7]["outcome"], ill[7]["reason"]) == ("error", reason)
    assert [row for row in ill if row["index"] != 7] == [row for row in well if row["index"] != 7]
