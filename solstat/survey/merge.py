"""From the shards of a survey to the run that one machine would have made.

Rows are copied, with their index among all deals. run.json comes last, and with it the run: a merge
that is killed before that is done again from the start. Then the shards are moved out of the way of
programs that read all the Parquet files there are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solstat.budget import format_budget
from solstat.deals import Deal, parse_seed
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.lock import locked
from solstat.survey.older import older_rows, searched_again
from solstat.survey.plan import Range, Shard, deals_sha256, deals_text
from solstat.survey.reader import JOINED, LEVELS, SHARD, Run
from solstat.survey.record import (
    FILE,
    Record,
    directory_path,
    sync_directory,
    write_file,
)
from solstat.survey.rounds import OLDER, older_file, older_files
from solstat.survey.status import status
from solstat.survey.store import DEALS, moment

if TYPE_CHECKING:
    import pyarrow as pa

    from solstat.survey.rows import Writer

_NAMES = {"of": "number of shards", "deals": "number of deals"}
"""What fields of a shard are called; others by their own name."""


def merge(
    top: str | os.PathLike[str],
    to: str | os.PathLike[str] | None = None,
    command: Sequence[str] = (),
) -> list[Path]:
    """Join the shards in a directory, of each of several games if there are such.

    Parameters
    ----------
    top : path
        The directory that was given to each of the shards.
    to : path, optional
        Where the run goes; if not given, into `top`, and the shards into ``_shards`` in it.
    command : sequence of str
        The words of the command line, for run.json.

    Returns
    -------
    list of Path
        The run directories.

    Raises
    ------
    UsageError
        There are no shards, or there is something else where the run is to be.
    SolstatError
        Shards are missing, not finished, damaged, or not of one survey: the message names them.
    """
    top = directory_path(top)
    groups = shards_under(top)
    if not groups:
        none = "no shards here, such as shard-03-of-16"
        why = "its shards are joined already" if (top / JOINED).exists() else none
        raise UsageError(f"{top}: {why}")
    places = {
        parent: parent if to is None else directory_path(to) / parent.relative_to(top)
        for parent in groups
    }
    made = [parent for parent in groups if parent == places[parent] and _is_made(groups[parent])]
    for parent, runs in groups.items():
        if parent not in made:
            check(runs)
    for parent, runs in groups.items():
        if parent not in made:
            _join(runs, places[parent], command)
        if parent == places[parent]:
            _move(runs, parent / JOINED)
    return list(places.values())


def shards_under(top: Path) -> dict[Path, list[Run]]:
    """The shards in a directory and up to some levels below, by the directory they are in."""
    found = sorted(
        entry.parent
        for level in range(LEVELS)
        for entry in top.glob(f"{'*/' * level}{SHARD}/{FILE}")
    )
    runs = [run for path in found if (run := Run(path)).record.shard is not None]
    # Those of a survey that is joined have been moved below it, or will be.
    of_parent = groupby(runs, key=lambda run: run.path.parent)
    return {parent: list(group) for parent, group in of_parent if parent.name != JOINED}


def check(runs: Sequence[Run]) -> None:
    """Refuse (SolstatError) what is not all the shards of one survey, each finished."""
    by_number: dict[int, Run] = {}
    for run in runs:
        shard = _shard(run)
        if differing := _difference(runs[0], run):
            raise SolstatError(f"{run.path}: not of the survey of {runs[0].path}: {differing}")
        if other := by_number.get(shard.number):
            raise SolstatError(f"{other.path} and {run.path} are both shard {shard}")
        by_number[shard.number] = run
    of = _shard(runs[0]).of
    if missing := [f"{number}/{of}" for number in range(1, of + 1) if number not in by_number]:
        more = "" if len(missing) <= 5 else f" and {len(missing) - 5} more"
        raise SolstatError(
            f"{runs[0].path.parent}: missing of its {of} shards: {', '.join(missing[:5])}{more}; "
            f"do them first (--shard {missing[0]})"
        )
    for run in runs:
        found = status(run)
        if found.state != "finished":
            raise SolstatError(
                f"{run.path}: {found.state}, {found.done:,} of {found.planned:,} deals are done; "
                f"finish it first (--shard {_shard(run)})"
            )
        _check_older(run)


def _check_older(run: Run) -> None:
    """Refuse (SolstatError) a shard that has not all rows of deals that were searched again."""
    import pyarrow.compute as pc

    now, replaced = [], 0
    for table in run.tables():  # all columns, so that it is damage to any that is told here
        now.append(searched_again(table))
        replaced += pc.sum(pc.subtract(table["attempt"], 1)).as_py()
    there = sum(len(table) for table in older_rows(run, now=now))
    if there != replaced:
        raise SolstatError(
            f"{run.path / OLDER}: {there:,} of {replaced:,} rows are there that deals had before "
            "they were searched again; copy it again from where it was made"
        )


def _shard(run: Run) -> Shard:
    assert run.record.shard is not None, "shards_under() takes no others"
    return run.record.shard


def _difference(one: Run, other: Run) -> str | None:
    """What two shards of one survey do not differ in; None if they do not."""
    for name, mine, yours in (
        *_pairs(replace(_shard(one), number=1), replace(_shard(other), number=1)),
        *_pairs(_common(one.record), _common(other.record)),
        ("budget", format_budget(one.record.budget), format_budget(other.record.budget)),
        ("first_seed", _first_seed(other), other.record.identity.first_seed),
    ):
        if mine != yours:
            return f"its {_NAMES.get(name, name).replace('_', ' ')} is {yours}, not {mine}"
    return None


def _pairs(one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    for name, value in vars(one).items():
        yield name, value, getattr(other, name)


def _common(record: Record) -> Any:
    return replace(record.identity, first_seed=None, deals_sha256=None)


def _first_seed(run: Run) -> str | None:
    """The first seed that a shard must have."""
    shard = _shard(run)
    if shard.first_seed is None:
        return None
    seed = parse_seed(shard.first_seed, run.record.identity.scheme)
    return str(seed._replace(number=seed.number + shard.range.first))


def _join(runs: Sequence[Run], place: Path, command: Sequence[str]) -> None:
    """Write the rows of all shards as one run, unless that is done."""
    from solstat.survey import rows
    from solstat.survey.provenance import command_text, provenance

    began = time.monotonic()
    runs = sorted(runs, key=lambda run: _shard(run).number)
    record = _record(runs)
    try:
        place.mkdir(parents=True, exist_ok=True)
        lock = locked(place)
    except OSError as error:
        raise SolstatError(f"cannot write to {place}: {error.strerror}") from None
    with lock:
        _refuse_others(place, record, runs)
        deals = _deals(runs, record)
        about = provenance()
        rows.remove_partial(place)
        writer = rows.Writer(place, record, deals, about)
        stream = _Stream(writer.taken(*each) for each in _tables(runs))
        for part in _cut(record.deals):
            writer.write(part, rows.row_groups(stream.take(part.size)))
        _join_older(runs, writer)
        if deals:
            write_file(place / DEALS, deals_text(deals))
        sync_directory(place)
        entry = {
            "started": moment(time.monotonic() - began),
            "seconds": round(time.monotonic() - began, 3),
            "stored_before": record.deals,
            "workers": 1,
            "command": command_text(command),
            **about,
        }
        replace(record, history=(*record.history, entry)).save(place)
        sync_directory(place)


def _is_made(runs: Sequence[Run]) -> bool:
    """Whether the run of some shards is there, above them, and they are only to be moved.

    It may have more deals than they by now. One that is not whole is not taken for it: what it
    lacks may be in the shards alone.
    """
    place = runs[0].path.parent
    if not (place / FILE).exists():
        return False
    there = Run(place)
    record = there.record
    for run in runs:
        shard = _shard(run)
        made = _common(record) == _common(run.record) and run.record.budget in record.budgets
        if not made or record.identity.first_seed != shard.first_seed or record.deals < shard.deals:
            raise UsageError(f"{place} holds another run than that of its shards: use -o")
    found = status(there)
    if found.state != "finished":
        raise SolstatError(
            f"{place}: {found.state}, {found.done:,} of {found.planned:,} deals are done, and its "
            f"shards are beside it: finish it first, or remove its {FILE}, and the same command "
            "makes it anew from them"
        )
    return True


def _record(runs: Sequence[Run]) -> Record:
    """The record of the run that the shards make; its history is theirs, in order of time."""
    first = runs[0].record
    whole = _shard(runs[0])
    identity = replace(first.identity, first_seed=whole.first_seed, deals_sha256=whole.deals_sha256)
    history = sorted(
        ({**entry, "shard": str(_shard(run))} for run in runs for entry in run.record.history),
        key=lambda entry: str(entry["started"]),
    )
    return replace(
        first,
        identity=identity,
        deals=whole.deals,
        shard=None,
        history=tuple(history),
        budgets=tuple({budget for run in runs for budget in run.record.budgets}),
        round=max(run.record.round for run in runs),
    )


def _refuse_others(place: Path, record: Record, runs: Sequence[Run]) -> None:
    """Refuse a place that holds more than an earlier merge of the same shards has left."""
    if (place / FILE).exists():
        raise UsageError(f"{place} holds a run: name a new or empty directory (-o)")
    expected = {parts.name(part) for part in _cut(record.deals)}
    expected |= {DEALS, JOINED, OLDER} | {run.path.name for run in runs if run.path.parent == place}
    others = sorted(
        entry.name
        for entry in place.iterdir()
        if entry.name not in expected and not entry.name.startswith(".")
    )
    if others:
        raise UsageError(
            f"{place} holds other files, such as {others[0]}: name a new or empty directory (-o)"
        )


def _deals(runs: Iterable[Run], record: Record) -> list[Deal]:
    """The deals of all shards, if they are of a file."""
    if record.identity.deals_sha256 is None:
        return []
    deals = [deal for run in runs for deal in run.file_deals]
    if deals_sha256(deals) != record.identity.deals_sha256:
        raise SolstatError("the deals of the shards are not together those of their file")
    return deals


def _tables(runs: Iterable[Run]) -> Iterator[tuple[pa.Table, int]]:
    """The rows of all shards, and what their index is higher by among all deals."""
    for run in runs:
        for table in run.tables():
            yield table, _shard(run).range.first


def _join_older(runs: Iterable[Run], writer: Writer) -> None:
    """Write the rows that deals had before they were searched again, round by round."""
    from solstat.survey import rows, stored

    place = writer.directory
    files: dict[int, list[tuple[Run, Path]]] = {}
    for run in runs:
        for number, path in older_files(run.path):
            files.setdefault(number, []).append((run, path))
    for number, found in files.items():
        (place / OLDER).mkdir(exist_ok=True)
        rows.remove_partial(place / OLDER)
        tables = (
            writer.taken(table, _shard(run).range.first)
            for run, path in found
            for table in stored.read_file(path)
        )
        rows.write(older_file(place, number), writer.schema, rows.row_groups(tables))
        sync_directory(place / OLDER)


def _cut(deals: int) -> Iterator[Range]:
    """The parts that so many deals make. They are the same each time, whatever the shards are."""
    for first in range(0, deals, parts.MILLION):
        yield Range(first, min(first + parts.MILLION, deals))


class _Stream:
    """Rows that come as tables, and are taken by number."""

    def __init__(self, tables: Iterator[pa.Table]) -> None:
        self._tables = tables
        self._rest: pa.Table | None = None

    def take(self, count: int) -> Iterator[pa.Table]:
        """The next so many rows."""
        while count:
            table = next(self._tables, None) if self._rest is None else self._rest
            if table is None:
                raise SolstatError("rows of the shards have gone meanwhile: try again")
            self._rest = table.slice(count) if len(table) > count else None
            table = table.slice(0, count)
            count -= len(table)
            yield table


def _move(runs: Iterable[Run], to: Path) -> None:
    """Move the shards out of the way; what cannot be moved stays, and is passed over."""
    with suppress(OSError):
        to.mkdir(exist_ok=True)
        for run in runs:
            run.path.rename(to / run.path.name)
