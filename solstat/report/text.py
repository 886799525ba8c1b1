"""Numbers and names as the text of a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath


def visible(text: str) -> str:
    """The text with its control characters as escapes: one line, and no sign that is not seen."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def escaped(text: str) -> str:
    """Text as Markdown shows it, without any meaning of its own."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~$]|^[#+-])", r"\\\1", text)


def run_name(path: PurePath) -> str:
    """What a report calls a run: its path, or the last name of an absolute one."""
    return visible(path.name if path.is_absolute() else str(path))


def percent(share: float, decimals: int = 2) -> str:
    """A share in per cent, never rounded to all or none if it is not."""
    while True:
        text = f"{100 * share:.{decimals}f}"
        if not (0 < share < 1 and float(text) in (0, 100)) or decimals > 12:
            return text
        decimals += 1


def rounded(share: float, places: int = 2) -> str:
    """A share in per cent, as a column of a table has it."""
    return f"{100 * share:.{places}f}"


def ends(low: float, high: float, places: int = 2) -> str:
    """An interval in per cent, as a column of a table has it."""
    return f"{rounded(low, places)} to {rounded(high, places)}"


def decimals(n: int) -> int:
    """Decimals of a percentage that tell something of so many deals: two, three from 100,000 up."""
    return max(2, len(str(n)) - 3)


def counted(number: int, one: str, more: str | None = None) -> str:
    """A number and what it counts: ``1 deal``, ``1,200 deals``."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence as a list: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
