"""Deals of a run that are searched again."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner
from retries import BUDGETS, older, retry, waterfall

from solstat.cli.app import solstat
from solstat.errors import Interrupted, UsageError
from solstat.stats.curve import costs
from solstat.stats.stages import by_stage
from solstat.survey import parts
from solstat.survey.again import plan_again, plans_again
from solstat.survey.check import check
from solstat.survey.plan import Again, Chunk
from solstat.survey.reader import Run, counts, open_run
from solstat.survey.run import run_survey
from solstat.survey.status import status
from solstat.survey.store import Store
from solstat.survey.summary import summary


class TestResults:
    def test_are_those_of_a_run_with_the_larger_budget(
        self, tmp_path, plan, inline, content
    ) -> None:
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        run_survey([replace(plan, budget=BUDGETS[-1])], tmp_path / "b", executor=inline)
        same = ("index", "seed", "outcome", "positions", "reason", "stage", "moves", "line")
        picked = [
            [{name: row[name] for name in same} for row in content(tmp_path / name)]
            for name in "ab"
        ]
        assert picked[0] == picked[1]
        assert counts(open_run(tmp_path / "a")) == counts(open_run(tmp_path / "b"))

    def test_are_of_the_last_search_alone(self, tmp_path, plan, inline, content) -> None:
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path, executor=inline)
        before = content(tmp_path)
        retry(tmp_path, "unsettled", 3000, executor=inline)
        was_open = [row["index"] for row in before if row["outcome"] == "unsettled"]
        assert len(was_open) > 5
        for old, new in zip(before, content(tmp_path), strict=True):
            if old["index"] not in was_open:
                assert new == old
            else:
                assert (new["attempt"], new["budget"]) == (2, 3000)
                assert BUDGETS[0] < new["positions"] <= 3000
        assert older(tmp_path) == [row for row in before if row["index"] in was_open]

    def test_steps_by_one_command_or_several(self, tmp_path, plan, inline, content) -> None:
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path / "b", executor=inline)
        retry(tmp_path / "b", "unsettled", 400, executor=inline)
        retry(tmp_path / "b", "unsettled", 3000, executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")
        assert older(tmp_path / "a") == older(tmp_path / "b")
        assert {row["attempt"] for row in older(tmp_path / "a")} == {1, 2}
        assert open_run(tmp_path / "a").record.budgets == BUDGETS

    def test_with_processes(self, tmp_path, plan, inline, content) -> None:
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        run_survey([waterfall(plan)], tmp_path / "b", workers=2)
        assert content(tmp_path / "a") == content(tmp_path / "b")

    def test_of_the_deals_of_a_file(self, tmp_path, file_plan, inline, content) -> None:
        run_survey([waterfall(file_plan)], tmp_path / "a", executor=inline)
        run_survey([replace(file_plan, budget=BUDGETS[0])], tmp_path / "b", executor=inline)
        retry(tmp_path / "b", "unsettled", 400, 3000, executor=inline)
        found = content(tmp_path / "a")
        assert found == content(tmp_path / "b")
        assert [row["seed"] for row in found] == [deal.id for deal in file_plan.deals]
        assert max(row["attempt"] for row in found) == 3

    def test_at_smaller_budgets_are_as_before(self, tmp_path, plan, inline) -> None:
        before = {}
        for budget in BUDGETS:
            run_survey([replace(plan, budget=budget)], tmp_path / str(budget), executor=inline)
            before[budget] = counts(open_run(tmp_path / str(budget)))
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        run = open_run(tmp_path / "a")
        assert {budget: counts(run, budget) for budget in BUDGETS} == before
        assert costs(run).limit == 3000
        with pytest.raises(UsageError, match=r"ask for 3k or less"):
            counts(run, 3001)

    def test_can_be_checked(self, tmp_path, plan, inline) -> None:
        run_survey([waterfall(replace(plan, lines=True))], tmp_path, executor=inline)
        found = check(open_run(tmp_path), 1, sample=1.0)
        assert (found.sampled, found.bad, found.differing) == (100, (), ())
        assert found.replayed == counts(open_run(tmp_path)).won

    def test_with_many_parts(self, tmp_path, plan, inline, content, monkeypatch) -> None:
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        monkeypatch.setattr(parts, "MILLION", 30)
        monkeypatch.setattr(parts, "FAN", 2)
        run_survey([waterfall(plan)], tmp_path / "b", executor=inline)
        assert len(list((tmp_path / "b").glob("part-*"))) > 3
        assert content(tmp_path / "a") == content(tmp_path / "b")


class TestAgain:
    """The same call once more, and others."""

    def test_a_finished_one_is_left_as_it_is(self, tmp_path, plan, inline) -> None:
        run_survey([waterfall(plan)], tmp_path, executor=inline)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}

        def no_workers(_: int) -> Any:
            pytest.fail("no workers are needed")

        run_survey([waterfall(plan)], tmp_path, executor=no_workers)
        run_survey([replace(plan, budget=3000)], tmp_path, executor=no_workers)
        retry(tmp_path, "unsettled", 3000, executor=no_workers)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before

    def test_more_deals_go_all_the_way(self, tmp_path, plan, longer, inline, content) -> None:
        run_survey([waterfall(longer(plan, 60))], tmp_path / "a", executor=inline)
        run_survey([waterfall(plan)], tmp_path / "a", executor=inline)
        run_survey([waterfall(plan)], tmp_path / "b", executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")
        assert older(tmp_path / "a") == older(tmp_path / "b")

    def test_while_deals_are_added_the_budget_is_the_first(
        self, tmp_path, plan, longer, inline
    ) -> None:
        run_survey([waterfall(longer(plan, 60))], tmp_path, executor=inline)
        opened_before = open_run(tmp_path)
        assert opened_before.record.budget == 3000
        left = [3]

        def strike(_: Chunk) -> None:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(Interrupted):
            run_survey(
                [waterfall(plan)], tmp_path, workers=1, executor=lambda n: inline(n, before=strike)
            )
        run = open_run(tmp_path)
        assert run.record.budget == BUDGETS[0]
        assert counts(run).n > 60  # and no deal is in the way of it
        assert counts(opened_before) == counts(run)
        assert status(opened_before) == status(run)
        assert by_stage(opened_before) == by_stage(run)

    def test_rows_that_are_gone_are_solved_again(
        self, tmp_path, plan, inline, content, small_parts
    ) -> None:
        run_survey([waterfall(plan)], tmp_path, executor=inline)
        before = content(tmp_path)
        next(tmp_path.glob("part-*")).unlink()
        run_survey([waterfall(plan)], tmp_path, executor=inline)
        assert content(tmp_path) == before

    def test_a_run_of_an_earlier_version(self, tmp_path, plan, inline, content) -> None:
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path / "a", executor=inline)
        path = tmp_path / "a" / "run.json"
        said = json.loads(path.read_text())
        del said["budgets"], said["round"]
        path.write_text(json.dumps(said))
        retry(tmp_path / "a", "unsettled", 400, 3000, executor=inline)
        run_survey([waterfall(plan)], tmp_path / "b", executor=inline)
        assert content(tmp_path / "a") == content(tmp_path / "b")


class TestErrors:
    @staticmethod
    def dies(*indices: int) -> Callable[[Chunk], str | None]:
        return lambda chunk: (
            "SIGSEGV" if any(index in range(*chunk.span) for index in indices) else None
        )

    def test_are_searched_again(self, tmp_path, plan, inline, content) -> None:
        def failing(workers: int) -> Any:
            return inline(workers, dies=self.dies(5, 50))

        run_survey([plan], tmp_path / "a", executor=failing)
        assert counts(open_run(tmp_path / "a")).error == 2
        run_survey([plan], tmp_path / "b", executor=inline)
        for attempt in (2, 3):
            retry(tmp_path / "a", "errors", executor=failing)
            assert [row["attempt"] for row in content(tmp_path / "a")].count(attempt) == 2
        retry(tmp_path / "a", "errors", executor=inline)
        found = content(tmp_path / "a")
        assert [found[index]["attempt"] for index in (5, 50)] == [4, 4]
        assert [row | {"attempt": 1} for row in found] == content(tmp_path / "b")
        assert [(row["index"], row["attempt"]) for row in older(tmp_path / "a")] == [
            (index, attempt) for index in (5, 50) for attempt in (1, 2, 3)
        ]
        assert {row["reason"] for row in older(tmp_path / "a")} == {"crash:SIGSEGV"}

    def test_with_more_than_the_others(self, tmp_path, plan, inline) -> None:
        """What is won beyond the budget of the run is not won at it, whoever counts."""
        least = replace(plan, budget=BUDGETS[0])
        run_survey([least], tmp_path / "b", executor=inline)
        run_survey([least], tmp_path / "a", executor=lambda n: inline(n, dies=self.dies(1, 50)))
        assert counts(open_run(tmp_path / "a")).error == 2
        retry(tmp_path / "a", "errors", 3000, executor=inline)
        run = open_run(tmp_path / "a")
        assert [row["outcome"] for row in run.rows()][1] == "won"
        assert run.record.budget == BUDGETS[0]
        assert counts(run) == counts(open_run(tmp_path / "b"))
        assert summary(run).counts == counts(run)
        stages = by_stage(run).values()
        assert (sum(each.won for each in stages), sum(each.n for each in stages)) == (0, 100)
        retry(tmp_path / "a", "unsettled", 3000, executor=inline)
        assert [row["attempt"] for row in open_run(tmp_path / "a").rows()][1] == 2

    def test_there_are_none(self, tmp_path, plan, inline, content, caplog) -> None:
        caplog.set_level("INFO", "solstat")
        run_survey([plan], tmp_path, executor=inline)
        before = content(tmp_path)
        retry(tmp_path, "errors", executor=inline)
        assert caplog.messages[-1] == "wasp: no deals are errors"
        assert content(tmp_path) == before
        assert open_run(tmp_path).record.state == "finished"

    def test_none_are_open_in_a_step(self, tmp_path, plan, longer, inline, caplog) -> None:
        """But where some were, nothing is said of it."""
        caplog.set_level("INFO", "solstat")
        steps = (Again("unsettled", 10**6), Again("unsettled", 2 * 10**6))
        run_survey([replace(longer(plan, 30), again=steps)], tmp_path, executor=inline)
        told = [message for message in caplog.messages if "no deals are open" in message]
        assert told == ["wasp: no deals are open: its budget is now 2M"]
        assert open_run(tmp_path).record.budget == 2 * 10**6

    def test_a_search_again_may_fail(self, tmp_path, plan, inline, content) -> None:
        run_survey([replace(plan, budget=BUDGETS[0])], tmp_path, executor=inline)
        first = next(row["index"] for row in content(tmp_path) if row["outcome"] == "unsettled")
        retry(tmp_path, "unsettled", 3000, executor=lambda n: inline(n, dies=self.dies(first)))
        assert counts(open_run(tmp_path)).error == 1
        retry(tmp_path, "errors", executor=inline)
        assert content(tmp_path)[first]["attempt"] == 3
        run_survey([replace(plan, budget=3000)], tmp_path / "b", executor=inline)
        assert counts(open_run(tmp_path)) == counts(open_run(tmp_path / "b"))


class TestRefusals:
    @pytest.fixture
    def run(self, tmp_path, plan, inline) -> Path:
        run_survey([plan], tmp_path / "run", executor=inline)
        return tmp_path / "run"

    @pytest.mark.parametrize(
        ("what", "budgets", "says"),
        [
            ("unsettled", [], "searched with 300 each: they need more, such as --budget 3k"),
            ("unsettled", [300], "they need more"),
            ("unsettled", [200], "they need more"),
            ("errors", [200], "its budget is 300: errors are searched with as much, or more"),
            ("errors", [400, 500], "give one budget, or none"),
        ],
    )
    def test_budgets(self, run, what, budgets, says) -> None:
        with pytest.raises(UsageError) as refused:
            plan_again(open_run(run), what, budgets)
        assert says in str(refused.value)

    def test_of_several_those_with_something_to_do(self, tmp_path, plan, inline) -> None:
        names = ("open", "settled", "further", "begun", "missing")
        runs = {}
        for name, budgets in zip(names, ((50,), (10**6,), (50, 400), (50,), (50,)), strict=True):
            run_survey([waterfall(plan, *budgets)], tmp_path / name, executor=inline)
            runs[name] = open_run(tmp_path / name)
        assert counts(runs["settled"]).unsettled == 0
        with Store(tmp_path / "begun", waterfall(plan, 50, 300), 1) as store:
            store.start({}, {})
            store.next_retry()
        next(tmp_path.glob("missing/part-*")).unlink()

        def plans(*names: str, budgets: tuple[int, ...] = ()) -> dict[str, tuple[Again, ...]]:
            found = plans_again([runs[name] for name in names], "unsettled", budgets)
            return {run.path.name: plan.again for run, plan in found}

        begun = {"begun": (Again("unsettled", 300),)}
        assert plans(*names) == begun
        assert plans("open", "settled", "further", budgets=(300,)) == {
            "open": (Again("unsettled", 300),)
        }
        assert plans("settled") == plans("settled", budgets=(300,)) == {"settled": ()}
        with pytest.raises(UsageError, match="further: its open deals were searched with 400 each"):
            plans("settled", "further", budgets=(300,))
        with pytest.raises(UsageError, match="open: its open deals were searched with 50 each"):
            plans("settled", "open", "missing")
        for budgets in ((), (300,)):
            with pytest.raises(UsageError, match="missing: 100 of 100 deals have no rows yet: fi"):
                plans("settled", "missing", budgets=budgets)

    def test_a_run_that_is_not_finished(self, run) -> None:
        next(run.glob("part-*")).unlink()
        with pytest.raises(UsageError, match="100 of 100 deals have no rows yet: finish the run"):
            plan_again(open_run(run), "errors", [])

    def test_another_run_than_is_asked_for(self, run, plan, longer) -> None:
        found = open_run(run)
        assert plan_again(found, "unsettled", [900], plan).again == (Again("unsettled", 900),)
        with pytest.raises(UsageError, match="its search is full, not plain"):
            plan_again(found, "unsettled", [900], replace(plan, search="plain"))
        with pytest.raises(UsageError, match="100 deals, 120 are asked for: let the same command"):
            plan_again(found, "unsettled", [900], longer(plan, 120))

    def test_the_first_budget_once_more_names_the_way(self, run, plan, inline) -> None:
        retry(run, "unsettled", 3000, executor=inline)
        with pytest.raises(
            UsageError, match=f"go on with it by --budget {plan.budget},3k, or see "
        ):
            run_survey([plan], run)
        steps = (Again("unsettled", 3000),)
        run_survey([replace(plan, again=steps)], run, executor=inline)

    def test_more_than_the_last_budget_names_the_way(self, run, plan) -> None:
        with pytest.raises(UsageError, match="solstat run --retry unsettled --budget 9k -o RUN"):
            run_survey([replace(plan, budget=9000)], run)


def test_a_reader_from_before_reads_on(tmp_path, plan, inline, small_parts) -> None:
    run_survey([replace(plan, budget=BUDGETS[0])], tmp_path, executor=inline)
    run = open_run(tmp_path)
    before = counts(run)
    found = run.rows(["index", "budget"])
    first = next(found)
    retry(tmp_path, "unsettled", 3000, executor=inline)
    on = [first, *found]
    assert [row["index"] for row in on] == list(range(100))
    assert {row["budget"] for row in on} == {BUDGETS[0], 3000}
    assert counts(run, BUDGETS[0]) == before
    assert counts(run) == counts(open_run(tmp_path))
    assert counts(run).budget == 3000


@pytest.mark.parametrize("read_before", [True, False])
def test_a_round_that_ends_while_rows_are_exported(
    tmp_path, plan, inline, monkeypatch, read_before: bool
) -> None:
    """Each search of each deal is there once, of the rounds that had ended."""
    place = tmp_path / "run"
    run_survey([waterfall(plan, 50, 100)], place, executor=inline)
    real, left = Run.tables, [1]

    def tables(run: Run, columns: Any = None) -> Iterator[Any]:
        ends = bool(left and left.pop())
        if ends and not read_before:
            retry(place, "unsettled", 400, executor=inline)
        yield from real(run, columns)
        if ends and read_before:
            retry(place, "unsettled", 400, executor=inline)

    monkeypatch.setattr(Run, "tables", tables)
    out = tmp_path / "all.csv"
    CliRunner().invoke(solstat, ["export", str(place), "--attempts", "-o", str(out)])
    frame = pandas.read_csv(out)
    assert not frame.duplicated(["index", "attempt"]).any()
    searches = frame.groupby("index")["attempt"].agg(["max", "size"])
    assert (searches["max"] == searches["size"]).all()
    assert searches["max"].max() == (2 if read_before else 3)
    assert not left
