"""Checking a run: lines are replayed under the readable rules, losses and samples solved again."""

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
from solstat.survey.sample import Again, Stored, in_sample, solve_again, why_bad

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


SAMPLED_AT_ONCE = 32
"""Deals that a worker gets at a time to solve again."""


class Bad(NamedTuple):
    """A deal of which something is wrong, and what."""

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
        Wins whose line does not win.
    no_line : int
        Wins of a run that keeps no lines, but for those of a sample.
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
    sampled : int
        Deals that were solved again.
    differing : tuple of Bad
        Those of them that have another result now.
    """

    replayed: int
    bad: tuple[Bad, ...]
    no_line: int
    lost: int
    lost_checked: int = 0
    contradicted: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    missing: int = 0
    sampled: int = 0
    differing: tuple[Bad, ...] = ()

    @property
    def lost_unchecked(self) -> int:
        """Losses without a second verdict, asked for or not."""
        return self.lost - self.lost_checked - len(self.contradicted)


class _Win(NamedTuple):
    seed: str
    cards: list[int]
    line: str | None


def check(
    run: Run, workers: int, losses: int = 0, budget: int = 1, sample: float | None = None
) -> Check:
    """Replay the lines of a run, which need not be finished, and prove losses again.

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
    sample : float, optional
        Instead of replaying all lines, look at such a share of the deals, and solve them again:
        see `solstat.survey.sample`.

    Raises
    ------
    SolstatError
        The run is damaged, or a worker died.
    """
    keeps_lines = run.record.identity.lines
    rows = won = lost = 0
    losing: list[pa.Table] = []
    found: list[Again] = []
    with _Pool(run, workers) as pool:
        # The first task forks the workers; they need no pyarrow, which reading the rows imports.
        pool.submit(_replayed, run.rules, [])
        columns = ["index", "seed", "outcome", "line"]
        for table in run.tables(columns if sample is None else [*columns, "positions", "budget"]):
            rows += len(table)
            wins = _with_outcome(table, "won")
            won += wins.num_rows
            losses_here = _with_outcome(table, "lost").select(["index", "seed"])
            lost += losses_here.num_rows
            if losses:
                losing.append(losses_here)
            if sample is not None:
                for stored, cards in _sampled(run, table, sample):
                    found += pool.submit(solve_again, run.rules, run.record, stored, cards)
            elif keeps_lines:
                for some in _batches(run, wins):
                    found += pool.submit(_replayed, run.rules, some)
        found += pool.rest()
        verdicts: list[tuple[str, str]] = []
        for seeds, cards in _spread(run, losing, losses):
            verdicts += pool.submit(_proved, run.rules, seeds, cards, budget)
        verdicts += pool.rest()
    seeds_of: dict[str, list[str]] = {outcome: [] for outcome in solver.OUTCOMES}
    for seed, outcome in verdicts:
        seeds_of[outcome].append(seed)
    replayed = sum(each.replayed for each in found)
    return Check(
        replayed=replayed,
        bad=tuple(Bad(each.seed, each.bad) for each in found if each.bad is not None),
        no_line=0 if keeps_lines else won - replayed,
        lost=lost,
        lost_checked=len(seeds_of["lost"]),
        contradicted=tuple(seeds_of["won"]),
        open=tuple(seeds_of["unsettled"]),
        missing=run.record.deals - rows,
        sampled=0 if sample is None else len(found),
        differing=tuple(Bad(each.seed, each.other) for each in found if each.other is not None),
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
                initializer=start_worker,
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


def start_worker(parent: int) -> None:
    """What a process of a pool of concurrent.futures does first."""
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


def _replayed(rules: Rules, wins: list[_Win]) -> list[Again]:
    """What comes of replaying lines."""
    reasons = [(win.seed, why_bad(rules, win.cards, win.line)) for win in wins]
    return [Again(seed, replayed=bad is None, bad=bad) for seed, bad in reasons]


def _sampled(
    run: Run, table: pa.Table, share: float
) -> Iterator[tuple[list[Stored], NDArray[np.uint8]]]:
    """The rows that are in the sample, in groups for one task each; errors have no result."""
    import pyarrow.compute as pc

    table = table.filter(pc.not_equal(table["outcome"], "error"))
    table = table.filter(in_sample(table["seed"].to_pylist(), share))
    for first in range(0, table.num_rows, SAMPLED_AT_ONCE):
        some = table.slice(first, SAMPLED_AT_ONCE)
        rows = zip(*(some[name].to_pylist() for name in Stored._fields), strict=True)
        yield [Stored(*row) for row in rows], run.cards(some["index"].to_numpy())


def _spread(
    run: Run, losing: list[pa.Table], losses: int
) -> Iterator[tuple[list[str], NDArray[np.uint8]]]:
    """Seeds and cards of so many losses, evenly spread, in groups for one task each."""
    if not losing:
        return
    import pyarrow as pa

    lost = pa.concat_tables(losing)
    count = len(lost) if losses == ALL else min(losses, len(lost))
    chosen = lost.take(np.arange(count, dtype=np.int64) * len(lost) // max(count, 1))
    for first in range(0, count, LOSSES_AT_ONCE):
        some = chosen.slice(first, LOSSES_AT_ONCE)
        yield some["seed"].to_pylist(), run.cards(some["index"].to_numpy())


def _proved(
    rules: Rules, seeds: list[str], cards: NDArray[np.uint8], budget: int
) -> list[tuple[str, str]]:
    """What a second search says of deals: seed and outcome."""
    batch = solver.solve_many(
        rules, cards, budget, "plain", lines=False, key_seed=_OTHER_KEYS, backwards=True
    )
    outcomes = [solver.OUTCOMES[index] for index in batch.outcome]
    return list(zip(seeds, outcomes, strict=True))
