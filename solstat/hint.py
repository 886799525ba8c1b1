"""What to play next: the first move of a winning line, or that none wins, or a guess.

docs/hints.md says why following hints comes to an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from solstat import solver
from solstat.games import DEAL, Move, Position, Rules
from solstat.verify import replay

STRIDE = 10  # searches also start from every so many moves after the deal


@dataclass(frozen=True)
class Hint:
    """What is known of a position, and the move to play.

    Attributes
    ----------
    outcome : {"won", "lost", "unsettled"}
        Whether the position can be won; ``won`` also if it is won already.
    line : str
        Of a position that can be won: the moves that win from there.
    move : str or None
        The first of them, or a guess; None where no move wins or none is needed.
    guess : bool
        Whether the move is a guess: the position is unsettled.
    positions : int
        Positions that all searches for it took.
    """

    outcome: Literal["won", "lost", "unsettled"]
    line: str
    move: str | None
    guess: bool
    positions: int


def hint(rules: Rules, cards: Sequence[int], line: str, budget: int) -> Hint:
    """What to play after a line.

    A win that was found from the deal, or from another position on the way, is followed to its end:
    so hints do not go in circles.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The deal, first card dealt first.
    line : str
        The moves played since the deal, in notation, joined by spaces; may be empty.
    budget : int
        Most positions of each search.

    Raises
    ------
    BadLine
        A move of the line is no move, or not legal where it stands.
    """
    position = replay(rules, cards, line)
    if position.won:
        return Hint("won", "", None, False, 0)
    played = line.split()
    here = _search(rules, tuple(cards), line, budget)
    positions = here.positions
    if here.outcome == "lost":
        return Hint("lost", "", None, False, positions)
    passed = list(_passed(rules, cards, played))
    for begin in _starts(len(played)):
        moves, took = _followed(rules, cards, passed[begin], played, begin, budget)
        positions += took
        if len(moves) > len(played) - begin and moves[: len(played) - begin] == played[begin:]:
            return _won(moves[len(played) - begin :], positions)
    if here.line:
        return _won(here.line.split(), positions)
    return _one_by_one(rules, cards, passed, played, budget, positions)


def _starts(length: int) -> Iterator[int]:
    """How many moves of a line of some length are played where earlier searches start."""
    yield from range(0, length, STRIDE)
    yield from range(length - length % STRIDE + 1, length)


@lru_cache(maxsize=4096)  # who plays and asks again asks much of the same
def _search(rules: Rules, cards: tuple[int, ...], line: str, budget: int) -> solver.Result:
    return solver.solve(rules, cards, budget, line=line)


def _share(position: Position, budget: int) -> int:
    """The budget of each move of a position whose own search came to no end."""
    return max(1, budget // len(position.moves()))


def _followed(
    rules: Rules,
    cards: Sequence[int],
    position: Position,
    played: Sequence[str],
    begin: int,
    budget: int,
) -> tuple[list[str], int]:
    """The winning line from a position on the way that may be followed, and what it took.

    Where its search came to no end, only the line over the move that was played there counts, as
    `_one_by_one` found it if it gave that move: no other can be followed.
    """
    found = _search(rules, tuple(cards), " ".join(played[:begin]), budget)
    if found.outcome != "unsettled":
        return (found.line or "").split(), found.positions
    line = " ".join(played[: begin + 1])
    after = _search(rules, tuple(cards), line, _share(position, budget))
    moves = [] if after.line is None else [played[begin], *after.line.split()]
    return moves, found.positions + after.positions


def _won(moves: Sequence[str], positions: int) -> Hint:
    return Hint("won", " ".join(moves), moves[0], False, positions)


def _one_by_one(
    rules: Rules,
    cards: Sequence[int],
    passed: Sequence[Position],
    played: Sequence[str],
    budget: int,
    positions: int,
) -> Hint:
    """A hint where the search came to no end: each move gets one with its share of the budget."""
    tables = {position.key() for position in passed}
    position = passed[-1]
    left: list[Move] = []
    for move in position.moves():
        text = position.move_text(move)
        line = " ".join([*played, text])
        found = _search(rules, tuple(cards), line, _share(position, budget))
        positions += found.positions
        if found.outcome == "won":
            assert found.line is not None
            return _won([text, *found.line.split()], positions)
        if found.outcome != "lost":
            left.append(move)
    if not left:
        return Hint("lost", "", None, False, positions)
    new = [move for move in left if position.after(move).key() not in tables] or left
    best = min(new, key=lambda move: (move == DEAL, _disorder(position.after(move))))
    return Hint("unsettled", "", position.move_text(best), True, positions)


def _passed(rules: Rules, cards: Sequence[int], played: Sequence[str]) -> Iterator[Position]:
    """Every position from the deal to the end of a line."""
    position = replay(rules, cards, "")
    yield position
    for text in played:
        position = position.play(position.parse_move(text))
        yield position


def _disorder(position: Position) -> tuple[int, int, int]:
    """How far from order a table looks, as docs/hints.md says: less is better."""
    apart = down = used = 0
    for pile in position.table():
        used += bool(pile.cards)
        down += pile.down
        apart += len(pile.cards)
        if pile.name != "stock":
            up = pile.cards[pile.down :]
            apart -= sum(card == under - 1 for under, card in pairwise(up))
    return apart, down, used
