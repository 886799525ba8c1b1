"""What only a process of its own shows: pipes that close, signals, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def start(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "solstat", *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose rows are more than a pipe holds."""
    folder = tmp_path_factory.mktemp("run")
    made = start(
        *("run", "-g", "wasp", "--deals", "0:600", "--budget", "1k", "--workers", 1, "-o", "a"),
        cwd=folder,
    )
    made.communicate()
    assert made.returncode == 0
    return folder


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_reader_that_has_enough_ends_export_quietly(run, form):
    with start("export", "a", "--format", form, cwd=run) as process:
        assert process.stdout
        assert process.stderr
        assert "wasp" in process.stdout.readline() + process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(30) == 0


def test_a_reader_that_is_gone_before_a_word_is_said(tmp_path):
    with start("games", cwd=tmp_path) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(30) == 0


@pytest.mark.parametrize("closed", ["1>&-", "2>&-"])
def test_streams_that_are_closed(tmp_path, closed):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m solstat games {closed}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("wasp" in done.stdout) == (closed == "2>&-")


@pytest.mark.parametrize(
    "words", [["games"], ["export", "a", "--format", "csv"], ["export", "a", "--format", "jsonl"]]
)
def test_a_full_disk_is_one_line(run, words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "solstat", *words],
            cwd=run,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")


def test_an_interrupted_run_says_how_to_go_on(tmp_path):
    words = ["run", "-g", "wasp", "--deals", "0:2000000", "--budget", "5k", "-o", "a"]
    process = start(*words, cwd=tmp_path)
    wait_for(lambda: list(tmp_path.glob("a/*.parquet")))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[-1].endswith(f"solstat {' '.join(words)}")
    assert "Traceback" not in said


INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
from solstat.cli import main
main()
"""


@pytest.mark.parametrize("module", ["click", "solstat.cli.app", "solstat.survey.run", "numpy"])
def test_an_interrupt_while_modules_are_imported(tmp_path, module):
    words = ["run", "-g", "wasp", "--deals", "0:20", "--budget", "1k", "-o", "a"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, module, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (130, -signal.SIGINT)


def test_other_commands_stop_at_once_when_interrupted(tmp_path):
    process = start(
        *("perft", "wasp", "--deals", "0:1000000", "--depth", 3, "--engine", "python"),
        cwd=tmp_path,
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=10)
    assert (process.returncode, printed, said) == (130, "", "Interrupted\n")


def test_the_command_and_the_module_are_the_same(tmp_path):
    command = Path(sys.executable).with_name("solstat")
    by_command = subprocess.run([command, "games"], cwd=tmp_path, capture_output=True, check=True)
    by_module = subprocess.run(
        [sys.executable, "-m", "solstat", "games"], cwd=tmp_path, capture_output=True, check=True
    )
    assert by_command.stdout == by_module.stdout


def test_usage_errors_leave_with_2(tmp_path):
    process = start("games", "--jsno", cwd=tmp_path)
    _, said = process.communicate()
    assert process.returncode == 2
    assert said.startswith("Error: ")
    assert os.listdir(tmp_path) == []
