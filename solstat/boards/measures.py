"""What tells how hard a board is: what the search took, and what it is like to follow its line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solstat.games import Position, Rules, start


class Measures(NamedTuple):
    """Whole numbers that may tell how hard a board is.

    Attributes
    ----------
    positions : int
        Positions that the search took.
    moves : int
        Moves of the line.
    choices : int
        Legal moves that there are on the way along the line, a hundred times the mean of all its
        positions but the last, rounded down.
    waits : int
        How many moves of the line are made while no pile is empty (in family `wave`, no column).
    least_empty : int
        The fewest piles (columns) that are empty before a move of the line.
    """

    positions: int
    moves: int
    choices: int
    waits: int
    least_empty: int


def measure(rules: Rules, cards: Sequence[int], positions: int, line: str) -> Measures:
    """What can be measured of a board.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The deal, the first card dealt first.
    positions : int
        Positions that the search took.
    line : str
        A winning line, of a move at least.
    """
    position = start(rules, cards)
    choices, empty = 0, []
    for word in line.split():
        choices += len(position.moves())
        empty.append(_empty(position))
        position = position.after(position.parse_move(word))
    return Measures(
        positions=positions,
        moves=len(empty),
        choices=100 * choices // len(empty),
        waits=empty.count(0),
        least_empty=min(empty),
    )


def _empty(position: Position) -> int:
    """How many piles are empty; in family `wave`, columns, where the cards are to end."""
    return sum(
        not pile.cards
        for pile in position.table()
        if pile.name.isdigit() or pile.name.startswith("c")
    )
