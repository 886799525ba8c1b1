"""Checking a run: lines of wins are replayed under the readable rules, losses proved once more."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from solstat import solver
from solstat.errors import SolstatError
from solstat.games import Rules
from solstat.survey.executors import follow_parent, starting
from solstat.survey.reader import Run
from solstat.verify import BadLine, replay_win

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

LINES_AT_ONCE = 200
"""Lines that a worker gets at a time: some tenths of a second."""

LOSSES_AT_ONCE = 4
"""Losses that a worker gets at a time: some may take minutes."""

ALL = -1
"""In place of a number of losses: all of them."""

_OTHER_KEYS = 0x50F7  # a loss is proved again under other hash keys than those of surveys


class Bad(NamedTuple):
    """A win whose line does not win, and why."""

    seed: str
    reason: str


@dataclass(frozen=True)
class Check:
    """What came of checking a run.

    Attributes
    ----------
    replayed : int
        Wins whose line was played and wins.
    bad : tuple of Bad
        The other wins of a run that keeps lines.
    no_line : int
        Wins of a run that keeps none.
    lost : int
        Losses.
    lost_checked : int
        Losses that a second search proved again.
    contradicted : tuple of str
        Seeds of losses of which the second search says that they are won.
    open : tuple of str
        Seeds of losses that the second search did not settle within its budget.
    missing : int
        Planned deals that have no row.
    """

    replayed: int
    bad: tuple[Bad, ...]
    no_line: int
    lost: int
    lost_checked: int = 0
    contradicted: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    missing: int = 0

    @property
    def lost_unchecked(self) -> int:
        """Losses without a second verdict, asked for or not."""
        return self.lost - self.lost_checked - len(self.contradicted)


class _Lost(NamedTuple):
    place: int
    seed: str


class _Win(NamedTuple):
    seed: str
    cards: list[int]
    line: str | None


def check(run: Run, workers: int, losses: int = 0, budget: int = 1) -> Check:
    """Replay all lines of a run, which need not be finished, and prove losses again.

    The second proof leaves nothing out but positions seen before (`--search plain`), takes moves in
    the opposite order, and uses other hash keys.

    Parameters
    ----------
    run : Run
        The run.
    workers : int
        Number of processes.
    losses : int
        How many losses to prove again, spread evenly over the run; `ALL` for all.
    budget : int
        The most positions that each of these proofs may cost.

    Raises
    ------
    SolstatError
        The run is damaged, or a worker died.
    """
    rows = won = 0
    bad: list[Bad] = []
    lost: list[_Lost] = []
    with _Pool(run, workers) as pool:
        # The first task forks the workers; they need no pyarrow, which reading the rows imports.
        pool.submit(_replayed, run.rules, [])
        for table in run.tables(["index", "seed", "outcome", "line"]):
            rows += len(table)
            losing = _with_outcome(table, "lost")
            lost += map(_Lost, losing["index"].to_pylist(), losing["seed"].to_pylist())
            wins = _with_outcome(table, "won")
            won += wins.num_rows
            if run.record.identity.lines:
                for some in _batches(run, wins):
                    bad += pool.submit(_replayed, run.rules, some)
        bad += pool.rest()
        verdicts: list[tuple[str, str]] = []
        for chosen in _spread(lost, losses):
            cards = run.cards(np.array([loss.place for loss in chosen], np.int64))
            seeds = [loss.seed for loss in chosen]
            verdicts += pool.submit(_proved, run.rules, seeds, cards, budget)
        verdicts += pool.rest()
    seeds_of: dict[str, list[str]] = {outcome: [] for outcome in solver.OUTCOMES}
    for seed, outcome in verdicts:
        seeds_of[outcome].append(seed)
    return Check(
        replayed=won - len(bad) if run.record.identity.lines else 0,
        bad=tuple(bad),
        no_line=0 if run.record.identity.lines else won,
        lost=len(lost),
        lost_checked=len(seeds_of["lost"]),
        contradicted=tuple(seeds_of["won"]),
        open=tuple(seeds_of["unsettled"]),
        missing=run.record.deals - rows,
    )


class _Pool:
    """Processes that take tasks in order; only so many wait at a time."""

    def __init__(self, run: Run, workers: int) -> None:
        self._run = run
        self._most = 2 * workers
        self._waiting: deque[Future[list[Any]]] = deque()
        with starting(workers):
            self._pool = ProcessPoolExecutor(
                workers,
                multiprocessing.get_context("fork"),
                initializer=_start_worker,
                initargs=(os.getpid(),),
            )

    def submit(self, task: Callable[..., list[Any]], *arguments: object) -> list[Any]:
        """Hand a task in; the results of an older one, if too many wait."""
        try:
            self._waiting.append(self._pool.submit(task, *arguments))
        except BrokenProcessPool:
            raise self._died() from None
        return self._first() if len(self._waiting) > self._most else []

    def rest(self) -> list[Any]:
        """The results of all tasks that still wait."""
        results: list[Any] = []
        while self._waiting:
            results += self._first()
        return results

    def _first(self) -> list[Any]:
        try:
            return self._waiting.popleft().result()
        except BrokenProcessPool:
            raise self._died() from None

    def _died(self) -> SolstatError:
        return SolstatError(f"{self._run.path}: a process died while it checked deals")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # There are tasks left if it was interrupted.
        self._pool.shutdown(wait=not self._waiting, cancel_futures=True)


def _start_worker(parent: int) -> None:
    follow_parent(parent)
    # Ctrl-C reaches the whole group; the parent, who tells of it, ends the workers by SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _with_outcome(table: pa.Table, outcome: str) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.equal(table["outcome"], outcome))


def _batches(run: Run, wins: pa.Table) -> Iterator[list[_Win]]:
    for first in range(0, wins.num_rows, LINES_AT_ONCE):
        some = wins.slice(first, LINES_AT_ONCE)
        cards = run.cards(some["index"].to_numpy()).tolist()
        rows = zip(some["seed"].to_pylist(), cards, some["line"].to_pylist(), strict=True)
        yield [_Win(*row) for row in rows]


def _replayed(rules: Rules, wins: list[_Win]) -> list[Bad]:
    """The wins whose lines do not win."""
    bad = []
    for win in wins:
        try:
            if win.line is None:
                raise BadLine("no line")
            replay_win(rules, win.cards, win.line)
        except BadLine as error:
            bad.append(Bad(win.seed, str(error)))
    return bad


def _spread(lost: list[_Lost], losses: int) -> Iterator[list[_Lost]]:
    """So many losses, evenly spread, in groups for one task each."""
    count = len(lost) if losses == ALL else min(losses, len(lost))
    chosen = [lost[place * len(lost) // count] for place in range(count)]
    for first in range(0, count, LOSSES_AT_ONCE):
        yield chosen[first : first + LOSSES_AT_ONCE]


def _proved(
    rules: Rules, seeds: list[str], cards: NDArray[np.uint8], budget: int
) -> list[tuple[str, str]]:
    """What a second search says of deals: seed and outcome."""
    batch = solver.solve_many(
        rules, cards, budget, "plain", lines=False, key_seed=_OTHER_KEYS, backwards=True
    )
    outcomes = [solver.OUTCOMES[index] for index in batch.outcome]
    return list(zip(seeds, outcomes, strict=True))
