"""A game in progress: a deal, the moves played, and what was taken back.

A player sees what lies face up, and is told nothing of what does not: of a card that is covered
nobody learns here whether it lies in a pile or in the stock.
"""

from __future__ import annotations

from collections.abc import Iterable

from solstat.cards import RANKS, SUITS, card_text, parse_card
from solstat.deals import Deal
from solstat.errors import UsageError
from solstat.games import Move, Pile, Position, Rules, start

_OFF = "off:"  # how the names of piles begin that hold what has left


class Game:
    """A deal that is being played.

    Parameters
    ----------
    rules : Rules
        The game.
    scheme : str
        The scheme of the deal's seed, or ``file``.
    deal : Deal
        The deal, under its seed or the id that its file gives it.
    """

    def __init__(self, rules: Rules, scheme: str, deal: Deal) -> None:
        self.rules, self.scheme, self.deal = rules, scheme, deal
        self._positions = [start(rules, deal.cards)]
        self._moves: list[str] = []
        self._undone: list[str] = []  # the first to be played again is the last

    @property
    def position(self) -> Position:
        """The table as it is now."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves played, in notation."""
        return tuple(self._moves)

    @property
    def line(self) -> str:
        """The moves played, as one line."""
        return " ".join(self._moves)

    @property
    def stuck(self) -> bool:
        """Whether the game is not won and has no legal move."""
        return not self.position.won and not self.position.moves()

    def play(self, move: Move) -> str:
        """Play a move, and return it in notation.

        Raises
        ------
        UsageError
            The rules refuse it, or its card cannot be seen; the message says why.
        """
        text = self._advance(move)
        self._undone.clear()
        return text

    def play_line(self, words: Iterable[str]) -> list[str]:
        """Play moves in notation, up to the first that is refused (UsageError).

        Those before it stay played: what its refusal tells of the cards that they turned up can be
        seen on the table.
        """
        before = len(self._moves)
        for number, word in enumerate(words, 1):
            try:
                self.play(self.position.parse_move(word))
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        return self._moves[before:]

    def undo(self) -> str:
        """Take the last move back, and return it."""
        if not self._moves:
            raise UsageError("there is no move to take back: this is the deal")
        self._positions.pop()
        self._undone.append(self._moves.pop())
        return self._undone[-1]

    def redo(self) -> str:
        """Play the move again that was taken back last, and return it."""
        if not self._undone:
            raise UsageError("there is no move to play again: none was taken back since the last")
        return self._advance(self.position.parse_move(self._undone.pop()))

    def to(self, card: int) -> Move:
        """The move of a card, with all that goes with it, as a click on it chooses the pile.

        It goes to the first pile that it builds on, of those that end in its own suit if there are
        any, or else to the first empty pile that takes it. Columns come before reserves.

        Raises
        ------
        UsageError
            No pile takes it; the message says why.
        """
        kind = self.kind_of(card)
        places = piles(self.position)

        def preference(move: Move) -> tuple[bool, bool, int]:
            top = places[move.pile].cards[-1:]
            return not top, top != (card + 1,), move.pile

        found = [move for move in self.position.moves() if (move.kind, move.card) == (kind, card)]
        if not found:
            raise UsageError(f"{card_text(card)}: {self._untaken(card, kind)}")
        return min(found, key=preference)

    def kind_of(self, card: int) -> str:
        """How a card moves: ``back`` if it lies on a foundation, ``move`` if in a pile."""
        self._check_seen(card)
        off = any(card in pile.cards for pile in self.position.table() if is_off(pile))
        return "back" if off else "move"

    def _advance(self, move: Move) -> str:
        if move.kind in {"move", "back"}:
            self._check_seen(move.card)
        after = self.position.play(move)
        self._moves.append(self.position.move_text(move))
        self._positions.append(after)
        return self._moves[-1]

    def _check_seen(self, card: int) -> None:
        if card in hidden(self.position):
            raise UsageError(
                f"{card_text(card)}: it cannot be seen, and what lies face down stays where it is"
            )

    def _untaken(self, card: int, kind: str) -> str:
        """Why a card that can be seen goes to no pile at all."""
        position = self.position
        if (why := position.stays(card)) is not None:
            return why
        empty = [number for number, pile in enumerate(piles(position)) if not pile.cards]
        refusals = sorted({position.refusal(Move(kind, card, number)) for number in empty})
        king = card % len(RANKS) == self.rules.deck.ranks - 1
        onto = "a king goes on no card" if king else position.untaken
        return f"{onto}, and {', '.join(refusals) or 'none is empty'}"


def piles(position: Position) -> list[Pile]:
    """The piles that cards move to, at their numbers."""
    return [pile for pile in position.table() if pile.name != "stock" and not is_off(pile)]


def hidden(position: Position) -> frozenset[int]:
    """The cards that a player cannot see: those that lie face down, and the stock."""
    return frozenset(card for pile in position.table() for card in pile.cards[: pile.down])


def suits_off(position: Position) -> list[str]:
    """The suits whose runs have left."""
    there = {card for pile in position.table() if not is_off(pile) for card in pile.cards}
    return [suit for suit in SUITS if parse_card(f"K{suit}") not in there]


def is_off(pile: Pile) -> bool:
    """Whether a pile of the table holds what has left, as foundations do."""
    return pile.name.startswith(_OFF)
