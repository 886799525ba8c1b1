from __future__ import annotations

import json
import random

import pytest

from solstat.deals import Deal
from solstat.errors import UsageError
from solstat.games import presets
from solstat.solver import solve
from solstat.table import saved
from solstat.table.game import Game

GAMES = [*(preset.name for preset in presets()), "will-o-the-wisp(finished_runs=return)"]


@pytest.fixture
def path(tmp_path, new_game):
    """A game of a few moves on file."""
    game = new_game()
    game.play_line(["AC>5", "deal"])
    file = tmp_path / "game.json"
    file.write_text(saved.text_of(game))
    return file


def change(path, **values):
    content = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: v for key, v in content.items() if v is not None}))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_comes_back_as_it_was(new_game, game, tmp_path):
    chance = random.Random(game)
    played = new_game(game, 5)
    for _ in range(40):
        if moves := played.position.moves():
            played.play(chance.choice(moves))
    file = tmp_path / "game.json"
    file.write_text(saved.text_of(played))
    loaded = saved.load(file)
    assert (loaded.rules, loaded.scheme, loaded.deal) == (played.rules, "solstat", played.deal)
    assert (loaded.line, loaded.position) == (played.line, played.position)
    assert saved.is_saved(file)
    assert saved.check(file) == ("5", played.position.won, None)
    assert saved.text_of(loaded) == file.read_text()


@pytest.mark.parametrize("game", GAMES)
def test_a_finished_game_is_a_win(new_game, game, tmp_path):
    for seed in range(50):
        played = new_game(game, seed)
        line = solve(played.rules, played.deal.cards, 20_000).line
        if line is not None:
            break
    assert line is not None
    played.play_line(line.split())
    file = tmp_path / "game.json"
    file.write_text(saved.text_of(played))
    assert saved.check(file) == (str(seed), True, None)
    assert json.loads(file.read_text())["won"] is True


def test_a_deal_of_a_file_keeps_its_cards(tmp_path, new_game):
    cards = new_game().deal.cards
    game = Game(new_game().rules, "file", Deal("my.deal-1", cards))
    file = tmp_path / "game.json"
    file.write_text(saved.text_of(game))
    assert saved.load(file).deal == Deal("my.deal-1", cards)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"line": "AC>5 AC>5"}, "move 2: AC>5: AC is in that pile already"),
        ({"line": "AC>5 \ud800"}, "move 2: '\\ud800' is no move: "),
        ({"won": True}, "it says won, and after its moves the game is not won"),
        ({"seed": "25"}, "its cards are not those of seed 25 of scheme solstat"),
        ({"seed": "-1"}, "seed '-1': scheme solstat has whole numbers"),
        ({"scheme": "pysol"}, "its cards are not those of seed 24 of scheme pysol"),
        ({"scheme": "pysl"}, "unknown scheme 'pysl': did you mean pysol?"),
        ({"cards": "AC"}, "its cards are not those of seed 24 of scheme solstat"),
        ({"cards": "XX"}, "'XX' is no card"),
        ({"scheme": "file", "cards": "AC"}, "its deal, line 1"),
        ({"scheme": "file", "seed": "a b"}, "its deal, line 1"),
        ({"scheme": "file", "seed": "\ud800"}, "its deal, line 1"),
        ({"scheme": "file", "seed": "# a"}, "its deal, line 1"),
        ({"scheme": "file", "seed": "#\na"}, "its seed '#\\na' is no id of a deal"),
        ({"rules": "waps"}, "unknown game 'waps': did you mean wasp?"),
        ({"rules": "scorpion(ranks=3)"}, "scorpion has no option 'ranks'"),
        ({"version": 2}, "a saved game of another version: this solstat reads version 1"),
        ({"version": True}, "version is not there, or is not a number"),
        ({"format": "other"}, "no saved game: its format is not solstat-game"),
        ({"line": None}, "line is not there, or is not text"),
        ({"won": "yes"}, "won is not there, or is not true or false"),
        ({"lines": ""}, "unknown key 'lines': did you mean line"),
    ],
)
def test_what_is_not_so_is_refused(path, values, why):
    change(path, **values)
    with pytest.raises(UsageError) as caught:
        saved.load(path)
    message = str(caught.value)
    assert message.startswith(f"{str(path)!r}: {why}"), message
    assert message.isprintable()
    assert not saved.check(path).won
    assert saved.check(path).fault == message.removeprefix(f"{str(path)!r}: ")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"\0", b"[" * 10**5, b"9" * 10**4, b"NaN"],
)
def test_what_is_no_saved_game_is_refused(tmp_path, content):
    file = tmp_path / "game.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"game.json': no saved game: "):
        saved.load(file)
    assert not saved.is_saved(file)


@pytest.mark.parametrize(
    "more", [{"mine": 1}, {"won": None}, {"version": 2}, {"format": "solstat-games"}]
)
def test_only_the_very_shape_of_a_saved_game_is_whole(path, more):
    assert saved.is_whole(path)
    change(path, **more)
    assert not saved.is_whole(path)


def test_a_text_that_shows_a_saved_game_is_not_whole(path):
    path.write_text(f"# Notes\n{path.read_text()}")
    assert not saved.is_whole(path)
    assert not saved.is_whole(path.parent)
    assert not saved.is_whole("none.json")


def test_a_seed_is_loaded_as_the_scheme_writes_it(path):
    change(path, seed="024")
    assert saved.load(path).deal.id == "24"


def test_a_file_cut_short_is_refused(path):
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 40):
        path.write_bytes(whole[:length])
        with pytest.raises(UsageError, match="no saved game: not JSON, or cut short"):
            saved.load(path)


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path):
    file = tmp_path / "game.json"
    file.write_bytes(b" " * 1_000_001)
    with pytest.raises(UsageError, match="more than 1,000,000 bytes"):
        saved.load(file)


@pytest.mark.parametrize("name", ["none.json", ".", "a\0b"])
def test_what_cannot_be_read_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert not saved.is_saved(name)
    with pytest.raises(UsageError) as caught:
        saved.load(name)
    assert str(caught.value).isprintable()
    assert saved.check(name).fault
