"""``solstat verify``: checks what a run says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solstat.cli.command import command
from solstat.cli.options import json_option, run_argument, workers_option
from solstat.cli.output import talk, write, write_json

if TYPE_CHECKING:
    from solstat.survey.check import Bad

BAD_SHOWN = 20


@command("solstat verify runs/wasp", "solstat verify runs/wasp --workers 1 --json")
@run_argument
@workers_option
@json_option
def verify(path: str, workers: int | None, as_json: bool) -> int:
    """Replay the line of every win.

    Moves are played under the rules as they are written in plain Python, which shares nothing with
    the solver. Losses are counted as unchecked.
    """
    from solstat.survey.check import check
    from solstat.survey.reader import runs_under
    from solstat.survey.run import default_workers

    checks = [check(run, workers or default_workers()) for run in runs_under(path)]
    bad = [each for one in checks for each in one.bad]
    _tell(bad)
    replayed = sum(one.replayed for one in checks)
    no_line = sum(one.no_line for one in checks)
    lost = sum(one.lost for one in checks)
    if as_json:
        write_json(
            {
                "replayed": replayed,
                "bad": len(bad),
                "no_line": no_line,
                "lost_checked": 0,
                "lost_contradicted": 0,
                "lost_unchecked": lost,
            }
        )
    else:
        write(f"{replayed:,} wins replayed, {len(bad):,} bad")
        if no_line:
            write(f"{no_line:,} wins of runs without lines")
        write(f"{lost:,} losses unchecked")
    return 1 if bad else 0


def _tell(bad: list[Bad]) -> None:
    for seed, reason in bad[:BAD_SHOWN]:
        talk(f"deal {seed}: {reason}")
    if len(bad) > BAD_SHOWN:
        talk(f"... and {len(bad) - BAD_SHOWN} more")
