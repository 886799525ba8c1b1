from __future__ import annotations

import json

SURVEY = ("run", "-g", "wasp", "--deals", "0:50", "--budget", "300", "--workers", 1)


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


def test_refusals(cli):
    assert "like 3/16" in cli(*SURVEY, "--shard", "3", "-o", "a", code=2).stderr
    until = ("--until", "half-width=9%", "--shard", "1/2")
    assert "until with a shard" in cli(*SURVEY, *until, "-o", "a", code=2).stderr
    assert "no shards here" in cli("merge", "a", code=2).stderr
