"""``solstat verify``: checks what a run says."""

from __future__ import annotations

import re
from typing import Any

import click

from solstat.cards import shown
from solstat.cli.command import command
from solstat.cli.inputs import check_directories, runs_at
from solstat.cli.options import Budget, Share, json_option, runs_argument, workers_option
from solstat.cli.output import talk, write, write_json
from solstat.errors import UsageError
from solstat.report.text import counted

BAD_SHOWN = 20


class Losses(click.ParamType[int]):
    """A number of losses, or all."""

    name = "losses"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; an int, from a default, stays as it is."""
        from solstat.survey.check import ALL

        if isinstance(value, int):
            return value
        if value == "all":
            return ALL
        if re.fullmatch("[0-9]{1,9}", value):
            return int(value)
        raise UsageError(f"losses {shown(value)}: write how many to prove again, or all")


@command(
    "solstat verify runs/wasp",
    "solstat verify runs/wasp --losses all --budget 20M",
    "solstat verify runs/wasp --sample 10%",
    "solstat verify runs/wasp --workers 1 --json",
    "echo save game.json | solstat play wasp 24 && solstat verify game.json",
)
@runs_argument
@click.option("--losses", type=Losses(), metavar="N|all", default=0, help="Losses to prove again.")
@click.option(
    "--budget",
    type=Budget(),
    default=20_000_000,
    show_default="20M",
    help="Most positions for each.",
)
@click.option(
    "--sample",
    type=Share("1% or 0.01", whole=True),
    metavar="SHARE",
    help="Solve such a share of the deals again.",
)
@workers_option
@json_option
def verify(
    paths: tuple[str, ...],
    losses: int,
    budget: int,
    sample: float | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Replay the line of every win, and prove losses again.

    Moves are played under the rules as they are written in plain Python, which shares nothing with
    the solver. With --losses so many losses, spread evenly, are searched a second time, with no
    pruning, moves in the opposite order and other hash keys; a loss that this does not settle
    within the budget is listed and stays unchecked, as are all others.

    With --sample only such a share of the deals is looked at, chosen by their seeds: each is
    solved again as the run has solved it, and must have the same result. The line of a win is the
    one that was kept, or else the new one. So runs without lines can be checked.

    RUN may also be a file that `play` has saved: its cards must be those of its seed, and its moves
    legal. That such a game is not won is no fault, unless the file says that it is.

    The exit code is 1 if a line does not win, a result differs, a loss is contradicted, deals are
    missing or a saved game is not as it says.
    """
    from solstat.table import saved

    games = [path for path in paths if saved.is_saved(path)]
    if len(games) == len(paths):
        return _verify_games(games, as_json)
    if games:
        raise UsageError(f"{games[0]}: a saved game, among runs: verify games and runs apart")
    check_directories(paths, "neither the directory of a run nor a saved game")

    from solstat.survey.check import check
    from solstat.survey.run import default_workers

    count = workers or default_workers()
    checks = [check(run, count, losses, budget, sample) for run in runs_at(paths)]
    bad = [each for one in checks for each in one.bad]
    differing = [each for one in checks for each in one.differing]
    contradicted = [seed for one in checks for seed in one.contradicted]
    unsettled = [seed for one in checks for seed in one.open]
    _tell([f"{seed}: {reason}" for seed, reason in bad])
    _tell([f"{seed}: {reason}" for seed, reason in differing])
    _tell([f"{seed}: said to be lost, and can be won" for seed in contradicted])
    replayed = sum(one.replayed for one in checks)
    no_line = sum(one.no_line for one in checks)
    checked = sum(one.lost_checked for one in checks)
    unchecked = sum(one.lost_unchecked for one in checks)
    missing = sum(one.missing for one in checks)
    sampled = sum(one.sampled for one in checks)
    if as_json:
        write_json(
            {
                "replayed": replayed,
                "bad": len(bad),
                "no_line": no_line,
                "lost_checked": checked,
                "lost_contradicted": len(contradicted),
                "lost_unchecked": unchecked,
                "not_settled": unsettled,
                "missing": missing,
                "sampled": sampled,
                "differing": len(differing),
            }
        )
    else:
        if sample is not None:
            write(f"{counted(sampled, 'deal')} solved again, {len(differing):,} with other results")
        if replayed or bad or not no_line:
            write(f"{counted(replayed, 'win')} replayed, {len(bad):,} bad")
        else:
            write("nothing was replayed")
        if no_line:
            others = "other win" if replayed else "win"
            write(
                f"{counted(no_line, others)} of runs without lines; --sample 1% solves some again; "
                "to keep lines, make the run with --lines, in another directory"
            )
        if losses:
            write(
                f"{counted(checked, 'loss', 'losses')} proved again, "
                f"{len(contradicted):,} contradicted"
            )
        write(f"{counted(unchecked, 'loss', 'losses')} unchecked")
        if unsettled:
            write(f"not settled by {counted(budget, 'position')}: deals {' '.join(unsettled)}")
        if missing:
            write(f"{counted(missing, 'deal')} missing: the same run command solves them")
    return 1 if bad or differing or contradicted or missing else 0


def _verify_games(paths: list[str], as_json: bool) -> int:
    """Play saved games again; 1 if one of them is not as it says."""
    from solstat.table import saved

    games = [saved.check(path) for path in paths]
    won = sum(game.won for game in games)
    bad = [game for game in games if game.fault is not None]
    unfinished = len(games) - won - len(bad)
    _tell([f"{_named(game.seed)}: {game.fault}" for game in bad])
    if as_json:
        lost = dict.fromkeys(("lost_checked", "lost_contradicted", "lost_unchecked"), 0)
        write_json({"replayed": won, "bad": len(bad), "unfinished": unfinished, **lost})
    else:
        write(f"{counted(won, 'win')} replayed, {len(bad):,} bad")
        if unfinished:
            write(f"{counted(unfinished, 'other game')} replayed, not won yet")
    return 1 if bad else 0


def _named(seed: str) -> str:
    """What a file says is its deal, fit for a message."""
    return seed if re.fullmatch("[!-~]{1,200}", seed) else shown(seed, 200)


def _tell(complaints: list[str]) -> None:
    for complaint in complaints[:BAD_SHOWN]:
        talk(f"deal {complaint}")
    if len(complaints) > BAD_SHOWN:
        talk(f"... and {len(complaints) - BAD_SHOWN} more")
