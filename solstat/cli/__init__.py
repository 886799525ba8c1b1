"""The command line: one small module for each group of commands, loaded when its command runs."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    from solstat.cli.app import solstat

    # Python has None for a stream that is closed (`1>&-`): what goes there goes nowhere.
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    solstat(prog_name="solstat")
