"""The table as text: piles side by side, bottom card first, what lies face down as ``##``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from solstat.cards import card_text
from solstat.games import Pile, Position
from solstat.table.game import is_off, piles, suits_off

HIDDEN = "##"
EMPTY = "--"

Paint = Callable[[str, str], str]
"""Gives a text the colour of a kind: ``red`` and ``black`` cards, ``hidden`` ones, ``name``."""


def plain(text: str, _: str) -> str:
    """No colour."""
    return text


def draw(position: Position, paint: Paint = plain, width: int = 80) -> list[str]:
    """The lines that show a table.

    Parameters
    ----------
    position : Position
        The table.
    paint : callable
        Gives a text its colour.
    width : int
        The most signs in a line; more piles than fit stand in several rows.
    """
    lines: list[str] = []
    shown = piles(position)
    for kind in ("", "c", "r"):  # columns, and reserves below them
        group = [pile for pile in shown if pile.name.rstrip("0123456789") == kind]
        cell = 2 + max((len(pile.name) for pile in group), default=0)
        cell = max(cell, 4)
        fit = max(1, width // cell)
        for first in range(0, len(group), fit):
            lines += _row(group[first : first + fit], cell, paint)
    table = position.table()
    for pile in table:
        if pile.name == "stock" and pile.cards:
            lines.append(f"stock: {len(pile.cards)}")
        elif is_off(pile) and pile.cards:
            top = pile.cards[-1]
            lines.append(f"{pile.name} {_card(top, paint)}, {len(pile.cards)} cards")
    if (off := suits_off(position)) and not any(map(is_off, table)):
        lines.append(f"off: {' '.join(off)}")
    return lines


def data(position: Position) -> list[dict[str, Any]]:
    """What a player sees of a table, for JSON: of cards that lie face down only how many."""
    return [
        {
            "pile": pile.name,
            "face_down": pile.down,
            "cards": [card_text(card) for card in pile.cards[pile.down :]],
        }
        for pile in position.table()
    ]


def _row(group: Sequence[Pile], cell: int, paint: Paint) -> list[str]:
    """Piles side by side under their names."""
    names = "".join(" " * (cell - len(pile.name)) + paint(pile.name, "name") for pile in group)
    lines = [names]
    for height in range(max(1, *(len(pile.cards) for pile in group))):
        signs = [_sign(pile, height, paint) for pile in group]
        lines.append("".join(" " * (cell - 2) + sign for sign in signs).rstrip())
    return lines


def _sign(pile: Pile, height: int, paint: Paint) -> str:
    if height < pile.down:
        return paint(HIDDEN, "hidden")
    if height < len(pile.cards):
        return _card(pile.cards[height], paint)
    return "  " if pile.cards or height else paint(EMPTY, "hidden")


def _card(card: int, paint: Paint) -> str:
    text = card_text(card)
    return paint(text, "red" if text[1] in "HD" else "black")
