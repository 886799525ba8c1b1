"""The family `scorpion`: wasp and scorpion. docs/rules.md says the same in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from solstat.cards import RANKS, card_text
from solstat.errors import UsageError
from solstat.games.base import (
    DEAL,
    Move,
    Option,
    Pile,
    Position,
    Preset,
    Rules,
    move_to,
    register,
)

_FACE_DOWN = 3  # cards at the bottom of each of the first piles
_BY_ITSELF = {  # moves of other families, and why there are none such here
    "off": "finished runs leave by themselves",
    "back": "cards that have left stay off",
}


@register
@dataclass(frozen=True, slots=True)
class Scorpion(Position):
    """A state of a game of this family.

    With ``empty_pile=any`` every move of ``king`` is a move from the same table to the same table,
    and a table is won in both or in neither: a line of the one is a line of the other. How many
    piles are face down changes what may move, and turning cards up as they are uncovered is no
    choice of the player: fewer of them are not known to win more.

    Attributes
    ----------
    rules : Rules
        The game that is played.
    piles : tuple of tuple of int
        Each pile's cards, bottom first.
    down : tuple of int
        How many cards at the bottom of each pile are face down.
    stock : tuple of int
        The stock, in the order in which it will be dealt; empty once it has been.
    """

    rules: Rules
    piles: tuple[tuple[int, ...], ...]
    down: tuple[int, ...]
    stock: tuple[int, ...]

    family: ClassVar[str] = "scorpion"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "empty_pile",
            ("any", "king"),
            "the cards that may start an empty pile",
            freer=("king", "any"),
        ),
        Option("face_down_piles", tuple(range(8)), "piles with three cards face down"),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            name="wasp",
            family="scorpion",
            summary="Any face-up card moves with all on it onto the next higher card of its suit, "
            "or to an empty pile; runs from king to ace leave.",
            options={"empty_pile": "any", "face_down_piles": 4},
            sources=(
                "https://playsolitaire.io/wasp-solitaire",
                "https://github.com/shlomif/PySolFC/blob/master/html-src/rules/wasp.html",
            ),
        ),
        Preset(
            name="scorpion",
            family="scorpion",
            summary="As wasp, but only a king moves to an empty pile.",
            options={"empty_pile": "king", "face_down_piles": 4},
            sources=(
                "https://playsolitaire.io/scorpion-solitaire",
                "https://goodsol.com/games/scorpion.html",
                "https://github.com/shlomif/PySolFC/blob/master/html-src/rules/scorpion.html",
            ),
        ),
    )

    @classmethod
    def check_rules(cls, rules: Rules) -> None:
        deck = rules.deck
        if not (2 <= deck.ranks <= 13 and 1 <= deck.suits <= 4 and deck.depth >= 1):
            raise UsageError(f"{rules.id}: 2 to 13 ranks, 1 to 4 suits, rows of cards")
        if not (1 <= deck.piles <= 7 and 0 <= deck.size - deck.piles * deck.depth <= deck.piles):
            raise UsageError(f"{rules.id}: 1 to 7 piles, and a stock of at most a card for each")

    @classmethod
    def start(cls, rules: Rules, cards: Sequence[int]) -> Self:
        deck = rules.deck
        dealt = deck.piles * deck.depth
        piles = [tuple(cards[pile : dealt : deck.piles]) for pile in range(deck.piles)]
        covered = min(_FACE_DOWN, deck.depth - 1)
        down = [
            covered if pile < int(rules.option("face_down_piles")) else 0
            for pile in range(deck.piles)
        ]
        return cls._settled(rules, piles, down, tuple(cards[dealt:]), range(deck.piles))

    def table(self) -> tuple[Pile, ...]:
        piles = zip(self.piles, self.down, strict=True)
        return (
            *(Pile(str(number), cards, down) for number, (cards, down) in enumerate(piles, 1)),
            Pile("stock", self.stock, len(self.stock)),
        )

    @property
    def won(self) -> bool:
        # Cards leave in finished runs only, so an empty table is all of them.
        return not self.stock and not any(self.piles)

    def key(self) -> Hashable:
        return self.piles, self.down, self.stock

    def moves(self) -> list[Move]:
        source_of = {}
        for source, cards in enumerate(self.piles):
            for card in cards[self.down[source] :]:
                source_of[card] = source
        moves: list[Move] = []
        for target, cards in enumerate(self.piles):
            if not cards:
                moves.extend(
                    move_to(card, target)
                    for card, source in source_of.items()
                    if self._starts_pile(card) and (self.stock or card != self.piles[source][0])
                )
            elif _rank(cards[-1]) > 0:
                card = cards[-1] - 1  # the only one that goes here
                if source_of.get(card, target) != target:
                    moves.append(move_to(card, target))
        if self.stock:
            moves.append(DEAL)
        return moves

    def after(self, move: Move) -> Self:
        piles = list(self.piles)
        if move == DEAL:
            for pile, card in enumerate(self.stock):
                piles[pile] += (card,)
            dealt_to = range(len(self.stock))
            return self._settled(self.rules, piles, list(self.down), (), dealt_to)
        source, height = self._place(move.card)
        piles[move.pile] += piles[source][height:]
        piles[source] = piles[source][:height]
        return self._settled(self.rules, piles, list(self.down), self.stock, (source, move.pile))

    def refusal(self, move: Move) -> str:
        if move == DEAL:
            return "the stock has been dealt"
        if move.kind in _BY_ITSELF:
            return _BY_ITSELF[move.kind]
        if move.kind != "move" or not 0 <= move.pile < len(self.piles):
            return f"there are the piles 1 to {len(self.piles)}"
        if (why := self.stays(move.card)) is not None:
            return why
        card, target = card_text(move.card), self.piles[move.pile]
        if move.card in target:
            return f"{card} is in that pile already"
        if target and _rank(target[-1]) == 0:
            return "nothing goes on an ace"
        if target:
            return f"{card} is not the next lower card of {card_text(target[-1])}'s suit"
        if not self._starts_pile(move.card):
            return f"only a king starts an empty pile, and {card} is none"
        return "a whole pile moves to an empty one only while the stock is undealt"

    def stays(self, card: int) -> str | None:
        text = card_text(card)
        if card in self.stock:
            return f"{text} is in the stock"
        if not any(card in pile for pile in self.piles):
            return f"{text} is not on the table"
        source, height = self._place(card)
        return f"{text} is face down" if height < self.down[source] else None

    @classmethod
    def _settled(
        cls,
        rules: Rules,
        piles: list[tuple[int, ...]],
        down: list[int],
        stock: tuple[int, ...],
        changed: Iterable[int],
    ) -> Self:
        """The position once tops are turned up and finished runs have left, over and over.

        Only piles that have `changed` have tops or runs that may be new.
        """
        ranks = rules.deck.ranks
        for pile in changed:
            cards = piles[pile]
            while cards and _ends_in_run(cards[min(down[pile], len(cards) - 1) :], ranks):
                cards = cards[:-ranks]
            piles[pile] = cards
            down[pile] = min(down[pile], max(len(cards) - 1, 0))
        return cls(rules, tuple(piles), tuple(down), stock)

    def _starts_pile(self, card: int) -> bool:
        king = self.rules.deck.ranks - 1
        return self.rules.option("empty_pile") == "any" or _rank(card) == king

    def _place(self, card: int) -> tuple[int, int]:
        """Pile and height of a card on the table."""
        source = next(number for number, pile in enumerate(self.piles) if card in pile)
        return source, self.piles[source].index(card)


def _rank(card: int) -> int:
    return card % len(RANKS)


def _ends_in_run(face_up: tuple[int, ...], ranks: int) -> bool:
    """Whether the top cards are a whole suit from king to ace."""
    ace = face_up[-1]
    return _rank(ace) == 0 and face_up[-ranks:] == tuple(range(ace + ranks - 1, ace - 1, -1))
