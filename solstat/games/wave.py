"""The family `wave`: wave-motion and flow. docs/rules.md says the same in words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from solstat.cards import RANKS, card_text, parse_card, shown
from solstat.errors import UsageError
from solstat.games.base import (
    Move,
    Option,
    Pile,
    Position,
    Preset,
    Rules,
    move_to,
    register,
)

_MOST_PILES = 64  # columns and reserves together


@register
@dataclass(frozen=True, slots=True)
class Wave(Position):
    """A state of a game of this family.

    In a `Move` piles are counted through the columns, then the reserves.

    ``reserve_moves=run``, ``reserve_build=true`` and ``empty_reserve=single`` each add moves and
    take none away; a column more is an empty one that a line need not use. A table is won if its
    reserves are empty, whatever the options. So a line stays one. Another number of reserves is
    another deal.

    Attributes
    ----------
    rules : Rules
        The game that is played.
    columns : tuple of tuple of int
        Each column's cards, bottom first.
    reserves : tuple of tuple of int
        Each reserve's cards, bottom first.
    """

    rules: Rules
    columns: tuple[tuple[int, ...], ...]
    reserves: tuple[tuple[int, ...], ...]

    family: ClassVar[str] = "wave"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "columns",
            range(1, 53),
            "empty columns, at least one for each suit",
            freer=range(1, 53),
        ),
        Option(
            "empty_reserve",
            ("never", "single"),
            "what an empty reserve takes: nothing, or any single card",
            freer=("never", "single"),
        ),
        Option("reserve_build", (False, True), "reserves take cards too", freer=(False, True)),
        Option(
            "reserve_moves",
            ("top", "run"),
            "what leaves a reserve: its top card, or a run",
            freer=("top", "run"),
        ),
        Option("reserves", range(1, 53), "reserves, over which the cards are dealt"),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            name="wave-motion",
            family="wave",
            summary="Top cards of the reserves go to columns, which build down in suit.",
            options={
                "columns": 8,
                "empty_reserve": "never",
                "reserve_build": False,
                "reserve_moves": "top",
                "reserves": 8,
            },
            sources=(
                "https://solitairewinrates.com/WaveMotion.html",
                "https://github.com/shlomif/PySolFC/blob/master/html-src/rules/wavemotion.html",
            ),
        ),
        Preset(
            name="flow",
            family="wave",
            summary="As wave-motion, but reserves build down in suit too, and runs move together.",
            options={
                "columns": 8,
                "empty_reserve": "single",
                "reserve_build": True,
                "reserve_moves": "run",
                "reserves": 8,
            },
            sources=("https://github.com/shlomif/PySolFC/blob/master/html-src/rules/flow.html",),
        ),
    )
    untaken: ClassVar[str] = "no pile that builds ends in the next higher card of its suit"
    notation: ClassVar[str] = "card>column or card>reserve, like 7H>c3 or 7H>r3"

    @classmethod
    def check_rules(cls, rules: Rules) -> None:
        deck = rules.deck
        if not (2 <= deck.ranks <= 13 and 1 <= deck.suits <= 4):
            raise UsageError(f"{rules.id}: 2 to 13 ranks, 1 to 4 suits")
        columns, reserves = _count(rules, "columns"), _count(rules, "reserves")
        if columns < deck.suits:
            raise UsageError(
                f"{rules.id} cannot be won: a column holds cards of one suit, "
                f"so there must be at least {deck.suits} columns"
            )
        if columns + reserves > _MOST_PILES:
            raise UsageError(f"{rules.id}: at most {_MOST_PILES} columns and reserves together")
        if rules.option("reserve_build"):
            if rules.option("reserve_moves") == "top":
                raise UsageError(f"{rules.id}: reserve_build=true needs reserve_moves=run")
        elif rules.option("empty_reserve") != "never":
            raise UsageError(f"{rules.id}: reserve_build=false needs empty_reserve=never")

    @classmethod
    def start(cls, rules: Rules, cards: Sequence[int]) -> Self:
        reserves = _count(rules, "reserves")
        dealt = tuple(tuple(cards[first::reserves]) for first in range(reserves))
        return cls(rules, ((),) * _count(rules, "columns"), dealt)

    @property
    def piles(self) -> tuple[tuple[int, ...], ...]:
        """The columns, then the reserves."""
        return self.columns + self.reserves

    def table(self) -> tuple[Pile, ...]:
        return tuple(Pile(self._name(number), cards, 0) for number, cards in enumerate(self.piles))

    @property
    def won(self) -> bool:
        return not any(self.reserves)

    def key(self) -> Hashable:
        return self.columns, self.reserves

    def moves(self) -> list[Move]:
        taker = {}  # the pile that builds on its top with a card
        empty_columns, empty_reserves = [], []
        builders = self.piles if self.rules.option("reserve_build") else self.columns
        for pile, cards in enumerate(builders):
            if cards:
                if _rank(cards[-1]) > 0:
                    taker[cards[-1] - 1] = pile
            elif self._is_column(pile):
                empty_columns.append(pile)
            elif self.rules.option("empty_reserve") == "single":
                empty_reserves.append(pile)
        moves: list[Move] = []
        for pile, cards in enumerate(self.piles):
            for card in self._movable(pile):
                targets = [taker[card]] if card in taker else []
                targets += empty_columns
                if card == cards[-1]:
                    targets += empty_reserves
                moves.extend(move_to(card, target) for target in targets)
        return moves

    def after(self, move: Move) -> Self:
        piles = list(self.piles)
        source = self._pile_of(move.card)
        height = piles[source].index(move.card)
        piles[move.pile] += piles[source][height:]
        piles[source] = piles[source][:height]
        columns = len(self.columns)
        return type(self)(self.rules, tuple(piles[:columns]), tuple(piles[columns:]))

    def refusal(self, move: Move) -> str:
        if move.kind != "move":
            return "cards only move from pile to pile here"
        if not 0 <= move.pile < len(self.piles):
            return self._places()
        text, target = card_text(move.card), self.piles[move.pile]
        if move.card in target:
            return f"{text} is in that pile already"
        if not self._is_column(move.pile) and not self.rules.option("reserve_build"):
            return "nothing is put on a reserve"
        if (why := self.stays(move.card)) is not None:
            return why
        if target and _rank(target[-1]) == 0:
            return "nothing goes on an ace"
        if target:
            return f"{text} is not the next lower card of {card_text(target[-1])}'s suit"
        if self.rules.option("empty_reserve") == "never":
            return "an empty reserve stays empty"
        return "an empty reserve takes a single card only"

    def stays(self, card: int) -> str | None:
        text = card_text(card)
        if not any(card in pile for pile in self.piles):
            return f"{text} is not on the table"
        source = self._pile_of(card)
        if card in self._movable(source):
            return None
        if not self._is_column(source) and self.rules.option("reserve_moves") == "top":
            return f"only the top card of a reserve moves, and {text} is covered"
        return f"the cards on {text} are no sequence of its suit"

    def move_text(self, move: Move) -> str:
        if move.kind != "move":
            return Position.move_text(self, move)
        return f"{card_text(move.card)}>{self._name(move.pile)}"

    def parse_move(self, text: str) -> Move:
        match = re.fullmatch(r"([^>]*)>([cr])([1-9][0-9]?)", text)
        if match is None:
            raise UsageError(f"{shown(text)} is no move: write {self.notation}")
        card, number = parse_card(match[1]), int(match[3])
        if number > len(self.columns if match[2] == "c" else self.reserves):
            raise UsageError(f"{text}: {self._places()}")
        return move_to(card, number - 1 + (len(self.columns) if match[2] == "r" else 0))

    def _movable(self, pile: int) -> Iterator[int]:
        """The cards of a pile that may leave it with all on them, from its top down."""
        cards = self.piles[pile]
        if not self._is_column(pile) and self.rules.option("reserve_moves") == "top":
            cards = cards[-1:]
        above = None
        for card in reversed(cards):
            if above is not None and not (card == above + 1 and _rank(card) > 0):
                return
            yield card
            above = card

    def _is_column(self, pile: int) -> bool:
        return pile < len(self.columns)

    def _pile_of(self, card: int) -> int:
        return next(number for number, pile in enumerate(self.piles) if card in pile)

    def _name(self, pile: int) -> str:
        """A column or reserve as it is written in moves: ``c3``, ``r3``."""
        columns = len(self.columns)
        return f"c{pile + 1}" if pile < columns else f"r{pile - columns + 1}"

    def _places(self) -> str:
        last_column, last_reserve = len(self.columns), len(self.reserves)
        return f"there are the columns c1 to c{last_column} and the reserves r1 to r{last_reserve}"


def _count(rules: Rules, name: str) -> int:
    """The value of an option that is a number."""
    return int(rules.option(name))


def _rank(card: int) -> int:
    return card % len(RANKS)
