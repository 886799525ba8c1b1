"""The only door to the kernel: deals of a scheme, verdicts of many deals, perft.

Everything crosses as arrays; the kernel releases the GIL while it works.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solstat import games
from solstat.deals import PYSOL_PLAIN, parse_seed
from solstat.errors import UsageError, choose_from
from solstat.families import FAMILIES, kernel
from solstat.games import Move, Rules

Cancelled = kernel.Cancelled
CancelFlag = kernel.CancelFlag

OUTCOMES = ("unsettled", "won", "lost", "error")
SEARCHES = ("full", "plain")
PRUNINGS = {
    "scorpion": ("joined_stay", "dead_test", "persistent", "compound", "futile"),
    "spider": ("dead_test",),
    "wave": ("joined_stay", "closure", "commit", "unchecked", "hand_down", "covered"),
}
STAGES = {
    "scorpion": ("dfs",),
    "spider": ("cyclic", "dfs"),
    "wave": ("sets", "cyclic", "lattice", "dfs"),
}

SPIDER_FEATURES: tuple[str, ...] = tuple(kernel.SPIDER_FEATURES)  # of the score of that family
SPIDER_WEIGHTS: list[list[int]] = kernel.SPIDER_WEIGHTS  # with stock left, and after the last deal

# Above this budget positions are kept as 128-bit keys: n^2 / 2^64 is the chance of a false "seen".
WIDE_KEYS_ABOVE = 16_000_000


@dataclass(frozen=True)
class Batch:
    """Verdicts of n deals, in the order the deals were given.

    Attributes
    ----------
    outcome : uint8[n]
        Index into `OUTCOMES`.
    stage : uint8[n]
        Index into `stages`: the stage that settled the deal, or the last one tried.
    positions : int64[n]
        Positions searched.
    moves : int32[n]
        Moves of the line, -1 unless won.
    seconds : float64[n]
        Time spent on each deal.
    line : list of (str or None), length n
        Winning lines; None unless won and lines were asked for.
    stages : tuple of str
        Names of the stages.
    """

    outcome: NDArray[np.uint8]
    stage: NDArray[np.uint8]
    positions: NDArray[np.int64]
    moves: NDArray[np.int32]
    seconds: NDArray[np.float64]
    line: list[str | None]
    stages: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.outcome)


class Result(NamedTuple):
    """The verdict of one deal; `moves` and `line` are None unless it is won."""

    outcome: str
    stage: str
    positions: int
    moves: int | None
    line: str | None
    seconds: float


def search_version(family: str) -> int:
    """Number that rises whenever an outcome, count or line of any deal of a family can change."""
    return FAMILIES[family].search_version


def deal_many(scheme: str, seeds: Sequence[int | str]) -> NDArray[np.uint8]:
    """The deals that seeds stand for.

    Parameters
    ----------
    scheme : str
        One of `solstat.deals.SCHEMES` (docs/deals.md).
    seeds : sequence of int or str
        Any seeds of the scheme, such as 7, "7" or, for ``pysol``, "ms7".

    Returns
    -------
    uint8[n, 52]
        Cards as 13 * suit + rank, the first card dealt first.

    Raises
    ------
    UsageError
        Unknown scheme, or a seed it does not have.
    """
    dealt = [deal_range(scheme, str(seed), np.zeros(1, np.int64)) for seed in seeds]
    return np.concatenate(dealt) if dealt else np.empty((0, 52), np.uint8)


def deal_range(scheme: str, first: str, places: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The deals at some places of the range of seeds that begins with `first`.

    Parameters
    ----------
    scheme : str
        One of `solstat.deals.SCHEMES`.
    first : str
        The seed at place 0.
    places : int64[n]
        From 0 on; none may lead beyond the seeds of the scheme.

    Returns
    -------
    uint8[n, 52]
        Cards as 13 * suit + rank, the first card dealt first.

    Raises
    ------
    UsageError
        Unknown scheme, or `first` is no seed of it.
    """
    seed = parse_seed(first, scheme)
    if scheme == "solstat":
        return kernel.deal_solstat(_halves(seed.number, places)[0])
    if seed.prefix:
        return kernel.deal_microsoft(_halves(seed.number, places)[0])
    plain = kernel.deal_pysol(*_halves(seed.number, places))
    microsoft = places < PYSOL_PLAIN - seed.number
    if microsoft.any():
        plain[microsoft] = kernel.deal_microsoft(_halves(seed.number, places[microsoft])[0])
    return plain


