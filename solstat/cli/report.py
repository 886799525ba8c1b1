"""``solstat report``: a page to publish."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import click

from solstat.cli.claims import CLAIMS
from solstat.cli.command import command
from solstat.cli.inputs import runs_at
from solstat.cli.options import runs_argument
from solstat.cli.output import check_no_run, in_place_of, needing, talk
from solstat.errors import SolstatError, UsageError

if TYPE_CHECKING:
    from solstat.stats.claims import Claim
    from solstat.survey.reader import Run

NAME = "report"
PAGES = (".html", ".htm")
MOST_SHOWN = 100


@command(
    "solstat report runs/wasp",
    "solstat report runs/wasp runs/three -o wasp.html",
    "solstat report results/wasp-100 --show 3 -o hundred.html",
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
@click.option(
    "--show",
    "shown",
    type=click.IntRange(0, MOST_SHOWN),
    default=0,
    metavar="N",
    help="Write pages on the first N won deals of each run too, as `solstat show` does, into a "
    "folder beside, and link to them.",
)
def report(paths: tuple[str, ...], out: str, place: str | None, shown: int) -> None:
    """Write a page on runs: the answer, and what it rests on.

    For each run: what was asked, the answer in a sentence ("a floor" whenever a deal is open),
    outcomes with intervals, the budget curve, published shares beside ours, what deals cost, the
    deals that are open, where the rows come from and how to redo them.

    It is one HTML file that needs no other, and the same as Markdown, in which tables stand for the
    figures. With --show, pages that step through lines lie in a folder beside.
    """
    with needing("report"):
        from solstat.report.page import Link, html, markdown
    from solstat.report.account import account

    files = _files(out)
    if place is None and Path(CLAIMS).is_dir():
        place = CLAIMS
    claims = _claims(place)
    runs = runs_at(paths)
    accounts = [account(run) for run in runs]
    folder = files[0].with_name(f"{files[0].stem}-deals")
    pages = [_pages(run, f"run{number}", shown) for number, run in enumerate(runs, 1)]
    links = [[Link(page.title, _href(folder, page)) for page in each] for each in pages]
    texts = (html(accounts, claims, links), markdown(accounts, claims, links))
    _make(files[0].parent)
    for page in chain.from_iterable(pages):
        _make(folder)
        with in_place_of(folder / page.file) as file:
            file.write(page.text.encode())
    for path, text in zip(files, texts, strict=True):
        with in_place_of(path) as file:
            file.write(text.encode())
    talk(f"The report is in {files[0]}, as Markdown in {files[1]}")
    if place is None:
        talk(f"Nothing published stands in it, there is no {CLAIMS} here: --claims DIR says where")


class _Page(NamedTuple):
    """A page on a deal."""

    file: str
    title: str
    text: str


def _pages(run: Run, anchor: str, count: int) -> list[_Page]:
    """Pages on the first won deals of a run. They are named by index: ids may be no names."""
    from solstat.report.lines import first_won
    from solstat.report.show import page

    return [
        _Page(f"{anchor}-{index}.html", f"Deal {told.deal.id}: {told.verdict}", page(told))
        for index, told in first_won(run, count)
    ]


def _href(folder: Path, page: _Page) -> str:
    """Where a page is, from the report beside its folder."""
    return quote(f"{folder.name}/{page.file}")


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


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SolstatError(f"cannot make {directory}: {error.strerror}") from None
