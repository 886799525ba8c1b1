from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from solstat.deals import SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.solver import deal_many
from solstat.survey import parts
from solstat.survey.executors import solve_chunk
from solstat.survey.parts import name
from solstat.survey.plan import Again, Plan, Range
from solstat.survey.reader import Counts, Run, counts, open_run, runs_under
from solstat.survey.run import run_survey
from solstat.survey.schema import SCHEMA
from solstat.survey.status import status
from solstat.survey.store import DEALS, Store


@pytest.fixture
def run(tmp_path: Path, plan: Plan, inline) -> Run:
    """A finished run."""
    (directory,) = run_survey([plan], tmp_path / "run", workers=1, executor=inline)
    return open_run(directory)


class TestRows:
    def test_come_by_index_with_all_columns_or_some(self, run: Run) -> None:
        found = list(run.rows())
        assert [row["index"] for row in found] == list(range(100))
        assert list(found[0]) == SCHEMA.names
        assert list(run.rows(["seed", "outcome"])) == [
            {"seed": row["seed"], "outcome": row["outcome"]} for row in found
        ]

    def test_parts_with_gaps(self, tmp_path: Path, plan: Plan) -> None:
        with Store(tmp_path, plan, 1) as store:
            store.start({}, {})
            for part in (Range(60, 65), Range(10, 13)):
                store.write(part, solve_chunk(store.chunk(part)))
        found = [row["index"] for row in open_run(tmp_path).rows(["index"])]
        assert found == [*range(10, 13), *range(60, 65)]

    def test_no_row_comes_twice_when_parts_are_merged_meanwhile(
        self, tmp_path: Path, plan: Plan
    ) -> None:
        with Store(tmp_path, plan, 1) as store:
            store.start({}, {})
            for first in range(0, 100, 20):
                part = Range(first, first + 20)
                store.write(part, solve_chunk(store.chunk(part)))
            found = open_run(tmp_path).rows(["index"])
            seen = [next(found)["index"] for _ in range(25)]  # into the second part
            store.finish()
            seen += [row["index"] for row in found]
        assert seen == list(range(100))

    def test_of_those_that_were_there_when_it_is_extended_and_merged_meanwhile(
        self, tmp_path: Path, plan: Plan, longer, inline
    ) -> None:
        """Budgets too: what has come since was searched with less."""
        small = longer(plan, 60)
        with Store(tmp_path, small, 1) as store:
            store.start({}, {})
            for first in range(0, 60, 20):
                part = Range(first, first + 20)
                store.write(part, solve_chunk(store.chunk(part)))
            store.note("finished")
        run = open_run(tmp_path)
        found = run.rows(["index"])
        seen = [next(found)["index"] for _ in range(25)]
        more = replace(plan, budget=30, again=(Again("unsettled", plan.budget),))
        replace(run.record, budgets=(30,)).save(tmp_path)
        with Store(tmp_path, more, 1) as store:
            store.start({}, {})
            store.write(Range(60, 100), solve_chunk(store.chunk(Range(60, 100))))
            store.finish()
        assert [part.name for part in tmp_path.glob("part-*")] == [name(Range(0, 100))]
        seen += [row["index"] for row in found]
        assert seen == list(range(60))
        assert counts(run).n == 100

    def test_a_part_of_another_run_is_refused(self, run: Run) -> None:
        record = replace(run.record, budget=7, budgets=())
        record.save(run.path)
        with pytest.raises(SolstatError, match="a part of another run"):
            list(open_run(run.path).rows())

    def test_a_plan_that_is_shorter_than_the_parts_say_is_refused(self, run: Run) -> None:
        replace(run.record, deals=99).save(run.path)
        with pytest.raises(SolstatError, match="when 100 deals were planned, and the run plans 99"):
            status(open_run(run.path))

    @pytest.mark.parametrize("of_a_file", [False, True])
    def test_of_a_run_that_is_extended_meanwhile(
        self, tmp_path: Path, plan: Plan, file_plan: Plan, longer, inline, of_a_file: bool
    ) -> None:
        assert isinstance(file_plan.deals, tuple)
        first = replace(file_plan, deals=file_plan.deals[:10]) if of_a_file else longer(plan, 10)
        run_survey([first], tmp_path, workers=1, executor=inline)
        run = open_run(tmp_path)
        assert len(run.cards(np.arange(10))) == 10
        run_survey([file_plan if of_a_file else plan], tmp_path, workers=1, executor=inline)
        found = status(run)
        count = 30 if of_a_file else 100
        assert (found.planned, found.done, found.todo, found.state) == (count, count, 0, "finished")
        assert len(run.cards(np.arange(count))) == count

    def test_a_part_whose_columns_have_no_names(self, run: Run) -> None:
        """pyarrow then raises an error of its own kind."""
        (part,) = run.path.glob("part-*.parquet")
        part.write_bytes(part.read_bytes().replace(b"attempt", b"\x80ttempt"))
        with pytest.raises(SolstatError, match="cut short or no Parquet file"):
            list(run.rows())

    def test_a_part_of_another_deal_file_is_refused(
        self, tmp_path: Path, file_plan: Plan, inline
    ) -> None:
        """Of parts from before the file was longer the first deals are compared."""
        assert isinstance(file_plan.deals, tuple)
        turned = (*file_plan.deals[1:10], file_plan.deals[0])
        for place, first in (("run", file_plan.deals[:10]), ("other", turned)):
            small = replace(file_plan, deals=first)
            run_survey([small], tmp_path / place, workers=1, executor=inline)
        with Store(tmp_path / "run", file_plan, 1) as store:
            store.start({}, {})
        assert len(list(open_run(tmp_path / "run").rows())) == 10
        part = name(Range(0, 10))
        (tmp_path / "run" / part).write_bytes((tmp_path / "other" / part).read_bytes())
        with pytest.raises(SolstatError, match="a part of another run"):
            list(open_run(tmp_path / "run").rows())

    def test_pandas_and_duckdb_read_them_without_solstat(self, run: Run) -> None:
        won = counts(run).won
        frame = pd.read_parquet(sorted(run.path.glob("part-*.parquet")))
        assert (frame["outcome"] == "won").sum() == won
        query = f"select count(*) from '{run.path}/part-*.parquet' where outcome = 'won'"
        assert duckdb.sql(query).fetchall() == [(won,)]


