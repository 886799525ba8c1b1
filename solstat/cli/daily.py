"""``solstat daily``: the board of a day, or of all days of a year."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import command
from solstat.cli.options import log, logs_options, memory_option, rules_argument, workers_option
from solstat.cli.output import check_file, in_place_of, talk, write, write_json
from solstat.cli.winnable import form_option, format_asked, out_option, write_list
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.boards.board import Board
    from solstat.games import Rules


@command(
    "solstat daily wasp",
    "solstat daily wasp --date 2026-11-29 --json",
    "solstat daily will-o-the-wisp -r finished_runs=return --date 2026-11-29",
    "solstat daily wasp --date 2026-11-29 | solstat solve wasp --deal -",
    "solstat daily flow -o day.txt && solstat play flow --deal day.txt < /dev/null",
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
@out_option
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
    if year is None and form is not None:
        raise UsageError("--format is for --calendar: the board of one day is text or JSON")
    if year is None:
        _check_file(out, as_json)
    else:
        form = format_asked(form, as_json, out)
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
    elif out is not None:
        text = json.dumps(boards[0].row()) if as_json else _board_text(boards[0])
        with in_place_of(Path(out)) as file:
            file.write(f"{text}\n".encode())
    elif as_json:
        write_json(boards[0].row())
    else:
        write(_board_text(boards[0]))
    if day is None and year is None and not quiet:
        talk(f"That is the board of {days[0]}, today's date in UTC.")


def _check_file(out: str | None, as_json: bool) -> None:
    """Refuse the names of files that the board of one day does not fit in."""
    if out is None:
        return
    check_file(out)
    ending = Path(out).suffix.lower()
    if ending in (".csv", ".parquet"):
        raise UsageError(
            f"-o {out}: {ending} is for --calendar: the board of one day is a deal file"
        )
    if ending == ".json" and not as_json:
        raise UsageError(f"-o {out}: the board of one day is a deal file; give --json too for JSON")


def _board_text(board: Board) -> str:
    """A board as a deal file, with what is told of it and its table as comments."""
    from solstat.boards.difficulty import LEVELS
    from solstat.deals import Deal, format_deal
    from solstat.games import start
    from solstat.report.text import counted

    head = (
        f"# {board.rules.id} of {board.date}: seed {board.seed}, difficulty {board.difficulty} of "
        f"{LEVELS}, won in {counted(board.moves, 'move')}"
    )
    piles = (f"#   {pile}" for pile in start(board.rules, board.cards).table())
    return "\n".join([head, *piles, format_deal(Deal(board.seed, board.cards))])


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
