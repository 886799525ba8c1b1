"""Parts as they are on disk: opening them, checking what they are of, reading their rows.

Importing this imports pyarrow; do so only once the workers are forked.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from solstat.errors import SolstatError
from solstat.survey import parts, seal
from solstat.survey.plan import Range
from solstat.survey.record import Record
from solstat.survey.rounds import RESULTS
from solstat.survey.schema import FOOTER, SCHEMA, SCHEMA_VERSION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNREADABLE = (pa.ArrowException, ValueError, TypeError, LookupError, OverflowError, MemoryError)
"""What pyarrow raises for a damaged file, beside OSError."""


def read(
    file: pq.ParquetFile, path: Path, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The rows of an open part, a row group at a time.

    Raises
    ------
    SolstatError
        The part is damaged.
    """
    try:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns=columns)
    except (OSError, *UNREADABLE) as error:
        raise SolstatError(f"{path}: damaged ({_first_line(error)}); {_remedy(path)}") from None


def open_part(
    directory: Path, part: Range, index: NDArray[np.int64] | None = None
) -> pq.ParquetFile:
    """A part, open for reading.

    Parameters
    ----------
    directory : Path
        Where it is.
    part : Range
        Which it is.
    index : ndarray of int64, optional
        Of deals that are searched again, if the part is named by where they stand in it.

    Raises
    ------
    FileNotFoundError
        It is gone: a writer has merged it into another.
    SolstatError
        It is damaged, was written with another schema, or has not the rows its name says.
    """
    path = directory / parts.name(part)
    try:
        with open(path, "rb") as sealed:
            if seal.is_broken(sealed):
                raise ValueError("the footer is not as it was written")
        file = pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError:
        if path.is_symlink():
            raise SolstatError(f"cannot read {path}: a link to nothing") from None
        raise
    except OSError as error:
        raise SolstatError(f"cannot read {path}: {error.strerror or error}") from None
    except UNREADABLE:
        raise SolstatError(f"{path}: cut short or no Parquet file; {_remedy(path)}") from None
    said = footer(file)
    version = said.get("schema")
    if version != SCHEMA_VERSION:
        raise SolstatError(
            f"{path}: its schema is {version or 'not one of solstat'}, "
            f"this solstat reads {SCHEMA_VERSION}; move it away"
        )
    if not file.schema_arrow.equals(SCHEMA):
        raise SolstatError(f"{path}: its columns are not those of schema {version}; move it away")
    if file.metadata.num_rows != part.size:
        raise SolstatError(
            f"{path}: holds {file.metadata.num_rows} rows, its name says {part.size}; move it away"
        )
    if not _holds(file.metadata, part, index):
        raise SolstatError(f"{path}: holds other deals than its name says; move it away")
    return file


def read_file(
    path: Path, columns: Sequence[str] | None = None, schema: pa.Schema | None = None
) -> Iterator[pa.Table]:
    """The rows of a file that is no part of a run, a row group at a time.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str, optional
        Names of columns; all of them if not given.
    schema : Schema, optional
        What its schema must be, to the footer's last word; that of runs, whatever the footer says,
        if not given.

    Raises
    ------
    SolstatError
        It is damaged, or has another schema.
    """
    try:
        with open(path, "rb") as sealed:
            if seal.is_broken(sealed):
                raise ValueError("the footer is not as it was written")
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            if not _is_as(file.schema_arrow, schema):
                raise SolstatError(f"{path}: its schema is another than this solstat reads")
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=columns)
    except (OSError, *UNREADABLE) as error:
        raise SolstatError(f"{path}: damaged ({_first_line(error)}); move it away") from None


def _is_as(found: pa.Schema, schema: pa.Schema | None) -> bool:
    if schema is None:
        return bool(found.equals(SCHEMA))
    said, meant = (json.loads(each.metadata[FOOTER]) for each in (found, schema))
    return bool(found.equals(schema)) and said | {seal.KEY: None} == meant | {seal.KEY: None}


def _holds(metadata: pq.FileMetaData, part: Range, index: NDArray[np.int64] | None) -> bool:
    """Whether the row groups are, one after the other, of the deals of a range."""
    at = part.first
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        found = group.column(SCHEMA.get_field_index("index")).statistics
        last = at + group.num_rows - 1
        if index is not None and last >= len(index):
            return False
        ends = (at, last) if index is None else (index[at], index[last])
        if found is None or not found.has_min_max or (found.min, found.max) != ends:
            return False
        at = last + 1
    return at == part.last


def check_footer(
    path: Path, file: pq.ParquetFile, record: Record, deals_sha256: Callable[[int], str | None]
) -> None:
    """Refuse (SolstatError) an open part whose footer names another run.

    Parameters
    ----------
    path : Path
        Of the part.
    file : ParquetFile
        The part.
    record : Record
        The run.
    deals_sha256 : callable
        The fingerprint of the first so many deals of the run: a part is of the deals that were
        planned when it was written, which may be fewer than now.
    """
    said = footer(file)
    if (count := planned(file)) > record.deals:
        raise SolstatError(
            f"{path}: made when {count} deals were planned, and the run plans {record.deals}; "
            "move it away"
        )
    if (
        count < 1
        or said.get("budget") not in record.budgets
        or said.get("identity")
        != asdict(replace(record.identity, deals_sha256=deals_sha256(count)))
    ):
        raise SolstatError(f"{path}: a part of another run; move it away")


def check_whole(
    directory: Path, part: Range, record: Record, deals_sha256: Callable[[int], str | None]
) -> None:
    """Refuse (SolstatError) a part that is not of the run, or not readable to its last page."""
    path = directory / parts.name(part)
    with open_part(directory, part) as file:
        check_footer(path, file, record, deals_sha256)
        for _ in read(file, path):
            pass


def footer(file: pq.ParquetFile) -> dict[str, Any]:
    """What a part says of itself, empty if it is not one of solstat."""
    try:
        content = json.loads((file.schema_arrow.metadata or {})[FOOTER])
    except (KeyError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def planned(file: pq.ParquetFile) -> int:
    """How many deals were planned when a part was written, 0 if it does not say."""
    count = footer(file).get("deals")
    return count if type(count) is int else 0


def _remedy(path: Path) -> str:
    """What is to be done with a part that cannot be read."""
    if path.parent.name == RESULTS:
        return "remove it, and the same command searches its deals again"
    doctor = shlex.join(["solstat", "doctor", str(path.parent), "--fix"])
    return f"{doctor} moves it away, and the command that made the run solves its deals again"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
