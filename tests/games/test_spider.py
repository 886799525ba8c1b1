"""A test for each sentence of docs/rules.md on the family that allows or refuses something."""

from __future__ import annotations

import pytest

from solstat.cards import SUITS, deck, parse_card
from solstat.errors import UsageError
from solstat.games import IllegalMove, Position, rules, start
from solstat.games.spider import Spider

OFF = ["off:C", "off:S", "off:H", "off:D"]
by_hand = pytest.mark.parametrize("kind", ["optional", "return"])


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word.strip("()")) for word in text.split())


def table(*piles: str, stock: str = "", off: str = "", **options: object) -> Spider:
    """A position from its piles, bottom first, face-down cards in brackets; the rest are empty.

    `off` names the suits that are off the table.
    """
    piles += ("",) * (7 - len(piles))
    down = tuple(len(pile[: pile.find(")") + 1].split()) for pile in piles)
    made = rules("will-o-the-wisp", **options)  # type: ignore[arg-type]
    gone = tuple(13 if suit in off else 0 for suit in SUITS)
    return Spider(made, tuple(map(cards, piles)), down, cards(stock), gone)


def full(*piles: str, stock: str = "", **options: object) -> Spider:
    """A position without empty piles: where none is given lies a king, which nothing here takes."""
    kings = ("KC", "KD", "KH", "KS", "(2C) KC", "(2D) KD", "(2H) KH")
    return table(*piles, *kings[len(piles) :], stock=stock, **options)  # type: ignore[arg-type]


def moves(position: Position) -> set[str]:
    return {position.move_text(move) for move in position.moves()}


def after(position: Position, *line: str) -> Position:
    for text in line:
        position = position.play(position.parse_move(text))
    return position


def play(position: Position, *line: str) -> list[str]:
    """The table after moves, a text for each pile that is not empty."""
    return [str(pile) for pile in after(position, *line).table() if pile.cards]


def run(suit: str, first: str = "K", last: str = "A") -> str:
    """The cards of a suit from one rank down to another."""
    ranks = "KQJT98765432A"
    return " ".join(rank + suit for rank in ranks[ranks.index(first) : ranks.index(last) + 1])


def refused(position: Position, text: str, why: str) -> None:
    assert text not in moves(position)
    with pytest.raises(IllegalMove) as caught:
        position.play(position.parse_move(text))
    assert str(caught.value) == f"{text}: {why}"


class TestLayout:
    def test_rectangle_seven_piles_of_three_are_dealt_row_by_row(self) -> None:
        position = start(rules("will-o-the-wisp"), deck())
        assert isinstance(position, Spider)
        assert position.piles == tuple(tuple(range(pile, 21, 7)) for pile in range(7))

    def test_rectangle_two_lie_face_down_under_one_face_up(self) -> None:
        position = start(rules("will-o-the-wisp"), deck())
        assert [pile.down for pile in position.table()[:-1]] == [2] * 7
        assert str(position).splitlines()[0] == "1: (AC 8C) 2S"

    def test_rectangle_thirty_one_are_left_for_the_stock(self) -> None:
        stock = start(rules("will-o-the-wisp"), deck()).table()[-1]
        assert (stock.name, stock.cards, stock.down) == ("stock", tuple(range(21, 52)), 31)

    def test_triangle_rows_from_piles_two_to_seven_to_seven_alone_then_one_face_up(self) -> None:
        assert str(start(rules("spiderette"), deck())).splitlines()[:-1] == [
            "1: 9S",
            "2: (AC) TS",
            "3: (2C 7C) JS",
            "4: (3C 8C QC) QS",
            "5: (4C 9C KC 3S) KS",
            "6: (5C TC AS 4S 6S) AH",
            "7: (6C JC 2S 5S 7S 8S) 2H",
        ]

    def test_triangle_twenty_four_are_left_for_the_stock(self) -> None:
        stock = start(rules("spiderette"), deck()).table()[-1]
        assert (stock.cards, stock.down) == (tuple(range(28, 52)), 24)

    def test_it_is_an_option_of_both_games(self) -> None:
        for layout in ("rectangle", "triangle"):
            made = [rules(game, layout=layout) for game in ("will-o-the-wisp", "spiderette")]
            assert len({str(start(one, deck())) for one in made}) == 1
            assert made[0].deck == made[1].deck


