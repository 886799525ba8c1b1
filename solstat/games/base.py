"""What all games share: rules as data, positions, moves and their notation, the table of presets.

A family of games is one module with one class: a `Position` that declares its options and presets
as attributes and says which moves there are and what they do. `register` adds it to the table of
presets; nothing outside its module knows its rules.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple, Self, TypeVar

from solstat import cards as card_set
from solstat.cards import card_text, parse_card, shown
from solstat.errors import UsageError, choose_from

OptionValue = str | int | bool


class IllegalMove(UsageError):
    """A move that the rules do not allow in a position; the message says why."""


@dataclass(frozen=True)
class Option:
    """A choice that a family's rules leave open, with every value it can take."""

    name: str
    values: tuple[OptionValue, ...] | range
    help: str
    freer: tuple[OptionValue, ...] | range = ()  # each wins all that those before it win: proved

    @property
    def values_text(self) -> str:
        """The values as a person reads them: ``any, king``, or ``1 to 52`` for a range."""
        if isinstance(self.values, range):
            return f"{self.values[0]} to {self.values[-1]}"
        return ", ".join(map(value_text, self.values))

    def parse(self, text: str) -> OptionValue:
        """The value a text names; ``true`` and ``false`` for switches."""
        for value in self.values:
            if text == value_text(value):
                return value
        raise self._impossible(shown(text))

    def check(self, value: object) -> OptionValue:
        """The value itself, if it is one of the option's (True is not 1)."""
        for allowed in self.values:
            if type(value) is type(allowed) and value == allowed:
                return allowed
        raise self._impossible(ascii(value))

    def _impossible(self, value: str) -> UsageError:
        of = "" if isinstance(self.values, range) else "one of "
        return UsageError(f"option {self.name} cannot be {value}: it takes {of}{self.values_text}")


@dataclass(frozen=True)
class Preset:
    """A game: a family with its options set."""

    name: str
    family: str
    summary: str
    options: Mapping[str, OptionValue] = field(hash=False)
    sources: tuple[str, ...]


@dataclass(frozen=True)
class SmallDeck:
    """The size of deck and layout. Only tests change it, to search whole games exhaustively.

    Family `wave` has options for its layout, and no use for `piles` and `depth`.
    """

    ranks: int = 13
    suits: int = 4
    piles: int = 7
    depth: int = 7

    @property
    def size(self) -> int:
        """Cards in a deal."""
        return self.ranks * self.suits


@dataclass(frozen=True)
class Rules:
    """A game with every option set; made by `rules` and `parse_rules`, which check them.

    Attributes
    ----------
    game : str
        The preset's name.
    options : tuple of (str, str | int | bool)
        Every option of the family with its value, sorted by name.
    small : SmallDeck or None
        A deck other than the full 52 cards, for tests.
    """

    game: str
    options: tuple[tuple[str, OptionValue], ...]
    small: SmallDeck | None = None

    @cached_property
    def id(self) -> str:
        """Canonical text: the preset, then the options that differ from it, sorted."""
        usual = preset(self.game).options
        parts = [f"{name}={value_text(v)}" for name, v in self.options if v != usual[name]]
        text = f"{self.game}({','.join(parts)})" if parts else self.game
        if self.small is None:
            return text
        small = self.small
        return f"{text}[{small.ranks}x{small.suits} cards, {small.piles}x{small.depth} dealt]"

    @property
    def family(self) -> str:
        """Name of the family of games this one belongs to."""
        return preset(self.game).family

    @cached_property
    def _values(self) -> dict[str, OptionValue]:
        return dict(self.options)

    def option(self, name: str) -> OptionValue:
        """The value of one option of the family."""
        return self._values[name]

    @cached_property
    def deck(self) -> SmallDeck:
        """Size of deck and layout, full or small."""
        return self.small or _FAMILIES[self.family].full_deck(self)

    @property
    def deck_size(self) -> int:
        """Cards in a deal."""
        return self.deck.size


