"""The first deals from a seed on that are proved won.

Behind such a list is a survey that stops once so many deals are won (`solstat.survey.run`): it goes
on where it was stopped, and comes to the same rows with any number of workers. It may have solved
deals beyond the last of the list, which are then not part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solstat import solver
from solstat.boards.board import Board
from solstat.deals import SCHEMES, SeedRange
from solstat.errors import UsageError
from solstat.games import Rules
from solstat.stats.sequential import Won, parse_until
from solstat.survey import executors
from solstat.survey.executors import Executor
from solstat.survey.lock import being_written
from solstat.survey.plan import Plan
from solstat.survey.reader import Run
from solstat.survey.record import FILE, Record
from solstat.survey.run import run_survey

BUDGET = 250_000
"""The most positions that may prove a deal won, unless another number is given."""


@dataclass(frozen=True)
class Winnable:
    """The first deals from a seed on that are proved won.

    Attributes
    ----------
    boards : tuple of Board
        Those deals, in the order of their seeds.
    searched : int
        Number of deals from the first seed to the last board, or to the last deal there is.
    lost, unsettled, error : int
        How many of these were passed over, and as what.
    """

    boards: tuple[Board, ...]
    searched: int
    lost: int
    unsettled: int
    error: int


def find_winnable(
    rules: Rules,
    count: int,
    seeds: SeedRange,
    directory: Path,
    *,
    scheme: str = SCHEMES[0],
    budget: int = BUDGET,
    workers: int | None = None,
    memory: int | None = None,
    command: Sequence[str] = (),
    executor: Callable[[int], Executor] = executors.Processes,
) -> Winnable:
    """The first deals of some seeds that are proved won.

    Parameters
    ----------
    rules : Rules
        The game.
    count : int
        Number of boards.
    seeds : SeedRange
        Where they are looked for, in this order.
    directory : Path
        The run directory of the survey behind the list. If it holds that of fewer boards, or one
        that was stopped, it goes on; if that of more, it must have come to its end.
    scheme : str
        The scheme of the seeds.
    budget : int
        The most positions that may prove a deal won.
    workers, memory, command, executor
        As for `solstat.survey.run.run_survey`; errors too.

    Returns
    -------
    Winnable
        With fewer boards only if there are no more seeds.

    Raises
    ------
    UsageError
        The directory holds a list of more boards that was stopped. Others as `run_survey`.
    """
    rule = Won(count)
    plan = Plan(rules, seeds, budget, scheme, lines=True, until=str(rule))
    _refuse_fewer(plan, directory, count)
    run_survey(
        [plan],
        directory,
        workers=workers,
        memory=memory,
        command=command,
        stop=rule.reached,
        executor=executor,
    )
    return listed(Run(directory), count)


def _refuse_fewer(plan: Plan, directory: Path, count: int) -> None:
    """Refuse a list that would first have to solve what a longer one was stopped over."""
    if not (directory / FILE).exists() or being_written(directory):
        return
    there = Record.load(directory)
    planned = Record.of(plan, solver.search_version(plan.rules.family))
    if (there.identity, there.budget) != (planned.identity, planned.budget) or not there.until:
        return  # a run of something else, which `run_survey` refuses or knows how to go on with
    if there.state == "finished" and Run(directory).stored == there.deals:
        return
    rule = parse_until(there.until)
    if isinstance(rule, Won) and rule.count > count:
        raise UsageError(
            f"{directory} holds a list of {rule.count:,} boards that is not finished: go on with "
            f"--count {rule.count}, name another place, or remove {directory}"
        )


def listed(run: Run, count: int) -> Winnable:
    """The first boards of a run that keeps lines, and what of the deals before was passed over."""
    won: list[dict[str, Any]] = []
    tally: Counter[str] = Counter()
    for row in run.rows(["index", "seed", "outcome", "positions", "moves", "line"]):
        if len(won) == count:
            break
        tally[row["outcome"]] += 1
        if row["outcome"] == "won":
            won.append(row)
    return Winnable(
        boards=tuple(_boards(run, won)),
        searched=tally.total(),
        lost=tally["lost"],
        unsettled=tally["unsettled"],
        error=tally["error"],
    )


def _boards(run: Run, rows: Sequence[dict[str, Any]]) -> list[Board]:
    import numpy as np

    index = np.array([row["index"] for row in rows], dtype=np.int64)
    cards = run.cards(index).tolist() if rows else []
    return [
        Board(
            rules=run.rules,
            scheme=run.record.identity.scheme,
            seed=row["seed"],
            cards=tuple(deal),
            positions=row["positions"],
            moves=row["moves"],
            line=row["line"],
        )
        for row, deal in zip(rows, cards, strict=True)
    ]
