from __future__ import annotations

import pickle

import pytest

from solstat.cards import deck, parse_card
from solstat.errors import UsageError
from solstat.games import (
    DEAL,
    Option,
    Pile,
    SmallDeck,
    family_options,
    move_to,
    parse_rules,
    preset,
    presets,
    rules,
    start,
    value_text,
)

NOT_ALONE = {  # what only goes with other options
    "wave-motion(empty_reserve=single)",
    "wave-motion(reserve_build=true)",
    "flow(reserve_build=false)",
    "flow(reserve_moves=top)",
    *(f"{game}(columns={few})" for game in ("wave-motion", "flow") for few in (1, 2, 3)),
}


class TestPresets:
    def test_every_preset_sets_every_option_of_its_family_to_a_value_it_takes(self) -> None:
        for game in presets():
            options = {option.name: option for option in family_options(game.family)}
            assert set(game.options) == set(options)
            for name, value in game.options.items():
                assert options[name].check(value) == value

    def test_every_preset_has_a_summary_of_one_line_and_sources(self) -> None:
        for game in presets():
            assert game.summary
            assert "\n" not in game.summary
            assert game.sources

    def test_a_preset_is_found_by_its_name(self) -> None:
        assert [preset(game.name) for game in presets()] == list(presets())

    @pytest.mark.parametrize("make", [preset, rules, parse_rules])
    def test_an_unknown_game_is_refused_with_a_suggestion(self, make: object) -> None:
        assert callable(make)
        with pytest.raises(UsageError, match="unknown game 'waps': did you mean wasp"):
            make("waps")

    def test_an_unknown_game_like_no_other_is_refused_with_a_list(self) -> None:
        with pytest.raises(UsageError, match=r"unknown game 'klondike': there are: .*wasp"):
            rules("klondike")


class TestOption:
    switch = Option("switch", (False, True), "a switch")
    number = Option("number", (0, 1, 2), "a number")
    count = Option("count", range(1, 53), "a number of a range")

    def test_text_is_read(self) -> None:
        assert self.switch.parse("true") is True
        assert self.switch.parse("false") is False
        assert self.number.parse("2") == 2

    @pytest.mark.parametrize("text", ["", "3", "02", "+1", "1.0", "true", "x" * 99])
    def test_other_text_is_refused(self, text: str) -> None:
        with pytest.raises(
            UsageError, match=r"option number cannot be '.*': it takes one of 0, 1, 2"
        ):
            self.number.parse(text)

    def test_true_is_not_one(self) -> None:
        assert self.number.check(1) == 1
        with pytest.raises(UsageError, match="option number cannot be True"):
            self.number.check(True)
        with pytest.raises(
            UsageError, match="option switch cannot be 1: it takes one of false, true"
        ):
            self.switch.check(1)

    def test_a_range_is_read_and_shown_by_its_ends(self) -> None:
        assert self.count.parse("52") == 52
        assert self.count.check(1) == 1
        assert self.count.values_text == "1 to 52"
        for text in ("0", "53", "052", "+1", "1.0", "true", "one"):
            with pytest.raises(UsageError) as caught:
                self.count.parse(text)
            assert str(caught.value) == f"option count cannot be '{text}': it takes 1 to 52"
        for value in (True, 1.0, "1", 53, None):
            with pytest.raises(UsageError, match="option count cannot be .*: it takes 1 to 52"):
                self.count.check(value)

    @pytest.mark.parametrize("option", [switch, number, count])
    def test_every_value_is_read_back(self, option: Option) -> None:
        assert [option.parse(value_text(value)) for value in option.values] == list(option.values)

    def test_what_is_freer_is_among_the_values(self) -> None:
        for game in presets():
            for option in family_options(game.family):
                assert set(option.freer) <= set(option.values)
                assert len(set(option.freer)) == len(option.freer) != 1


