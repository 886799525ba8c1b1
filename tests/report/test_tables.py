from __future__ import annotations

import numpy as np

from solstat.report.tables import aligned, figures_table, patterns_table, stages_table
from solstat.stats.paired import Paired
from solstat.stats.proportion import figures
from solstat.survey.reader import Counts


def test_columns_line_up_and_lines_have_no_blanks_at_the_end() -> None:
    table = aligned(["name", "n", ""], [["a", "1,000", "x"], ["longer", "5", ""]])
    assert table.splitlines() == [
        "name        n",
        "a       1,000  x",
        "longer      5",
    ]


def test_names_stand_above_the_figures_of_their_runs() -> None:
    found = [figures(Counts("wasp", 5, won=1)), figures(Counts("scorpion", 5, error=1))]
    lines = figures_table(found, ["runs/a", "runs/b"]).splitlines()
    assert [lines[1], lines[5]] == ["runs/a", "runs/b"]
    assert lines[:1] + lines[2:5] + lines[6:] == figures_table(found).splitlines()


def test_stages() -> None:
    table = stages_table(
        {
            "dive": Counts("spiderette", 9, won=1000, unsettled=2),
            "proof": Counts("spiderette", 9, won=1, error=1),
        }
    )
    assert table.splitlines() == [
        "stage    won  of all won %  lost  of all lost %  unsettled, last tried",
        "dive   1,000         99.90     0                                     2",
        "proof      1          0.10     0                                     1",
    ]
    assert len(stages_table({}).splitlines()) == 1


def test_patterns_name_few_deals_and_count_many() -> None:
    outcome = np.array([[1, 1, 2, 1], [1, 1, 0, 1]], np.uint8)
    table = patterns_table(
        Paired(("a", "b"), (9, 9), tuple("5678"), outcome), ["leave", "b"], most=2
    )
    assert table.splitlines() == [
        "leave  b          deals  seeds",
        "won    won            3",
        "lost   unsettled      1  7",
    ]


def test_figures_of_several_runs() -> None:
    table = figures_table(
        [
            figures(Counts("wasp", 250_000, won=8500, lost=1400, unsettled=99, error=1)),
            figures(Counts("scorpion", 1234, lost=5)),
            figures(Counts("spider", 1_000_000)),
        ]
    )
    assert table.splitlines() == [
        "rules     budget       n             deals  floor %  ceiling %       interval %",
        "wasp        250k  10,000  won        8,500    85.00      86.00   84.29 to 86.67",
        "                          lost       1,400    14.00      15.00   13.33 to 15.71",
        "                          unsettled     99",
        "                          error          1",
        "scorpion    1234       5  won            0     0.00       0.00    0.00 to 43.45",
        "                          lost           5   100.00     100.00  56.55 to 100.00",
        "                          unsettled      0",
        "spider        1M       0  won            0     0.00     100.00   0.00 to 100.00",
        "                          lost           0     0.00     100.00   0.00 to 100.00",
        "                          unsettled      0",
    ]
