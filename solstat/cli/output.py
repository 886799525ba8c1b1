"""What commands print: data on stdout, talk on stderr."""

from __future__ import annotations

import json
from typing import Any

import click


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
