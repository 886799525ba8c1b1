"""A test for each sentence of docs/rules.md on the family that allows or refuses something."""

from __future__ import annotations

import pytest

from solstat.cards import card_text, deck, parse_card
from solstat.errors import UsageError
from solstat.games import IllegalMove, SmallDeck, rules, start
from solstat.games.scorpion import Scorpion


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word.strip("()")) for word in text.split())


def table(*piles: str, stock: str = "", game: str = "wasp") -> Scorpion:
    """A position from its piles, bottom first, face-down cards in brackets; the rest are empty."""
    piles += ("",) * (7 - len(piles))
    down = tuple(len(pile[: pile.find(")") + 1].split()) for pile in piles)
    return Scorpion(rules(game), tuple(map(cards, piles)), down, cards(stock))


def moves(position: Scorpion) -> set[str]:
    return {position.move_text(move) for move in position.moves()}


def play(position: Scorpion, *line: str) -> list[str]:
    """The table after moves, a text for each pile that is not empty."""
    for text in line:
        position = position.play(position.parse_move(text))
    return [str(pile) for pile in position.table() if pile.cards]


def run(suit: str, first: str = "K", last: str = "A") -> str:
    """The cards of a suit from one rank down to another."""
    ranks = "KQJT98765432A"
    return " ".join(rank + suit for rank in ranks[ranks.index(first) : ranks.index(last) + 1])


def refused(position: Scorpion, text: str, why: str) -> None:
    assert text not in moves(position)
    with pytest.raises(IllegalMove) as caught:
        position.play(position.parse_move(text))
    assert str(caught.value) == f"{text}: {why}"


class TestLayout:
    position = start(rules("wasp"), deck())

    def test_seven_piles_of_seven_are_dealt_row_by_row(self) -> None:
        assert isinstance(self.position, Scorpion)
        assert self.position.piles == tuple(tuple(range(p, 49, 7)) for p in range(7))

    def test_the_last_three_cards_are_the_stock_face_down(self) -> None:
        assert str(self.position.table()[-1]) == "stock: (JD QD KD)"

    def test_the_bottom_three_of_the_first_four_piles_are_face_down(self) -> None:
        assert [pile.down for pile in self.position.table()[:-1]] == [3, 3, 3, 3, 0, 0, 0]
        assert str(self.position).splitlines()[0] == "1: (AC 8C 2S) 9S 3H TH 4D"

    @pytest.mark.parametrize("game", ["wasp", "scorpion"])
    @pytest.mark.parametrize("piles", range(8))
    def test_face_down_piles_sets_how_many(self, game: str, piles: int) -> None:
        position = start(rules(game, face_down_piles=piles), deck())
        assert [pile.down for pile in position.table()[:-1]] == [3] * piles + [0] * (7 - piles)


