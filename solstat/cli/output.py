"""What commands print: data on stdout, talk on stderr."""

from __future__ import annotations

import json
from typing import Any

import click


def talk(message: str) -> None:
    """Say something to the person at the terminal; it is no data."""
    click.echo(message, err=True)


def counted(number: int, one: str, more: str | None = None) -> str:
    """A number and what it counts: ``1 position``, ``1,200 positions``."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


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
