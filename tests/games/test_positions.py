"""What the positions of every game promise, on positions from deep in random games."""

from __future__ import annotations

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.cards import deck
from solstat.games import (
    DEAL,
    IllegalMove,
    Position,
    Rules,
    family_options,
    move_to,
    parse_rules,
    presets,
    rules,
    start,
    value_text,
)

seeds = st.integers(0, 2**32)
every_game = pytest.mark.parametrize("game", [game.name for game in presets()])


def some_rules(game: str, rng: random.Random) -> Rules:
    """The preset itself, or with one option changed."""
    if rng.random() < 0.5:
        return rules(game)
    option = rng.choice(family_options(rules(game).family))
    return parse_rules(game, [f"{option.name}={value_text(rng.choice(option.values))}"])


def some_position(game: str, seed: int) -> Position:
    """A position after random moves, from a random deal or an easy one where runs get finished."""
    rng = random.Random(seed)
    noise = rng.choice([3, 6, 1000])
    cards = sorted(deck(), key=lambda card: rng.uniform(0, noise) - card % 13)  # high cards first
    position = start(some_rules(game, rng), cards)
    for _ in range(rng.randrange(120)):
        moves = position.moves()
        if not moves:
            break
        position = position.play(rng.choice(moves))
    return position


def cards_of(position: Position) -> list[int]:
    return list(chain.from_iterable(pile.cards for pile in position.table()))


@every_game
@given(seeds)
def test_cards_leave_only_as_whole_suits(game: str, seed: int) -> None:
    cards = cards_of(some_position(game, seed))
    gone = set(deck()) - set(cards)
    assert len(cards) + len(gone) == 52
    assert gone == {card for card in deck() if card // 13 in {other // 13 for other in gone}}


@every_game
@given(seeds)
def test_the_top_of_a_pile_is_face_up(game: str, seed: int) -> None:
    for pile in some_position(game, seed).table():
        if pile.name != "stock" and pile.cards:
            assert 0 <= pile.down < len(pile.cards)


@every_game
@given(seeds)
def test_every_listed_move_plays_and_changes_the_table(game: str, seed: int) -> None:
    position = some_position(game, seed)
    before = str(position)
    moves = position.moves()
    assert len(set(moves)) == len(moves)
    for move in moves:
        after = position.play(move)
        assert after.key() != position.key()
        assert after == position.after(move)
    assert str(position) == before


@every_game
@given(seeds)
def test_every_other_move_is_refused_with_a_reason(game: str, seed: int) -> None:
    position = some_position(game, seed)
    piles = len(position.table())
    listed = set(position.moves())
    for move in [DEAL, *(move_to(card, pile) for card in deck() for pile in range(-1, piles + 1))]:
        if move not in listed:
            with pytest.raises(IllegalMove) as caught:
                position.play(move)
            assert position.refusal(move) in str(caught.value)


@every_game
@given(seeds)
def test_every_move_is_read_back(game: str, seed: int) -> None:
    position = some_position(game, seed)
    for move in position.moves():
        assert position.parse_move(position.move_text(move)) == move


@every_game
@given(seeds)
def test_keys_are_equal_for_equal_tables_only(game: str, seed: int) -> None:
    position = some_position(game, seed)
    for first in position.moves()[:5]:
        after = position.play(first)
        tables = {str(after.play(second)): after.play(second).key() for second in after.moves()}
        assert len(set(tables.values())) == len(tables)


@every_game
@given(seeds)
def test_a_won_position_has_an_empty_table_and_no_moves(game: str, seed: int) -> None:
    position = some_position(game, seed)
    if position.won:
        assert cards_of(position) == []
        assert position.moves() == []
