"""``solstat perft``: counts of move sequences, to compare engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import many_deals
from solstat.cli.options import (
    deals_file_option,
    deals_option,
    json_option,
    rules_argument,
    scheme_option,
    seed_argument,
)
from solstat.cli.output import write, write_json

if TYPE_CHECKING:
    from solstat.games import Rules


@command(
    "solstat perft wasp 24 --depth 2",
    "solstat perft wasp --deals 0:3 --depth 2 --engine python --json",
    "solstat perft scorpion 24 --line deal --depth 2",
)
@rules_argument
@seed_argument
@deals_option
@deals_file_option
@scheme_option()
@click.option("--line", default="", help="Moves to play first, such as `7H>3 deal`.")
@click.option("--depth", type=click.IntRange(1, 100), required=True, help="Longest sequence.")
@click.option(
    "--engine",
    type=click.Choice(["python", "kernel"]),
    default="kernel",
    show_default=True,
    help="The rules as readable Python, or the solver's.",
)
@json_option
def perft(
    rules: Rules,
    seed: str | None,
    deals: str | None,
    deals_file: str | None,
    scheme: str,
    line: str,
    depth: int,
    engine: str,
    as_json: bool,
) -> None:
    """Count sequences of legal moves.

    Shows for each deal the numbers of sequences of 1, 2, ... DEPTH moves from the start, or after a
    line. Every legal move counts, each empty pile on its own, the deal of the stock as one move.
    """
    from solstat import games, solver, verify
    from solstat.report.tables import aligned

    counts = {}
    for deal in many_deals(scheme, seed, deals, deals_file):
        position = verify.replay(rules, deal.cards, line)
        if engine == "python":
            counts[deal.id] = games.perft(position, depth)
        else:
            counts[deal.id] = solver.perft(rules, deal.cards, line, depth)
    if as_json:
        write_json(counts)
    else:
        header = ["deal", *map(str, range(1, depth + 1))]
        write(aligned(header, ([name, *map(str, row)] for name, row in counts.items())))
