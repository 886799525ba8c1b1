"""What is installed, what is pinned, and what is imported when."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import solstat
from solstat.cli.app import COMMANDS

ROOT = Path(__file__).parent.parent
HEAVY = {
    "duckdb",
    "importlib.metadata",
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "pebble",
    "pyarrow",
    "scipy",
    "tqdm",
}


def imported(*arguments: str, cwd: Path) -> set[str]:
    """The modules that an interpreter imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(tmp_path, arguments):
    modules = imported("-m", "solstat", *arguments, cwd=tmp_path)
    assert "solstat.cli.app" in modules
    assert not modules & (HEAVY | {"solstat.games", "solstat.solver", "solstat._kernel"})


def test_workers_are_forked_before_arrow_and_pandas_are_imported(tmp_path):
    modules = imported("-c", "import solstat.cli.run, solstat.survey.run", cwd=tmp_path)
    assert "solstat.survey.run" in modules
    assert not modules & {"pandas", "pyarrow", "scipy"}


def test_version_is_the_installed_one():
    assert metadata.version("solstat") == solstat.__version__


def test_sources_of_the_kernel_are_not_installed():
    files = metadata.files("solstat")
    assert files
    suffixes = {file.suffix for file in files}
    assert not suffixes & {".cpp", ".hpp", ".h"}


def test_every_requirement_is_pinned():
    done = subprocess.run(
        [sys.executable, ROOT / "tools/requirements.py"], capture_output=True, text=True, check=True
    )
    wanted = {normalized(line) for line in done.stdout.splitlines()}
    pinned = {
        normalized(line)
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    assert wanted
    assert wanted <= pinned


def normalized(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[._-]+", "-", name[0]).lower()


def test_without_its_kernel_solstat_says_what_to_do(tmp_path):
    script = (
        "import sys; sys.modules['solstat._kernel'] = None\n"
        "sys.argv = ['solstat', 'deal', 'wasp', '1']\n"
        "from solstat.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "install" in done.stderr
