"""What a machine may lack, told in one line each."""

from __future__ import annotations

import os
import shutil
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


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, object]:
    """A machine without browser and apt-get, where one is root; what is installed goes to bin/."""
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "chmod"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or "")
    script(tmp_path / "bin/id", "echo 0")
    return {"PATH": tmp_path / "bin", "VENV": tmp_path}


APT = """echo "$@" >>{log}
case "$*" in
*update*) : >{log}.updated ;;
*) [ -e {log}.updated ] || exit 100
   for name in chromium chromedriver; do echo >{bin}/$name; chmod +x {bin}/$name; done ;;
esac"""


def browser(machine: dict[str, object]) -> str:
    """Run the step where it must succeed; what it says."""
    done = subprocess.run(
        ["sh", "tools/setup.sh", "browser"],
        cwd=ROOT,
        env={name: str(value) for name, value in machine.items()},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stderr


def test_no_browser(machine, tmp_path):
    assert "apt install chromium chromium-driver" in setup("browser", **machine)
    script(tmp_path / "bin/apt-get", "exit 0")
    script(tmp_path / "bin/id", "echo 1000")  # who is not root installs nothing
    assert "no chromium and chromedriver" in setup("browser", **machine)


def test_a_browser_that_cannot_be_installed(machine, tmp_path):
    script(tmp_path / "bin/apt-get", "echo E: no such package; exit 100")
    assert "apt-get could not install chromium" in setup("browser", **machine)
    assert "no such package" in (tmp_path / "setup.log").read_text()
    script(tmp_path / "bin/apt-get", "exit 0")  # and installs none
    assert "apt-get could not install chromium" in setup("browser", **machine)


def test_a_browser_is_installed_once(machine, tmp_path):
    log = tmp_path / "asked"
    script(tmp_path / "bin/apt-get", APT.format(log=log, bin=tmp_path / "bin"))
    assert browser(machine) == "Installing chromium and chromedriver, for tests\n"
    asked = log.read_text().splitlines()
    assert [("update" in line, "chromium chromium-driver" in line) for line in asked] == [
        (False, True),
        (True, False),
        (False, True),
    ]
    assert browser(machine) == ""
    assert log.read_text().splitlines() == asked


def test_a_browser_by_another_name_will_do(machine, tmp_path):
    for name in ("google-chrome", "chromedriver"):
        script(tmp_path / "bin" / name, "")
    assert browser(machine) == ""
