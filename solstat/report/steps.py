"""A line move by move: the table after each, and what the move did in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from solstat.cards import RANKS, SUITS, card_text
from solstat.games import Move, Pile, Position, Rules, start
from solstat.report.text import counted, listed
from solstat.verify import replay

STOCK = "stock"
RANK_NAMES = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)
SUIT_NAMES = ("clubs", "spades", "hearts", "diamonds")

_PLACES = {"c": "column", "r": "reserve"}  # by what a pile's name begins with


@dataclass(frozen=True)
class Step:
    """The table after a move, or the one that is dealt.

    Attributes
    ----------
    move : str
        The move in notation; empty for the deal.
    words : str
        What it did, in sentences.
    moved : tuple of int
        The cards that went with it, in their order.
    piles : tuple of Pile
        The piles, in the order in which moves count them.
    stock : tuple of int or None
        What is left of the stock, next one first; None if the game has none.
    finished : tuple of tuple of int
        Of each suit the cards that have left the table, the king first; empty if none ever does.
    """

    move: str
    words: str
    moved: tuple[int, ...]
    piles: tuple[Pile, ...]
    stock: tuple[int, ...] | None
    finished: tuple[tuple[int, ...], ...]


def steps(rules: Rules, cards: Sequence[int], line: str) -> list[Step]:
    """The table of a deal, and the one after each move of a line.

    Parameters
    ----------
    rules : Rules
        The game.
    cards : sequence of int
        The deal, first card dealt first.
    line : str
        Moves in notation, joined by spaces; it need not win.

    Raises
    ------
    BadLine
        A move is no move, or not legal where it stands.
    """
    replay(rules, cards, line)
    return list(_steps(start(rules, cards), line))


def _steps(position: Position, line: str) -> Iterator[Step]:
    here = _step(position, "", "The table before the first move.", ())
    yield here
    for text in line.split():
        move = position.parse_move(text)
        moved = _moved(here, move)
        position = position.after(move)
        before, here = here, _step(position, text, "", moved)
        words = " ".join([_told(before, move, moved), *_came_of_it(before, here, move)])
        if position.won:
            words += " The game is won."
        here = Step(text, words, moved, here.piles, here.stock, here.finished)
        yield here


def _step(position: Position, move: str, words: str, moved: tuple[int, ...]) -> Step:
    table = position.table()
    piles = tuple(pile for pile in table if pile.name != STOCK and not pile.name.startswith("off:"))
    stock = next((pile.cards for pile in table if pile.name == STOCK), None)
    if stock is None:
        return Step(move, words, moved, piles, None, ())
    held = {*stock, *(card for pile in piles for card in pile.cards)}
    deck = position.rules.deck
    finished = tuple(
        tuple(
            card
            for card in range(suit * len(RANKS) + deck.ranks - 1, suit * len(RANKS) - 1, -1)
            if card not in held
        )
        for suit in range(deck.suits)
    )
    return Step(move, words, moved, piles, stock, finished)


def _moved(before: Step, move: Move) -> tuple[int, ...]:
    if move.kind == "deal":
        return (before.stock or ())[: len(before.piles)]
    if move.kind == "back":
        return (move.card,)
    cards = next(pile.cards for pile in before.piles if move.card in pile.cards)
    return cards[cards.index(move.card) :]


def _told(before: Step, move: Move, moved: tuple[int, ...]) -> str:
    """The move itself as a sentence."""
    if move.kind == "deal":
        dealt = counted(len(moved), "card")
        names = [pile.name for pile in before.piles[: len(moved)]]
        where = f"pile {names[0]}" if len(names) == 1 else f"piles {names[0]} to {names[-1]}"
        return f"The stock deals {dealt}, to {where}."
    if move.kind == "back":
        what, source = card_name(move.card), "its foundation"
    else:
        pile = next(pile for pile in before.piles if move.card in pile.cards)
        source = place_name(pile.name)
        if move.kind == "off":
            return f"The finished run of {suit_name(move.card)} is taken off {source}."
        what = card_name(move.card)
        if more := len(moved) - 1:
            what += f" and {counted(more, 'card')} on it"
    target = before.piles[move.pile]
    where = f"onto the {card_name(target.cards[-1])}" if target.cards else "which is empty"
    return f"{what.capitalize()} from {source} to {place_name(target.name)}, {where}."


def _came_of_it(before: Step, after: Step, move: Move) -> Iterator[str]:
    """What happened by itself then: runs that left, cards that were turned up."""
    for old, new in zip(before.finished, after.finished, strict=True):
        if len(new) > len(old) and move.kind != "off":
            yield f"The run of {suit_name(new[0])} is finished and leaves."
    hidden = {card for pile in before.piles for card in pile.cards[: pile.down]}
    still = {card for pile in after.piles for card in pile.cards[: pile.down]}
    if turned := sorted(hidden - still, key=lambda card: _height(before, card)):
        names = listed([f"the {card_name(card)}" for card in turned])
        yield f"{names.capitalize()} {'is' if len(turned) == 1 else 'are'} turned up."


def _height(step: Step, card: int) -> tuple[int, int]:
    """Where a card lies: pile, and height in it."""
    pile = next(place for place, pile in enumerate(step.piles) if card in pile.cards)
    return pile, step.piles[pile].cards.index(card)


def card_name(card: int) -> str:
    """``seven of hearts``."""
    return f"{RANK_NAMES[card % len(RANKS)]} of {suit_name(card)}"


def suit_name(card: int) -> str:
    """``hearts``, for any card of that suit."""
    return SUIT_NAMES[SUITS.index(card_text(card)[1])]


def place_name(pile: str) -> str:
    """A pile as a person calls it: ``pile 3``, ``column 3``, ``reserve 3``."""
    kind = _PLACES.get(pile[0])
    return f"pile {pile}" if kind is None else f"{kind} {pile[1:]}"
