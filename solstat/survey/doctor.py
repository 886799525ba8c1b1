"""Whether a run directory is as a run leaves it, and mending what is not, as far as that can be.

Nothing is made up and nothing is lost: what is half written, or stored twice, is removed; what is
damaged or of another run is set aside in ``_damaged``, and the command that made the run solves its
deals again; run.json is written anew if all parts say the same of it. Where nobody can tell what is
right, nothing is done.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from solstat.errors import SolstatError
from solstat.survey.examine import ASIDE, Examination, Mend, Problem
from solstat.survey.lock import being_written, locked
from solstat.survey.record import FILE, Record, sync_directory

_DONE: dict[Mend, str] = {
    "remove": "removed",
    "set aside": f"moved to {ASIDE}",
    "write": "written as the parts say",
}
LOOKS = 5
"""So often a run is looked at again of which a process has changed run.json meanwhile."""


def _any_rule(_: str) -> None:
    """Take any rule to stop by."""


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


def diagnose(directory: Path, check_rule: Callable[[str], object] = _any_rule) -> Diagnosis:
    """Look at all that is in a run directory; changes nothing.

    Parameters
    ----------
    directory : Path
        The run directory.
    check_rule : callable
        Refuses (UsageError) the text of a rule to stop by that is none.

    Raises
    ------
    SolstatError
        It cannot be read.
    """
    try:
        for _ in range(LOOKS):
            said, at_work = _said(directory), being_written(directory)
            found = Examination(directory, at_work, check_rule)
            if not found.problems or said == _said(directory):
                break
    except OSError as error:
        raise SolstatError(f"cannot read {directory}: {error.strerror or error}") from None
    return _diagnosis(directory, found, at_work)


def mend(directory: Path, check_rule: Callable[[str], object] = _any_rule) -> Diagnosis:
    """Look at a run directory and mend what can be mended. Parameters as for `diagnose`.

    Raises
    ------
    SolstatError
        A process is at work on it, or it cannot be written.
    """
    try:
        with locked(directory):
            found = Examination(directory, False, check_rule)
            problems = tuple(_mended(directory, found.record, each) for each in found.problems)
            sync_directory(directory)
            return replace(_diagnosis(directory, found, at_work=False), problems=problems)
    except OSError as error:
        where = error.filename or directory
        raise SolstatError(f"cannot mend {where}: {error.strerror or error}") from None


def _said(directory: Path) -> bytes | None:
    with suppress(OSError):
        return (directory / FILE).read_bytes()
    return None


def _diagnosis(directory: Path, found: Examination, at_work: bool) -> Diagnosis:
    return Diagnosis(
        run=str(directory),
        at_work=at_work,
        planned=None if found.record is None else found.record.deals,
        stored=sum(part.size for part in found.sound),
        problems=tuple(found.problems),
    )


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
            if os.path.lexists(path):
                _set_aside(path)
            record.save(directory)
    return replace(problem, remedy=_DONE[problem.mend], mended=True)


def _set_aside(path: Path) -> None:
    """Move a file out of the way, under a name of which nobody makes a part or a record again."""
    aside = path.parent / ASIDE
    try:
        aside.mkdir(exist_ok=True)
    except FileExistsError:
        raise SolstatError(f"{aside}: is no directory; move it away") from None
    number = 1
    while (target := aside / f"{path.name}.{number}").exists() or target.is_symlink():
        number += 1
    path.rename(target)
