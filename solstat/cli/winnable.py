"""``solstat winnable``: deals that are proved won."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solstat.cli import ended_by_interrupt
from solstat.cli.command import WORDS, command
from solstat.cli.options import (
    Budget,
    log,
    logs_options,
    memory_option,
    rules_argument,
    scheme_option,
    workers_option,
)
from solstat.cli.output import check_file, in_place_of, talk
from solstat.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from solstat.boards.board import Board
    from solstat.boards.winnable import Winnable
    from solstat.games import Rules

MOST = 10**7
FORMATS = ("parquet", "csv", "json")


out_option = click.option(
    "-o",
    "--out",
    type=click.Path(),
    help="The file to write, in place of one there once it is whole.  [default: standard output]",
)

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="What to write.  [default: by the ending of the file; csv to standard output]",
)


def format_asked(form: str | None, as_json: bool, out: str | None) -> str:
    """The format of a list that options ask for (UsageError if they do not agree, or for none)."""
    from solstat.boards.files import format_of

    if out is not None:
        check_file(out)
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json with --format {form}: give one of them")
    if as_json and out is not None and Path(out).suffix.lower() in (".csv", ".parquet"):
        raise UsageError(f"--json with -o {out}: give one of them")
    form = "json" if as_json else form or ("csv" if out is None else format_of(out))
    if form == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("Parquet is nothing for a terminal: name a file, -o boards.parquet")
    return form


def write_list(
    boards: Sequence[Board], form: str, out: str | None, about: Mapping[str, Any]
) -> None:
    """Write boards to a file, or to standard output if there is none."""
    from solstat.boards.files import write_boards

    if out is None:
        write_boards(sys.stdout.buffer, form, boards, about)
        sys.stdout.buffer.flush()
    else:
        with in_place_of(Path(out)) as file:
            write_boards(file, form, boards, about)


@command(
    "solstat winnable wasp --count 10",
    "solstat winnable will-o-the-wisp --count 10 --first 1000 -o boards.csv",
    "solstat winnable wave-motion -r columns=9 --count 100 -o boards.parquet",
    "solstat winnable wasp --count 20 --json",
    "solstat winnable wasp --count 50 --run runs/boards -o boards.json",
)
@rules_argument
@click.option(
    "--count", type=click.IntRange(1, MOST), required=True, metavar="N", help="Number of boards."
)
@click.option(
    "--first",
    metavar="SEED",
    help="The seed to begin with.  [default: the lowest of the scheme]",
)
@scheme_option()
@click.option(
    "--budget",
    type=Budget(),
    default=250_000,
    show_default="250k",
    help="The most positions that may prove a deal won.",
)
@form_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON, as --format json does.")
@click.option(
    "--run",
    "place",
    metavar="RUN",
    type=click.Path(),
    help="Keep the survey behind the list as the run RUN; with it, a larger --count goes on.",
)
@workers_option
@memory_option
@out_option
@logs_options
@click.pass_context
def winnable(
    ctx: click.Context,
    /,
    rules: Rules,
    count: int,
    first: str | None,
    scheme: str,
    budget: int,
    form: str | None,
    as_json: bool,
    place: str | None,
    workers: int | None,
    memory: int | None,
    out: str | None,
    verbose: bool,
    quiet: bool,
    log_file: str | None,
) -> int:
    """List the first deals from a seed on that are proved won.

    Each has its seed, its cards, a winning line and how hard it is, from 1 to 5. How many deals
    were passed over is said, as lost and as unsettled apart. The list is the same with any number
    of workers. The same command goes on where it was stopped: until FILE is whole, what is known
    is in FILE.partial.
    """
    with ended_by_interrupt():  # until `run_survey` heeds it
        import multiprocessing

        from solstat.boards.winnable import find_winnable
        from solstat.deals import lowest_seed, seeds_from

        form = format_asked(form, as_json, out)
        if place and out and Path(place).resolve() in Path(out).resolve().parents:
            raise UsageError(f"-o {out}: {place} is the directory of a run; name another place")
        seeds = seeds_from(lowest_seed(scheme) if first is None else first, scheme)
        multiprocessing.set_start_method("fork", force=True)
        log(verbose, quiet, log_file)
    with _survey_at(place, out) as directory:
        found = find_winnable(
            rules,
            count,
            seeds,
            directory,
            scheme=scheme,
            budget=budget,
            workers=workers,
            memory=memory,
            command=ctx.meta[WORDS],
        )
        about = {
            "rules": rules.id,
            "scheme": scheme,
            "budget": budget,
            "first": seeds.first_seed,
            "searched": found.searched,
            "won": len(found.boards),
            "lost": found.lost,
            "unsettled": found.unsettled,
            "error": found.error,
        }
        write_list(found.boards, form, out, about)
    if not quiet:
        talk(_told(rules, found))
    if len(found.boards) < count:
        talk(f"there are only {len(found.boards):,}: no seed is left")
        return 1
    return 3 if found.error else 0


@contextmanager
def _survey_at(run: str | None, out: str | None) -> Iterator[Path]:
    """The directory of the survey: one to keep, or one that is gone when the list is written."""
    from solstat.survey.lock import LOCK

    if run is not None:
        from solstat.survey.record import directory_path

        yield directory_path(run)
    elif out is not None and (Path(out).is_file() or not Path(out).exists()):
        partial = Path(f"{out}.partial")
        if partial.is_symlink():
            raise UsageError(f"{partial}: a link; name another file, or remove the link")
        try:
            yield partial
        except UsageError:
            if partial.is_dir() and [entry.name for entry in partial.iterdir()] == [LOCK]:
                shutil.rmtree(partial)  # nothing was begun
            raise
        shutil.rmtree(partial)
    else:
        with tempfile.TemporaryDirectory(prefix="solstat-") as place:
            try:
                yield Path(place)
            except Interrupted:
                raise Interrupted(
                    "interrupted; with -o FILE or --run RUN, the same command would go on"
                ) from None


def _told(rules: Rules, found: Winnable) -> str:
    from solstat.report.text import counted

    errors = f", {counted(found.error, 'error')}" if found.error else ""
    return (
        f"{rules.id}: {counted(len(found.boards), 'winnable board')} among "
        f"{counted(found.searched, 'deal')}; passed over: {found.lost:,} lost, "
        f"{found.unsettled:,} unsettled{errors}"
    )
