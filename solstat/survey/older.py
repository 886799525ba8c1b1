"""The rows that deals of a run had before they were searched again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from solstat.survey.reader import Run
from solstat.survey.rounds import older_files

if TYPE_CHECKING:
    import pyarrow as pa

_ATTEMPTS = 1 << 20  # more than anyone makes


def older_rows(
    run: Run,
    columns: Sequence[str] | None = None,
    files: Iterable[Path] | None = None,
    now: Iterable[pa.Table] | None = None,
) -> Iterator[pa.Table]:
    """The rows that later searches have replaced, as Arrow tables: by round, then by index.

    Parameters
    ----------
    run : Run
        The run. If deals are being searched again, the rows that they still have are not older.
    columns : sequence of str, optional
        Names of columns of the schema; all of them if not given.
    files : iterable of Path, optional
        Files of `solstat.survey.rounds.older_files`; all of them if not given.
    now : iterable of pyarrow.Table, optional
        From `searched_again`, the rows of the run that have been read already: older rows are those
        before them, also if more deals have been searched again since.

    Raises
    ------
    SolstatError
        The run is damaged.
    """
    import numpy as np
    import pyarrow as pa

    from solstat.survey import stored
    from solstat.survey.schema import SCHEMA

    if now is None:
        now = map(searched_again, run.tables(["index", "attempt"]))
    latest = pa.concat_tables([SCHEMA.empty_table().select(["index", "attempt"]), *now])
    if not len(latest):
        return
    index, attempt = latest["index"].to_numpy(), latest["attempt"].to_numpy()
    if (
        files is None
    ):  # those of all rounds whose rows have been read, for they are older than these
        files = [path for _, path in older_files(run.path)]
    seen = np.empty(0, np.int64)
    for path in files:
        for table in stored.read_file(path):
            its_index, its_attempt = table["index"].to_numpy(), table["attempt"].to_numpy()
            at = np.minimum(np.searchsorted(index, its_index), len(index) - 1)
            is_older = (index[at] == its_index) & (attempt[at] > its_attempt)
            # A round that was given up half-way leaves rows that the next one keeps too.
            key = its_index * _ATTEMPTS + its_attempt
            is_older &= ~np.isin(key, seen)
            seen = np.append(seen, key[is_older])
            yield table.filter(pa.array(is_older)).select(columns or SCHEMA.names)


def searched_again(table: pa.Table) -> pa.Table:
    """Of some rows those that have replaced others: ``index`` and ``attempt``."""
    import pyarrow.compute as pc

    return table.select(["index", "attempt"]).filter(pc.greater(table["attempt"], 1))
