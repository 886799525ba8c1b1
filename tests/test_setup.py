"""What a machine may lack, told in one line each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def setup(*arguments: str, **environment: object) -> str:
    """Run the set-up script where it must fail; what it says in the end."""
    done = subprocess.run(
        ["sh", "tools/setup.sh", *arguments],
        cwd=ROOT,
        env=os.environ | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    *talk, last = done.stderr.splitlines()
    assert last.startswith("Error: ")
    assert not any("rror" in line for line in talk)
    return last


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_no_python(tmp_path):
    said = setup("venv", PYTHON="python-that-is-not", VENV=tmp_path / "venv")
    assert "no python-that-is-not" in said
    assert "3.11 or newer" in said


def test_a_python_that_does_not_run(tmp_path):
    broken = script(tmp_path / "python3", "exit 127")
    assert "does not run" in setup("venv", PYTHON=broken, VENV=tmp_path / "venv")


def test_an_old_python(tmp_path):
    old = script(tmp_path / "python3", 'case "$2" in *print*) echo 3.9.18;; *) exit 1;; esac')
    said = setup("venv", PYTHON=old, VENV=tmp_path / "venv")
    assert "Python 3.9.18" in said
    assert "3.11 or newer" in said
    assert "make PYTHON=" in said


@pytest.mark.parametrize(
    ("lacking", "package"), [("venv", "python3-venv"), ("Python.h", "python3-dev")]
)
def test_a_python_with_a_part_missing(tmp_path, lacking, package):
    part = script(
        tmp_path / "python3",
        f'case "$2" in *{lacking}*) exit 1;; *) exec {sys.executable} "$@";; esac',
    )
    assert package in setup("venv", PYTHON=part, VENV=tmp_path / "venv")


@pytest.mark.parametrize("compiler", ["false", "compiler-that-is-not"])
def test_no_compiler(tmp_path, compiler):
    said = setup("venv", PYTHON=sys.executable, CXX=compiler, VENV=tmp_path / "venv")
    assert "no C++20 compiler" in said
    assert compiler in said


def test_no_network(tmp_path):
    # Nothing listens at this address, and what is installed or cached does not count.
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "python", f'exec {sys.executable} "$@"')
    said = setup(
        *("requirements", "run"),
        VENV=tmp_path,
        PIP_CONFIG_FILE=os.devnull,
        PIP_FIND_LINKS="",
        PIP_IGNORE_INSTALLED=1,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_NO_CACHE_DIR=1,
        PIP_RETRIES=1,
    )
    assert "is there a network?" in said
    assert "setup.log" in said
