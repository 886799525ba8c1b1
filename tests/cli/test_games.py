from __future__ import annotations

import json

from solstat.games import parse_rules, presets


def test_json_has_every_game_with_values_that_its_options_take(cli):
    described = json.loads(cli("games", "--json").stdout)
    assert [game["name"] for game in described] == [preset.name for preset in presets()]
    for game in described:
        for option in game["options"]:
            assert option["value"] in option["values"]
            for value in option["values"]:
                text = str(value).lower() if isinstance(value, bool) else value
                assert parse_rules(game["name"], [f"{option['name']}={text}"])


def test_text_shows_options_as_they_are_typed(cli):
    text = cli("games").stdout
    assert "-r empty_pile=king" in text
    assert "source: https://playsolitaire.io/wasp-solitaire\n" in text
