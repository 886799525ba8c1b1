"""The family `spider`: will-o-the-wisp and spiderette. docs/rules.md says the same in words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from solstat.cards import RANKS, SUITS, card_text
from solstat.errors import UsageError
from solstat.games.base import (
    DEAL,
    Move,
    Option,
    Pile,
    Position,
    Preset,
    Rules,
    SmallDeck,
    move_to,
    register,
)


@register
@dataclass(frozen=True, slots=True)
class Spider(Position):
    """A state of a game of this family.

    ``deal_onto_empty=true`` adds deals, and ``finished_runs=return`` adds moves back to what
    ``optional`` allows; both leave all else as it is, so a line stays one. A line of ``leave`` is
    one of ``optional`` once each run that leaves is taken off by hand as the next move: that is
    possible at once, in any order if there are several, and the same table is left. Another layout
    is another deal.

    Attributes
    ----------
    rules : Rules
        The game that is played.
    piles : tuple of tuple of int
        Each pile's cards, bottom first.
    down : tuple of int
        How many cards at the bottom of each pile are face down.
    stock : tuple of int
        What is left of the stock, in the order in which it will be dealt.
    off : tuple of int
        How many cards of each suit are off the table: its highest, king first.
    """

    rules: Rules
    piles: tuple[tuple[int, ...], ...]
    down: tuple[int, ...]
    stock: tuple[int, ...]
    off: tuple[int, ...]

    family: ClassVar[str] = "spider"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "deal_onto_empty",
            (False, True),
            "the stock may be dealt while piles are empty",
            freer=(False, True),
        ),
        Option(
            "finished_runs",
            ("leave", "optional", "return"),
            "runs leave at once, or when the player likes, or may also come back",
            freer=("leave", "optional", "return"),
        ),
        Option("layout", ("rectangle", "triangle"), "piles of three, or of one to seven"),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            name="will-o-the-wisp",
            family="spider",
            summary="Sequences of one suit move onto the next higher rank of any suit, or to an "
            "empty pile; runs from king to ace leave; piles of three.",
            options={"deal_onto_empty": False, "finished_runs": "leave", "layout": "rectangle"},
            sources=(
                "http://www.solsuite.com/games/will_o_the_wisp.htm",
                "http://semicolon.com/Solitaire/Rules/WilloTheWisp.html",
                "https://github.com/shlomif/PySolFC/blob/master/html-src/rules/willothewisp.html",
            ),
        ),
        Preset(
            name="spiderette",
            family="spider",
            summary="As will-o-the-wisp, with piles of one to seven.",
            options={"deal_onto_empty": False, "finished_runs": "leave", "layout": "triangle"},
            sources=(
                "http://www.solsuite.com/games/spiderette.htm",
                "https://en.wikipedia.org/wiki/Spiderette",
                "https://github.com/shlomif/PySolFC/blob/master/html-src/rules/spiderette.html",
            ),
        ),
    )
    notation: ClassVar[str] = "card>pile, like 7H>3, deal, off:S or back:AS>3"
    untaken: ClassVar[str] = "no pile ends in the next higher rank"

    @classmethod
    def full_deck(cls, rules: Rules) -> SmallDeck:
        return SmallDeck(depth=3 if rules.option("layout") == "rectangle" else 7)

    @classmethod
    def check_rules(cls, rules: Rules) -> None:
        deck = rules.deck
        if not (2 <= deck.ranks <= 13 and 1 <= deck.suits <= 4 and deck.depth >= 1):
            raise UsageError(f"{rules.id}: 2 to 13 ranks, 1 to 4 suits, rows of cards")
        if not 1 <= deck.piles <= 7 or sum(map(len, _rows(rules))) > deck.size:
            raise UsageError(f"{rules.id}: 1 to 7 piles, and the cards for its rows")
        if rules.option("layout") == "triangle" and deck.depth > deck.piles:
            raise UsageError(f"{rules.id}: a triangle has at most as many rows as piles")

    @classmethod
    def start(cls, rules: Rules, cards: Sequence[int]) -> Self:
        piles: list[tuple[int, ...]] = [()] * rules.deck.piles
        stock = iter(cards)
        for row in _rows(rules):
            for pile in row:
                piles[pile] += (next(stock),)
        # One card of each pile is face up, so no run is finished yet.
        down = tuple(len(pile) - 1 for pile in piles)
        return cls(rules, tuple(piles), down, tuple(stock), (0,) * rules.deck.suits)

    def table(self) -> tuple[Pile, ...]:
        piles = zip(self.piles, self.down, strict=True)
        table = [Pile(str(number), cards, down) for number, (cards, down) in enumerate(piles, 1)]
        if self.rules.option("finished_runs") != "leave":
            for suit, held in enumerate(self.off):
                table.append(Pile(f"off:{SUITS[suit]}", self._run(suit)[:held], 0))
        return (*table, Pile("stock", self.stock, len(self.stock)))

    @property
    def won(self) -> bool:
        return min(self.off) == self.rules.deck.ranks

    def key(self) -> Hashable:
        # What is off, and which cards the stock holds, follows from the rest.
        return self.piles, self.down, len(self.stock)

    def moves(self) -> list[Move]:
        takers: dict[int, list[int]] = {}  # by the rank that they take
        empty = []
        for pile, cards in enumerate(self.piles):
            if cards:
                takers.setdefault(_rank(cards[-1]) - 1, []).append(pile)
            else:
                empty.append(pile)
        runs = self.rules.option("finished_runs")
        moves: list[Move] = []
        if runs == "return":
            moves.extend(
                Move("back", card, target)
                for card in self._tops_off()
                for target in takers.get(_rank(card), []) + empty
            )
        moves.extend(
            move_to(card, target)
            for pile in range(len(self.piles))
            for card in self._movable(pile)
            for target in takers.get(_rank(card), []) + empty
        )
        if self.stock and (not empty or self.rules.option("deal_onto_empty")):
            moves.append(DEAL)
        if runs != "leave":
            moves.extend(Move("off", self._king(suit)) for suit in self._finished())
        return moves

    def after(self, move: Move) -> Self:
        piles, down, stock, off = list(self.piles), list(self.down), self.stock, list(self.off)
        changed: Iterable[int] = (move.pile,)
        if move.kind == "move":
            source = self._pile_of(move.card)
            height = piles[source].index(move.card)
            piles[move.pile] += piles[source][height:]
            piles[source] = piles[source][:height]
            changed = source, move.pile
        elif move.kind == "deal":
            for pile, card in enumerate(stock[: len(piles)]):
                piles[pile] += (card,)
            changed = range(min(len(piles), len(stock)))
            stock = stock[len(piles) :]
        elif move.kind == "off":
            source = self._pile_of(move.card)
            off[move.card // len(RANKS)] = self.rules.deck.ranks
            piles[source] = piles[source][: -self.rules.deck.ranks]
            changed = (source,)
        else:
            off[move.card // len(RANKS)] -= 1
            piles[move.pile] += (move.card,)
        return self._settled(self.rules, piles, down, stock, off, changed)

    def refusal(self, move: Move) -> str:
        if move == DEAL:
            if not self.stock:
                return "the stock has been dealt"
            return "the stock is dealt only while no pile is empty"
        if move.kind == "off":
            if self.rules.option("finished_runs") == "leave":
                return "finished runs leave by themselves"
            return f"no pile ends in a finished run of {card_text(move.card)[1]}"
        if move.kind not in {"move", "back"} or not 0 <= move.pile < len(self.piles):
            return f"there are the piles 1 to {len(self.piles)}"
        text, target = card_text(move.card), self.piles[move.pile]
        why = self._stays_off(move.card) if move.kind == "back" else self._stays_on(move.card)
        if why is not None:
            return why
        if move.card in target:
            return f"{text} is in that pile already"
        if _rank(target[-1]) == 0:
            return "nothing goes on an ace"
        if _rank(move.card) == self.rules.deck.ranks - 1:
            return "a king goes on no card"
        return f"{text} is not the next lower rank of {card_text(target[-1])}"

    def stays(self, card: int) -> str | None:
        why = self._stays_on(card)
        return self._stays_off(card) if why and self._is_off(card) else why

    def move_text(self, move: Move) -> str:
        if move.kind == "off":
            return f"off:{card_text(move.card)[1]}"
        if move.kind == "back":
            return f"back:{card_text(move.card)}>{move.pile + 1}"
        return Position.move_text(self, move)

    def parse_move(self, text: str) -> Move:
        if match := re.fullmatch(f"off:([{SUITS}])", text):
            return Move("off", self._king(SUITS.index(match[1])))
        if match := re.fullmatch(r"back:([^>]*>[1-9][0-9]?)", text):
            return Position.parse_move(self, match[1])._replace(kind="back")
        return Position.parse_move(self, text)

    @classmethod
    def _settled(
        cls,
        rules: Rules,
        piles: list[tuple[int, ...]],
        down: list[int],
        stock: tuple[int, ...],
        off: list[int],
        changed: Iterable[int],
    ) -> Self:
        """The position once tops are turned up and runs that leave have left, over and over.

        Only piles that have `changed` have tops or runs that may be new.
        """
        ranks = rules.deck.ranks
        leave = rules.option("finished_runs") == "leave"
        for pile in changed:
            cards = piles[pile]
            if cards and down[pile] == len(cards):
                down[pile] -= 1
            while leave and _ends_in_run(cards, down[pile], ranks):
                off[cards[-1] // len(RANKS)] = ranks
                piles[pile] = cards = cards[:-ranks]
                if cards and down[pile] == len(cards):
                    down[pile] -= 1
        return cls(rules, tuple(piles), tuple(down), stock, tuple(off))

    def _movable(self, pile: int) -> Iterator[int]:
        """The cards of a pile that may move with all on them, from its top down."""
        above = None
        for card in reversed(self.piles[pile][self.down[pile] :]):
            if above is not None and not (card == above + 1 and _rank(card) > 0):
                return
            yield card
            above = card

    def _finished(self) -> list[int]:
        """The suits whose finished runs are on top of piles."""
        ranks = self.rules.deck.ranks
        return [
            cards[-1] // len(RANKS)
            for cards, down in zip(self.piles, self.down, strict=True)
            if _ends_in_run(cards, down, ranks)
        ]

    def _tops_off(self) -> list[int]:
        """The cards on top of the foundations: aces first, then twos and so on."""
        return [self._run(suit)[held - 1] for suit, held in enumerate(self.off) if held]

    def _king(self, suit: int) -> int:
        """The highest card of a suit."""
        return len(RANKS) * suit + self.rules.deck.ranks - 1

    def _run(self, suit: int) -> tuple[int, ...]:
        """All cards of a suit from king to ace."""
        king = self._king(suit)
        return tuple(range(king, king - self.rules.deck.ranks, -1))

    def _pile_of(self, card: int) -> int:
        return next(number for number, pile in enumerate(self.piles) if card in pile)

    def _stays_on(self, card: int) -> str | None:
        """Why a card does not move from pile to pile, whatever the pile it would go to."""
        text = card_text(card)
        if card in self.stock:
            return f"{text} is in the stock"
        if not any(card in pile for pile in self.piles):
            return f"{text} is not on the table"
        source = self._pile_of(card)
        if self.piles[source].index(card) < self.down[source]:
            return f"{text} is face down"
        if card not in self._movable(source):
            return f"the cards on {text} are no sequence of its suit"
        return None

    def _stays_off(self, card: int) -> str | None:
        """Why a card does not come back from a foundation, whatever the pile."""
        if self.rules.option("finished_runs") != "return":
            return "cards that have left stay off"
        if card not in self._tops_off():
            return f"{card_text(card)} is not on top of a foundation"
        return None

    def _is_off(self, card: int) -> bool:
        """Whether a card has left the table."""
        return any(card in self._run(suit)[:held] for suit, held in enumerate(self.off))


def _rows(rules: Rules) -> list[range]:
    """The piles that each row of the layout falls on; the last row is face up."""
    piles, depth = rules.deck.piles, rules.deck.depth
    if rules.option("layout") == "rectangle":
        return [range(piles)] * depth
    return [*(range(row, piles) for row in range(1, depth)), range(piles)]


def _rank(card: int) -> int:
    return card % len(RANKS)


def _ends_in_run(cards: tuple[int, ...], down: int, ranks: int) -> bool:
    """Whether the top cards are a whole suit from king to ace, face up."""
    if len(cards) - ranks < down or _rank(cards[-1]) > 0:
        return False
    ace = cards[-1]
    return cards[-ranks:] == tuple(range(ace + ranks - 1, ace - 1, -1))
