from __future__ import annotations

import pytest

from solstat import solver, verify
from solstat.cards import parse_card
from solstat.games import SmallDeck, parse_rules, rules
from solstat.report.steps import STOCK, card_name, steps
from solstat.verify import BadLine

SPIDER = SmallDeck(ranks=2, suits=2, piles=2, depth=1)


def words(made, cards: str, line: str) -> list[str]:
    return [step.words for step in steps(made, list(map(parse_card, cards.split())), line)]


def deal(seed: int) -> list[int]:
    return solver.deal_many("solstat", [seed])[0].tolist()


@pytest.mark.parametrize(
    "game",
    [
        *("wasp", "scorpion(face_down_piles=0)", "spiderette(finished_runs=optional)"),
        *("will-o-the-wisp", "will-o-the-wisp(finished_runs=return)", "wave-motion(columns=10)"),
        "flow",
    ],
)
def test_every_table_is_that_of_the_rules(game):
    made = parse_rules(game)
    seed, line = next(
        (seed, found.line)
        for seed in range(100)
        if (found := solver.solve(made, deal(seed), 100_000)).line
    )
    found = steps(made, deal(seed), line)
    moves = line.split()
    assert [step.move for step in found] == ["", *moves]
    for number, step in enumerate(found):
        table = verify.replay(made, deal(seed), " ".join(moves[:number])).table()
        piles = [pile for pile in table if pile.name != STOCK and "off" not in pile.name]
        assert list(step.piles) == piles
        assert step.stock == next((pile.cards for pile in table if pile.name == STOCK), None)
        for pile in table:
            if pile.name.startswith("off:"):
                assert step.finished["CSHD".index(pile.name[-1])] == pile.cards
        held = [card for pile in step.piles for card in pile.cards]
        off = [card for cards in step.finished for card in cards]
        assert sorted([*held, *off, *(step.stock or ())]) == list(range(52))
        assert set(step.moved) <= {*held, *off}
    assert found[-1].words.endswith(" The game is won.")
    assert not any("won" in step.words for step in found[:-1])


def test_words_of_the_family_scorpion():
    made = rules("wasp", small=SmallDeck(ranks=3, suits=1, piles=1, depth=2), face_down_piles=1)
    assert words(made, "2C AC 3C", "deal") == [
        "The table before the first move.",
        "The stock deals 1 card, to pile 1.",
    ]
    made = rules("wasp", small=SmallDeck(ranks=3, suits=1, piles=2, depth=1))
    assert words(made, "2C AC 3C", "AC>1 2C>2")[1:] == [
        "Ace of clubs from pile 2 to pile 1, onto the two of clubs.",
        "Two of clubs and 1 card on it from pile 1 to pile 2, which is empty.",
    ]


def test_cards_that_are_turned_up_and_runs_that_leave():
    made = rules("wasp", small=SmallDeck(ranks=2, suits=2, piles=2, depth=2), face_down_piles=2)
    assert words(made, "AC 2C 2S AS", "AS>1")[1:] == [
        "Ace of spades from pile 2 to pile 1, onto the two of spades. "
        "The run of spades is finished and leaves. "
        "The ace of clubs and the two of clubs are turned up."
    ]
    assert words(made, "AC 2C 2S AS", "AS>1 AC>2")[2:] == [
        "Ace of clubs from pile 1 to pile 2, onto the two of clubs. "
        "The run of clubs is finished and leaves. The game is won."
    ]


def test_words_of_the_family_spider():
    made = rules("will-o-the-wisp", finished_runs="return", small=SPIDER)
    assert words(made, "2C AC 2S AS", "AC>1 off:C back:AC>2 back:2C>1 deal")[1:] == [
        "Ace of clubs from pile 2 to pile 1, onto the two of clubs.",
        "The finished run of clubs is taken off pile 1.",
        "Ace of clubs from its foundation to pile 2, which is empty.",
        "Two of clubs from its foundation to pile 1, which is empty.",
        "The stock deals 2 cards, to piles 1 to 2.",
    ]
    made = rules("will-o-the-wisp", small=SPIDER)
    assert words(made, "2C AC 2S AS", "AC>1")[1:] == [
        "Ace of clubs from pile 2 to pile 1, onto the two of clubs. "
        "The run of clubs is finished and leaves."
    ]


def test_words_of_the_family_wave():
    made = rules("flow", columns=2, reserves=2, small=SmallDeck(ranks=2, suits=2))
    assert words(made, "2C AS 2S AC", "AC>c1 2S>c2 AS>c2 AC>r2 AC>r1 2C>c1")[1:] == [
        "Ace of clubs from reserve 2 to column 1, which is empty.",
        "Two of spades from reserve 1 to column 2, which is empty.",
        "Ace of spades from reserve 2 to column 2, onto the two of spades.",
        "Ace of clubs from column 1 to reserve 2, which is empty.",
        "Ace of clubs from reserve 2 to reserve 1, onto the two of clubs.",
        "Two of clubs and 1 card on it from reserve 1 to column 1, which is empty. "
        "The game is won.",
    ]


def test_a_line_that_cannot_be_played():
    made = rules("will-o-the-wisp", small=SPIDER)
    with pytest.raises(BadLine, match="move 2: deal: the stock is dealt only while no pile"):
        words(made, "2C AC 2S AS", "AC>1 deal")


def test_cards_have_names():
    assert [card_name(parse_card(text)) for text in ("AC", "TS", "QH", "KD")] == [
        *("ace of clubs", "ten of spades", "queen of hearts", "king of diamonds")
    ]