class TestMove:
    def test_a_card_goes_onto_the_next_higher_of_its_suit(self) -> None:
        assert play(table("8H", "7H", "6S"), "7H>1") == ["1: 8H 7H", "3: 6S"]

    def test_every_card_on_it_goes_along_in_whatever_order(self) -> None:
        position = table("8H", "2S 7H KD 3C KC")
        assert play(position, "7H>1") == ["1: 8H 7H KD 3C KC", "2: 2S"]

    def test_a_top_card_goes_alone(self) -> None:
        assert play(table("8H", "2S 7H"), "7H>1") == ["1: 8H 7H", "2: 2S"]

    def test_a_whole_pile_goes_onto_a_card_at_any_time(self) -> None:
        assert play(table("8H", "7H 2S"), "7H>1") == ["1: 8H 7H 2S"]
        assert play(table("8H", "7H 2S", stock="AS AD AC"), "7H>1")[0] == "1: 8H 7H 2S"

    def test_another_suit_is_refused(self) -> None:
        for text in ("7S", "7D", "7C"):
            position = table("8H", f"KC {text} KS", "2H", "2S", "2D", "2C", "9H")
            refused(position, f"{text}>1", f"{text} is not the next lower card of 8H's suit")

    def test_another_rank_is_refused(self) -> None:
        for text in ("9H", "6H", "KH", "AH"):
            position = table("8H", f"KC {text} KS")
            refused(position, f"{text}>1", f"{text} is not the next lower card of 8H's suit")

    def test_nothing_goes_on_an_ace(self) -> None:
        # The king of clubs has the number before the ace of spades.
        position = table("AS", "KC", "KS", "2S")
        for text in ("KC", "KS", "2S"):
            refused(position, f"{text}>1", "nothing goes on an ace")

    def test_only_the_top_of_a_pile_takes_a_card(self) -> None:
        refused(table("8H 2C", "7H"), "7H>1", "7H is not the next lower card of 2C's suit")

    def test_a_face_down_card_does_not_move(self) -> None:
        refused(table("8H", "(7H) 2C"), "7H>1", "7H is face down")
        refused(table("8H", "(7H) 2C"), "7H>3", "7H is face down")

    def test_a_card_does_not_move_within_its_pile(self) -> None:
        refused(table("7H 2C 8H"), "7H>1", "7H is in that pile already")
        refused(table("8H 7H"), "7H>1", "7H is in that pile already")

    def test_a_joined_card_may_leave_its_place(self) -> None:
        assert play(table("8H 7H", ""), "7H>2") == ["1: 8H", "2: 7H"]

    def test_a_card_of_the_stock_does_not_move(self) -> None:
        refused(table("8H", stock="7H AS AC"), "7H>1", "7H is in the stock")

    def test_a_card_that_has_left_does_not_move(self) -> None:
        refused(table("8H"), "7S>1", "7S is not on the table")

    def test_there_are_seven_piles(self) -> None:
        refused(table("7H"), "7H>8", "there are the piles 1 to 7")

    def test_an_uncovered_face_down_card_is_turned_up(self) -> None:
        assert play(table("8H", "(2S 3C) 7H"), "7H>1") == ["1: 8H 7H", "2: (2S) 3C"]

    def test_a_card_that_was_turned_up_stays_so(self) -> None:
        position = table("8H", "(9C) 7H", "8C", "TC")
        assert play(position, "7H>1", "8C>2", "9C>4") == ["1: 8H 7H", "4: TC 9C 8C"]

    def test_all_moves_are_listed(self) -> None:
        position = table("(9S) 8H 2C", "7H 3C", "(3S) KD 2S", "9H", "9C", "8S", "5D")
        assert moves(position) == {"2C>2", "8H>4"}


class TestEmptyPile:
    def test_wasp_any_face_up_card_goes_with_all_on_it(self) -> None:
        position = table("(9S) 8H 2C KD")
        assert moves(position) == {
            f"{card}>{pile}" for card in ("8H", "2C", "KD") for pile in range(2, 8)
        }
        assert play(position, "2C>5") == ["1: (9S) 8H", "5: 2C KD"]

    def test_scorpion_only_a_king_goes_with_all_on_it(self) -> None:
        position = table("(9S) 8H KD 2C", game="scorpion")
        assert moves(position) == {f"KD>{pile}" for pile in range(2, 8)}
        assert play(position, "KD>5") == ["1: (9S) 8H", "5: KD 2C"]
        refused(position, "8H>2", "only a king starts an empty pile, and 8H is none")

    @pytest.mark.parametrize("game", ["wasp", "scorpion"])
    def test_a_whole_pile_goes_while_the_stock_is_undealt(self, game: str) -> None:
        position = table("KH 2C", stock="AS AD AC", game=game)
        assert play(position, "KH>2") == ["2: KH 2C", "stock: (AS AD AC)"]

    @pytest.mark.parametrize("game", ["wasp", "scorpion"])
    def test_a_whole_pile_stays_once_the_stock_is_dealt(self, game: str) -> None:
        why = "a whole pile moves to an empty one only while the stock is undealt"
        refused(table("KH 2C", game=game), "KH>2", why)
        refused(table("KH", game=game), "KH>2", why)

    def test_scorpion_a_whole_pile_without_a_king_stays(self) -> None:
        position = table("QH 2C", stock="AS AD AC", game="scorpion")
        refused(position, "QH>2", "only a king starts an empty pile, and QH is none")

    def test_a_face_down_king_stays(self) -> None:
        refused(table("(KH) 2C", stock="AS AD AC", game="scorpion"), "KH>2", "KH is face down")

    def test_a_pile_left_with_face_down_cards_was_not_whole(self) -> None:
        assert play(table("(2C) KH 3D"), "KH>2") == ["1: 2C", "2: KH 3D"]

    def test_each_empty_pile_is_a_move_of_its_own(self) -> None:
        assert moves(table("2H 3H", "4C", "5C", "6C")) == {"3H>5", "3H>6", "3H>7", "4C>3", "5C>4"}


