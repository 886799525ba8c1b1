"""A test for each sentence of docs/rules.md on the family that allows or refuses something."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.cards import SUITS, deck, parse_card
from solstat.errors import UsageError
from solstat.games import DEAL, IllegalMove, Move, Position, parse_rules, rules, start
from solstat.games.wave import Wave
from solstat.verify import BadLine, replay

TOP = "wave-motion"
RUN = "wave-motion(reserve_moves=run)"
FLOW = "flow"
NEVER = "flow(empty_reserve=never)"


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def table(game: str, columns: str, reserves: str) -> Wave:
    """A position from its piles, bottom first, a bar between two piles; the rest are empty."""
    made = parse_rules(game)
    return Wave(made, *(eight(piles) for piles in (columns, reserves)))


def eight(text: str) -> tuple[tuple[int, ...], ...]:
    piles = [cards(pile) for pile in text.split("|")]
    return (*piles, *[()] * (8 - len(piles)))


def moves(position: Position) -> set[str]:
    return {position.move_text(move) for move in position.moves()}


def play(position: Position, *line: str) -> list[str]:
    """The table after moves, a text for each pile that is not empty."""
    for text in line:
        position = position.play(position.parse_move(text))
    return [str(pile) for pile in position.table() if pile.cards]


def refused(position: Position, text: str, why: str) -> None:
    assert text not in moves(position)
    with pytest.raises(IllegalMove) as caught:
        position.play(position.parse_move(text))
    assert str(caught.value) == f"{text}: {why}"


every_game = pytest.mark.parametrize("game", [TOP, RUN, FLOW, NEVER])


class TestLayout:
    @every_game
    def test_all_cards_are_dealt_row_by_row_over_the_reserves_face_up(self, game: str) -> None:
        position = start(parse_rules(game), deck())
        assert isinstance(position, Wave)
        assert position.reserves == tuple(tuple(range(first, 52, 8)) for first in range(8))
        assert [len(cards) for cards in position.reserves] == [7] * 4 + [6] * 4
        assert {pile.down for pile in position.table()} == {0}

    def test_the_columns_are_empty(self) -> None:
        position = start(rules("wave-motion"), deck())
        assert isinstance(position, Wave)
        assert position.columns == ((),) * 8

    @pytest.mark.parametrize(("reserves", "columns"), [(4, 5), (13, 10), (1, 52), (52, 4)])
    def test_their_numbers_are_options(self, reserves: int, columns: int) -> None:
        position = start(rules("wave-motion", reserves=reserves, columns=columns), deck())
        assert isinstance(position, Wave)
        assert position.reserves == tuple(
            tuple(range(first, 52, reserves)) for first in range(reserves)
        )
        assert position.columns == ((),) * columns

    def test_the_table_names_columns_and_reserves(self) -> None:
        position = start(rules("flow", reserves=5, columns=4), deck())
        names = [pile.name for pile in position.table()]
        assert names == ["c1", "c2", "c3", "c4", "r1", "r2", "r3", "r4", "r5"]
        assert str(position).splitlines()[3:5] == [
            "c4:",
            "r1: AC 6C JC 3S 8S KS 5H TH 2D 7D QD",
        ]


class TestRules:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (
                "wave-motion(columns=3)",
                "wave-motion(columns=3) cannot be won: a column holds cards of one suit, "
                "so there must be at least 4 columns",
            ),
            (
                "flow(columns=1)",
                "flow(columns=1) cannot be won: a column holds cards of one suit, "
                "so there must be at least 4 columns",
            ),
            (
                "wave-motion(columns=52,reserves=13)",
                "wave-motion(columns=52,reserves=13): at most 64 columns and reserves together",
            ),
            ("wave-motion(columns=0)", "option columns cannot be '0': it takes 1 to 52"),
            ("flow(reserves=53)", "option reserves cannot be '53': it takes 1 to 52"),
            ("flow(reserves=-1)", "option reserves cannot be '-1': it takes 1 to 52"),
            ("flow(reserves=8.0)", "option reserves cannot be '8.0': it takes 1 to 52"),
            (
                "flow(reserve_moves=top)",
                "flow(reserve_moves=top): reserve_build=true needs reserve_moves=run",
            ),
            (
                "wave-motion(reserve_build=true)",
                "wave-motion(reserve_build=true): reserve_build=true needs reserve_moves=run",
            ),
            (
                "wave-motion(empty_reserve=single)",
                "wave-motion(empty_reserve=single): reserve_build=false needs empty_reserve=never",
            ),
            (
                "flow(reserve_build=false)",
                "flow(reserve_build=false): reserve_build=false needs empty_reserve=never",
            ),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, text: str, why: str) -> None:
        with pytest.raises(UsageError) as caught:
            parse_rules(text)
        assert str(caught.value) == why

    def test_both_games_reach_the_rules_of_each_other(self) -> None:
        options = "empty_reserve=never", "reserve_build=false", "reserve_moves=run"
        assert parse_rules("flow", options).options == parse_rules(RUN).options
        options = "empty_reserve=single", "reserve_build=true", "reserve_moves=run"
        assert parse_rules("wave-motion", options).options == rules("flow").options


@every_game
class TestColumns:
    def test_they_build_down_in_suit(self, game: str) -> None:
        position = table(game, "8H", "2C 7H|AD 7S")
        assert play(position, "7H>c1") == ["c1: 8H 7H", "r1: 2C", "r2: AD 7S"]
        refused(position, "7S>c1", "7S is not the next lower card of 8H's suit")

    @pytest.mark.parametrize("text", ["9H", "6H", "8S", "KS", "AH"])
    def test_another_card_is_refused(self, game: str, text: str) -> None:
        position = table(game, "8H", text)
        refused(position, f"{text}>c1", f"{text} is not the next lower card of 8H's suit")

    def test_nothing_goes_on_an_ace(self, game: str) -> None:
        # The king of clubs has the number before the ace of spades.
        for text in ("KC", "KS", "2S"):
            position = table(game, "AS", text)
            refused(position, f"{text}>c1", "nothing goes on an ace")

    def test_an_empty_column_takes_any_card(self, game: str) -> None:
        for text in ("AS", "7H", "KD"):
            assert play(table(game, "", f"2C {text}"), f"{text}>c3") == [f"c3: {text}", "r1: 2C"]

    def test_a_sequence_moves_to_a_column_that_takes_it(self, game: str) -> None:
        position = table(game, "8H|7H 6H 5H", "2C")
        assert play(position, "7H>c1") == ["c1: 8H 7H 6H 5H", "r1: 2C"]

    def test_any_upper_part_of_it_moves(self, game: str) -> None:
        position = table(game, "8H 7H 6H 5H|7S", "2C")
        for text in ("8H", "7H", "6H", "5H"):
            assert f"{text}>c3" in moves(position)
        assert play(position, "6H>c8") == ["c1: 8H 7H", "c2: 7S", "c8: 6H 5H", "r1: 2C"]

    def test_a_part_comes_back(self, game: str) -> None:
        position = table(game, "8H 7H|6H", "2C")
        assert play(position, "7H>c3", "6H>c3", "7H>c1") == ["c1: 8H 7H 6H", "r1: 2C"]

    def test_a_whole_column_moves_to_each_empty_one(self, game: str) -> None:
        position = table(game, "8H 7H", "")
        expected = {f"{text}>c{number}" for text in ("8H", "7H") for number in range(2, 9)}
        assert {move for move in moves(position) if ">c" in move} == expected

    def test_a_card_does_not_move_within_its_column(self, game: str) -> None:
        refused(table(game, "8H 7H", "2C"), "7H>c1", "7H is in that pile already")

    def test_only_the_top_takes_a_card(self, game: str) -> None:
        position = table(game, "8H 7H|QS", "7S|2C 6D")
        refused(position, "QS>c1", "QS is not the next lower card of 7H's suit")
        refused(position, "7S>c1", "7S is not the next lower card of 7H's suit")


class TestReserves:
    def test_top_only_the_top_card_leaves(self) -> None:
        position = table(TOP, "9H", "2C 8H 7H")
        assert moves(position) == {f"{card}>c{n}" for card in ("7H", "9H") for n in range(2, 9)}
        why = "only the top card of a reserve moves, and 8H is covered"
        refused(position, "8H>c1", why)
        refused(position, "8H>c2", why)
        assert play(position, "7H>c2", "8H>c1", "7H>c1") == ["c1: 9H 8H 7H", "r1: 2C"]

    @pytest.mark.parametrize("game", [RUN, FLOW, NEVER])
    def test_run_a_sequence_or_any_upper_part_of_it_leaves(self, game: str) -> None:
        position = table(game, "9H|8S", "2C 8H 7H 6H|2D")
        assert play(position, "8H>c1") == ["c1: 9H 8H 7H 6H", "c2: 8S", "r1: 2C", "r2: 2D"]
        assert play(position, "7H>c5")[2:4] == ["c5: 7H 6H", "r1: 2C 8H"]
        refused(position, "2C>c3", "the cards on 2C are no sequence of its suit")

    @pytest.mark.parametrize("pile", ["8C 7S", "8C 6C", "8C 9C", "2C AC KC", "8C 7C 6S"])
    @pytest.mark.parametrize("game", [RUN, FLOW, NEVER])
    def test_other_cards_are_no_sequence(self, game: str, pile: str) -> None:
        first = pile.split()[0]
        why = f"the cards on {first} are no sequence of its suit"
        refused(table(game, "9C", pile), f"{first}>c1", why)
        refused(table(game, "9C", pile), f"{first}>c2", why)

    def test_a_king_is_no_part_of_the_suit_before_it(self) -> None:
        # The king of clubs has the number before the ace of spades.
        position = table(RUN, "", "AS KC")
        assert moves(position) == {f"KC>c{number}" for number in range(1, 9)}

    @pytest.mark.parametrize("game", [TOP, RUN])
    def test_nothing_is_put_on_a_reserve(self, game: str) -> None:
        position = table(game, "7H", "8H|2C 7S")
        for text in ("7H>r1", "7H>r3", "8H>r4", "7S>r3"):
            refused(position, text, "nothing is put on a reserve")

    @pytest.mark.parametrize("game", [TOP, RUN])
    def test_not_even_what_came_from_there(self, game: str) -> None:
        position = table(game, "", "8H 7H")
        position = position.play(position.parse_move("7H>c1"))
        refused(position, "7H>r1", "nothing is put on a reserve")


@pytest.mark.parametrize("game", [FLOW, NEVER])
class TestReservesThatBuild:
    def test_a_card_goes_on_the_next_higher_one_of_its_suit(self, game: str) -> None:
        position = table(game, "7H", "2C 8H|2D 7S|8S")
        assert play(position, "7H>r1") == ["r1: 2C 8H 7H", "r2: 2D 7S", "r3: 8S"]
        assert play(position, "7S>r3") == ["c1: 7H", "r1: 2C 8H", "r2: 2D", "r3: 8S 7S"]
        refused(position, "7H>r3", "7H is not the next lower card of 8S's suit")

    def test_so_does_a_sequence(self, game: str) -> None:
        position = table(game, "7H 6H", "2C 8H|2D 7S 6S|8S")
        assert play(position, "7H>r1") == ["r1: 2C 8H 7H 6H", "r2: 2D 7S 6S", "r3: 8S"]
        assert play(position, "7S>r3") == ["c1: 7H 6H", "r1: 2C 8H", "r2: 2D", "r3: 8S 7S 6S"]

    def test_nothing_goes_on_an_ace(self, game: str) -> None:
        refused(table(game, "KC", "AS"), "KC>r1", "nothing goes on an ace")

    def test_what_does_not_move_together_is_refused(self, game: str) -> None:
        position = table(game, "", "8H|7H 5H")
        refused(position, "7H>r1", "the cards on 7H are no sequence of its suit")

    def test_a_card_does_not_move_within_its_reserve(self, game: str) -> None:
        refused(table(game, "", "8H 7H"), "7H>r1", "7H is in that pile already")


class TestEmptyReserves:
    def test_single_it_takes_any_single_card(self) -> None:
        position = table(FLOW, "9D 8D", "2C 7S|KH")
        assert play(position, "8D>r8") == ["c1: 9D", "r1: 2C 7S", "r2: KH", "r8: 8D"]
        assert play(position, "7S>r3") == ["c1: 9D 8D", "r1: 2C", "r2: KH", "r3: 7S"]
        assert play(position, "KH>r3") == ["c1: 9D 8D", "r1: 2C 7S", "r3: KH"]

    def test_single_it_takes_no_sequence(self) -> None:
        position = table(FLOW, "9D 8D", "2C 7S 6S")
        for text in ("9D>r2", "7S>r2"):
            refused(position, text, "an empty reserve takes a single card only")

    def test_single_what_lies_there_is_built_on(self) -> None:
        position = table(FLOW, "9D 8D 7D", "2C")
        assert play(position, "7D>c2", "8D>r2", "7D>r2") == ["c1: 9D", "r1: 2C", "r2: 8D 7D"]

    def test_never_it_stays_empty(self) -> None:
        position = table(NEVER, "9D 8D", "2C 7S")
        for text in ("8D>r2", "9D>r2", "7S>r8"):
            refused(position, text, "an empty reserve stays empty")
        assert {move for move in moves(position) if ">r" in move} == set()

    def test_never_an_emptied_one_too(self) -> None:
        position = table(NEVER, "", "7S|2C")
        position = position.play(position.parse_move("7S>c1"))
        refused(position, "7S>r1", "an empty reserve stays empty")


@every_game
class TestWon:
    def test_when_all_cards_are_in_columns(self, game: str) -> None:
        whole = ["KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C AC".replace("C", suit) for suit in SUITS]
        split = f"{'|'.join(whole[:3])}|KD QD JD|{whole[3][9:-3]}"
        position = table(game, split, "AD")
        assert not position.won
        assert position.play(position.parse_move("AD>c6")).won  # not one column for each suit
        assert position.play(position.parse_move("AD>c5")).won

    def test_not_with_a_finished_suit_and_cards_left(self, game: str) -> None:
        whole = "KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C AC"
        assert not table(game, whole, "2D AD").won

    def test_a_whole_game_with_many_columns(self, game: str) -> None:
        made = parse_rules(game, ["columns=52"])
        order = [card for pile in range(8) for card in deck()[pile::8][::-1]]
        line = [
            f"{start(made, deck()).move_text(Move('move', card, to))}"
            for to, card in enumerate(order)
        ]
        assert not replay(made, deck(), " ".join(line[:-1])).won
        assert replay(made, deck(), " ".join(line)).won


class TestNotation:
    position = start(rules("flow", columns=12, reserves=10), deck())

    def test_columns_and_reserves_are_counted_apart_from_one(self) -> None:
        seven = parse_card("7H")
        for text, pile in (("7H>c1", 0), ("7H>c12", 11), ("7H>r1", 12), ("7H>r10", 21)):
            assert self.position.parse_move(text) == Move("move", seven, pile)
            assert self.position.move_text(Move("move", seven, pile)) == text

    @pytest.mark.parametrize("text", ["7H>c13", "7H>r11", "7H>c99"])
    def test_there_are_as_many_as_the_rules_say(self, text: str) -> None:
        with pytest.raises(UsageError) as caught:
            self.position.parse_move(text)
        why = "there are the columns c1 to c12 and the reserves r1 to r10"
        assert str(caught.value) == f"{text}: {why}"
        for pile in (-1, 22):
            assert self.position.refusal(Move("move", 0, pile)) == why

    @pytest.mark.parametrize(
        "text",
        ["", "deal", "7H", "7H>3", "7H>c", "7H>c0", "7H>c03", "7H>c100", "7H>C3", "7H>x3"]
        + ["7H>c3>c4", "7H>c3 ", "7H>c3\n", "7H>r-1", "off:S", "7H>c٣"],
    )
    def test_what_is_no_move_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match=r"is no move: write card>column or card>reserve, "):
            self.position.parse_move(text)

    @pytest.mark.parametrize("text", ["7h>c3", "10H>c3", ">c3", "7X>r3", "7H >c3", "back:AS>c3"])
    def test_what_is_no_card_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="is no card"):
            self.position.parse_move(text)

    def test_other_kinds_of_moves_are_refused(self) -> None:
        for move in (DEAL, Move("off", 0), Move("back", 0, 1)):
            with pytest.raises(IllegalMove, match="cards only move from pile to pile here"):
                self.position.play(move)

    def test_a_line_says_which_move_is_wrong(self) -> None:
        cases = {
            "AC>c1": "move 1: AC>c1: only the top card of a reserve moves, and AC is covered",
            "TD>c1 TD>r9": "move 2: TD>r9: there are the columns c1 to c8 and "
            "the reserves r1 to r8",
            "TD>c1 TD>r1": "move 2: TD>r1: nothing is put on a reserve",
        }
        for line, why in cases.items():
            with pytest.raises(BadLine) as caught:
                replay(rules("wave-motion"), deck(), line)
            assert str(caught.value) == why


@every_game
@given(st.integers(0, 2**32))
def test_columns_hold_sequences_of_one_suit(game: str, seed: int) -> None:
    rng = random.Random(seed)
    made = parse_rules(game, [f"columns={rng.randint(4, 10)}", f"reserves={rng.randint(1, 13)}"])
    # High cards last, more or less: they are dealt last and lie on top.
    noise = rng.choice([3, 1000])
    position = start(made, sorted(deck(), key=lambda card: rng.uniform(0, noise) + card % 13))
    for _ in range(rng.randrange(150)):
        options = position.moves()
        if not options:
            break
        position = position.after(rng.choice(options))
        assert isinstance(position, Wave)
        for column in position.columns:
            assert all(lower - 1 == upper for lower, upper in pairwise(column))
            assert len({card // 13 for card in column}) <= 1
        assert position.won == (sum(map(len, position.columns)) == 52)