class Move(NamedTuple):
    """One move: `kind` is ``move`` or ``deal``, or one more that a family adds.

    `card` is the card that moves with all that goes with it, `pile` the number of the pile it goes
    to, counted from 0; both are -1 where the kind needs none.
    """

    kind: str
    card: int = -1
    pile: int = -1


DEAL = Move("deal")


def move_to(card: int, pile: int) -> Move:
    """A card, with all that goes with it, to a pile (counted from 0)."""
    return Move("move", card, pile)


class Pile(NamedTuple):
    """One place of the table: its name and its cards, bottom first, the first `down` face down."""

    name: str
    cards: tuple[int, ...]
    down: int

    def __str__(self) -> str:
        texts = [card_text(card) for card in self.cards]
        if self.down:
            texts[0] = "(" + texts[0]
            texts[self.down - 1] += ")"
        return f"{self.name}: {' '.join(texts)}".rstrip()


class Position(ABC):
    """One state of the table. It never changes: a move makes a new one."""

    __slots__ = ()

    family: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]
    presets: ClassVar[tuple[Preset, ...]]

    notation: ClassVar[str] = "card>pile, like 7H>3, or deal"  # how a person writes moves
    untaken: ClassVar[str] = "no pile ends in the next higher card of its suit"

    rules: Rules

    @classmethod
    def full_deck(cls, rules: Rules) -> SmallDeck:
        """Size of deck and layout when all 52 cards are played."""
        return SmallDeck()

    @classmethod
    @abstractmethod
    def check_rules(cls, rules: Rules) -> None:
        """Refuse (UsageError) options or layouts that cannot go together."""

    @classmethod
    @abstractmethod
    def start(cls, rules: Rules, cards: Sequence[int]) -> Self:
        """The table before the first move; `cards` are a whole deck, the first dealt first."""

    @abstractmethod
    def table(self) -> tuple[Pile, ...]:
        """Every pile by its name, and what is left of the stock as a pile named ``stock``."""

    @property
    @abstractmethod
    def won(self) -> bool:
        """Whether the game is won here."""

    @abstractmethod
    def key(self) -> Hashable:
        """Equal for two positions of one deal if and only if they are the same table."""

    @abstractmethod
    def moves(self) -> list[Move]:
        """Every legal move: each empty pile on its own, the deal as one, nothing pruned."""

    @abstractmethod
    def after(self, move: Move) -> Self:
        """The position after one of `moves`. Not checked: `play` does that."""

    @abstractmethod
    def refusal(self, move: Move) -> str:
        """Why a move that is not among `moves` is not legal."""

    @abstractmethod
    def stays(self, card: int) -> str | None:
        """Why a card moves to no pile, whatever lies there; None if a pile might take it."""

    def play(self, move: Move) -> Self:
        """The position after a move.

        Raises
        ------
        IllegalMove
            The move is not legal here; the message says why.
        """
        if move not in self.moves():
            raise IllegalMove(f"{self.move_text(move)}: {self.refusal(move)}")
        return self.after(move)

    def move_text(self, move: Move) -> str:
        """A move in notation: ``7H>3`` or ``deal``. Piles are counted from 1."""
        if move.kind == "move":
            return f"{card_text(move.card)}>{move.pile + 1}"
        return move.kind

    def parse_move(self, text: str) -> Move:
        """The move a notation names, legal or not.

        Raises
        ------
        UsageError
            The text is no move.
        """
        if text == "deal":
            return DEAL
        match = re.fullmatch(r"([^>]*)>([1-9][0-9]?)", text)
        if match is None:
            raise UsageError(f"{shown(text)} is no move: write {self.notation}")
        return move_to(parse_card(match[1]), int(match[2]) - 1)

    def __str__(self) -> str:
        """The table, a line for each pile, face-down cards in brackets."""
        return "\n".join(str(pile) for pile in self.table())


