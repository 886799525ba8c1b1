from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from solstat.errors import UsageError
from solstat.games import Position, Rules, move_to, parse_rules, rules, start
from solstat.games.scorpion import Scorpion
from solstat.games.spider import Spider
from solstat.players import (
    PATIENCE,
    POLICIES,
    UNKNOWN,
    VERSION,
    dice_of,
    hidden,
    play,
    sensible,
    view,
    work,
)
from solstat.solver import deal_many
from solstat.survey.played import Games, games_under

RESULTS = Path(__file__).parents[1] / "results/players"

GAMES = (
    "wasp",
    "scorpion",
    "will-o-the-wisp",
    "will-o-the-wisp(finished_runs=optional)",
    "will-o-the-wisp(finished_runs=return)",
    "spiderette",
    "wave-motion",
    "flow",
)
CASES = [(game, policy) for game in GAMES for policy in POLICIES]


def deals(count: int, first: int = 0) -> list[list[int]]:
    found: list[list[int]] = deal_many("solstat", range(first, first + count)).tolist()
    return found


def positions(game: Rules, cards: Sequence[int], line: str) -> list[Position]:
    found = [start(game, cards)]
    for text in line.split():
        found.append(found[-1].play(found[-1].parse_move(text)))
    return found


def shuffled(position: Position, dice: Random) -> Position:
    """The same table to a person's eye: the cards that are not seen have changed places."""
    if not isinstance(position, Scorpion | Spider):
        return position
    unseen = [
        *(
            card
            for cards, down in zip(position.piles, position.down, strict=True)
            for card in cards[:down]
        ),
        *position.stock,
    ]
    dice.shuffle(unseen)
    cards = iter(unseen)
    piles = tuple(
        (*(next(cards) for _ in range(down)), *pile[down:])
        for pile, down in zip(position.piles, position.down, strict=True)
    )
    return replace(position, piles=piles, stock=tuple(cards))


class TestView:
    @pytest.mark.parametrize("game", GAMES)
    def test_what_is_not_seen_is_not_in_it(self, game: str) -> None:
        dice = Random(1)
        moved = 0
        for number, cards in enumerate(deals(3)):
            game_rules = parse_rules(game)
            line = play(game_rules, cards, "greedy", number).line
            for position in positions(game_rules, cards, line):
                seen, other = view(position), shuffled(position, dice)
                moved += position != other
                assert view(other) == seen
                assert seen.moves() == position.moves()
                for pile, shown in zip(position.table(), seen.table(), strict=True):
                    assert len(shown.cards) == len(pile.cards)
                    assert all(card >= UNKNOWN for card in shown.cards[: pile.down])
                    assert shown.cards[pile.down :] == pile.cards[pile.down :]
        assert (moved > 0) is (parse_rules(game).family != "wave")

    @pytest.mark.parametrize(("game", "policy"), CASES)
    def test_a_policy_chooses_the_same_whatever_is_hidden(self, game: str, policy: str) -> None:
        game_rules, dice = parse_rules(game), Random(2)
        [cards] = deals(1, first=5)
        line = play(game_rules, cards, policy, 5).line
        for position in positions(game_rules, cards, line)[::7]:
            plans = [
                POLICIES[policy](view(each), {view(each).key()}, Random(3))
                for each in (position, shuffled(position, dice), shuffled(position, dice))
            ]
            assert plans[0] == plans[1] == plans[2]

    def test_an_unknown_card_is_no_place_and_no_part_of_a_run(self) -> None:
        [cards] = deals(1)
        seen = view(start(rules("wasp"), cards))
        unknown = [card for pile in seen.table() for card in pile.cards if card >= UNKNOWN]
        assert len(unknown) == len(set(unknown)) == hidden(seen) == 4 * 3 + 3
        assert all(card % 13 == 0 for card in unknown)


