"""What commands print: data on stdout, talk on stderr."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def write_columns(rows: Sequence[Sequence[object]]) -> None:
    """Write rows of text in columns: the first to the left, the others to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        click.echo("  ".join(cells).rstrip())
