from __future__ import annotations

import pytest

from solstat.boards.difficulty import SCALES, Scale, difficulty, scale_of, tenth
from solstat.boards.measures import Measures, measure
from solstat.games import parse_rules, presets, rules, start
from solstat.solver import deal_many, solve


def board(rules, seed):
    cards = deal_many("solstat", [seed])[0].tolist()
    result = solve(rules, cards, 250_000)
    assert result.outcome == "won"
    return cards, result.positions, result.line


@pytest.mark.parametrize(
    "name",
    [
        "wasp",
        "wave-motion",
        "flow",
        "will-o-the-wisp(finished_runs=return)",
        "wave-motion(columns=9)",
    ],
)
def test_measures_are_those_of_the_tables_on_the_way(name):
    rules = parse_rules(name)
    seed = next(
        seed
        for seed in range(100)
        if solve(rules, deal_many("solstat", [seed])[0].tolist(), 250_000).outcome == "won"
    )
    cards, positions, line = board(rules, seed)
    found = measure(rules, cards, positions, line)
    position, legal, empty = start(rules, cards), [], []
    for word in line.split():
        legal.append(len(position.moves()))
        text = str(position)
        lines = [row.partition(":") for row in text.splitlines()]
        columns = [rest for name, _, rest in lines if name in "1234567" or name.startswith("c")]
        assert len(columns) in (7, 8, 9)
        empty.append(sum(not rest.strip() for rest in columns))
        position = position.play(position.parse_move(word))
    assert position.won
    assert found == Measures(
        positions=positions,
        moves=len(legal),
        choices=sum(legal) * 100 // len(legal),
        waits=sum(not each for each in empty),
        least_empty=min(empty),
    )


def test_a_scale_of_boards_puts_a_fifth_of_them_on_each_level():
    boards = [Measures(n, 50, 1000 - n, 0, 0) for n in range(500)]
    for names in (("positions",), ("choices",), ("positions", "choices")):
        scale = scale_of(boards, names)
        levels = [1 + sum(scale.score(board) > cut for cut in scale.levels) for board in boards]
        assert [levels.count(level) for level in range(1, 6)] == [100] * 5
        assert levels == sorted(levels)


def test_tenths():
    cuts = (10, 20, 30, 40, 50, 60, 70, 80, 90)
    assert [tenth(value, cuts) for value in (0, 10, 11, 90, 91, 10**12)] == [0, 0, 1, 8, 9, 9]
    assert [tenth(value, cuts, falling=True) for value in (0, 10, 11, 90, 91)] == [9, 9, 8, 1, 0]
    assert tenth(5, (5,) * 9) == 0
    assert tenth(6, (5,) * 9) == 9


def test_every_game_has_a_scale():
    assert {preset.name for preset in presets()} == SCALES.keys()
    for scale in SCALES.values():
        assert scale.cuts
        assert set(scale.cuts) <= set(Measures._fields)
        for cuts in scale.cuts.values():
            assert len(cuts) == 9
            assert list(cuts) == sorted(cuts)
        assert len(scale.levels) == 4
        assert list(scale.levels) == sorted(scale.levels)
        assert 0 <= scale.levels[0] <= scale.levels[-1] < 9 * len(scale.cuts)


def test_harder_measures_never_make_a_board_easier():
    for preset in presets():
        levels = [
            difficulty(preset.name, Measures(2**n, n, 10_000 - 400 * n, n, 0)) for n in range(25)
        ]
        assert levels == sorted(levels)
        assert levels[0] == 1
        assert levels[-1] == 5


def test_difficulties_do_not_change():
    """As they were when the scales were made."""
    wasp = rules("wasp")
    found = {}
    for seed in (0, 2, 3, 4, 5, 6):
        cards, positions, line = board(wasp, seed)
        found[seed] = difficulty("wasp", measure(wasp, cards, positions, line))
    assert found == {0: 1, 2: 3, 3: 2, 4: 4, 5: 3, 6: 5}


def test_the_levels_of_a_scale_are_bounds_not_middles():
    scale = Scale({"moves": tuple(range(10, 100, 10))}, (1, 3, 5, 7))
    scores = [scale.score(Measures(1, moves, 0, 0, 0)) for moves in (5, 25, 45, 65, 95)]
    assert scores == [0, 2, 4, 6, 9]
