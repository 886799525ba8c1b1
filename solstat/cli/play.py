"""``solstat play``: a table in the terminal."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solstat.cards import shown
from solstat.cli.command import command
from solstat.cli.inputs import one_deal
from solstat.cli.options import (
    Budget,
    complete_game,
    json_option,
    rule_option,
    scheme_option,
    seed_argument,
)
from solstat.cli.output import in_place_of, talk, write, write_json
from solstat.errors import UsageError
from solstat.report.text import counted

if TYPE_CHECKING:
    from solstat.hint import Hint
    from solstat.table.commands import Answer, Table
    from solstat.table.drawing import Paint
    from solstat.table.game import Game

PROMPT = "> "
COLOURS: dict[str, dict[str, Any]] = {
    "red": {"fg": "red"},
    "black": {},
    "hidden": {"dim": True},
    "name": {"dim": True},
}


@command(
    "solstat play wasp 24 < /dev/null",
    "echo moves | solstat play flow 24",
    "printf 'AC 5\\nhint\\nsave game.json\\n' | solstat play wasp 24",
    "echo undo | solstat play --load game.json",
    "solstat play will-o-the-wisp 24 -r finished_runs=return --json < /dev/null",
)
@click.argument("game", metavar="[GAME]", required=False, shell_complete=complete_game)
@seed_argument
@click.option("--deal", "file", metavar="FILE", type=click.Path(), help="The deal of a file.")
@click.option("--load", metavar="FILE", type=click.Path(), help="Go on with a saved game.")
@click.option("--line", default="", metavar="MOVES", help="Moves that are played first.")
@rule_option
@scheme_option(None)
@click.option(
    "--budget",
    type=Budget(),
    default=250_000,
    show_default="250k",
    help="Most positions of a hint.",
)
@json_option
def play(
    game: str | None,
    seed: str | None,
    file: str | None,
    load: str | None,
    line: str,
    rule: tuple[str, ...],
    scheme: str | None,
    budget: int,
    as_json: bool,
) -> int:
    """Play a game.

    \b
    7H         the seven of hearts, with all that goes with it, to the first pile
               it builds on, or else to the first empty pile that takes it
    7H 3       the same to pile 3 (in wave-motion and flow 7H c3 or 7H r3)
    deal       deal from the stock
    off S      take a finished run off;  back AS 3  a card from its foundation
    undo redo  take back, play again     hint   a move that wins
    moves      every legal move          save FILE  --load goes on with it
    help quit

    Commands may come from a pipe. The exit code is then 1 if one was refused.
    """  # noqa: D301  (click's mark for lines that stay as they are)
    from solstat.hint import hint
    from solstat.table.commands import Table

    def hinted(played: Game) -> Hint:
        return hint(played.rules, played.deal.cards, played.line, budget)

    played = _game(game, seed, file, load, rule, scheme)
    table = Table(played, hinted, _save, load)
    played.play_line(line.split())
    at_terminal = _is_terminal(sys.stdin)
    try:
        refused = _at(table, as_json)
    finally:
        if at_terminal and table.unsaved:
            talk(f"not saved; {_again(table, file)}")
    return 1 if refused and not at_terminal else 0


def _at(table: Table, as_json: bool) -> int:
    """Answer commands until there are no more; how many were refused."""
    refused = 0
    _show(table, None, None, as_json)
    for typed in _typed(table):
        answer = table.answer(typed)
        if answer is None:
            continue
        refused += answer.refused
        if answer.over:
            break
        _show(table, typed, answer, as_json)
    return refused


def _again(table: Table, file: str | None) -> str:
    """The command that goes on with a game of which no file has all moves."""
    game, line = table.game, table.game.line
    words = [game.rules.id]
    if file is not None:
        words += ["--deal", file]
    elif game.scheme == "solstat":
        words += [game.deal.id]
    elif game.scheme != "file":
        words += [game.deal.id, "--scheme", game.scheme]
    elif game.moves[: (had := len(table.saved.split()))] == tuple(table.saved.split()):
        words, line = ["--load", str(table.file)], " ".join(game.moves[had:])
    else:  # the deal is in the saved game alone, and that has moves which were taken back
        return f"the moves from the deal in {table.file}: {line}"
    return f"to go on: {shlex.join(['solstat', 'play', *words, '--line', line])}"


def _game(
    game: str | None,
    seed: str | None,
    file: str | None,
    load: str | None,
    rule: tuple[str, ...],
    scheme: str | None,
) -> Game:
    """The game that was asked for: a deal, or a file."""
    from solstat.games import parse_rules
    from solstat.table import saved
    from solstat.table.game import Game

    if load is not None:
        if game is not None or file is not None or rule or scheme is not None:
            raise UsageError("--load FILE names the game, its rules and its deal: give it alone")
        return saved.load(load)
    if game is None:
        raise UsageError("name what to play: GAME SEED, GAME --deal FILE, or --load FILE")
    if file == "-":
        raise UsageError("--deal -: standard input is where commands come from; name a file")
    rules = parse_rules(game, rule)
    deal = one_deal(scheme or "solstat", seed, file)
    return Game(rules, "file" if file is not None else scheme or "solstat", deal)


def _save(game: Game, name: str) -> None:
    """Write a game to a file, which may be a saved game already but nothing else."""
    from solstat.table import saved

    path = Path(name)
    try:
        if path.is_dir():
            raise UsageError(f"{name}: a directory; name a file")
        if path.exists() and not saved.is_whole(path):
            raise UsageError(f"{name}: there is such a file, and it is no saved game: name another")
        with in_place_of(path) as file:
            file.write(saved.text_of(game).encode())
    except (OSError, ValueError) as error:  # a name too long, or with a NUL byte in it
        raise UsageError(f"{shown(name)}: {getattr(error, 'strerror', None) or error}") from None


def _typed(table: Table) -> Iterator[str]:
    """The lines that a player types, or that come from a pipe."""
    if sys.stdin is None:
        return
    if _is_terminal(sys.stdin) and _is_terminal(sys.stdout):
        yield from _at_terminal(table.words)
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    yield from sys.stdin


def _at_terminal(words: Sequence[str]) -> Iterator[str]:
    """Lines typed at a prompt, with the keys that edit, recall and complete them."""
    import readline

    def complete(text: str, state: int) -> str | None:
        return [*(f"{word} " for word in words if word.startswith(text)), None][state]

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            write("")
            return


def _show(table: Table, typed: str | None, answer: Answer | None, as_json: bool) -> None:
    """What a player is shown after a command, or, if there was none, at the start."""
    from solstat.table.drawing import draw

    if as_json:
        write_json(_data(table, typed, answer))
        return
    if answer is not None and answer.said:
        write(f"refused: {answer.said}" if answer.refused else answer.said)
    if answer is None or answer.changed:
        colour = _has_colour()
        lines = draw(table.game.position, _paint if colour else _plain(), _width())
        click.echo("\n".join(lines), color=colour)
        write(_state(table.game))


def _data(table: Table, typed: str | None, answer: Answer | None) -> dict[str, Any]:
    from solstat.table.drawing import data
    from solstat.table.game import suits_off

    game = table.game
    return {
        "command": None if typed is None else typed.strip(),
        "refused": answer.said if answer is not None and answer.refused else None,
        **({} if answer is None else answer.data),
        "rules": game.rules.id,
        "scheme": game.scheme,
        "seed": game.deal.id,
        "line": game.line,
        "won": game.position.won,
        "off": suits_off(game.position),
        "table": data(game.position),
    }


def _state(game: Game) -> str:
    """One line that says how the game stands."""
    moves = game.moves
    last = f", the last {moves[-1]}" if moves else ""
    end = ": won" if game.position.won else ": no move is left, undo takes one back"
    return (
        f"{game.rules.id}, seed {game.deal.id}: {counted(len(moves), 'move')}{last}"
        f"{end if game.position.won or game.stuck else ''}"
    )


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def _has_colour() -> bool:
    """Whether to colour what is shown; https://no-color.org says how to ask for none."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return _is_terminal(sys.stdout) and not plain


def _paint(text: str, kind: str) -> str:
    return click.style(text, **COLOURS[kind])


def _plain() -> Paint:
    from solstat.table.drawing import plain

    return plain


def _width() -> int:
    return shutil.get_terminal_size().columns if _is_terminal(sys.stdout) else 80
