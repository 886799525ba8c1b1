"""Position budgets as people write them: 250000, 250k, 1M, 1.5M."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from solstat.cards import shown
from solstat.errors import UsageError

MAX_BUDGET = 2**63 - 1  # the data keep budgets as int64
_FACTORS = {"": 1, "k": 10**3, "M": 10**6}
_OTHER_CASE = str.maketrans("Km", "kM")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_BUDGET = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,6})?)([kM]?)")


def parse_budget(text: str) -> int:
    """The number of positions a text names.

    Raises
    ------
    UsageError
        The text is no whole number of positions from 1 to 2**63 - 1.
    """
    match = _BUDGET.fullmatch(text)
    if match:
        budget = Decimal(match[1]) * _FACTORS[match[2]]
        if budget == int(budget) and 1 <= budget <= MAX_BUDGET:
            return int(budget)
    meant = text[:-1] + text[-1:].translate(_OTHER_CASE)
    if meant != text and _BUDGET.fullmatch(meant):
        raise UsageError(f"budget {shown(text)}: did you mean {meant}?")
    raise UsageError(
        f"budget {shown(text)}: write a whole number of positions, at least 1, "
        "like 250000, 250k, 1M or 1.5M"
    )


def parse_budgets(text: str) -> tuple[int, ...]:
    """Budgets as a text names them, one or several with commas between: 250k, 250k,1M,40M.

    Raises
    ------
    UsageError
        One is none, they do not ascend, or it may be a single one with commas in it.
    """
    if _THOUSANDS.fullmatch(text):
        raise UsageError(
            f"budget {shown(text)}: write {text.replace(',', '')} without commas; "
            "those of several end in k or M, as 0.5k"
        )
    return ascending(map(parse_budget, text.split(",")))


def ascending(budgets: Iterable[int]) -> tuple[int, ...]:
    """Budgets of which each is for what the one before has left open.

    Raises
    ------
    UsageError
        There is none, or one is not above the one before.
    """
    found = tuple(budgets)
    if not found:
        raise UsageError("no budgets: name one, or several of which each is above the one before")
    if any(later <= budget for budget, later in pairwise(found)):
        text = format_budgets(found)
        raise UsageError(f"budgets {text}: each must be above the one before, as 250k,1M")
    return found


def format_budget(budget: int) -> str:
    """The shortest text that `parse_budget` reads as `budget`: 250k, 1M, 1.5M, 1234."""
    if budget >= 10**6 and budget % 10**5 == 0:
        return f"{Decimal(budget) / 10**6:f}M"
    if budget >= 10**3 and budget % 10**3 == 0:
        return f"{budget // 10**3}k"
    return str(budget)


def format_budgets(budgets: Iterable[int]) -> str:
    """The text that `parse_budgets` reads as these: 250k,1M,40M."""
    texts = [format_budget(budget) for budget in budgets]
    if _THOUSANDS.fullmatch(",".join(texts)):
        texts[-1] = f"{Decimal(texts[-1]) / 1000:f}k"
    return ",".join(texts)
