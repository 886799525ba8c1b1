"""Scheme pysol: the boards of PySolFC, beside the shuffle that its project publishes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysol_cards.cards import CardRenderer, createCards
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from solstat.cards import parse_card
from solstat.deals import Seed, SeedRange, parse_seed, parse_seed_range
from solstat.errors import UsageError
from solstat.solver import deal_many, deal_range

MICROSOFT, PYSOL = RandomBase.DEALS_MS, RandomBase.DEALS_PYSOLFC


def board(number: int, kind: int) -> list[int]:
    """The order in which PySolFC deals the cards of a board; they come from the end of its list."""
    text = CardRenderer(True)
    return [parse_card(text.to_s(card)) for card in shuffle(createCards(1), number, kind)[::-1]]


def dealt(seed: str) -> list[int]:
    """The deal of a seed."""
    cards: list[int] = deal_many("pysol", [seed])[0].tolist()
    return cards


@given(st.integers(1, 31_999))
def test_numbers_below_32000_are_those_of_microsoft(number: int) -> None:
    assert dealt(str(number)) == dealt(f"ms{number}") == board(number, MICROSOFT)


@given(st.integers(32_000, 2**31 - 1))
def test_with_ms_larger_ones_are_too(number: int) -> None:
    assert dealt(f"ms{number}") == board(number, MICROSOFT)


@given(st.integers(32_001, 10**20) | st.integers(2**64 - 3, 2**64 + 3) | st.integers(2**32, 2**33))
def test_numbers_from_32000_are_those_of_python(number: int) -> None:
    assert dealt(str(number)) == board(number, PYSOL)


def test_the_published_shuffle_differs_at_plain_32000() -> None:
    """It takes 32000 for one of Microsoft's; PySolFC itself does not."""
    assert board(32_000, PYSOL) == board(32_000, MICROSOFT) == dealt("ms32000")
    assert dealt("32000") != dealt("ms32000")


@pytest.mark.parametrize("first", ["31990", "ms1", str(2**64 - 5), str(10**20 - 9), str(2**63)])
def test_a_range_holds_the_deals_of_its_seeds(first: str) -> None:
    seed = parse_seed(first, "pysol")
    cards = deal_range("pysol", first, np.arange(10))
    each = [dealt(str(Seed(seed.number + place, seed.prefix))) for place in range(10)]
    assert cards.tolist() == each


def test_ranges_keep_their_prefix() -> None:
    assert parse_seed_range("ms1:ms32000", "pysol") == SeedRange(1, 32_000, "ms")
    assert str(SeedRange(1, 5, "ms")) == "ms1:ms5"
    assert parse_seed_range(f"{10**20}:{10**20 + 1}", "pysol").first_seed == str(10**20)


@pytest.mark.parametrize("text", ["ms1:5", "1:ms5", "0:5", "ms0:ms5", f"1:{10**20 + 2}"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="scheme pysol has whole numbers 1 to 1000"):
        parse_seed_range(text, "pysol")


@pytest.mark.parametrize("text", ["0", "ms0", "ms", "ms-1", str(10**20 + 1), f"ms{2**31}", "MS5"])
def test_what_is_no_seed_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="scheme pysol has whole numbers 1 to 1000"):
        parse_seed(text, "pysol")


def test_microsoft_is_no_seed_of_the_other_scheme() -> None:
    with pytest.raises(UsageError, match="scheme solstat has whole numbers"):
        parse_seed("ms5", "solstat")
