"""A page that steps through a line: one HTML file that needs nothing else.

The tables are computed here, by the rules in `solstat.games`, and stand in the page as data: its
script only puts cards where they say.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from solstat import __version__
from solstat.cards import SUITS, card_text
from solstat.deals import format_deal
from solstat.games import Pile
from solstat.games.base import preset
from solstat.report.environment import TEMPLATES, environment
from solstat.report.lines import DealLine
from solstat.report.steps import SUIT_NAMES, Step, card_name, place_name, steps

MOST_ACROSS = 13
"""So many piles are side by side at most; more of them stand in rows."""


@dataclass(frozen=True)
class Card:
    """A card as it is drawn."""

    text: str
    name: str
    rank: str
    suit: str
    down: bool


@dataclass(frozen=True)
class Place:
    """A pile as the page has it before the first move."""

    name: str
    label: str
    cards: Sequence[Card]


@dataclass(frozen=True)
class Group:
    """Piles that stand together under one name."""

    name: str
    places: Sequence[Place]
    deepest: int  # cards in one of them, after any move


def page(told: DealLine) -> str:
    """The page.

    Parameters
    ----------
    told : DealLine
        A deal, and the line to step through; without one the page shows the deal.

    Raises
    ------
    BadLine
        The line cannot be played.
    """
    found = steps(told.rules, told.deal.cards, told.line)
    groups = list(_groups(found))
    stock = found[0].stock
    widest = max(len(group.places) for group in groups)
    if stock is not None:  # beside it are the foundations
        widest = max(widest, len(found[0].finished) + 3)
    across = min(widest, MOST_ACROSS)
    style = Markup((TEMPLATES / "show.css").read_text() + _sizes(groups, across, stock is not None))
    script = Markup((TEMPLATES / "show.js").read_text())
    return (
        environment(autoescape=True)
        .get_template("show.html")
        .render(
            told=told,
            rules_id=_breakable(told.rules.id),
            title=f"{told.rules.id}, deal {told.deal.id}",
            summary=preset(told.rules.game).summary,
            deal_text=format_deal(told.deal),
            groups=groups,
            stock=None if stock is None else [_card(card, down=True) for card in stock],
            foundations=[
                Place(SUITS[suit], f"Run of {SUIT_NAMES[suit]}", [_card(card) for card in cards])
                for suit, cards in enumerate(found[0].finished)
            ],
            moves=[step.move for step in found[1:]],
            words=found[0].words,
            hidden=bool(stock) or any(pile.down for pile in found[0].piles),
            data=_data(found),
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
            version=__version__,
        )
    )


def _groups(found: Sequence[Step]) -> Iterator[Group]:
    """The piles as they stand on the page: reserves above columns, which cards go down to."""
    kinds: dict[str, list[int]] = {}
    for number, pile in enumerate(found[0].piles):
        kinds.setdefault(re.sub("[0-9]+$", "", pile.name), []).append(number)
    for kind in sorted(kinds, reverse=True):
        numbers = kinds[kind]
        name = place_name(found[0].piles[numbers[0]].name).split()[0]
        deepest = max(len(step.piles[number].cards) for step in found for number in numbers)
        places = [_place(found[0].piles[number]) for number in numbers]
        yield Group(f"{name.capitalize()}s", places, deepest)


def _place(pile: Pile) -> Place:
    cards = [_card(card, down=height < pile.down) for height, card in enumerate(pile.cards)]
    return Place(pile.name, place_name(pile.name).capitalize(), cards)


def _card(card: int, *, down: bool = False) -> Card:
    text = card_text(card)
    rank = "10" if text[0] == "T" else text[0]
    return Card(text, card_name(card), rank, text[1], down)


def _breakable(rules_id: str) -> Markup:
    """A rules id that may go on in a new line where an option begins."""
    return Markup(re.sub("([(,])", r"\1<wbr>", str(escape(rules_id))))


def _texts(cards: Sequence[int]) -> list[str]:
    return [card_text(card) for card in cards]


def _data(found: Sequence[Step]) -> dict[str, Any]:
    """The steps as the script reads them: the cards of a pile are one text, two signs each."""
    return {
        "piles": [pile.name for pile in found[0].piles],
        "suits": list(SUITS[: len(found[0].finished)]),
        "steps": [
            {
                "words": step.words,
                "moved": "".join(_texts(step.moved)),
                "piles": ["".join(_texts(pile.cards)) for pile in step.piles],
                "down": [pile.down for pile in step.piles],
                "stock": "".join(_texts(step.stock or ())),
                "finished": ["".join(_texts(cards)) for cards in step.finished],
            }
            for step in found
        ],
    }


def _sizes(groups: Sequence[Group], across: int, aside: bool) -> str:
    """Style for the numbers of piles and of cards in them, and of rows of piles."""
    deep = max(1, sum(group.deepest for group in groups))
    rows = len(groups) + aside
    lines = [f":root {{ --across: {across}; --deep: {deep}; --rows: {rows}; }}"]
    for number, group in enumerate(groups, 1):
        if len(group.places) <= across:  # keeps its height, so that nothing below it moves
            lines.append(f"#group{number} {{ --deepest: {max(1, group.deepest)}; }}")
    return "\n".join(lines) + "\n"


def _hash(text: str) -> str:
    """What a content security policy calls a text, which is then the only one of its kind."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
