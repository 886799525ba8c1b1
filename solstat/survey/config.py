"""What a survey asks for: a TOML file, flags that override it, and the plans they make.

A file has any of the keys of `Settings`, and names its games either by ``game = "wasp"`` or by
tables ``[[rules]]``, each with ``game`` and the options that differ. Each table's run has a
directory of its own, also if there is one table only, so that more can be added::

    deals = "0:20000"
    budget = "250k"

    [[rules]]
    game = "wasp"

    [[rules]]
    game = "wasp"
    face_down_piles = 3
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from solstat.budget import ascending, parse_budget
from solstat.cards import shown
from solstat.deals import SCHEMES, Deal, SeedRange, parse_seed_range, read_deals
from solstat.errors import UsageError, choose_from
from solstat.games import Rules, parse_rules, presets
from solstat.solver import SEARCHES
from solstat.survey.plan import FILE_SCHEME, Again, Plan

MAX_WORKERS = 1024


@dataclass(frozen=True)
class Settings:
    """What is asked for; None (or no rules) where nothing is.

    Attributes
    ----------
    rules : tuple of Rules
        The games, each of which becomes a run.
    tables : bool or None
        Whether they are tables, whose runs each have a directory of their own.
    deals : str or None
        Seeds as ``first:last``, the last one excluded.
    deals_file : str or None
        A deal file instead; ``-`` is standard input.
    scheme : str or None
        The scheme of the seeds; default ``solstat``.
    budget : int or None
        The most positions a deal may cost.
    budgets : tuple of int
        Several instead, each for the deals that the one before has left open.
    search : str or None
        ``full`` (the default) or ``plain``.
    lines : bool or None
        Whether lines are kept; default: see `solstat.survey.plan.Plan`.
    until : str or None
        A rule by which a run may stop before its last deal; default: none.
    workers : int or None
        Number of processes; default: the CPUs this process may use.
    """

    rules: tuple[Rules, ...] = ()
    tables: bool | None = None
    deals: str | None = None
    deals_file: str | None = None
    scheme: str | None = None
    budget: int | None = None
    budgets: tuple[int, ...] = ()
    search: str | None = None
    lines: bool | None = None
    until: str | None = None
    workers: int | None = None

    def override(self, other: Settings) -> Settings:
        """These settings with all that `other` asks for in its place.

        Deals are one thing: seeds take the place of a file, and the other way round. So are rules,
        as tables or not, and budgets, be it one or several.
        """
        given = {
            field.name: value
            for field in fields(other)
            if (value := getattr(other, field.name)) not in (None, ())
        }
        if "deals" in given or "deals_file" in given:
            given = {"deals": None, "deals_file": None} | given
        if "budget" in given or "budgets" in given:
            given = {"budget": None, "budgets": ()} | given
        if "rules" in given:
            given = {"tables": None} | given
        return replace(self, **given)

    def plans(self) -> tuple[Plan, ...]:
        """A plan for each of the rules.

        Raises
        ------
        UsageError
            Something is missing, impossible, or asked for twice.
        """
        if not self.rules:
            raise UsageError("no game: name one, like wasp (-g wasp, or game in the config)")
        ids = [rules.id for rules in self.rules]
        for name in ids:
            if ids.count(name) > 1:
                raise UsageError(f"the rules {name} are asked for twice: once is enough")
        first, *later = self._budgets()
        search = self.search or SEARCHES[0]
        if search not in SEARCHES:
            raise UsageError(f"unknown search {shown(search)}: {choose_from(search, SEARCHES)}")
        deals = self._deals()
        scheme = self.scheme or SCHEMES[0] if isinstance(deals, SeedRange) else FILE_SCHEME
        return tuple(
            Plan(
                rules,
                deals,
                first,
                scheme,
                search,
                self.lines,
                self.until,
                tuple(Again("unsettled", budget) for budget in later),
            )
            for rules in self.rules
        )

    def _budgets(self) -> tuple[int, ...]:
        if self.budget is not None and self.budgets:
            raise UsageError("both budget and budgets: give one of them")
        if self.budget is None and not self.budgets:
            raise UsageError(
                "no budget: say how many positions a deal may cost, like 250k "
                "(--budget 250k, or budget in the config)"
            )
        if self.until is not None and len(self.budgets) > 1:
            raise UsageError(
                f"until {shown(self.until)} with several budgets: use one, and search what it "
                "leaves open again when the run has ended (--retry unsettled)"
            )
        return self.budgets if self.budget is None else (self.budget,)

    def _deals(self) -> SeedRange | tuple[Deal, ...]:
        if self.deals is not None and self.deals_file is not None:
            raise UsageError("both seeds and a deal file: give deals or deals_file, not both")
        if self.deals is not None:
            return parse_seed_range(self.deals, self.scheme or SCHEMES[0])
        if self.deals_file is None:
            raise UsageError(
                "no deals: give seeds like 0:563, the last one excluded, or a deal file "
                "(--deals or --deals-file, or deals or deals_file in the config)"
            )
        if self.scheme is not None:
            raise UsageError(f"scheme {self.scheme} with a deal file: a scheme is for seeds")
        deals = tuple(read_deals(self.deals_file))
        _refuse_twice(self.deals_file, deals)
        return deals


def _refuse_twice(file: str, deals: Sequence[Deal]) -> None:
    """A deal that counts twice would make intervals narrower than they are."""
    first: dict[tuple[int, ...], str] = {}
    for deal in deals:
        if (other := first.setdefault(deal.cards, deal.id)) != deal.id:
            raise UsageError(
                f"{file}: {shown(other)} and {shown(deal.id)} are the same deal, which would count "
                "twice: leave one out"
            )


def load(path: str | os.PathLike[str]) -> Settings:
    """The settings of a config file; `deals_file` in it is relative to the file.

    Raises
    ------
    UsageError
        The file cannot be read, is no TOML, or says something that no survey understands.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = tomllib.loads(text + "\n")  # an error in the last line has a place too
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"config {name}{_no_toml(text, error)}") from None
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not UTF-8
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"config {name}: {reason}") from None
    try:
        if not content:
            raise UsageError('it says nothing: write game = "wasp" and the like')
        settings = _settings(content)
    except UsageError as error:
        raise UsageError(f"config {name}: {error}") from None
    if settings.deals_file is None:
        return settings
    return replace(settings, deals_file=str(Path(path).resolve().parent / settings.deals_file))


