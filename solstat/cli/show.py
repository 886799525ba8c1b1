"""``solstat show``: a page that steps through a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import one_deal, runs_at
from solstat.cli.options import (
    Budget,
    deal_option,
    json_option,
    rules_argument,
    scheme_option,
    seed_argument,
)
from solstat.cli.output import check_no_run, in_place_of, needing, talk, write_json
from solstat.cli.report import PAGES
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.games import Rules

PAGE = "show.html"
SCHEME = "solstat"
BUDGET = 1_000_000


@command(
    "solstat show wasp 24 -o wasp-24.html",
    "solstat show will-o-the-wisp 24 -r finished_runs=return -o wisp.html",
    "solstat show scorpion 24 --line deal --json",
    "solstat show wasp 1000 --run results/wasp-100",
    "solstat deal wasp 24 | solstat show wasp --deal -",
)
@rules_argument
@seed_argument
@deal_option
@scheme_option(default=None)
@click.option(
    "--run",
    "run",
    metavar="RUN",
    type=click.Path(),
    help="Show what a run holds of the deal, SEED is its seed or id there.",
)
@click.option("--line", metavar="LINE", help="The moves to show, such as `7H>3 deal`.")
@click.option(
    "--budget", type=Budget(), help="Most positions of a search for a line.  [default: 1M]"
)
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(), help=f"The page.  [default: {PAGE}]"
)
@json_option
def show(
    rules: Rules,
    seed: str | None,
    file: str | None,
    scheme: str | None,
    run: str | None,
    line: str | None,
    budget: int | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Write a page that steps through a line of one deal.

    It is one HTML file that needs no other: the table after each move, with buttons, keys and a
    slider. Without a line of a run or one that is given, the deal is solved; if it is lost or
    unsettled, the page shows the deal and says so.

    With --json the steps are written as JSON, and a page only if -o names one.
    """
    from solstat.report import lines

    if [run, line, budget].count(None) < 2:
        raise UsageError("a line comes from one of --run RUN, --line LINE and --budget: give one")
    path = None if as_json and out is None else _page(out or PAGE)
    if path is not None:
        with needing("report"):
            from solstat.report.show import page
    if run is not None:
        if seed is None or file is not None:
            raise UsageError("--run RUN takes SEED, the seed of the deal or its id there")
        told = lines.stored(runs_at([run]), rules, seed, scheme)
    else:
        deal = one_deal(scheme or SCHEME, seed, file)
        made_by = scheme or SCHEME if file is None else None
        if line is not None:
            told = lines.given(rules, deal, made_by, line)
        else:
            told = lines.solved(rules, deal, made_by, budget or BUDGET)
    if path is not None:
        text = page(told)
        with in_place_of(path) as written:
            written.write(text.encode())
        talk(f"{told.verdict} The page is in {path}")
    if as_json:
        write_json(lines.as_json(told))


def _page(out: str) -> Path:
    """The file that is to be written, if it may be one."""
    path = Path(out)
    if path.suffix.lower() not in PAGES or path.is_dir():
        raise UsageError(f"-o {out}: name a file that ends in .html or .htm")
    check_no_run(out, path.parent)
    return path
