"""What a stranger reads of a run to do it again: one command, and how it came about."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solstat.budget import format_budgets
from solstat.deals import SeedRange, parse_seed
from solstat.survey.limits import format_memory
from solstat.survey.reader import Run
from solstat.survey.record import Record
from solstat.survey.store import DEALS

OUT = "again"
"""The directory that the command writes to."""


def seeds(record: Record) -> SeedRange:
    """The seeds that a run plans, which is of seeds."""
    first = parse_seed(record.identity.first_seed or "", record.identity.scheme)
    return SeedRange(first.number, first.number + record.deals, first.prefix)


def solving(record: Record, deals_file: str, steps: Sequence[int]) -> list[str]:
    """The words of a command that solves the deals of a run, with nothing left to a default.

    Parameters
    ----------
    record : Record
        Of the run.
    deals_file : str
        Where its deals are, if it is not one of seeds.
    steps : sequence of int
        Budgets, each of which takes what the last has left open.
    """
    identity = record.identity
    if identity.first_seed is None:
        deals = ["--deals-file", deals_file]
    else:
        deals = ["--deals", str(seeds(record)), "--scheme", identity.scheme]
    settings = ["--budget", format_budgets(steps), "--search", identity.search]
    lines = "--lines" if identity.lines else "--no-lines"
    return ["solstat", "run", "-g", identity.rules, *deals, *settings, lines]


def command(run: Run) -> str:
    """The command line that makes the rows of a run anew, but see `otherwise`.

    Of a run that a rule has stopped it names the deals that it came to.
    """
    words = solving(run.record, str(Path(run.path) / DEALS), run.record.steps)
    return shlex.join([*words, "-o", OUT])


def otherwise(run: Run) -> int:
    """Of how many deals `budget` and `attempt` are other than after the steps of its budgets.

    They were searched with fewer of them, or were errors before. Errors as `Run.tables`.
    """
    import numpy as np
    import pyarrow.compute as pc

    found = 0
    for table in run.tables(["outcome", "positions", "budget", "attempt"]):
        steps = np.array(run.record.steps)
        solved = table.filter(pc.not_equal(table["outcome"], "error"))
        is_open = pc.equal(solved["outcome"], "unsettled").to_numpy()
        last = len(steps) - 1
        place = np.minimum(np.searchsorted(steps, solved["positions"].to_numpy()), last)
        place[is_open] = last
        as_said = steps[place] == solved["budget"].to_numpy()
        as_said &= place + 1 == solved["attempt"].to_numpy()
        found += int(np.count_nonzero(~as_said))
    return found


def account(run: Run) -> list[str]:
    """Lines that say what the run is, how to do it again, and how it was done.

    Errors as `Run.tables`.
    """
    identity = run.record.identity
    lines = [
        f"search {identity.search}, search version {identity.search_version}, "
        f"lines {'on' if identity.lines else 'off'}",
        f"to do it again: {command(run)}",
    ]
    if count := otherwise(run):
        rows = "1 row" if count == 1 else f"{count:,} rows"
        lines.append(
            f"  (all but budget and attempt of {rows}: these deals were searched in other steps, "
            "by the commands below)"
        )
    if identity.deals_sha256 is not None:
        lines.append(f"sha256 of its deals: {identity.deals_sha256}")
    for entry in run.record.history:
        lines += _start(entry)
    return lines


def _start(entry: Mapping[str, Any]) -> list[str]:
    """Lines about one start; what an entry does not say is left out."""
    seconds = "" if entry["seconds"] is None else f", for {entry['seconds']:,.1f} s"
    workers = f", workers {entry['workers']}" if entry.get("workers") else ""
    shard = f"shard {entry['shard']}, " if entry.get("shard") else ""
    lines = [
        f"{shard}started {entry['started']}{seconds}, "
        f"with {entry['stored_before']:,} stored{workers}"
    ]
    if entry.get("command"):
        lines.append(f"  command: {entry['command']}")
    if versions := _mapping(entry.get("versions")):
        names = ", ".join(f"{name} {version}" for name, version in versions.items())
        lines.append(f"  versions: {names}")
    if commit := entry.get("commit"):
        changed = ", with files changed since" if str(commit).endswith("+") else ""
        lines.append(f"  commit: {str(commit).rstrip('+')}{changed}")
    if machine := _mapping(entry.get("machine")):
        size = machine.get("memory_bytes")
        memory = f"{format_memory(size)} of memory" if type(size) is int else None
        cores = None if machine.get("cores") is None else f"{machine['cores']} cores"
        parts = [machine.get("cpu"), cores, memory, machine.get("os")]
        lines.append(f"  machine: {', '.join(str(part) for part in parts if part)}")
    return lines


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
