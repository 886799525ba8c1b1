"""``solstat report``: a page to publish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solstat.cli.claims import CLAIMS
from solstat.cli.command import command
from solstat.cli.inputs import runs_at
from solstat.cli.options import runs_argument
from solstat.cli.output import in_place_of, needing, talk
from solstat.errors import SolstatError

if TYPE_CHECKING:
    from solstat.stats.claims import Claim

NAME = "report"
SUFFIXES = (".html", ".md")


@command(
    "solstat report runs/wasp",
    "solstat report runs/wasp runs/three -o wasp.html",
)
@runs_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    default=f"{NAME}.html",
    show_default=True,
    help="The page, a .html file; the Markdown goes beside it. Or a directory for both.",
)
@click.option(
    "--claims",
    "place",
    metavar="DIR",
    type=click.Path(),
    help=f"Where published claims are.  [default: {CLAIMS}, if it is there]",
)
def report(paths: tuple[str, ...], out: str, place: str | None) -> None:
    """Write a page on runs: the answer, and what it rests on.

    For each run: what was asked, the answer in a sentence ("a floor" whenever a deal is open),
    outcomes with intervals, the budget curve, published shares beside ours, what deals cost, the
    deals that are open, where the rows come from and how to redo them.

    It is one HTML file that needs no other, and the same as Markdown, in which tables stand for the
    figures.
    """
    with needing("report"):
        from solstat.report.page import html, markdown
    from solstat.report.account import account

    claims = _claims(place)
    accounts = [account(run) for run in runs_at(paths)]
    texts = (html(accounts, claims), markdown(accounts, claims))
    files = _files(Path(out))
    for path, text in zip(files, texts, strict=True):
        with in_place_of(path) as file:
            file.write(text.encode())
    talk(f"The report is in {files[0]}, as Markdown in {files[1]}")


def _claims(place: str | None) -> list[Claim]:
    from solstat.stats.claims import read_claims

    if place is None and not Path(CLAIMS).is_dir():
        return []
    return read_claims(place or CLAIMS)


def _files(out: Path) -> list[Path]:
    """The page and its Markdown."""
    if out.suffix.lower() in SUFFIXES and not out.is_dir():
        return [out.with_suffix(suffix) for suffix in SUFFIXES]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SolstatError(f"cannot make {out}: {error.strerror}") from None
    return [out / f"{NAME}{suffix}" for suffix in SUFFIXES]
