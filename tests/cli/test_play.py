from __future__ import annotations

import json
import os

import pytest

from solstat.cards import card_text
from solstat.games import parse_rules, presets
from solstat.solver import deal_many, solve
from solstat.verify import replay_win

GAMES = [
    *(preset.name for preset in presets()),
    "will-o-the-wisp(finished_runs=optional)",
    "will-o-the-wisp(finished_runs=return)",
]


def last_line(result) -> str:
    return result.stdout.splitlines()[-1]


def test_a_table_at_the_start_and_after_each_move(cli):
    result = cli("play", "wasp", 24, stdin="AC\ndeal\nmoves\n")
    tables = [n for n, line in enumerate(result.stdout.splitlines()) if line.startswith("   1 ")]
    assert len(tables) == 3
    assert "wasp, seed 24: 1 move, the last AC>5\n" in result.stdout
    assert "wasp, seed 24: 2 moves, the last deal\n" in result.stdout
    assert last_line(result).startswith("2H>3 ")
    assert "\x1b" not in result.stdout
    assert result.stderr == ""


def test_a_refused_move_is_one_line_and_the_exit_code(cli):
    result = cli("play", "wasp", 24, stdin="KH\nAC\n", code=1)
    assert "refused: KH: a king goes on no card, and none is empty\n" in result.stdout
    assert last_line(result) == "wasp, seed 24: 1 move, the last AC>5"
    assert result.stderr == ""


def test_quit_ends_it_and_what_follows_is_not_read(cli):
    assert "1 move" not in cli("play", "wasp", 24, stdin="quit\nAC\nfoo\n").stdout


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_won_saved_and_verified(cli, game):
    rules = parse_rules(game)
    for seed in range(50):
        cards = deal_many("solstat", [seed])[0].tolist()
        line = solve(rules, cards, 20_000).line
        if line is not None:
            break
    assert line is not None
    commands = [*line.split(), "hint", "save game.json"]
    result = cli("play", game, seed, stdin="\n".join(commands))
    moves = len(line.split())
    assert f"{rules.id}, seed {seed}: {moves} moves, the last {line.split()[-1]}: won\n" in (
        result.stdout
    )
    assert result.stdout.splitlines()[-2:] == ["the game is won", "saved: game.json"]
    assert cli("verify", "game.json").stdout == "1 win replayed, 0 bad\n"
    with open("game.json") as file:
        assert replay_win(rules, cards, json.load(file)["line"]).won


def test_a_game_goes_on_where_it_was_saved(cli):
    cli("play", "wasp", 24, stdin="AC\nsave game.json\n")
    assert (
        cli("verify", "game.json").stdout
        == "0 wins replayed, 0 bad\n1 other game replayed, not won yet\n"
    )
    result = cli("play", "--load", "game.json", stdin="deal\nsave\n")
    assert last_line(result) == "saved: game.json"
    assert last_line(cli("play", "--load", "game.json", stdin="")) == (
        "wasp, seed 24: 2 moves, the last deal"
    )
    assert last_line(cli("play", "--load", "game.json", "--line", "2H>3", stdin="undo 9")) == (
        "wasp, seed 24: 0 moves"
    )


def test_save_writes_over_a_saved_game_and_nothing_else(cli, tmp_path):
    mine = 'mine: {"format": "solstat-game"}'
    (tmp_path / "notes.txt").write_text(mine)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    names = ["notes.txt", "folder", "pipe", "x" * 300, "a\0b", "none/game.json"]
    script = "".join(f"save {name}\n" for name in [*names, "game.json", "game.json"])
    result = cli("play", "wasp", 24, stdin=script, code=1)
    assert result.stdout.splitlines()[-8:] == [
        "refused: notes.txt: there is such a file, and it is no saved game: name another",
        "refused: folder: a directory; name a file",
        "refused: pipe: there is such a file, and it is no saved game: name another",
        "refused: 'xxxxxxxxxxxxxxxxxxxx...': File name too long",
        "refused: 'a\\x00b': embedded null byte",
        "refused: cannot write none/game.json: No such file or directory",
        "saved: game.json",
        "saved: game.json",
    ]
    assert (tmp_path / "notes.txt").read_text() == mine
    there = sorted(path.name for path in tmp_path.iterdir())
    assert there == ["folder", "game.json", "notes.txt", "pipe"]


def test_json_is_an_object_for_each_command(cli):
    result = cli("play", "wasp", 24, "--json", stdin="AC\nAC\nundo\nmoves\n", code=1)
    start, played, refused, undone, moves = map(json.loads, result.stdout.splitlines())
    assert (start["command"], start["line"], start["won"], start["off"]) == (None, "", False, [])
    assert start["table"][0] == {"pile": "1", "face_down": 3, "cards": ["KS", "TD", "8D", "AS"]}
    assert start["table"][-1] == {"pile": "stock", "face_down": 3, "cards": []}
    assert (played["played"], played["line"], played["refused"]) == (["AC>5"], "AC>5", None)
    assert refused["refused"].startswith("AC: no pile ends in the next higher card of its suit")
    assert (undone["undo"], undone["table"]) == (["AC>5"], start["table"])
    assert "AC>5" in moves["moves"]


