"""``solstat doctor``: whether run directories are sound, and mending them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from solstat.cli.command import command
from solstat.cli.inputs import check_directories
from solstat.cli.options import json_option, runs_argument
from solstat.cli.output import write, write_json
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.survey.doctor import Diagnosis


@command(
    "solstat doctor runs/wasp",
    "solstat doctor runs/wasp --fix",
    "solstat doctor runs --json",
)
@runs_argument
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@json_option
def doctor(paths: tuple[str, ...], fix: bool, as_json: bool) -> int:
    """Check all that is stored of a run, and mend what can be mended.

    Every part is read to the end: its checksums, its footer, and whether each row is one that the
    run writes. Deals that are missing or stored twice are found, and what was left half written.

    With --fix what is half written or stored twice is removed, what is damaged or of another run is
    moved to _damaged in the run directory, and a run.json that is gone or damaged is written as the
    parts say. The command that made the run then solves the deals that are missing.

    The exit code is 1 if something is wrong and was not mended.
    """
    from solstat.stats.sequential import parse_until
    from solstat.survey.doctor import diagnose, mend
    from solstat.survey.reader import directories_under

    check_directories(paths)
    directories = [each for path in paths for each in directories_under(path, parts_will_do=True)]
    found = [(mend if fix else diagnose)(directory, parse_until) for directory in directories]
    if as_json:
        write_json([asdict(each) | {"sound": each.sound} for each in found])
    else:
        write("\n".join(map(_as_text, found)))
    return 0 if all(each.sound for each in found) else 1


def _as_text(found: Diagnosis) -> str:
    planned = "?" if found.planned is None else f"{found.planned:,}"
    is_whole = found.stored == found.planned
    sound = "sound" if is_whole else "sound as far as it goes"
    wrong = counted(len(found.problems), "problem") if found.problems else sound
    at_work = ", a process is at work on it" if found.at_work else ""
    lines = [f"{found.run}: {wrong}, {found.stored:,} of {planned} deals stored{at_work}"]
    lines += [f"  {each.file}: {each.problem}: {each.remedy}" for each in found.problems]
    return "\n".join(lines)
