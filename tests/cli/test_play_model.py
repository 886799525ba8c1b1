"""``solstat play-model``, and what ``claims check`` makes of players' games."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from solstat import players
from solstat.cli import play_model
from solstat.stats.intervals import wilson

ROOT = Path(__file__).parents[2]


def test_shares_with_intervals(cli: Any) -> None:
    words = ("play-model", "-g", "flow", "--deals", "0:30", "--workers", 1)
    found = json.loads(cli(*words, "--json").stdout)
    assert [each["policy"] for each in found] == ["random", "greedy", "careful"]
    for each in found:
        assert each["n"] == 30 == each["won"] + each["stuck"] + each["round"]
        low, high = wilson(each["won"], 30)
        assert (each["low"], each["high"]) == pytest.approx((low, high))
        assert Path(each["path"], "players.json").exists()
    assert found[0]["won"] < found[2]["won"]
    table = cli(*words).stdout.splitlines()
    assert table[0].split()[:6] == ["rules", "player", "n", "won", "stuck", "round"]
    assert [line.split()[1] for line in table[1:4]] == ["random", "greedy", "careful"]
    assert table[3].split()[3] == str(found[2]["won"])


def test_some_players_other_rules_another_scheme(cli: Any) -> None:
    found = json.loads(
        cli(
            *("play-model", "-g", "will-o-the-wisp", "-r", "finished_runs=return"),
            *("--deals", "1:5", "--scheme", "pysol", "--policy", "greedy", "-o", "here"),
            *("--confidence", "99%", "--json"),
        ).stdout
    )
    [each] = found
    assert each["path"] == "here/will-o-the-wisp-finished_runs-return/greedy"
    assert (each["rules"], each["scheme"], each["first_seed"], each["n"]) == (
        "will-o-the-wisp(finished_runs=return)",
        "pysol",
        "1",
        4,
    )
    assert (each["low"], each["high"]) == pytest.approx(wilson(each["won"], 4, 0.99))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "missing: -g wasp and --deals 0:100"),
        (["-g", "wasp"], "missing: --deals 0:100"),
        (["-g", "waps", "--deals", "0:9"], "did you mean wasp?"),
        (["-g", "wasp", "--deals", "9"], "write first:last"),
        (["-g", "wasp", "--deals", "0:9", "--policy", "clever"], "'clever' is not one of"),
    ],
)
def test_bad_input_is_one_line(cli: Any, words: list[str], message: str) -> None:
    result = cli("play-model", *words, code=2)
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_stats_does_not_take_it_for_a_run(cli: Any) -> None:
    cli("play-model", "-g", "wasp", "--deals", "0:5", "--policy", "random")
    assert "no run here" in cli("stats", "players", code=2).stderr


def test_people_and_players_in_claims_check(cli: Any, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    (tmp_path / "results").mkdir()
    (tmp_path / "results/scorpion-20000").symlink_to(ROOT / "results/scorpion-20000")
    bare = cli("claims", "check", "scorpion-human")
    assert "too high" in bare.stdout
    assert "Players" not in bare.stdout
    cli("play-model", "-g", "scorpion", "--deals", "0:20", "-o", "results/players")
    told = cli("claims", "check", "scorpion-human").stdout
    assert "people are near random (" in told
    assert "Players, who see what a person sees:" in told
    [found] = json.loads(cli("claims", "check", "scorpion-human", "--json").stdout)
    assert found["verdict"] == "too high"
    assert {each["policy"] for each in found["players"]} == {"random", "greedy", "careful"}


def test_the_option_offers_every_player() -> None:
    assert tuple(players.POLICIES) == play_model.POLICIES
