"""The command line: one small module for each group of commands, loaded when its command runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    # Python has None for a stream that is closed (`1>&-`): what goes there goes nowhere.
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    with ended_by_interrupt():
        from solstat.cli.app import solstat

    try:
        solstat(prog_name="solstat")
    finally:
        # All is done, and the exit code stands, however late another Ctrl-C comes.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Where nothing need be tidied up, let Ctrl-C end the process at once.

    While modules are imported a KeyboardInterrupt is no help: Python may swallow it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # who started us wants it ignored
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_: int, __: FrameType | None) -> None:
    print("Interrupted", file=sys.stderr, flush=True)
    os._exit(130)
