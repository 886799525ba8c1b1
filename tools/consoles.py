"""Run the blocks of Markdown files and compare what they print with what the files show.

    tools/consoles.py [--write] FILE...

A file's blocks share one fresh folder, and run in order:

``console``        each line after ``$`` is a shell command, the lines below it are what it prints
                   on stdout and stderr; ``...`` in them stands for any text
``python``         a script that must succeed
``toml NAME``      the content of a file of that name

With --write, outputs that differ are written anew, but for lines with ``...`` that still fit.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Difference:
    """A block that does not do what the file shows; `start` and `end` say where the output is."""

    start: int
    end: int
    command: str
    shown: str
    printed: str
    failed: bool = False

    def __str__(self) -> str:
        what = "failed" if self.failed else "printed something else"
        return f"{what}: {self.command}\n--- shown\n{self.shown}+++ printed\n{self.printed}"


def differences(text: str, folder: Path) -> Iterator[Difference]:
    """Run a file's blocks in a folder."""
    for block in _BLOCK.finditer(text):
        kind, name, content = block.groups()
        if kind == "toml" and name:
            (folder / name).write_text(content)
        elif kind == "python":
            done = _run([sys.executable, "-"], folder, content)
            if done.returncode:
                yield Difference(*block.span(3), "python", "", done.stdout, failed=True)
        elif kind == "console":
            for command in _COMMAND.finditer(content):
                done = _run(["bash", "-c", command[1]], folder)
                if not _matches(command[2], done.stdout):
                    at = block.start(3)
                    start, end = at + command.start(2), at + command.end(2)
                    yield Difference(start, end, command[1], command[2], done.stdout)


def _run(command: list[str], folder: Path, script: str = "") -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "80", "TERM": "dumb"},
        input=script,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def _matches(shown: str, printed: str) -> bool:
    return (
        re.fullmatch(".*".join(map(re.escape, shown.split("..."))), printed, re.DOTALL) is not None
    )


def _with_dots(printed: str, shown: str) -> str:
    """What was printed, with the lines of `shown` that stand for any text where they fit."""
    lines = printed.splitlines(keepends=True)
    at = 0
    for dotted in (line for line in shown.splitlines(keepends=True) if "..." in line):
        for place in range(at, len(lines)):
            if _matches(dotted, lines[place]):
                lines[place] = dotted
                at = place + 1
                break
    return "".join(lines)


def main(arguments: list[str]) -> int:
    """Check each file, or write it; the number of differences that remain."""
    write = "--write" in arguments
    found = 0
    for name in (argument for argument in arguments if argument != "--write"):
        text = Path(name).read_text()
        with tempfile.TemporaryDirectory() as folder:
            different = list(differences(text, Path(folder)))
        for one in reversed(different):
            if write and not one.failed:
                text = text[: one.start] + _with_dots(one.printed, one.shown) + text[one.end :]
            else:
                found += 1
                print(f"{name}: {one}")
        if write:
            Path(name).write_text(text)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
