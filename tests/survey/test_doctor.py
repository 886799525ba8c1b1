"""Damage is done to run directories; it is found, mended, and the run ends as it should."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.errors import SolstatError
from solstat.survey import parts
from solstat.survey.doctor import ASIDE, Diagnosis, Problem, diagnose, mend
from solstat.survey.executors import solve_chunk
from solstat.survey.parts import name
from solstat.survey.plan import Again, Chunk, Plan, Range
from solstat.survey.reader import open_run, runs_under
from solstat.survey.record import FILE, State
from solstat.survey.run import run_survey
from solstat.survey.schema import SCHEMA
from solstat.survey.shards import Cut, shard
from solstat.survey.store import DEALS, Store

RANGES = [Range(0, 30), Range(30, 60), Range(60, 100)]


def stored(directory: Path, plan: Plan, ranges: list[Range], state: State = "finished") -> Path:
    """A run whose parts are not merged."""
    with Store(directory, plan, 1) as store:
        store.start({"workers": 1}, {})
        for part in ranges:
            store.write(part, solve_chunk(store.chunk(part)))
        store.note(state)
    return directory


@pytest.fixture
def run(tmp_path: Path, plan: Plan) -> Path:
    return stored(tmp_path / "run", plan, RANGES)


def rewritten(part: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Write a part anew, as a Parquet file without a fault."""
    table = pq.read_table(part)
    pq.write_table(
        change(table).replace_schema_metadata(table.schema.metadata),
        part,
        compression="zstd",
        write_page_checksum=True,
    )


def with_value(column: str, row: int, value: object) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        values = table[column].to_pylist()
        values[row] = value
        field = table.schema.field(column)
        at = table.schema.get_field_index(column)
        return table.set_column(at, field, pa.array(values, field.type))

    return change


def problems(found: Diagnosis) -> list[tuple[str, str, str | None]]:
    return [(each.file, each.problem, each.mend) for each in found.problems]


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


class TestSound:
    def test_a_run_as_it_was_left(self, run: Path) -> None:
        before = files(run)
        found = diagnose(run)
        assert found == Diagnosis(str(run), False, 100, 100, ())
        assert found.sound
        assert mend(run) == found
        assert files(run) == before

    def test_one_that_is_not_finished(self, tmp_path: Path, plan: Plan) -> None:
        found = diagnose(stored(tmp_path / "run", plan, RANGES[1:2], "interrupted"))
        assert (found.planned, found.stored, found.problems) == (100, 30, ())

    def test_deals_of_a_file(self, tmp_path: Path, file_plan: Plan, inline) -> None:
        assert isinstance(file_plan.deals, tuple)
        for count in (10, 30):  # the first part is of fewer deals than are planned in the end
            plan = replace(file_plan, deals=file_plan.deals[:count])
            with Store(tmp_path, plan, 1) as store:
                store.start({}, {})
                part = Range(store.done, count)
                store.write(part, solve_chunk(store.chunk(part)))
                store.note("finished")
        assert diagnose(tmp_path) == Diagnosis(str(tmp_path), False, 30, 30, ())

    def test_errors_and_lines_are_rows_too(self, tmp_path: Path, plan: Plan) -> None:
        with Store(tmp_path, replace(plan, lines=True), 1) as store:
            store.start({}, {})
            store.write_failed(Range(0, 2), "crash:SIGSEGV")
            part = Range(2, 100)
            store.write(part, solve_chunk(store.chunk(part)))
            store.finish()
        assert diagnose(tmp_path).problems == ()

    def test_while_it_is_written(self, run: Path, plan: Plan, monkeypatch) -> None:
        """What is half written then is the writer's, who must not be disturbed."""
        (run / ".part-000000000-000000030.parquet.partial").write_bytes(b"PAR1")
        monkeypatch.setattr("solstat.survey.doctor.being_written", lambda _: True)
        found = diagnose(run)
        assert (found.at_work, found.problems) == (True, ())


def test_what_is_half_written_is_removed(run: Path) -> None:
    names = [".deals.txt.tmp", ".part-000000100-000000130.parquet.partial", ".run.json.tmp"]
    for each in names:
        (run / each).write_bytes(b"PAR1")
    (run / ".hidden").touch()
    wanted = [(each, "half written", "remove") for each in names]
    assert problems(diagnose(run)) == wanted
    found = mend(run)
    assert found.sound
    assert problems(found) == wanted
    assert {each.remedy for each in found.problems} == {"removed"}
    assert diagnose(run).problems == ()
    assert (run / ".hidden").exists()


def cut_short(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-10])


