from __future__ import annotations

import json

import pytest

from solstat.games import parse_rules
from solstat.solver import OUTCOMES, deal_many
from solstat.verify import replay_win


@pytest.fixture(scope="module")
def won() -> int:
    """A seed that solstat wins, from the first few."""
    from solstat.solver import solve_many

    batch = solve_many(parse_rules("wasp"), deal_many("solstat", range(20)), 100_000)
    return batch.outcome.tolist().index(OUTCOMES.index("won"))


def test_a_win_shows_a_line_that_replays(cli, won):
    verdict, *lines = cli("solve", "wasp", won).stdout.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 78
    line = " ".join(lines)
    assert verdict.startswith("won: ")
    assert f"{len(line.split())} moves" in verdict
    assert replay_win(parse_rules("wasp"), deal_many("solstat", [won])[0].tolist(), line).won


def test_one_is_singular(cli, won):
    assert cli("solve", "wasp", won, "--budget", 1).stdout == "unsettled: 1 position\n"


def test_json_is_an_object_like_a_row(cli, won):
    row = json.loads(cli("solve", "wasp", won, "--json", "--budget", "100k").stdout)
    assert row["outcome"] == "won"
    assert row["seed"] == str(won)
    assert (row["game"], row["rules"], row["scheme"]) == ("wasp", "wasp", "solstat")
    assert row["moves"] == len(row["line"].split())
    assert 0 < row["positions"] <= row["budget"] == 100_000
    assert row["reason"] is None


def test_lines_can_be_left_out(cli, won):
    assert len(cli("solve", "wasp", won, "--no-lines").stdout.splitlines()) == 1


def test_out_of_budget_is_unsettled(cli, won):
    row = json.loads(cli("solve", "wasp", won, "--budget", 1, "--json").stdout)
    assert (row["outcome"], row["reason"], row["positions"]) == ("unsettled", "budget", 1)
    assert row["moves"] is None
    assert row["line"] is None


def test_the_deal_of_a_file_or_a_pipe(cli, tmp_path, won):
    text = cli("deal", "wasp", won).stdout
    (tmp_path / "deal.txt").write_text(text)
    by_seed = cli("solve", "wasp", won).stdout
    assert cli("solve", "wasp", "--deal", "deal.txt").stdout == by_seed
    assert cli("solve", "wasp", "--deal", "-", stdin=text).stdout == by_seed
    assert (
        json.loads(cli("solve", "wasp", "--deal", "deal.txt", "--json").stdout)["scheme"] == "file"
    )


def test_one_deal_and_no_more(cli, tmp_path):
    deals = cli("deal", "wasp", 0).stdout + cli("deal", "wasp", 1).stdout
    (tmp_path / "two.txt").write_text(deals)
    assert "2 deals" in cli("solve", "wasp", "--deal", "two.txt", code=2).stderr
    assert "either" in cli("solve", "wasp", 0, "--deal", "two.txt", code=2).stderr