class TestStock:
    def test_its_cards_go_face_up_onto_piles_one_two_three_in_order(self) -> None:
        position = table("2H", "3H", "4H", "5H", stock="AS AD AC")
        assert play(position, "deal") == ["1: 2H AS", "2: 3H AD", "3: 4H AC", "4: 5H"]

    def test_it_is_dealt_onto_empty_piles_too(self) -> None:
        position = table("", "3H", "", "5H", stock="AS AD AC")
        assert "deal" in moves(position)
        assert play(position, "deal") == ["1: AS", "2: 3H AD", "3: AC", "4: 5H"]

    def test_it_is_dealt_when_there_are_other_moves(self) -> None:
        position = table("8H", "7H", "6S", "5S", "2C", "9C", "JC", stock="AS AD AC")
        assert moves(position) == {"7H>1", "5S>3", "deal"}

    def test_it_is_dealt_once(self) -> None:
        position = table("2H", stock="AS AD AC")
        after = position.play(position.parse_move("deal"))
        refused(after, "deal", "the stock has been dealt")

    def test_face_down_cards_stay_so_under_it(self) -> None:
        assert play(table("(2H) 9C", stock="AS AD AC"), "deal")[0] == "1: (2H) 9C AS"

    def test_its_cards_may_be_moved(self) -> None:
        position = table("9H", "2D", "3D", "8S", stock="7S 6S 5S")
        assert play(position, "deal", "7S>4") == ["1: 9H", "2: 2D 6S", "3: 3D 5S", "4: 8S 7S"]


