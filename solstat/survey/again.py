"""Plans for runs that exist, of which some deals are to be searched again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal

from solstat import solver
from solstat.budget import format_budget
from solstat.errors import UsageError
from solstat.survey import parts
from solstat.survey.logs import logger
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import Run, counts
from solstat.survey.rounds import Round, pending

What = Literal["unsettled", "errors"]


class Nothing(UsageError):
    """No deal of a run can be searched again so, and none is being searched again."""


def plans_again(
    runs: Sequence[Run], what: What, budgets: Sequence[int], asked: Sequence[Plan] = ()
) -> list[tuple[Run, Plan]]:
    """Of which of some runs deals are to be searched again, and how.

    Those with nothing to do are passed over. If that is all of them, it is refused; but if no deal
    of them is open, the plans are to do nothing. Parameters and errors as `plan_again`.
    """
    found, nothing = [], []
    for run, plan in zip_longest(runs, asked):
        try:
            found.append((run, plan_again(run, what, budgets, plan)))
        except Nothing as error:
            nothing.append((run, error))
    if found:
        for run, _ in nothing:
            logger.info("%s: nothing to do there", run.path)
        return found
    for run, why in nothing:  # there will be no workers: they are forked before rows are read
        there = counts(run)
        if there.unsettled or there.n < run.record.deals:
            raise why
        logger.info("%s: no deals are open", run.path)
    return [(run, _plan(run, (run.record.budget,), ())) for run in runs]


def plan_again(run: Run, what: What, budgets: Sequence[int], asked: Plan | None = None) -> Plan:
    """What is to be searched again in a run; all that is not said is as the run has it.

    Parameters
    ----------
    run : Run
        The run, all its planned deals stored.
    what : str
        ``unsettled``: deals that are open, searched with less than each of `budgets` in turn; or
        ``errors``.
    budgets : sequence of int
        Ascending. If there is none, errors are searched with the budget of the run, and what has
        been begun already goes on.
    asked : Plan, optional
        What the run must be of.

    Raises
    ------
    Nothing
        There is nothing that could be searched again so.
    UsageError
        The run is of something else, or of deals without rows; but those that are lost while deals
        are searched again are solved too, with the budgets that it has had.
    SolstatError
        It is damaged.
    """
    record = run.record
    begun = pending(run.path, record)
    if asked is not None:
        _refuse_other(run, asked)
    missing = record.deals - sum(part.size for part in parts.listed(run.path)[0])
    if missing and begun is None:
        raise (UsageError if budgets else Nothing)(
            f"{run.path}: {missing:,} of {record.deals:,} deals have no rows yet: finish the run "
            "first, by the command that made it"
        )
    search_again = _unsettled if what == "unsettled" else _errors
    steps = record.steps if missing else [record.budget]
    return _plan(run, steps, search_again(run, budgets, begun))


def _plan(run: Run, steps: Sequence[int], again: tuple[Again, ...]) -> Plan:
    identity = run.record.identity
    first, *later = steps
    return Plan(
        rules=run.rules,
        deals=run.deals,
        budget=first,
        scheme=identity.scheme,
        search=identity.search,
        lines=identity.lines,
        shard=run.record.shard,
        again=(*(Again("unsettled", budget) for budget in later), *again),
    )


def _refuse_other(run: Run, asked: Plan) -> None:
    """Refuse a run that is not of the deals, rules and search that are asked for."""
    record = run.record
    same = replace(asked, budget=record.budget, again=())
    if asked.until is not None:  # it may have ended before the last deal
        same = same.cut(record.deals)
    try:
        whole = record.extended(same, solver.search_version(asked.rules.family))
    except UsageError as error:
        raise UsageError(f"{run.path} {error}") from None
    if whole.deals != record.deals:
        raise UsageError(
            f"{run.path} holds a run of {record.deals} deals, {whole.deals} are asked for: "
            "let the same command without --retry solve the others first"
        )


def _unsettled(run: Run, budgets: Sequence[int], begun: Round | None) -> tuple[Again, ...]:
    record = run.record
    if not budgets and begun is not None:
        budgets = [begun.again.budget]
    higher = [budget for budget in budgets if budget > record.budget]
    searched_again = record.budget > record.budgets[0]
    if not higher and not (searched_again and budgets and budgets[-1] == record.budget):
        raise Nothing(
            f"{run.path}: its open deals were searched with {format_budget(record.budget)} each: "
            f"they need more, such as --budget {format_budget(10 * record.budget)}"
        )
    return tuple(Again("unsettled", budget) for budget in higher)


def _errors(run: Run, budgets: Sequence[int], begun: Round | None) -> tuple[Again, ...]:
    record = run.record
    least = format_budget(record.budget)
    if len(budgets) > 1:
        raise UsageError("--retry errors searches once: give one budget, or none")
    budget = record.budget if begun is None else begun.again.budget
    budget = budgets[0] if budgets else budget
    if budget < record.budget:
        raise UsageError(
            f"{run.path}: its budget is {least}: errors are searched with as much, or more"
        )
    return (Again("errors", budget),)
