from __future__ import annotations

import numpy as np
import pytest

from solstat.report.curve import curve_rows, curve_table
from solstat.stats.curve import Costs, curve

COSTS = Costs("wasp", "full", 10, np.array([2, 2, 30, 400, 5000]), np.array([1, 80]), 1, 10_000)


def test_a_row_for_each_budget():
    table = curve_table({"": curve(COSTS, [1, 100, 10_000])})
    assert table.splitlines() == [
        "budget   n  settled %      interval %  won %      interval %  lost %      interval %",
        "     1  10      10.00   1.79 to 50.98   0.00   0.00 to 98.21   10.00  1.79 to 100.00",
        "   100  10      50.00  23.66 to 83.18  30.00  10.78 to 94.33   20.00   5.67 to 89.22",
        "   10k  10      70.00  39.68 to 94.33  50.00  23.66 to 94.33   20.00   5.67 to 76.34",
    ]


def test_runs_at_the_same_budget_stand_side_by_side():
    rows = curve_rows({"b": curve(COSTS, [10, 100]), "a": curve(COSTS, [100, 1000])})
    assert [row[:3] for row in rows] == [
        ["budget", "run", "n"],
        ["10", "b", "10"],
        ["100", "b", "10"],
        ["", "a", "10"],
        ["1k", "a", "10"],
    ]


@pytest.mark.parametrize(
    ("won", "lost", "n", "error", "shares"),
    [
        ([], [], 0, 0, ["0.00", "0.00", "0.00"]),
        ([], [], 5, 0, ["0.00", "0.00", "0.00"]),  # all unsettled
        ([], [], 5, 5, ["0.00", "0.00", "0.00"]),  # all errors
        ([3] * 5, [], 5, 0, ["100.00", "100.00", "0.00"]),
        ([], [3] * 5, 5, 0, ["100.00", "0.00", "100.00"]),
    ],
)
def test_all_or_none(won, lost, n, error, shares):
    costs = Costs("wasp", "full", n, np.array(won, int), np.array(lost, int), error, 100)
    _, row = curve_rows({"": curve(costs, [100])})
    assert row[2::2] == shares
    won_interval = row[5]
    if len(won) + len(lost) == 0:
        assert won_interval == "0.00 to 100.00"
    else:
        assert won_interval == ("56.55 to 100.00" if won else "0.00 to 43.45")
