from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.errors import SolstatError
from solstat.solver import OUTCOMES, Batch
from solstat.survey import rows, stored
from solstat.survey.parts import name
from solstat.survey.plan import Plan, Range
from solstat.survey.record import Record
from solstat.survey.schema import FOOTER, SCHEMA, SCHEMA_VERSION


def batch(outcomes: str) -> Batch:
    """Made-up verdicts, by first letters."""
    kinds = [next(k for k, each in enumerate(OUTCOMES) if each[0] == c) for c in outcomes]
    n = len(outcomes)
    won = np.array([c == "w" for c in outcomes])
    return Batch(
        outcome=np.array(kinds, dtype=np.uint8),
        stage=np.zeros(n, dtype=np.uint8),
        positions=np.arange(10, 10 + n, dtype=np.int64),
        moves=np.where(won, 3, -1).astype(np.int32),
        seconds=np.full(n, 0.5),
        line=["7H>3 deal AS>1" if each else None for each in won],
        stages=("dfs",),
    )


@pytest.fixture
def writer(tmp_path: Path, plan: Plan) -> rows.Writer:
    return rows.Writer(tmp_path, Record.of(plan, 1), (), {"by": "test"})


def write(writer: rows.Writer, first: int, outcomes: str) -> Range:
    part = Range(first, first + len(outcomes))
    writer.write(part, [writer.solved(part, batch(outcomes))])
    return part


def read(directory: Path, part: Range) -> list[dict[str, object]]:
    with stored.open_part(directory, part) as file:
        return [row for table in stored.read(file, directory / "p") for row in table.to_pylist()]


class TestTables:
    def test_solved_deals(self, writer: rows.Writer) -> None:
        table = writer.solved(Range(5, 8), batch("wlu"))
        assert table.schema.equals(SCHEMA)
        common = {
            "game": "wasp",
            "rules": "wasp",
            "scheme": "solstat",
            "search": "full",
            "budget": 300,
            "stage": "dfs",
            "attempt": 1,
            "seconds": 0.5,
        }
        won = {"outcome": "won", "reason": None, "moves": 3, "line": "7H>3 deal AS>1"}
        lost = {"outcome": "lost", "reason": None, "moves": None, "line": None}
        unsettled = {"outcome": "unsettled", "reason": "budget", "moves": None, "line": None}
        assert table.to_pylist() == [
            common | won | {"index": 5, "seed": "105", "positions": 10},
            common | lost | {"index": 6, "seed": "106", "positions": 11},
            common | unsettled | {"index": 7, "seed": "107", "positions": 12},
        ]

    def test_failed_deals(self, writer: rows.Writer) -> None:
        (row,) = writer.failed(Range(5, 6), "crash:SIGSEGV").to_pylist()
        assert (row["outcome"], row["reason"], row["seed"]) == ("error", "crash:SIGSEGV", "105")
        for column in ("stage", "positions", "moves", "line", "seconds"):
            assert row[column] is None

    def test_deals_of_a_file_have_their_ids(self, tmp_path: Path, file_plan: Plan) -> None:
        assert isinstance(file_plan.deals, tuple)
        writer = rows.Writer(tmp_path, Record.of(file_plan, 1), file_plan.deals, {})
        found = writer.solved(Range(3, 5), batch("wl")).to_pylist()
        assert [row["seed"] for row in found] == [deal.id for deal in file_plan.deals[3:5]]
        assert [row["scheme"] for row in found] == ["file", "file"]

    def test_the_last_seeds_there_are(self, tmp_path: Path, plan: Plan) -> None:
        record = Record.of(plan, 1)
        record = replace(record, identity=replace(record.identity, first_seed=str(2**64 - 2)))
        table = rows.Writer(tmp_path, record, (), {}).solved(Range(0, 2), batch("ww"))
        assert table["seed"].to_pylist() == [str(2**64 - 2), str(2**64 - 1)]


