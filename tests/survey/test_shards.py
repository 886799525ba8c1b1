from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from solstat.deals import SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.games import rules
from solstat.survey.plan import Plan
from solstat.survey.reader import open_run
from solstat.survey.record import Record
from solstat.survey.run import run_survey
from solstat.survey.shards import Cut, directory_name, parse_cut, shard


def shards_of(plan: Plan, of: int) -> list[Plan]:
    return [shard(plan, Cut(number, of)) for number in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 2, 3, 7, 16, 99, 100])
def test_shards_are_all_deals_once(plan: Plan, of: int) -> None:
    cut = [each.deals for each in shards_of(plan, of)]
    assert cut[0].first == plan.deals.first
    assert cut[-1].last == plan.deals.last
    assert all(one.last == other.first for one, other in pairwise(cut))
    assert {each.count for each in cut} <= {100 // of, 100 // of + 1}


def test_shards_of_a_file(file_plan: Plan) -> None:
    cut = shards_of(file_plan, 4)
    assert sum((each.deals for each in cut), ()) == file_plan.deals
    assert {each.shard.deals_sha256 for each in cut} == {file_plan.deals_sha256(30)}


def test_seeds_with_a_prefix(plan: Plan) -> None:
    one = shard(replace(plan, scheme="pysol", deals=SeedRange(1, 32001, "ms")), Cut(3, 4))
    assert one.first_seed == "ms16001"
    assert one.shard.first_seed == "ms1"


def test_names_sort_as_the_shards_do(plan: Plan) -> None:
    names = [directory_name(each.shard) for each in shards_of(plan, 100)]
    assert names == sorted(names)
    assert names[2] == "shard-003-of-100"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "write which of how many, like 3/16"),
        ("x/16", "write which of how many"),
        ("3/16/2", "write which of how many"),
        ("-1/16", "write which of how many"),
        ("0/16", "counted from 1/16 to 16/16"),
        ("17/16", "counted from 1/16 to 16/16"),
        ("0/0", "there can be 1 to 100,000 shards"),
        ("1/200000", "there can be 1 to 100,000 shards"),
    ],
)
def test_bad_cuts(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_cut(text)
    assert parse_cut("3/16") == Cut(3, 16)


def test_more_shards_than_deals(plan: Plan) -> None:
    with pytest.raises(UsageError, match="of 100 deals there are 100 shards at most"):
        shard(plan, Cut(1, 101))


def test_no_shard_stops_early(plan: Plan) -> None:
    with pytest.raises(UsageError, match="until with a shard"):
        shard(replace(plan, until="half-width=1%"), Cut(1, 2))


def test_lines_by_default_are_those_of_the_whole() -> None:
    few = Plan(rules("wasp"), SeedRange(0, 2000), 300, "solstat")
    many = Plan(rules("wasp"), SeedRange(0, 2001), 300, "solstat")
    assert Record.of(shard(few, Cut(1, 16)), 1).identity.lines
    assert not Record.of(shard(many, Cut(1, 16)), 1).identity.lines


def test_record_says_which_shard(tmp_path, plan, inline) -> None:
    (path,) = run_survey([shard(plan, Cut(2, 3))], tmp_path, executor=inline)
    assert path == tmp_path / "shard-2-of-3"
    record = open_run(path).record
    assert record.shard == shard(plan, Cut(2, 3)).shard
    assert record.identity.first_seed == "133"


def test_another_shard_or_survey_is_refused(plan: Plan, longer) -> None:
    record = Record.of(shard(plan, Cut(1, 3)), 1)
    other = shard(longer(plan, 150), Cut(1, 3))
    message = "its shard is 1/3 of 100 deals, not 1/3 of 150 deals; use another directory"
    with pytest.raises(UsageError, match=message):
        record.extended(other, 1)
    with pytest.raises(UsageError, match="its shard is none, not 1/3 of 100 deals"):
        Record.of(plan, 1).extended(shard(plan, Cut(1, 3)), 1)
    assert record.extended(shard(plan, Cut(1, 3)), 1) == record


def test_the_same_shard_of_another_file_is_refused(file_plan: Plan) -> None:
    """Its own deals may be the same; only those of other shards are not."""
    assert isinstance(file_plan.deals, tuple)
    record = Record.of(shard(file_plan, Cut(1, 3)), 1)
    for deals in (file_plan.deals[::-1], (*file_plan.deals[:15], *file_plan.deals[:14:-1])):
        other = shard(replace(file_plan, deals=deals), Cut(1, 3))
        with pytest.raises(
            UsageError, match="holds another run: its survey is of other deals; use"
        ):
            record.extended(other, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"number": "2"},
        {"number": 0},
        {"number": 4},
        {"deals": 200},
        {"deals": True},
        {"first_seed": 3},
        {"more": 1},
    ],
)
def test_damaged_shard_in_a_record(tmp_path, plan, inline, change) -> None:
    import json

    (path,) = run_survey([shard(plan, Cut(2, 3))], tmp_path, executor=inline)
    content = json.loads((path / "run.json").read_text())
    content["shard"] |= change
    (path / "run.json").write_text(json.dumps(content))
    with pytest.raises(SolstatError, match="run.json: damaged"):
        open_run(path)
    del content["shard"]
    (path / "run.json").write_text(json.dumps(content))
    assert open_run(path).record.shard is None


@pytest.mark.parametrize(
    ("change", "cut", "message"),
    [
        ({}, Cut(1, 4), "number of shards 3, not 4"),
        ({"deals": SeedRange(100, 222)}, Cut(2, 3), "number of deals 100, not 122"),
        ({"deals": SeedRange(0, 100)}, Cut(2, 3), "first seed 100, not 0"),
        ({"lines": False}, Cut(2, 3), "lines on, not off"),
        ({"search": "plain"}, Cut(2, 3), "search full, not plain"),
        ({"rules": rules("scorpion")}, Cut(2, 3), "rules wasp, not scorpion"),
    ],
)
def test_beside_shards_of_another_survey(tmp_path, plan, inline, change, cut, message) -> None:
    """They could not be merged, so it is refused before anything is solved."""
    run_survey([shard(plan, Cut(1, 3))], tmp_path, executor=inline)
    other = shard(replace(plan, **change), cut)
    with pytest.raises(UsageError, match=f"shard-1-of-3 is a shard of another survey: {message};"):
        run_survey([other], tmp_path, executor=inline)
    assert [path.name for path in tmp_path.iterdir()] == ["shard-1-of-3"]
    (tmp_path / "shard-1-of-3" / "run.json").write_text("{}")  # what it is of nobody knows
    run_survey([other], tmp_path, executor=inline)


def test_directories(tmp_path, plan, inline) -> None:
    """Shards, runs and several runs keep apart."""
    run_survey([shard(plan, Cut(1, 2))], tmp_path / "a", executor=inline)
    with pytest.raises(UsageError, match="holds shards of a survey: join them"):
        run_survey([plan], tmp_path / "a", executor=inline)
    run_survey([plan], tmp_path / "b", executor=inline)
    with pytest.raises(UsageError, match="is the directory of one run"):
        run_survey([shard(plan, Cut(1, 2))], tmp_path / "b", executor=inline)
    (path,) = run_survey([shard(plan, Cut(1, 2))], tmp_path / "c", apart=True, executor=inline)
    assert path == tmp_path / "c" / "wasp" / "shard-1-of-2"
