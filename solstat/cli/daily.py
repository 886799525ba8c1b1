"""``solstat daily``: the board of a day, or of all days of a year."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import command
from solstat.cli.options import log, logs_options, memory_option, rules_argument, workers_option
from solstat.cli.output import talk, write, write_json
from solstat.cli.winnable import form_option, format_asked, write_list
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.boards.board import Board
    from solstat.games import Rules


@command(
    "solstat daily wasp",
    "solstat daily wasp --date 2026-11-29 --json",
    "solstat daily will-o-the-wisp -r finished_runs=return --date 2026-11-29",
    "solstat daily wasp --date 2026-11-29 | solstat solve wasp --deal -",
    "solstat daily wave-motion --calendar 2027 -o 2027.csv",
)
@rules_argument
@click.option(
    "--date",
    "day",
    metavar="YYYY-MM-DD",
    help="The day.  [default: today, by the date in UTC]",
)
@click.option(
    "--calendar",
    "year",
    type=click.IntRange(1, 9999),
    metavar="YEAR",
    help="List the boards of a whole year.",
)
@form_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@workers_option
@memory_option
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="For a calendar: the file to write, in place of one there once it is whole.  "
    "[default: standard output]",
)
@logs_options
def daily(
    rules: Rules,
    day: str | None,
    year: int | None,
    form: str | None,
    as_json: bool,
    workers: int | None,
    memory: int | None,
    out: str | None,
    verbose: bool,
    quiet: bool,
    log_file: str | None,
) -> None:
    """Show the board of a day, proved winnable.

    It is the same for everyone: it depends on the game, its options and the date alone. The text
    is a deal file, which `solve --deal` reads; the winning line is in JSON and in calendars only.
    """
    if day is not None and year is not None:
        raise UsageError("--date with --calendar: give one of them")
    if year is None and (form is not None or out is not None):
        raise UsageError("--format and -o are for --calendar: the board of one day is text or JSON")
    form = None if year is None else format_asked(form, as_json, out)
    with ended_by_interrupt():
        import multiprocessing

        from solstat.boards.daily import daily_boards, days_of, parse_date, today

        multiprocessing.set_start_method("fork", force=True)
        log(verbose, quiet, log_file)
        one = today() if day is None else parse_date(day)
        days = [one] if year is None else days_of(year)
    boards = daily_boards(rules, days, workers=workers, memory=memory)
    if form is not None:
        _write_calendar(boards, form, out)
    elif as_json:
        write_json(boards[0].row())
    else:
        _write_board(boards[0])
    if day is None and year is None and not quiet:
        talk(f"That is the board of {days[0]}, today's date in UTC.")


def _write_board(board: Board) -> None:
    from solstat.boards.difficulty import LEVELS
    from solstat.deals import Deal, format_deal
    from solstat.games import start
    from solstat.report.text import counted

    write(
        f"# {board.rules.id} of {board.date}: seed {board.seed}, difficulty {board.difficulty} of "
        f"{LEVELS}, won in {counted(board.moves, 'move')}"
    )
    for pile in start(board.rules, board.cards).table():
        write(f"#   {pile}")
    write(format_deal(Deal(board.seed, board.cards)))


def _write_calendar(boards: list[Board], form: str, out: str | None) -> None:
    from solstat.boards.daily import BUDGET, SCHEME, VERSION

    about = {
        "rules": boards[0].rules.id,
        "scheme": SCHEME,
        "budget": BUDGET,
        "stream": VERSION,
        "first": boards[0].date,
        "last": boards[-1].date,
    }
    write_list(boards, form, out, about)