def _no_toml(text: str, error: tomllib.TOMLDecodeError) -> str:
    """Where a file is no TOML, and what is wrong or would be right, after the file's name."""
    place = re.fullmatch(r"(.*) \(at line ([0-9]+), column [0-9]+\)", str(error))
    if place is None:
        return f": {error}"  # at the end of the file
    problem, number = place[1], int(place[2])
    line = text.split("\n")[number - 1]
    setting = re.match(r"\s*([\w-]+)\s*=\s*(.*?)\s*(#.*)?$", line)
    if problem.startswith(("Cannot overwrite", "Cannot declare")):
        what = f"{shown(setting[1])} is" if setting else f"{shown(line.strip())} is"
        reason = f"{what} there twice: write it once ([[rules]] for each of several games)"
    elif problem.startswith("Illegal character") and setting and setting[2][:1] in ('"', "'"):
        reason = f"{problem}: a text ends with the quote it begins with"
    elif setting and re.match(r"[\w.:()-]", setting[2]):
        reason = f'write text in quotes, like {setting[1]} = "{setting[2]}"'
    elif setting is None and re.match(r"\s*[\w-]+\s+[^\s=]", line):
        reason = f'{problem}: write key = value, like budget = "250k"'
    else:
        reason = problem
    return f", line {number}: {reason}"


def _settings(content: Mapping[str, Any]) -> Settings:
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key == "game":
            if "rules" in content:
                raise UsageError("both game and [[rules]]: put the game into a [[rules]] table")
            values["rules"] = (parse_rules(_text(key, value)),)
        elif key in _READ:
            values[key] = _READ[key](key, value)
            if key == "rules":
                values["tables"] = True
        else:
            _refuse_option(key, content)
            raise UsageError(f"unknown key {shown(key)}: {choose_from(key, ['game', *_READ])}")
    return Settings(**values)


def _refuse_option(key: str, content: Mapping[str, Any]) -> None:
    """If an unknown key is an option of a game, say where it belongs."""
    if all(key not in each.options for each in presets()):
        return
    if "game" not in content:
        raise UsageError(f"{key} is an option of a game: put it below game in a [[rules]] table")
    rules = parse_rules(_text("game", content["game"]))
    known = dict(rules.options)
    given = {name: value for name, value in content.items() if name in known}
    meant = parse_rules(rules.game, _option_texts(dict(rules.options) | given)).id
    raise UsageError(
        f'{key} is an option of a game: write game = "{meant}", '
        "or put it below game in a [[rules]] table"
    )


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f'{key} = {shown(str(value))}: write text in quotes, like {key} = "..."')
    return value


def _deals(key: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        raise UsageError(
            f"{key} = {value}: write text in quotes, first:last, the last one excluded, "
            f'like {key} = "0:{max(1, value)}"'
        )
    return _text(key, value)


def _budget(key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return parse_budget(_text(key, value))


def _budgets(key: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise UsageError(
            f'{key} = {shown(str(value))}: write a list, like {key} = ["250k", "1M"]; '
            f"a single one is written budget = ..."
        )
    return ascending(_budget(key, each) for each in value)


def _switch(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{key} = {shown(str(value))}: write true or false")
    return value


def _workers(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_WORKERS:
        raise UsageError(
            f"{key} = {shown(str(value))}: write a whole number from 1 to {MAX_WORKERS}"
        )
    return value


def _rules(key: str, value: object) -> tuple[Rules, ...]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise UsageError("rules: write each game as a table of its own under [[rules]]")
    return tuple(_one_rules(table) for table in value)


def _one_rules(table: Mapping[str, Any]) -> Rules:
    if "game" not in table:
        raise UsageError('[[rules]] without a game: write game = "..." in each')
    options = {key: value for key, value in table.items() if key != "game"}
    for key in options:
        if key in _READ:
            raise UsageError(f"{key} is no option of a game: put it above the first [[rules]]")
    return parse_rules(_text("game", table["game"]), _option_texts(options))


def _option_texts(options: Mapping[str, Any]) -> list[str]:
    return [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in options.items()
    ]


_READ: Mapping[str, Callable[[str, object], object]] = {
    "rules": _rules,
    "deals": _deals,
    "deals_file": _text,
    "scheme": _text,
    "budget": _budget,
    "budgets": _budgets,
    "search": _text,
    "lines": _switch,
    "until": _text,
    "workers": _workers,
}