class TestMove:
    @pytest.mark.parametrize("suit", SUITS)
    def test_the_top_card_goes_onto_the_next_higher_rank_of_any_suit(self, suit: str) -> None:
        assert play(table("8H", f"KS 7{suit}"), f"7{suit}>1") == [f"1: 8H 7{suit}", "2: KS"]

    def test_a_sequence_of_one_suit_goes_with_its_top_card(self) -> None:
        assert play(table("9H", "KS 8C 7C 6C"), "8C>1") == ["1: 9H 8C 7C 6C", "2: KS"]

    def test_any_upper_part_of_it_goes_alone(self) -> None:
        position = full("8H", "7S", "9C 8C 7C 6C")
        assert moves(position) == {"7C>1", "6C>2", "7S>1"}
        assert play(position, "7C>1")[:3] == ["1: 8H 7C 6C", "2: 7S", "3: 9C 8C"]

    @pytest.mark.parametrize("pile", ["8C 7S", "8C 6C", "8C 9C", "7C 7S", "2C AC KC", "8C 7C 6S"])
    def test_other_cards_do_not_go_with_it(self, pile: str) -> None:
        first = pile.split()[0]
        position = full("9H", "8H", "3H", pile)
        refused(position, f"{first}>1", f"the cards on {first} are no sequence of its suit")

    def test_a_king_is_no_part_of_the_suit_before_it(self) -> None:
        # The king of clubs has the number before the ace of spades.
        position = table("AS KC")
        assert moves(position) == {f"KC>{pile}" for pile in range(2, 8)}
        refused(position, "AS>2", "the cards on AS are no sequence of its suit")

    def test_a_face_down_card_is_no_part_of_it(self) -> None:
        position = table("9H", "(8C) 7C", "8H")
        refused(position, "8C>1", "8C is face down")
        assert play(position, "7C>3") == ["1: 9H", "2: 8C", "3: 8H 7C"]

    def test_another_rank_is_refused(self) -> None:
        for text in ("9S", "8S", "6S", "AS"):
            refused(full("8H", text), f"{text}>1", f"{text} is not the next lower rank of 8H")

    def test_nothing_goes_on_an_ace(self) -> None:
        for text in ("KS", "2S", "AC"):
            refused(full("AH", text), f"{text}>1", "nothing goes on an ace")

    def test_a_king_goes_on_no_card(self) -> None:
        for text in ("2S", "QS", "KS"):
            refused(full(text, "KH"), "KH>1", "a king goes on no card")

    def test_only_the_top_of_a_pile_takes_a_card(self) -> None:
        refused(table("8H 2C", "7H"), "7H>1", "7H is not the next lower rank of 2C")

    def test_a_card_does_not_move_within_its_pile(self) -> None:
        refused(table("8H 7H", ""), "7H>1", "7H is in that pile already")

    def test_a_card_of_the_stock_does_not_move(self) -> None:
        refused(table("8H", stock="7H"), "7H>1", "7H is in the stock")

    def test_a_card_that_has_left_does_not_move(self) -> None:
        refused(table("8H", off="S"), "7S>1", "7S is not on the table")

    def test_there_are_seven_piles(self) -> None:
        refused(table("7H"), "7H>8", "there are the piles 1 to 7")

    def test_an_uncovered_face_down_card_is_turned_up(self) -> None:
        assert play(table("8H", "(2S 3C) 7H"), "7H>1") == ["1: 8H 7H", "2: (2S) 3C"]

    def test_a_card_that_was_turned_up_stays_so(self) -> None:
        position = table("(9C) 8H", "9D")
        there_and_back = after(position, "8H>2", "8H>1")
        assert str(there_and_back.table()[0]) == "1: 9C 8H"
        assert there_and_back.key() != position.key()


