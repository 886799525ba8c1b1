"""``solstat hint``: what to play next."""

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
    seed_argument,
)
from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.games import Rules

LINE_WIDTH = 78


@command(
    "solstat hint wasp 24",
    "solstat hint wasp 24 --line 'AC>5 8S>7' --json",
    "solstat hint flow 24 --budget 1M",
    "solstat deal spiderette 24 | solstat hint spiderette --deal - --line deal",
)
@rules_argument
@seed_argument
@deal_option
@scheme_option()
@click.option("--line", default="", help="Moves played already, such as `7H>3 deal`.")
@click.option(
    "--budget",
    type=Budget(),
    default=250_000,
    show_default="250k",
    help="Most positions of each search.",
)
@json_option
def hint(
    rules: Rules,
    seed: str | None,
    file: str | None,
    scheme: str,
    line: str,
    budget: int,
    as_json: bool,
) -> None:
    """Say what to play next.

    Looks for a winning line from the deal, or from where a line leads to; shows it and its first
    move. If none is found, says whether it is proved that there is none; if not, guesses a move.
    """
    from solstat.hint import hint as ask

    deal = one_deal(scheme, seed, file)
    found = ask(rules, deal.cards, line, budget)
    if as_json:
        write_json(
            {
                "game": rules.game,
                "rules": rules.id,
                "scheme": scheme if file is None else "file",
                "seed": deal.id,
                "played": line,
                "budget": budget,
                "outcome": found.outcome,
                "move": found.move,
                "guess": found.guess,
                "moves": len(found.line.split()) if found.outcome == "won" else None,
                "line": found.line if found.outcome == "won" else None,
                "positions": found.positions,
            }
        )
    elif found.outcome == "lost":
        write("proved lost: no move wins")
    elif found.guess:
        write(
            f"unsettled: no search found a verdict within {counted(budget, 'position')}; "
            f"all of them took {found.positions:,}\n"
            f"guess: {found.move} (nothing is proved of it)"
        )
    elif found.move is None:
        write("won already: nothing is left to play")
    else:
        moves = counted(len(found.line.split()), "move")
        write(
            f"can be won: {moves} to go\n"
            f"{textwrap.fill(found.line, LINE_WIDTH)}\n"
            f"hint: {found.move}"
        )
