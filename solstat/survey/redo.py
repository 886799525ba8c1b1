"""What a stranger reads of a run to do it again: one command, and how it came about."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solstat.budget import format_budgets
from solstat.deals import SCHEMES, SeedRange, parse_seed
from solstat.solver import SEARCHES
from solstat.survey.limits import format_memory
from solstat.survey.reader import Run
from solstat.survey.record import Record
from solstat.survey.store import DEALS

OUT = "again"
"""The directory that the command writes to."""


def budgets(record: Record) -> list[int]:
    """Its budget, after those with which deals that it had left open were searched before."""
    return [each for each in record.budgets if each <= record.budget]


def command(run: Run) -> str:
    """The command line that makes the rows of a run anew, with nothing left to a default or config.

    Of a run that a rule has stopped it names the deals that it came to.
    """
    record, identity = run.record, run.record.identity
    words = ["solstat", "run", "-g", identity.rules]
    if identity.first_seed is None:
        words += ["--deals-file", str(Path(run.path) / DEALS)]
    else:
        first = parse_seed(identity.first_seed, identity.scheme)
        deals = SeedRange(first.number, first.number + record.deals, first.prefix)
        words += ["--deals", str(deals)]
        if identity.scheme != SCHEMES[0]:
            words += ["--scheme", identity.scheme]
    words += ["--budget", format_budgets(budgets(record))]
    if identity.search != SEARCHES[0]:
        words += ["--search", identity.search]
    words += ["--lines" if identity.lines else "--no-lines", "-o", OUT]
    return shlex.join(words)


def account(run: Run) -> list[str]:
    """Lines that say what the run is, how to do it again, and how it was done."""
    identity = run.record.identity
    lines = [
        f"search {identity.search}, search version {identity.search_version}, "
        f"lines {'on' if identity.lines else 'off'}",
        f"to do it again: {command(run)}",
    ]
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
