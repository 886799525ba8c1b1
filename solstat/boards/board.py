"""A board: a deal that is proved winnable."""

from __future__ import annotations

from typing import Any, NamedTuple

from solstat.boards.difficulty import difficulty
from solstat.boards.measures import measure
from solstat.cards import card_text
from solstat.games import Rules


class Board(NamedTuple):
    """A deal that is proved winnable, with the line that proves it.

    Attributes
    ----------
    rules : Rules
        The game.
    scheme, seed : str
        What deals it.
    cards : tuple of int
        The deal, the first card dealt first.
    positions : int
        Positions that the search took.
    moves : int
        Moves of the line.
    line : str
        A winning line.
    date : str or None
        The day whose board it is, as 2026-11-29.
    """

    rules: Rules
    scheme: str
    seed: str
    cards: tuple[int, ...]
    positions: int
    moves: int
    line: str
    date: str | None = None

    @property
    def deal(self) -> str:
        """The cards as text, as a deal file has them."""
        return " ".join(map(card_text, self.cards))

    @property
    def difficulty(self) -> int:
        """From 1 to 5; docs/boards.md says what it means."""
        return difficulty(
            self.rules.game, measure(self.rules, self.cards, self.positions, self.line)
        )

    def row(self) -> dict[str, Any]:
        """The board as a row of a list; the date comes first if there is one."""
        dated = {} if self.date is None else {"date": self.date}
        return dated | {
            "rules": self.rules.id,
            "scheme": self.scheme,
            "seed": self.seed,
            "difficulty": self.difficulty,
            "moves": self.moves,
            "positions": self.positions,
            "deal": self.deal,
            "line": self.line,
        }
