from __future__ import annotations

import pytest

from solstat.errors import SolstatError, UsageError
from solstat.table.commands import HELP, Table


@pytest.fixture
def table(new_game, hinted):
    return Table(new_game(), lambda _: hinted(), lambda game, file: None)


def said(table: Table, text: str) -> str:
    answer = table.answer(text)
    assert answer is not None
    assert not answer.refused, answer.said
    return answer.said


def refused(table: Table, text: str) -> str:
    answer = table.answer(text)
    assert answer is not None
    assert answer.refused
    assert not answer.changed
    return answer.said


@pytest.mark.parametrize("text", ["", "  \n", "# 7H", "#"])
def test_nothing_is_answered_to_nothing(table, text):
    assert table.answer(text) is None


@pytest.mark.parametrize(
    "text",
    ["AC", "ac", " aC ", "AC 5", "ac   5", "AC>5", "ac>5"],
)
def test_a_card_is_played(table, text):
    answer = table.answer(text)
    assert (answer.changed, answer.data) == (True, {"played": ["AC>5"]})
    assert table.game.line == "AC>5"


def test_ten_may_be_written_out(table, new_game):
    table.game = new_game("flow", 3)
    assert table.answer("10d c2").data == {"played": ["TD>c2"]}
    assert table.answer("10D>c3 10d>C4").data == {"played": ["TD>c3", "TD>c4"]}


@pytest.mark.parametrize("text", ["AC>5 deal", "ac>5 DEAL"])
def test_a_line_is_played(table, text):
    assert table.answer(text).data == {"played": ["AC>5", "deal"]}


def test_the_start_of_a_word_will_do(table):
    table.answer("d")
    assert table.game.line == "deal"
    table.answer("U")
    assert table.game.line == ""
    assert table.answer("q").over
    assert refused(table, "h") == "h: help or hint?"


def test_many_moves_are_taken_back_and_played_again(table):
    table.answer("AC>5 deal")
    undone = table.answer("undo 9")
    assert (undone.data, undone.said) == ({"undo": ["deal", "AC>5"]}, "undo 2: there are no more")
    once = table.answer("redo 1")
    assert (once.data, once.said) == ({"redo": ["AC>5"]}, "")
    again = table.answer("redo 2")
    assert (again.data, again.said) == ({"redo": ["deal"]}, "redo 1: there are no more")
    assert refused(table, "redo").startswith("there is no move to play again")
    assert refused(table, "undo all") == "'all': write how many moves, like 3"
    assert refused(table, "undo 0") == "'0': write how many moves, like 3"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("udno", "'udno' is no command: write a card, like 7H, or a word; did you mean undo?"),
        ("7h 3 4", "7H: '3 4' is no pile: write card>pile, like 7H>3, or deal"),
        ("off", "off what? write off S"),
        ("off X", "off what? write off S"),
        ("back AS", "back what? write back AS 3"),
        ("7H3", "'7H3' is no command: write a card, like 7H, or a word; there are: back, "),
        ("deal 3", "deal stands alone: what is '3'?"),
        ("hint 3", "hint stands alone: what is '3'?"),
        ("moves x", "moves stands alone: what is 'x'?"),
        ("help me", "help stands alone: what is 'me'?"),
        ("q s", "quit stands alone: what is 's'?"),
        ("table 2", "table stands alone: what is '2'?"),
        ("undo\t3 4", "'3 4': write how many moves, like 3"),
        ("4C>2 AC>5", "move 1: 4C>2: 4C is not the next lower card of 3D's suit"),
        ("AC 9", "AC>9: there are the piles 1 to 7"),
        ("AC c1", "'AC>c1' is no move: write card>pile, like 7H>3, or deal"),
        ("save", "save where? write save FILE"),
        ("\0\x1b[2J", "'\\x00\\x1b[2J' is no command"),
        ("x" * 10**6, "'xxxxxxxxxxxxxxxxxxxx...' is no command"),
    ],
)
def test_what_is_refused_says_why(table, text, why):
    message = refused(table, text)
    assert message.startswith(why)
    assert message.isprintable()
    assert table.game.line == ""


def test_several_moves_are_played_up_to_one_that_is_refused(table):
    answer = table.answer("ac>5 deal AC>5 2H>3")
    assert (answer.refused, answer.changed) == (True, True)
    assert answer.said == ("move 3: AC>5: AC is in that pile already; played before it: AC>5 deal")
    assert answer.data == {"played": ["AC>5", "deal"]}
    assert table.game.line == "AC>5 deal"


def test_every_legal_move_is_listed(table):
    listed = said(table, "moves").split()
    position = table.game.position
    assert listed == [position.move_text(move) for move in position.moves()]
    assert "AC>5" in listed


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (("won", "AC>5 deal", "AC>5", False), "AC>5 (it wins, the first of 2 moves)"),
        (("won", "deal", "deal", False), "deal (it wins)"),
        (("lost", "", None, False), "proved lost: no move wins from here"),
        (
            ("unsettled", "", "deal", True),
            "deal (a guess: whether it can be won from here is unsettled)",
        ),
        (("unsettled", "", None, False), "unsettled: the solver does not know"),
    ],
)
def test_a_hint(new_game, hinted, hint, expected):
    asked = []

    def give(game):
        asked.append(game.line)
        return hinted(*hint)

    table = Table(new_game(), give, lambda game, file: None)
    table.answer("AC")
    answer = table.answer("hint")
    assert (answer.said, answer.changed, asked) == (expected, False, ["AC>5"])
    assert answer.data["hint"] == dict(zip(("outcome", "line", "move", "guess"), hint, strict=True))


def test_a_hint_that_fails_is_one_line(new_game):
    def give(game):
        raise SolstatError("no memory")

    table = Table(new_game(), give, lambda game, file: None)
    assert refused(table, "hint") == "no memory"


def test_save_remembers_the_file(new_game, hinted):
    written = []

    def save(game, file):
        if file == "bad":
            raise UsageError("bad: no")
        written.append((file, game.line))

    table = Table(new_game(), lambda _: hinted(), save)
    assert not table.unsaved
    table.answer("AC")
    assert table.unsaved
    assert refused(table, "save bad") == "bad: no"
    assert refused(table, "save") == "save where? write save FILE"
    assert said(table, "save my game.json") == "saved: my game.json"
    assert not table.unsaved
    table.answer("deal")
    assert table.unsaved
    table.answer("save")
    assert written == [("my game.json", "AC>5"), ("my game.json", "AC>5 deal")]


def test_a_game_that_was_loaded_is_saved_to_its_file(new_game, hinted):
    written = []
    game = new_game()
    game.play_line(["AC>5"])
    table = Table(game, lambda _: hinted(), lambda game, file: written.append(file), "old.json")
    assert not table.unsaved
    table.answer("undo")
    assert not table.unsaved  # there is nothing to lose
    table.answer("deal")
    assert table.unsaved
    table.answer("save")
    assert written == ["old.json"]


def test_help_names_every_word(table):
    assert said(table, "help") == HELP
    for word in table.words:
        assert word in HELP


def test_the_table_can_be_shown_again(table):
    assert table.answer("table").changed
