"""``solstat play-model``: what players win who see what a person sees."""

from __future__ import annotations

import shlex
from dataclasses import asdict

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import WORDS, command
from solstat.cli.options import (
    complete_game,
    confidence_option,
    deals_option,
    json_option,
    log,
    logs_options,
    rule_option,
    scheme_option,
    workers_option,
)
from solstat.cli.output import talk, write, write_json
from solstat.errors import UsageError

POLICIES = ("random", "greedy", "careful")


@command(
    "solstat play-model -g wasp --deals 0:20",
    "solstat play-model -g wasp --deals 0:50 --policy greedy --policy careful",
    "solstat play-model -g spiderette --deals 0:20 --policy careful --json",
)
@click.option(
    "-g", "--game", metavar="GAME", shell_complete=complete_game, help="The game, or a rules id."
)
@rule_option
@click.option(
    "--policy",
    "policies",
    type=click.Choice(POLICIES),
    multiple=True,
    help="Who plays; may be repeated.  [default: all three]",
)
@deals_option
@scheme_option()
@workers_option
@click.option(
    "-o",
    "--out",
    metavar="DIR",
    type=click.Path(),
    default="players",
    show_default=True,
    help="Where the games go, as Parquet in DIR/RULES/POLICY.",
)
@confidence_option
@logs_options
@json_option
@click.pass_context
def play_model(
    ctx: click.Context,
    game: str | None,
    rule: tuple[str, ...],
    policies: tuple[str, ...],
    deals: str | None,
    scheme: str,
    workers: int | None,
    out: str,
    confidence: float,
    verbose: bool,
    quiet: bool,
    log_file: str | None,
    as_json: bool,
) -> None:
    """Let players play deals, and show what share they win.

    They see what a person sees: neither cards that are face down nor the stock. They never take a
    move back, and stop when they are stuck or go round. The random player makes any move, the
    greedy one that which gains most, the careful one thinks ahead as far as it sees.

    The same command goes on where it was stopped; with more deals it goes on where it had ended.
    """
    needed = {"-g wasp": game, "--deals 0:100": deals}
    if missing := [option for option, value in needed.items() if value is None]:
        raise UsageError(f"missing: {' and '.join(missing)}")
    assert game is not None
    assert deals is not None
    with ended_by_interrupt():  # until `play_deals` heeds it
        import multiprocessing

        from solstat.deals import parse_seed_range
        from solstat.games import parse_rules
        from solstat.report.players import models_table
        from solstat.stats.players import model
        from solstat.survey.playing import play_deals

        rules, seeds = parse_rules(game, rule), parse_seed_range(deals, scheme)
        multiprocessing.set_start_method("fork", force=True)  # as `run` does
        log(verbose, quiet, log_file)
        found = play_deals(
            rules,
            list(dict.fromkeys(policies)) or POLICIES,
            scheme,
            seeds,
            out,
            workers=workers,
            command=shlex.join(ctx.meta[WORDS]),
        )
    models = [model(games, confidence) for games in found]
    if as_json:
        write_json(
            [
                {"path": str(games.path)} | asdict(each)
                for games, each in zip(found, models, strict=True)
            ]
        )
        return
    write(models_table(models))
    if not quiet:
        talk(f"\nThe games are in {found[0].path.parent}, as Parquet, a directory for each player.")