class TestFinishedRun:
    def test_it_leaves_when_a_move_completes_it(self) -> None:
        position = table("2H " + run("S", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: 2H", "2: 3H"]

    def test_it_leaves_when_a_group_completes_it(self) -> None:
        position = table(run("S", last="9"), "3H " + run("S", first="8"))
        assert play(position, "8S>1") == ["2: 3H"]

    def test_it_leaves_when_the_deal_of_the_stock_completes_it(self) -> None:
        position = table("3H", run("S", last="2"), stock="AH AS AC")
        assert play(position, "deal") == ["1: 3H AH", "3: AC"]

    def test_it_leaves_when_it_is_complete_in_the_layout(self) -> None:
        small = rules(
            "wasp", small=SmallDeck(ranks=2, suits=2, piles=2, depth=2), face_down_piles=0
        )
        assert str(start(small, cards("2C AS AC 2S"))) == "1:\n2: AS 2S\nstock:"

    def test_what_it_uncovers_is_turned_up(self) -> None:
        position = table("(3C 2H) " + run("S", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: (3C) 2H", "2: 3H"]

    def test_what_it_uncovers_may_be_a_finished_run_and_leaves_too(self) -> None:
        position = table("2C " + run("H") + " " + run("S", last="2"), "3C AS")
        assert play(position, "AS>1") == ["1: 2C", "2: 3C"]

    def test_a_face_down_card_is_no_part_of_it(self) -> None:
        position = table("(KS) " + run("S", first="Q", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: (KS) " + run("S", first="Q"), "2: 3H"]

    def test_it_is_complete_once_its_king_is_turned_up(self) -> None:
        position = table("(KS) " + run("S", first="Q", last="2"), "3H AS")
        assert play(position, "AS>1", "QS>3") == ["1: KS", "2: 3H", "3: " + run("S", first="Q")]
        assert play(position, "AS>1", "QS>3", "QS>1") == ["2: 3H"]

    def test_it_is_of_one_suit(self) -> None:
        mixed = run("S", last="8") + " " + run("H", first="7", last="2")
        assert play(table(mixed, "3C AH"), "AH>1") == [f"1: {mixed} AH", "2: 3C"]

    def test_it_starts_with_a_king(self) -> None:
        position = table(run("S", first="Q", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: " + run("S", first="Q"), "2: 3H"]

    def test_with_cards_on_its_ace_it_stays_until_they_are_moved_off(self) -> None:
        position = table(run("S", last="2"), "4C AS 3H 2C", "4H")
        assert play(position, "AS>1") == ["1: " + run("S") + " 3H 2C", "2: 4C", "3: 4H"]
        assert play(position, "AS>1", "3H>3") == ["2: 4C", "3: 4H 3H 2C"]

    def test_one_under_another_pile_of_cards_stays(self) -> None:
        position = table("8H", "7H", run("S") + " 2C")
        assert play(position, "7H>1") == ["1: 8H 7H", "3: " + run("S") + " 2C"]

    def test_two_leave_in_two_piles_at_once(self) -> None:
        position = table(run("S", last="2"), run("D", last="2"), stock="AS AD 3H")
        assert play(position, "deal") == ["3: 3H"]

    def test_one_leaves_where_the_cards_came_from(self) -> None:
        position = table("8H", run("S") + " 7H")
        assert play(position, "7H>1") == ["1: 8H 7H"]

    def test_its_pile_is_empty_afterwards(self) -> None:
        position = table(run("S", last="2"), "3H AS")
        after = position.play(position.parse_move("AS>1"))
        assert moves(after) == set()
        assert moves(position) >= {"2S>3", "AS>3"}


class TestWon:
    def test_when_four_runs_have_left(self) -> None:
        # The stock completes three, a move the last one.
        position = table(*(run(suit, last="2") for suit in "CSHD"), "AD", stock="AC AS AH")
        position = position.play(position.parse_move("deal"))
        assert not position.won
        assert position.play(position.parse_move("AD>4")).won

    def test_not_with_cards_left(self) -> None:
        assert not table("", run("C") + " 2H").won

    def test_not_while_the_stock_is_undealt(self) -> None:
        assert not table(stock="AS AD AC").won

    def test_a_deal_may_be_won_before_the_first_move(self) -> None:
        small = rules(
            "wasp", small=SmallDeck(ranks=2, suits=2, piles=2, depth=2), face_down_piles=0
        )
        assert start(small, cards("2C 2S AC AS")).won


class TestSmallDeck:
    def test_the_stock_is_what_the_layout_leaves(self) -> None:
        small = rules("wasp", small=SmallDeck(ranks=4, suits=2, piles=3, depth=2))
        position = start(small, deck(4, 2))
        assert str(position) == "1: (AC) 4C\n2: (2C) AS\n3: (3C) 2S\nstock: (3S 4S)"
        assert str(position.play(position.parse_move("deal"))) == (
            "1: (AC) 4C 3S\n2: (2C) AS 4S\n3: (3C) 2S\nstock:"
        )

    def test_without_a_stock_it_counts_as_dealt(self) -> None:
        small = rules("wasp", small=SmallDeck(ranks=3, suits=2, piles=3, depth=2))
        position = start(small, deck(3, 2))
        with pytest.raises(IllegalMove, match="the stock has been dealt"):
            position.play(position.parse_move("deal"))

    @pytest.mark.parametrize(("depth", "down"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3)])
    def test_at_most_three_cards_are_face_down_and_never_the_top(
        self, depth: int, down: int
    ) -> None:
        small = SmallDeck(ranks=2 * depth, suits=1, piles=2, depth=depth)
        for piles, expected in ((0, [0, 0]), (1, [down, 0]), (2, [down, down]), (7, [down, down])):
            position = start(rules("wasp", small=small, face_down_piles=piles), deck(2 * depth, 1))
            assert [pile.down for pile in position.table()[:-1]] == expected

    def test_its_highest_card_is_its_king(self) -> None:
        small = rules("scorpion", small=SmallDeck(ranks=3, suits=1, piles=2, depth=1))
        position = start(small, cards("2C AC 3C"))
        after = position.play(position.parse_move("AC>1"))
        assert {after.move_text(move) for move in after.moves()} == {"deal"}
        assert [card_text(card) for card in after.after(after.moves()[0]).table()[0].cards] == [
            "2C",
            "AC",
            "3C",
        ]

    @pytest.mark.parametrize(
        "small",
        [
            SmallDeck(ranks=1),
            SmallDeck(ranks=14),
            SmallDeck(suits=0),
            SmallDeck(suits=5),
            SmallDeck(ranks=4, suits=1, piles=2, depth=0),
            SmallDeck(ranks=8, suits=4, piles=8, depth=4),
            SmallDeck(ranks=4, suits=1, piles=0, depth=1),
            SmallDeck(ranks=5, suits=1, piles=2, depth=1),
            SmallDeck(ranks=3, suits=1, piles=2, depth=2),
        ],
    )
    def test_a_layout_that_does_not_fit_is_refused(self, small: SmallDeck) -> None:
        with pytest.raises(UsageError, match=r"2 to 13 ranks|1 to 7 piles"):
            rules("wasp", small=small)
