"""The parts of a directory while rows are added to it."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from solstat.survey import parts
from solstat.survey.plan import Range

if TYPE_CHECKING:
    import pyarrow as pa

    from solstat.survey.rows import Writer


class Shelf:
    """Parts that are written one after the other; many small neighbours become one as they come.

    Parameters
    ----------
    found : list of Range
        The parts that are there, sorted. It is kept up to date.
    writer : Writer
        What writes them.
    """

    def __init__(self, found: list[Range], writer: Writer) -> None:
        self._parts = found
        self.writer = writer

    def write(self, part: Range, table: pa.Table) -> None:
        """Add a part."""
        self.writer.write(part, [table])
        insort(self._parts, part)
        new = part
        while group := parts.small_neighbours(self._parts, new):
            new = self._merge(group)

    def compact(self) -> None:
        """Make parts of about a million rows, for good."""
        for group in list(parts.large_groups(self._parts)):
            if len(group) > 1:
                self._merge(group)

    def _merge(self, group: list[Range]) -> Range:
        merged = self.writer.merge(group)
        at = self._parts.index(group[0])
        self._parts[at : at + len(group)] = [merged]
        return merged
