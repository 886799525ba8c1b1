from __future__ import annotations

import random

import pytest

from solstat.cards import card_text, parse_card
from solstat.errors import UsageError
from solstat.games import DEAL, Position, parse_rules, presets, start
from solstat.games.spider import Spider
from solstat.games.wave import Wave
from solstat.table.game import Game, hidden, piles, suits_off

GAMES = [*(preset.name for preset in presets()), "will-o-the-wisp(finished_runs=return)"]


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def at(game: Game, position: Position) -> Game:
    """The game, at a position made by hand."""
    game._positions[-1] = position
    return game


def spider(game: Game, *tops: str) -> Game:
    there = tuple(map(cards, tops))
    return at(game, Spider(game.rules, there, (0,) * 7, (), (0, 0, 0, 0)))


def chosen(game: Game, text: str) -> str:
    return game.position.move_text(game.to(parse_card(text)))


def test_a_click_builds_on_the_own_suit_first(new_game):
    game = spider(new_game("will-o-the-wisp"), "8S", "", "8H", "8C", "7H", "KC", "KD")
    assert chosen(game, "7H") == "7H>3"


def test_then_on_the_first_pile_of_another_suit(new_game):
    game = spider(new_game("will-o-the-wisp"), "", "8S", "9H", "8C", "7H", "KC", "KD")
    assert chosen(game, "7H") == "7H>2"


def test_then_it_goes_to_the_first_empty_pile(new_game):
    game = spider(new_game("will-o-the-wisp"), "9S", "", "9H", "", "QS 7H", "KC", "KD")
    assert chosen(game, "7H") == "7H>2"
    assert chosen(game, "KC") == "KC>2"


def test_columns_come_before_reserves(new_game):
    game = new_game("flow")
    empty = ((),) * 7
    at(game, Wave(game.rules, (cards("9C"), *empty), ((), cards("QS 7H"), *empty[:6])))
    assert chosen(game, "7H") == "7H>c2"
    full = (cards("9C"), *(cards(f"{rank}D") for rank in "A3579JK"))
    at(game, Wave(game.rules, full, ((), (), cards("QS 7H"), *empty[:5])))
    assert chosen(game, "7H") == "7H>r1"


@pytest.mark.parametrize("game", GAMES)
def test_a_click_goes_to_the_first_pile_there_is(new_game, game):
    """In random games, for every card: a move that is legal, or a reason that names the card."""
    chance = random.Random(game)
    for seed in range(5):
        played = new_game(game, seed)
        for _ in range(30):
            position = played.position
            by_card: dict[int, list] = {}
            for move in position.moves():
                if move.kind in {"move", "back"}:
                    by_card.setdefault(move.card, []).append(move)
            for card in range(52):
                if card in by_card:
                    assert played.to(card) in by_card[card]
                    continue
                with pytest.raises(UsageError, match=f"^{card_text(card)}: .+"):
                    played.to(card)
            moves = position.moves()
            if not moves:
                break
            played.play(chance.choice(moves))


@pytest.mark.parametrize("game", GAMES)
def test_nobody_learns_where_a_hidden_card_lies(new_game, game):
    played = new_game(game)
    unseen = hidden(played.position)
    assert len(unseen) == sum(pile.down for pile in played.position.table())
    told = set()
    for card in unseen:
        for move in (None, *(played.position.parse_move(f"{card_text(card)}>{n}") for n in "17")):
            with pytest.raises(UsageError) as caught:
                played.to(card) if move is None else played.play(move)
            told.add(str(caught.value).replace(card_text(card), "card"))
    assert told <= {"card: it cannot be seen, and what lies face down stays where it is"}


def test_undo_and_redo(new_game):
    game = new_game()
    first = game.position
    assert game.play(game.to(parse_card("AC"))) == "AC>5"
    second = game.position
    assert game.play(DEAL) == "deal"
    assert (game.undo(), game.undo()) == ("deal", "AC>5")
    assert (game.position.key(), game.moves) == (first.key(), ())
    assert game.redo() == "AC>5"
    assert game.position.key() == second.key()
    assert (game.redo(), game.line) == ("deal", "AC>5 deal")


def test_there_must_be_something_to_take_back_or_play_again(new_game):
    game = new_game()
    with pytest.raises(UsageError, match="no move to take back"):
        game.undo()
    with pytest.raises(UsageError, match="no move to play again"):
        game.redo()
    game.play(DEAL)
    game.undo()
    game.play(game.to(parse_card("AC")))
    with pytest.raises(UsageError, match="none was taken back since the last"):
        game.redo()


def test_a_refused_move_changes_nothing(new_game):
    game = new_game()
    game.play(DEAL)
    game.undo()
    with pytest.raises(UsageError, match="KH: a king goes on no card"):
        game.to(parse_card("KH"))
    with pytest.raises(UsageError, match="move 1: KH>1: nothing goes on an ace"):
        game.play_line(["KH>1", "AC>5"])
    assert game.moves == ()
    assert game.redo() == "deal"


def test_of_a_line_what_comes_before_a_refused_move_is_played(new_game):
    game = new_game()
    with pytest.raises(UsageError, match="move 2: AC>5: AC is in that pile already"):
        game.play_line(["AC>5", "AC>5", "deal"])
    assert game.line == "AC>5"


def test_a_line_is_played_whole(new_game):
    game = new_game()
    assert game.play_line(["AC>5", "deal"]) == ["AC>5", "deal"]
    assert game.line == "AC>5 deal"


def test_stuck_is_neither_won_nor_able_to_move(new_game):
    game = spider(new_game("will-o-the-wisp"), "8S", "8H", "8C", "8D", "KC", "KD", "KH")
    assert game.stuck
    assert not spider(game, "", "8H", "8C", "8D", "KC", "KD", "KH").stuck
    gone = Spider(game.rules, ((),) * 7, (0,) * 7, (), (13, 13, 13, 13))
    assert gone.won
    assert not at(game, gone).stuck


def test_which_runs_have_left():
    rules = parse_rules("will-o-the-wisp(finished_runs=return)")
    kings = (cards("KS KD"), *((),) * 6)
    assert suits_off(Spider(rules, kings, (0,) * 7, (), (13, 0, 12, 0))) == ["C", "H"]


@pytest.mark.parametrize("game", GAMES)
def test_piles_stand_at_the_numbers_that_moves_have(new_game, game):
    position = start(parse_rules(game), new_game().deal.cards)
    assert [pile.cards for pile in piles(position)] == list(position.piles)  # type: ignore[attr-defined]
