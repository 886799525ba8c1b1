from __future__ import annotations

import json
from io import StringIO

import pandas
import pytest

SURVEY = ("run", "-g", "wasp", "--deals", "0:50", "--budget", "300", "--workers", 1)
RETRY = ("run", "--retry", "unsettled", "--budget", "3k", "--workers", 1)


def test_shards_and_their_merge_are_one_run(cli):
    for number in (1, 3):
        made = cli(*SURVEY, "--shard", f"{number}/3", "-o", "runs/it")
    assert "That is shard 3/3. To join all of them: solstat merge runs/it" in made.stderr
    told = cli("status", "runs/it").stdout.splitlines()
    assert told[0].startswith("runs/it/shard-1-of-3: wasp, shard 1/3, budget 300, finished")
    assert told[-2] == "runs/it: 2 of 3 shards finished, not begun: 2/3"
    assert told[-1].startswith("  33 of 50 deals done, 17 to do: ")
    assert [each["shard"] for each in json.loads(cli("status", "runs/it", "--json").stdout)] == [
        "1/3",
        "3/3",
    ]
    failed = cli("merge", "runs/it", code=1)
    assert failed.stderr.startswith("Error: runs/it: missing of its 3 shards: 2/3; ")

    made = cli(*SURVEY, "--shard", "2/3", "-o", "runs/it", "--json")
    assert "To join" not in made.stderr
    joined = json.loads(cli("merge", "runs/it", "-o", "runs/copy", "--json").stdout)
    assert [(each["run"], each["done"], each["shard"]) for each in joined] == [
        ("runs/copy", 50, None)
    ]
    assert cli("merge", "runs/it").stdout.startswith("runs/it: wasp, 50 deals: ")
    cli(*SURVEY, "-o", "runs/one")
    assert cli("stats", "runs/it").stdout == cli("stats", "runs/one").stdout
    assert "all 50 deals were there already" in cli(*SURVEY, "-o", "runs/it").stderr


@pytest.mark.parametrize("how", ["each by name", "all", "by the whole command"])
def test_shards_are_searched_again(cli, how):
    survey = ("run", "-g", "wasp", "--deals", "0:60", "--workers", 1)
    for number in (1, 2):
        cli(*survey, "--budget", 50, "--shard", f"{number}/2", "-o", "runs/it")
        if how == "each by name":
            cli(*RETRY, "--shard", f"{number}/2", "-o", "runs/it")
        elif how == "by the whole command":
            words = ("--budget", "3k", "--retry", "unsettled")
            cli(*survey, *words, "--shard", f"{number}/2", "-o", "runs/it")
    if how == "all":
        cli(*RETRY, "-o", "runs/it")
    shown = cli("status", "runs/it").stdout
    assert shown.count(", budget 3k, finished") == 2
    assert "runs/it: 2 of 2 shards finished\n" in shown
    cli("merge", "runs/it")
    cli(*survey, "--budget", "50,3k", "-o", "runs/one")
    assert cli("export", "runs/it", "--attempts").stdout.count("\n") > 61
    same = [
        pandas.read_csv(StringIO(cli("export", path, "--attempts").stdout)).drop(columns="seconds")
        for path in ("runs/it", "runs/one")
    ]
    pandas.testing.assert_frame_equal(*same)


def test_refusals(cli):
    assert "like 3/16" in cli(*SURVEY, "--shard", "3", "-o", "a", code=2).stderr
    until = ("--until", "half-width=9%", "--shard", "1/2")
    assert "until with a shard" in cli(*SURVEY, *until, "-o", "a", code=2).stderr
    cli(*SURVEY, "--shard", "1/2", "-o", "a")
    told = cli(*RETRY, "--shard", "2/2", "-o", "a", code=2).stderr
    assert told == "Error: a: no shard 2/2 of a run here\n"
    told = cli(*SURVEY, "--retry", "errors", "-o", "a", code=2).stderr
    assert told.startswith("Error: a holds shards of a survey: join them (solstat merge a)")
    assert "no shards here" in cli("merge", "b", code=2).stderr
