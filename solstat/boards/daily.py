"""The board of a day: the same for everyone, proved winnable.

Version, rules and date make a stream of seeds (docs/boards.md has it to the bit), and the first of
them whose deal is proved won is the board. No clock, time zone or locale has a part in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from solstat import solver
from solstat.boards.board import Board
from solstat.budget import format_budget
from solstat.cards import shown
from solstat.errors import SolstatError, UsageError
from solstat.games import Rules
from solstat.survey import executors, limits
from solstat.survey.executors import Died, Executor
from solstat.survey.plan import Chunk, Plan, Range
from solstat.survey.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solstat.solver import Batch

VERSION = "solstat-daily-1"
"""Name of the stream. It changes whenever a board of any day would."""

BUDGET = 250_000
"""The most positions that may prove a deal won."""

SCHEME = "solstat"
"""The scheme of the seeds."""

MOST = 10_000
"""So many deals of a day are tried: there are rules by which hardly any is won, or none."""

LARGEST_CHUNK = 16
POLL_SECONDS = 0.25


class Candidate(NamedTuple):
    """A deal that may be the board of a day: number `number`, from 0, of its stream."""

    date: date
    number: int


def seed_of(rules: Rules, day: date, number: int) -> int:
    """A seed of the stream of a day, counted from 0.

    >>> from solstat.games import rules
    >>> seed_of(rules("wasp"), date(2026, 11, 29), 0)
    12891892757951578826
    """
    text = f"{VERSION}/{rules.id}/{day.isoformat()}/{number}"
    return int.from_bytes(sha256(text.encode("ascii")).digest()[:8], "big")


def today() -> date:
    """The date in UTC."""
    return datetime.now(UTC).date()


def parse_date(text: str) -> date:
    """The date that a text such as 2026-11-29 names (UsageError if it names none)."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise UsageError(f"date {shown(text)}: write a day that there is, like 2026-11-29")


def days_of(year: int) -> list[date]:
    """All days of a year."""
    first = date(year, 1, 1)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return [first + timedelta(days=days) for days in range(366 if leap else 365)]


def daily_boards(
    rules: Rules,
    days: Sequence[date],
    *,
    workers: int | None = None,
    memory: int | None = None,
    executor: Callable[[int], Executor] = executors.Processes,
) -> list[Board]:
    """The boards of some days.

    Parameters
    ----------
    rules : Rules
        The game.
    days : sequence of date
        Each is a day of its own; what the others are makes no difference.
    workers : int, optional
        Number of processes; the CPUs this process may use if not given.
    memory : int, optional
        Bytes that all of them may use; what this process may use if not given.
    executor : callable
        From a number of workers to what solves chunks.

    Returns
    -------
    list of Board
        In the order of the days.

    Raises
    ------
    UsageError
        Deals may need more memory than there is.
    SolstatError
        No deal of a day is proved won; or the solver failed or a worker died, and then nothing is
        known of that day.
    """
    count = min(workers or limits.cpus(), len(days))
    plan = Plan(rules, (), BUDGET, SCHEME)
    limits.check_memory([plan], count, limits.memory() if memory is None else memory)
    pool = executor(count)
    progress = Progress(f"{rules.id}, boards of days", len(days), {}) if len(days) > 1 else None
    try:
        found: dict[date, Board] = {}
        left = [Candidate(day, 0) for day in days]
        while left:  # a round more for those whose deals so far are not proved won
            boards: dict[date, Board] = {}
            for more in _proved(rules, left, pool):
                boards |= more
                if progress is not None:
                    progress.add({"won": len(more)})
            found |= boards
            left = [Candidate(day, number + 1) for day, number in left if day not in boards]
            if left and left[0].number == MOST:
                raise SolstatError(
                    f"{rules.id}: none of the first {MOST:,} deals of {left[0].date} is proved won "
                    f"within {format_budget(BUDGET)} positions: there is no board of that day"
                )
        return [found[day] for day in days]
    finally:
        pool.close()
        if progress is not None:
            progress.close()


def _proved(
    rules: Rules, candidates: Sequence[Candidate], pool: Executor
) -> Iterator[dict[date, Board]]:
    """Those of some candidates that are proved won, as the boards of their days, as they come."""
    seeds = [str(seed_of(rules, *candidate)) for candidate in candidates]
    cards = solver.deal_many(SCHEME, seeds)
    whole = Chunk(rules, SCHEME, BUDGET, "full", True, Range(0, len(seeds)), None, cards)
    waiting = _cut(whole, pool.workers)
    while waiting or pool.in_flight:
        while waiting and pool.room:
            pool.submit(waiting.pop())
        for result in pool.wait(POLL_SECONDS):
            if isinstance(result, Died):
                raise SolstatError(
                    f"a worker died ({result.cause}), so the boards are not known; try again"
                )
            yield _boards(rules, candidates, cards, *result)


def _boards(
    rules: Rules,
    candidates: Sequence[Candidate],
    cards: NDArray[np.uint8],
    chunk: Chunk,
    batch: Batch,
) -> dict[date, Board]:
    found: dict[date, Board] = {}
    for at, place in enumerate(range(*chunk.range)):
        outcome = solver.OUTCOMES[batch.outcome[at]]
        line, candidate = batch.line[at], candidates[place]
        seed = str(seed_of(rules, *candidate))
        if outcome == "error":
            raise SolstatError(f"{rules.id}: the solver failed over seed {seed}, which is a bug")
        if line is not None:
            found[candidate.date] = Board(
                rules=rules,
                scheme=SCHEME,
                seed=seed,
                cards=tuple(cards[place].tolist()),
                positions=int(batch.positions[at]),
                moves=int(batch.moves[at]),
                line=line,
                date=candidate.date.isoformat(),
            )
    return found


def _cut(chunk: Chunk, workers: int) -> list[Chunk]:
    """The deals of a chunk in smaller ones, so that the workers finish together."""
    size = max(1, min(LARGEST_CHUNK, chunk.size // (2 * workers)))
    starts = range(0, chunk.size, size)
    return [chunk.part(first, min(first + size, chunk.size), 0) for first in starts]
