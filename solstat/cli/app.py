"""The command ``solstat``: finds its commands, turns what goes wrong into one line and a code.

Only click is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from solstat import __version__
from solstat.cli.command import WORDS, debug_option, debugging
from solstat.errors import Interrupted, SolstatError

# In the order of --help. Each is an object in the module of the same name beside this one, with
# underscores for hyphens.
COMMANDS = (
    "games",
    "deal",
    "solve",
    "hint",
    "play",
    "run",
    "status",
    "stats",
    "curve",
    "compare",
    "tune",
    "claims",
    "play-model",
    "report",
    "show",
    "verify",
    "export",
    "merge",
    "doctor",
    "winnable",
    "daily",
    "perft",
    "completion",
)


class Application(click.Group):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of --help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, from its own module."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"solstat.cli.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but close matches are sought among all commands, loaded or not."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as unknown:
            name = unknown.command_name
            raise click.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx) from None

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse what stands before the command; `help` is --help, `help COMMAND` the command's."""
        words = [info_name or "solstat", *args]
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        with _told():
            ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[WORDS] = words
        return ctx

    def invoke(self, ctx: click.Context) -> None:
        """Run the command; what it returns is the exit code."""
        with _told(ctx):
            code = super().invoke(ctx)
            sys.stdout.flush()
        ctx.exit(code or 0)


@contextmanager
def _told(ctx: click.Context | None = None) -> Iterator[None]:
    """Turn an exception into one line on stderr and an exit code."""
    try:
        yield
    except (click.exceptions.Exit, SystemExit):
        raise
    except BrokenPipeError:
        # Whoever reads has read enough (`solstat export RUN | head`): nothing failed.
        _give_up_stdout()
        raise click.exceptions.Exit(0) from None
    except BaseException as problem:
        _give_up_stdout()
        if ctx is not None and debugging(ctx):
            traceback.print_exc()
        message, code = _line_and_code(problem)
        click.echo(message, err=True)
        raise click.exceptions.Exit(code) from None


def _give_up_stdout() -> None:
    """Let what cannot be written go, or the interpreter would complain when it flushes at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line_and_code(problem: BaseException) -> tuple[str, int]:
    match problem:
        case KeyboardInterrupt() | click.Abort():
            return "Interrupted", Interrupted.exit_code
        case Interrupted():
            return str(problem), problem.exit_code
        case SolstatError():
            return f"Error: {_one_line(str(problem))}", problem.exit_code
        case click.exceptions.NoArgsIsHelpError():
            return problem.format_message(), problem.exit_code
        case click.ClickException():
            return f"Error: {_one_line(problem.format_message())}", problem.exit_code
        case OSError():  # those of Arrow may have no strerror
            where = "" if problem.filename is None else f"{problem.filename}: "
            return f"Error: {where}{_one_line(problem.strerror or str(problem))}", 1
        case ImportError():
            return f"Error: {_one_line(str(problem))}", 1
    name = type(problem).__name__
    return f"Error: {name}: {_one_line(str(problem))} (--debug shows where)", 1


def _one_line(text: str) -> str:
    return " ".join(text.split())


solstat = Application(
    "solstat",
    help="""How many deals of this solitaire can be won?

    Solves deals by the thousand and says of each whether it is won, lost, or not settled within a
    budget of positions. A win carries its line, which can be replayed; a loss is exhaustive.
    """,
    no_args_is_help=True,
    params=[debug_option()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="solstat", message="%(prog)s %(version)s")(solstat)
