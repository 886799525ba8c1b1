"""``solstat run``: a survey."""

from __future__ import annotations

import glob
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
    rule_option,
    scheme_option,
    search_option,
    workers_option,
)
from solstat.cli.output import talk
from solstat.cli.until import Watch, how_it_ended
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.stats.sequential import Until
    from solstat.survey.config import Settings


@command(
    "solstat run -g wasp --deals 0:50 --budget 250k -o runs/wasp",
    "solstat run -g wasp --deals 0:100 --budget 250k -o runs/wasp  # 50 more",
    "solstat run -g wasp -r face_down_piles=3 --deals 0:9 --budget 9k -o runs/three",
    "solstat run survey.toml --workers 2",
    "solstat run survey.toml --deals 0:9k --until half-width=4% -o runs/until",
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
@workers_option
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="The directory of the run.  [default: runs/NAME for a config NAME.toml]",
)
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

        from solstat.survey import logs
        from solstat.survey.run import run_survey

        settings = _settings(config, game, rule, asked | {"workers": workers})
        until = None if settings.until is None else Watch(settings.until)
        if until is not None:
            settings = replace(settings, until=str(until.rule))
        # Only the command line may choose for the whole process; multiprocessing-logging needs
        # fork.
        multiprocessing.set_start_method("fork", force=True)
        logs.to_stderr()
        directories = run_survey(
            settings.plans(),
            place,
            apart=bool(settings.tables),
            workers=settings.workers,
            command=ctx.meta[WORDS],
            stop=until,
        )
    return _conclude(directories, place, as_json, None if until is None else until.rule)


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
    if config is None:
        return flags
    settings = load(config)
    if settings.until is not None:  # also one that is overridden; `load` cannot know what it means
        try:
            Watch(settings.until)
        except UsageError as error:
            raise UsageError(f"config {config}: {error}") from None
    return settings.override(flags)


def _place(config: str | None, out: str | None) -> Path:
    if out is None:
        assert config is not None
        return Path("runs", Path(config).stem)
    if Path(out).exists() and not Path(out).is_dir():
        raise UsageError(f"-o {out}: is a file; name a directory, a new one or one of a run")
    return Path(out)


def _conclude(directories: list[Path], place: Path, as_json: bool, until: Until | None) -> int:
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
    if until is not None:
        for tally in tallies:
            talk(f"{tally.rules}: {how_it_ended(until, tally)}")
    if not as_json:
        below = "" if directories == [place] else "*/"
        talk(
            f"\nThe rows are in {place}, as Parquet. To read them:\n"
            + how_to_read(f"{glob.escape(str(place))}/{below}*.parquet")
        )
    return 3 if any(each.error for each in found) else 0


def how_to_read(pattern: str) -> str:
    """Lines to paste, for all files that a pattern matches."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    return (
        f"  pandas  import glob, pandas; pandas.read_parquet(glob.glob({pattern!r}))\n"
        f"  DuckDB  SELECT outcome, count(*) FROM {quoted} GROUP BY outcome"
    )
