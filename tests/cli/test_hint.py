from __future__ import annotations

import json

import pytest

from solstat.games import parse_rules
from solstat.solver import deal_many
from solstat.verify import replay_win

SEED = 24  # of wasp: won from the deal, lost once the stock is dealt


def test_a_winning_line_then_its_first_move(cli):
    first, *lines, last = cli("hint", "wasp", SEED).stdout.splitlines()
    line = " ".join(lines)
    assert first == f"can be won: {len(line.split())} moves to go"
    assert max(map(len, lines)) <= 78
    assert last == f"hint: {line.split()[0]}"
    assert replay_win(parse_rules("wasp"), deal_many("solstat", [SEED])[0].tolist(), line).won


def test_json_after_a_line(cli):
    first = json.loads(cli("hint", "wasp", SEED, "--json").stdout)
    assert (first["outcome"], first["played"], first["guess"]) == ("won", "", False)
    move, *rest = first["line"].split()
    assert first["move"] == move
    assert first["moves"] == len(rest) + 1
    then = json.loads(cli("hint", "wasp", SEED, "--line", move, "--json").stdout)
    assert then["line"].split() == rest
    assert (then["played"], then["move"], then["seed"]) == (move, rest[0], str(SEED))
    assert (then["game"], then["rules"], then["scheme"]) == ("wasp", "wasp", "solstat")
    assert then["budget"] == 250_000
    assert then["positions"] > 0


def test_a_lost_position(cli):
    assert cli("hint", "wasp", SEED, "--line", "deal").stdout == "proved lost: no move wins\n"
    row = json.loads(cli("hint", "wasp", SEED, "--line", "deal", "--json").stdout)
    assert row["outcome"] == "lost"
    assert (row["move"], row["line"], row["moves"], row["guess"]) == (None, None, None, False)


def test_a_guess_is_said_to_be_one(cli):
    words = ("hint", "will-o-the-wisp", 0, "--budget", 20)
    row = json.loads(cli(*words, "--json").stdout)
    assert (row["outcome"], row["guess"], row["line"]) == ("unsettled", True, None)
    assert cli(*words).stdout == (
        "unsettled: no search found a verdict within 20 positions; "
        f"all of them took {row['positions']}\n"
        f"guess: {row['move']} (nothing is proved of it)\n"
    )


def test_a_game_that_is_won(cli):
    line = json.loads(cli("hint", "flow", 1, "--json").stdout)["line"]
    assert cli("hint", "flow", 1, "--line", line).stdout == "won already: nothing is left to play\n"
    row = json.loads(cli("hint", "flow", 1, "--line", line, "--json").stdout)
    assert (row["outcome"], row["move"], row["line"], row["moves"]) == ("won", None, "", 0)


def test_a_deal_from_a_file_under_other_rules(cli):
    deal = cli("deal", "wasp", SEED, "-r", "face_down_piles=0").stdout
    row = json.loads(
        cli("hint", "wasp", "-r", "face_down_piles=0", "--deal", "-", "--json", stdin=deal).stdout
    )
    assert (row["rules"], row["scheme"], row["seed"]) == ("wasp(face_down_piles=0)", "file", "24")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("deal deal", "move 2: deal: the stock has been dealt"),
        ("2H>1", "move 1: 2H>1: nothing goes on an ace"),
        ("2H>9", "move 1: 2H>9: there are the piles 1 to 7"),
        ("foo", "move 1: 'foo' is no move: write card>pile, like 7H>3, or deal"),
    ],
)
def test_an_illegal_line_is_one_line(cli, line, message):
    result = cli("hint", "wasp", SEED, "--line", line, code=2)
    assert result.stdout == ""
    assert result.stderr == f"Error: {message}\n"