def test_moves_may_be_played_first(cli):
    played = cli("play", "wasp", 24, "--line", "AC>5 deal", stdin="undo")
    assert "wasp, seed 24: 2 moves, the last deal" in played.stdout
    refused = cli("play", "wasp", 24, "--line", "AC>5 AC>5", stdin="", code=2)
    assert refused.stderr == "Error: move 2: AC>5: AC is in that pile already\n"
    assert refused.stdout == ""


def test_the_deal_of_a_file(cli, tmp_path):
    (tmp_path / "deal.txt").write_text(cli("deal", "wasp", 24).stdout)
    result = cli("play", "wasp", "--deal", "deal.txt", stdin="AC\nsave game.json\n")
    assert "wasp, seed 24: 1 move, the last AC>5" in result.stdout
    assert json.loads((tmp_path / "game.json").read_text())["scheme"] == "file"
    assert last_line(cli("verify", "game.json")) == "1 other game replayed, not won yet"


def test_other_schemes(cli):
    result = cli("play", "flow", "ms7", "--scheme", "pysol", stdin="save game.json\n")
    assert "flow, seed ms7: 0 moves" in result.stdout
    assert "flow, seed ms7: 0 moves" in cli("play", "--load", "game.json", stdin="").stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["play"], "name what to play: GAME SEED, GAME --deal FILE, or --load FILE"),
        (["play", "wasp"], "name one deal: either SEED, or --deal FILE"),
        (["play", "waps", "1"], "unknown game 'waps': did you mean wasp?"),
        (
            ["play", "wasp", "1", "--load", "a"],
            "--load FILE names the game, its rules and its deal",
        ),
        (
            ["play", "--load", "a", "-r", "x=y"],
            "--load FILE names the game, its rules and its deal",
        ),
        (["play", "--load", "none.json"], "'none.json': No such file or directory"),
        (["play", "wasp", "--deal", "-"], "--deal -: standard input is where commands come from"),
        (["play", "wasp", "-1"], "seed '-1': seeds are whole numbers"),
        (["play", "wasp", "1", "--line", "7H"], "move 1: '7H' is no move: write card>pile"),
    ],
)
def test_what_cannot_be_played_is_one_line(cli, arguments, why):
    result = cli(*arguments, stdin="moves\n", code=2)
    assert result.stderr.startswith(f"Error: {why}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_verify_says_what_is_wrong_with_a_saved_game(cli, tmp_path):
    cli("play", "wasp", 24, stdin="AC\nsave good.json\n")
    bad = (tmp_path / "good.json").read_text().replace("AC>5", "AC>6")
    (tmp_path / "bad.json").write_text(bad)
    result = cli("verify", "good.json", "bad.json", code=1)
    assert result.stdout == "0 wins replayed, 1 bad\n1 other game replayed, not won yet\n"
    assert result.stderr == ("deal 24: move 1: AC>6: AC is not the next lower card of 8S's suit\n")
    found = json.loads(cli("verify", "good.json", "bad.json", "--json", code=1).stdout)
    assert (found["replayed"], found["bad"], found["unfinished"]) == (0, 1, 1)


def test_verify_names_a_deal_on_one_line_whatever_the_file_says(cli, tmp_path):
    cli("play", "wasp", 24, stdin="save game.json\n")
    game = json.loads((tmp_path / "game.json").read_text())
    (tmp_path / "game.json").write_text(json.dumps(game | {"seed": "7: \x1b[31m\ndeal 8"}))
    result = cli("verify", "game.json", code=1)
    assert result.stderr.startswith("deal '7: \\x1b[31m\\ndeal 8': seed ")
    assert result.stderr.count("\n") == 1


def test_verify_takes_runs_and_games_apart(cli):
    cli("play", "wasp", 24, stdin="save game.json\n")
    cli("run", "-g", "wasp", "--deals", "0:3", "--budget", "1k", "--workers", 1, "-o", "run")
    result = cli("verify", "run", "game.json", code=2)
    assert result.stderr == (
        "Error: game.json: a saved game, among runs: verify games and runs apart\n"
    )


@pytest.mark.parametrize("game", GAMES)
def test_what_is_told_does_not_depend_on_hidden_cards(cli, tmp_path, game):
    """Deals that differ in hidden cards only look the same, whatever card is asked for."""
    cards = deal_many("solstat", [24])[0].tolist()
    shown = json.loads(cli("play", game, 24, "--json", stdin="").stdout)
    known = {card for pile in shown["table"] for card in pile["cards"]}
    hidden = [card_text(card) for card in cards if card_text(card) not in known]
    swapped = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
    script = "\n".join(f"{card}\n{card} 1" for card in hidden) + "\nmoves\n"
    told = []
    dealt = [card_text(card) for card in cards]
    for asked in (dealt, [swapped.get(card, card) for card in dealt]):
        (tmp_path / "deal.txt").write_text(f"a: {' '.join(asked)}\n")
        result = cli("play", game, "--deal", "deal.txt", stdin=script, code=int(bool(hidden)))
        told.append(result.stdout)
    assert told[0] == told[1]
    assert told[0].count("refused") == 2 * len(hidden)
