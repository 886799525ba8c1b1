"""Surveys that are kept: finished runs of a config, or summaries of them, found by what they are.

A config NAME.toml has its rows in a directory NAME or, if those are too many to keep, a summary in
NAME.json. Either is the finished run of a plan if its identity, budget and number of deals are
those of the plan, and every deal is there. If both are there, the one that is so counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from solstat import solver
from solstat.errors import UsageError
from solstat.survey import reader
from solstat.survey.directories import directory_name
from solstat.survey.plan import Plan
from solstat.survey.reader import Counts, Run
from solstat.survey.record import FILE, Record
from solstat.survey.summary import read_summaries


@dataclass(frozen=True)
class Kept:
    """A finished run that is kept, with its rows or without.

    Attributes
    ----------
    path : Path
        Its directory, or the file of its summary.
    record : Record
        What it is.
    rows : Run or None
        The run, if its rows are there.
    summed : Counts or None
        Outcomes at its budget, if there is a summary only.
    """

    path: Path
    record: Record
    rows: Run | None = None
    summed: Counts | None = None

    def counts(self, budget: int | None = None) -> Counts:
        """The outcomes at a budget, its own if none is given.

        Raises
        ------
        UsageError
            They are not known at that budget: it is more than the open deals were searched with,
            or less than that of a run of which only a summary is there.
        """
        if self.rows is not None:
            return reader.counts(self.rows, budget)
        assert self.summed is not None
        if budget not in (None, self.record.budget):
            raise UsageError(f"{self.path}: a summary, which knows its own budget only")
        return self.summed


def kept(plan: Plan, name: str, top: Path, *, apart: bool) -> Kept:
    """The finished run of a plan.

    Parameters
    ----------
    plan : Plan
        Of a config.
    name : str
        Of the config, without ``.toml``.
    top : Path
        The directory in which it has a directory or a summary of its name.
    apart : bool
        Whether the runs of the config each have a directory under it, as tables have.

    Raises
    ------
    UsageError
        There is none: the message says what is there instead.
    SolstatError
        What is there is damaged.
    """
    directory = top / name / directory_name(plan.rules.id) if apart else top / name
    summary = top / f"{name}.json"
    reasons = []
    for there, read, path in (
        ((directory / FILE).exists(), _directory, directory),
        (summary.exists(), _summary, summary),
    ):
        if there:
            try:
                return read(plan, path)
            except UsageError as reason:
                reasons.append(str(reason))
    raise UsageError("; ".join(reasons) or f"{directory}: no run there, and no summary {summary}")


def _directory(plan: Plan, directory: Path) -> Kept:
    run = Run(directory)
    _check(plan, run.record, str(directory))
    if (there := run.stored) != run.record.deals:
        raise UsageError(f"{directory}: {there} of {run.record.deals} deals are there")
    return Kept(directory, run.record, rows=run)


def _summary(plan: Plan, path: Path) -> Kept:
    for each in read_summaries(path):
        if each.record.identity.rules == plan.rules.id:
            _check(plan, each.record, str(path))
            if each.counts.n != each.record.deals:
                raise UsageError(f"{path}: {each.counts.n} of {each.record.deals} deals are in it")
            return Kept(path, each.record, summed=each.counts)
    raise UsageError(f"{path}: no summary of {plan.rules.id} in it")


def _check(plan: Plan, record: Record, what: str) -> None:
    """Refuse a run that is not the plan's, from the first deal to the last."""
    plan = replace(plan, budget=max(plan.budgets), again=())
    try:
        whole = record.extended(plan, solver.search_version(plan.rules.family))
    except UsageError as error:
        raise UsageError(f"{what} {error}") from None
    if record != replace(whole, state="finished"):
        raise UsageError(
            f"{what}: {record.state}, {record.deals} deals planned, and {whole.deals} are asked for"
        )
