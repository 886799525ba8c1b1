"""Cards as small numbers, and their text.

A card is ``13 * suit + rank``, 0 to 51, whatever the size of the deck: the ace of clubs is 0, the
king of diamonds 51. Text is rank, then suit: ``TH`` is the ten of hearts.
"""

from __future__ import annotations

from solstat.errors import UsageError

RANKS = "A23456789TJQK"
SUITS = "CSHD"
DECK_SIZE = 52

_TEXT = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARD = {text: card for card, text in enumerate(_TEXT)}


def card_text(card: int) -> str:
    """``TH`` for the ten of hearts (35)."""
    return _TEXT[card]


def parse_card(text: str) -> int:
    """The card a text names.

    Raises
    ------
    UsageError
        The text is no card; capitals only, and ten is ``T``.
    """
    try:
        return _CARD[text]
    except KeyError:
        raise UsageError(
            f"{shown(text)} is no card: write a rank of {RANKS} and a suit of {SUITS}, like TH"
        ) from None


def deck(ranks: int = len(RANKS), suits: int = len(SUITS)) -> tuple[int, ...]:
    """All cards of a deck with the lowest `ranks` ranks of the first `suits` suits, in order."""
    return tuple(len(RANKS) * suit + rank for suit in range(suits) for rank in range(ranks))


def shown(text: str, most: int = 20) -> str:
    """Text from outside, made fit for a message: quoted, on one line, cut when it is long."""
    return ascii(text if len(text) <= most else text[:most] + "...")
