"""A slow, exhaustive search over the readable rules: the twin that keeps the kernel honest.

For small decks. It stores whole positions, so no hash can mislead it, and leaves out nothing but
positions seen before: not even interchangeable piles are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from solstat.games import Position, Rules, start

Outcome = Literal["won", "lost", "unsettled"]


def solve(rules: Rules, cards: Sequence[int], limit: int | None = None) -> Outcome:
    """Whether a deal can be won, by trying everything.

    Parameters
    ----------
    rules : Rules
        The game, most often with a small deck.
    cards : sequence of int
        The deal, first card dealt first.
    limit : int, optional
        The most positions to look at; a deal that needs more is unsettled.
    """
    return solve_from(start(rules, cards), limit)


def solve_from(first: Position, limit: int | None = None) -> Outcome:
    """As `solve`, from any position."""
    if first.won:
        return "won"
    seen = {first.key()}
    to_expand = [first]
    while to_expand:
        position = to_expand.pop()
        for move in position.moves():
            after = position.after(move)
            key = after.key()
            if key in seen:
                continue
            if limit is not None and len(seen) >= limit:
                return "unsettled"
            if after.won:
                return "won"
            seen.add(key)
            to_expand.append(after)
    return "lost"
