"""``solstat run``: a survey."""

from __future__ import annotations

import functools
import glob
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import WORDS, command
from solstat.cli.figures import show_figures
from solstat.cli.options import (
    Budget,
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
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.stats.sequential import Until
    from solstat.survey.config import Settings
    from solstat.survey.executors import Executor
    from solstat.survey.plan import Plan
    from solstat.survey.reader import Counts


@command(
    "solstat run -g wasp --deals 0:50 --budget 250k -o runs/wasp",
    "solstat run -g wasp --deals 0:100 --budget 250k -o runs/wasp  # 50 more",
    "solstat run -g wasp -r face_down_piles=3 --deals 0:9 --budget 9k -o runs/three",
    "solstat run survey.toml --workers 2",
    "solstat run survey.toml --deals 0:9k --until half-width=4% -o runs/until",
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
@click.option("--budget", type=Budget(), help="The most positions a deal may cost, such as 250k.")
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
    "half-width=0.5%; lines are not kept by default then.",
)
@click.option(
    "--shard",
    metavar="K/N",
    help="Solve only the K-th of N parts, as a run of its own in OUT; see `solstat merge`.",
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
    _check_complete(config, game, rule, asked, out)
    place = _place(config, out)
    with ended_by_interrupt():  # until `run_survey` heeds it, when there is something to store
        import multiprocessing

        from solstat.survey.run import run_survey

        settings = _settings(config, game, rule, asked | {"workers": workers})
        until = None if settings.until is None else _Until(settings.until)
        if until is not None:
            settings = replace(settings, until=str(until.rule))
        # Only the command line may choose for the whole process; multiprocessing-logging needs
        # fork.
        multiprocessing.set_start_method("fork", force=True)
        log(verbose, quiet, log_file)
        plans = settings.plans()
        if shard is not None:
            plans = _shards(plans, shard)
        directories = run_survey(
            plans,
            place,
            apart=bool(settings.tables),
            workers=settings.workers,
            memory=_memory(memory, scheduler),
            command=ctx.meta[WORDS],
            stop=until,
            executor=_executor(executor, scheduler, workers),
        )
    code = _conclude(directories, place, as_json, quiet, None if until is None else until.rule)
    if shard is not None and not as_json and not quiet:
        talk(
            f"\nThat is shard {shard}. To join all of them: solstat merge {shlex.quote(str(place))}"
        )
    return code


def _shards(plans: Iterable[Plan], text: str) -> tuple[Plan, ...]:
    from solstat.survey.shards import parse_cut, shard

    cut = parse_cut(text)
    return tuple(shard(plan, cut) for plan in plans)


def _memory(asked: int | None, scheduler: str | None) -> int | None:
    """What is asked for; without limit for a cluster, whose workers are on other machines."""
    if scheduler is None:
        return asked
    if asked is not None:
        raise UsageError("--memory with --scheduler: a cluster has limits of its own")
    return sys.maxsize


def _executor(
    name: str | None, scheduler: str | None, workers: int | None
) -> Callable[[int], Executor]:
    from solstat.survey.executors import Processes

    if scheduler is not None and workers is not None:
        raise UsageError("--workers with --scheduler: a cluster has the workers it has")
    if scheduler is not None and name == "processes":
        raise UsageError("--scheduler is for --executor dask, not for processes")
    if scheduler is None and name != "dask":
        return Processes
    from solstat.survey.dask import Dask

    return functools.partial(Dask, scheduler=scheduler)


class _Until:
    """Says of outcomes whether a run may stop, and tells, once for each rules, if it never will."""

    def __init__(self, text: str) -> None:
        from solstat.stats.sequential import parse_until

        self.rule = parse_until(text)
        self._told: set[str] = set()

    def __call__(self, counts: Counts) -> bool:
        if self.rule.out_of_reach(counts) and counts.rules not in self._told:
            from solstat.survey.logs import logger

            self._told.add(counts.rules)
            logger.warning("%s: %s", counts.rules, _out_of_reach(self.rule, counts))
        return self.rule.reached(counts)


def _out_of_reach(rule: Until, counts: Counts) -> str:
    share = (counts.unsettled + counts.error) / counts.n
    return (
        f"{_percent(share)} of {counts.n:,} deals are open: at this budget {rule} is out of reach, "
        "however many deals there are; a larger budget may help"
    )


def _check_complete(
    config: str | None,
    game: str | None,
    rule: tuple[str, ...],
    asked: dict[str, Any],
    out: str | None,
) -> None:
    """Without a config, name all that is missing at once."""
    if rule and game is None:
        raise UsageError(
            f"-r {rule[0]} needs -g; in a config, options stand in its [[rules]] tables"
        )
    if config is not None:
        return
    needed = {
        "-g wasp": game,
        "--deals 0:563 (or --deals-file FILE)": asked["deals"] or asked["deals_file"],
        "--budget 250k": asked["budget"],
        "-o runs/wasp": out,
    }
    missing = [option for option, value in needed.items() if value is None]
    if len(missing) == len(needed):
        raise UsageError(
            f"nothing to solve: name a CONFIG, or give options like {', '.join(missing)}"
        )
    if missing:
        raise UsageError(f"missing, as there is no CONFIG: options like {', '.join(missing)}")


def _settings(
    config: str | None, game: str | None, rule: tuple[str, ...], asked: dict[str, Any]
) -> Settings:
    from solstat.games import parse_rules
    from solstat.survey.config import Settings, load

    rules = () if game is None else (parse_rules(game, rule),)
    flags = Settings(rules=rules, **asked)
    return flags if config is None else load(config).override(flags)


def _place(config: str | None, out: str | None) -> Path:
    if out is None:
        assert config is not None
        return Path("runs", Path(config).stem)
    if Path(out).exists() and not Path(out).is_dir():
        raise UsageError(f"-o {out}: is a file; name a directory, a new one or one of a run")
    return Path(out)


def _conclude(
    directories: list[Path], place: Path, as_json: bool, quiet: bool, until: Until | None
) -> int:
    """Show what came out and say how to read it; 3 if some deals are errors."""
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts, open_run

    runs = [open_run(directory) for directory in directories]
    tallies = [counts(run) for run in runs]
    found = [
        figures(tally, interval=run.record.interval)
        for run, tally in zip(runs, tallies, strict=True)
    ]
    show_figures(runs, found, as_json)
    if until is not None and not quiet:
        for tally in tallies:
            talk(f"{tally.rules}: {_how_it_ended(until, tally)}")
    if not as_json and not quiet:
        below = "*/" * len(directories[0].relative_to(place).parts)
        talk(
            f"\nThe rows are in {place}, as Parquet. To read them:\n"
            + how_to_read(f"{glob.escape(str(place))}/{below}*.parquet")
        )
    return 3 if any(each.error for each in found) else 0


def _how_it_ended(rule: Until, counts: Counts) -> str:
    """Whether the interval is as narrow as was asked for; if not, why, and what would help."""
    from solstat.stats.sequential import width

    found = width(counts)
    if rule.reached(counts):
        return f"{rule} is reached by {counts.n:,} deals: it is {_percent(found.half)}"
    if rule.out_of_reach(counts):
        why = _out_of_reach(rule, counts)
    elif found.still_open >= rule.half_width:
        why = "the open deals of these alone make it as wide: a larger budget may help"
    else:
        why = "more deals may help"
    return (
        f"{rule} is not reached by {counts.n:,} deals: it is {_percent(found.half)}, "
        f"{_percent(found.sampling)} of that by sampling and {_percent(found.still_open)} by open "
        f"deals; {why}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def how_to_read(pattern: str) -> str:
    """Lines to paste, for all files that a pattern matches."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    return (
        f"  pandas  import glob, pandas; pandas.read_parquet(glob.glob({pattern!r}))\n"
        f"  DuckDB  SELECT outcome, count(*) FROM {quoted} GROUP BY outcome"
    )
