from __future__ import annotations

from solstat.report.beside import beside_table
from solstat.stats.intervals import wilson
from solstat.stats.proportion import figures
from solstat.stats.published import Published, exactly, rounded
from solstat.survey.reader import Counts


def rows(table: str) -> list[str]:
    """The rows under the header, with single spaces."""
    return [" ".join(line.split()) for line in table.splitlines()[1:]]


def test_published_and_ours() -> None:
    published = Published("a page", 100, exactly(82), lost=13, budget=250_000)
    ours = figures(Counts("wasp", 250_000, won=80, lost=18, unsettled=1, error=1))
    low, high = 100 * wilson(82, 100).low, 100 * wilson(87, 100).high
    assert rows(beside_table({"published": published, "ours": ours})) == [
        f"published 250k 100 82.00 13.00 5.00 {low:.2f} to {high:.2f}",
        f"ours 250k 100 80.00 18.00 2.00 {100 * ours.low:.2f} to {100 * ours.high:.2f}",
    ]


def test_what_is_not_said_is_not_guessed() -> None:
    (row,) = rows(beside_table({"published": Published("a page", 563, rounded("89", 563))}))
    low = 100 * wilson(499, 563).low
    assert row == (f"published not said 563 88.63 to 89.34 not said not said {low:.2f} to 100.00")


def test_none_lost_is_said() -> None:
    (row,) = rows(beside_table({"it": Published("a page", 100, exactly(75), lost=0)}))
    assert row.startswith("it not said 100 75.00 0.00 25.00 ")


def test_no_deals() -> None:
    (row,) = rows(beside_table({"ours": figures(Counts("wasp", 10))}))
    assert row == "ours 10 0 0.00 0.00 0.00 0.00 to 100.00"
