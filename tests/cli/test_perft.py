from __future__ import annotations

import json

import pytest

from solstat.games import parse_rules, perft, start
from solstat.solver import deal_many


@pytest.mark.parametrize("engine", ["python", "kernel"])
def test_counts_by_deal_id(cli, engine):
    found = json.loads(
        cli("perft", "wasp", "--deals", "3:5", "--depth", 2, "--engine", engine, "--json").stdout
    )
    rules = parse_rules("wasp")
    deals = deal_many("solstat", [3, 4]).tolist()
    assert found == {
        seed: perft(start(rules, cards), 2) for seed, cards in zip(["3", "4"], deals, strict=True)
    }


def test_one_seed_is_a_range_of_one(cli):
    by_seed = cli("perft", "wasp", 24, "--depth", 2).stdout
    assert by_seed == cli("perft", "wasp", "--deals", "24:25", "--depth", 2).stdout
    both = cli("perft", "wasp", 24, "--deals", "24:25", "--depth", 2, code=2)
    assert "one of SEED, --deals" in both.stderr


def test_takes_a_line_as_solve_shows_it(cli):
    line = cli("solve", "wasp", 24).stdout.partition("\n")[2]
    assert "\n" in line.strip()
    cli("perft", "wasp", 24, "--line", line, "--depth", 1)


@pytest.mark.parametrize("engine", ["python", "kernel"])
def test_from_a_position_after_a_line(cli, engine):
    text = cli(
        "perft", "scorpion", "--deals", "24:25", "--line", "deal", "--depth", 1, "--engine", engine
    )
    cards = deal_many("solstat", [24])[0].tolist()
    position = start(parse_rules("scorpion"), cards)
    dealt = position.play(position.parse_move("deal"))
    assert [line.split() for line in text.stdout.splitlines()] == [
        ["deal", "1"],
        ["24", str(len(dealt.moves()))],
    ]


@pytest.mark.parametrize("engine", ["python", "kernel"])
def test_deals_of_a_file_and_of_standard_input(cli, tmp_path, engine):
    text = cli("deal", "wasp", 24).stdout
    (tmp_path / "deals.txt").write_text(text)
    args = ["perft", "wasp", "--depth", 2, "--engine", engine, "--json", "--deals-file"]
    assert cli(*args, "deals.txt").stdout == cli(*args, "-", stdin=text).stdout


@pytest.mark.parametrize("engine", ["python", "kernel"])
def test_a_line_that_cannot_be_played_is_named(cli, engine):
    result = cli(
        *("perft", "wasp", "--deals", "24:25", "--depth", 1),
        *("--line", "deal deal", "--engine", engine),
        code=2,
    )
    assert result.stderr.startswith("Error: ")
    assert "move 2" in result.stderr