class TestCards:
    def test_of_seeds(self, run: Run) -> None:
        wanted = deal_many("solstat", [103, 199])
        assert np.array_equal(run.cards(np.array([3, 99])), wanted)

    def test_of_a_file(self, tmp_path: Path, file_plan: Plan, inline) -> None:
        run_survey([file_plan], tmp_path, workers=1, executor=inline)
        run = open_run(tmp_path)
        assert file_plan.cards is not None
        assert np.array_equal(run.cards(np.array([29, 0])), file_plan.cards[[29, 0]])

    def test_of_a_file_whose_copy_is_gone_or_changed(
        self, tmp_path: Path, file_plan: Plan, inline
    ) -> None:
        run_survey([file_plan], tmp_path, workers=1, executor=inline)
        copy = tmp_path / DEALS
        copy.write_text("".join(reversed(copy.read_text().splitlines(keepends=True))))
        with pytest.raises(SolstatError, match="not the deals of the run"):
            open_run(tmp_path).cards(np.array([0]))
        copy.unlink()
        with pytest.raises(SolstatError, match="the run's copy of its deals: .* No such file"):
            open_run(tmp_path).cards(np.array([0]))


class TestRunsUnder:
    def test_the_run_and_those_below(self, tmp_path: Path, plan: Plan, inline) -> None:
        for other in ("b", "several/x/wasp", "a", "several/wasp", "a/more"):
            run_survey([plan], tmp_path / other, workers=1, executor=inline)
        names = ["a", "a/more", "b", "several/wasp", "several/x/wasp"]
        assert [str(run.path.relative_to(tmp_path)) for run in runs_under(tmp_path)] == names
        assert [run.path for run in runs_under(tmp_path / "b")] == [tmp_path / "b"]

    def test_a_name_that_is_not_utf_8(self, tmp_path: Path) -> None:
        for read in (runs_under, open_run):
            with pytest.raises(UsageError, match=r"directory runs/\\xff: its name is not UTF-8"):
                read(os.fsdecode(b"runs/\xff"))

    @pytest.mark.parametrize(
        ("where", "message"),
        [(".", r"no run.json in it or up to 3 levels below"), ("none", "no such directory")],
    )
    def test_no_run(self, tmp_path: Path, where: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            runs_under(tmp_path / where)


class TestCounts:
    def test_are_of_the_rows(self, run: Run) -> None:
        found = counts(run)
        outcomes = [row["outcome"] for row in run.rows(["outcome"])]
        assert found == Counts(
            "wasp",
            300,
            won=outcomes.count("won"),
            lost=outcomes.count("lost"),
            unsettled=outcomes.count("unsettled"),
        )
        assert found.n == 100
        assert min(found.won, found.unsettled) > 0

    def test_at_a_smaller_budget_are_those_of_a_run_with_it(
        self, tmp_path: Path, run: Run, plan: Plan, inline
    ) -> None:
        for budget in (1, 60, 299):
            small = replace(plan, budget=budget)
            (directory,) = run_survey([small], tmp_path / str(budget), workers=1, executor=inline)
            assert counts(run, budget) == counts(open_run(directory))

    def test_above_what_open_deals_were_searched_with_are_refused(self, run: Run) -> None:
        still_open = counts(run).unsettled
        with pytest.raises(UsageError, match=f"budget 301 is above what {still_open} unsettled"):
            counts(run, 301)

    def test_at_any_budget_if_all_is_settled(self, tmp_path: Path, plan: Plan, inline) -> None:
        settled = replace(plan, deals=SeedRange(0, 2), budget=20_000)
        run_survey([settled], tmp_path, workers=1, executor=inline)
        found = counts(open_run(tmp_path), 10**9)
        assert (found.won + found.lost, found.budget) == (2, 10**9)

    def test_errors_stay_errors(self, tmp_path: Path, plan: Plan) -> None:
        with Store(tmp_path, plan, 1) as store:
            store.start({}, {})
            store.write_failed(Range(0, 2), "crash:SIGSEGV")
        assert counts(open_run(tmp_path), 5) == Counts("wasp", 5, error=2)
        assert counts(open_run(tmp_path), 10**6).error == 2

    def test_an_outcome_that_no_run_has(self, run: Run, monkeypatch) -> None:
        real = run.tables

        def tables(columns):
            for table in real(columns):
                wrong = pa.array(["odd"] + [None] * (len(table) - 1))
                yield table.set_column(0, "outcome", wrong)

        monkeypatch.setattr(run, "tables", tables)
        with pytest.raises(SolstatError, match="damaged, it has outcomes that no run has"):
            counts(run)


class TestStatus:
    def test_of_a_finished_run(self, run: Run) -> None:
        found = status(run)
        assert (found.state, found.planned, found.done, found.todo) == ("finished", 100, 100, 0)
        assert found.won + found.lost + found.unsettled == 100
        assert found.rate is not None
        assert found.rate > 0
        assert found.seconds_left is None
        json.dumps(found.__dict__)

    @pytest.fixture
    def begun(self, tmp_path: Path, plan: Plan) -> Run:
        """A run whose writer is gone after ten deals."""
        with Store(tmp_path, plan, 1) as store:
            store.start({}, {})
            store.write(Range(0, 10), solve_chunk(store.chunk(Range(0, 10))))
        return open_run(tmp_path)

    def started(self, run: Run, seconds_ago: float, seconds: float | None) -> Run:
        when = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat()
        entry = {"started": when, "seconds": seconds, "stored_before": 0}
        replace(run.record, history=(entry,)).save(run.path)
        return open_run(run.path)

    def test_of_a_run_whose_process_is_gone(self, begun: Run) -> None:
        found = status(self.started(begun, 5, None))
        assert (found.state, found.done, found.todo) == ("killed", 10, 90)
        assert found.rate == pytest.approx(2, rel=0.1)  # until its last part was written
        assert found.seconds_left is None

    def test_of_a_run_that_ends_meanwhile(
        self, begun: Run, plan: Plan, inline, monkeypatch
    ) -> None:
        """Between a look at the parts and one at run.json."""
        real, left = parts.listed, [1]

        def listed(path: Path) -> tuple[list[Range], list[Range]]:
            found = real(path)
            if left:
                left.pop()
                run_survey([plan], path, workers=1, executor=inline)
            return found

        monkeypatch.setattr(parts, "listed", listed)
        assert (status(begun).state, status(begun).done) == ("finished", 100)

    def test_of_a_run_at_work(self, begun: Run, monkeypatch) -> None:
        monkeypatch.setattr("solstat.survey.status.being_written", lambda path: True)
        found = status(self.started(begun, 20, None))
        assert found.state == "running"
        assert found.rate == pytest.approx(0.5, rel=0.1)
        assert found.seconds_left == pytest.approx(180, rel=0.1)

    def test_without_a_rate(self, begun: Run) -> None:
        replace(begun.record, history=()).save(begun.path)
        assert status(open_run(begun.path)).rate is None
        assert status(self.started(begun, 5, 0.0)).rate is None

    def test_of_a_finished_run_whose_rows_are_gone(self, run: Run) -> None:
        (run.path / name(Range(0, 100))).unlink()
        found = status(run)
        assert (found.state, found.done, found.todo) == ("incomplete", 0, 100)

    def test_of_a_damaged_run(self, run: Run) -> None:
        (run.path / name(Range(0, 100))).write_text("PAR1")
        with pytest.raises(SolstatError, match="cut short"):
            status(run)
