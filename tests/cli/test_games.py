from __future__ import annotations

import json

from solstat.games import family_options, presets


def test_json_has_every_game_with_values_that_its_options_take(cli):
    described = json.loads(cli("games", "--json").stdout)
    assert [game["name"] for game in described] == [preset.name for preset in presets()]
    for game in described:
        options = {option.name: option for option in family_options(game["family"])}
        assert [option["name"] for option in game["options"]] == list(options)
        for option in game["options"]:
            assert option["value"] in option["values"]
            for value in option["values"]:
                text = str(value).lower() if isinstance(value, bool) else str(value)
                assert options[option["name"]].parse(text) == value


def test_text_shows_options_as_they_are_typed(cli):
    text = cli("games").stdout
    assert "-r empty_pile=king" in text
    assert "at least one for each suit: 1 to 52\n" in text
    assert "source: https://playsolitaire.io/wasp-solitaire\n" in text
