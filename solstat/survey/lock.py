"""The lock of a run directory, for its one writer, and for those who ask if there is one."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import Any

from solstat.errors import SolstatError

LOCK = ".lock"
LOCK_SECONDS = 1.0
"""How long a lock may be held by someone who only looks whether a writer is at work."""


def locked(directory: Path) -> Any:
    """The lock file of a directory, locked until it is closed; a forked process has no part in it.

    It is a lock of the process: closing any other descriptor of the file would give it up.
    """
    file = open(directory / LOCK, "a")
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() < end:
                time.sleep(LOCK_SECONDS / 20)
                continue
            file.close()
            raise SolstatError(
                f"{directory}: another process is at work on this run; wait for it, or stop it"
            ) from None
        return file


def being_written(directory: Path) -> bool:
    """Whether a process is at work on a run (never call it in that process)."""
    try:
        file = open(directory / LOCK)
    except OSError:
        return False
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
