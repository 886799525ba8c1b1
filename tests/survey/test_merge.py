from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.dataset
import pyarrow.parquet
import pytest

from solstat.errors import SolstatError, UsageError
from solstat.games import rules
from solstat.survey import merge as merging
from solstat.survey import parts
from solstat.survey.again import plan_again
from solstat.survey.doctor import diagnose
from solstat.survey.merge import merge
from solstat.survey.older import older_rows
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import dictionaries, open_run, runs_under
from solstat.survey.record import Record
from solstat.survey.run import retry_survey, run_survey
from solstat.survey.shards import Cut, shard
from solstat.survey.status import status


@pytest.fixture
def solve(inline):
    """Do some of the shards of plans, those of three."""

    def run(out: Path, *plans: Plan, numbers: tuple[int, ...] = (1, 2, 3)) -> None:
        for number in numbers:
            cut = [shard(plan, Cut(number, 3)) for plan in plans]
            run_survey(cut, out, executor=inline, command=["solstat", "run"])

    return run


def whole(record: Record) -> Record:
    return replace(record, history=())


@pytest.mark.parametrize("kind", ["seeds", "file"])
def test_the_run_is_that_of_one_machine(
    tmp_path, plan, file_plan, solve, inline, content, kind, longer
) -> None:
    plan = plan if kind == "seeds" else file_plan
    run_survey([plan], tmp_path / "one", executor=inline)
    solve(tmp_path / "many", plan)
    assert merge(tmp_path / "many") == [tmp_path / "many"]
    one, many = open_run(tmp_path / "one"), open_run(tmp_path / "many")
    assert whole(many.record) == whole(one.record)
    assert content(many.path) == content(one.path)
    assert status(many).state == "finished"
    if kind == "file":
        assert (many.path / "deals.txt").read_bytes() == (one.path / "deals.txt").read_bytes()
    else:  # it goes on as that one does
        run_survey([longer(plan, 120)], tmp_path / "one", executor=inline)
        run_survey([longer(plan, 120)], tmp_path / "many", executor=inline)
        assert content(many.path) == content(one.path)


def test_history_is_that_of_the_shards_and_of_the_merge(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan, numbers=(2, 3, 1))
    merge(tmp_path, command=["solstat", "merge", "/home/me/runs"])
    history = open_run(tmp_path).record.history
    assert [entry.get("shard") for entry in history] == ["2/3", "3/3", "1/3", None]
    assert history[-1]["command"] == "solstat merge runs"
    assert history[-1]["stored_before"] == 100
    assert status(open_run(tmp_path)).rate is None


def test_shards_are_out_of_the_way(tmp_path, plan, solve) -> None:
    """Nobody who reads all there is meets a deal twice."""
    solve(tmp_path, plan)
    merge(tmp_path)
    assert [run.path for run in runs_under(tmp_path)] == [tmp_path]
    rows = pyarrow.dataset.dataset(tmp_path, format="parquet", exclude_invalid_files=True)
    assert rows.count_rows() == 100
    assert len(list((tmp_path / "_shards").glob("shard-*-of-3"))) == 3
    with pytest.raises(UsageError, match="its shards are joined already"):
        merge(tmp_path)


def test_elsewhere_the_shards_stay(tmp_path, plan, solve, content) -> None:
    solve(tmp_path / "many", plan)
    assert merge(tmp_path / "many", tmp_path / "one") == [tmp_path / "one"]
    assert len(runs_under(tmp_path / "many")) == 3
    with pytest.raises(UsageError, match="holds a run"):
        merge(tmp_path / "many", tmp_path / "one")
    merge(tmp_path / "many")
    assert content(tmp_path / "many") == content(tmp_path / "one")


def test_several_games(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan, replace(plan, rules=rules("scorpion")))
    assert merge(tmp_path) == [tmp_path / "scorpion", tmp_path / "wasp"]
    assert [run.rules.id for run in runs_under(tmp_path)] == ["scorpion", "wasp"]
    solve(tmp_path / "more", plan, replace(plan, rules=rules("scorpion")))
    assert merge(tmp_path / "more", tmp_path / "to")[0] == tmp_path / "to" / "scorpion"


def rows_before(path: Path) -> list[dict[str, object]]:
    found = dictionaries(older_rows(open_run(path), ["index", "attempt", "budget", "positions"]))
    return sorted(found, key=lambda row: (row["index"], row["attempt"]))


def test_shards_that_were_searched_again(tmp_path, plan, solve, inline, content) -> None:
    """Some by one command, some later, and it goes on from there."""
    steps = replace(plan, budget=50, again=(Again("unsettled", 400),))
    run_survey([steps], tmp_path / "one", executor=inline)
    solve(tmp_path / "many", steps, numbers=(1, 3))
    solve(tmp_path / "many", replace(plan, budget=50), numbers=(2,))
    with pytest.raises(SolstatError, match="shard-2-of-3: not of .* its budget is 50, not 400"):
        merge(tmp_path / "many")
    (late,) = (tmp_path / "many").glob("shard-2-*")
    retry_survey([late], [plan_again(open_run(late), "unsettled", [400])], executor=inline)
    merge(tmp_path / "many")
    for budgets in ([], [3000]):
        for path in (tmp_path / "one", tmp_path / "many"):
            if budgets:
                again = plan_again(open_run(path), "unsettled", budgets)
                retry_survey([path], [again], executor=inline)
        assert content(tmp_path / "many") == content(tmp_path / "one")
        assert rows_before(tmp_path / "many") == rows_before(tmp_path / "one")
        assert whole(open_run(tmp_path / "many").record) == whole(open_run(tmp_path / "one").record)
        assert diagnose(tmp_path / "many").sound
    assert max(row["attempt"] for row in rows_before(tmp_path / "one")) == 2


