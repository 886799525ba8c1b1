from __future__ import annotations

import pytest

from solstat.boards.winnable import find_winnable
from solstat.deals import SeedRange, seeds_from
from solstat.errors import UsageError
from solstat.games import rules, start
from solstat.solver import deal_many, solve

WASP = rules("wasp")
BUDGET = 300
"""Settles most deals of wasp, and leaves some open."""


def find(count, directory, first="100", game=WASP, seeds=None, **options):
    seeds = seeds or seeds_from(first)
    return find_winnable(game, count, seeds, directory, budget=BUDGET, **options)


def test_the_first_that_are_proved_won_and_what_was_passed_over(tmp_path, inline):
    found = find(120, tmp_path / "run", executor=inline)
    seeds = [board.seed for board in found.boards]
    assert len(seeds) == 120
    outcomes = {"won": 0, "lost": 0, "unsettled": 0}
    for number in range(100, 100 + found.searched):
        cards = deal_many("solstat", [number])[0].tolist()
        result = solve(WASP, cards, BUDGET)
        outcomes[result.outcome] += 1
        assert (str(number) in seeds) == (result.outcome == "won")
    assert seeds[-1] == str(99 + found.searched)
    assert outcomes == {"won": 120, "lost": found.lost, "unsettled": found.unsettled}
    assert found.unsettled > 0
    assert found.error == 0


def test_each_board_is_won_by_its_line(tmp_path, inline):
    for board in find(20, tmp_path / "run", executor=inline).boards:
        assert board.cards == tuple(deal_many("solstat", [board.seed])[0].tolist())
        position = start(WASP, board.cards)
        words = board.line.split()
        for word in words:
            position = position.play(position.parse_move(word))
        assert position.won
        assert board.moves == len(words)
        assert 1 <= board.difficulty <= 5


def test_the_same_list_for_any_number_of_workers(tmp_path):
    lists = [find(150, tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    assert lists[0] == lists[1]


class Stopped(Exception):
    pass


def test_goes_on_where_it_was_stopped(tmp_path, inline):
    whole = find(130, tmp_path / "whole", executor=inline)
    solved = []

    def stop_at_third(chunk):
        solved.append(chunk)
        if len(solved) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        find(
            130,
            tmp_path / "run",
            executor=lambda workers: inline(workers, before=stop_at_third),
        )
    before = sum(chunk.size for chunk in solved[:2])
    more = []
    found = find(
        130,
        tmp_path / "run",
        executor=lambda workers: inline(workers, before=more.append),
    )
    assert found == whole
    again = sum(chunk.size for chunk in more)
    assert before + again < whole.searched * 1.2  # what was stored was not solved again


def test_a_larger_count_goes_on_and_a_smaller_one_is_a_part(tmp_path, inline):
    few = find(30, tmp_path / "run", executor=inline)
    many = find(200, tmp_path / "run", executor=inline)
    assert many.boards[:30] == few.boards
    assert many == find(200, tmp_path / "other", executor=inline)
    assert find(30, tmp_path / "run", executor=inline) == few


def test_another_survey_in_the_directory_is_refused(tmp_path, inline):
    find(5, tmp_path / "run", executor=inline)
    with pytest.raises(UsageError, match="holds another run: its first seed is 100, not 101"):
        find(5, tmp_path / "run", "101", executor=inline)


def test_deals_the_solver_fails_over_are_passed_over_as_errors(tmp_path, inline):
    def dies(chunk):
        return "SIGSEGV" if chunk.range.first <= 3 < chunk.range.last else None

    found = find(10, tmp_path / "run", executor=lambda workers: inline(workers, dies=dies))
    assert found.error == 1
    assert "103" not in [board.seed for board in found.boards]
    assert len(found.boards) == 10


def test_seeds_may_end_before_there_are_enough(tmp_path, inline):
    found = find(50, tmp_path / "run", str(2**64 - 20), executor=inline)
    assert found.searched == 20
    assert 10 < len(found.boards) < 20
    assert found.boards[-1].cards == tuple(deal_many("solstat", [found.boards[-1].seed])[0])


def test_no_board_at_all(tmp_path, inline):
    game, seeds = rules("wave-motion", columns=4), SeedRange(0, 10)
    found = find(1, tmp_path / "run", game=game, seeds=seeds, executor=inline)
    assert found.boards == ()
    assert (found.searched, found.lost) == (10, 10)
