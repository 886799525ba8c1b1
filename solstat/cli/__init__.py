"""The command line: one small module for each group of commands, loaded when its command runs."""

from __future__ import annotations


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    from solstat.cli.app import solstat

    solstat(prog_name="solstat")
