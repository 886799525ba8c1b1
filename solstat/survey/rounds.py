"""Where deals that are searched again have their rows, as far as that can be told without reading.

Searching some deals of a run again is a round. While it goes on, ``_retry`` holds what is found, in
parts that are named by where the deals stand among those of the round, and last of all written
``retry.json``, which says what the round is; without that file there is none. The rows that the
deals had are kept in ``_attempts``, in a file of the round's number. Readers of Parquet pass over
names that begin with an underscore.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from solstat.errors import SolstatError
from solstat.survey import parts
from solstat.survey.plan import Again
from solstat.survey.record import Record, write_file

RESULTS = "_retry"
OLDER = "_attempts"
FILE = "retry.json"

_NAME = re.compile(r"([0-9]{3,})\.parquet")


@dataclass(frozen=True)
class Round:
    """Some deals of a run that are searched again.

    Attributes
    ----------
    number : int
        Rounds count from 1.
    again : Again
        Which deals, and with what budget.
    deals : int
        Number of them.
    """

    number: int
    again: Again
    deals: int

    @staticmethod
    def directory(run: Path) -> Path:
        """Where what is found is kept until the end of the round."""
        return run / RESULTS

    def older(self, run: Path) -> Path:
        """The file of the rows that the deals had before."""
        return older_file(run, self.number)

    def done(self, run: Path) -> int:
        """How many of the deals have been searched."""
        found, _ = parts.listed(self.directory(run))
        return sum(part.size for part in found)

    def save(self, run: Path) -> None:
        """Write what the round is: from then on, it is going on."""
        content = {
            "round": self.number,
            "retry": self.again.what,
            "budget": self.again.budget,
            "deals": self.deals,
        }
        write_file(self.directory(run) / FILE, (json.dumps(content) + "\n").encode())


@dataclass(frozen=True)
class Searched:
    """How far a search of some deals again is; at its end its results become rows of the run.

    Attributes
    ----------
    what : str
        Of which outcome they are: ``unsettled`` or ``errors``.
    budget : int
        The most positions each may cost.
    deals, done : int
        Number of deals, and of those that have been searched.
    """

    what: str
    budget: int
    deals: int
    done: int


def pending(run: Path, record: Record) -> Round | None:
    """The round that is going on in a run directory.

    Raises
    ------
    SolstatError
        What says so is damaged.
    """
    path = run / RESULTS / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        again = Again(content["retry"], content["budget"])
        found = Round(content["round"], again, content["deals"])
        numbers = (found.number, again.budget, found.deals)
        if again.what not in ("unsettled", "errors"):
            raise ValueError
        if any(type(number) is not int or number < 1 for number in numbers):
            raise ValueError
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SolstatError(f"{path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise SolstatError(
            f"{path}: damaged; remove {path.parent}, and the same command begins again"
        ) from None
    return found if found.number > record.round else None


def searched(run: Path, record: Record) -> Searched | None:
    """How far the round is that is going on, if there is one. Errors as `pending`."""
    found = pending(run, record)
    if found is None:
        return None
    try:
        done = found.done(run)
    except FileNotFoundError:  # it has ended since
        return None
    return Searched(found.again.what, found.again.budget, found.deals, done)


def older_file(run: Path, number: int) -> Path:
    """Where the rows are kept that deals had before a round."""
    return run / OLDER / f"{number:03}.parquet"


def older_files(run: Path) -> Iterator[tuple[int, Path]]:
    """The rounds of which older rows are kept, with the files, by number."""
    found = [
        (int(match[1]), path)
        for path in (run / OLDER).glob("*.parquet")
        if (match := _NAME.fullmatch(path.name))
    ]
    yield from sorted(found)
