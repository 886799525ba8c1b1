"""The boards of PySolFC in commands."""

from __future__ import annotations

import json

from pysol_cards.cards import CardRenderer, createCards
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from solstat.cards import parse_card


def test_board_24_is_dealt_as_in_pysolfc(cli) -> None:
    """The cards go to the piles row by row, the rest is the stock."""
    cards = shuffle(createCards(1), 24, RandomBase.DEALS_MS)
    board = [parse_card(CardRenderer(True).to_s(card)) for card in reversed(cards)]
    told = json.loads(cli("deal", "wasp", "24", "--scheme", "pysol", "--json").stdout)
    assert [parse_card(text) for text in told["cards"]] == board


def test_a_survey_of_boards(cli) -> None:
    options = ("--budget", "1k", "--workers", 1, "--scheme", "pysol")
    cli("run", "-g", "wasp", "--deals", "ms31995:ms32005", *options, "-o", "ms")
    cli("run", "-g", "wasp", "--deals", "31995:32005", *options, "-o", "plain")
    rows = {
        name: [json.loads(x) for x in cli("export", name, "--format", "jsonl").stdout.splitlines()]
        for name in ("ms", "plain")
    }
    assert [row["seed"] for row in rows["ms"]] == [f"ms{n}" for n in range(31_995, 32_005)]
    assert [row["seed"] for row in rows["plain"]] == [str(n) for n in range(31_995, 32_005)]
    assert {row["scheme"] for row in rows["ms"]} == {"pysol"}
    same = [
        a["positions"] == b["positions"] for a, b in zip(rows["ms"], rows["plain"], strict=True)
    ]
    assert all(same[:5])
    assert not all(same[5:])
    refused = cli("run", "-g", "wasp", "--deals", "31995:32005", *options, "-o", "ms", code=2)
    assert "first seed is ms31995, not 31995" in refused.stderr
    assert json.loads(cli("verify", "ms", "--json").stdout)["bad"] == 0
