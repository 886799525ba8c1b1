"""Counting move sequences: the field's test that two engines agree on every rule."""

from __future__ import annotations

from solstat.games.base import Position


def perft(position: Position, depth: int) -> list[int]:
    """Number of sequences of 1, 2, ... `depth` legal moves from a position.

    Sequences are counted, not positions: two that lead to the same table count twice.
    """
    counts = [0] * depth
    if depth == 0:
        return counts
    moves = position.moves()
    counts[0] = len(moves)
    if depth > 1:
        for move in moves:
            for level, count in enumerate(perft(position.after(move), depth - 1), 1):
                counts[level] += count
    return counts
