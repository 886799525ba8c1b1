"""Hints: followed to the end they win, whatever was played before."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

import pytest

from solstat import hint as hints
from solstat.games import DEAL, Rules, parse_rules, start
from solstat.hint import Hint, hint
from solstat.solver import deal_many, solve
from solstat.verify import BadLine, replay, replay_win

BUDGET = 250_000
DEALS = int(os.environ.get("SOLSTAT_HINT_DEALS", "2"))  # winnable deals of each game; docs/hints.md
FIRST = int(os.environ.get("SOLSTAT_HINT_FIRST", "0"))  # the seed of the first of them


def winnable(rules: Rules, count: int) -> list[tuple[int, ...]]:
    """The first deals that are proved won."""
    deals: list[tuple[int, ...]] = []
    seed = FIRST
    while len(deals) < count:
        cards = tuple(deal_many("solstat", [seed])[0].tolist())
        if solve(rules, cards, BUDGET, lines=False).outcome == "won":
            deals.append(cards)
        seed += 1
    return deals


def follow(
    rules: Rules, cards: Sequence[int], line: str, limit: int, budget: int = BUDGET
) -> list[Hint]:
    """The hints after a line, each of whose moves is played; the last has no move."""
    given = [hint(rules, cards, line, budget)]
    while (move := given[-1].move) is not None:
        assert len(given) <= limit
        line = f"{line} {move}".strip()
        given.append(hint(rules, cards, line, budget))
    return given


def test_hints_followed_from_the_deal_win(any_rules: Rules) -> None:
    for cards in winnable(any_rules, DEALS):
        hints._search.cache_clear()  # as for one who asks anew each time
        given = follow(any_rules, cards, "", limit=1000)
        line = " ".join(each.move for each in given if each.move is not None)
        assert replay_win(any_rules, cards, line).won
        assert given[0].line == line
        for number, each in enumerate(given):
            assert each.outcome == "won"
            assert each.line == " ".join(line.split()[number:])
            assert not each.guess


def test_hints_do_not_go_in_circles_after_other_moves(any_rules: Rules) -> None:
    rng = random.Random(any_rules.id)
    followed = 0
    for cards in winnable(any_rules, max(1, DEALS // 2)):
        played = solve(any_rules, cards, BUDGET).line.split()[:5]
        for _ in range(8):
            position = replay(any_rules, cards, " ".join(played))
            played.append(position.move_text(rng.choice(position.moves())))
        while hint(any_rules, cards, " ".join(played), BUDGET).outcome != "won":
            played.pop()
        given = follow(any_rules, cards, " ".join(played), limit=1000)
        after_ten = [len(each.line.split()) for each in given[hints.STRIDE :]]
        assert after_ten == list(range(len(after_ten) - 1, -1, -1))
        assert given[-1].outcome == "won"
        followed += len(given)
    assert followed > 0


def test_a_win_that_was_found_earlier_is_followed() -> None:
    rules = parse_rules("will-o-the-wisp")
    (cards,) = winnable(rules, 1)
    whole = str(solve(rules, cards, BUDGET).line).split()
    for length in range(len(whole)):
        before, rest = " ".join(whole[:length]), " ".join(whole[length:])
        assert hint(rules, cards, before, BUDGET).line == rest
    anew = [solve(rules, cards, BUDGET, line=" ".join(whole[:n])).line for n in range(len(whole))]
    assert any(line != " ".join(whole[n:]) for n, line in enumerate(anew))  # so it matters


@pytest.mark.parametrize(
    ("game", "seed", "budget"),
    [("will-o-the-wisp", 100_067, 2132), ("spiderette", 300_672, 1272)],
)
def test_a_win_by_the_search_after_a_move_is_followed(game: str, seed: int, budget: int) -> None:
    rules = parse_rules(game)
    cards = tuple(deal_many("solstat", [seed])[0].tolist())
    assert solve(rules, cards, budget, lines=False).outcome == "unsettled"
    given = follow(rules, cards, "", 200, budget)
    line = given[0].line.split()
    assert [each.line.split() for each in given] == [line[n:] for n in range(len(line) + 1)]
    assert replay_win(rules, cards, " ".join(line)).won


def test_a_lost_position_has_no_hint() -> None:
    rules = parse_rules("wasp")
    deals = winnable(rules, 20)
    verdicts = [solve(rules, cards, BUDGET, line="deal").outcome for cards in deals]
    given = hint(rules, deals[verdicts.index("lost")], "deal", BUDGET)
    assert (given.outcome, given.line, given.move, given.guess) == ("lost", "", None, False)


def test_a_game_that_is_won_needs_no_move(any_rules: Rules) -> None:
    (cards,) = winnable(any_rules, 1)
    line = str(solve(any_rules, cards, BUDGET).line)
    assert hint(any_rules, cards, line, BUDGET) == Hint("won", "", None, False, 0)


def test_without_a_verdict_a_move_is_guessed() -> None:
    rules = parse_rules("will-o-the-wisp")
    cards = deal_many("solstat", [0])[0].tolist()
    position, line = start(rules, cards), ""
    passed = {position.key()}
    for _ in range(30):
        given = hint(rules, cards, line, 50)
        if given.outcome != "unsettled":
            break
        assert given.guess
        assert given.line == ""
        assert given.move is not None
        move = position.parse_move(given.move)
        legal = position.moves()
        assert move in legal
        if move == DEAL:  # then the other moves go back, or are proved lost
            for other in legal:
                text = f"{line} {position.move_text(other)}"
                new = other != DEAL and position.after(other).key() not in passed
                share = 50 // len(legal)
                assert not new or solve(rules, cards, share, line=text).outcome == "lost"
        position = position.play(move)
        assert position.key() not in passed
        passed.add(position.key())
        line = f"{line} {given.move}".strip()
    assert line


def test_a_guess_is_of_the_moves_that_are_not_proved_lost() -> None:
    # Too small a budget for the position, but not for each of the positions one move further.
    rules = parse_rules("wasp")
    seen = 0
    for seed in range(300):
        cards = tuple(deal_many("solstat", [seed])[0].tolist())
        given = hint(rules, cards, "", 60)
        if given.outcome != "unsettled":
            continue
        position = start(rules, cards)
        share = 60 // len(position.moves())
        assert given.move is not None
        assert solve(rules, cards, share, line=given.move).outcome == "unsettled"
        seen += 1
    assert seen > 10


def test_an_illegal_line_names_the_move_its_place_and_why() -> None:
    rules = parse_rules("wasp")
    cards = deal_many("solstat", [24])[0].tolist()
    with pytest.raises(BadLine, match="move 2: deal: the stock has been dealt"):
        hint(rules, cards, "deal deal", BUDGET)
    with pytest.raises(BadLine, match="move 1: 'up' is no move: write card>pile"):
        hint(rules, cards, "up deal", BUDGET)