def test_parts_have_their_size_whatever_the_shards(
    tmp_path, plan, solve, inline, content, monkeypatch
) -> None:
    run_survey([plan], tmp_path / "one", executor=inline)
    solve(tmp_path / "many", plan)
    monkeypatch.setattr(parts, "MILLION", 40)
    merge(tmp_path / "many")
    assert [tuple(part) for part in parts.listed(tmp_path / "many")[0]] == [
        (0, 40),
        (40, 80),
        (80, 100),
    ]
    assert content(tmp_path / "many") == content(tmp_path / "one")


def test_missing_shards_are_named(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan, numbers=(2,))
    with pytest.raises(SolstatError, match=r"missing of its 3 shards: 1/3, 3/3; do .*--shard 1/3"):
        merge(tmp_path)
    assert not list(tmp_path.glob("*.parquet"))


def test_many_missing_shards(tmp_path, plan, inline) -> None:
    run_survey([shard(plan, Cut(9, 20))], tmp_path, executor=inline)
    with pytest.raises(SolstatError, match="1/20, 2/20, 3/20, 4/20, 5/20 and 14 more"):
        merge(tmp_path)


def test_unfinished_shard_is_named(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan)
    record = json.loads((tmp_path / "shard-2-of-3" / "run.json").read_text())
    killed = record | {"state": "running"}
    (tmp_path / "shard-2-of-3" / "run.json").write_text(json.dumps(killed))
    with pytest.raises(SolstatError, match="shard-2-of-3: killed, 33 of 33 deals are done; fin"):
        merge(tmp_path)
    (tmp_path / "shard-2-of-3" / "run.json").write_text(json.dumps(record))
    for part in (tmp_path / "shard-2-of-3").glob("*.parquet"):
        part.unlink()
    with pytest.raises(SolstatError, match="shard-2-of-3: incomplete, 0 of 33 deals are done"):
        merge(tmp_path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("budget", {"budget": 299}),
        ("search", {"search": "plain"}),
        ("lines", {"lines": False}),
        ("rules", {"rules": rules("scorpion")}),
    ],
)
def test_shard_of_another_survey_is_named(tmp_path, plan, solve, name, change) -> None:
    solve(tmp_path, plan, numbers=(1, 3))
    solve(tmp_path / "other", replace(plan, **change), numbers=(2,))
    (tmp_path / "other" / "shard-2-of-3").rename(tmp_path / "shard-2-of-3")
    with pytest.raises(SolstatError, match=f"shard-2-of-3: not of the survey of .* its {name} is"):
        merge(tmp_path)


def test_shard_of_other_deals_is_named(tmp_path, plan, longer, solve) -> None:
    solve(tmp_path, plan, numbers=(1, 3))
    solve(tmp_path / "other", longer(plan, 120), numbers=(2,))
    (tmp_path / "other" / "shard-2-of-3").rename(tmp_path / "shard-2-of-3")
    with pytest.raises(
        SolstatError, match="shard-2-of-3: not of the .* its number of deals is 120"
    ):
        merge(tmp_path)


def test_shard_of_another_cut_is_named(tmp_path, plan, solve, inline) -> None:
    solve(tmp_path, plan, numbers=(1, 3))
    (path,) = run_survey([shard(plan, Cut(2, 4))], tmp_path / "other", executor=inline)
    path.rename(tmp_path / path.name)
    with pytest.raises(SolstatError, match="shard-2-of-4: not of .* its number of shards is 4, n"):
        merge(tmp_path)


def test_a_shard_twice(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan)
    shutil.copytree(tmp_path / "shard-2-of-3", tmp_path / "shard-2-of-3-of-4")
    with pytest.raises(SolstatError, match="are both shard 2/3"):
        merge(tmp_path)


def test_part_of_another_shard(tmp_path, plan, solve) -> None:
    """It has the right name and rows, but its footer tells."""
    solve(tmp_path, plan)
    (one,) = (tmp_path / "shard-1-of-3").glob("*.parquet")
    (other,) = (tmp_path / "shard-2-of-3").glob("*.parquet")
    shutil.copy(one, other)
    with pytest.raises(SolstatError, match="a part of another run"):
        merge(tmp_path)


def test_changed_seed_in_a_record(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan)
    file = tmp_path / "shard-2-of-3" / "run.json"
    content = json.loads(file.read_text())
    content["identity"]["first_seed"] = "500"
    file.write_text(json.dumps(content))
    with pytest.raises(SolstatError, match="its first seed is 500, not 133"):
        merge(tmp_path)


