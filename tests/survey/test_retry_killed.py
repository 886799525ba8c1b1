"""No fault at any moment of a retry shows in the rows."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest
from retries import BUDGETS, files, older, retry, waterfall

from solstat.errors import Interrupted, SolstatError, UsageError
from solstat.survey.plan import Chunk, Plan
from solstat.survey.reader import counts, open_run
from solstat.survey.run import run_survey
from solstat.survey.status import Status, status
from solstat.survey.store import Store


class Killed(BaseException):
    """No handler of errors sees to this."""


@contextmanager
def killed_at(step: int) -> Iterator[list[str]]:
    """A process that is dead from its `step`th change of names on: nothing more is changed."""
    done: list[str] = []

    def change(name: str, do: Callable[..., Any], *args: Any, **options: Any) -> Any:
        if len(done) >= step:
            raise Killed
        done.append(name)
        return do(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "unlink", "mkdir", "rmdir", "rename"):
            patch.setattr(os, name, partial(change, name, getattr(os, name)))
        yield done


def check_state(path: Path, allowed: list[Any], first: Any) -> None:
    """Whatever has happened, the directory is one that is understood."""
    run = open_run(path)
    assert counts(run) in allowed
    assert counts(run, BUDGETS[0]) == first
    seen = [(row["index"], row["attempt"]) for row in older(path)]
    now = {row["index"]: row["attempt"] for row in run.rows()}
    assert len(now) == 100
    assert sorted(seen) == [(i, attempt) for i in sorted(now) for attempt in range(1, now[i])]
    assert status(run).todo == 0
    # Programs that know nothing of all this see each deal once too.
    tables = [pandas.read_parquet(part) for part in path.glob("*.parquet")]
    assert sorted(pandas.concat(tables)["index"]) == list(range(100))


class TestKilled:
    @pytest.fixture
    def start(self, tmp_path, plan, inline, small_parts) -> Path:
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path / "start", executor=inline)
        return tmp_path / "start"

    @pytest.fixture
    def whole(self, tmp_path, start, plan, inline) -> Path:
        shutil.copytree(start, tmp_path / "whole")
        run_survey([waterfall(plan)], tmp_path / "whole", executor=inline)
        return tmp_path / "whole"

    @staticmethod
    def half_way(path: Path, plan: Plan, inline: Any) -> Status:
        """Some deals are searched again, and the process is killed."""
        before = path.rename(path.with_name("before"))
        for step in range(100):
            shutil.copytree(before, path)
            with killed_at(step), suppress(Killed):
                run_survey([plan], path, workers=1, executor=inline)
            found = status(open_run(path))
            if found.again is not None and 0 < found.again.done < found.again.deals:
                return found
            shutil.rmtree(path)
        pytest.fail("never half-way")

    def test_at_every_step(self, tmp_path, start, whole, plan, inline, content) -> None:
        run = open_run(whole)
        allowed, end = [counts(run, budget) for budget in BUDGETS], content(whole)
        step = 0
        while True:
            path = tmp_path / str(step)
            shutil.copytree(start, path)
            with killed_at(step) as steps:
                try:
                    run_survey([waterfall(plan)], path, workers=1, executor=inline)
                    break
                except Killed:
                    pass
            check_state(path, allowed, allowed[0])
            run_survey([waterfall(plan)], path, workers=1, executor=inline)
            assert content(path) == end, f"killed at step {step}"
            assert older(path) == older(whole)
            assert files(path) == files(whole)
            shutil.rmtree(path)
            step += 1
        assert step > 40
        assert {"replace", "unlink", "mkdir", "rmdir"} <= set(steps)

    def test_over_and_over(self, tmp_path, start, whole, plan, inline, content) -> None:
        allowed = [counts(open_run(whole), budget) for budget in BUDGETS]
        seed = random.randrange(2**32)
        pick = random.Random(seed)
        kills = 0
        while True:
            with killed_at(pick.randrange(2, 20)):
                try:
                    run_survey([waterfall(plan)], start, workers=1, executor=inline)
                    break
                except Killed:
                    kills += 1
            assert kills < 500, f"it does not go on (seed {seed})"
            check_state(start, allowed, allowed[0])
        assert kills > 1  # of some forty steps it takes twenty at once at most
        assert content(start) == content(whole), f"seed {seed}"
        assert older(start) == older(whole), f"seed {seed}"
        assert files(start) == files(whole)

    def test_given_up_at_every_step(self, tmp_path, start, whole, plan, inline, content) -> None:
        """Whoever removes what was found has the run as it was, and can begin again."""
        allowed = [counts(open_run(whole), budget) for budget in BUDGETS]
        step = 0
        while True:
            path = tmp_path / str(step)
            shutil.copytree(start, path)
            with killed_at(step), suppress(Killed):
                run_survey([waterfall(plan)], path, workers=1, executor=inline)
                break
            with suppress(FileNotFoundError):
                shutil.rmtree(path / "_retry")
            check_state(path, allowed, allowed[0])
            assert status(open_run(path)).again is None
            run_survey([waterfall(plan)], path, workers=1, executor=inline)
            check_state(path, allowed[2:], allowed[0])
            shutil.rmtree(path)
            step += 3
        assert step > 40

    def test_other_commands_are_refused_till_it_has_ended(
        self, start, plan, inline, whole, content
    ) -> None:
        found = self.half_way(start, waterfall(plan), inline)
        assert found.state == "killed"
        assert found.again is not None
        assert (found.again.what, found.again.budget) == ("unsettled", 400)
        for other in (replace(plan, budget=BUDGETS[0]), waterfall(plan, BUDGETS[0], 3000)):
            with pytest.raises(UsageError) as refused:
                run_survey([other], start, executor=inline)
            assert f"solstat run --retry unsettled --budget 400 -o {start}" in str(refused.value)
            assert f"removing {start}/_retry" in str(refused.value)
        retry(start, "unsettled", executor=inline)  # goes on with what was begun
        retry(start, "unsettled", 3000, executor=inline)
        assert content(start) == content(whole)

    def test_and_a_part_lost_meanwhile(self, start, plan, inline, whole, content) -> None:
        for step in (6, 18, 24):
            with killed_at(step), suppress(Killed):
                run_survey([waterfall(plan)], start, workers=1, executor=inline)
            sorted(start.glob("part-*"))[1].unlink()
        run_survey([waterfall(plan)], start, executor=inline)
        same = ("index", "outcome", "positions", "line")
        picked = [
            [[row[name] for name in same] for row in content(path)] for path in (start, whole)
        ]
        assert picked[0] == picked[1]

    def test_and_a_part_lost_meanwhile_is_solved_in_the_same_steps(
        self, tmp_path, plan, inline, content, small_parts
    ) -> None:
        for name in ("whole", "lost"):
            run_survey([waterfall(plan, 50, 100)], tmp_path / name, executor=inline)
        retry(tmp_path / "whole", "unsettled", 3000, executor=inline)
        with Store(tmp_path / "lost", waterfall(plan, 50, 100, 3000), 1) as store:
            store.start({}, {})
            store.next_retry()
        next(tmp_path.glob("lost/part-*")).unlink()
        retry(tmp_path / "lost", "unsettled", executor=inline)
        assert content(tmp_path / "lost") == content(tmp_path / "whole")
        assert older(tmp_path / "lost") == older(tmp_path / "whole")

    @pytest.mark.parametrize("damage", ["retry.json", "part", "attempts"])
    def test_damage_is_named(self, start, plan, inline, damage) -> None:
        self.half_way(start, waterfall(plan), inline)
        path = {
            "retry.json": start / "_retry" / "retry.json",
            "part": next((start / "_retry").glob("part-*")),
            "attempts": start / "_attempts" / "001.parquet",
        }[damage]
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(SolstatError) as refused:
            run_survey([waterfall(plan)], start, workers=1, executor=inline)
        assert str(refused.value).startswith(f"{path}: ")
        assert "\n" not in str(refused.value)
        assert counts(open_run(start)).n == 100
        shutil.rmtree(start / "_retry")
        if damage == "attempts":
            path.unlink()
        run_survey([waterfall(plan)], start, workers=1, executor=inline)
        assert counts(open_run(start)).budget == 3000


SURVEY = ["-g", "wasp", "--search", "plain", "--deals", "0:800", "--budget", "500,9k,40k"]


@pytest.mark.parametrize("workers", ["1", "3"])
def test_killed_from_outside_again_and_again(tmp_path: Path, content, workers: str) -> None:
    """The whole group is killed, at moments that nobody has chosen, mostly while it retries."""
    words = [sys.executable, "-m", "solstat", "run", *SURVEY, "--workers"]
    subprocess.run(
        [*words, "2", "-o", tmp_path / "whole"], check=True, capture_output=True, cwd=tmp_path
    )
    out, kills, killed_again = tmp_path / "run", 0, 0
    while True:
        stored = set(out.rglob("*.parquet"))
        process = subprocess.Popen(
            [*words, workers, "-o", out],
            cwd=tmp_path,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with process:
            end = time.monotonic() + 60
            while process.poll() is None and kills < 10:
                if set(out.rglob("*.parquet")) - stored:
                    time.sleep(random.random() / 5)
                    os.killpg(process.pid, signal.SIGKILL)
                    break
                assert time.monotonic() < end
                time.sleep(0.01)
            if process.wait(120) == 0:
                break
        kills += 1
        found = status(open_run(out))
        assert found.state in ("killed", "finished")
        killed_again += found.again is not None
    assert kills
    assert killed_again
    assert content(out) == content(tmp_path / "whole")
    assert older(out) == older(tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")


class TestInterrupted:
    def test_tells_what_is_stored_and_goes_on(self, tmp_path, plan, inline, content) -> None:
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path / "a", executor=inline)

        def strike(chunk: Chunk) -> None:
            os.kill(os.getpid(), signal.SIGINT)

        told = []
        while True:
            try:
                run_survey(
                    [waterfall(plan)],
                    tmp_path / "a",
                    workers=1,
                    executor=lambda n: inline(n, before=strike),
                )
                break
            except Interrupted as interrupted:
                told.append(str(interrupted))
                assert status(open_run(tmp_path / "a")).state == "interrupted"
        assert len(told) > 2
        assert "deals that are searched again are stored; to go on: " in told[0]
        run_survey([waterfall(plan)], tmp_path / "b", executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")
