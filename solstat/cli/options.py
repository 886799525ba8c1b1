"""Options that several commands share, as decorators."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.games import Rules

Function = TypeVar("Function", bound=Callable[..., Any])


class Budget(click.ParamType[int]):
    """A number of positions, such as 250000, 250k or 1M."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; an int, from a default, stays as it is."""
        from solstat.budget import parse_budget

        return value if isinstance(value, int) else parse_budget(value)


class Budgets(click.ParamType["tuple[int, ...]"]):
    """One number of positions, or several that ascend, such as 250k,1M,40M."""

    name = "budget"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Read the text."""
        from solstat.budget import parse_budgets

        return parse_budgets(value)


class Share(click.ParamType[float]):
    """A share such as 99%, or 0.99, above 0 and below a bound.

    Parameters
    ----------
    like : str
        How to write one, for those who did not.
    below : int
        The bound in per cent.
    whole : bool
        Whether the bound itself is taken too.
    """

    name = "share"

    def __init__(self, like: str = "99% or 0.99", below: int = 100, *, whole: bool = False) -> None:
        self._like, self._below, self._whole = like, below, whole

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the text; a float, from a default, stays as it is."""
        from solstat.cards import shown
        from solstat.errors import UsageError

        if isinstance(value, float):
            return value
        if (percent := _percent(value)) is not None and self._takes(percent):
            return float(percent.scaleb(-2))
        option = "share" if param is None else param.opts[0]
        up_to = "up to" if self._whole else "below"
        as_percent = _percent(f"{value}%")
        meant = as_percent is not None and self._takes(as_percent)
        raise UsageError(
            f"{option} {shown(value)}: write a share above 0 % and {up_to} {self._below} %, "
            f"like {self._like}" + (f"; did you mean {value}%?" if meant else "")
        )

    def _takes(self, percent: Decimal) -> bool:
        return 0 < percent < self._below or (self._whole and percent == self._below)


def _percent(text: str) -> Decimal | None:
    """The per cent that a text such as 99% or 0.99 names, None if it names none.

    1 is none: it might be 1% or all.
    """
    if not re.fullmatch(r"[0-9]{0,3}\.?[0-9]{1,9}%|0?\.[0-9]{1,9}", text):
        return None
    return Decimal(text[:-1]) if text.endswith("%") else Decimal(text) * 100


class Memory(click.ParamType[int]):
    """A size of memory, such as 8G."""

    name = "memory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text."""
        from solstat.survey.limits import parse_memory

        return value if isinstance(value, int) else parse_memory(value)


def complete_game(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The games whose names begin like this, for the shell."""
    from solstat.games import presets

    return [
        CompletionItem(preset.name, help=preset.summary)
        for preset in presets()
        if preset.name.startswith(incomplete)
    ]


def rules_argument(function: Function) -> Function:
    """GAME and --rule; the function gets `rules`."""

    @functools.wraps(function)
    def with_rules(*args: Any, game: str, rule: tuple[str, ...], **kwargs: Any) -> Any:
        return function(*args, rules=_parsed(game, rule), **kwargs)

    argument = click.argument("game", metavar="GAME", shell_complete=complete_game)
    return cast(Function, argument(rule_option(with_rules)))


def _parsed(game: str, rule: tuple[str, ...]) -> Rules:
    from solstat.games import parse_rules

    return parse_rules(game, rule)


def logs_options(function: Function) -> Function:
    """-v, -q and --log-file; the function gets `verbose`, `quiet` and `log_file`, for `log`."""
    for option in (
        click.option("--log-file", type=click.Path(), help="Append the log to a file too."),
        click.option("-q", "--quiet", is_flag=True, help="No bar and no log but errors."),
        click.option("-v", "--verbose", is_flag=True, help="Log each chunk of deals too."),
    ):
        function = option(function)
    return function


def log(verbose: bool, quiet: bool, log_file: str | None) -> None:
    """Send the log where the options of `logs_options` say."""
    import logging

    from solstat.survey import logs

    if verbose and quiet:
        raise UsageError("both -v and -q: give one")
    level = logging.DEBUG if verbose else logging.INFO
    logs.to_stderr(logging.ERROR if quiet else level)
    if log_file is not None:
        logs.to_file(log_file, level)


def scheme_option(default: str | None = "solstat") -> Callable[[Function], Function]:
    """--scheme; without a default it is left to the config."""
    return click.option(
        "--scheme",
        metavar="SCHEME",
        default=default,
        help="The rule that turns a seed into a deal.  [default: solstat]",
    )


def search_option(default: str | None = "full") -> Callable[[Function], Function]:
    """--search; without a default it is left to the config."""
    return click.option(
        "--search",
        type=click.Choice(["full", "plain"]),
        default=default,
        help="The staged solver, or the straightforward one for comparison.  [default: full]",
    )


seed_argument = click.argument("seed", metavar="[SEED]", required=False)

deal_option = click.option(
    "--deal", "file", metavar="FILE", help="The deal of a file; - is standard input."
)

rule_option = click.option(
    "-r",
    "--rule",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option of the game; see `solstat games`. May be repeated.",
)

deals_option = click.option(
    "--deals", metavar="FIRST:LAST", help="The deals of these seeds, LAST excluded."
)

deals_file_option = click.option(
    "--deals-file",
    metavar="FILE",
    help="The deals of a file, one a line: `id: 52 cards`, or 52 cards; - is standard input.",
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    help="Number of processes.  [default: the CPUs this process may use]",
)

confidence_option = click.option(
    "--confidence",
    type=Share(),
    default=0.95,
    metavar="SHARE",
    help="How often an interval is to hold the truth, such as 99%.  [default: 95%]",
)

memory_option = click.option(
    "--memory",
    type=Memory(),
    metavar="SIZE",
    help="Memory for all of them, such as 8G; a run that may need more is refused.  "
    "[default: what this process may use]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")

runs_argument = click.argument(
    "paths", metavar="RUN...", type=click.Path(), nargs=-1, required=True
)
