"""Published figures as data: what was printed, where, and of which rules.

A file of claims is TOML, with a table ``[[claim]]`` for each. All keys of a claim but `why` and
`survey` must be there, in it or in the table ``[common]`` of its file, which holds for every claim
that does not say otherwise. What is not known is ``"unknown"``: nothing is left out, and nothing is
guessed::

    [common]
    game = "wasp"
    title = "Wasp solitaire page"
    ...

    [[claim]]
    id = "wasp-1000"
    rules = "wasp"
    kind = "floor"
    n = 1000
    share = "77.9"
    half_width = "unknown"
    ...
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from solstat.budget import parse_budget
from solstat.cards import shown
from solstat.errors import UsageError, choose_from
from solstat.games import parse_rules, preset
from solstat.stats.published import Published, exactly, may_be_printed, rounded

UNKNOWN = "unknown"
OTHER = "other"
"""What stands for rules that are none of ours."""

KINDS = {
    "floor": "share proved: at least so many can be won",
    "share": "share that can be won",
    "outcomes": "deals proved won and proved lost: two floors",
    "human": "share that people win",
}
"""Kinds of claims, and what each says."""
FLOORS = ("floor", "outcomes")
"""Kinds whose share says how many were proved, and leaves open how many more there are."""


@dataclass(frozen=True)
class Claim:
    """A published figure; None where it is not known, the text ``unknown`` for texts.

    Attributes
    ----------
    id : str
        What we call it.
    game : str
        The preset.
    rules : str
        Canonical rules id, or ``other`` if they are none of ours.
    kind : str
        One of `KINDS`.
    n : int or None
        Number of deals.
    budget : int or None
        The most positions a deal could cost.
    won, lost, unsettled : int or None
        Numbers of deals.
    share, half_width : str or None
        Per cent won and the half width of its interval, as printed: the digits count.
    printed : str
        The words it was printed in.
    title, publisher, seen, where : str
        The source, and the day on which it was seen there.
    comparable : bool
        Whether it can be held against a survey of ours.
    why : str
        Why not; or a remark.
    survey : str or None
        Name of our survey that it is held against.
    """

    id: str
    game: str
    rules: str
    kind: str
    n: int | None
    budget: int | None
    won: int | None
    lost: int | None
    unsettled: int | None
    share: str | None
    half_width: str | None
    printed: str
    title: str
    publisher: str
    seen: str
    where: str
    comparable: bool
    why: str = ""
    survey: str | None = None

    @property
    def source(self) -> str:
        """Title and publisher."""
        publisher = "publisher unknown" if self.publisher == UNKNOWN else self.publisher
        return f"{self.title}, {publisher}"

    def published(self) -> Published | None:
        """It as a survey of shuffled deals, if the number of deals is known and how many were won.

        A floor, and the number of wins among outcomes, are what was proved. Of a share, deals that
        are said to be unsettled may belong to it, and all others are taken to be lost; if it is
        said how many were lost, all others may belong to it.

        Raises
        ------
        UsageError
            Its share and its numbers of deals contradict each other.
        """
        if self.n is None or (self.won is None and self.share is None):
            return None
        won = self._won(self.n)
        lost = self.lost
        if self.kind not in FLOORS:
            most = won[-1] + (self.unsettled or 0) if lost is None else self.n - lost
            won, lost = range(won[0], most + 1), self.n - most
        if self.share is not None and not may_be_printed(self.share, won, self.n):
            several = " to ".join(dict.fromkeys(str(each) for each in (won[0], won[-1])))
            raise UsageError(f"{several} won of {self.n} deals are not {self.share} %")
        return Published(self.source, self.n, won, lost, self.budget)

    def _won(self, n: int) -> range:
        """The numbers of deals won that what is printed can mean."""
        if self.won is not None:
            return exactly(self.won)
        assert self.share is not None
        left = n - (self.lost or 0) - (self.unsettled or 0)
        if None not in (self.lost, self.unsettled):
            return exactly(left)
        won = rounded(self.share, n)
        if won[0] > left:
            raise UsageError(
                f"{self.share} % of {n} deals are won, and {n - left} more lost or unsettled: "
                "together more than all"
            )
        return range(won[0], min(won[-1], left) + 1)

    def published_lost(self) -> Published | None:
        """The same of lost deals: its `won` are those proved lost."""
        if self.n is None or self.lost is None:
            return None
        return Published(self.source, self.n, exactly(self.lost), self.won, self.budget)


def read_claims(path: str | os.PathLike[str]) -> list[Claim]:
    """The claims in a file, or in all files ``*.toml`` of a directory, in the order of their names.

    Raises
    ------
    UsageError
        There is no such file, it is no TOML, or a claim is not as it must be: one line that names
        the file, the claim and the key.
    """
    top = Path(path)
    files = sorted(top.glob("*.toml")) if top.is_dir() else [top]
    if not files:
        raise UsageError(f"{top}: no claims here (no file *.toml)")
    found: dict[str, tuple[Claim, Path]] = {}
    for file in files:
        for claim in _read(file):
            if claim.id in found:
                other = found[claim.id][1]
                also = "twice in it" if other == file else f"in {other} too"
                raise UsageError(f"{file}, claim {claim.id}: the id is {also}: each has its own")
            found[claim.id] = claim, file
    return [claim for claim, _ in found.values()]


def choose(claims: Sequence[Claim], ids: Iterable[str]) -> list[Claim]:
    """The claims of some ids, in their order (UsageError for an id that there is none of)."""
    known = {claim.id: claim for claim in claims}
    for name in ids:
        if name not in known:
            raise UsageError(f"unknown claim {shown(name)}: {_near(name, known)}")
    return [known[name] for name in dict.fromkeys(ids)]


def _near(name: str, known: Mapping[str, Claim]) -> str:
    """Close matches; all ids would be too many for a line."""
    near = choose_from(name, known)
    return near if near.startswith("did you") else "`solstat claims` lists them"


def _read(path: Path) -> list[Claim]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: no TOML: {error}") from None
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file or directory") from None
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not UTF-8
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    for key in content:
        if key not in ("common", "claim"):
            raise UsageError(f"{path}: unknown key {shown(key)}: there are [common] and [[claim]]")
    common, tables = content.get("common", {}), content.get("claim", [])
    if not isinstance(common, dict):
        raise UsageError(f"{path}: common is a table: write [common]")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: write each claim as a table of its own under [[claim]]")
    if not tables:
        raise UsageError(f"{path}: no [[claim]] in it")
    return [_claim(path, number, common | table) for number, table in enumerate(tables, 1)]


def _claim(path: Path, number: int, table: Mapping[str, Any]) -> Claim:
    name = table.get("id")
    which = name if isinstance(name, str) and _ID.fullmatch(name) else f"number {number}"
    try:
        for key in table:
            if key not in _READ:
                raise UsageError(f"unknown key {shown(key)}: {choose_from(key, _READ)}")
        for field in fields(Claim):
            if field.default is MISSING and field.name not in table:
                raise UsageError(f'{field.name} is missing: write "{UNKNOWN}" if it is not known')
        values: dict[str, Any] = {key: _READ[key](key, value) for key, value in table.items()}
        claim = Claim(**values)
        _check(claim)
    except UsageError as error:
        raise UsageError(f"{path}, claim {which}: {error}") from None
    return claim


def _check(claim: Claim) -> None:
    """Refuse what cannot be, and what could not be compared though it is said to be comparable."""
    preset(claim.game)
    if claim.rules != OTHER and parse_rules(claim.rules).game != claim.game:
        raise UsageError(f"rules {claim.rules} are not of the game {claim.game}")
    known = [count for count in (claim.won, claim.lost, claim.unsettled) if count is not None]
    if known and claim.n is None:
        raise UsageError("numbers of deals are given, and n is not known")
    if claim.n is not None and (
        sum(known) > claim.n or (len(known) == 3 and sum(known) != claim.n)
    ):
        raise UsageError(f"won, lost and unsettled are {sum(known)} deals, and n is {claim.n}")
    claim.published()  # that its numbers of deals and its share agree
    if not claim.comparable:
        if not claim.why:
            raise UsageError("comparable is false: say why")
        return
    if claim.rules == OTHER:
        raise UsageError("other rules: not comparable")
    if claim.survey is None:
        raise UsageError("comparable, and no survey is named to hold it against")
    if claim.kind == "outcomes" and None in (claim.won, claim.lost):
        raise UsageError("outcomes need n, won and lost")
    if claim.won is None and claim.share is None:
        raise UsageError("neither won nor share is known: not comparable")


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,12})?")


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f'{key} = {shown(str(value))}: write text in quotes, like {key} = "..."')
    if not value.strip():
        raise UsageError(f'{key} is empty: write "{UNKNOWN}" if it is not known')
    for sign in value:
        if not sign.isprintable():  # it could end a line or change how the rest of it looks
            raise UsageError(
                f"{key} has U+{ord(sign):04X} in it: write a single line of signs that are seen"
            )
    return value


def _name(key: str, value: object) -> str:
    if not _ID.fullmatch(_text(key, value)):
        raise UsageError(f"{key} {shown(str(value))}: letters, digits and . _ - only")
    return str(value)


def _rules(key: str, value: object) -> str:
    return OTHER if _text(key, value) == OTHER else parse_rules(str(value)).id


def _kind(key: str, value: object) -> str:
    if _text(key, value) not in KINDS:
        raise UsageError(f"unknown kind {shown(str(value))}: {choose_from(str(value), KINDS)}")
    return str(value)


def _count(key: str, value: object) -> int | None:
    if value == UNKNOWN:
        return None
    least = 1 if key == "n" else 0
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(
            f'{key} = {shown(str(value))}: write a whole number from {least} up, or "{UNKNOWN}"'
        )
    return value


def _budget(key: str, value: object) -> int | None:
    if value == UNKNOWN:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return parse_budget(_text(key, value))


def _percent(key: str, value: object) -> str | None:
    if value == UNKNOWN:
        return None
    if not isinstance(value, str) or not _PERCENT.fullmatch(value) or not float(value) <= 100:
        raise UsageError(
            f"{key} = {shown(str(value))}: write per cent as they are printed, in quotes, "
            f'like {key} = "77.9"'
        )
    return value


def _day(key: str, value: object) -> str:
    text = _text(key, value)
    try:
        good = text == UNKNOWN or str(date.fromisoformat(text)) == text
    except ValueError:
        good = False
    if not good:
        raise UsageError(f'{key} = {shown(text)}: write a day, like "2026-11-29"')
    return text


def _switch(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{key} = {shown(str(value))}: write true or false")
    return value


_READ: Mapping[str, Callable[[str, object], object]] = {
    "id": _name,
    "game": _text,
    "rules": _rules,
    "kind": _kind,
    "n": _count,
    "budget": _budget,
    "won": _count,
    "lost": _count,
    "unsettled": _count,
    "share": _percent,
    "half_width": _percent,
    "printed": _text,
    "title": _text,
    "publisher": _text,
    "seen": _day,
    "where": _text,
    "comparable": _switch,
    "why": _text,
    "survey": _name,
}
