"""Plans for runs that exist, of which some deals are to be searched again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from solstat import solver
from solstat.budget import format_budget
from solstat.errors import UsageError
from solstat.survey import parts
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import Run
from solstat.survey.rounds import Round, pending

What = Literal["unsettled", "errors"]


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
    UsageError
        There is nothing that could be searched again so, or the run is of something else.
    SolstatError
        It is damaged.
    """
    record, identity = run.record, run.record.identity
    begun = pending(run.path, record)
    if asked is not None:
        _refuse_other(run, asked)
    missing = record.deals - sum(part.size for part in parts.listed(run.path)[0])
    if missing and begun is None:
        raise UsageError(
            f"{run.path}: {missing:,} of {record.deals:,} deals have no rows yet: finish the run "
            "first, by the command that made it"
        )
    search_again = _unsettled if what == "unsettled" else _errors
    return Plan(
        rules=run.rules,
        deals=run.deals,
        budget=record.budget,
        scheme=identity.scheme,
        search=identity.search,
        lines=identity.lines,
        shard=record.shard,
        again=search_again(run, budgets, begun),
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
        raise UsageError(
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
