"""Runs that are put together: the same rules and search, different deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from solstat.budget import format_budget
from solstat.errors import UsageError
from solstat.stats.common import refuse_common
from solstat.survey.reader import Counts, Run, counts


@dataclass(frozen=True)
class Pool:
    """Runs that are as one.

    Attributes
    ----------
    runs : tuple of Run
        At least one.
    counts : Counts
        Outcomes of the deals of all of them.
    """

    runs: tuple[Run, ...]
    counts: Counts


def pools(runs: Iterable[Run], budget: int | None = None) -> list[Pool]:
    """Runs of the same rules, scheme, search and search version put together, in their order.

    Parameters
    ----------
    runs : iterable of Run
        In any order.
    budget : int, optional
        The budget the outcomes are at; if not given that of the runs, which must be one.

    Raises
    ------
    UsageError
        Runs to be put together have deals in common or different budgets, or the budget is above
        what open deals were searched with.
    SolstatError
        As `Run.tables`.
    """
    alike: dict[tuple[str, str, str, int], list[Run]] = {}
    for run in runs:
        identity = run.record.identity
        what = (identity.rules, identity.scheme, identity.search, identity.search_version)
        alike.setdefault(what, []).append(run)
    for group in alike.values():
        if budget is None:
            _refuse_budgets(group)
        refuse_common(group)
    return [Pool(tuple(group), _together(group, budget)) for group in alike.values()]


def interval_of(runs: Sequence[Run], *, exact: bool = False) -> str:
    """The way to make intervals that is right for runs, one of `intervals.METHODS`.

    That of the run itself (`Record.interval`), or exact ones if they are asked for. A pool with a
    run in it that has looked at its outcomes needs a confidence sequence too.

    Raises
    ------
    UsageError
        Exact intervals are asked for of such a run.
    """
    for run in runs:
        if run.record.until:
            if exact:
                raise UsageError(
                    f"{run.path} was stopped by its outcomes (--until), which an exact interval "
                    "does not allow for: leave out --exact for a confidence sequence"
                )
            return run.record.interval
    return "exact" if exact else "wilson"


def _refuse_budgets(group: Sequence[Run]) -> None:
    for run in group[1:]:
        if run.record.budget != group[0].record.budget:
            low, high = sorted((group[0].record.budget, run.record.budget))
            raise UsageError(
                f"{group[0].path} and {run.path}: runs of {group[0].record.identity.rules} with "
                f"the budgets {format_budget(low)} and {format_budget(high)} are put together at "
                f"one: say which, as with --budget {format_budget(low)}"
            )


def _together(group: Sequence[Run], budget: int | None) -> Counts:
    every = [counts(run, budget) for run in group]
    names = ("won", "lost", "unsettled", "error")
    total = {name: sum(getattr(each, name) for each in every) for name in names}
    return Counts(every[0].rules, every[0].budget, **total)
