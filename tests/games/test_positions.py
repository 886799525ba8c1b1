"""What the positions of every game promise, on positions from deep in random games."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.cards import SUITS, deck
from solstat.errors import UsageError
from solstat.games import (
    DEAL,
    IllegalMove,
    Move,
    Position,
    Rules,
    SmallDeck,
    family_options,
    preset,
    presets,
    rules,
    start,
)

OFF = [f"off:{suit}" for suit in SUITS]
seeds = st.integers(0, 2**32)
every_game = pytest.mark.parametrize("game", [game.name for game in presets()])


def some_rules(game: str, rng: random.Random) -> Rules:
    """The preset or some of its options changed, with all cards or a deck whose runs are short."""
    small = rng.choice([None, SmallDeck(ranks=3, suits=4, piles=5, depth=2)])
    while True:
        options: dict[str, object] = {
            option.name: rng.choice(option.values[:9])
            for option in family_options(preset(game).family)
            if rng.random() < 0.5
        }
        with suppress(UsageError):  # not every two options go together
            return rules(game, small=small, **options)


def some_position(game: str, seed: int) -> Position:
    """A position after random moves, from a random deal or an easy one where runs get finished."""
    rng = random.Random(seed)
    noise = rng.choice([3, 6, 1000])
    made = some_rules(game, rng)
    # High cards first, more or less.
    cards = sorted(deck_of(made), key=lambda card: rng.uniform(0, noise) - card % 13)
    position = start(made, cards)
    for _ in range(rng.randrange(120)):
        moves = position.moves()
        if not moves:
            break
        position = position.play(rng.choice(moves))
    return position


def deck_of(made: Rules) -> tuple[int, ...]:
    return deck(made.deck.ranks, made.deck.suits)


def cards_of(position: Position) -> list[int]:
    return list(chain.from_iterable(pile.cards for pile in position.table()))


@every_game
@given(seeds)
def test_cards_leave_only_as_whole_suits(game: str, seed: int) -> None:
    position = some_position(game, seed)
    cards, whole = cards_of(position), deck_of(position.rules)
    gone = set(whole) - set(cards)
    assert len(cards) + len(gone) == len(whole)
    assert gone == {card for card in whole if card // 13 in {other // 13 for other in gone}}


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
    places = product(deck(), range(-1, piles + 1))
    moves = [Move(kind, *place) for place in places for kind in ("move", "off", "back")]
    for move in [DEAL, *moves]:
        if move not in listed:
            with pytest.raises(IllegalMove) as caught:
                position.play(move)
            assert position.refusal(move) in str(caught.value)


@every_game
@given(seeds)
def test_a_card_that_stays_has_no_move_and_is_refused_for_that(game: str, seed: int) -> None:
    position = some_position(game, seed)
    moved = {move.card for move in position.moves()}
    names = [pile.name for pile in position.table()]
    seen = {card for pile in position.table() for card in pile.cards[pile.down :]}
    for card in deck():
        why = position.stays(card)
        if why is None:
            assert card in seen
            continue
        assert card not in moved
        for number, pile in enumerate(position.table()):
            to_pile = not pile.name.startswith(("off:", "stock")) and card not in pile.cards
            if to_pile and not (pile.name[0] == "r" and "c1" in names):
                whys = {position.refusal(Move(kind, card, number)) for kind in ("move", "back")}
                assert why in whys


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


@pytest.mark.parametrize("game", [game.name for game in presets() if game.family != "wave"])
@given(seeds)
def test_a_won_position_has_an_empty_table_and_no_moves_but_back(game: str, seed: int) -> None:
    position = some_position(game, seed)
    if position.won:
        assert not any(pile.cards for pile in position.table() if pile.name not in OFF)
        assert {move.kind for move in position.moves()} <= {"back"}
