"""Whether a run directory is as a run leaves it, and mending what is not, as far as that can be.

Nothing is made up and nothing is lost: what is half written, or stored twice, is removed; what is
damaged or of another run is set aside in ``_damaged``, and the command that made the run solves its
deals again; run.json is written anew if all parts say the same of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from solstat.deals import Deal, read_deals
from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.lock import being_written, locked
from solstat.survey.plan import Range, deals_sha256, gaps
from solstat.survey.record import FILE, VERSION, Record, sync_directory
from solstat.survey.rounds import FILE as ROUND
from solstat.survey.rounds import RESULTS, Round, older_files, pending
from solstat.survey.store import DEALS

ASIDE = "_damaged"
"""Readers of Parquet pass over names that begin like this."""

GAPS_SHOWN = 3

Mend = Literal["remove", "set aside", "write"]
_OFFERS = {
    "remove": "--fix removes it",
    "set aside": f"--fix moves it to {ASIDE}, and the command that made the run solves its deals",
    "write": "--fix writes it as the parts say",
}
_DONE = {"remove": "removed", "set aside": f"moved to {ASIDE}", "write": "written as the parts say"}


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
        What `mend` does: ``remove``, ``set aside`` or ``write``; None if it can do nothing.
    mended : bool
        Whether it was done.
    """

    file: str
    problem: str
    remedy: str
    mend: Mend | None = None
    mended: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """What was found in a run directory.

    Attributes
    ----------
    run : str
        The directory.
    at_work : bool
        Whether a process was writing to it: then only what it has finished was looked at.
    planned : int or None
        Number of deals; None if nothing says it.
    stored : int
        Of those, how many there are in parts that are sound.
    problems : tuple of Problem
        What is wrong.
    """

    run: str
    at_work: bool
    planned: int | None
    stored: int
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong, or is any more."""
        return all(problem.mended for problem in self.problems)


def diagnose(directory: Path) -> Diagnosis:
    """Look at all that is in a run directory; changes nothing."""
    at_work = being_written(directory)
    try:
        found = _Examination(directory, at_work)
    except OSError as error:
        raise SolstatError(f"cannot read {directory}: {error.strerror or error}") from None
    return found.diagnosis()


def mend(directory: Path) -> Diagnosis:
    """Look at a run directory and mend what can be mended.

    Raises
    ------
    SolstatError
        A process is at work on it, or it cannot be written.
    """
    try:
        with locked(directory):
            found = _Examination(directory, at_work=False)
            problems = tuple(_mended(directory, found.record, each) for each in found.problems)
            sync_directory(directory)
            return replace(found.diagnosis(), problems=problems)
    except OSError as error:
        raise SolstatError(f"cannot mend {directory}: {error.strerror or error}") from None


def _mended(directory: Path, record: Record | None, problem: Problem) -> Problem:
    path = directory / problem.file
    match problem.mend:
        case None:
            return problem
        case "remove":
            path.unlink(missing_ok=True)
        case "set aside":
            _set_aside(path)
        case "write":
            assert record is not None, "what cannot be known is not offered"
            if path.exists():
                _set_aside(path)
            record.save(directory)
    return replace(problem, remedy=_DONE[problem.mend], mended=True)


def _set_aside(path: Path) -> None:
    """Move a file out of the way, under a name of which nobody makes a part or a record again."""
    aside = path.parent / ASIDE
    aside.mkdir(exist_ok=True)
    number = 1
    while (target := aside / f"{path.name}.{number}").exists():
        number += 1
    path.rename(target)


class _Examination:
    """All that is wrong with a directory, in the order in which it is to be mended."""

    def __init__(self, directory: Path, at_work: bool) -> None:
        self._directory = directory
        self._at_work = at_work
        self.problems: list[Problem] = []
        self.record: Record | None = None
        self._names = sorted(path.name for path in directory.iterdir() if path.is_file())
        self._deals: list[Deal] | None = None
        self._sound: list[Range] = []
        if self._examine_record():
            self._examine_parts()
            if not at_work:
                self._examine_overlaps()
                self._examine_plan()
                self._examine_rounds()
        if not at_work:
            self._examine_left_overs()

    def diagnosis(self) -> Diagnosis:
        """What was found."""
        return Diagnosis(
            run=str(self._directory),
            at_work=self._at_work,
            planned=None if self.record is None else self.record.deals,
            stored=sum(part.size for part in self._sound),
            problems=tuple(self.problems),
        )

    def _add(
        self, file: str, problem: str, mend: Mend | None = None, remedy: str | None = None
    ) -> None:
        text = remedy or (_OFFERS[mend] if mend else "")
        self.problems.append(Problem(file, problem, text, mend))

    def _examine_record(self) -> bool:
        """Whether it is known what the parts ought to be."""
        try:
            self.record = Record.load(self._directory)
        except SolstatError as error:
            problem = _without_path(str(error), self._directory / FILE)
            if self._is_of_other_version():
                self._add(FILE, problem, remedy="use the solstat that made the run")
                return False
            self.record = self._as_the_parts_say()
            if self.record is None:
                remedy = "nothing here says what run this is: make it anew in another directory"
                self._add(FILE, problem, remedy=remedy)
                return False
            self._add(FILE, problem, "write")
        else:
            self._examine_length(self.record)
        return True

    def _is_of_other_version(self) -> bool:
        with suppress(OSError, ValueError, RecursionError):
            content = json.loads((self._directory / FILE).read_bytes())
            version = content.get("version") if isinstance(content, dict) else None
            return type(version) is int and version != VERSION
        return False

    def _examine_length(self, record: Record) -> None:
        """Parts may have been made for a longer plan than the record's, if that was put back."""
        longest = max(self._footers(), key=lambda footer: footer.deals, default=None)
        if longest is None or longest.deals <= record.deals:
            return
        there = replace(record.identity, deals_sha256=longest.identity.deals_sha256)
        if longest.identity == there and longest.budget in record.budgets:
            self._add(
                FILE, f"plans {record.deals:,} deals, and the parts {longest.deals:,}", "write"
            )
            self.record = replace(record, identity=there, deals=longest.deals)

    def _as_the_parts_say(self) -> Record | None:
        """A record in place of one that is gone or damaged, if all parts are of one run."""
        footers = self._footers()
        longest = max(footers, key=lambda footer: footer.deals, default=None)
        if longest is None:
            return None
        for footer in footers:
            same = replace(footer.identity, deals_sha256=longest.identity.deals_sha256)
            if same != longest.identity or footer.shard != longest.shard:
                return None
        budgets = sorted({footer.budget for footer in footers})
        if len(budgets) > 1 and not any(older_files(self._directory)):
            return None  # one run has parts of several budgets only if deals were searched again
        until = next((footer.until for footer in footers if footer.until is not None), None)
        return replace(longest, budget=budgets[0], budgets=tuple(budgets), until=until)

    def _footers(self) -> list[Record]:
        """What run the parts that can be read say they are of."""
        from solstat.survey import stored

        found = []
        for part in self._named():
            with suppress(SolstatError, FileNotFoundError, KeyError, TypeError, ValueError):
                with stored.open_part(self._directory, part) as file:
                    footer = stored.footer(file)
                content = {name: footer[name] for name in ("identity", "budget", "deals")}
                content |= {name: footer.get(name) for name in ("shard", "until")}
                content |= {"state": "interrupted", "history": []}
                found.append(Record.parse(content))
        return found

    def _named(self) -> Iterator[Range]:
        for name in self._names:
            if (part := parts.parse_name(name)) is not None:
                yield part

    def _examine_parts(self) -> None:
        from solstat.survey import audit

        assert self.record is not None
        for name in self._names:
            if not (name.startswith("part-") and name.endswith(".parquet")):
                continue
            if (part := parts.parse_name(name)) is None:
                self._add(name, "no run writes a part of that name", "set aside")
                continue
            try:
                audit.check_part(self._directory, part, self.record, self._first_deals)
            except FileNotFoundError:  # merged into another since
                continue
            except SolstatError as error:
                self._add(name, _without_path(str(error), self._directory / name), "set aside")
            else:
                self._sound.append(part)

    def _first_deals(self, count: int) -> list[Deal] | None:
        """The first so many deals of the run's file, None if nobody knows them."""
        assert self.record is not None
        if self._deals is None:
            with suppress(UsageError):
                self._deals = read_deals(self._directory / DEALS)
        return None if self._deals is None else self._deals[:count]

    def _examine_overlaps(self) -> None:
        """What is stored twice; of parts that share deals the larger is kept."""
        kept: list[Range] = []
        for part in sorted(self._sound, key=lambda part: (-part.size, part.first)):
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
        self._sound = sorted(kept)

    def _examine_plan(self) -> None:
        record = self.record
        assert record is not None
        missing = gaps(self._sound, record.deals)
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
        if record.identity.deals_sha256 is not None:
            deals = self._first_deals(record.deals)
            if deals is None or deals_sha256(deals) != record.identity.deals_sha256:
                self._add(
                    DEALS,
                    "gone, damaged or not the deals of the run",
                    remedy="the command that made the run, with its deal file, writes it anew",
                )

    def _examine_rounds(self) -> None:
        """What there is of deals that are, or were, searched again."""
        from solstat.survey import stored

        assert self.record is not None
        results = Round.directory(self._directory)
        if results.is_dir():
            try:
                pending(self._directory, self.record)
            except SolstatError as error:
                problem = _without_path(str(error), results / ROUND)
                remedy = f"remove {RESULTS}, and the same command begins again"
                self._add(f"{RESULTS}/{ROUND}", problem, remedy=remedy)
        again = "remove it, and the same command searches its deals again"
        older = "move it away: what deals were before is gone, the run itself is whole"
        found = [(path, again) for path in sorted(results.glob("part-*.parquet"))]
        found += [(path, older) for _, path in older_files(self._directory)]
        for path, remedy in found:
            try:
                for _ in stored.read_file(path):
                    pass
            except SolstatError as error:
                name = str(path.relative_to(self._directory))
                self._add(name, _without_path(str(error), path), remedy=remedy)

    def _examine_left_overs(self) -> None:
        for name in self._names:
            if re.fullmatch(r"\.part-.*\.partial|\.(run\.json|deals\.txt)\.tmp", name):
                self._add(name, "half written", "remove")


def _without_path(message: str, path: Path) -> str:
    """What an error says of a file, without its name and what to do."""
    for prefix in (f"{path}: ", f"cannot read {path}: ", f"{path.parent}: "):
        message = message.removeprefix(prefix)
    return message.partition(";")[0]
