"""What is wrong with a run directory, and what would mend it; changes nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from solstat.deals import Deal, read_deals
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.plan import Range, deals_sha256, gaps
from solstat.survey.reader import SHARD
from solstat.survey.record import FILE, VERSION, Record
from solstat.survey.rounds import older_files
from solstat.survey.store import DEALS

if TYPE_CHECKING:
    from solstat.survey.evidence import Evidence

ASIDE = "_damaged"
"""Readers of Parquet pass over names that begin like this."""

GAPS_SHOWN = 3

Mend = Literal["remove", "set aside", "write"]
_OFFERS = {
    "remove": "--fix removes it",
    "set aside": f"--fix moves it to {ASIDE}, and the command that made the run solves its deals",
    "write": "--fix writes it as the parts say",
}


@dataclass(frozen=True)
class Problem:
    """Something that is not as a run leaves it.

    Attributes
    ----------
    file : str
        Its name in the run directory.
    problem : str
        What is wrong.
    remedy : str
        What mends it, or what was done.
    mend : str or None
        What `solstat.survey.doctor.mend` does: ``remove``, ``set aside`` or ``write``; None if it
        can do nothing.
    mended : bool
        Whether it was done.
    """

    file: str
    problem: str
    remedy: str
    mend: Mend | None = None
    mended: bool = False


class Examination:
    """All that is wrong with a directory, in the order in which it is to be mended.

    Parameters
    ----------
    directory : Path
        The run directory.
    at_work : bool
        Whether a process is writing to it: then only what it has finished is looked at.
    check_rule : callable
        Refuses (UsageError) the text of a rule to stop by that is none.

    Attributes
    ----------
    problems : list of Problem
        What is wrong.
    record : Record or None
        What run.json says, or is to say; None if nobody knows.
    sound : list of Range
        The parts that are as the run writes them.
    """

    def __init__(self, directory: Path, at_work: bool, check_rule: Callable[[str], object]) -> None:
        self._directory = directory
        self._at_work = at_work
        self._check_rule = check_rule
        self.problems: list[Problem] = []
        self.record: Record | None = None
        self.sound: list[Range] = []
        self._names = sorted(path.name for path in directory.iterdir())
        if not self._examine_record():
            return
        self._examine_parts()
        if not at_work:
            self._examine_overlaps()
            self._examine_plan()
            self._examine_rounds()
            self._examine_left_overs()

    def _add(
        self, file: str, problem: str, mend: Mend | None = None, remedy: str | None = None
    ) -> None:
        text = remedy or (_OFFERS[mend] if mend else "")
        problem = _without_path(problem, self._directory / file)
        self.problems.append(Problem(file, problem, text, mend))

    def _examine_record(self) -> bool:
        """Whether it is known what the parts ought to be."""
        try:
            self.record = Record.load(self._directory)
        except SolstatError as error:
            problem = str(error)
        else:
            if not self._at_work:
                self._amend_record(self.record)
            return True
        remedy = self._why_it_stays()
        if remedy is None:
            self.record = self._evidence.record()
            other = None if self.record is None else self._of_another_run(self.record)
            if other is not None:
                self.record = None
                remedy = f"{other} is not of the run that the others say: move away what is wrong"
            elif self.record is None and len(self._named) > 0:
                remedy = "the parts do not say what run this is: make it anew in another directory"
            elif self.record is None:
                remedy = "nothing here says what run this is: make it anew in another directory"
        self._add(FILE, problem, None if remedy else "write", remedy)
        return self.record is not None

    def _why_it_stays(self) -> str | None:
        """What is to be done in place of writing run.json, if it is not to be written."""
        with suppress(OSError, ValueError, RecursionError):
            content = json.loads((self._directory / FILE).read_bytes())
            version = content.get("version") if isinstance(content, dict) else None
            if type(version) is int and version != VERSION:
                return "use the solstat that made the run"
        if next(self._directory.glob(f"{SHARD}/{FILE}"), None):
            first = f"move it away and give solstat merge {self._directory} again"
            again = f"a merge was stopped: give solstat merge {self._directory} again"
            return first if os.path.lexists(self._directory / FILE) else again
        return None

    def _of_another_run(self, record: Record) -> str | None:
        """A part that can be read and is not of the run of a record that was made up."""
        from solstat.survey import audit

        for part in self._named:
            try:
                self._check(part, record)
            except audit.NotOfRun:
                return parts.name(part)
            except (SolstatError, FileNotFoundError):
                continue
        return None

    def _amend_record(self, record: Record) -> None:
        """Take from a record what the parts of its run disprove."""
        self.record, told = self._evidence.amended(record)
        if record.until is not None:
            try:
                self._check_rule(record.until)
            except UsageError as error:
                told.append(str(error))
                self.record = replace(self.record, until=self._rule_of_the_parts())
        if told:
            self._add(FILE, "; ".join(told), "write")

    def _rule_of_the_parts(self) -> str | None:
        with suppress(UsageError):
            if (rule := self._evidence.until()) is not None:
                self._check_rule(rule)
            return rule
        return None

    @cached_property
    def _named(self) -> list[Range]:
        """The parts, as far as names tell."""
        return [part for name in self._names if (part := parts.parse_name(name)) is not None]

    @cached_property
    def _evidence(self) -> Evidence:
        from solstat.survey.evidence import Evidence

        return Evidence(self._directory, self._named)

    def _check(self, part: Range, record: Record) -> None:
        from solstat.survey import audit

        numbers = [number for number, _ in older_files(self._directory)]
        most = None if self._at_work else 1 + max([record.round, *numbers])
        audit.check_part(self._directory, part, record, self._first_deals, most)

    def _examine_parts(self) -> None:
        from solstat.survey import audit

        assert self.record is not None
        others = []
        for name in self._names:
            if not (name.startswith("part-") and name.endswith(".parquet")):
                continue
            if (part := parts.parse_name(name)) is None:
                self._add(name, "no run writes a part of that name", "set aside")
                continue
            try:
                self._check(part, self.record)
            except FileNotFoundError:  # merged into another since
                continue
            except audit.NotOfRun as error:
                others.append((name, error))
            except SolstatError as error:
                if str(error).startswith("cannot read") and (self._directory / name).is_file():
                    self._add(name, str(error), remedy="see to it that it can be read")
                else:
                    self._add(name, str(error), "set aside")
            else:
                self.sound.append(part)
        # If none of the parts is of the run, it may as well be run.json that is wrong.
        elsewhere = any(isinstance(error, audit.OfAnotherRun) for _, error in others)
        is_sure = bool(self.sound) or not elsewhere
        for name, other in others:
            remedy = None if is_sure else f"move away what is wrong: the parts, or {FILE}"
            self._add(name, str(other), "set aside" if is_sure else None, remedy)

    def _first_deals(self, count: int) -> list[Deal] | None:
        """The first so many deals of the run, None if nobody knows them."""
        return None if self._deals is None else self._deals[:count]

    @cached_property
    def _deals(self) -> list[Deal] | None:
        """The run's copy of its deals, if it is what run.json says."""
        record = self.record or self._evidence.record()
        assert record is not None
        with suppress(UsageError):
            deals = read_deals(self._directory / DEALS)[: record.deals]
            if deals_sha256(deals) == record.identity.deals_sha256:
                return deals
        return None

    def _examine_overlaps(self) -> None:
        """What is stored twice; of parts that share deals the larger is kept."""
        kept: list[Range] = []
        for part in sorted(self.sound, key=lambda part: (-part.size, part.first)):
            shared = [each for each in kept if each.first < part.last and part.first < each.last]
            if not shared:
                kept.append(part)
            elif any(each.first <= part.first and part.last <= each.last for each in shared):
                self._add(
                    parts.name(part), f"its deals are also in {parts.name(shared[0])}", "remove"
                )
            else:
                other = parts.name(shared[0])
                self._add(parts.name(part), f"it shares deals with {other}", "set aside")
        self.sound = sorted(kept)

    def _examine_plan(self) -> None:
        record = self.record
        assert record is not None
        missing = gaps(self.sound, record.deals)
        if missing and record.state == "finished":
            count = sum(part.size for part in missing)
            shown = ", ".join(map(str, missing[:GAPS_SHOWN]))
            more = ", ..." if len(missing) > GAPS_SHOWN else ""
            self._add(
                FILE,
                f"says finished, and {count:,} of {record.deals:,} deals are not there "
                f"(by index {shown}{more})",
                remedy="the command that made the run solves them",
            )
        if record.identity.deals_sha256 is not None and self._deals is None:
            self._add(
                DEALS,
                "gone, damaged or not the deals of the run",
                remedy="the command that made the run, with its deal file, writes it anew",
            )

    def _examine_rounds(self) -> None:
        """What there is of deals that are, or were, searched again."""
        from solstat.survey.audit_rounds import Rounds

        assert self.record is not None
        rounds = Rounds(self._directory, self.record, self.sound, self._first_deals)
        for flaw in rounds.flaws():
            self._add(flaw.file, flaw.problem, remedy=flaw.remedy)

    def _examine_left_overs(self) -> None:
        for name in self._names:
            if re.fullmatch(r"\.part-.*\.partial|\.(run\.json|deals\.txt)\.tmp", name):
                self._add(name, "half written", "remove")


def _without_path(message: str, path: Path) -> str:
    """What an error says of a file, without its name and what to do."""
    for prefix in (f"{path}: ", f"cannot read {path}: ", f"{path.parent}: "):
        message = message.removeprefix(prefix)
    return message.partition(";")[0]
