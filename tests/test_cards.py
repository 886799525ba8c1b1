from __future__ import annotations

import pytest

from solstat.cards import card_text, deck, parse_card, shown
from solstat.errors import UsageError


@pytest.mark.parametrize(
    ("card", "text"), [(0, "AC"), (12, "KC"), (13, "AS"), (35, "TH"), (39, "AD"), (51, "KD")]
)
def test_a_card_is_thirteen_times_its_suit_plus_its_rank(card: int, text: str) -> None:
    assert card_text(card) == text
    assert parse_card(text) == card


def test_text_and_card_are_one_to_one() -> None:
    assert [parse_card(card_text(card)) for card in deck()] == list(range(52))


def test_a_small_deck_keeps_the_numbers_of_its_cards() -> None:
    assert [card_text(card) for card in deck(3, 2)] == ["AC", "2C", "3C", "AS", "2S", "3S"]


@pytest.mark.parametrize(
    "text",
    ["", "A", "10H", "th", "HT", "1H", "TH ", "\N{CYRILLIC CAPITAL LETTER TE}H", "\n", "X" * 1000],
)
def test_what_is_no_card_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="is no card: write a rank of A23456789TJQK") as caught:
        parse_card(text)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 150


def test_text_from_outside_is_quoted_and_cut() -> None:
    assert shown("7\tH") == r"'7\tH'"
    assert shown("é") == r"'\xe9'"
    assert shown("abcdef", most=3) == "'abc...'"
