"""Runs that look whether they may stop: where they stop depends on the deals alone."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from solstat.deals import Deal, SeedRange
from solstat.errors import Interrupted, UsageError
from solstat.games import rules
from solstat.solver import deal_many
from solstat.stats.sequential import parse_until, width
from solstat.survey.parts import name
from solstat.survey.plan import LOOKS, Plan, Range, next_look
from solstat.survey.reader import Counts, counts, open_run
from solstat.survey.run import run_survey
from solstat.survey.status import status

STOP = parse_until("half-width=9%")


@pytest.fixture
def long() -> Plan:
    """Deals of which not nearly all are needed, at a budget that leaves some open."""
    return Plan(rules("wasp"), SeedRange(0, 2000), 1000, "solstat", until=str(STOP))


class Looks:
    """A rule that notes at which outcomes it is asked."""

    def __init__(self, stop_at: int = 10**9) -> None:
        self.seen: list[Counts] = []
        self._stop_at = stop_at

    def __call__(self, counts: Counts) -> bool:
        self.seen.append(counts)
        return counts.n >= self._stop_at


class TestLooks:
    def test_each_is_a_tenth_more(self) -> None:
        looks = [next_look(0)]
        while looks[-1] < 10**9:
            looks.append(next_look(looks[-1]))
        assert looks[0] == 100
        for before, after in pairwise(looks):
            assert before < after <= before + before / LOOKS
            assert next_look(after - 1) == after
        assert len(looks) < 175

    def test_a_run_looks_at_these_and_at_nothing_else(self, tmp_path, long, inline) -> None:
        looks = Looks(130)
        run_survey([long], tmp_path, executor=inline, stop=looks)
        assert [each.n for each in looks.seen] == [100, 110, 121, 133]
        assert looks.seen[-1] == counts(open_run(tmp_path))

    def test_for_so_many_wins_it_begins_at_as_many_deals(self, tmp_path, long, inline) -> None:
        looks = Looks(6)
        run_survey([replace(long, until="won=3")], tmp_path, executor=inline, stop=looks)
        assert [each.n for each in looks.seen] == [3, 4, 5, 6]
        looks = Looks(24)
        plan = replace(long, until="won=20")
        run_survey([plan], tmp_path / "other", executor=inline, stop=looks)
        assert [each.n for each in looks.seen] == [20, 22, 24]

    def test_at_the_last_deal_it_ends_unasked(self, tmp_path, long, inline) -> None:
        looks = Looks()
        run_survey([long.cut(115)], tmp_path, executor=inline, stop=looks)
        assert [each.n for each in looks.seen] == [100, 110]
        assert counts(open_run(tmp_path)).n == 115

    def test_fewer_deals_than_the_first_look(self, tmp_path, long, inline) -> None:
        run_survey([long.cut(7)], tmp_path, executor=inline, stop=Looks())
        assert (counts(open_run(tmp_path)).n, status(open_run(tmp_path)).state) == (7, "finished")

    def test_a_plan_without_a_rule_does_not_look(self, tmp_path, plan, inline) -> None:
        looks = Looks(1)
        run_survey([plan], tmp_path, executor=inline, stop=looks)
        assert looks.seen == []
        assert counts(open_run(tmp_path)).n == 100


class TestWhereItStops:
    def test_does_not_depend_on_workers(self, tmp_path, long, inline, content) -> None:
        run_survey([long], tmp_path / "inline", executor=inline, stop=STOP.reached)
        found = counts(open_run(tmp_path / "inline"))
        assert 200 < found.n < 1000
        assert STOP.reached(found)
        for workers in (1, 3):
            run_survey([long], tmp_path / str(workers), workers=workers, stop=STOP.reached)
            assert content(tmp_path / str(workers)) == content(tmp_path / "inline")

    def test_rows_are_those_of_a_run_of_so_many_deals(self, tmp_path, long, inline, content):
        run_survey([long], tmp_path / "until", executor=inline, stop=STOP.reached)
        n = counts(open_run(tmp_path / "until")).n
        fixed = replace(long.cut(n), until=None, lines=False)
        run_survey([fixed], tmp_path / "fixed", executor=inline)
        assert content(tmp_path / "until") == content(tmp_path / "fixed")
        assert [path.name for path in (tmp_path / "until").glob("part-*")] == [name(Range(0, n))]

    def test_is_the_same_for_the_deals_of_a_file(self, tmp_path, long, inline, content) -> None:
        cards = deal_many("solstat", [str(seed) for seed in range(700)]).tolist()
        deals = tuple(Deal(f"d{at}", tuple(each)) for at, each in enumerate(cards))
        file_plan = replace(long, deals=deals, scheme="file")
        run_survey([long], tmp_path / "seeds", executor=inline, stop=STOP.reached)
        stop = Looks(150)
        run_survey([file_plan], tmp_path / "file", executor=inline, stop=stop)
        assert open_run(tmp_path / "file").record.deals == 160
        run_survey([file_plan], tmp_path / "file", executor=inline, stop=STOP.reached)
        seeds, file = content(tmp_path / "seeds"), content(tmp_path / "file")
        assert [row["outcome"] for row in seeds] == [row["outcome"] for row in file]
        assert [row["positions"] for row in seeds] == [row["positions"] for row in file]

    def test_each_of_several_rules_stops_by_itself(self, tmp_path, long, inline) -> None:
        other = replace(long, rules=rules("scorpion"))
        run_survey([long, other], tmp_path, executor=inline, stop=STOP.reached)
        for path in ("wasp", "scorpion"):
            found = counts(open_run(tmp_path / path))
            assert STOP.reached(found)
            assert found.n < 2000


class TestAgain:
    def test_the_same_once_more_changes_nothing(self, tmp_path, long, inline) -> None:
        run_survey([long], tmp_path, executor=inline, stop=STOP.reached)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        pools = []

        def executor(workers: int):
            pools.append(inline(workers))
            return pools[-1]

        run_survey([long], tmp_path, executor=executor, stop=STOP.reached)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert not pools[0].seen

    def test_a_narrower_rule_goes_on(self, tmp_path, long, inline, content) -> None:
        narrow = parse_until("half-width=6%")
        asked = replace(long, until=str(narrow))
        run_survey([long], tmp_path / "a", executor=inline, stop=STOP.reached)
        run_survey([asked], tmp_path / "a", executor=inline, stop=narrow.reached)
        run_survey([asked], tmp_path / "b", executor=inline, stop=narrow.reached)
        assert content(tmp_path / "a") == content(tmp_path / "b")
        assert open_run(tmp_path / "a").record.until == "half-width=6%"

    def test_without_a_rule_it_goes_on_to_the_last_deal(self, tmp_path, long, inline) -> None:
        short = replace(long.cut(700))
        run_survey([short], tmp_path, executor=inline, stop=STOP.reached)
        assert counts(open_run(tmp_path)).n < 700
        run_survey([replace(short, until=None)], tmp_path, executor=inline)
        record = open_run(tmp_path).record
        assert (record.deals, record.state) == (700, "finished")
        assert record.until == str(STOP)  # it has looked, and goes on saying so

    def test_a_run_of_fixed_size_may_be_looked_at(self, tmp_path, long, inline) -> None:
        fixed = replace(long.cut(450), until=None)
        run_survey([fixed], tmp_path, executor=inline)
        assert open_run(tmp_path).record.until is None
        looks = Looks(450)
        run_survey([replace(long, lines=True)], tmp_path, executor=inline, stop=looks)
        assert {each.n for each in looks.seen} == {450}
        record = open_run(tmp_path).record
        assert (record.deals, record.until, record.state) == (450, str(STOP), "finished")

    def test_a_run_of_fixed_size_is_told_when_it_gets_a_rule(
        self, tmp_path, long, inline, caplog
    ) -> None:
        def told(plan: Plan) -> int:
            caplog.clear()
            run_survey([plan], tmp_path, executor=inline, stop=STOP.reached)
            return caplog.text.count("from now on its interval allows for having looked")

        with caplog.at_level("WARNING", "solstat"):
            assert told(replace(long.cut(450), until=None, lines=False)) == 0
            assert told(long) == 1
            assert told(long) == 0  # it is one that looks already
            assert told(replace(long, until="half-width=8%")) == 0
            run_survey([long], tmp_path / "new", executor=inline, stop=STOP.reached)
        assert "from now on" not in caplog.text

    def test_more_deals_go_on_where_they_ended_without_it(self, tmp_path, long, inline) -> None:
        run_survey([long.cut(150)], tmp_path, executor=inline, stop=STOP.reached)
        looks = Looks(170)
        run_survey([long], tmp_path, executor=inline, stop=looks)
        assert [each.n for each in looks.seen] == [150, 150, 160, 176]

    def test_fewer_deals_than_are_there_are_refused(self, tmp_path, long, inline) -> None:
        run_survey([long], tmp_path, executor=inline, stop=STOP.reached)
        with pytest.raises(UsageError, match="120 are asked for"):
            run_survey([long.cut(120)], tmp_path, executor=inline, stop=STOP.reached)

    def test_interrupted_at_any_chunk_it_stops_at_the_same_deal(
        self, tmp_path, long, inline, content
    ) -> None:
        run_survey([long], tmp_path / "whole", executor=inline, stop=STOP.reached)
        times = 0
        while True:
            left = [3]

            def strike(_: object, left: list[int] = left) -> None:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGINT)

            def executor(workers: int, strike=strike):
                return inline(workers, before=strike)

            try:
                run_survey([long], tmp_path / "a", workers=1, executor=executor, stop=STOP.reached)
                break
            except Interrupted:
                times += 1
        assert times > 3
        assert content(tmp_path / "a") == content(tmp_path / "whole")


class TestRecord:
    def test_says_the_rule_and_lines_are_off(self, tmp_path, long, inline) -> None:
        run_survey([long.cut(120)], tmp_path, executor=inline, stop=STOP.reached)
        record = open_run(tmp_path).record
        assert record.until == str(STOP)
        assert not record.identity.lines
        assert json.loads((tmp_path / "run.json").read_text())["until"] == str(STOP)
        assert status(open_run(tmp_path)).until == str(STOP)

    def test_says_how_many_deals_were_asked_for(self, tmp_path, long, inline) -> None:
        def most() -> int | None:
            found = status(open_run(tmp_path)).most
            assert found == json.loads((tmp_path / "run.json").read_text())["most"]
            return found

        run_survey([replace(long.cut(90), until=None)], tmp_path, executor=inline)
        assert most() is None
        run_survey([replace(long.cut(120), lines=None)], tmp_path, executor=inline, stop=Looks())
        assert most() == 120
        run_survey([replace(long, lines=None)], tmp_path, executor=inline, stop=Looks(150))
        assert open_run(tmp_path).record.deals < most() == 2000
        run_survey([replace(long.cut(500), until=None)], tmp_path, executor=inline)
        assert open_run(tmp_path).record.deals == most() == 500

    def test_lines_can_be_asked_for(self, tmp_path, long, inline) -> None:
        asked = replace(long.cut(20), lines=True)
        run_survey([asked], tmp_path, executor=inline, stop=STOP.reached)
        assert open_run(tmp_path).record.identity.lines

    def test_of_an_earlier_version_has_none(self, tmp_path, plan, inline) -> None:
        run_survey([plan], tmp_path, executor=inline)
        path = tmp_path / "run.json"
        content = json.loads(path.read_text())
        del content["until"], content["most"]
        path.write_text(json.dumps(content))
        assert open_run(tmp_path).record.until is open_run(tmp_path).record.most is None
        run_survey([plan], tmp_path, executor=lambda _: pytest.fail("no workers are needed"))


# Whatever happens to the process: the plain search takes its time.
UNTIL = "half-width=7%"
SURVEY = ["-g", "wasp", "--search", "plain", "--budget", "20k", "--deals", "0:3000"]


def command(out: Path, *words: str) -> list[str]:
    words = (*SURVEY, "--until", UNTIL, *words, "--out", str(out))
    return [sys.executable, "-m", "solstat", "run", *words]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    plan = Plan(rules("wasp"), SeedRange(0, 3000), 20_000, "solstat", "plain", until=UNTIL)
    run_survey([plan], out, workers=2, stop=parse_until(UNTIL).reached)
    return out


@pytest.mark.parametrize("workers", ["1", "3"])
def test_killed_again_and_again(tmp_path: Path, undisturbed: Path, content, workers: str) -> None:
    """The whole group is killed, at moments that nobody has chosen; the same command goes on."""
    out, kills = tmp_path / "run", 0
    whole = open_run(undisturbed).record.deals
    assert 300 < whole < 3000
    while True:
        stored = {path.name for path in out.glob("part-*")}
        with subprocess.Popen(
            command(out, "--workers", workers),
            cwd=tmp_path,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            end = time.monotonic() + 60
            while process.poll() is None and kills < 4:
                if {path.name for path in out.glob("part-*")} - stored:
                    time.sleep(random.random() / 4)
                    os.killpg(process.pid, signal.SIGKILL)
                    break
                assert time.monotonic() < end
                time.sleep(0.005)
            if process.wait(60) == 0:
                break
            kills += 1
            record = open_run(out).record
            assert status(open_run(out)).state in ("killed", "finished")
            assert record.deals <= whole
            assert record.until == UNTIL
    assert kills >= 2
    assert content(out) == content(undisturbed)
    record = open_run(out).record
    assert (record.deals, record.state) == (whole, "finished")
    assert width(counts(open_run(out))).half <= 0.07
