"""What every command has: examples in its help, and --debug."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from solstat.cards import shown
from solstat.errors import UsageError

WORDS = "solstat.words"
"""Where the words of the whole command line are in a context's `meta`."""

_DEBUG = "solstat.debug"


def debugging(ctx: click.Context) -> bool:
    """Whether --debug was given, before the command or after it."""
    return bool(ctx.meta.get(_DEBUG))


def _remember(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        ctx.meta[_DEBUG] = True


def debug_option() -> click.Option:
    """The option --debug, which is no parameter of the command's function."""
    return click.Option(
        ["--debug"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_remember,
        help="Show the traceback of an error.",
    )


class Command(click.Command):
    """A command whose help ends with examples; tests run each of them."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params.append(debug_option())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option given twice, of which click would take the last without a word."""
        try:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption:
            takes_seed = any(parameter.name == "seed" for parameter in self.params)
            negative = [word for word in args if re.fullmatch("-[0-9]+", word)]
            if takes_seed and negative:  # it looks like an option
                raise UsageError(
                    f"seed {shown(negative[0])}: seeds are whole numbers, from 0 up "
                    "(in scheme pysol from 1 up)"
                ) from None
            raise
        for option in given:
            once = isinstance(option, click.Option) and not option.multiple
            if once and given.count(option) > 1 and not ctx.resilient_parsing:
                names = "/".join([*option.opts, *option.secondary_opts])
                raise UsageError(f"{names} is given twice: give it once")
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on a line of its own, never wrapped."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class Group(Command, click.Group):
    """A command that does something by itself, and has commands below it for more."""


def group(*examples: str) -> Callable[[Callable[..., int | None]], Group]:
    """Make a function the group of its name; it is called before a command of the group too."""
    return click.group(cls=Group, invoke_without_command=True, examples=examples)


def command(*examples: str) -> Callable[[Callable[..., int | None]], Command]:
    """Make a function the command of its name. It returns its exit code, or nothing for 0."""
    return click.command(cls=Command, examples=examples)