class TestRules:
    def test_options_are_complete_and_sorted(self) -> None:
        assert rules("wasp").options == (("empty_pile", "any"), ("face_down_piles", 4))
        assert rules("wasp").option("face_down_piles") == 4
        assert rules("wasp").family == "scorpion"

    @pytest.mark.parametrize(
        ("text", "id_"),
        [
            ("wasp", "wasp"),
            ("wasp(face_down_piles=4)", "wasp"),
            ("wasp(face_down_piles=3)", "wasp(face_down_piles=3)"),
            ("wasp(face_down_piles=3,empty_pile=king)", "wasp(empty_pile=king,face_down_piles=3)"),
            (" scorpion( empty_pile = any ) ", "scorpion(empty_pile=any)"),
            ("wasp()", "wasp"),
        ],
    )
    def test_the_id_names_the_options_that_differ_sorted(self, text: str, id_: str) -> None:
        assert parse_rules(text).id == id_

    def test_every_id_is_read_back(self) -> None:
        for game in presets():
            for option in family_options(game.family):
                for value in option.values:
                    text = f"{game.name}({option.name}={value_text(value)})"
                    if text in NOT_ALONE:
                        with pytest.raises(UsageError):
                            parse_rules(text)
                        continue
                    made = parse_rules(text)
                    assert parse_rules(made.id) == made

    def test_settings_add_to_the_id(self) -> None:
        made = parse_rules("wasp(face_down_piles=3)", ["empty_pile=king"])
        assert made == rules("wasp", face_down_piles=3, empty_pile="king")

    @pytest.mark.parametrize(
        ("text", "settings", "message"),
        [
            ("wasp(face_down_piles=8)", [], "face_down_piles cannot be '8': it takes one of 0, 1,"),
            (
                "wasp(face_down=3)",
                [],
                "wasp has no option 'face_down': did you mean face_down_piles",
            ),
            (
                "wasp(ranks=5)",
                [],
                "wasp has no option 'ranks': there are: empty_pile, face_down_piles",
            ),
            ("wasp(small=5)", [], "wasp has no option 'small'"),
            ("wasp", ["empty_pile"], "'empty_pile' sets no option: write key=value"),
            ("wasp(,)", [], "'' sets no option: write key=value"),
            ("wasp(empty_pile=any)", ["empty_pile=any"], "empty_pile is set twice: set it once"),
            ("wasp", ["empty_pile=any", "empty_pile=king"], "option empty_pile is set twice"),
            ("wasp", ["empty_pile=king=any"], "empty_pile cannot be 'king=any'"),
            ("", [], "'' is no game: write a name, or name"),
            ("wasp(", [], r"'wasp\(' is no game"),
            ("wasp(empty_pile=any) x", [], "is no game"),
            ("wasp scorpion", [], "is no game"),
        ],
    )
    def test_what_is_wrong_is_refused_in_one_line(
        self, text: str, settings: list[str], message: str
    ) -> None:
        with pytest.raises(UsageError, match=message) as caught:
            parse_rules(text, settings)
        assert len(str(caught.value).splitlines()) == 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"face_down_piles": "3"}, "face_down_piles cannot be '3'"),
            ({"face_down_piles": True}, "face_down_piles cannot be True"),
            ({"empty_pile": None}, "empty_pile cannot be None: it takes one of any, king"),
            ({"columns": 9}, "wasp has no option"),
            ({"small": {"ranks": 5}}, "wasp has no option 'small'"),
        ],
    )
    def test_wrong_values_are_refused(self, options: dict[str, object], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            rules("wasp", **options)  # type: ignore[arg-type]

    def test_an_option_of_another_family_is_refused_as_such(self) -> None:
        with pytest.raises(UsageError) as caught:
            parse_rules("wasp(columns=9)")
        assert str(caught.value) == (
            "wasp has no option columns, which is one of the family wave: "
            "there are: empty_pile, face_down_piles"
        )

    def test_equal_rules_are_one_key(self) -> None:
        assert len({rules("wasp"), rules("wasp", face_down_piles=4), parse_rules("wasp")}) == 1
        assert rules("wasp") != rules("scorpion", empty_pile="any")

    def test_rules_travel_to_another_process(self) -> None:
        made = rules("wasp", face_down_piles=3)
        assert pickle.loads(pickle.dumps(made)) == made

    def test_a_small_deck_shows_in_the_id(self) -> None:
        made = rules("wasp", small=SmallDeck(ranks=3, suits=2, piles=2, depth=2))
        assert made.id == "wasp[3x2 cards, 2x2 dealt]"
        assert made.deck_size == 6
        with pytest.raises(UsageError, match="is no game"):
            parse_rules(made.id)


class TestStart:
    @pytest.mark.parametrize(
        "cards", [[], deck()[:51], [*deck(), 0], [*deck()[:51], 0], [*deck()[:51], 52], [-1] * 52]
    )
    def test_what_is_no_deal_is_refused(self, cards: list[int]) -> None:
        with pytest.raises(UsageError, match="no deal of wasp: it takes each of its 52 cards once"):
            start(rules("wasp"), cards)

    def test_a_small_deck_takes_its_own_cards(self) -> None:
        small = rules("wasp", small=SmallDeck(ranks=3, suits=2, piles=2, depth=2))
        assert start(small, [15, 14, 13, 2, 1, 0]).rules == small
        with pytest.raises(UsageError, match="it takes each of its 6 cards once"):
            start(small, [0, 1, 2, 3, 4, 5])


class TestNotation:
    position = start(rules("wasp"), deck())

    def test_a_move_is_its_card_and_the_pile_counted_from_one(self) -> None:
        move = move_to(parse_card("7H"), 2)
        assert self.position.move_text(move) == "7H>3"
        assert self.position.parse_move("7H>3") == move

    def test_the_deal(self) -> None:
        assert self.position.move_text(DEAL) == "deal"
        assert self.position.parse_move("deal") == DEAL

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "7H",
            ">3",
            "7H>",
            "7H>0",
            "7H>03",
            "7H>100",
            "7H>x",
            "7h>3",
            "7H>3>4",
            "7H >3",
            "DEAL",
            "7H>3 ",
            "10H>3",
            "off:S",
            "7H>c3",
            "7H>٣",
            "deal\n",
        ],
    )
    def test_what_is_no_move_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match=r"is no move: write card>pile|is no card"):
            self.position.parse_move(text)

    def test_a_table_is_written_bottom_first_with_face_down_cards_in_brackets(self) -> None:
        assert str(Pile("1", (0, 1, 2), 2)) == "1: (AC 2C) 3C"
        assert str(Pile("1", (0, 1, 2), 1)) == "1: (AC) 2C 3C"
        assert str(Pile("1", (0, 1), 0)) == "1: AC 2C"
        assert str(Pile("1", (), 0)) == "1:"
