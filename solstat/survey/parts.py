"""The names of a run's Parquet files, which say what is in them.

``part-<first>-<last>.parquet`` holds the deals by index from first up to, and without, last. A part
whose deals are all in another part is superseded: compaction writes the large part before it
removes the small ones, so a crash in between leaves both. Readers pass over it, the next writer
removes it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from solstat.errors import SolstatError
from solstat.survey.plan import Range

MILLION = 1 << 20
FAN = 32
"""So many small neighbours of a kind become one part."""

_NAME = re.compile(r"part-([0-9]{9,})-([0-9]{9,})\.parquet")


def name(part: Range) -> str:
    """The file name of a part; names sort as the parts do."""
    return f"part-{part.first:09}-{part.last:09}.parquet"


def parse_name(text: str) -> Range | None:
    """The part that a file name is of, None if no run writes one of that name."""
    if match := _NAME.fullmatch(text):
        part = Range(int(match[1]), int(match[2]))
        if part.size > 0 and name(part) == text:
            return part
    return None


def listed(directory: Path) -> tuple[list[Range], list[Range]]:
    """The parts in a directory, sorted by index, and those that are superseded.

    Raises
    ------
    SolstatError
        Parts share deals and neither holds the other: no run writes such.
    """
    found = []
    for path in directory.iterdir():
        if _NAME.fullmatch(path.name):
            part = parse_name(path.name)
            if part is None:
                raise SolstatError(f"{path}: no run writes a part of that name; move it away")
            found.append(part)
    return _without_superseded(directory, found)


def _without_superseded(directory: Path, found: Iterable[Range]) -> tuple[list[Range], list[Range]]:
    parts: list[Range] = []
    superseded: list[Range] = []
    for part in sorted(found, key=lambda part: (part.first, -part.last)):
        if not parts or parts[-1].last <= part.first:
            parts.append(part)
        elif part.last <= parts[-1].last:
            superseded.append(part)
        else:
            raise SolstatError(
                f"{directory}: {name(parts[-1])} and {name(part)} share deals; "
                "move the wrong one away"
            )
    return parts, superseded


def covering(parts: Iterable[Range], superseded: Iterable[Range]) -> list[Range]:
    """Those of `parts` that the superseded ones are within (both as `listed`)."""
    return [
        part
        for part in parts
        if any(part.first <= each.first and each.last <= part.last for each in superseded)
    ]


def small_neighbours(parts: Sequence[Range], new: Range) -> list[Range]:
    """The parts to merge once `new` is among `parts` (sorted), or none.

    Parts of about the same size are merged when `FAN` of them are neighbours. So every row is
    rewritten a few times at most, and a directory holds a few dozen small parts at most, however
    many chunks a run has.
    """
    size = _size_class(new)
    if size is None:
        return []
    at = bisect_left(parts, new)
    first = at
    while first and parts[first - 1].last == parts[first].first:
        if _size_class(parts[first - 1]) != size:
            break
        first -= 1
    last = at
    while last + 1 < len(parts) and parts[last].last == parts[last + 1].first:
        if _size_class(parts[last + 1]) != size:
            break
        last += 1
    return list(parts[first : last + 1]) if last + 1 - first >= FAN else []


def _size_class(part: Range) -> int | None:
    return int(math.log(part.size, FAN)) if part.size <= MILLION // FAN else None


def large_groups(parts: Iterable[Range]) -> Iterator[list[Range]]:
    """Neighbours (of sorted `parts`) that together make a part of about a million rows."""
    group: list[Range] = []
    for part in parts:
        if group and (group[-1].last != part.first or part.last - group[0].first > MILLION):
            yield group
            group = []
        group.append(part)
    if group:
        yield group