class TestEmptyPile:
    def test_it_takes_any_card_or_sequence_that_may_move(self) -> None:
        position = table("9S 8H 2C AC", *["(2D) KD"] * 5)
        assert moves(position) == {f"{card}>7" for card in ("2C", "AC", "KD")}
        assert play(position, "2C>7")[::6] == ["1: 9S 8H", "7: 2C AC"]

    def test_it_takes_a_whole_pile(self) -> None:
        for stock in ("", "AS AD AC"):
            assert play(table("KH", stock=stock), "KH>2")[0] == "2: KH"

    def test_it_does_not_take_what_may_not_move(self) -> None:
        position = table("9S 8H")
        refused(position, "9S>2", "the cards on 9S are no sequence of its suit")

    def test_each_empty_pile_is_a_move_of_its_own(self) -> None:
        position = table("2H", "4C", "4S", "6C", "6S")
        assert moves(position) == {
            f"{c}>{p}" for c in ["2H", "4C", "4S", "6C", "6S"] for p in (6, 7)
        }


class TestStock:
    def test_one_card_goes_face_up_onto_each_pile_in_order(self) -> None:
        position = full("(2H) 9C", stock="AC AS AH AD 3C 3S 3H 3D")
        assert play(position, "deal") == [
            "1: (2H) 9C AC",
            "2: KD AS",
            "3: KH AH",
            "4: KS AD",
            "5: (2C) KC 3C",
            "6: (2D) KD 3S",
            "7: (2H) KH 3H",
            "stock: (3D)",
        ]

    @pytest.mark.parametrize(("game", "deals"), [("will-o-the-wisp", 5), ("spiderette", 4)])
    def test_the_last_deal_of_three_goes_to_piles_one_two_three(
        self, game: str, deals: int
    ) -> None:
        first = start(rules(game), deck())
        last = after(first, *["deal"] * deals)
        added = [
            len(now.cards) - len(then.cards)
            for then, now in zip(first.table()[:-1], last.table()[:-1], strict=True)
        ]
        assert added == [deals] * 3 + [deals - 1] * 4
        assert [pile.cards[-1] for pile in last.table()[:3]] == [49, 50, 51]
        refused(last, "deal", "the stock has been dealt")

    def test_it_is_dealt_when_there_are_other_moves(self) -> None:
        assert moves(full("8H", "7H", stock="AC AS AH")) == {"7H>1", "deal"}

    @pytest.mark.parametrize("empty", range(7))
    @pytest.mark.parametrize("stock", ["AC AS AH", "AC AS AH AD 3C 3S 3H"])
    def test_it_is_refused_while_any_pile_is_empty(self, empty: int, stock: str) -> None:
        piles = ["KH"] * 7
        piles[empty] = ""
        position = table(*piles, stock=stock)
        refused(position, "deal", "the stock is dealt only while no pile is empty")

    def test_deal_onto_empty_allows_it(self) -> None:
        position = table("", "KH", stock="AC AS AH AD 3C 3S 3H 3D", deal_onto_empty=True)
        assert "deal" in moves(position)
        assert play(position, "deal")[:3] == ["1: AC", "2: KH AS", "3: AH"]
        assert play(position, "deal", "deal")[0] == "1: AC 3D"

    def test_deal_onto_empty_allows_the_last_short_deal_too(self) -> None:
        position = table("", "KH", stock="AC AS AH", deal_onto_empty=True)
        assert play(position, "deal") == ["1: AC", "2: KH AS", "3: AH"]

    def test_deal_onto_empty_deals_no_more_than_there_is(self) -> None:
        refused(table("KH", deal_onto_empty=True), "deal", "the stock has been dealt")