def _halves(first: int, places: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The numbers first + place, modulo 2**64 and the rest."""
    low = places.astype(np.uint64) + np.uint64(first % 2**64)
    carry = low < np.uint64(first % 2**64)
    return low, carry + np.uint64(first >> 64)


def solve_many(
    rules: Rules,
    deals: NDArray[np.uint8],
    budget: int,
    search: str = "full",
    *,
    played: Sequence[str] = (),
    lines: bool = True,
    prunings: Collection[str] | None = None,
    key_seed: int = 1,
    backwards: bool = False,
    weights: Sequence[int] | None = None,
    cancel: CancelFlag | None = None,
    pulse: NDArray[np.uint64] | None = None,
) -> Batch:
    """Search deals one after the other.

    Same deal, same answer, same count, whatever the batch, the machine and the key seed.

    Parameters
    ----------
    rules : Rules
        The game.
    deals : uint8[n, rules.deck_size]
        Cards as 13 * suit + rank, the first card dealt first.
    budget : int
        Most positions a deal may cost, at least 1.
    search : {"full", "plain"}
        ``plain`` uses no pruning.
    played : sequence of str, length n, optional
        For each deal a line of moves that were played already: its search starts from there. That
        position is number 1, and the line of a win begins there.
    lines : bool
        Return the lines of wins. Every win is replayed by the kernel's referee either way.
    prunings : collection of str, optional
        Use just these of `PRUNINGS`, for tests; default: those of `search`.
    key_seed : int
        Seed of the hash keys of positions.
    backwards : bool
        Try moves in the opposite order. Verdicts are the same, counts and lines are not.
    weights : sequence of int, optional
        For tuning, in families whose search is ordered by a score: other weights of the score than
        the kernel's. They order the search; verdicts do not depend on them.
    cancel : CancelFlag, optional
        Polled every some 10^4 positions.
    pulse : uint64[1], optional
        Counts up each time the flag is polled, and every 10 ms or so between deals: of a search
        over which it stands still for long one knows that it hangs.

    Returns
    -------
    Batch

    Raises
    ------
    Cancelled
        The flag was set.
    UsageError
        Unknown search or pruning, a budget below 1, weights where there is no score, or moves that
        cannot be read or are illegal.
    """
    known = PRUNINGS[rules.family]
    if search not in SEARCHES:
        raise UsageError(f"unknown search {search}: {choose_from(search, SEARCHES)}")
    if budget < 1:
        raise UsageError(f"budget {budget} is too small: it takes at least 1 position")
    if prunings is None:
        prunings = known if search == "full" else ()
    for name in prunings:
        if name not in known:
            raise UsageError(f"unknown pruning {name}: {choose_from(name, known)}")
    if weights is not None and rules.family != "spider":
        raise UsageError(f"{rules.game}: its search is ordered by no score, so it takes no weights")
    deals = np.ascontiguousarray(deals, dtype=np.uint8)
    if deals.ndim != 2 or deals.shape[1] != rules.deck_size:
        raise ValueError(f"deals of {rules.id} have shape (n, {rules.deck_size}): {deals.shape}")
    if played and len(played) != len(deals):
        raise ValueError(f"{len(deals)} deals with moves played in {len(played)} of them")
    before = [_moves(rules, deals[i].tolist(), line) for i, line in enumerate(played)]
    family = FAMILIES[rules.family]
    how = kernel.Search(
        budget=budget,
        lines=lines,
        plain=search == "plain",
        prunings=list(prunings),
        key_seed=key_seed,
        backwards=backwards,
        wide_keys=budget > WIDE_KEYS_ABOVE,
    )
    more = () if weights is None else (weights,)
    outcome, stage, positions, moves, seconds, line = family.solve(
        family.rules(rules), deals, before, how, cancel, pulse, *more
    )
    return Batch(
        outcome=outcome,
        stage=stage,
        positions=positions,
        moves=moves,
        seconds=seconds,
        line=line if lines else [None] * len(outcome),
        stages=STAGES[rules.family],
    )


def solve(
    rules: Rules,
    cards: Sequence[int],
    budget: int,
    search: str = "full",
    *,
    line: str = "",
    lines: bool = True,
    prunings: Collection[str] | None = None,
    cancel: CancelFlag | None = None,
) -> Result:
    """Search one deal, or the position that it is in after a line; see `solve_many`."""
    deals, played = np.array([cards], dtype=np.uint8), [line] if line else []
    batch = solve_many(
        rules, deals, budget, search, played=played, lines=lines, prunings=prunings, cancel=cancel
    )
    won = OUTCOMES[batch.outcome[0]] == "won"
    return Result(
        outcome=OUTCOMES[batch.outcome[0]],
        stage=batch.stages[batch.stage[0]],
        positions=int(batch.positions[0]),
        moves=int(batch.moves[0]) if won else None,
        line=batch.line[0],
        seconds=float(batch.seconds[0]),
    )


def perft(rules: Rules, cards: Sequence[int], line: str, depth: int) -> list[int]:
    """Numbers of move sequences of length 1..depth after a line, by the kernel's move list.

    Raises
    ------
    UsageError
        The line cannot be read or is illegal.
    """
    family = FAMILIES[rules.family]
    deals = np.array([cards], dtype=np.uint8)
    return family.perft(family.rules(rules), deals, _moves(rules, cards, line), depth)


def dead(rules: Rules, cards: Sequence[int], line: str) -> list[bool]:
    """Whether the kernel calls positions dead that a line leads to, the first before any move.

    For tests of pruning `dead_test` of family `spider`, which proves the deals it calls dead lost.

    Raises
    ------
    UsageError
        The family has no such test, or the line cannot be read or is illegal.
    """
    family = FAMILIES[rules.family]
    if family.dead is None:
        raise UsageError(f"{rules.game}: the kernel tests no single positions of its family")
    deals = np.array([cards], dtype=np.uint8)
    return family.dead(family.rules(rules), deals, _moves(rules, cards, line))


def _moves(rules: Rules, cards: Sequence[int], line: str) -> list[Move]:
    """The moves of a line, once they have been found legal."""
    position = games.start(rules, cards)
    moves = []
    for word in line.split():
        move = position.parse_move(word)
        position = position.play(move)
        moves.append(move)
    return moves
