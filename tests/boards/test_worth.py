from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.boards.difficulty import SCALES
from solstat.boards.measures import Measures
from solstat.boards.worth import DIFFICULTY, levels, read, worth
from solstat.report.boards import level_figure, level_table, worth_table

GAMES = 5


def row(n, rules="wasp"):
    """A board that is harder, and goes worse, the larger n is, up to 99."""
    measures = Measures(10**4 * (n + 1), 50 + n, 3000 - 30 * n, n % 2, 0)
    results = {"greedy_won": (99 - n) // 20, "careful_won": 0}
    left = {"greedy_left": n, "careful_left": 200 - n}
    return {"rules": rules, "seed": str(n), "games": GAMES} | measures._asdict() | results | left


@pytest.fixture
def rows(tmp_path):
    pq.write_table(
        pa.Table.from_pylist([*map(row, range(100)), row(5, "wave-motion(columns=9)")]),
        tmp_path / "rows.parquet",
    )
    return read(tmp_path / "rows.parquet")


def test_rows_are_of_their_rules_and_have_a_difficulty(rows):
    assert {rules: len(found) for rules, found in rows.items()} == {
        "wasp": 100,
        "wave-motion(columns=9)": 1,
    }
    assert {each[DIFFICULTY] for each in rows["wasp"]} <= {1, 2, 3, 4, 5}


def test_a_correlation_is_positive_where_harder_goes_worse(rows):
    found = {each.measure: each for each in worth(rows["wasp"])}
    assert [*found] == [*Measures._fields, DIFFICULTY]
    for name in ("positions", "moves", "choices"):
        assert found[name].rho["greedy_left"] == pytest.approx(1)
        assert found[name].rho["greedy_won"] > 0.95
        assert found[name].rho["careful_left"] == pytest.approx(-1)
        assert found[name].rho["careful_won"] is None  # it never wins
        assert found[name].counts == (name in SCALES["wasp"].cuts)
    assert abs(found["waits"].rho["greedy_left"]) < 0.1
    assert found["least_empty"].rho["greedy_left"] is None  # the same for all
    assert not found[DIFFICULTY].counts


def test_levels_add_up(rows):
    found = levels(rows["wasp"])
    assert [each.level for each in found] == [1, 2, 3, 4, 5]
    assert sum(each.boards for each in found) == 100
    for each in found:
        here = [one for one in rows["wasp"] if one[DIFFICULTY] == each.level]
        assert each.games == GAMES * len(here)
        assert each.won["greedy"] == sum(one["greedy_won"] for one in here)
        if here:
            assert each.left["greedy"] == sum(one["greedy_left"] for one in here) / each.games


def test_tables_and_figures(rows):
    text = worth_table(worth(rows["wasp"]))
    assert "greedy, games won" in text.splitlines()[0]
    assert [line.split()[0] for line in text.splitlines()[2:]] == [
        *Measures._fields[1:],
        "difficulty",
    ]
    assert text.count("wasp") == 1
    assert text.count("dropped") == 5 - len(SCALES["wasp"].cuts)
    found = levels(rows["wasp"])
    table = level_table(found).splitlines()
    assert len(table) == 6
    assert table[1].split()[:3] == ["wasp", "1", str(found[0].boards)]
    for what in ("won", "left"):
        figure = level_figure({"wasp": found, "flow(empty_reserve=never)": found}, what)
        assert [axes.get_title("left") for axes in figure.axes] == [
            "wasp",
            "flow\n(empty_reserve=never)",
        ]
        line = figure.axes[0].lines[0]
        assert list(line.get_xdata()) == [each.level for each in found if each.games]
