"""Games on file, finished or not: JSON that names the rules, the deal and the moves played.

docs/play.md describes the format. What a file says is never believed: its cards are compared with
those of its seed, and its moves are played again under the rules.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from solstat.cards import card_text, parse_card, shown
from solstat.deals import SCHEMES, Deal, parse_deals, parse_seed
from solstat.errors import UsageError, choose_from
from solstat.games import parse_rules
from solstat.table.game import Game

FORMAT = "solstat-game"
VERSION = 1

_KEYS = {
    "format": str,
    "version": int,
    "rules": str,
    "scheme": str,
    "seed": str,
    "cards": str,
    "line": str,
    "won": bool,
}
_NAMES = {str: "text", int: "a number", bool: "true or false"}
_MOST_BYTES = 1_000_000  # far more than a game of a lifetime


class Checked(NamedTuple):
    """What is left of a saved game once it has been played again.

    Attributes
    ----------
    seed : str
        The deal's seed or id; the file's name if it does not say.
    won : bool
        Whether its moves win.
    fault : str or None
        What is wrong with it.
    """

    seed: str
    won: bool
    fault: str | None


def text_of(game: Game) -> str:
    """A game as a file holds it."""
    values = {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.id,
        "scheme": game.scheme,
        "seed": game.deal.id,
        "cards": " ".join(map(card_text, game.deal.cards)),
        "line": game.line,
        "won": game.position.won,
    }
    return json.dumps(values, indent=1) + "\n"


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file that means to be a saved game."""
    try:
        return Path(path).is_file() and f'"{FORMAT}"'.encode() in _content(path)
    except OSError:  # it may be gone, or not be ours to read
        return False


def is_whole(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file of the shape of a saved game, which another may take the place of.

    A text that speaks of saved games is none, nor is JSON with more in it.
    """
    try:
        return Path(path).is_file() and bool(_values(path))
    except (OSError, UsageError):
        return False


def load(path: str | os.PathLike[str]) -> Game:
    """The game of a file, as far as it was played.

    Raises
    ------
    UsageError
        The file cannot be read, is no saved game, or says what is not so: one line that names it.
    """
    try:
        return _game(_values(path))
    except UsageError as error:
        raise UsageError(f"{shown(os.fspath(path), 200)}: {error}") from None


def check(path: str | os.PathLike[str]) -> Checked:
    """Play a saved game again; nothing is raised for what is wrong with it."""
    seed = os.fspath(path)
    try:
        values = _values(path)
        seed = values["seed"]
        return Checked(seed, _game(values).position.won, None)
    except UsageError as error:
        return Checked(seed, False, str(error))


def _content(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES + 1)


def _values(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file holds, each value of its type."""
    try:
        content = _content(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        raise UsageError(getattr(error, "strerror", None) or str(error)) from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"no saved game: it holds more than {_MOST_BYTES:,} bytes")
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        raise UsageError("no saved game: not JSON, or cut short") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise UsageError(f"no saved game: its format is not {FORMAT}")
    if values.get("version") != VERSION:
        raise UsageError(f"a saved game of another version: this solstat reads version {VERSION}")
    for key in values:
        if key not in _KEYS:
            raise UsageError(f"unknown key {shown(key)}: {choose_from(key, _KEYS)}")
    for key, kind in _KEYS.items():
        if type(values.get(key)) is not kind:
            raise UsageError(f"{key} is not there, or is not {_NAMES[kind]}")
    return values


def _game(values: dict[str, Any]) -> Game:
    rules = parse_rules(values["rules"])
    game = Game(rules, values["scheme"], _deal(values))
    game.play_line(values["line"].split())
    if game.position.won is not values["won"]:
        said, found = ("won", "not won") if values["won"] else ("not won", "won")
        raise UsageError(f"it says {said}, and after its moves the game is {found}")
    return game


def _deal(values: dict[str, Any]) -> Deal:
    """The deal of a game: that of its seed, if it has one."""
    scheme, seed, cards = values["scheme"], values["seed"], values["cards"]
    if scheme == "file":
        deals = parse_deals(f"{seed}: {cards}".encode(errors="backslashreplace"), "its deal")
        if [deal.id for deal in deals] != [seed]:
            raise UsageError(f"its seed {shown(seed)} is no id of a deal")
        return deals[0]
    if scheme not in SCHEMES:
        raise UsageError(f"unknown scheme {shown(scheme)}: {choose_from(scheme, SCHEMES)} or file")
    from solstat.solver import deal_many

    seed = str(parse_seed(seed, scheme))  # 024 is 24
    dealt = tuple(deal_many(scheme, [seed])[0].tolist())
    if tuple(map(parse_card, cards.split())) != dealt:
        raise UsageError(f"its cards are not those of seed {seed} of scheme {scheme}")
    return Deal(seed, dealt)
