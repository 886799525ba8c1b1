from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solstat.deals import read_deals
from solstat.errors import SolstatError, UsageError
from solstat.survey import lock, parts, rows
from solstat.survey.executors import solve_chunk
from solstat.survey.lock import LOCK, being_written
from solstat.survey.parts import name
from solstat.survey.plan import Plan, Range
from solstat.survey.store import DEALS, Store


@contextmanager
def opened(directory: Path, plan: Plan) -> Iterator[Store]:
    with Store(directory, plan, 1) as found:
        found.start({"workers": 1}, {})
        yield found


def solve(into: Store, first: int, last: int) -> None:
    into.write(Range(first, last), solve_chunk(into.chunk(Range(first, last))))


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("part-*"))


class TestStore:
    def test_what_is_written_is_no_longer_to_do(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path / "a" / "b", plan) as run:
            assert run.todo == [(0, 100)]
            solve(run, 20, 30)
            assert (run.todo, run.done) == ([(0, 20), (30, 100)], 10)
        with Store(tmp_path / "a" / "b", plan, 1) as run:
            assert (run.todo, run.done) == ([(0, 20), (30, 100)], 10)

    def test_a_finished_run_is_one_part(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            for first in (50, 0, 75, 25):
                solve(run, first, first + 25)
            assert not run.finished
            run.finish()
            assert run.finished
        assert files(tmp_path) == [name(Range(0, 100))]
        content = json.loads((tmp_path / "run.json").read_text())
        assert content["state"] == "finished"
        assert [entry["workers"] for entry in content["history"]] == [1]
        assert content["history"][0]["seconds"] > 0

    def test_many_small_parts_are_merged_as_they_come(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            for first in range(parts.FAN + 3):
                solve(run, first, first + 1)
            assert len(files(tmp_path)) == 4
            assert run.todo == [(parts.FAN + 3, 100)]

    def test_what_a_killed_writer_left_is_cleared_away(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            solve(run, 0, 10)
            solve(run, 0, 5)  # as if a merge into 0-10 had been killed before it removed this
            (tmp_path / f".{name(Range(10, 20))}.partial").write_text("half")
        with opened(tmp_path, plan) as run:
            assert run.todo == [(10, 100)]
        assert files(tmp_path) == [name(Range(0, 10))]
        assert not list(tmp_path.glob(".part*"))

    def test_the_deals_of_a_file_are_kept(self, tmp_path: Path, file_plan: Plan) -> None:
        assert isinstance(file_plan.deals, tuple)
        with opened(tmp_path, replace(file_plan, deals=file_plan.deals[:10])) as run:
            solve(run, 5, 10)
        with opened(tmp_path, file_plan) as run:
            assert run.todo == [(0, 5), (10, 30)]
        assert read_deals(tmp_path / DEALS) == list(file_plan.deals)

    def test_a_chunk_has_what_a_worker_needs(
        self, tmp_path: Path, plan: Plan, file_plan: Plan
    ) -> None:
        with Store(tmp_path / "seeds", replace(plan, lines=False), 1) as run:
            chunk = run.chunk(Range(3, 7))
            assert (chunk.first_seed, chunk.cards, chunk.lines) == ("100", None, False)
        with Store(tmp_path / "file", file_plan, 1) as run:
            chunk = run.chunk(Range(3, 7))
            assert chunk.first_seed is None
            assert chunk.cards is not None
            assert file_plan.cards is not None
            assert np.array_equal(chunk.cards, file_plan.cards[3:7])

    def test_failed_deals_are_done(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            run.write_failed(Range(0, 1), "crash:SIGSEGV")
            assert run.todo == [(1, 100)]

    def test_nothing_is_noted_of_a_run_that_did_not_start(self, tmp_path: Path, plan: Plan) -> None:
        with Store(tmp_path, plan, 1) as run:
            run.note("failed")
        assert not (tmp_path / "run.json").exists()


class TestPlace:
    @pytest.mark.parametrize("replaced", [True, False])
    def test_a_directory_that_is_replaced_takes_nothing_more(
        self, tmp_path: Path, plan: Plan, replaced: bool
    ) -> None:
        with opened(tmp_path / "run", plan) as run:
            solve(run, 0, 5)
            (tmp_path / "run").rename(tmp_path / "moved")
            if replaced:
                (tmp_path / "run").mkdir()
                (tmp_path / "run" / LOCK).touch()
            for write in (lambda: solve(run, 5, 10), lambda: run.note("failed")):
                with pytest.raises(SolstatError, match="cannot write to .*: .*moved away or repl"):
                    write()
        assert files(tmp_path / "moved") == [name(Range(0, 5))]
        if replaced:
            assert [path.name for path in (tmp_path / "run").iterdir()] == [LOCK]

    def test_other_files_are_left_alone(self, tmp_path: Path, file_plan: Plan) -> None:
        (tmp_path / DEALS).write_text("mine")
        with pytest.raises(UsageError, match="holds other files, such as deals.txt: name a new"):
            Store(tmp_path, file_plan, 1)
        assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]

    def test_what_an_earlier_attempt_left_is_no_other_file(
        self, tmp_path: Path, file_plan: Plan
    ) -> None:
        with opened(tmp_path, file_plan):
            (tmp_path / "run.json").unlink()
        assert {path.name for path in tmp_path.iterdir()} == {LOCK, DEALS}
        with Store(tmp_path, file_plan, 1):
            pass


class TestRefusals:
    def test_another_run(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan):
            pass
        with pytest.raises(UsageError) as refused:
            Store(tmp_path, replace(plan, budget=7), 1)
        assert str(refused.value).startswith(f"{tmp_path} holds another run: its budget is 300")
        with opened(tmp_path, plan):  # and the lock was given back
            pass

    def test_a_run_without_its_record(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            solve(run, 0, 5)
        (tmp_path / "run.json").unlink()
        with pytest.raises(SolstatError, match=r"has parts of a run, but no run.json"):
            Store(tmp_path, plan, 1)

    def test_a_part_beyond_the_run(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan):
            pass
        (tmp_path / name(Range(90, 101))).touch()
        with pytest.raises(SolstatError, match="beyond the 100 deals of the run"):
            Store(tmp_path, plan, 1)

    @pytest.mark.parametrize("damage", ["garbage", "half", "flipped", "of another run"])
    def test_a_part_that_others_are_within_is_checked_first(
        self, tmp_path: Path, plan: Plan, damage: str
    ) -> None:
        small = [Range(0, 5), Range(5, 10)]
        other = tmp_path / "other"
        with opened(other, replace(plan, budget=7) if damage == "of another run" else plan) as run:
            solve(run, 0, 20)
        with opened(tmp_path / "run", plan) as run:
            for part in small:
                solve(run, *part)
        large = tmp_path / "run" / name(Range(0, 20))
        whole = (other / large.name).read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 3] ^= 0xFF
        content = {"garbage": b"no part", "half": whole[: len(whole) // 2], "flipped": flipped}
        large.write_bytes(content.get(damage, whole))
        before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
        with (
            Store(tmp_path / "run", plan, 1) as run,
            pytest.raises(SolstatError, match=f"{large.name}: ") as refused,
        ):
            run.start({}, {})
        assert "\n" not in str(refused.value)
        assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
        shutil.copy(other / large.name, large) if damage != "of another run" else large.unlink()
        with opened(tmp_path / "run", plan):
            pass
        assert files(tmp_path / "run") == (
            list(map(name, small)) if damage == "of another run" else [large.name]
        )

    def test_a_file_in_the_place_of_the_directory(self, tmp_path: Path, plan: Plan) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(SolstatError, match="cannot write to .*: File exists"):
            Store(tmp_path / "file", plan, 1)

    def test_a_damaged_part_stops_a_merge(self, tmp_path: Path, plan: Plan) -> None:
        with opened(tmp_path, plan) as run:
            solve(run, 0, 5)
            solve(run, 5, 100)
            (tmp_path / name(Range(0, 5))).write_text("PAR1 no more")
            with pytest.raises(SolstatError, match="cut short"):
                run.finish()
        assert files(tmp_path) == [name(Range(0, 5)), name(Range(5, 100))]


HOLD = """
import sys
from pathlib import Path
from solstat.deals import SeedRange
from solstat.games import rules
from solstat.survey.plan import Plan
from solstat.survey.store import Store

with Store(Path(sys.argv[1]), Plan(rules("wasp"), SeedRange(100, 200), 300, "solstat"), 1):
    print("locked", flush=True)
    sys.stdin.read()
"""


class TestLock:
    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        """Another process that holds the run in `tmp_path`."""
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            yield process
            process.kill()

    def test_a_second_writer_is_refused(self, tmp_path, plan, other, monkeypatch) -> None:
        monkeypatch.setattr(lock, "LOCK_SECONDS", 0.1)
        with pytest.raises(SolstatError, match="another process is at work on this run"):
            Store(tmp_path, plan, 1)
        assert being_written(tmp_path)

    def test_a_writer_that_was_killed_holds_nothing(self, tmp_path, plan, other) -> None:
        other.kill()
        other.wait()
        assert not being_written(tmp_path)
        with Store(tmp_path, plan, 1):
            pass

    def test_a_child_has_no_part_in_it(self, tmp_path: Path, plan: Plan) -> None:
        with Store(tmp_path, plan, 1):
            if (child := os.fork()) == 0:
                os._exit(0 if being_written(tmp_path) else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not being_written(tmp_path)

    def test_nobody_is_at_work_where_there_is_no_lock(self, tmp_path: Path) -> None:
        assert not being_written(tmp_path)
        assert not (tmp_path / LOCK).exists()


def test_a_disk_that_is_full_is_one_line(tmp_path: Path, plan: Plan, monkeypatch) -> None:
    with opened(tmp_path, plan) as run:
        solve(run, 0, 5)

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(rows.os, "fsync", full)
        with pytest.raises(SolstatError, match="No space left on device"):
            solve(run, 5, 10)
        monkeypatch.undo()
        assert run.todo == [(5, 100)]
    assert files(tmp_path) == [name(Range(0, 5))]
