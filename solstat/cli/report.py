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
from solstat.errors import SolstatError, UsageError

if TYPE_CHECKING:
    from solstat.stats.claims import Claim

NAME = "report"
PAGES = (".html", ".htm")


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
    help="The page, a .html or .htm file, or its Markdown, a .md file; the other goes beside it. "
    "Or a directory for both.",
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

    files = _files(out)
    if place is None and Path(CLAIMS).is_dir():
        place = CLAIMS
    claims = _claims(place)
    accounts = [account(run) for run in runs_at(paths)]
    texts = (html(accounts, claims), markdown(accounts, claims))
    _make(files[0].parent)
    for path, text in zip(files, texts, strict=True):
        with in_place_of(path) as file:
            file.write(text.encode())
    talk(f"The report is in {files[0]}, as Markdown in {files[1]}")
    if place is None:
        talk(f"Nothing published stands in it, there is no {CLAIMS} here: --claims DIR says where")


def _claims(place: str | None) -> list[Claim]:
    from solstat.stats.claims import read_claims

    return [] if place is None else read_claims(place)


def _files(out: str) -> list[Path]:
    """The page and its Markdown, of which the directory need not be there yet."""
    path = Path(out)
    suffix = path.suffix.lower()
    if path.is_dir() or (not suffix and out != "-" and not path.exists()):
        files = [path / f"{NAME}.html", path / f"{NAME}.md"]
    elif suffix in PAGES:
        files = [path, path.with_suffix(".md")]
    elif suffix == ".md":
        files = [path.with_suffix(".html"), path]
    else:
        what = " it is there and no directory;" if path.exists() and not suffix else ""
        raise UsageError(
            f"-o {out}:{what} name a file that ends in .html, .htm or .md, or a directory"
        )
    check_no_run(out, files[0].parent)
    return files


def check_no_run(out: str, directory: Path) -> None:
    """Refuse a place in the directory of a run (UsageError)."""
    from solstat.survey.record import FILE

    place = directory.resolve()
    if run := next((each for each in (place, *place.parents) if (each / FILE).exists()), None):
        raise UsageError(f"-o {out}: {run.name} is the directory of a run; name another place")


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SolstatError(f"cannot make {directory}: {error.strerror}") from None
