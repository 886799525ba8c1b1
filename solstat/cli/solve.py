"""``solstat solve``: one deal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import one_deal
from solstat.cli.options import (
    Budget,
    deal_option,
    json_option,
    rules_argument,
    scheme_option,
    search_option,
    seed_argument,
)
from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.games import Rules

LINE_WIDTH = 78


@command(
    "solstat solve wasp 24",
    "solstat solve scorpion 24 --budget 250k --json",
    "solstat solve spiderette 24 -r finished_runs=optional",
    "solstat deal wasp 24 | solstat solve wasp --deal -",
)
@rules_argument
@seed_argument
@deal_option
@scheme_option()
@click.option(
    "--budget", type=Budget(), default=1_000_000, show_default="1M", help="Most positions."
)
@search_option()
@click.option("--lines/--no-lines", default=True, help="Show the moves of a win.")
@json_option
def solve(
    rules: Rules,
    seed: str | None,
    file: str | None,
    scheme: str,
    budget: int,
    search: str,
    lines: bool,
    as_json: bool,
) -> None:
    """Solve one deal: won, lost or unsettled.

    A win is shown with its line, which `perft --line` takes as it stands.
    """
    from solstat import solver

    deal = one_deal(scheme, seed, file)
    result = solver.solve(rules, deal.cards, budget, search, lines=lines)
    if as_json:
        write_json(
            {
                "game": rules.game,
                "rules": rules.id,
                "scheme": scheme if file is None else "file",
                "search": search,
                "budget": budget,
                "seed": deal.id,
                "outcome": result.outcome,
                "reason": "budget" if result.outcome == "unsettled" else None,
                "stage": result.stage,
                "positions": result.positions,
                "moves": result.moves,
                "line": result.line,
                "seconds": result.seconds,
            }
        )
        return
    moves = "" if result.moves is None else f", {counted(result.moves, 'move')}"
    write(f"{result.outcome}: {counted(result.positions, 'position')}{moves}")
    if result.line is not None:
        write(textwrap.fill(result.line, LINE_WIDTH))
