"""The search kernel of solstat; use it through solstat.solver."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Cancelled(Exception):
    pass

class CancelFlag:
    def __init__(self) -> None: ...

    def set(self) -> None:
        """Ask running searches to stop."""

    def is_set(self) -> bool: ...

def deal_solstat(seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """Deals of scheme solstat as 13 * suit + rank, one row a seed."""

def deal_pysol(low: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """PySolFC's boards low + 2^64 high, one row a number."""

def deal_microsoft(numbers: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """Microsoft's boards, one row a number."""

class ScorpionRules:
    def __init__(self, *, ranks: int, suits: int, piles: int, depth: int, face_down_piles: int, any_to_empty: bool) -> None: ...

class ScorpionPrunings:
    def __init__(self, *, joined_stay: bool, dead_test: bool, persistent: bool, compound: bool, futile: bool) -> None: ...

SCORPION_SEARCH_VERSION: int = 1

def scorpion_solve(rules: ScorpionRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], budget: int, lines: bool, prunings: ScorpionPrunings, key_seed: int, backwards: bool, wide_keys: bool, cancel: CancelFlag | None) -> tuple:
    """Outcomes, positions, moves, seconds and lines of deals."""

def scorpion_perft(rules: ScorpionRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[int, int]], depth: int) -> list[int]:
    """
    Numbers of move sequences of length 1..depth after a line of (card or -1, pile).
    """
