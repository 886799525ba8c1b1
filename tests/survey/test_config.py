from __future__ import annotations

from pathlib import Path

import pytest

from solstat.cards import card_text
from solstat.deals import SeedRange, read_deals
from solstat.errors import UsageError
from solstat.games import rules
from solstat.survey.config import Settings, load
from solstat.survey.plan import Again

WASP = rules("wasp")


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "survey.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


class TestLoad:
    def test_every_key(self, write) -> None:
        path = write(
            'game = "wasp(face_down_piles=3)"\ndeals = "5:10"\nscheme = "solstat"\n'
            'budget = "250k"\nsearch = "plain"\nlines = true\nworkers = 2\n'
        )
        assert load(path) == Settings(
            rules=(rules("wasp", face_down_piles=3),),
            deals="5:10",
            scheme="solstat",
            budget=250_000,
            search="plain",
            lines=True,
            workers=2,
        )

    def test_several_rules_with_options(self, write) -> None:
        path = write(
            'budget = 1000\n[[rules]]\ngame = "wasp"\n'
            '[[rules]]\ngame = "wasp"\nface_down_piles = 3\nempty_pile = "king"\n'
        )
        settings = load(path)
        assert settings.budget == 1000
        assert [each.id for each in settings.rules] == [
            "wasp",
            "wasp(empty_pile=king,face_down_piles=3)",
        ]

    def test_deal_file_is_relative_to_the_config(self, write, data: Path) -> None:
        deals = (data / "deals.txt").read_text().splitlines()[:3]
        path = write('game = "wasp"\nbudget = 10\ndeals_file = "some.txt"\n')
        (path.parent / "some.txt").write_text("\n".join(deals))
        (plan,) = load(path).plans()
        assert plan.deals == tuple(read_deals(path.parent / "some.txt"))
        assert plan.scheme == "file"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('gamme = "wasp"', "unknown key 'gamme': did you mean game?"),
            ('game = "waps"', "unknown game 'waps': did you mean wasp?"),
            ("game = 3", "game = '3': write text in quotes, like game = \"...\""),
            ('game = "wasp"\n[[rules]]\ngame = "wasp"', "both game and [[rules]]"),
            ('rules = "wasp"', "write each game as a table of its own under [[rules]]"),
            ("[[rules]]\nface_down_piles = 3", '[[rules]] without a game: write game = "..."'),
            ('[[rules]]\ngame = "wasp"\nface_down_piles = 9', "face_down_piles cannot be '9'"),
            ('[[rules]]\ngame = "wasp"\nface_down_piles = true', "cannot be 'true'"),
            ('[[rules]]\ngame = "wasp"\nface = 9', "wasp has no option 'face'"),
            ('budget = "much"', "budget 'much': write a whole number"),
            ("budget = true", "budget = 'True': write text"),
            ("budget = 0", "budget '0': write a whole number"),
            ("budgets = 9", 'budgets = \'9\': write a list, like budgets = ["250k", "1M"]'),
            ("budgets = []", "no budgets: name one, or several"),
            ('budgets = ["1M", 300]', "budgets 1M,300: each must be above the one before"),
            ('budgets = ["1M", "much"]', "budget 'much': write a whole number"),
            ("lines = 1", "lines = '1': write true or false"),
            ("workers = 0", "workers = '0': write a whole number from 1"),
            ("workers = true", "workers = 'True': write a whole number"),
            ("deals = 5", "deals = 5: write text in quotes, first:last"),
            ("deals = true", "deals = 'True': write text in quotes"),
            ("", 'it says nothing: write game = "wasp"'),
            ("# nothing", 'it says nothing: write game = "wasp"'),
            (
                'game = "wasp"\nface_down_piles = 3\nempty_pile = "king"',
                'write game = "wasp(empty_pile=king,face_down_piles=3)", or put it below game',
            ),
            (
                'game = "wasp(face_down_piles=3)"\nempty_pile = "king"',
                'write game = "wasp(empty_pile=king,face_down_piles=3)", or put it below game',
            ),
            ('game = "wasp"\nface_down_piles = 9', "face_down_piles cannot be '9'"),
            ("face_down_piles = 3", "is an option of a game: put it below game in a [[rules]]"),
            ('[[rules]]\ngame = "wasp"\ndeals = "0:3"', "put it above the first [[rules]]"),
            (b"\xff", "can't decode byte 0xff"),
            ("a = " + "[" * 5000, "recursion"),
            ("a = [1,", "at end of document"),
        ],
    )
    def test_refused_with_the_name_of_file_and_key(self, write, text, message) -> None:
        path = write(text)
        with pytest.raises(UsageError) as refused:
            load(path)
        assert str(refused.value).startswith(f"config {path}: ")
        assert message in str(refused.value)
        assert "\n" not in str(refused.value)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("game = wasp", 'line 1: write text in quotes, like game = "wasp"'),
            ("\nbudget = 250k  # few\nlines", 'line 2: write text in quotes, like budget = "250k"'),
            ("deals = 0:10", 'line 1: write text in quotes, like deals = "0:10"'),
            ('game = "wasp"\ngame = "wasp"', "line 2: 'game' is there twice: write it once"),
            ("[rules]\n[rules]", "line 2: '[rules]' is there twice: write it once ([[rules]]"),
            ('game = "wasp\n', "line 1: Illegal character '\\n': a text ends with the quote"),
            ("deals 5", "line 1: Expected '=' after a key in a key/value pair: write key = value"),
            ("[[rules]", "line 1: Expected ']]' at the end of an array declaration"),
        ],
    )
    def test_no_toml_names_the_line(self, write, text, message) -> None:
        path = write(text)
        with pytest.raises(UsageError) as refused:
            load(path)
        assert str(refused.value).startswith(f"config {path}, {message}")

    def test_only_tables_are_tables(self, write) -> None:
        assert load(write('[[rules]]\ngame = "wasp"')).tables
        assert not load(write('game = "wasp"')).tables

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="No such file"):
            load(tmp_path / "none.toml")
        with pytest.raises(UsageError, match="null byte"):
            load("a\0b")