class TestGames:
    @pytest.mark.parametrize(("game", "policy"), CASES)
    def test_a_game_is_legal_and_ends_as_it_says(self, game: str, policy: str) -> None:
        game_rules = parse_rules(game)
        for number, cards in enumerate(deals(6)):
            played = play(game_rules, cards, policy, number)
            tables = positions(game_rules, cards, played.line)
            assert played.moves == len(tables) - 1
            assert played.won is tables[-1].won is (played.end == "won")
            assert len({table.key() for table in tables}) == len(tables)  # never the same again
            if played.end == "stuck":
                assert not tables[-1].moves()
            if played.end == "round":
                left = [work(view(table)) for table in tables]
                new = [
                    move
                    for move in tables[-1].moves()
                    if tables[-1].after(move).key() not in {table.key() for table in tables}
                ]
                assert not new or min(left[:-PATIENCE]) <= min(left[-PATIENCE:])

    @pytest.mark.parametrize(("game", "policy"), CASES)
    def test_the_same_deal_is_played_the_same(self, game: str, policy: str) -> None:
        [cards] = deals(1, first=9)
        first = play(parse_rules(game), cards, policy, 9)
        assert play(parse_rules(game), cards, policy, "9") == first

    def test_dice_are_a_matter_of_rules_policy_and_deal(self) -> None:
        numbers = {
            (game, policy, seed): dice_of(rules(game), policy, seed).random()
            for game in ("wasp", "scorpion")
            for policy in POLICIES
            for seed in (0, 1)
        }
        assert len(set(numbers.values())) == len(numbers) == 12
        # As docs/players.md says.
        assert numbers["wasp", "random", 0] == 0.2165767093926807

    def test_a_player_that_there_is_not(self) -> None:
        with pytest.raises(UsageError, match="unknown policy 'gredy': did you mean greedy"):
            play(rules("wasp"), deals(1)[0], "gredy", 0)

    def test_cards_that_are_no_deal(self) -> None:
        with pytest.raises(UsageError, match="are no deal of wasp"):
            play(rules("wasp"), [0, 1], "greedy", 0)


class TestPolicies:
    def test_better_players_win_more(self) -> None:
        cards = deals(60)
        won = {
            policy: sum(play(rules("flow"), deal, policy, n).won for n, deal in enumerate(cards))
            for policy in POLICIES
        }
        assert won["random"] < won["greedy"] < won["careful"]

    def test_random_takes_any_move(self) -> None:
        seen = view(start(rules("wasp"), deals(1)[0]))
        found = {POLICIES["random"](seen, set(), Random(n))[0] for n in range(200)}
        assert found == set(seen.moves())

    def test_greedy_takes_what_gains_most_and_deals_last(self) -> None:
        for cards in deals(40):
            seen = view(start(rules("scorpion"), cards))
            [move] = POLICIES["greedy"](seen, set(), Random(1))
            gains = {
                each: work(seen) - work(view(seen.after(each)))
                for each in seen.moves()
                if each.kind == "move"
            }
            best = max(gains.values(), default=0)
            assert (gains[move] == best) if best > 0 else (move.kind == "deal")

    def test_no_player_goes_where_it_has_been(self) -> None:
        seen = view(start(rules("wave-motion"), deals(1)[0]))
        everywhere = {seen.after(move).key() for move in seen.moves()}
        for policy in POLICIES.values():
            assert policy(seen, everywhere, Random(1)) == []

    def test_the_careful_one_parts_no_sequence_and_looks_at_one_empty_place(self) -> None:
        position = start(rules("wave-motion"), deals(1)[0])
        top = position.moves()[0].card
        assert sum(move.card == top for move in position.moves()) == 8
        assert [move for move in sensible(view(position)) if move.card == top] == [move_to(top, 0)]
        moved = view(position.after(move_to(top, 0)))
        assert all(move.card != top for move in sensible(moved) if not moved.piles[move.pile])

    def test_no_work_is_left_when_a_game_is_won(self) -> None:
        for game in ("wasp", "will-o-the-wisp(finished_runs=optional)"):
            for number, cards in enumerate(deals(40)):
                played = play(parse_rules(game), cards, "careful", number)
                if played.won:
                    first, *_, last = positions(parse_rules(game), cards, played.line)
                    assert work(view(last)) == 0 < work(view(first))
                    break
            else:
                raise AssertionError(f"{game}: no win to look at")


class TestCommittedGames:
    """They fail when a player has changed and `solstat.players.VERSION` should have been raised."""

    @pytest.mark.parametrize(
        "kept",
        games_under(RESULTS),
        ids=lambda kept: f"{kept.identity.rules}-{kept.identity.policy}",
    )
    def test_are_played_the_same_today(self, kept: Games) -> None:
        identity = kept.identity
        assert identity.players == VERSION
        rows = pa.concat_tables(kept.tables(["seed", "outcome", "moves"])).slice(0, 20).to_pylist()
        cards = deal_many(identity.scheme, [row["seed"] for row in rows]).tolist()
        for row, deal in zip(rows, cards, strict=True):
            played = play(parse_rules(identity.rules), deal, identity.policy, row["seed"])
            assert (played.end, played.moves) == (row["outcome"], row["moves"])

    def test_are_of_all_games_and_players(self) -> None:
        kept = {(each.identity.rules, each.identity.policy) for each in games_under(RESULTS)}
        assert kept == set(CASES)
        assert all(sum(each.ends().values()) == 10_000 for each in games_under(RESULTS))