class TestWrite:
    def test_what_is_written_is_read(self, tmp_path: Path, writer: rows.Writer) -> None:
        part = write(writer, 5, "wlu")
        assert read(tmp_path, part) == writer.solved(part, batch("wlu")).to_pylist()
        assert [path.name for path in tmp_path.iterdir()] == [name(part)]

    def test_the_footer_says_what_the_rows_are(self, tmp_path: Path, writer, plan: Plan) -> None:
        part = write(writer, 0, "w")
        footer = json.loads(pq.read_metadata(tmp_path / name(part)).metadata[FOOTER])
        assert footer["schema"] == SCHEMA_VERSION
        assert footer["identity"]["rules"] == "wasp"
        assert footer["budget"] == plan.budget
        assert footer["provenance"] == {"by": "test"}

    def test_a_write_that_fails_leaves_nothing(self, tmp_path: Path, writer) -> None:
        def tables() -> Iterator[pa.Table]:
            yield writer.solved(Range(0, 1), batch("w"))
            raise OSError(28, "No space left on device")

        with pytest.raises(SolstatError, match=r"cannot write .*: No space left on device"):
            writer.write(Range(0, 2), tables())
        assert list(tmp_path.iterdir()) == []

    def test_a_directory_that_is_gone(self, tmp_path: Path, writer: rows.Writer) -> None:
        tmp_path.rmdir()
        with pytest.raises(SolstatError, match="No such file or directory"):
            write(writer, 0, "w")


