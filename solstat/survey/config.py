"""What a survey asks for: a TOML file, flags that override it, and the plans they make.

A file has any of the keys of `Settings`, and names its games either by ``game = "wasp"`` or by
tables ``[[rules]]``, each with ``game`` and the options that differ::

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
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from solstat.budget import parse_budget
from solstat.cards import shown
from solstat.deals import SCHEMES, Deal, SeedRange, parse_seed_range, read_deals
from solstat.errors import UsageError, choose_from
from solstat.games import Rules, parse_rules
from solstat.solver import SEARCHES
from solstat.survey.plan import FILE_SCHEME, Plan

MAX_WORKERS = 1024


@dataclass(frozen=True)
class Settings:
    """What is asked for; None (or no rules) where nothing is.

    Attributes
    ----------
    rules : tuple of Rules
        The games, each of which becomes a run.
    deals : str or None
        Seeds as ``first:last``, the last one excluded.
    deals_file : str or None
        A deal file instead; ``-`` is standard input.
    scheme : str or None
        The scheme of the seeds; default ``solstat``.
    budget : int or None
        The most positions a deal may cost.
    search : str or None
        ``full`` (the default) or ``plain``.
    lines : bool or None
        Whether lines are kept; default: see `solstat.survey.plan.Plan`.
    workers : int or None
        Number of processes; default: the CPUs this process may use.
    """

    rules: tuple[Rules, ...] = ()
    deals: str | None = None
    deals_file: str | None = None
    scheme: str | None = None
    budget: int | None = None
    search: str | None = None
    lines: bool | None = None
    workers: int | None = None

    def override(self, other: Settings) -> Settings:
        """These settings with all that `other` asks for in its place.

        Deals are one thing: seeds take the place of a file, and the other way round.
        """
        given = {
            field.name: value
            for field in fields(other)
            if (value := getattr(other, field.name)) not in (None, ())
        }
        if "deals" in given or "deals_file" in given:
            given = {"deals": None, "deals_file": None} | given
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
        if self.budget is None:
            raise UsageError(
                "no budget: say how many positions a deal may cost, like 250k "
                "(--budget 250k, or budget in the config)"
            )
        search = self.search or SEARCHES[0]
        if search not in SEARCHES:
            raise UsageError(f"unknown search {shown(search)}: {choose_from(search, SEARCHES)}")
        deals = self._deals()
        scheme = self.scheme or SCHEMES[0] if isinstance(deals, SeedRange) else FILE_SCHEME
        return tuple(
            Plan(rules, deals, self.budget, scheme, search, self.lines) for rules in self.rules
        )

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
        return tuple(read_deals(self.deals_file))


def load(path: str | os.PathLike[str]) -> Settings:
    """The settings of a config file; `deals_file` in it is relative to the file.

    Raises
    ------
    UsageError
        The file cannot be read, is no TOML, or says something that no survey understands.
    """
    name = os.fspath(path)
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: no TOML, not UTF-8
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"config {name}: {reason}") from None
    try:
        settings = _settings(content)
    except UsageError as error:
        raise UsageError(f"config {name}: {error}") from None
    if settings.deals_file is None:
        return settings
    return replace(settings, deals_file=str(Path(path).resolve().parent / settings.deals_file))


def _settings(content: Mapping[str, Any]) -> Settings:
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key == "game":
            if "rules" in content:
                raise UsageError("both game and [[rules]]: put the game into a [[rules]] table")
            values["rules"] = (parse_rules(_text(key, value)),)
        elif key in _READ:
            values[key] = _READ[key](key, value)
        else:
            raise UsageError(f"unknown key {shown(key)}: {choose_from(key, ['game', *_READ])}")
    return Settings(**values)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f'{key} = {shown(str(value))}: write text in quotes, like {key} = "..."')
    return value


def _budget(key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return parse_budget(_text(key, value))


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
    options = [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in table.items()
        if key != "game"
    ]
    return parse_rules(_text("game", table["game"]), options)


_READ: Mapping[str, Callable[[str, object], object]] = {
    "rules": _rules,
    "deals": _text,
    "deals_file": _text,
    "scheme": _text,
    "budget": _budget,
    "search": _text,
    "lines": _switch,
    "workers": _workers,
}
