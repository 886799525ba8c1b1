from __future__ import annotations

import json

from solstat.cards import card_text, parse_card
from solstat.deals import Deal, parse_deals
from solstat.solver import deal_many


def cards_of(seed: int) -> tuple[int, ...]:
    return tuple(deal_many("solstat", [seed])[0].tolist())


def test_text_is_a_deal_file_of_the_deal(cli):
    text = cli("deal", "wasp", 24).stdout
    assert parse_deals(text.encode(), "it") == [Deal("24", cards_of(24))]


def test_text_shows_the_table_with_face_down_cards_in_brackets(cli):
    cards = [card_text(card) for card in cards_of(24)]
    lines = cli("deal", "wasp", 24).stdout.splitlines()
    pile = cards[0:49:7]
    assert lines[1].split() == ["#", "1:", f"({pile[0]}", pile[1], f"{pile[2]})", *pile[3:]]
    assert lines[7].split() == ["#", "7:", *cards[6:49:7]]
    assert lines[8].split() == ["#", "stock:", f"({cards[49]}", cards[50], f"{cards[51]})"]


def test_rules_options_change_the_table(cli):
    by_option = cli("deal", "wasp", 24, "-r", "face_down_piles=0").stdout
    assert by_option == cli("deal", "wasp(face_down_piles=0)", 24).stdout
    piles = by_option.splitlines()[1:8]
    assert not any("(" in pile for pile in piles)


def test_json_is_the_same_deal(cli):
    dealt = json.loads(cli("deal", "scorpion", 24, "--json").stdout)
    assert [parse_card(text) for text in dealt["cards"]] == list(cards_of(24))
    assert dealt["rules"] == "scorpion"
    assert (dealt["scheme"], dealt["seed"]) == ("solstat", "24")
    assert [pile["face_down"] for pile in dealt["table"]] == [3, 3, 3, 3, 0, 0, 0, 3]
    assert sorted(card for pile in dealt["table"] for card in pile["cards"]) == sorted(
        dealt["cards"]
    )


def test_the_largest_seed(cli):
    assert f"{2**64 - 1}: " in cli("deal", "wasp", 2**64 - 1).stdout
    assert str(2**64) in cli("deal", "wasp", 2**64, code=2).stderr
