"""run.json is lost or wrong: what the parts say stands, and no sound part is lost for it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.errors import SolstatError, UsageError
from solstat.survey import parts
from solstat.survey.again import plan_again
from solstat.survey.doctor import ASIDE, diagnose, mend
from solstat.survey.older import older_rows
from solstat.survey.plan import Again, Plan
from solstat.survey.reader import dictionaries, directories_under, open_run
from solstat.survey.record import FILE
from solstat.survey.run import retry_survey, run_survey
from solstat.survey.shards import Cut, shard
from solstat.survey.store import DEALS

BUDGETS = (50, 400, 3000)


@pytest.fixture
def steps(plan: Plan) -> Plan:
    return replace(
        plan, budget=BUDGETS[0], again=tuple(Again("unsettled", each) for each in BUDGETS[1:])
    )


@pytest.fixture(params=["one part", "many parts"])
def run(tmp_path: Path, steps: Plan, inline, request, monkeypatch) -> Path:
    """A finished run in steps."""
    if request.param == "many parts":
        monkeypatch.setattr(parts, "MILLION", 20)
    run_survey([steps], tmp_path / "run", executor=inline)
    return tmp_path / "run"


def halted(run: Path, plan: Plan, inline: Any, budget: int) -> Path:
    """A run that was stopped while it searched with a budget, some results stored."""
    for first in range(20):
        shutil.rmtree(run, ignore_errors=True)
        left = [first]

        def strike(chunk: Any, left: list[int] = left) -> None:
            left[0] -= chunk.budget == budget
            if left[0] < 0:
                raise KeyboardInterrupt

        try:
            run_survey([plan], run, workers=1, executor=lambda n: inline(n, before=strike))
        except KeyboardInterrupt:
            if any((run / "_retry").glob("part-*")):
                return run
    pytest.fail("never half-way")


def edited(run: Path, **changes: Any) -> None:
    said = json.loads((run / FILE).read_text()) | changes
    (run / FILE).write_text(json.dumps(said))


def older(run: Path) -> list[dict[str, Any]]:
    rows = dictionaries(older_rows(open_run(run)))
    return [{name: row[name] for name in row if name != "seconds"} for row in rows]


LOST: dict[str, Callable[[Path], None]] = {
    "gone": lambda run: (run / FILE).unlink(),
    "garbage": lambda run: (run / FILE).write_text("{") and None,
    "no budgets": lambda run: edited(run, budgets=[]),
}


class TestSteps:
    @pytest.mark.parametrize("lost", LOST)
    @pytest.mark.parametrize("how", ["the same command", "--retry"])
    def test_nothing_is_lost(
        self, run: Path, steps: Plan, inline, content, lost: str, how: str
    ) -> None:
        before, rounds = content(run), older(run)
        LOST[lost](run)
        found = mend(run)
        assert [(each.file, each.mend) for each in found.problems] == [(FILE, "write")]
        assert (found.sound, found.stored) == (True, 100)
        assert diagnose(run).problems == ()
        record = open_run(run).record
        assert (record.budgets, record.round) == (BUDGETS, 2)
        if how == "--retry":
            plan = plan_again(open_run(run), "unsettled", [9000])
            retry_survey([run], [plan], workers=1, executor=inline)
            assert open_run(run).record.budget == 9000
        else:
            run_survey([steps], run, workers=1, executor=inline)
            assert (content(run), older(run)) == (before, rounds)
            assert open_run(run).record.budget == 3000
        assert diagnose(run).problems == ()

    @pytest.mark.parametrize("lost", LOST)
    @pytest.mark.parametrize("budget", BUDGETS[1:])
    def test_half_way(
        self, tmp_path: Path, steps: Plan, inline, content, lost: str, budget: int
    ) -> None:
        run_survey([steps], tmp_path / "whole", executor=inline)
        run = halted(tmp_path / "run", steps, inline, budget)
        found = sorted((run / "_retry").glob("part-*"))
        LOST[lost](run)
        assert mend(run).sound
        assert sorted((run / "_retry").glob("part-*")) == found
        assert open_run(run).record.round == BUDGETS.index(budget) - 1
        run_survey([steps], run, workers=1, executor=inline)
        assert content(run) == content(tmp_path / "whole")
        assert older(run) == older(tmp_path / "whole")

    def test_without_older_rows_nobody_can_tell(self, run: Path) -> None:
        shutil.rmtree(run / "_attempts")
        (run / FILE).unlink()
        there = sorted(path.name for path in run.glob("part-*"))
        (problem,) = mend(run).problems
        assert (problem.file, problem.mend) == (FILE, None)
        assert sorted(path.name for path in run.glob("part-*")) == there
        assert not (run / FILE).exists()

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"budget": 7}, "says budget 7, and the parts "),
            ({"budget": 1_000_000}, "says budget 1M, and the parts "),
            (
                {"shard": {"number": 1, "of": 1, "deals": 100, "first_seed": "100"}},
                "is not of the shard that the parts are of",
            ),
            ({"deals": 60}, "plans 60 deals, and the parts 100"),
            ({"until": "zzz"}, "no rule"),
        ],
    )
    def test_what_the_parts_disprove(
        self, run: Path, steps: Plan, inline, content, changes: dict[str, Any], told: str
    ) -> None:
        def check_rule(text: str) -> None:
            raise UsageError("no rule")

        before = content(run)
        if "shard" in changes:
            changes = {"shard": changes["shard"] | {"deals_sha256": None}}
        edited(run, **changes)
        found = mend(run, check_rule)
        assert [(each.file, each.mend) for each in found.problems] == [(FILE, "write")]
        assert told in found.problems[0].problem
        assert (found.sound, found.stored) == (True, 100)
        assert diagnose(run, check_rule).problems == ()
        run_survey([steps], run, workers=1, executor=inline)
        assert content(run) == before
        assert open_run(run).record.budgets == BUDGETS


class TestNothingIsMoved:
    def test_if_no_part_is_of_the_run(self, run: Path) -> None:
        before = {path.name for path in run.iterdir()}
        said = json.loads((run / FILE).read_text())["identity"]
        edited(run, identity=said | {"first_seed": "7"})
        found = mend(run)
        assert not found.sound
        of_parts = [each for each in found.problems if each.file.startswith("part-")]
        assert {each.problem for each in of_parts} == {"a part of another run"}
        assert {each.mend for each in found.problems} == {None}
        assert {path.name for path in run.iterdir()} - {".lock"} == before - {".lock"}

    def test_on_the_word_of_a_record_that_is_made_up(self, run: Path) -> None:
        """A part that another program has changed, and no run.json to hold against it."""
        part = min(run.glob("part-*"))
        table = pq.read_table(part)
        attempt = table.schema.get_field_index("attempt")
        zeros = pa.array([0] * len(table), pa.int32())
        table = table.set_column(attempt, table.schema.field(attempt), zeros)
        pq.write_table(table, part, write_page_checksum=True)
        (run / FILE).unlink()
        (problem,) = mend(run).problems
        assert problem.mend is None
        assert part.name in problem.remedy
        assert not (run / ASIDE).exists()
        assert not (run / FILE).exists()

    @pytest.mark.parametrize("how", ["swapped", "one gone"])
    def test_if_the_copy_of_the_deals_was_altered(
        self, tmp_path: Path, file_plan: Plan, inline, content, how: str
    ) -> None:
        assert isinstance(file_plan.deals, tuple)
        for count in (10, 30):
            plan = replace(file_plan, deals=file_plan.deals[:count])
            run_survey([plan], tmp_path, executor=inline)
        before = content(tmp_path)
        copy = tmp_path / DEALS
        first, second, *lines = copy.read_text().splitlines(keepends=True)
        copy.write_text("".join([second, first, *lines] if how == "swapped" else [first, *lines]))
        found = mend(tmp_path)
        assert [(each.file, each.mend) for each in found.problems] == [(DEALS, None)]
        assert found.stored == 30
        run_survey([file_plan], tmp_path, executor=inline)
        assert content(tmp_path) == before

    @pytest.mark.parametrize("damaged", [False, True])
    def test_beside_shards(self, tmp_path: Path, steps: Plan, inline, damaged: bool) -> None:
        """A merge was stopped: it is done anew from the shards."""
        for number in (1, 2):
            run_survey([shard(steps, Cut(number, 2))], tmp_path, executor=inline)
        part = next(tmp_path.glob("shard-1-of-2/part-*"))
        shutil.copy(part, tmp_path)
        if damaged:
            (tmp_path / FILE).write_text("{")
        older = tmp_path / "shard-2-of-2" / "_attempts" / "002.parquet"
        older.write_bytes(older.read_bytes()[:-9])
        before = sorted(tmp_path.iterdir())
        (problem,) = mend(tmp_path).problems
        assert f"give solstat merge {tmp_path} again" in problem.remedy
        assert [each for each in sorted(tmp_path.iterdir()) if each.name != ".lock"] == before
        (tmp_path / FILE).unlink(missing_ok=True)
        found = {each: diagnose(each) for each in directories_under(tmp_path, parts_will_do=True)}
        assert len(found) == 3
        assert [each.file for each in found[tmp_path / "shard-2-of-2"].problems] == [
            "_attempts/002.parquet"
        ]


def say(run: Path, **changes: int) -> None:
    path = run / "_retry" / "retry.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "gone": (lambda run: (run / "_attempts/002.parquet").unlink(), "_attempts/002.parquet"),
    "truncated": (
        lambda run: os.truncate(run / "_attempts/002.parquet", 99),
        "_attempts/002.parquet",
    ),
    "overwritten": (
        lambda run: shutil.copy(run / "_attempts/001.parquet", run / "_attempts/002.parquet"),
        "_retry/retry.json",
    ),
    "no directory": (
        lambda run: (shutil.rmtree(run / "_attempts"), (run / "_attempts").touch()),
        "_attempts",
    ),
    "count": (lambda run: say(run, deals=1), "_retry/retry.json"),
    "round": (lambda run: say(run, round=9), "_attempts/009.parquet"),
    "budget": (lambda run: say(run, budget=77), "_retry/retry.json"),
}


class TestRounds:
    """What belongs to searches again."""

    @pytest.mark.parametrize("damage", DAMAGE)
    def test_what_a_run_refuses_is_named(
        self, tmp_path: Path, steps: Plan, inline, damage: str
    ) -> None:
        run = halted(tmp_path / "run", steps, inline, 3000)
        assert diagnose(run).sound
        do, file = DAMAGE[damage]
        do(run)
        with pytest.raises(SolstatError):
            run_survey([steps], run, workers=1, executor=inline)
        found = mend(run)
        assert file in [each.file for each in found.problems]
        assert not any(each.mend for each in found.problems)
        # What it says to do makes the run go on.
        for each in found.problems:
            if "move it away" in each.remedy:
                (run / each.file).rename(tmp_path / "away")
            if "remove _retry" in each.remedy:
                shutil.rmtree(run / "_retry", ignore_errors=True)
        run_survey([steps], run, workers=1, executor=inline)
        assert open_run(run).record.budget == 3000
        assert open_run(run).record.state == "finished"

    def test_results_of_another_run(
        self, tmp_path: Path, plan: Plan, steps: Plan, inline, content
    ) -> None:
        run = halted(tmp_path / "run", steps, inline, 3000)
        run_survey([steps], tmp_path / "whole", executor=inline)
        run_survey([plan], tmp_path / "other", executor=inline)
        (part,) = (run / "_retry").glob("part-*")
        shutil.copy(next((tmp_path / "other").glob("part-*")), part)
        (problem,) = mend(run).problems
        assert problem.file == f"_retry/{part.name}"
        (run / problem.file).unlink()
        run_survey([steps], run, workers=1, executor=inline)
        assert content(run) == content(tmp_path / "whole")

    @pytest.mark.parametrize("how", ["removed", "one removed", "replaced", "foreign"])
    def test_older_rows_that_are_lost(
        self, run: Path, tmp_path: Path, plan: Plan, inline, how: str
    ) -> None:
        assert diagnose(run).sound
        first, second = sorted((run / "_attempts").iterdir())
        if how == "removed":
            shutil.rmtree(run / "_attempts")
        elif how == "one removed":
            second.unlink()
        elif how == "replaced":
            shutil.copy(first, second)
        else:
            other = replace(plan, scheme="pysol")
            run_survey([other], tmp_path / "other", executor=inline)
            shutil.copy(min((tmp_path / "other").glob("part-*")), second)
        (problem,) = mend(run).problems
        assert problem.file == (f"_attempts/{second.name}" if how == "foreign" else "_attempts")
        assert "the run itself is whole" in problem.remedy
        assert problem.mend is None

    def test_more_attempts_than_rounds(self, run: Path) -> None:
        for part in run.glob("part-*"):
            table = pq.read_table(part)
            place = table.schema.get_field_index("attempt")
            sevens = pa.array([7] * len(table), pa.int32())
            table = table.set_column(place, table.schema.field(place), sevens)
            pq.write_table(table, part, write_page_checksum=True)
        found = diagnose(run).problems[0]
        assert (found.problem, found.mend) == ("attempt: not as a run writes it", "set aside")


@pytest.mark.parametrize("kind", ["directory", "loop", "nowhere"])
def test_what_is_named_as_a_part_and_is_no_file(
    tmp_path: Path, plan: Plan, inline, content, kind: str
) -> None:
    run = tmp_path / "run"
    run_survey([plan], run, executor=inline)
    before = content(run)
    (part,) = run.glob("part-*")
    part.unlink()
    if kind == "directory":
        part.mkdir()
    else:
        part.symlink_to(part.name if kind == "loop" else "nowhere")
    with pytest.raises(SolstatError):
        list(open_run(run).rows()) or run_survey([plan], run, executor=inline)
    first = mend(run).problems[0]
    assert (first.file, first.mended) == (part.name, True)
    run_survey([plan], run, executor=inline)
    assert content(run) == before


def test_where_nothing_can_be_set_aside(tmp_path: Path, plan: Plan, inline) -> None:
    run_survey([plan], tmp_path, executor=inline)
    (tmp_path / ASIDE).touch()
    next(tmp_path.glob("part-*")).write_bytes(b"")
    with pytest.raises(SolstatError, match=f"{ASIDE}: is no directory; move it away"):
        mend(tmp_path)
