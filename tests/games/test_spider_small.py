"""The family on small decks: layouts, notation, whole games, and what each way with runs wins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from solstat.cards import card_text, deck, parse_card
from solstat.errors import UsageError
from solstat.games import IllegalMove, Move, Position, Rules, SmallDeck, rules, start
from solstat.reference import Outcome, solve

KINDS = ("leave", "optional", "return")


def dealt(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word) for word in text.split())


def small(
    ranks: int, suits: int, piles: int, depth: int, *, layout: str = "rectangle", **options: object
) -> Rules:
    size = SmallDeck(ranks, suits, piles, depth)
    return rules("will-o-the-wisp", small=size, layout=layout, **options)


def after(position: Position, *line: str) -> Position:
    for text in line:
        position = position.play(position.parse_move(text))
    return position


def moves(position: Position) -> set[str]:
    return {position.move_text(move) for move in position.moves()}


class TestLayout:
    def test_the_rectangle_has_depth_rows_the_last_one_face_up(self) -> None:
        position = start(small(4, 2, 2, 3), deck(4, 2))
        assert str(position) == "1: (AC 3C) AS\n2: (2C 4C) 2S\nstock: (3S 4S)"

    def test_the_triangle_has_depth_rows_the_last_one_face_up(self) -> None:
        position = start(small(6, 2, 4, 3, layout="triangle"), deck(6, 2))
        assert str(position).splitlines() == [
            "1: 6C",
            "2: (AC) AS",
            "3: (2C 4C) 2S",
            "4: (3C 5C) 3S",
            "stock: (4S 5S 6S)",
        ]

    @pytest.mark.parametrize("layout", ["rectangle", "triangle"])
    def test_one_row_is_face_up(self, layout: str) -> None:
        position = start(small(2, 2, 3, 1, layout=layout), deck(2, 2))
        assert str(position) == "1: AC\n2: 2C\n3: AS\nstock: (2S)"

    def test_the_stock_falls_on_each_pile_while_there_are_as_many_cards_as_piles(self) -> None:
        first = start(small(4, 2, 3, 1), deck(4, 2))
        assert str(after(first, "deal")) == "1: AC 4C\n2: 2C AS\n3: 3C 2S\nstock: (3S 4S)"
        last = after(first, "deal", "deal")
        assert str(last) == "1: AC 4C 3S\n2: 2C AS 4S\n3: 3C 2S\nstock:"

    def test_without_a_stock_it_counts_as_dealt(self) -> None:
        position = start(small(3, 2, 3, 2), deck(3, 2))
        with pytest.raises(IllegalMove, match="the stock has been dealt"):
            after(position, "deal")

    @pytest.mark.parametrize("layout", ["rectangle", "triangle"])
    @pytest.mark.parametrize(
        "size",
        [
            SmallDeck(ranks=1),
            SmallDeck(ranks=14),
            SmallDeck(suits=0),
            SmallDeck(suits=5),
            SmallDeck(depth=0),
            SmallDeck(piles=0, depth=1),
            SmallDeck(piles=8, depth=1),
            SmallDeck(ranks=2, suits=2, piles=5, depth=1),
            SmallDeck(ranks=3, suits=2, piles=4, depth=2),
        ],
    )
    def test_what_does_not_fit_is_refused(self, size: SmallDeck, layout: str) -> None:
        with pytest.raises(UsageError, match=r"2 to 13 ranks|1 to 7 piles"):
            rules("spiderette", small=size, layout=layout)

    def test_a_triangle_with_more_rows_than_piles_is_refused(self) -> None:
        small(4, 2, 3, 3, layout="triangle")
        with pytest.raises(UsageError, match="at most as many rows as piles"):
            small(4, 2, 3, 4, layout="triangle")

    def test_a_stock_of_any_size_fits(self) -> None:
        position = start(small(13, 4, 1, 1), deck())
        assert len(position.table()[-1].cards) == 51
        assert len(after(position, *["deal"] * 51).table()[0].cards) == 52


class TestFinishedRuns:
    @pytest.mark.parametrize("layout", ["rectangle", "triangle"])
    def test_none_is_finished_in_the_layout(self, layout: str) -> None:
        position = start(small(2, 1, 2, 1, layout=layout), dealt("2C AC"))
        assert not position.won
        assert after(position, "AC>1").won
        position = start(small(2, 1, 1, 2), dealt("2C AC"))
        assert str(position) == "1: (2C) AC\nstock:"
        assert not position.won

    @pytest.mark.parametrize("kind", ["optional", "return"])
    def test_one_that_is_not_to_leave_stays(self, kind: str) -> None:
        position = after(start(small(2, 1, 1, 1, finished_runs=kind), dealt("2C AC")), "deal")
        assert not position.won
        assert str(position) == "1: 2C AC\noff:C:\nstock:"
        assert after(position, "off:C").won
        assert str(after(position, "off:C")) == "1:\noff:C: 2C AC\nstock:"
        with pytest.raises(IllegalMove, match="off:D: no pile ends in a finished run of D"):
            after(position, "off:D")

    def test_what_came_back_goes_off_again_once_it_is_complete_in_the_tableau(self) -> None:
        made = small(3, 2, 4, 1, finished_runs="return")
        position = start(made, dealt("3C 2C AC 3S AS 2S"))
        position = after(position, "2C>1", "AC>1", "off:C", "back:AC>1", "back:2C>4")
        assert str(position).splitlines()[:5] == ["1: AC", "2:", "3:", "4: 3S 2C", "off:C: 3C"]
        assert moves(after(position, "AC>4")).isdisjoint({"off:C", "deal"})
        position = after(position, "back:3C>2", "2C>2")
        assert "off:C" not in moves(position)
        assert "off:C:" in str(after(position, "AC>2")).splitlines()
        assert "off:C: 3C 2C AC" in str(after(position, "AC>2", "off:C")).splitlines()

    def test_cards_that_come_back_fill_the_piles_for_the_stock(self) -> None:
        made = small(3, 2, 3, 1, finished_runs="return")
        position = after(start(made, dealt("3C 2C AC 3S 2S AS")), "2C>1", "AC>1", "off:C")
        assert "deal" not in moves(position)
        position = after(position, "back:AC>1", "back:2C>2", "back:3C>3", "deal")
        assert str(position).splitlines()[:3] == ["1: AC 3S", "2: 2C 2S", "3: 3C AS"]


class TestNotation:
    position = start(small(4, 4, 3, 1), deck(4, 4))

    def test_a_run_that_goes_off_is_written_with_its_suit_and_moves_by_its_highest_card(
        self,
    ) -> None:
        move = Move("off", parse_card("4S"))
        assert self.position.move_text(move) == "off:S"
        assert self.position.parse_move("off:S") == move

    def test_a_card_that_comes_back_is_written_with_its_pile(self) -> None:
        move = Move("back", parse_card("AS"), 2)
        assert self.position.move_text(move) == "back:AS>3"
        assert self.position.parse_move("back:AS>3") == move

    def test_the_others_are_those_of_every_game(self) -> None:
        for text in ("7H>3", "deal"):
            assert self.position.move_text(self.position.parse_move(text)) == text

    @pytest.mark.parametrize(
        "text",
        ["off", "off:", "off:X", "off:s", "off:SS", "off:KS", "off:S>1", "OFF:S", "off:S\n"]
        + ["back", "back:", "back:AS", "back:deal", "back:off:S", "back:AS>0", "back:1S>3"]
        + ["back:back:AS>3", "back:AS>3>4", "back:>3", "7H", "7H>x", ""],
    )
    def test_what_is_no_move_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match=r"deal, off:S or back:AS>3$|is no card"):
            self.position.parse_move(text)


SHAPES = [
    (made, deck(made.deck.ranks, made.deck.suits))
    for layout in ("rectangle", "triangle")
    for deal_onto_empty in (False, True)
    for size in ((2, 4, 2), (3, 2, 2), (3, 3, 2), (3, 3, 3), (3, 4, 3), (4, 2, 2))
    for made in [small(*size, 2, layout=layout, deal_onto_empty=deal_onto_empty)]
]


def each_kind(made: Rules, cards: Sequence[int], limit: int | None = None) -> dict[str, Outcome]:
    """The verdict of exhaustive search on a deal, for each way with finished runs."""
    options = {**dict(made.options), "small": made.small}
    return {
        kind: solve(rules(made.game, **{**options, "finished_runs": kind}), cards, limit)  # type: ignore[arg-type]
        for kind in KINDS
    }


class TestWhatEachKindWins:
    """Who need not let a run go has more moves, and who can call cards back has more still."""

    def test_each_kind_wins_what_the_stricter_one_wins(self) -> None:
        rng = random.Random(0)
        won: Counter[str] = Counter()
        for number in range(2000):
            made, cards = SHAPES[number % len(SHAPES)]
            deal = rng.sample(cards, len(cards))
            verdicts = each_kind(made, deal, 2000)
            for strict, free in pairwise(KINDS):
                wrong = verdicts[strict] == "won" and verdicts[free] == "lost"
                assert not wrong, f"{made.id} {' '.join(map(card_text, deal))}: {verdicts}"
            won.update(kind for kind in KINDS if verdicts[kind] == "won")
        assert 300 < won["leave"] < won["optional"]

    @pytest.mark.parametrize(
        ("made", "deal", "kinds"),
        [
            # A run that leaves empties a pile, and the stock is stuck.
            (small(3, 2, 2, 1), "3C 3S 2C AC 2S AS", ["optional", "return"]),
            (
                small(2, 3, 2, 2, layout="triangle"),
                "AS 2H 2C 2S AC AH",
                ["optional", "return"],
            ),
            # One that is off in time uncovers cards, and fills the piles for the stock again.
            (small(2, 4, 2, 2), "2C AC 2D AD 2S AH AS 2H", ["return"]),
            (small(3, 3, 2, 1), "AS AC 2S 3S 2C 2H 3C AH 3H", ["return"]),
            (small(2, 3, 2, 2, layout="triangle"), "AC AH 2C AS 2S 2H", ["return"]),
            # Onto cards that have come back go others.
            (
                small(3, 4, 3, 2, deal_onto_empty=True),
                "3D 2H AC 2D 2S 2C AH AS 3S 3C AD 3H",
                ["return"],
            ),
        ],
        ids=lambda value: value.id if isinstance(value, Rules) else "",
    )
    def test_deals_that_only_some_of_them_win(
        self, made: Rules, deal: str, kinds: list[str]
    ) -> None:
        verdicts = each_kind(made, dealt(deal))
        assert [kind for kind in KINDS if verdicts[kind] == "won"] == kinds