class TestOverride:
    def test_flags_win_and_the_rest_stays(self) -> None:
        config = Settings(rules=(WASP,), deals="0:5", budget=7, lines=True, workers=3)
        flags = Settings(budget=9, lines=False)
        assert config.override(flags) == Settings(
            rules=(WASP,), deals="0:5", budget=9, lines=False, workers=3
        )

    def test_one_budget_and_several_take_each_others_place(self) -> None:
        one, several = Settings(budget=5), Settings(budgets=(5, 50))
        assert one.override(several) == several
        assert several.override(one) == one

    def test_a_game_takes_the_place_of_tables(self) -> None:
        tables = Settings(rules=(WASP, rules("scorpion")), tables=True, budget=3)
        game = Settings(rules=(WASP,))
        assert tables.override(game) == Settings(rules=(WASP,), budget=3)
        assert tables.override(Settings(budget=4)).tables

    def test_seeds_and_a_deal_file_take_each_others_place(self) -> None:
        seeds, file = Settings(deals="0:5"), Settings(deals_file="some.txt")
        assert seeds.override(file) == file
        assert file.override(seeds) == seeds


class TestPlans:
    def test_one_plan_for_each_of_the_rules(self) -> None:
        three = rules("wasp", face_down_piles=3)
        plans = Settings(rules=(WASP, three), deals="3:8", budget=9).plans()
        assert [plan.rules for plan in plans] == [WASP, three]
        for plan in plans:
            assert plan.deals == SeedRange(3, 8)
            assert (plan.budget, plan.scheme, plan.search, plan.lines) == (
                9,
                "solstat",
                "full",
                None,
            )

    def test_several_budgets_are_for_what_is_left_open(self) -> None:
        (plan,) = Settings(rules=(WASP,), deals="3:8", budgets=(9, 90, 900)).plans()
        assert (plan.budget, plan.budgets) == (9, (9, 90, 900))
        assert plan.again == (Again("unsettled", 90), Again("unsettled", 900))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"rules": ()}, "no game: name one"),
            ({"rules": (WASP, WASP)}, "the rules wasp are asked for twice"),
            ({"budget": None}, "no budget: say how many positions"),
            ({"budgets": (9, 90)}, "both budget and budgets: give one of them"),
            ({"budget": None, "budgets": (9, 90), "until": "x"}, "until 'x' with several budgets"),
            ({"deals": None}, "no deals: give seeds like 0:563"),
            ({"deals_file": "some.txt"}, "both seeds and a deal file"),
            ({"deals": None, "deals_file": "a", "scheme": "solstat"}, "a scheme is for seeds"),
            ({"deals": None, "deals_file": "no such file"}, "No such file"),
            ({"search": "fulll"}, "unknown search 'fulll': did you mean full?"),
            ({"scheme": "sol"}, "unknown scheme 'sol'"),
            ({"deals": "5:5"}, "write first:last"),
        ],
    )
    def test_refused(self, change, message) -> None:
        settings = {"rules": (WASP,), "deals": "0:5", "budget": 9} | change
        with pytest.raises(UsageError) as refused:
            Settings(**settings).plans()
        assert message in str(refused.value)


def test_a_deal_twice_in_a_file_is_refused(tmp_path, oracle_deals) -> None:
    cards = next(iter(oracle_deals.values()))
    text = " ".join(map(card_text, cards))
    (tmp_path / "deals.txt").write_text(f"a: {text}\nb: {text}\n")
    settings = Settings(rules=(rules("wasp"),), deals_file=str(tmp_path / "deals.txt"), budget=1000)
    with pytest.raises(UsageError, match=r"deals.txt: 'a' and 'b' are the same deal"):
        settings.plans()