def test_other_files_are_left_alone(tmp_path, plan, solve) -> None:
    solve(tmp_path, plan)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds other files, such as notes\.txt"):
        merge(tmp_path)


def test_no_shards(tmp_path) -> None:
    with pytest.raises(UsageError, match="no shards here"):
        merge(tmp_path)


class Killed(BaseException):
    pass


def killed(*_: object) -> None:
    raise Killed


@pytest.mark.parametrize("step", range(7))
def test_interrupted_merge_is_done_again(
    tmp_path, file_plan, solve, inline, content, monkeypatch, step
) -> None:
    """Killed before each file it writes, and before each shard it moves."""
    run_survey([file_plan], tmp_path / "one", executor=inline)
    out = tmp_path / "many"
    solve(out, file_plan)
    monkeypatch.setattr(parts, "MILLION", 20)
    left = [step]

    def dying(function):
        def call(*args, **kwargs):
            if not left[0]:
                raise Killed
            left[0] -= 1
            return function(*args, **kwargs)

        return call

    from solstat.survey import rows

    with monkeypatch.context() as patch:
        patch.setattr(rows.Writer, "write", dying(rows.Writer.write))
        patch.setattr(merging, "write_file", dying(merging.write_file))
        patch.setattr(Record, "save", dying(Record.save))
        patch.setattr(Path, "rename", dying(Path.rename))
        with pytest.raises(Killed):
            merge(out)
        joined = (out / "run.json").exists()
        assert len(runs_under(out)) == (1 if joined else 3)
        assert sum(status(run).done for run in runs_under(out)) == 30
    merge(out)
    assert content(out) == content(tmp_path / "one")
    assert len(list((out / "_shards").iterdir())) == 3
    assert [run.path for run in runs_under(out)] == [out]


def test_what_a_stopped_merge_has_left_is_no_run(
    tmp_path, plan, solve, content, monkeypatch
) -> None:
    """Also once a run.json has been made from its parts, as `solstat doctor --fix` does."""
    solve(tmp_path / "many", plan)
    merge(tmp_path / "many", tmp_path / "one")
    record = open_run(tmp_path / "one").record
    monkeypatch.setattr(parts, "MILLION", 40)
    for left in range(4):
        if left:
            with monkeypatch.context() as patch:
                patch.setattr(Record, "save", killed)
                with pytest.raises(Killed):
                    merge(tmp_path / "many")
        for part in sorted(tmp_path.glob("many/part-*"))[left:]:
            part.unlink()
        state = "interrupted" if left == 3 else "finished"
        replace(record, state=state, history=()).save(tmp_path / "many")
        done = min(40 * left, 100)
        with pytest.raises(SolstatError, match=rf"many: \w+, {done} of 100 deals .* or remove it"):
            merge(tmp_path / "many")
        assert len(list(tmp_path.glob("many/shard-*"))) == 3
        (tmp_path / "many" / "run.json").unlink()
    merge(tmp_path / "many")
    assert content(tmp_path / "many") == content(tmp_path / "one")


@pytest.mark.parametrize("damage", ["gone", "cut short", "of the round before"])
def test_older_rows_of_a_shard_are_looked_at_first(tmp_path, plan, solve, damage) -> None:
    again = tuple(Again("unsettled", budget) for budget in (100, 400))
    solve(tmp_path, replace(plan, budget=50, again=again))
    first, second = sorted(tmp_path.glob("shard-2-of-3/_attempts/*"))
    if damage == "gone":
        second.unlink()
    elif damage == "cut short":
        second.write_bytes(second.read_bytes()[:-9])
    else:
        shutil.copy(first, second)
    with pytest.raises(
        SolstatError, match=r"shard-2-of-3/_attempts(/002.parquet: damaged|: \d+ of)"
    ):
        merge(tmp_path)
    assert all(path.name.startswith("shard-") for path in tmp_path.iterdir())


def test_damage_to_any_column_is_told_first(tmp_path, plan, solve) -> None:
    solve(tmp_path, replace(plan, lines=True))
    (part,) = tmp_path.glob("shard-2-of-3/part-*")
    with pyarrow.parquet.ParquetFile(part) as file:
        where = file.metadata.row_group(0).column(file.schema_arrow.get_field_index("line"))
    content = bytearray(part.read_bytes())
    content[where.data_page_offset + where.total_compressed_size // 2] ^= 255
    part.write_bytes(content)
    assert status(open_run(part.parent)).done == 33
    with pytest.raises(SolstatError, match=f"{part.name}: damaged"):
        merge(tmp_path)
    assert all(path.name.startswith("shard-") for path in tmp_path.iterdir())


def test_run_above_is_of_another_survey(tmp_path, plan, longer, solve, inline) -> None:
    solve(tmp_path / "many", plan)
    run_survey([replace(plan, budget=200)], tmp_path / "one", executor=inline)
    shutil.copy(tmp_path / "one" / "run.json", tmp_path / "many")
    with pytest.raises(UsageError, match="holds another run than that of its shards"):
        merge(tmp_path / "many")
