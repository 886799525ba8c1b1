"""``solstat run``: a survey."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from solstat.cli.command import WORDS, command
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
from solstat.cli.output import talk, write, write_json
from solstat.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from solstat.survey.config import Settings


@command(
    "solstat run -g wasp --deals 0:50 --budget 250k -o runs/wasp",
    "solstat run -g wasp --deals 0:100 --budget 250k -o runs/wasp  # 50 more",
    "solstat run -g wasp -r face_down_piles=3 --deals 0:50 --budget 30k -o runs/three",
    "solstat run survey.toml --workers 2",
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
    goes on where it was stopped; with more deals it goes on where it had ended.
    """
    import multiprocessing

    from solstat.survey import logs
    from solstat.survey.run import run_survey

    settings = _settings(config, game, rule, asked | {"workers": workers})
    out = out or _default_out(config)
    # Only the command line may choose for the whole process; multiprocessing-logging needs fork.
    multiprocessing.set_start_method("fork", force=True)
    logs.to_stderr()
    directories = run_survey(
        settings.plans(), out, workers=settings.workers, command=ctx.meta[WORDS]
    )
    return _conclude(directories, as_json)


def _settings(
    config: str | None, game: str | None, rule: tuple[str, ...], asked: dict[str, Any]
) -> Settings:
    from solstat.games import parse_rules
    from solstat.survey.config import Settings, load

    if rule and game is None:
        raise UsageError(f"--rule {rule[0]}: it is an option of the game that -g names")
    rules = () if game is None else (parse_rules(game, rule),)
    flags = Settings(rules=rules, **asked)
    return flags if config is None else load(config).override(flags)


def _default_out(config: str | None) -> str:
    from pathlib import Path

    if config is None:
        raise UsageError("say where the run is to be kept, like -o runs/wasp")
    return str(Path("runs", Path(config).stem))


def _conclude(directories: list[Path], as_json: bool) -> int:
    """Show what came out and say how to read it; 3 if some deals are errors."""
    from solstat.report.tables import figures_table
    from solstat.stats.proportion import figures
    from solstat.survey.reader import counts, open_run

    found = [figures(counts(open_run(directory))) for directory in directories]
    if as_json:
        write_json([asdict(each) for each in found])
    else:
        write(figures_table(found))
    for directory in directories:
        parts = f"{directory}/*.parquet"
        talk(
            f"\nThe rows are in {directory}, as Parquet. To read them:\n"
            f"  pandas  pandas.read_parquet(glob.glob('{parts}'))\n"
            f"  DuckDB  SELECT outcome, count(*) FROM '{parts}' GROUP BY outcome"
        )
    return 3 if any(each.error for each in found) else 0
