"""What the files of a run directory say of their run: in place of run.json, or against it.

A part says in its footer of what run it is, and in its rows with which budgets deals were searched.
So does a file of rows that deals had before. What another program has written anew is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from solstat.budget import format_budget, format_budgets
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts, seal, stored
from solstat.survey.plan import Range, gaps
from solstat.survey.record import Identity, Record
from solstat.survey.rounds import Round, older_files, pending
from solstat.survey.schema import FOOTER


@dataclass(frozen=True)
class Witness:
    """What one file says.

    Attributes
    ----------
    record : Record
        Of the run; its budget is that of the time when the file was written.
    written_here : bool
        Whether it is as solstat wrote it.
    budgets, open_budgets : frozenset of int
        With which any of its deals were searched, and those that are open.
    """

    record: Record
    written_here: bool
    budgets: frozenset[int]
    open_budgets: frozenset[int]


class Evidence:
    """All that the files of a run directory say, as far as they can be read.

    Parameters
    ----------
    directory : Path
        The run directory.
    named : iterable of Range
        Its parts.
    """

    def __init__(self, directory: Path, named: Iterable[Range]) -> None:
        self._parts: list[Witness] = []
        self._there: list[Range] = []
        for part in named:
            with suppress(SolstatError, FileNotFoundError):
                file = stored.open_part(directory, part)
                if found := _witness(directory / parts.name(part), file):
                    self._parts.append(found)
                    self._there.append(part)
        older = [(number, path) for number, path in older_files(directory)]
        self._older = [found for _, path in older if (found := _of_older(path))]
        self._last_round = max((number for number, _ in older), default=0)
        self._round: Round | None = None
        if self._parts:
            with suppress(SolstatError):
                self._round = pending(directory, replace(self._parts[0].record, round=0))

    @property
    def has_rounds(self) -> bool:
        """Whether deals are, or were, searched again."""
        return bool(self._last_round or self._round)

    def record(self) -> Record | None:
        """What run.json would say, if all files are of one run."""
        longest = max((each.record for each in self._parts), key=_deals, default=None)
        if longest is None:
            return None
        for each in self._parts:
            if not _same(each.record.identity, longest.identity):
                return None
            if each.record.shard != longest.shard:
                return None
        of_run = [each for each in self._parts if each.written_here] or self._parts
        budgets = self._budgets(of_run)
        if self._round is not None:
            budgets.add(self._round.again.budget)
        if len(budgets) > 1 and not self.has_rounds:
            return None  # one run has several budgets only if deals were searched again
        return replace(
            longest,
            budget=self._least(of_run),
            budgets=tuple(budgets),
            until=next((each.record.until for each in self._parts if each.record.until), None),
            round=self._last_round if self._round is None else self._round.number - 1,
        )

    def amended(self, record: Record) -> tuple[Record, list[str]]:
        """A record with what the parts of its run disprove, and what that is."""
        has_rounds = self.has_rounds or record.round > 0
        of_run = [
            each
            for each in self._parts
            if each.written_here
            and _same(each.record.identity, record.identity)
            and (has_rounds or each.record.budget in record.budgets)
        ]
        if not of_run:
            return record, []
        told = []
        longest = max((each.record for each in of_run), key=_deals)
        if longest.deals > record.deals:
            told.append(f"plans {record.deals:,} deals, and the parts {longest.deals:,}")
            most = None if record.most is None else max(record.most, longest.deals)
            record = replace(record, identity=longest.identity, deals=longest.deals, most=most)
        shard = longest.shard
        fits = shard is None or shard.range.size == record.deals
        if shard != record.shard and fits:
            told.append("is not of the shard that the parts are of")
            record = replace(record, shard=shard)
        known = self._budgets(of_run)
        if self._is_wrong(record, of_run):
            wrong, least = record.budget, self._least(of_run)
            told.append(f"says budget {format_budget(wrong)}, and the parts {format_budget(least)}")
            budgets = {*record.budgets} - ({wrong} - known)
            record = replace(record, budget=least, budgets=tuple(budgets))
        missing = known - {*record.budgets}
        if self._round is not None and (missing or len(record.budgets) == 1):
            missing |= {self._round.again.budget} - {*record.budgets}  # it was among them once
        if has_rounds and missing:
            told.append(f"has no budget {format_budgets(sorted(missing))}, which deals have")
            record = replace(record, budgets=(*record.budgets, *missing))
        return record, told

    def until(self) -> str | None:
        """The rule to stop by that the longest of the parts has that have one."""
        with_rule = [each.record for each in self._parts if each.record.until is not None]
        return max(with_rule, key=_deals).until if with_rule else None

    def _budgets(self, of_run: Sequence[Witness]) -> set[int]:
        found = {each.record.budget for each in of_run}
        for each in (*of_run, *self._older):
            if _same(each.record.identity, of_run[0].record.identity):
                found |= {each.record.budget} | each.budgets
        return found

    def _least(self, of_run: Sequence[Witness]) -> int:
        """What all open deals were searched with at least; if none is open, the first budget."""
        still_open = [budget for each in of_run for budget in each.open_budgets]
        return min(still_open, default=min(self._budgets(of_run)))

    def _is_wrong(self, record: Record, of_run: Sequence[Witness]) -> bool:
        """Whether a record has a budget that it cannot have.

        While deals are missing it may be one with which none has been searched yet; and one that is
        above all others, if no deal is open.
        """
        still_open = [budget for each in of_run for budget in each.open_budgets]
        if still_open and record.budget > min(still_open):
            return True
        known = self._budgets(of_run)
        is_whole = not gaps(sorted(self._there), record.deals)
        return (
            is_whole
            and record.budget not in known
            and (bool(still_open) or record.budget < min(known))
        )


def _deals(record: Record) -> int:
    return record.deals


def _same(one: Identity, other: Identity) -> bool:
    """Whether two are of one run; a file's fingerprint is of the deals planned at the time."""
    is_file = (one.deals_sha256 is None) == (other.deals_sha256 is None)
    return is_file and replace(one, deals_sha256=None) == replace(other, deals_sha256=None)


def _of_older(path: Path) -> Witness | None:
    try:
        with open(path, "rb") as file:
            if seal.is_broken(file):
                return None
        return _witness(path, pq.ParquetFile(path))
    except (OSError, *stored.UNREADABLE):
        return None


def _witness(path: Path, file: pq.ParquetFile) -> Witness | None:
    with ExitStack() as stack:
        stack.enter_context(file)
        said = stored.footer(file)
        try:
            content = {name: said[name] for name in ("identity", "budget", "deals")}
            content |= {name: said.get(name) for name in ("shard", "until")}
            record = Record.parse(content | {"state": "interrupted", "history": []})
            budgets: set[int] = set()
            still_open: set[int] = set()
            for table in stored.read(file, path, ["budget", "outcome"]):
                is_open = pc.equal(table["outcome"], "unsettled")
                budgets |= {*pc.unique(table["budget"]).to_pylist()}
                still_open |= {*pc.unique(table["budget"].filter(is_open)).to_pylist()}
        except (SolstatError, UsageError, KeyError, TypeError, ValueError, OverflowError):
            return None
    unsealed = f'"{seal.KEY}": "{seal.UNSEALED}"'.encode()
    here = unsealed not in file.metadata.metadata.get(FOOTER, b"")
    return Witness(record, here, frozenset(budgets - {None}), frozenset(still_open - {None}))
