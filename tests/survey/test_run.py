from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from solstat.deals import SeedRange
from solstat.errors import Interrupted, SolstatError, UsageError
from solstat.games import rules
from solstat.solver import Batch
from solstat.survey.directories import directory_name
from solstat.survey.executors import Processes, Pulse, solve_chunk
from solstat.survey.lock import LOCK
from solstat.survey.parts import name
from solstat.survey.plan import Chunk, Plan, Range
from solstat.survey.reader import counts, open_run
from solstat.survey.run import default_workers, run_survey
from solstat.survey.status import status
from solstat.survey.store import Store


def parts_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("part-*"))


def state_of(directory: Path) -> str:
    return open_run(directory).record.state


class TestResults:
    def test_do_not_depend_on_workers_or_executor(self, tmp_path, plan, inline, content) -> None:
        run_survey([plan], tmp_path / "inline", workers=3, executor=inline)
        for workers in (1, 2):
            run_survey([plan], tmp_path / str(workers), workers=workers)
            assert content(tmp_path / str(workers)) == content(tmp_path / "inline")

    def test_lines_are_kept_if_asked_for(self, tmp_path, plan, inline, content) -> None:
        run_survey([replace(plan, lines=True)], tmp_path / "with", executor=inline)
        run_survey([replace(plan, lines=False)], tmp_path / "without", executor=inline)
        for row in content(tmp_path / "with"):
            assert (row["line"] is not None) == (row["outcome"] == "won")
            assert row["moves"] == (len(row["line"].split()) if row["line"] else None)
        without = content(tmp_path / "without")
        assert [row | {"line": None} for row in content(tmp_path / "with")] == without

    def test_deals_of_a_file(self, tmp_path, file_plan, content) -> None:
        run_survey([file_plan], tmp_path, workers=2)
        found = content(tmp_path)
        assert [row["seed"] for row in found] == [deal.id for deal in file_plan.deals]
        assert {row["scheme"] for row in found} == {"file"}

    def test_several_rules_make_several_runs(self, tmp_path, plan, content) -> None:
        other = replace(plan, rules=rules("wasp", face_down_piles=3))
        directories = run_survey([plan, other], tmp_path, workers=2)
        assert directories == [tmp_path / "wasp", tmp_path / "wasp-face_down_piles-3"]
        for directory, each in zip(directories, (plan, other), strict=True):
            run_survey([each], tmp_path / "alone" / directory.name, workers=1)
            assert content(directory) == content(tmp_path / "alone" / directory.name)

    def test_no_more_workers_than_deals(self, tmp_path, plan, inline) -> None:
        made = []
        run_survey(
            [replace(plan, deals=SeedRange(0, 3))],
            tmp_path,
            workers=100,
            executor=lambda workers: made.append(inline(workers)) or made[-1],
        )
        assert made[0].workers == 3
        assert made[0].closed

    def test_as_many_workers_as_there_are_cpus_for_us(self) -> None:
        assert default_workers() == len(os.sched_getaffinity(0))


