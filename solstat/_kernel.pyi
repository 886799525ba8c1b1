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

class SpiderRules:
    def __init__(self, *, ranks: int, suits: int, piles: int, depth: int, triangle: bool, onto_empty: bool, finished_runs: str) -> None: ...

class WaveRules:
    def __init__(self, *, ranks: int, suits: int, reserves: int, columns: int, runs: bool, build: bool, fill_empty: bool) -> None: ...

class Search:
    def __init__(self, *, budget: int, lines: bool, plain: bool, prunings: Sequence[str], key_seed: int, backwards: bool, wide_keys: bool) -> None: ...

SCORPION_SEARCH_VERSION: int = 1

def scorpion_solve(rules: ScorpionRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], played: Sequence[Sequence[tuple[str, int, int]]], search: Search, cancel: CancelFlag | None, pulse: Annotated[NDArray[numpy.uint64], dict(shape=(1), device='cpu')] | None) -> tuple:
    """Outcomes, stages, positions, moves, seconds and lines of deals."""

def scorpion_perft(rules: ScorpionRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[str, int, int]], depth: int) -> list[int]:
    """
    Numbers of move sequences of length 1..depth after a line of (kind, card or -1, pile or -1).
    """

SPIDER_SEARCH_VERSION: int = 3

SPIDER_FEATURES: list = ...

SPIDER_WEIGHTS: list = ...

def spider_solve(rules: SpiderRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], played: Sequence[Sequence[tuple[str, int, int]]], search: Search, cancel: CancelFlag | None, pulse: Annotated[NDArray[numpy.uint64], dict(shape=(1), device='cpu')] | None, weights: Sequence[int] | None = None) -> tuple:
    """As scorpion_solve; other weights of the score, for tuning."""

def spider_perft(rules: SpiderRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[str, int, int]], depth: int) -> list[int]:
    """As scorpion_perft."""

def spider_dead(rules: SpiderRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[str, int, int]]) -> list[bool]:
    """
    Whether the dead-position test says so of each position along a legal line.
    """

WAVE_SEARCH_VERSION: int = 1

def wave_solve(rules: WaveRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], played: Sequence[Sequence[tuple[str, int, int]]], search: Search, cancel: CancelFlag | None, pulse: Annotated[NDArray[numpy.uint64], dict(shape=(1), device='cpu')] | None) -> tuple:
    """As scorpion_solve."""

def wave_perft(rules: WaveRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[str, int, int]], depth: int) -> list[int]:
    """As scorpion_perft."""

def wave_replays(rules: WaveRules, deals: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], line: Sequence[tuple[str, int, int]]) -> bool:
    """Whether the kernel's referee says that a line wins, for tests."""

def crash() -> None:
    """Crash, for tests of who survives it."""

def hang() -> None:
    """Never return and heed no signal's handler, for tests of who notices."""
