"""How far a run is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from solstat.survey.lock import being_written
from solstat.survey.reader import Run, counts
from solstat.survey.rounds import Searched, searched


@dataclass(frozen=True)
class Status:
    """How far a run is.

    Attributes
    ----------
    run : str
        The directory.
    rules : str
        Canonical rules id.
    scheme, budget, search, lines, until, most
        As in the run's record.
    shard : str or None
        Such as ``3/16``, if it is one.
    state : str
        ``running``, ``finished``, ``interrupted``, ``failed``; ``killed`` if it was running and no
        process is at work on it; ``incomplete`` if it was finished and rows are gone since.
    planned, done, todo : int
        Number of deals.
    won, lost, unsettled, error : int
        Of those that are done.
    rate : float or None
        Deals per second since the run was last started.
    seconds_left : float or None
        At that rate, while it runs.
    again : Searched or None
        If deals are being searched again: which, and how far that is.
    """

    run: str
    rules: str
    scheme: str
    budget: int
    search: str
    lines: bool
    until: str | None
    most: int | None
    shard: str | None
    state: str
    planned: int
    done: int
    todo: int
    won: int
    lost: int
    unsettled: int
    error: int
    rate: float | None
    seconds_left: float | None
    again: Searched | None = None


def status(run: Run) -> Status:
    """How far a run is (never ask in the process that writes it). Errors as `Run.tables`."""
    tally = counts(run)
    record = run.record  # as it was when the rows were counted
    state: str = record.state
    if state == "running" and not being_written(run.path):
        state = "killed"
    todo = record.deals - tally.n
    if state == "finished" and todo:
        state = "incomplete"
    rate = _rate(run, tally.n, state)
    return Status(
        run=str(run.path),
        rules=record.identity.rules,
        scheme=record.identity.scheme,
        budget=record.budget,
        search=record.identity.search,
        lines=record.identity.lines,
        until=record.until,
        most=record.most,
        shard=None if record.shard is None else str(record.shard),
        state=state,
        planned=record.deals,
        done=tally.n,
        todo=todo,
        won=tally.won,
        lost=tally.lost,
        unsettled=tally.unsettled,
        error=tally.error,
        rate=rate,
        seconds_left=todo / rate if rate and state == "running" else None,
        again=searched(run.path, record),
    )


def _rate(run: Run, done: int, state: str) -> float | None:
    """Deals per second of the last start; when a killed run ended, its last part tells."""
    if not run.record.history:
        return None
    last = run.record.history[-1]
    started = datetime.fromisoformat(last["started"]).timestamp()
    if last["seconds"] is not None:
        seconds = last["seconds"]
    elif state == "running":
        seconds = datetime.now(UTC).timestamp() - started
    else:
        times = [entry.stat().st_mtime for entry in run.path.glob("part-*.parquet")]
        seconds = max(times, default=started) - started
    solved = done - last["stored_before"]
    return solved / seconds if seconds > 0 and solved > 0 else None
