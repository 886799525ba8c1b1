"""``solstat run``: a survey."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any, Literal

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.asked import (
    check_complete,
    check_retry,
    executor_of,
    plans_again,
    plans_of,
    run_place,
    settings_of,
)
from solstat.cli.command import WORDS, command
from solstat.cli.ended import conclude
from solstat.cli.options import (
    Budgets,
    complete_game,
    deals_file_option,
    deals_option,
    json_option,
    log,
    logs_options,
    memory_option,
    rule_option,
    scheme_option,
    search_option,
    workers_option,
)
from solstat.cli.output import talk
from solstat.cli.until import Watch


@command(
    "solstat run -g wasp --deals 0:50 --budget 250k -o runs/wasp",
    "solstat run -g wasp --deals 0:100 --budget 250k -o runs/wasp  # 50 more",
    "solstat run -g wasp -r face_down_piles=3 --deals 0:9 --budget 9k -o runs/three",
    "solstat run survey.toml --workers 2",
    "solstat run survey.toml --deals 0:9k --until half-width=4% -o runs/until",
    "solstat run --retry unsettled --budget 10M -o runs/wasp",
    "for k in 1 2; do solstat run survey.toml --shard $k/2 -o runs/halves; done",
)
@click.argument("config", metavar="[CONFIG]", type=click.Path(), required=False)
@click.option(
    "-g", "--game", metavar="GAME", shell_complete=complete_game, help="The game, or a rules id."
)
@rule_option
@deals_option
@deals_file_option
@scheme_option(default=None)
@click.option(
    "--budget",
    "budgets",
    type=Budgets(),
    help="The most positions a deal may cost, such as 250k; with 250k,1M,40M what one leaves open "
    "is searched again with the next.",
)
@search_option(default=None)
@click.option(
    "--lines/--no-lines",
    default=None,
    help="Keep the moves of each win.  [default: for up to 2,000 deals]",
)
@click.option(
    "--until",
    metavar="RULE",
    help="Stop before the last deal, once the interval of the share won is narrow enough, such as "
    "half-width=0.5%, or so many are won, such as won=1000; lines are not kept by default then.",
)
@click.option(
    "--retry",
    type=click.Choice(["unsettled", "errors"]),
    help="Search deals of a run that is there again: those that are open, with a larger --budget, "
    "or those over which the solver failed. What is not said is as the run has it.",
)
@click.option(
    "--shard",
    metavar="K/N",
    help="Only the K-th of N parts, which is a run of its own in OUT; see `solstat merge`.",
)
@workers_option
@memory_option
@click.option(
    "--executor",
    type=click.Choice(["processes", "dask"]),
    help="Who solves: processes of this machine, or the workers of a Dask cluster, "
    "by default one on this machine.  [default: processes]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="The Dask cluster, such as tcp://host:8786, or its scheduler's file; means "
    "--executor dask.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="The directory of the run.  [default: runs/NAME for a config NAME.toml]",
)
@logs_options
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    config: str | None,
    game: str | None,
    rule: tuple[str, ...],
    retry: Literal["unsettled", "errors"] | None,
    out: str | None,
    workers: int | None,
    memory: int | None,
    verbose: bool,
    quiet: bool,
    log_file: str | None,
    shard: str | None,
    executor: str | None,
    scheduler: str | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Solve many deals and keep the verdicts as Parquet.

    What to solve stands in CONFIG, a TOML file, or in options, which override it. The same command
    goes on where it was stopped; with more deals it goes on where it had ended. A run that looks
    whether it may stop has an interval that holds however often it looks.
    """
    if retry is None:
        check_complete(config, game, rule, asked, out)
    else:
        check_retry(config, game, rule, asked, out)
    place = run_place(config, out)
    with ended_by_interrupt():  # until `run_survey` heeds it, when there is something to store
        import multiprocessing

        from solstat.survey.run import retry_survey, run_survey

        settings = settings_of(config, game, rule, asked | {"workers": workers})
        until = None if settings.until is None else Watch(settings.until)
        if until is not None:
            settings = replace(settings, until=str(until.rule))
        # Only the command line may choose for the whole process; multiprocessing-logging needs
        # fork.
        multiprocessing.set_start_method("fork", force=True)
        log(verbose, quiet, log_file)
        how: dict[str, Any] = {
            "workers": settings.workers,
            "memory": memory,
            "command": ctx.meta[WORDS],
            "executor": executor_of(executor, scheduler, workers, memory),
        }
        if retry is None:
            plans = plans_of(settings, shard)
            apart = bool(settings.tables)
            directories = run_survey(plans, place, apart=apart, stop=until, **how)
        else:
            directories, plans = plans_again(settings, shard, place, retry, asked["budgets"])
            retry_survey(directories, plans, **how)
    code = conclude(directories, place, as_json, quiet, None if until is None else until.rule)
    if shard is not None and not as_json and not quiet:
        talk(
            f"\nThat is shard {shard}. To join all of them: solstat merge {shlex.quote(str(place))}"
        )
    return code
