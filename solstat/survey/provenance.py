"""What a stranger needs to redo a run: versions, commit, command, machine.

Never the name of a host or a user, nor an absolute path.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

PACKAGES = ("solstat", "numpy", "pyarrow")


def provenance(packages: Sequence[str] = ()) -> dict[str, Any]:
    """Versions, the commit solstat was installed from (None if unknown), and the machine.

    Parameters
    ----------
    packages : sequence of str
        What else has a version that matters: that by which the workers are run.
    """
    return {
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in (*PACKAGES, *packages)},
        },
        "commit": commit(),
        "machine": {
            "cpu": _cpu_model(),
            "cores": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "os": f"{platform.system()} {platform.release()}",
        },
    }


def command_text(words: Sequence[str]) -> str:
    """A command line, each absolute path in it cut down to its last name."""
    return shlex.join(map(_relative, words))


def _relative(word: str) -> str:
    option, equals, value = word.partition("=")
    if word.startswith("-") and equals:
        return f"{option}={_relative(value)}"
    return PurePath(word).name if word.startswith(("/", "~")) else word


def commit() -> str | None:
    """The commit solstat was installed from, with ``+`` if its files had changed since.

    pip notes where a package came from (PEP 610): a repository and its commit, or a folder, in
    which git is asked.
    """
    try:
        origin = json.loads(metadata.distribution("solstat").read_text("direct_url.json") or "{}")
        if "vcs_info" in origin:
            return str(origin["vcs_info"]["commit_id"])
        folder = Path(unquote(urlsplit(origin["url"]).path))
        if not (folder / ".git").exists():
            return None
        head = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", "solstat")
    except (OSError, KeyError, ValueError, subprocess.SubprocessError):
        return None
    return head + ("+" if changed else "")


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", folder, *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, None) or platform.machine()
