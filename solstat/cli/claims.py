"""``solstat claims``: published figures, and what our surveys say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import WORDS, Command, group
from solstat.cli.options import json_option, workers_option
from solstat.cli.output import talk, write, write_json
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.stats.claims import Claim
    from solstat.stats.verdicts import Key, Verdict, Wanted
    from solstat.survey.kept import Kept

CLAIMS = "configs/claims"

_claims_option = click.option(
    "--claims",
    "place",
    metavar="DIR",
    type=click.Path(),
    help=f"Where the claims are; configs of surveys are one level up.  [default: {CLAIMS}]",
)


@group(
    "solstat claims",
    "solstat claims --json",
    "solstat claims check wasp-563 wasp-100",
    "solstat claims check --all --json",
)
@_claims_option
@json_option
@click.pass_context
def claims(ctx: click.Context, place: str | None, as_json: bool) -> None:
    """List published figures, or check them against our surveys.

    A claim says what was published of a game, where, and of how many deals. What is not known of it
    is `unknown` (null in JSON).
    """
    if ctx.invoked_subcommand is not None:
        if place is not None or as_json:
            raise UsageError(f"options of {ctx.invoked_subcommand} stand after it")
        return
    from solstat.report.claims import claims_table

    found = _read(place)
    if as_json:
        write_json([asdict(claim) for claim in found])
    else:
        write(claims_table(found))


@claims.command(
    cls=Command,
    examples=(
        "solstat claims check wasp-563",
        "solstat claims check --all",
        "solstat claims check wave-grid-9x7 --fresh --workers 2 -o runs/fresh",
    ),
)
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Check all claims.")
@click.option("--fresh", is_flag=True, help="Solve again what --results holds.")
@_claims_option
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(),
    default="results",
    show_default=True,
    help="Where finished surveys and summaries are kept.",
)
@workers_option
@click.option(
    "-o",
    "--out",
    metavar="DIR",
    type=click.Path(),
    default="runs",
    show_default=True,
    help="Where surveys go that are done now; what is there goes on.",
)
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    ids: tuple[str, ...],
    every: bool,
    fresh: bool,
    place: str | None,
    results: str,
    workers: int | None,
    out: str,
    as_json: bool,
) -> int:
    """Say of published figures whether our surveys bear them out.

    A survey that is kept in --results is not done again if it is what its config asks for now, by
    identity and number of deals; any other is done, or gone on with, in a directory under --out.

    Ours is the 99 % interval from the lower bound of the floor to the upper bound of the ceiling. A
    claim's own is the 99 % interval of its n; n unknown: the half width that is printed; without
    one: half a unit of the last printed digit. A share is consistent if the two meet, a floor
    unless all of its interval is above ours. So is what people win; beside it stands what players
    win, if `solstat play-model` has put their games into the directory players of --results (of
    --out with --fresh).
    """
    from solstat.stats.claims import choose
    from solstat.stats.verdicts import verdicts, wanted

    if bool(ids) == every:
        raise UsageError("name claims like wasp-563, or say --all; `solstat claims` lists them")
    found = _read(place)
    chosen = found if every else choose(found, ids)
    needed = wanted(chosen, Path(place or CLAIMS).parent)
    surveys = {} if fresh else _kept(needed, Path(results))
    _solve(ctx, needed, surveys, Path(out), workers)
    made = verdicts(chosen, surveys, Path(out if fresh else results))
    _show(made, surveys, as_json)
    return 3 if any(each.ours is not None and each.ours.error for each in made) else 0


def _read(place: str | None) -> Sequence[Claim]:
    from solstat.stats.claims import read_claims

    if place is None and not Path(CLAIMS).is_dir():
        raise UsageError(
            f"no directory {CLAIMS} here: go to where solstat's sources are, or name --claims DIR"
        )
    return read_claims(place or CLAIMS)


def _kept(needed: Mapping[Key, Wanted], results: Path) -> dict[Key, Kept]:
    """The surveys that are there; of each config that lacks one, why it is to be done."""
    if needed and not results.is_dir():
        raise UsageError(f"{results}: no such directory: name --results DIR, or say --fresh")
    found: dict[Key, Kept] = {}
    told = set()
    for name, survey in needed.items():
        try:
            found[name] = survey.kept(results)
        except UsageError as reason:
            if survey.name not in told:
                talk(f"{survey.name} is to be done: {reason}")
            told.add(survey.name)
    return found


def _solve(
    ctx: click.Context,
    needed: Mapping[Key, Wanted],
    surveys: dict[Key, Kept],
    out: Path,
    workers: int | None,
) -> None:
    """Do the surveys that are missing, and add them."""
    missing: dict[str, list[Key]] = {}
    for name, survey in needed.items():
        if name not in surveys:
            missing.setdefault(survey.name, []).append(name)
    if not missing:
        return
    with ended_by_interrupt():
        import multiprocessing

        from solstat.survey import logs
        from solstat.survey.run import run_survey

        multiprocessing.set_start_method("fork", force=True)  # as `run` does
        logs.to_stderr()
        # All but the first are forked with Arrow loaded, as a pool is that is rebuilt after a
        # death: workers do not use it.
        for config, names in missing.items():
            try:
                run_survey(
                    [needed[name].plan for name in names],
                    out / config,
                    apart=needed[names[0]].apart,
                    workers=workers,
                    command=ctx.meta[WORDS],
                )
            except UsageError as error:
                raise UsageError(
                    f"{config} cannot be done in {out}: name another place with -o DIR ({error})"
                ) from None
    surveys |= {name: needed[name].kept(out) for names in missing.values() for name in names}


def _show(made: Sequence[Verdict], surveys: Mapping[Key, Kept], as_json: bool) -> None:
    from solstat.report.claims import at_budget_table, summary_line, verdicts_table
    from solstat.report.players import models_table
    from solstat.stats.verdicts import key

    if as_json:
        objects = []
        for each in made:
            comparable = each.claim.comparable
            run = str(surveys[key(each.claim)].path) if comparable else None
            about = {"id": each.claim.id, "verdict": each.verdict, "why": each.why, "run": run}
            objects.append(about | asdict(each))
        write_json(objects)
        return
    write(verdicts_table(made))
    if any(each.at_budget is not None for each in made):
        write("\nAt the budget of the claim:")
        write(at_budget_table(made))
    if beside := {each.claim.rules: each.players for each in made if each.players}:
        write("\nPlayers, who see what a person sees:")
        write(models_table([player for found in beside.values() for player in found]))
    talk(f"\n{summary_line(made)}.")
