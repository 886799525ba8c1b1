from __future__ import annotations

import pytest

from solstat.report.account import answer
from solstat.stats.intervals import wilson
from solstat.stats.proportion import figures
from solstat.survey.reader import Counts


def said(won: int = 0, lost: int = 0, unsettled: int = 0, error: int = 0) -> str:
    return answer(figures(Counts("wasp", 1_000_000, won, lost, unsettled, error)))


def test_all_settled():
    low, high = (100 * bound for bound in wilson(80, 100))
    assert said(won=80, lost=20) == (
        "80.00 % of the deals can be won, 80 of 100, and none is unsettled; the share of all deals "
        f"that can be won is between {low:.2f} and {high:.2f} % (95 % interval)."
    )


@pytest.mark.parametrize(
    ("counts", "share", "why"),
    [
        ({"won": 98, "lost": 1, "unsettled": 1}, "98.00", "1 of 100 is unsettled at 1M positions"),
        ({"unsettled": 5}, "0.00", "5 of 5 are unsettled at 1M positions"),
        ({"error": 5}, "0.00", "5 of 5 are in error; "),
        ({"won": 1, "unsettled": 2, "error": 1}, "25.00", "a deal and 1 of 4 is in error; "),
        ({"won": 7}, "100.00", None),
        ({"lost": 7}, "0.00", None),
        ({"won": 19_999, "lost": 1}, "99.995", None),
    ],
)
def test_is_a_floor_whenever_a_deal_is_open(counts, share, why):
    text = said(**counts)
    assert ("a floor since" in text) == text.startswith("At least ") == (why is not None)
    assert f"{share} % of the deals can be won, " in text
    assert (why or "none is unsettled") in text


def test_nothing_known():
    assert "between 0.00 and 100.00 %" in said(unsettled=5)
    assert "between 0.00 and 100.00 %" in said(error=5)
    assert said() == "Nothing is known yet, since no deal is solved."
