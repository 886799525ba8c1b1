"""Players: how a game goes for someone who sees what a person sees, and takes nothing back.

docs/players.md says what each policy does. What is hidden cannot be peeked at: a policy gets a
`view` of the table, in which cards that are face down and those of the stock are unknown cards.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Literal, NamedTuple, NewType

from solstat.cards import RANKS, shown
from solstat.errors import UsageError, choose_from
from solstat.games import DEAL, Move, Position, Rules, start
from solstat.games.scorpion import Scorpion
from solstat.games.spider import Spider
from solstat.games.wave import Wave

VERSION = 1
"""Raised whenever any player can make another move than before: its results are others then."""

PATIENCE = 52
"""A player who makes so many moves in a row without progress is going round."""

THOUGHT = {"scorpion": 30, "spider": 100, "wave": 400}
"""So many tables the careful player looks at before a move, by family."""

UNKNOWN = 52
"""The first number of an unknown card. Each is an ace of a suit of its own: nothing builds on it,
it builds on nothing of its suit, and it is in no run."""

View = NewType("View", Position)
"""A table in which every card that a person does not see is an unknown one."""

End = Literal["won", "stuck", "round"]


class Played(NamedTuple):
    """A game that a player has played.

    Attributes
    ----------
    end : str
        ``won``; ``stuck``: there was no legal move; ``round``: all moves led back to tables that
        had been there, or too many in a row made no progress.
    moves : int
        Number of moves.
    line : str
        The moves, in notation.
    """

    end: End
    moves: int
    line: str

    @property
    def won(self) -> bool:
        """Whether the player won."""
        return self.end == "won"


def play(rules: Rules, cards: Sequence[int], policy: str, seed: int | str) -> Played:
    """How a player plays a deal.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The deal, the first card dealt first.
    policy : str
        One of `POLICIES`.
    seed : int or str
        The name of the deal; it seeds the player's dice, together with rules and policy.

    Raises
    ------
    UsageError
        There is no such policy, or the cards are no deal of the game.
    """
    check_policy(policy)
    choose, dice = POLICIES[policy], dice_of(rules, policy, seed)
    position = start(rules, cards)
    seen = view(position)
    been = {seen.key()}
    least, idle = work(seen), 0
    line: list[str] = []
    while not position.won:
        plan = choose(seen, been, dice)
        if not plan:
            return _played("round" if position.moves() else "stuck", line)
        for move in plan:
            position = position.play(move)
            line.append(position.move_text(move))
            seen = view(position)
            been.add(seen.key())
            left = work(seen)
            idle = 0 if left < least else idle + 1
            least = min(least, left)
        if idle >= PATIENCE and not position.won:
            return _played("round", line)
    return _played("won", line)


def _played(end: End, line: list[str]) -> Played:
    return Played(end, len(line), " ".join(line))


def check_policy(policy: str) -> None:
    """Refuse (UsageError) a player that there is not."""
    if policy not in POLICIES:
        raise UsageError(f"unknown policy {shown(policy)}: {choose_from(policy, POLICIES)}")


def dice_of(rules: Rules, policy: str, seed: int | str) -> Random:
    """The dice of a player over a deal; docs/players.md has the hash.

    Only its `random()` is used, whose numbers are the same in every version of Python.
    """
    text = f"solstat-player-{VERSION}/{rules.id}/{policy}/{seed}"
    return Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))


def view(position: Position) -> View:
    """The table as a person sees it: as it is, but for cards that are not seen."""
    if not isinstance(position, Scorpion | Spider):
        return View(position)  # all cards are face up
    piles, hidden = [], 0
    for cards, down in zip(position.piles, position.down, strict=True):
        piles.append((*_unknown(hidden, down), *cards[down:]) if down else cards)
        hidden += down
    stock = _unknown(hidden, len(position.stock))
    return View(replace(position, piles=tuple(piles), stock=stock))


def _unknown(first: int, count: int) -> tuple[int, ...]:
    step = len(RANKS)
    return tuple(range(UNKNOWN + step * first, UNKNOWN + step * (first + count), step))


def hidden(seen: View) -> int:
    """How many cards are face down or in the stock."""
    if isinstance(seen, Scorpion | Spider):
        return sum(seen.down) + len(seen.stock)
    return 0


def work(seen: View) -> int:
    """How far a table is from order: none is left once all runs are made. Less of it is progress.

    Each card counts that is not on the next higher card of its suit, or a king at the bottom of a
    pile; twice more each that is not seen, or is in a reserve.
    """
    ranks = seen.rules.deck.ranks
    if isinstance(seen, Wave):
        apart = seen.rules.deck_size
        waiting = sum(map(len, seen.reserves))
    else:
        assert isinstance(seen, Scorpion | Spider)
        apart = sum(map(len, seen.piles)) + len(seen.stock)
        waiting = sum(seen.down) + len(seen.stock)
    return apart + 2 * waiting - sum(_placed(cards, ranks) for cards in seen.piles)


@lru_cache(1 << 14)
def _placed(cards: tuple[int, ...], ranks: int) -> int:
    """The cards of a pile that need not be moved; most piles are met again and again."""
    if not cards:
        return 0
    placed = int(cards[0] % len(RANKS) == ranks - 1)
    below = cards[0]
    for card in cards[1:]:
        if below == card + 1 and below % len(RANKS):
            placed += 1
        below = card
    return placed


def after(seen: View, been: Set[Hashable], moves: Iterable[Move]) -> Iterator[tuple[Move, View]]:
    """Those of some moves that lead to tables that have not been there, and these tables."""
    for move in moves:
        then = View(seen.after(move))
        if then.key() not in been:
            yield move, then


def randomly(seen: View, been: Set[Hashable], dice: Random) -> list[Move]:
    """Any move, each as likely."""
    moves = seen.moves()
    while moves:
        move = moves.pop(int(dice.random() * len(moves)))
        if seen.after(move).key() not in been:
            return [move]
    return []


def greedily(seen: View, been: Set[Hashable], dice: Random) -> list[Move]:
    """The move that leaves the least work; the stock is dealt when no move makes it less."""
    now = work(seen)
    best: tuple[int, float, list[Move]] | None = None
    for move, then in after(seen, been, seen.moves()):
        left = now if move == DEAL else work(then)
        found = left, 0.0 if move == DEAL else 0.1 + dice.random(), [move]
        if best is None or found < best:
            best = found
    return [] if best is None else best[2]


def carefully(seen: View, been: Set[Hashable], dice: Random) -> list[Move]:
    """The moves to the best table within reach of some thought, as far as it is seen.

    Best of all is one where a card has been turned up, then one that is better than this, then one
    from which the stock is dealt, then any other.
    """
    now = value(seen)
    met = set(been)
    best: tuple[int, float, float, list[Move]] | None = None
    waiting: list[tuple[float, float, list[Move], View]] = [(now, 0.0, [], seen)]
    thought, unseen = 0, hidden(seen)
    while waiting and thought < THOUGHT[seen.family]:
        here, _, plan, table = heapq.heappop(waiting)
        for move, then in after(table, met, sensible(table)):
            met.add(then.key())
            if move == DEAL:
                found = 2, here, dice.random(), [*plan, move]
            else:
                thought += 1
                there = value(then), dice.random(), [*plan, move]
                ends = hidden(then) < unseen or then.won
                if not ends:
                    heapq.heappush(waiting, (*there, then))
                found = (0 if ends else 1) if there[0] < now else 3, *there
            if best is None or found < best:
                best = found
    return randomly(seen, been, dice) if best is None else best[-1]


def value(seen: View) -> float:
    """What the careful player thinks of a table: the less the better.

    Work; each card that is face down counts two more, and each column in use three more, where all
    cards are seen; an empty pile among others is two less.
    """
    if isinstance(seen, Wave):
        return work(seen) + 3 * sum(map(bool, seen.columns))
    assert isinstance(seen, Scorpion | Spider)
    return work(seen) + 2 * sum(seen.down) - 2 * (() in seen.piles)


def sensible(seen: View) -> Iterator[Move]:
    """The moves that the careful player thinks of; in the family scorpion all.

    No cards of a sequence are parted, no whole column or pile is moved to another place, and of
    the empty places of a kind only the first is looked at.
    """
    moves = seen.moves()
    if isinstance(seen, Scorpion):
        yield from moves
        return
    assert isinstance(seen, Spider | Wave)
    piles = seen.piles
    columns = len(seen.columns) if isinstance(seen, Wave) else len(piles)
    under = {
        card: (pile, below)
        for pile, cards in enumerate(piles)
        for below, card in zip((None, *cards), cards, strict=False)
    }
    tried = set()
    for move in moves:
        if move.kind == "move":
            pile, below = under[move.card]
            if below == move.card + 1 and below % len(RANKS):
                continue
            if not piles[move.pile]:
                kind = move.card, move.pile < columns
                if kind in tried or (below is None and kind[1] == (pile < columns)):
                    continue
                tried.add(kind)
        yield move


Policy = Callable[[View, Set[Hashable], Random], list[Move]]

POLICIES: dict[str, Policy] = {"random": randomly, "greedy": greedily, "careful": carefully}
"""Each player: from what is seen, and the tables that have been there, to the next moves."""