class TestAgain:
    """The same call once more."""

    def test_a_finished_run_is_left_as_it_is(self, tmp_path, plan, inline) -> None:
        run_survey([plan], tmp_path, executor=inline)
        before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        run_survey([plan], tmp_path, executor=lambda _: pytest.fail("no workers are needed"))
        del before[tmp_path / LOCK]
        assert {path: path.stat().st_mtime_ns for path in before} == before

    def test_rows_that_are_gone_are_solved_again(self, tmp_path, plan, inline, content) -> None:
        run_survey([plan], tmp_path, executor=inline)
        before = content(tmp_path)
        (tmp_path / name(Range(0, 100))).unlink()
        run_survey([plan], tmp_path, executor=inline)
        assert content(tmp_path) == before

    def test_what_is_there_is_told(self, tmp_path, plan, longer, inline, caplog) -> None:
        caplog.set_level(logging.INFO, "solstat")
        told = []
        for count in (60, 60, 100):
            caplog.clear()
            run_survey([longer(plan, count)], tmp_path, executor=inline)
            told.append(caplog.messages[0])
        assert told[0].startswith("wasp: 60 of 60 deals (")
        assert told[1:] == [
            "wasp: all 60 deals were there already",
            "wasp: going on: 60 of 100 deals are there",
        ]

    def test_the_rate_that_is_told_is_that_of_status(
        self, tmp_path, plan, inline, caplog, monkeypatch
    ) -> None:
        caplog.set_level(logging.INFO, "solstat")
        finish = Store.finish
        monkeypatch.setattr(Store, "finish", lambda self: (time.sleep(0.5), finish(self)))
        run_survey([plan], tmp_path, executor=inline)
        rate = float(caplog.messages[-1].rpartition(", ")[2].removesuffix("/s").replace(",", ""))
        assert status(open_run(tmp_path)).rate == pytest.approx(rate, rel=0.1)

    def test_a_longer_plan_extends(self, tmp_path, plan, longer, inline, content) -> None:
        run_survey([longer(plan, 60)], tmp_path / "a", executor=inline)
        pools = []
        run_survey([plan], tmp_path / "a", executor=lambda n: pools.append(inline(n)) or pools[-1])
        assert next(chunk.range.first for chunk in pools[0].seen) == 60
        run_survey([plan], tmp_path / "b", executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")
        assert parts_in(tmp_path / "a") == [name(Range(0, 100))]
        history = open_run(tmp_path / "a").record.history
        assert [entry["stored_before"] for entry in history] == [0, 60]

    def test_a_longer_file_extends(self, tmp_path, file_plan, inline, content) -> None:
        run_survey([replace(file_plan, deals=file_plan.deals[:7])], tmp_path / "a", executor=inline)
        run_survey([file_plan], tmp_path / "a", executor=inline)
        run_survey([file_plan], tmp_path / "b", executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")

    def test_a_run_killed_before_it_was_compacted_is_compacted(self, tmp_path, plan, inline):
        run_survey([plan], tmp_path, executor=inline)
        record = open_run(tmp_path).record
        replace(record, state="running").save(tmp_path)
        run_survey([plan], tmp_path, executor=lambda _: pytest.fail("no workers are needed"))
        assert state_of(tmp_path) == "finished"


class TestRefused:
    def test_another_run_in_the_directory(self, tmp_path, plan, inline) -> None:
        run_survey([plan], tmp_path, executor=inline)
        with pytest.raises(UsageError, match="its budget is 300, not 7"):
            run_survey([replace(plan, budget=7)], tmp_path, executor=inline)

    def test_one_run_where_several_are_and_the_other_way(self, tmp_path, plan, inline) -> None:
        other = replace(plan, rules=rules("scorpion"))
        run_survey([plan], tmp_path / "one", executor=inline)
        with pytest.raises(UsageError, match="is the directory of one run"):
            run_survey([plan, other], tmp_path / "one", executor=inline)
        run_survey([plan, other], tmp_path / "two", executor=inline)
        with pytest.raises(UsageError, match="holds runs of several rules"):
            run_survey([plan], tmp_path / "two", executor=inline)

    def test_one_run_that_is_apart_and_one_that_is_not(self, tmp_path, plan, inline) -> None:
        assert run_survey([plan], tmp_path, apart=True, executor=inline) == [tmp_path / "wasp"]
        with pytest.raises(UsageError, match="holds runs of several rules"):
            run_survey([plan], tmp_path, executor=inline)
        other = replace(plan, rules=rules("scorpion"))
        run_survey([plan, other], tmp_path, apart=True, executor=inline)
        run_survey([plan], tmp_path / "one", executor=inline)
        with pytest.raises(UsageError, match="each run has one of its own under it"):
            run_survey([plan], tmp_path / "one", apart=True, executor=inline)

    def test_all_is_checked_before_anything_is_solved(self, tmp_path, plan, inline) -> None:
        other = replace(plan, rules=rules("scorpion"))
        run_survey([replace(other, budget=7)], tmp_path / "scorpion", executor=inline)
        with pytest.raises(UsageError, match=r"scorpion holds another run"):
            run_survey([plan, other], tmp_path, executor=inline)
        assert parts_in(tmp_path / "wasp") == []

    @pytest.mark.parametrize("damage", ["cut short", "foreign"])
    def test_a_part_that_is_no_part_of_it(self, tmp_path, plan, longer, inline, damage) -> None:
        run_survey([longer(plan, 50)], tmp_path / "a", executor=inline)
        part = tmp_path / "a" / name(Range(0, 50))
        if damage == "foreign":
            run_survey([longer(replace(plan, budget=7), 50)], tmp_path / "b", executor=inline)
            part.write_bytes((tmp_path / "b" / part.name).read_bytes())
        else:
            part.write_bytes(part.read_bytes()[:-100])
        message = {"foreign": "a part of another run", "cut short": "cut short"}[damage]
        with pytest.raises(SolstatError, match=message) as refused:
            run_survey([plan], tmp_path / "a", executor=inline)
        assert str(part) in str(refused.value)
        assert state_of(tmp_path / "a") == "finished"  # nothing is touched

    def test_a_directory_that_is_not_named_in_utf_8(self, tmp_path, plan, inline) -> None:
        with pytest.raises(UsageError, match=r"its name is not UTF-8"):
            run_survey([plan], os.fsdecode(bytes(tmp_path) + b"/\xff"), executor=inline)
        assert list(tmp_path.iterdir()) == []


class Transient:
    """Says of a chunk that the worker dies over it, the first `times` times."""

    def __init__(self, times: int) -> None:
        self._left = times

    def __call__(self, chunk: Chunk) -> str | None:
        self._left -= 1
        return "SIGKILL" if self._left >= 0 else None


def over(index: int) -> Callable[[Chunk], str | None]:
    """The worker dies over every chunk that has the deal."""
    return lambda chunk: "SIGSEGV" if chunk.range.first <= index < chunk.range.last else None


class TestDeaths:
    @pytest.fixture
    def sound(self, tmp_path, plan, inline, content):
        run_survey([plan], tmp_path / "sound", executor=inline)
        return content(tmp_path / "sound")

    @pytest.mark.parametrize("times", [1, 2, 7])
    def test_that_pass_leave_no_trace(self, tmp_path, plan, inline, content, sound, times) -> None:
        executor = partial(inline, dies=Transient(times))
        run_survey([plan], tmp_path / "a", workers=1, executor=executor)
        assert content(tmp_path / "a") == sound

    @pytest.mark.parametrize("index", [0, 7, 99])
    def test_over_one_deal_make_an_error_of_it_alone(
        self, tmp_path, plan, inline, content, sound, index
    ) -> None:
        pools = []

        def executor(workers: int):
            pools.append(inline(workers, dies=over(index)))
            return pools[-1]

        run_survey([plan], tmp_path / "a", workers=1, executor=executor)
        found = content(tmp_path / "a")
        row = found[index]
        assert (row["outcome"], row["reason"]) == ("error", "crash:SIGSEGV")
        assert found[:index] + found[index + 1 :] == sound[:index] + sound[index + 1 :]
        tried = [c for c in pools[0].seen if c.range.first <= index < c.range.last]
        alone = [chunk for chunk in tried if chunk.size == 1]
        assert len(alone) == 3
        whole = [chunk for chunk in tried if chunk.range == tried[0].range]
        assert len(whole) == 2
        assert counts(open_run(tmp_path / "a")).error == 1

    def test_an_error_is_not_tried_again_by_itself(self, tmp_path, plan, inline) -> None:
        run_survey([plan], tmp_path, executor=partial(inline, dies=over(3)))
        run_survey([plan], tmp_path, executor=lambda _: pytest.fail("no workers are needed"))
        assert counts(open_run(tmp_path)).error == 1


class Signalled:
    """Sends this process a signal before each of some chunks is solved."""

    def __init__(self, number: signal.Signals, *at: int) -> None:
        self._number = number
        self._at = at
        self._chunks = 0

    def __call__(self, chunk: Chunk) -> None:
        self._chunks += 1
        if self._chunks in self._at:
            os.kill(os.getpid(), self._number)


class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_once_what_is_in_flight_is_stored(
        self, tmp_path, plan, inline, content, number
    ) -> None:
        pools = []

        def executor(workers: int):
            pools.append(inline(workers, before=Signalled(number, 2)))
            return pools[-1]

        before = signal.getsignal(number)
        with pytest.raises(Interrupted) as stopped:
            run_survey(
                [plan],
                tmp_path / "a",
                workers=1,
                command=["solstat", "run", "my survey.toml"],
                executor=executor,
            )
        assert signal.getsignal(number) is before
        done = [chunk.range for chunk in pools[0].seen]
        assert len(done) == 3  # with the two that were in flight
        stored = sum(each.size for each in done)
        assert str(stopped.value) == (
            f"interrupted, {stored} of 100 deals are stored; to go on: solstat run 'my survey.toml'"
        )
        assert state_of(tmp_path / "a") == "interrupted"
        assert len(content(tmp_path / "a")) == stored

        run_survey([plan], tmp_path / "a", workers=1, executor=inline)
        run_survey([plan], tmp_path / "b", workers=1, executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")

    def test_twice_it_stops_at_once(self, tmp_path, plan, inline, content) -> None:
        pools = []

        def executor(workers: int):
            pools.append(inline(workers, before=Signalled(signal.SIGINT, 3, 4)))
            return pools[-1]

        with pytest.raises(Interrupted, match="to go on: the same call"):
            run_survey([plan], tmp_path, workers=2, executor=executor)
        assert pools[0].in_flight
        assert pools[0].closed
        assert state_of(tmp_path) == "interrupted"
        run_survey([plan], tmp_path, workers=1, executor=inline)
        assert len(content(tmp_path)) == 100

    def test_of_several_runs_the_later_ones_do_not_start(self, tmp_path, plan, inline) -> None:
        other = replace(plan, rules=rules("scorpion"))
        with pytest.raises(Interrupted):
            run_survey(
                [plan, other],
                tmp_path,
                workers=1,
                executor=partial(inline, before=Signalled(signal.SIGINT, 2)),
            )
        assert state_of(tmp_path / "wasp") == "interrupted"
        assert not (tmp_path / "scorpion" / "run.json").exists()

    def test_that_are_ignored_stay_ignored(self, tmp_path, plan, inline) -> None:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            run_survey(
                [plan], tmp_path, executor=partial(inline, before=Signalled(signal.SIGINT, 2))
            )
        finally:
            signal.signal(signal.SIGINT, before)
        assert state_of(tmp_path) == "finished"

    def test_are_left_alone_in_a_thread(self, tmp_path, plan, inline) -> None:
        thread = threading.Thread(
            target=run_survey, args=([plan], tmp_path), kwargs={"executor": inline}
        )
        thread.start()
        thread.join()
        assert state_of(tmp_path) == "finished"


def wrong(chunk: Chunk, pulse: Pulse = None) -> Batch:
    if chunk.range.first:
        raise ZeroDivisionError
    return solve_chunk(chunk)


class TestFailures:
    def test_an_error_of_the_work_ends_the_run_and_what_is_stored_stays(
        self, tmp_path, plan, inline
    ) -> None:
        with pytest.raises(ZeroDivisionError):
            run_survey([plan], tmp_path, workers=1, executor=partial(Processes, work=wrong))
        assert state_of(tmp_path) == "failed"
        run_survey([plan], tmp_path, workers=1, executor=inline)
        assert state_of(tmp_path) == "finished"

    def test_a_directory_that_is_taken_away(self, tmp_path, plan, inline) -> None:
        def take_away(chunk: Chunk) -> None:
            if (tmp_path / "a").exists():
                (tmp_path / "a").rename(tmp_path / "b")

        with pytest.raises(SolstatError, match=r"cannot write .*: No such file or directory"):
            run_survey([plan], tmp_path / "a", executor=partial(inline, before=take_away))


def test_run_json_is_fit_to_be_read_by_a_stranger(tmp_path: Path, plan: Plan, inline) -> None:
    command = ["/usr/bin/solstat", "run", str(tmp_path / "survey.toml"), f"--out={tmp_path}/a"]
    run_survey([plan], tmp_path / "a", workers=2, command=command, executor=inline)
    text = (tmp_path / "a" / "run.json").read_text()
    content = json.loads(text)
    (entry,) = content["history"]
    assert entry["command"] == "solstat run survey.toml --out=a"
    assert entry["workers"] == 2
    assert set(entry["versions"]) >= {"python", "solstat", "numpy", "pyarrow", "pebble"}
    assert set(entry["machine"]) == {"cpu", "cores", "memory_bytes", "os"}
    assert os.uname().nodename not in text
    assert str(tmp_path) not in text


def test_directory_names_are_safe_in_any_shell() -> None:
    assert directory_name("wasp") == "wasp"
    made = directory_name("wasp(empty_pile=king,face_down_piles=3)")
    assert made == "wasp-empty_pile-king-face_down_piles-3"