_FAMILIES: dict[str, type[Position]] = {}
_PRESETS: dict[str, Preset] = {}

_P = TypeVar("_P", bound=Position)


def register(cls: type[_P]) -> type[_P]:
    """Add a family and its presets to the table of games."""
    _FAMILIES[cls.family] = cls
    _PRESETS.update((preset.name, preset) for preset in cls.presets)
    return cls


def presets() -> tuple[Preset, ...]:
    """Every game."""
    return tuple(_PRESETS.values())


def preset(name: str) -> Preset:
    """The game of that name (UsageError if there is none)."""
    try:
        return _PRESETS[name]
    except KeyError:
        raise UsageError(f"unknown game {shown(name)}: {choose_from(name, _PRESETS)}") from None


def family_options(family: str) -> tuple[Option, ...]:
    """The options of a family of games."""
    return _FAMILIES[family].options


def rules(game: str, *, small: SmallDeck | None = None, **options: object) -> Rules:
    """The rules of a game with some options set.

    Raises
    ------
    UsageError
        Unknown game or option, an impossible value, or values that cannot go together.
    """
    usual = preset(game)
    if not isinstance(small, SmallDeck | None):
        options["small"] = small  # from a person, who has no such option
    values = {name: _option(usual, name).check(value) for name, value in options.items()}
    return _rules(usual, values, small)


def parse_rules(text: str, settings: Iterable[str] = ()) -> Rules:
    """The rules that a text names, such as ``wasp`` or ``wasp(face_down_piles=3)``.

    Parameters
    ----------
    text : str
        A preset, or a canonical rules id.
    settings : iterable of str
        More options, each ``key=value``.

    Raises
    ------
    UsageError
        As `rules`, and for what is not of this form or names an option twice.
    """
    match = re.fullmatch(r"\s*([^()\s]+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise UsageError(f"{shown(text)} is no game: write a name, or name(key=value,key=value)")
    usual = preset(match[1])
    inside = match[2].split(",") if match[2] else []
    values: dict[str, OptionValue] = {}
    for setting in [*inside, *settings]:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(f"{shown(setting)} sets no option: write key=value")
        if name in values:
            raise UsageError(f"option {name} is set twice: set it once")
        values[name] = _option(usual, name).parse(value)
    return _rules(usual, values)


def start(rules: Rules, cards: Sequence[int]) -> Position:
    """The table of a deal before the first move.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The whole deck, the first card dealt first.

    Raises
    ------
    UsageError
        The cards are not a deck of the size the rules need.
    """
    deck = rules.deck
    if sorted(cards) != list(card_set.deck(deck.ranks, deck.suits)):
        raise UsageError(
            f"these {len(cards)} cards are no deal of {rules.id}: "
            f"it takes each of its {deck.size} cards once"
        )
    return _FAMILIES[rules.family].start(rules, cards)


def _rules(
    usual: Preset, values: Mapping[str, OptionValue], small: SmallDeck | None = None
) -> Rules:
    made = Rules(usual.name, tuple(sorted({**usual.options, **values}.items())), small)
    _FAMILIES[usual.family].check_rules(made)
    return made


def _option(usual: Preset, name: str) -> Option:
    for option in family_options(usual.family):
        if option.name == name:
            return option
    known = [option.name for option in family_options(usual.family)]
    for family, cls in _FAMILIES.items():
        if any(option.name == name for option in cls.options):
            raise UsageError(
                f"{usual.name} has no option {name}, which is one of the family {family}: "
                f"there are: {', '.join(known)}"
            )
    raise UsageError(f"{usual.name} has no option {shown(name)}: {choose_from(name, known)}")


def value_text(value: OptionValue) -> str:
    """The value of an option as `Option.parse` reads it: ``true``, not ``True``."""
    return str(value).lower() if isinstance(value, bool) else str(value)
