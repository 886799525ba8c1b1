"""The command line as a function, run in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from solstat.cli.app import solstat
from solstat.survey import logs


class Command(Protocol):
    """Runs solstat with arguments, and checks its exit code."""

    def __call__(self, *args: object, stdin: str | None = None, code: int = 0) -> Result: ...


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logs, "quiet", False)  # -q is for this command, and its process goes on

    def run(*args: object, stdin: str | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(solstat, [str(a) for a in args], stdin, prog_name="solstat")
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def rewritten() -> Callable[..., None]:
    """Writes other values into columns of all rows of a run."""

    def rewrite(place: str, **columns: object) -> None:
        (part,) = Path(place).glob("*.parquet")
        table = pq.read_table(part)
        for name, value in columns.items():
            at = table.schema.get_field_index(name)
            field = table.schema.field(at)
            table = table.set_column(at, field, pa.array([value] * len(table), field.type))
        pq.write_table(table, part)

    return rewrite