class TestMerge:
    def test_neighbours_become_one(self, tmp_path: Path, writer, monkeypatch) -> None:
        monkeypatch.setattr(rows, "ROW_GROUP", 5)
        group = [write(writer, 0, "www"), write(writer, 3, "lll"), write(writer, 6, "u")]
        before = [row for part in group for row in read(tmp_path, part)]
        merged = writer.merge(group)
        assert read(tmp_path, merged) == before
        assert [path.name for path in tmp_path.iterdir()] == [name(Range(0, 7))]
        assert pq.read_metadata(tmp_path / name(merged)).num_row_groups == 2

    def test_a_crash_before_the_old_ones_go_loses_nothing(
        self, tmp_path: Path, writer, monkeypatch
    ) -> None:
        group = [write(writer, 0, "ww"), write(writer, 2, "ll")]
        monkeypatch.setattr(rows, "remove", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            writer.merge(group)
        monkeypatch.undo()
        assert len(list(tmp_path.iterdir())) == 3
        rows.remove(tmp_path, group)
        rows.remove(tmp_path, group)  # and once more does no harm
        assert [row["outcome"] for row in read(tmp_path, Range(0, 4))] == ["won"] * 2 + ["lost"] * 2


class TestOpen:
    def test_cut_short(self, tmp_path: Path, writer: rows.Writer) -> None:
        part = write(writer, 0, "wlw" * 100)
        path = tmp_path / name(part)
        whole = path.read_bytes()
        for length in (0, 3, 10, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:length])
            with pytest.raises(
                SolstatError, match="cut short or no Parquet file; solstat doctor .* --fix moves it"
            ):
                stored.open_part(tmp_path, part)

    def test_damaged_inside(self, tmp_path: Path, writer: rows.Writer) -> None:
        part = write(writer, 0, "wlw" * 1000)
        path = tmp_path / name(part)
        content = bytearray(path.read_bytes())
        content[4:200] = bytes(196)
        path.write_bytes(content)
        with pytest.raises(SolstatError, match=r"damaged \(.*\); solstat doctor") as refused:
            read(tmp_path, part)
        assert "\n" not in str(refused.value)

    def test_not_one_of_solstat(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [1]}), tmp_path / name(Range(0, 1)))
        with pytest.raises(SolstatError, match="its schema is not one of solstat"):
            stored.open_part(tmp_path, Range(0, 1))

    def test_another_schema_version(self, tmp_path: Path, writer: rows.Writer) -> None:
        table = writer.solved(Range(0, 1), batch("w"))
        for footer in (b'{"schema": 7}', b"[]", b"{"):
            other = table.replace_schema_metadata({FOOTER: footer})
            pq.write_table(other, tmp_path / name(Range(0, 1)))
            with pytest.raises(SolstatError, match="this solstat reads 1"):
                stored.open_part(tmp_path, Range(0, 1))

    def test_rows_that_are_not_as_many_as_the_name_says(self, tmp_path: Path, writer) -> None:
        part = write(writer, 0, "www")
        os.rename(tmp_path / name(part), tmp_path / name(Range(0, 4)))
        with pytest.raises(SolstatError, match="holds 3 rows, its name says 4"):
            stored.open_part(tmp_path, Range(0, 4))

    @pytest.mark.parametrize("there", [Range(3, 6), Range(1, 4)])
    def test_rows_that_are_not_those_the_name_says(self, tmp_path, writer, there) -> None:
        part = write(writer, 0, "www")
        os.rename(tmp_path / name(part), tmp_path / name(there))
        with pytest.raises(SolstatError, match="holds other deals than its name says"):
            stored.open_part(tmp_path, there)

    def test_rows_out_of_order(self, tmp_path: Path, writer: rows.Writer) -> None:
        halves = [writer.solved(Range(*each), batch("ww")) for each in ((2, 4), (0, 2))]
        writer.write(Range(0, 4), halves)
        with pytest.raises(SolstatError, match="holds other deals than its name says"):
            stored.open_part(tmp_path, Range(0, 4))

    def test_every_page_has_a_checksum(self, tmp_path: Path, writer: rows.Writer) -> None:
        """A flipped bit among the rows is told, wherever it is."""
        part = write(writer, 0, "wlu" * 100)
        path = tmp_path / name(part)
        whole = path.read_bytes()
        columns = pq.read_metadata(path).row_group(0)
        for number in range(columns.num_columns):
            column = columns.column(number)
            content = bytearray(whole)
            start = column.dictionary_page_offset or column.data_page_offset
            content[start + column.total_compressed_size - 1] ^= 1  # in its last page
            path.write_bytes(content)
            with pytest.raises(SolstatError, match=r"damaged \(.*\); solstat doctor"):
                read(tmp_path, part)

    def test_unreadable(self, tmp_path: Path) -> None:
        (tmp_path / name(Range(0, 4))).mkdir()
        with pytest.raises(SolstatError, match="cannot read"):
            stored.open_part(tmp_path, Range(0, 4))

    def test_gone(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            stored.open_part(tmp_path, Range(0, 4))

    def test_a_part_of_another_run(self, tmp_path: Path, writer: rows.Writer, plan: Plan) -> None:
        part = write(writer, 0, "w")
        record = Record.of(plan, 1)
        for other in (
            replace(record, budget=7, budgets=()),
            replace(record, identity=replace(record.identity, search="plain")),
        ):
            with (
                stored.open_part(tmp_path, part) as file,
                pytest.raises(SolstatError, match="a part of another run"),
            ):
                stored.check_footer(tmp_path / name(part), file, other, lambda _: None)

    def test_a_part_of_another_file(self, tmp_path: Path, file_plan: Plan) -> None:
        """Its deals must be the first of those that are planned now."""
        assert isinstance(file_plan.deals, tuple)
        turned = (*file_plan.deals[1:10], file_plan.deals[0])
        for deals, sound in ((file_plan.deals[:10], True), (turned, False)):
            record = Record.of(replace(file_plan, deals=deals), 1)
            part = write(rows.Writer(tmp_path, record, deals, {}), 0, "w")
            now = Record.of(file_plan, 1), file_plan.deals_sha256
            if sound:
                stored.check_whole(tmp_path, part, *now)
            else:
                with pytest.raises(SolstatError, match="a part of another run"):
                    stored.check_whole(tmp_path, part, *now)

    def test_partial_files_are_removed(self, tmp_path: Path, writer: rows.Writer) -> None:
        part = write(writer, 0, "w")
        shutil.copy(tmp_path / name(part), tmp_path / f".{name(Range(1, 2))}.partial")
        rows.remove_partial(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [name(part)]
