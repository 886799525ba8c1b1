"""The rows of a run: how they are made and written.

Importing this imports pyarrow; do so only once the workers are forked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solstat.deals import Deal, parse_seed
from solstat.errors import SolstatError
from solstat.solver import OUTCOMES, Batch
from solstat.survey import parts, seal, stored
from solstat.survey.plan import Range
from solstat.survey.record import Record, sync_directory
from solstat.survey.schema import FOOTER, SCHEMA, SCHEMA_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROW_GROUP = 1 << 17
"""Rows that are read, and compacted, at once."""

_FEW = ["game", "rules", "scheme", "search", "budget", "outcome", "reason", "stage", "attempt"]
"""Columns of few values, which are worth a dictionary; so are small numbers."""

_REASONS = {"unsettled": "budget"}  # settled deals have none; a crash makes its own rows
_PARTIAL = ".partial"


@dataclass(frozen=True, eq=False)
class Targets:
    """Deals that are searched again.

    Attributes
    ----------
    index : ndarray of int64
        Shape (deals,): ascending.
    attempt : ndarray of int32
        Shape (deals,): the number of the last search of each.
    """

    index: NDArray[np.int64]
    attempt: NDArray[np.int32]


class Writer:
    """Makes and writes the parts of one run.

    Parameters
    ----------
    directory : Path
        The run directory.
    record : Record
        What the rows are rows of.
    deals : sequence of Deal
        The deals of a file; empty for seeds.
    provenance : mapping
        What the footer says of how the rows came about.
    targets : Targets, optional
        The deals that are searched again, if the rows are of these: a part is named by where they
        stand in it then, and not by their index.
    """

    def __init__(
        self,
        directory: Path,
        record: Record,
        deals: Sequence[Deal],
        provenance: Mapping[str, Any],
        targets: Targets | None = None,
    ) -> None:
        self.directory = directory
        self._record = record
        self._targets = targets
        self._ids = pa.array([deal.id for deal in deals], pa.string())
        self._constant = {
            "game": record.rules.game,
            "rules": record.identity.rules,
            "scheme": record.identity.scheme,
            "search": record.identity.search,
            "budget": record.budget,
        }
        footer = {
            "schema": SCHEMA_VERSION,
            "identity": asdict(record.identity),
            "budget": record.budget,
            "deals": record.deals,  # identity's fingerprint of a file is of so many
            "provenance": provenance,
            seal.KEY: seal.UNSEALED,
        }
        if record.shard is not None:
            footer["shard"] = asdict(record.shard)
        if record.until is not None:
            footer["until"] = record.until
        self.schema = SCHEMA.with_metadata({FOOTER: json.dumps(footer)})

    def solved(self, part: Range, batch: Batch) -> pa.Table:
        """The rows of solved deals."""
        outcome = pa.array(batch.outcome)
        won = OUTCOMES.index("won")
        return self._table(
            part,
            outcome=pa.array(OUTCOMES, pa.string()).take(outcome),
            reason=pa.array(map(_REASONS.get, OUTCOMES), pa.string()).take(outcome),
            stage=pa.array(batch.stages, pa.string()).take(pa.array(batch.stage)),
            positions=pa.array(batch.positions),
            moves=pa.array(batch.moves, mask=batch.outcome != won),
            line=pa.array(batch.line, pa.string()),
            seconds=pa.array(batch.seconds),
        )

    def failed(self, part: Range, reason: str) -> pa.Table:
        """The rows of deals over which the solver itself failed."""
        return self._table(
            part,
            outcome=pa.repeat(pa.scalar("error", pa.string()), part.size),
            reason=pa.repeat(pa.scalar(reason, pa.string()), part.size),
        )

    def _table(self, part: Range, **columns: pa.Array) -> pa.Table:
        if self._targets is None:
            index = np.arange(part.first, part.last, dtype=np.int64)
            attempt = np.ones(part.size, np.int32)
        else:
            index = self._targets.index[part.first : part.last]
            attempt = self._targets.attempt[part.first : part.last] + 1
        columns["index"], columns["attempt"] = pa.array(index), pa.array(attempt)
        columns["seed"] = self._seeds(index)
        for field in SCHEMA:
            if field.name in self._constant:
                value = pa.scalar(self._constant[field.name], field.type)
                columns[field.name] = pa.repeat(value, part.size)
            elif field.name not in columns:
                columns[field.name] = pa.nulls(part.size, field.type)
        return pa.table(columns).select(SCHEMA.names).cast(self.schema)

    def _seeds(self, index: NDArray[np.int64]) -> pa.Array:
        first = self._record.identity.first_seed
        if first is None:
            return self._ids.take(pa.array(index))
        seed = parse_seed(first, self._record.identity.scheme)
        if seed.number + int(index[-1]) >= 2**64:
            return pa.array([f"{seed.prefix}{seed.number + place}" for place in index.tolist()])
        numbers = index.astype(np.uint64) + np.uint64(seed.number)
        texts = pa.array(numbers).cast(pa.string())
        return pc.binary_join_element_wise(seed.prefix, texts, "") if seed.prefix else texts

    def write(self, part: Range, tables: Iterable[pa.Table]) -> None:
        """Write a part, a row group a table: whole or not at all, and durably.

        Raises
        ------
        SolstatError
            The directory does not take it.
        """
        write(self.directory / parts.name(part), self.schema, tables)

    def merge(self, group: Sequence[Range]) -> Range:
        """Write neighbours anew as one part, then remove them."""
        merged = Range(group[0].first, group[-1].last)
        self.write(merged, self._row_groups(group))
        sync_directory(self.directory)  # the new name must be durable before the old ones go
        remove(self.directory, group)
        return merged

    def _row_groups(self, group: Iterable[Range]) -> Iterator[pa.Table]:
        return row_groups(self.taken(table) for part in group for table in self._read(part))

    def _read(self, part: Range) -> Iterator[pa.Table]:
        index = None if self._targets is None else self._targets.index
        with stored.open_part(self.directory, part, index) as file:
            yield from stored.read(file, self.directory / parts.name(part))

    def taken(self, table: pa.Table, shift: int = 0) -> pa.Table:
        """Rows as this run has them: their index higher by `shift`, the footer its own."""
        place = SCHEMA.get_field_index("index")
        index = pc.add(table["index"], pa.scalar(shift, pa.int64()))
        table = table.set_column(place, SCHEMA.field(place), index)
        return table.replace_schema_metadata(self.schema.metadata)


def row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows in groups of a useful size, small tables joined."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        waiting.append(table)
        rows += len(table)
        if rows >= ROW_GROUP:
            yield pa.concat_tables(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting)


def write(path: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    """Write rows to a file, a row group a table: whole or not at all, and durably.

    Raises
    ------
    SolstatError
        The directory does not take it.
    """
    partial = path.with_name(f".{path.name}{_PARTIAL}")
    try:
        with open(partial, "w+b") as file:
            with pq.ParquetWriter(
                file,
                schema,
                compression="zstd",
                write_page_checksum=True,
                use_dictionary=[*_FEW, "positions", "moves"],
                column_encoding={"index": "DELTA_BINARY_PACKED"},
            ) as writer:
                for table in tables:
                    writer.write_table(table)
            seal.seal(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise SolstatError(f"cannot write {path}: {error.strerror or error}") from None


def remove(directory: Path, superseded: Iterable[Range]) -> None:
    """Remove parts whose deals are in another part."""
    for part in superseded:
        (directory / parts.name(part)).unlink(missing_ok=True)


def remove_partial(directory: Path) -> None:
    """Remove what a writer that was killed has left half written."""
    for path in directory.glob(f".*.parquet{_PARTIAL}"):
        path.unlink(missing_ok=True)