class TestRunsLeave:
    """`finished_runs=leave`, which both games have of themselves."""

    def test_one_leaves_when_a_move_completes_it(self) -> None:
        position = table("2H " + run("S", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: 2H", "2: 3H"]
        assert after(position, "AS>1").off == (0, 13, 0, 0)  # type: ignore[attr-defined]

    def test_one_leaves_when_a_sequence_completes_it(self) -> None:
        position = table(run("S", last="9"), "3H " + run("S", first="8"))
        assert play(position, "8S>1") == ["2: 3H"]

    def test_one_leaves_when_a_deal_completes_it(self) -> None:
        position = full("3H", run("S", last="2"), stock="AH AS AC")
        assert play(position, "deal")[:2] == ["1: 3H AH", "3: KH AC"]

    def test_two_leave_at_one_deal(self) -> None:
        position = full(run("S", last="2"), run("D", last="2"), stock="AS AD 3H")
        assert play(position, "deal")[0] == "3: KH 3H"

    def test_one_leaves_when_what_lies_on_it_moves_off(self) -> None:
        assert play(table("8H", run("S") + " 7H"), "7H>1") == ["1: 8H 7H"]

    def test_what_it_uncovers_is_turned_up(self) -> None:
        position = table("(3C 2H) " + run("S", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: (3C) 2H", "2: 3H"]

    def test_what_it_uncovers_may_be_a_finished_run_and_leaves_too(self) -> None:
        position = table("2C " + run("H") + " " + run("S", last="2"), "3C AS")
        assert play(position, "AS>1") == ["1: 2C", "2: 3C"]

    def test_a_face_down_card_is_no_part_of_it(self) -> None:
        position = table("(KS) " + run("S", first="Q", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: (KS) " + run("S", first="Q"), "2: 3H"]
        assert play(position, "AS>1", "QS>3", "QS>1") == ["2: 3H"]

    def test_it_is_of_one_suit(self) -> None:
        mixed = run("S", last="8") + " " + run("H", first="7", last="2")
        assert play(table(mixed, "3C AH"), "AH>1") == [f"1: {mixed} AH", "2: 3C"]

    def test_it_starts_with_a_king(self) -> None:
        position = table(run("S", first="Q", last="2"), "3H AS")
        assert play(position, "AS>1") == ["1: " + run("S", first="Q"), "2: 3H"]

    def test_it_is_not_taken_off_by_hand(self) -> None:
        position = table(run("S") + " 2C", "3C")
        refused(position, "off:S", "finished runs leave by themselves")

    def test_won_when_four_runs_have_left(self) -> None:
        piles = [*(run(suit, last="2") for suit in SUITS), "", "AD"]
        position = after(table(*piles, stock="AC AS AH", deal_onto_empty=True), "deal")
        assert not position.won
        assert after(position, "AD>4").won
        assert moves(after(position, "AD>4")) == set()


@by_hand
class TestRunsTakenOffByHand:
    """`finished_runs=optional`, and as much of it as `return` has too."""

    def test_one_stays_until_it_is_moved_off_as_one_move(self, kind: str) -> None:
        position = table("(2C) 2H " + run("S", last="2"), "3H AS", finished_runs=kind)
        complete = after(position, "AS>1")
        assert str(complete.table()[0]) == "1: (2C) 2H " + run("S")
        assert play(complete, "off:S") == ["1: (2C) 2H", "2: 3H", f"off:S: {run('S')}"]

    def test_it_may_be_moved_off_at_any_time_later(self, kind: str) -> None:
        position = full(run("S"), "8H", "7H", stock="AC AD AH", finished_runs=kind)
        assert "off:S" in moves(position)
        assert "off:S" in moves(after(position, "7H>2"))
        assert "off:S" not in moves(after(full(run("S"), stock="AC", finished_runs=kind), "deal"))

    def test_until_then_its_cards_move_as_any_others(self, kind: str) -> None:
        position = table(run("S"), "3H", *["KC"] * 4, finished_runs=kind)
        assert {"KS>7", "7S>7", "AS>7", "2S>2", "off:S"} <= moves(position)
        refused(after(position, "2S>2"), "off:S", "no pile ends in a finished run of S")

    def test_what_it_uncovers_is_turned_up_and_stays(self, kind: str) -> None:
        assert play(table("(2C) " + run("S"), finished_runs=kind), "off:S")[0] == "1: 2C"
        position = table(run("H") + " " + run("S"), finished_runs=kind)
        assert "off:H" not in moves(position)
        assert play(position, "off:S")[0] == "1: " + run("H")
        assert "off:H" in moves(after(position, "off:S"))

    @pytest.mark.parametrize(
        "pile", ["(KS) " + run("S", "Q"), run("S", "Q"), run("S") + " 2C", run("S", last="2")]
    )
    def test_only_a_finished_run_on_top_is_moved_off(self, pile: str, kind: str) -> None:
        position = table(pile, finished_runs=kind)
        refused(position, "off:S", "no pile ends in a finished run of S")

    def test_it_is_moved_off_once(self, kind: str) -> None:
        position = after(table(run("S"), finished_runs=kind), "off:S")
        refused(position, "off:S", "no pile ends in a finished run of S")

    def test_won_when_four_runs_are_off(self, kind: str) -> None:
        position = table(*map(run, SUITS), finished_runs=kind)
        assert not after(position, *OFF[:3]).won
        assert after(position, *OFF).won


class TestRunsThatReturn:
    """What only `finished_runs=return` has."""

    def test_cards_that_are_off_stay_off_without_it(self) -> None:
        for kind in ("leave", "optional"):
            position = table("2H", off="S", finished_runs=kind)
            refused(position, "back:AS>1", "cards that have left stay off")

    def test_the_ace_comes_back_first_then_the_two_and_so_on(self) -> None:
        position = table("2H", "3C", "4D", *["KC"] * 4, off="S", finished_runs="return")
        assert moves(position) == {"2H>2", "3C>3", "back:AS>1"}
        assert "back:2S>2" in moves(after(position, "back:AS>1"))
        assert play(position, "back:AS>1", "back:2S>2", "back:3S>3")[:3] == [
            "1: 2H AS",
            "2: 3C 2S",
            "3: 4D 3S",
        ]
        for text in ("2S>2", "3S>3", "KS>1"):
            refused(position, f"back:{text}", f"{text[:2]} is not on top of a foundation")

    def test_it_goes_to_a_next_higher_rank_of_any_suit(self) -> None:
        for suit in "CHD":
            position = table(f"2{suit}", *["KC"] * 6, off="S", finished_runs="return")
            assert "back:AS>1" in moves(position)
        why = "AS is not the next lower rank of 3H"
        refused(table("3H", off="S", finished_runs="return"), "back:AS>1", why)

    def test_it_goes_to_an_empty_pile(self) -> None:
        position = table("3H", off="SD", finished_runs="return")
        empty = range(2, 8)
        assert moves(position) == {
            f"{move}>{pile}" for move in ("3H", "back:AS", "back:AD") for pile in empty
        }
        assert play(position, "back:AS>4")[:2] == ["1: 3H", "4: AS"]

    def test_one_card_at_a_time_comes_back_and_lies_face_up(self) -> None:
        position = after(table("3H", off="S", finished_runs="return"), "back:AS>2")
        assert position.table()[1].down == 0
        assert len(position.table()[1].cards) == 1
        refused(position, "back:3S>4", "3S is not on top of a foundation")

    def test_foundations_are_never_built_card_by_card(self) -> None:
        position = after(table("3H", off="S", finished_runs="return"), "back:AS>2")
        refused(position, "off:S", "no pile ends in a finished run of S")

    def test_it_needs_a_pile_and_a_card_on_its_foundation(self) -> None:
        position = table("2H", off="S", finished_runs="return")
        refused(position, "back:AS>8", "there are the piles 1 to 7")
        refused(position, "back:AD>1", "AD is not on top of a foundation")

    @pytest.mark.parametrize("text", ["back:AS>0", "back:AS>x", "back:AS>", "back:AS", "back:"])
    def test_what_is_no_move_is_named_as_it_was_written(self, text: str) -> None:
        position = table("2H", off="S", finished_runs="return")
        with pytest.raises(UsageError, match=f"^'{text}' is no move: write card>pile, "):
            position.parse_move(text)

    def test_not_won_while_a_card_is_back(self) -> None:
        position = after(table(*map(run, SUITS), finished_runs="return"), *OFF)
        assert position.won
        back = after(position, "back:AS>1")
        assert not back.won
        assert "back:2S>2" in moves(back)