def with_a_bit_turned(part: Path) -> None:
    column = pq.read_metadata(part).row_group(0).column(SCHEMA.names.index("outcome"))
    content = bytearray(part.read_bytes())
    content[column.data_page_offset + column.total_compressed_size // 2] ^= 1
    part.write_bytes(content)


def of_another_schema(part: Path) -> None:
    rewritten(part, lambda table: table.drop_columns(["attempt"]))


def of_other_deals(part: Path) -> None:
    rewritten(part, with_value("index", 3, 77))


DAMAGE = {
    "damaged": (with_a_bit_turned, "damaged ("),
    "cut short": (cut_short, "cut short or no Parquet file"),
    "empty": (lambda part: part.write_bytes(b""), "cut short or no Parquet file"),
    "schema": (of_another_schema, "its columns are not those of schema 1"),
    "place": (of_other_deals, "holds other deals than its name says"),
    **{
        f"{column} {value}": (
            lambda part, column=column, value=value: rewritten(part, with_value(column, 3, value)),
            message,
        )
        for column, value, message in [
            ("game", "scorpion", "a game is not wasp"),
            ("rules", None, "a rules is not wasp"),
            ("scheme", "pysol", "a scheme is not solstat"),
            ("search", "plain", "a search is not full"),
            ("budget", 301, "budget: not as a run writes it"),
            ("index", 4, "an index is not that of its place"),
            ("seed", "7", "a seed is not that of its index"),
            ("seed", None, "a seed is not that of its index"),
            ("outcome", "win", "an outcome is unknown"),
            ("outcome", None, "an outcome is unknown"),
            ("outcome", "error", "reason, stage, positions, "),
            ("reason", "timeout", "reason: not as"),
            ("stage", "beam", "stage: not as"),
            ("positions", 301, "positions: not as"),
            ("positions", 0, "positions: not as"),
            ("positions", None, "positions: not as"),
            ("attempt", 0, "attempt: not as"),
            ("attempt", None, "attempt: not as"),
            ("seconds", -1.0, "seconds: not as"),
            ("seconds", float("nan"), "seconds: not as"),
        ]
    },
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_part_is_set_aside_and_solved_again(
    run: Path, plan: Plan, inline, content, damage: str
) -> None:
    before = content(run)
    part = name(RANGES[0])
    do, message = DAMAGE[damage]
    do(run / part)
    damaged = (run / part).read_bytes()
    found = diagnose(run)
    (first, second) = found.problems
    assert (first.file, first.mend) == (part, "set aside")
    assert message in first.problem
    assert str(run) not in first.problem
    assert second == Problem(
        FILE,
        "says finished, and 30 of 100 deals are not there (by index 0-30)",
        "the command that made the run solves them",
    )
    mended = mend(run)
    assert [each.mended for each in mended.problems] == [True, False]
    assert not mended.sound
    assert (run / ASIDE / f"{part}.1").read_bytes() == damaged
    run_survey([plan], run, workers=1, executor=inline)
    assert content(run) == before
    assert diagnose(run).problems == ()


@pytest.mark.parametrize("outcome", ["won", "lost", "unsettled"])
@pytest.mark.parametrize("other", ["won", "lost", "unsettled"])
def test_no_outcome_can_be_made_another_unnoticed(
    run: Path, content, outcome: str, other: str
) -> None:
    """Moves, reason and positions tell."""
    row = next(each for each in content(run)[:30] if each["outcome"] == outcome)
    rewritten(run / name(RANGES[0]), with_value("outcome", row["index"], other))
    assert bool(diagnose(run).problems) == (outcome != other)


class TestParts:
    def test_names_that_no_run_writes(self, run: Path) -> None:
        names = [
            "part-000000030-000000030.parquet",
            "part-0000000000-000000030.parquet",
            "part-1.parquet",
        ]
        for each in names:
            (run / each).write_bytes(b"PAR1")
        assert problems(diagnose(run)) == [
            (each, "no run writes a part of that name", "set aside") for each in sorted(names)
        ]
        assert mend(run).sound
        assert sorted(each.name for each in (run / ASIDE).iterdir()) == sorted(
            f"{each}.1" for each in names
        )

    def test_of_another_run(self, run: Path, tmp_path: Path, plan: Plan) -> None:
        other = stored(tmp_path / "other", replace(plan, budget=200), RANGES[:1])
        (run / name(RANGES[0])).write_bytes((other / name(RANGES[0])).read_bytes())
        first, _ = problems(diagnose(run))
        assert first == (name(RANGES[0]), "a part of another run", "set aside")

    def test_within_another_are_removed(self, run: Path, plan: Plan, tmp_path: Path) -> None:
        whole = stored(tmp_path / "whole", plan, [Range(0, 60)], "interrupted")
        (whole / name(Range(0, 60))).rename(run / name(Range(0, 60)))
        assert problems(diagnose(run)) == [
            (name(part), f"its deals are also in {name(Range(0, 60))}", "remove")
            for part in RANGES[:2]
        ]
        found = mend(run)
        assert (found.sound, found.stored) == (True, 100)
        assert not (run / name(RANGES[0])).exists()

    def test_within_a_damaged_one_stay(
        self, run: Path, plan: Plan, tmp_path: Path, content
    ) -> None:
        before = content(run)
        whole = stored(tmp_path / "whole", plan, [Range(0, 60)], "interrupted")
        cut_short(whole / name(Range(0, 60)))
        (whole / name(Range(0, 60))).rename(run / name(Range(0, 60)))
        found = mend(run)
        assert [each.file for each in found.problems] == [name(Range(0, 60))]
        assert found.sound
        assert content(run) == before

    def test_that_share_deals(self, run: Path, plan: Plan, tmp_path: Path) -> None:
        other = stored(tmp_path / "other", plan, [Range(50, 70)], "interrupted")
        (other / name(Range(50, 70))).rename(run / name(Range(50, 70)))
        with pytest.raises(SolstatError, match="share deals"):
            list(open_run(run).rows())
        found = mend(run)
        assert problems(found) == [
            (name(Range(50, 70)), f"it shares deals with {name(RANGES[2])}", "set aside")
        ]
        assert found.sound
        assert len(list(open_run(run).rows())) == 100

    def test_twice_set_aside_are_both_kept(self, run: Path, plan: Plan, inline) -> None:
        for number in (1, 2):
            (run / name(RANGES[0])).write_bytes(bytes([number]))
            mend(run)
        kept = {path.name: path.read_bytes() for path in (run / ASIDE).iterdir()}
        assert kept == {f"{name(RANGES[0])}.1": b"\1", f"{name(RANGES[0])}.2": b"\2"}

    def test_what_is_set_aside_is_no_run(self, run: Path) -> None:
        (run / ASIDE).mkdir()
        (run / ASIDE / FILE).write_bytes((run / FILE).read_bytes())
        assert [each.path for each in runs_under(run)] == [run]

    def test_many_gaps(self, tmp_path: Path, plan: Plan) -> None:
        every_second = [Range(first, first + 5) for first in range(5, 100, 10)]
        found = diagnose(stored(tmp_path / "run", plan, every_second))
        assert found.problems[0].problem == (
            "says finished, and 50 of 100 deals are not there (by index 0-5, 10-15, 20-25, ...)"
        )


class TestRecord:
    @pytest.mark.parametrize("how", ["gone", "cut", "list", "budget"])
    def test_is_written_as_the_parts_say(self, run: Path, plan: Plan, inline, content, how) -> None:
        before = content(run)
        text = (run / FILE).read_text()
        if how == "gone":
            (run / FILE).unlink()
        else:
            damaged = {"cut": text[:99], "list": "[]", "budget": text.replace("300", "-1")}[how]
            (run / FILE).write_text(damaged)
        (problem,) = diagnose(run).problems
        assert (problem.file, problem.mend) == (FILE, "write")
        assert mend(run).sound
        record = open_run(run).record
        assert (record.deals, record.budget, record.state) == (100, 300, "interrupted")
        run_survey([plan], run, workers=1, executor=inline)
        assert content(run) == before
        assert open_run(run).record.state == "finished"
        assert ((run / ASIDE / f"{FILE}.1").exists()) == (how != "gone")

    def test_that_was_put_back(self, run: Path, plan: Plan, longer, inline, content) -> None:
        old = (run / FILE).read_bytes()
        run_survey([longer(plan, 150)], run, workers=1, executor=inline)
        before = content(run)
        (run / FILE).write_bytes(old)
        found = mend(run)
        assert problems(found) == [(FILE, "plans 100 deals, and the parts 150", "write")]
        assert (found.sound, found.planned) == (True, 150)
        assert content(run) == before

    def test_of_a_shard(self, tmp_path: Path, plan: Plan, inline) -> None:
        run_survey([shard(plan, Cut(2, 3))], tmp_path, executor=inline)
        (run,) = tmp_path.iterdir()
        before = open_run(run).record.shard
        (run / FILE).unlink()
        assert mend(run).sound
        assert open_run(run).record.shard == before

    def test_of_deals_that_were_searched_again(
        self, tmp_path: Path, plan: Plan, inline, content, monkeypatch
    ) -> None:
        """Then parts may be of several budgets, and at the least of them all is known."""
        monkeypatch.setattr(parts, "MILLION", 10)
        steps = replace(plan, budget=200, again=(Again("unsettled", 300),))
        run_survey([steps], tmp_path, executor=inline)
        assert diagnose(tmp_path).sound
        before = content(tmp_path)
        (tmp_path / FILE).unlink()
        assert mend(tmp_path).sound
        assert open_run(tmp_path).record.budgets == (200, 300)
        assert diagnose(tmp_path).sound
        run_survey([steps], tmp_path, executor=inline)
        assert content(tmp_path) == before
        assert open_run(tmp_path).record.budget == 300

    @pytest.mark.parametrize("damaged", [None, "{", "[]"])
    def test_without_parts_nobody_knows(self, tmp_path: Path, damaged: str | None) -> None:
        (tmp_path / "part-1.parquet").touch()
        if damaged:
            (tmp_path / FILE).write_text(damaged)
        found = mend(tmp_path)
        assert (found.planned, found.sound) == (None, False)
        assert found.problems[0].remedy.startswith("nothing here says what run this is")

    def test_parts_that_do_not_agree(self, run: Path, tmp_path: Path, plan: Plan) -> None:
        other = stored(tmp_path / "other", replace(plan, budget=200), RANGES[:1])
        (run / name(RANGES[0])).write_bytes((other / name(RANGES[0])).read_bytes())
        (run / FILE).unlink()
        before = files(run)
        (problem,) = mend(run).problems
        assert problem.mend is None
        assert files(run) | {".lock": b""} == before | {".lock": b""}

    def test_of_another_version_is_left_alone(self, run: Path) -> None:
        (run / FILE).write_text((run / FILE).read_text().replace('"version": 1', '"version": 2'))
        before = files(run)
        (problem,) = mend(run).problems
        assert problem == Problem(
            FILE, "version 2, this solstat reads 1", "use the solstat that made the run"
        )
        assert files(run) == before


@pytest.mark.parametrize("how", ["gone", "turned", "no deals"])
def test_the_copy_of_a_deal_file(
    tmp_path: Path, file_plan: Plan, inline, content, how: str
) -> None:
    run_survey([file_plan], tmp_path, workers=1, executor=inline)
    before = content(tmp_path)
    copy = tmp_path / DEALS
    lines = copy.read_text().splitlines(keepends=True)
    if how == "gone":
        copy.unlink()
    else:
        copy.write_text({"turned": "".join(reversed(lines)), "no deals": "7: AS"}[how])
    found = mend(tmp_path)
    assert not found.sound
    assert (DEALS, "gone, damaged or not the deals of the run", None) in problems(found)
    run_survey([file_plan], tmp_path, workers=1, executor=inline)
    assert content(tmp_path) == before


def test_deals_that_are_being_searched_again(run: Path, plan: Plan, inline) -> None:
    """What is damaged of that is named; the rows of the run are not concerned."""
    steps = replace(plan, again=(Again("unsettled", 3000),))

    def interrupt(chunk: Chunk) -> None:
        if chunk.budget == 3000 and chunk.range.first:
            raise KeyboardInterrupt

    def dying(count: int) -> object:
        return inline(count, before=interrupt)

    with pytest.raises(KeyboardInterrupt):
        run_survey([steps], run, workers=1, executor=dying)
    assert diagnose(run).sound
    (found,) = (run / "_retry").glob("part-*")
    (older,) = (run / "_attempts").iterdir()
    said = run / "_retry" / "retry.json"
    for path in (said, found, older):
        whole = path.read_bytes()
        path.write_bytes(whole[:-9])
        told = diagnose(run)
        assert [each.file for each in told.problems] == [str(path.relative_to(run))]
        assert all(each.remedy and each.mend is None for each in told.problems)
        assert told.stored == 100
        path.write_bytes(whole)
    assert diagnose(run).sound


def test_nobody_mends_what_is_being_written(run: Path, plan: Plan) -> None:
    program = f"""
from pathlib import Path
from solstat.survey.doctor import diagnose, mend
assert diagnose(Path({str(run)!r})).at_work
mend(Path({str(run)!r}))
"""
    with Store(run, plan, 1):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd="/"
        )
    assert done.stderr.endswith("another process is at work on this run; wait for it, or stop it\n")


def test_a_directory_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SolstatError, match="cannot read .*No such file"):
        diagnose(tmp_path / "none")
    with pytest.raises(SolstatError, match="cannot mend .*No such file"):
        mend(tmp_path / "none")
