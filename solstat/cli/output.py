"""What commands print: data on stdout, talk on stderr."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from solstat.errors import SolstatError, UsageError


def talk(message: str) -> None:
    """Say something to the person at the terminal; it is no data."""
    click.echo(message, err=True)


def write(text: str) -> None:
    """Write a piece of data and a newline."""
    click.echo(text)


def write_json(value: Any) -> None:
    """Write one JSON value: an object on a line, a list with a line for each item."""
    if isinstance(value, list) and value:
        value = list(value)
        lines = ",\n ".join(json.dumps(item) for item in value)
        click.echo(f"[{lines}]")
    else:
        click.echo(json.dumps(value))


def check_file(out: str) -> None:
    """Refuse, before any work is done for it, a file that has no place (UsageError)."""
    path = Path(out)
    if path.is_dir():
        raise UsageError(f"-o {out}: a directory; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"-o {out}: there is no directory {path.parent}")
    check_no_run(out, path.resolve().parent)


def check_no_run(out: str, directory: Path) -> None:
    """Refuse a place in the directory of a run (UsageError)."""
    from solstat.survey.record import FILE

    place = directory.resolve()
    if run := next((each for each in (place, *place.parents) if (each / FILE).exists()), None):
        raise UsageError(f"-o {out}: {run.name} is the directory of a run; name another place")


@contextmanager
def in_place_of(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole; nothing is left of one that is not."""
    if path.is_dir():
        raise UsageError(f"-o {path}: a directory; name a file")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe, which must stay one
            with path.open("wb") as file:
                yield file
            return
        target = path.resolve()
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("xb") as file:
                yield file
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SolstatError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Where packages of an extra are imported: one line that says how to get what is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "solstat":
            raise
        raise SolstatError(f"{package} is not installed: pip install 'solstat[{extra}]'") from None
