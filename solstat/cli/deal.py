"""``solstat deal``: the table of one deal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import one_deal
from solstat.cli.options import json_option, rules_argument, scheme_option
from solstat.cli.output import write, write_json

if TYPE_CHECKING:
    from solstat.games import Rules


@command(
    "solstat deal wasp 24",
    "solstat deal 'wasp(face_down_piles=3)' 24 --json",
    "solstat deal wasp 24 > deal.txt",
)
@rules_argument
@click.argument("seed", metavar="SEED")
@scheme_option()
@json_option
def deal(rules: Rules, seed: str, scheme: str, as_json: bool) -> None:
    """Show the deal of a seed, and the table it makes.

    The text is a deal file, which `solve --deal` and `run --deals-file` read: the table stands in
    its comments, with the cards that lie face down in brackets.
    """
    from solstat.cards import card_text
    from solstat.deals import format_deal
    from solstat.games import start

    dealt = one_deal(scheme, seed, None)
    table = start(rules, dealt.cards).table()
    if as_json:
        write_json(
            {
                "rules": rules.id,
                "scheme": scheme,
                "seed": dealt.id,
                "cards": [card_text(card) for card in dealt.cards],
                "table": [
                    {
                        "pile": pile.name,
                        "cards": [card_text(card) for card in pile.cards],
                        "face_down": pile.down,
                    }
                    for pile in table
                ],
            }
        )
        return
    write(f"# {rules.id}, seed {dealt.id} of scheme {scheme}")
    for pile in table:
        write(f"#   {pile}")
    write(format_deal(dealt))
