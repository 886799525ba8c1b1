"""How hard a board is, from 1 to 5: docs/boards.md says how it is made, and what it is worth."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from solstat.boards.measures import Measures

LEVELS = 5
TENTHS = 10

FEWER_IS_HARDER = ("choices",)
"""Of other measures, more is harder."""


class Scale(NamedTuple):
    """How measures of the boards of a game are made its difficulty.

    Attributes
    ----------
    cuts : dict of str to tuple of int
        For each measure that counts, nine numbers between the tenths of boards it makes.
    levels : tuple of int
        Four numbers between the fifths of boards, by the sum of their tenths.
    """

    cuts: dict[str, tuple[int, ...]]
    levels: tuple[int, ...]

    def score(self, measures: Measures) -> int:
        """The sum of the tenths, each from 0 to 9, in which a board is by its measures."""
        return sum(
            tenth(getattr(measures, name), cuts, name in FEWER_IS_HARDER)
            for name, cuts in self.cuts.items()
        )


def tenth(value: int, cuts: tuple[int, ...], falling: bool = False) -> int:
    """In which tenth a value is, from 0; if `falling`, the largest values are in tenth 0.

    >>> tenth(7, (1, 2, 3, 4, 5, 6, 7, 8, 9)), tenth(7, (1, 2, 3, 4, 5, 6, 7, 8, 9), True)
    (6, 3)
    """
    at = bisect_left(cuts, value)
    return TENTHS - 1 - at if falling else at


def difficulty(game: str, measures: Measures) -> int:
    """The difficulty of a board, from 1 to `LEVELS`.

    Parameters
    ----------
    game : str
        The preset. Boards of other options of it are on its scale too.
    measures : Measures
        What was measured of the board.
    """
    scale = SCALES[game]
    return 1 + bisect_left(scale.levels, scale.score(measures))


def scale_of(boards: list[Measures], names: tuple[str, ...]) -> Scale:
    """The scale that some boards make by some measures: what `SCALES` was made with."""
    cuts = {name: _cuts([getattr(board, name) for board in boards], TENTHS) for name in names}
    scores = [Scale(cuts, ()).score(board) for board in boards]
    return Scale(cuts, _cuts(scores, LEVELS))


def _cuts(values: list[int], parts: int) -> tuple[int, ...]:
    """The last value of each of so many parts of equal size but the last, of values in order."""
    ordered = sorted(values)
    return tuple(ordered[len(ordered) * part // parts - 1] for part in range(1, parts))


SCALES = {
    "wasp": Scale(
        {
            "positions": (56, 58, 59, 60, 61, 62, 65, 68, 80),
            "choices": (2158, 2485, 2725, 2943, 3187, 3432, 3686, 4044, 4713),
        },
        (5, 8, 10, 12),
    ),
    "scorpion": Scale({"positions": (52, 53, 53, 54, 55, 57, 62, 75, 137)}, (1, 3, 5, 7)),
    "will-o-the-wisp": Scale(
        {"positions": (280, 440, 650, 857, 1218, 1634, 2209, 3274, 6038)}, (1, 3, 5, 7)
    ),
    "spiderette": Scale(
        {"positions": (466, 783, 1125, 1545, 2021, 2788, 3754, 5899, 11630)}, (1, 3, 5, 7)
    ),
    "wave-motion": Scale(
        {
            "positions": (53, 58, 65, 74, 87, 106, 138, 188, 299),
            "choices": (1590, 1661, 1724, 1782, 1836, 1901, 1977, 2058, 2215),
        },
        (5, 8, 10, 13),
    ),
    "flow": Scale(
        {
            "positions": (49, 50, 50, 50, 51, 51, 51, 52, 52),
            "choices": (4168, 4479, 4673, 4856, 5040, 5285, 5516, 5803, 6443),
        },
        (4, 7, 9, 12),
    ),
}
"""The scale of each game, made of boards that no figure is of (docs/boards.md)."""
