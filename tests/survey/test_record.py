from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from solstat.deals import Deal, SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.games import rules
from solstat.survey import record
from solstat.survey.plan import Plan
from solstat.survey.record import Record


class TestOf:
    def test_lines_are_kept_of_few_deals_unless_told(self, plan: Plan) -> None:
        many = replace(plan, deals=SeedRange(0, 2001))
        assert Record.of(replace(plan, deals=SeedRange(0, 2000)), 1).identity.lines
        assert not Record.of(many, 1).identity.lines
        assert Record.of(replace(many, lines=True), 1).identity.lines
        assert not Record.of(replace(plan, lines=False), 1).identity.lines


class TestExtended:
    def test_the_same_plan_resumes(self, plan: Plan, file_plan: Plan) -> None:
        for each in (plan, file_plan):
            made = Record.of(each, 1)
            assert made.extended(each, 1) == made

    def test_a_longer_plan_extends_and_lines_stay_as_they_are(self, plan: Plan) -> None:
        longer = replace(plan, deals=SeedRange(100, 5000))
        made = Record.of(plan, 1).extended(longer, 1)
        assert made.deals == 4900
        assert made.identity.lines  # by themselves so many deals would have none

    def test_a_longer_file_extends(self, file_plan: Plan) -> None:
        assert not isinstance(file_plan.deals, SeedRange)
        made = Record.of(replace(file_plan, deals=file_plan.deals[:20]), 1)
        longer = made.extended(file_plan, 1)
        assert longer.deals == 30
        assert longer.identity == Record.of(file_plan, 1).identity

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"rules": rules("scorpion")}, "its rules are wasp, not scorpion"),
            ({"budget": 250_000}, "its budget is 300, not 250k"),
            ({"deals": SeedRange(0, 200)}, "its first seed is 100, not 0"),
            ({"search": "plain"}, "its search is full, not plain"),
            ({"lines": False}, "its lines are on, not off"),
            ({"deals": SeedRange(100, 199)}, "a run of 100 deals, 99 are asked for"),
        ],
    )
    def test_another_run_is_refused_by_what_differs(self, plan: Plan, change, message) -> None:
        with pytest.raises(UsageError, match=message):
            Record.of(plan, 1).extended(replace(plan, **change), 1)

    def test_another_search_version_is_refused(self, plan: Plan) -> None:
        with pytest.raises(UsageError, match="its search version is 1, not 2"):
            Record.of(plan, 1).extended(plan, 2)

    def test_all_that_differs_is_named(self, plan: Plan, file_plan: Plan) -> None:
        with pytest.raises(UsageError) as refused:
            Record.of(plan, 1).extended(replace(file_plan, search="plain"), 1)
        for name in ("scheme is solstat, not file", "first seed is 100, not none", "search is"):
            assert name in str(refused.value)

    def test_a_file_with_other_deals_is_refused(self, file_plan: Plan) -> None:
        assert not isinstance(file_plan.deals, SeedRange)
        turned = replace(file_plan, deals=file_plan.deals[::-1])
        with pytest.raises(UsageError, match="its first 30 deals are not those of the file"):
            Record.of(file_plan, 1).extended(turned, 1)

    def test_a_file_with_other_ids_is_refused(self, file_plan: Plan) -> None:
        """Rows go by the ids: those that are stored and those that are added must not mix."""
        renamed = tuple(Deal(f"x{deal.id}", deal.cards) for deal in file_plan.deals)
        with pytest.raises(UsageError, match="its first 30 deals are not those of the file"):
            Record.of(file_plan, 1).extended(replace(file_plan, deals=renamed), 1)


class TestFile:
    def test_load_reads_what_save_writes(self, tmp_path: Path, plan: Plan, file_plan: Plan) -> None:
        for each in (plan, file_plan):
            made = replace(Record.of(each, 3), state="interrupted")
            made.save(tmp_path)
            assert Record.load(tmp_path) == made
            assert [path.name for path in tmp_path.iterdir()] == ["run.json"]

    def test_none_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no run here"):
            Record.load(tmp_path)

    def test_unreadable(self, tmp_path: Path) -> None:
        (tmp_path / "run.json").mkdir()
        with pytest.raises(SolstatError, match=r"run.json: Is a directory"):
            Record.load(tmp_path)

    @pytest.mark.parametrize(
        "text",
        ["", "{", "\xff", '{"version": 1', "[" * 100_000, '{"version": 1e400'],
    )
    def test_no_json(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "run.json").write_text(text, encoding="latin-1")
        with pytest.raises(SolstatError, match="damaged, it is no JSON"):
            Record.load(tmp_path)

    @pytest.mark.parametrize("content", [[], {}, 5, {"version": 2}])
    def test_another_version(self, tmp_path: Path, content: object) -> None:
        (tmp_path / "run.json").write_text(json.dumps(content))
        with pytest.raises(SolstatError, match="this solstat reads 1"):
            Record.load(tmp_path)

    @pytest.mark.parametrize(
        "change",
        [
            {"identity": None},
            {"identity": {}},
            {"identity.rules": 5},
            {"identity.first_seed": 0},
            {"identity.more": 1},
            {"budget": 0},
            {"budget": "250k"},
            {"deals": None},
            {"deals": True},
            {"state": "asleep"},
            {"state": []},
            {"history": 5},
            {"history": ["yesterday"]},
            {"history": [{"started": "yesterday", "seconds": None, "stored_before": 0}]},
            {"budget": 2**63},
            {"most": 99},  # of a run of 100 deals
            {"most": "all"},
            {"until": 5},
            {"history": [{"started": "2026-01-01", "stored_before": 0}]},
            {"history": [{"started": "2026-01-01", "seconds": 1, "stored_before": None}]},
            {"history": [{"started": "0001-01-01T00:00:00", "seconds": 1, "stored_before": 0}]},
            {"history": [{"started": "2026-01-01", "seconds": "9", "stored_before": 0}]},
        ],
    )
    def test_damaged(self, tmp_path: Path, plan: Plan, change: dict[str, object]) -> None:
        Record.of(plan, 1).save(tmp_path)
        content = json.loads((tmp_path / "run.json").read_text())
        for key, value in change.items():
            *above, last = key.split(".")
            (content[above[0]] if above else content)[last] = value
        (tmp_path / "run.json").write_text(json.dumps(content))
        with pytest.raises(SolstatError, match=r"run.json: damaged \(") as refused:
            Record.load(tmp_path)
        assert "\n" not in str(refused.value)

    def test_a_game_of_another_solstat(self, tmp_path: Path, plan: Plan) -> None:
        Record.of(plan, 1).save(tmp_path)
        path = tmp_path / "run.json"
        path.write_text(path.read_text().replace("wasp", "hornet"))
        with pytest.raises(SolstatError, match=r"run.json: unknown game 'hornet'"):
            Record.load(tmp_path)

    def test_a_directory_that_takes_no_file(self, tmp_path: Path, plan: Plan) -> None:
        with pytest.raises(SolstatError, match=r"cannot write .*gone/run.json: No such file"):
            Record.of(plan, 1).save(tmp_path / "gone")

    def test_a_file_that_is_replaced_is_old_or_new(self, tmp_path: Path, monkeypatch) -> None:
        record.write_file(tmp_path / "a", b"old")
        monkeypatch.setattr(
            record.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full"))
        )
        with pytest.raises(SolstatError, match="full"):
            record.write_file(tmp_path / "a", b"new")
        assert (tmp_path / "a").read_bytes() == b"old"
