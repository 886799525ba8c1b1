"""Checking a run: the line of each win is replayed under the readable rules."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from solstat.errors import SolstatError
from solstat.games import Rules
from solstat.survey.executors import follow_parent
from solstat.survey.reader import Run
from solstat.verify import BadLine, replay_win

if TYPE_CHECKING:
    import pyarrow as pa

LINES_AT_ONCE = 200
"""Lines that a worker gets at a time: some tenths of a second."""


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
        Losses. They are not proved again.
    """

    replayed: int
    bad: tuple[Bad, ...]
    no_line: int
    lost: int


class _Win(NamedTuple):
    seed: str
    cards: list[int]
    line: str | None


def check(run: Run, workers: int) -> Check:
    """Replay all lines of a run, which need not be finished.

    Parameters
    ----------
    run : Run
        The run.
    workers : int
        Number of processes.

    Raises
    ------
    SolstatError
        The run is damaged, or a worker died.
    """
    won = lost = 0
    bad: list[Bad] = []
    waiting: deque[Future[list[Bad]]] = deque()
    with ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("fork"),
        initializer=_start_worker,
        initargs=(os.getpid(),),
    ) as pool:
        # The first task forks the workers; they need no pyarrow, which reading the rows imports.
        waiting.append(pool.submit(_replayed, run.rules, []))
        try:
            for table in run.tables(["index", "seed", "outcome", "line"]):
                lost += _with_outcome(table, "lost").num_rows
                wins = _with_outcome(table, "won")
                won += wins.num_rows
                if not run.record.identity.lines:
                    continue
                for some in _batches(run, wins):
                    waiting.append(pool.submit(_replayed, run.rules, some))
                    if len(waiting) > 2 * workers:
                        bad += waiting.popleft().result()
            for future in waiting:
                bad += future.result()
        except BrokenProcessPool:
            raise SolstatError(f"{run.path}: a process died while it replayed lines") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # there are some if it was interrupted
    if not run.record.identity.lines:
        return Check(0, (), won, lost)
    return Check(won - len(bad), tuple(bad), 0, lost)


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
