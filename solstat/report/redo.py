"""How the rows of a run are made again: commands, and what they make."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from solstat.budget import format_budgets
from solstat.errors import UsageError
from solstat.report.text import counted, run_name, visible
from solstat.stats.sequential import parse_until
from solstat.survey.plan import first_look, next_look
from solstat.survey.provenance import command_text
from solstat.survey.reader import Counts, Run, outcomes
from solstat.survey.redo import OUT, otherwise, solving

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHECKED = 100
"""About so many deals at least are solved again to check a run that keeps no lines."""


@dataclass(frozen=True)
class Redo:
    """How to redo a run.

    Attributes
    ----------
    what : str
        What the commands make, in sentences.
    commands : tuple of str
        Command lines that solve the deals again and check the rows.
    """

    what: str
    commands: tuple[str, ...]


def redo(run: Run, done: int) -> Redo:
    """How to redo a run of which so many deals are solved. Errors as `Run.tables`.

    A run that has looked whether to stop has an interval of its own for that, so it is redone by
    its rule; its looks are fixed, and it stops where it did. Where it would not, since it did not
    look from the start, it looks only after the last of its deals.
    """
    record = run.record
    if done < record.deals:
        what = (
            f"These commands do more than there is now: they solve all "
            f"{counted(record.deals, 'planned deal')}, with any number of processes, and check "
            "them."
        )
        if done:
            what += f" The {counted(done, 'row')} of now are among theirs."
    else:
        what = (
            "These commands make the same rows again, with any number of processes, and check them."
        )
        if count := otherwise(run):
            what += (
                f" But the budget and the attempt of {counted(count, 'row')} will be others, for "
                "these deals were searched in other steps; outcomes and positions are the same."
            )
    until = () if record.until is None else ("--until", visible(record.until))
    steps = [until]
    if until and done == record.deals and (earlier := _earlier_stop(run)):
        steps = [(), until]
        what += (
            f" It did not look whether to stop from the first deals on, else it would have stopped "
            f"at {counted(earlier, 'deal')}. So the first command does not look, and the second "
            "does, at what the first has made: the interval is the same then too."
        )
    place = _place(run)
    share = max(1, min(100, ceil(100 * CHECKED / record.deals)))
    sample = [] if record.identity.lines else ["--sample", f"{share}%"]
    verify = f"{shlex.join(['solstat', 'verify', *sample])} {place}"
    return Redo(
        what, (*(_solving(run, place, each) for each in steps), *_again(run, place), verify)
    )


def _place(run: Run) -> str:
    """A directory for the same rows again: where the run itself lies nothing would be solved."""
    path = PurePath(run_name(run.path))
    names = [name for name in path.parts if name not in ("..", path.anchor)]
    return command_text([str(PurePath(OUT, *names))])


def _solving(run: Run, place: str, until: tuple[str, ...]) -> str:
    record = run.record
    file, before = "deals.txt", ""
    if record.identity.first_seed is None and record.until is not None:
        # It stopped before the last one of the file, perhaps.
        file, before = "-", f"head -n {record.deals} deals.txt | "
    steps = record.steps
    if record.until is not None:
        steps = steps[:1]
    words = [*solving(record, file, steps), *until]
    fold = words.index("--budget")
    start, settings = shlex.join(words[:fold]), shlex.join(words[fold:])
    return f"{before}{start} \\\n    {settings} -o {place}"


def _again(run: Run, place: str) -> Iterator[str]:
    """What is searched again once a run has stopped by its rule: it has one budget till then."""
    _, *later = run.record.steps
    if later and run.record.until is not None:
        yield f"solstat run --retry unsettled --budget {format_budgets(later)} -o {place}"


def _earlier_stop(run: Run) -> int | None:
    """Where a run by the same rule would stop, if that is before the last deal that is planned."""
    try:
        rule = parse_until(run.record.until or "")
    except UsageError:  # one that another solstat knows
        return None
    won, lost = (np.cumsum(np.concatenate(each)) for each in _settled(run))
    first = first_look(run.record.until)
    look = next_look(0, first)
    while look < len(won):
        here = {"won": int(won[look - 1]), "lost": int(lost[look - 1])}
        counts = Counts(run.record.identity.rules, run.record.budgets[0], **here)
        if rule.reached(replace(counts, unsettled=look - counts.n)):
            return look
        look = next_look(look, first)
    return None


def _settled(run: Run) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.bool_]]]:
    """Of each deal whether it is won, and whether it is lost, at the budget of its first search."""
    import pyarrow.compute as pc

    won, lost = [np.empty(0, bool)], [np.empty(0, bool)]
    for table in outcomes(run, run.record.budgets[0]):
        won.append(pc.equal(table["outcome"], "won").to_numpy())
        lost.append(pc.equal(table["outcome"], "lost").to_numpy())
    return won, lost
