"""The referee: plays lines move by move under the readable rules, with no part of the solver."""

from __future__ import annotations

from collections.abc import Sequence

from solstat.errors import UsageError
from solstat.games import Position, Rules, start


class BadLine(UsageError):
    """A line that cannot be played, or does not win; the message says at which move and why."""


def replay(rules: Rules, cards: Sequence[int], line: str) -> Position:
    """The position after a line.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The deal, first card dealt first.
    line : str
        Moves in notation, joined by spaces; may be empty.

    Raises
    ------
    BadLine
        A move is no move, or not legal where it stands.
    """
    position = start(rules, cards)
    for number, text in enumerate(line.split(), 1):
        try:
            position = position.play(position.parse_move(text))
        except UsageError as error:
            raise BadLine(f"move {number}: {error}") from None
    return position


def replay_win(rules: Rules, cards: Sequence[int], line: str) -> Position:
    """As `replay`, and BadLine too if the line does not win."""
    position = replay(rules, cards, line)
    if not position.won:
        raise BadLine(f"legal, but the game is not won after its {len(line.split())} moves")
    return position
