"""Every sentence of docs/rules.md that allows or refuses something, played in `solstat play`.

The games are in tests/data/rules-played.txt, which says how they are written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from solstat.cards import deck, parse_card
from solstat.cli.app import solstat
from solstat.deals import Deal, format_deal
from solstat.games import Rules, parse_rules, start
from solstat.solver import deal_many, solve

ROOT = Path(__file__).parents[2]
BOLD = re.compile(r"\*\*[^*]+\.\*\*\s*")  # names of what follows, such as **Stock.**


@dataclass
class Game:
    """A game of the file: what is played, and each command with what is to follow."""

    rules: str
    cards: list[str]
    refused: str | None
    script: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Sentence:
    """A sentence under its heading, with the games that show it, or why there are none."""

    heading: str
    text: str
    games: list[Game] = field(default_factory=list)
    unplayed: str = ""


def read() -> list[Sentence]:
    heading, found = "", []
    for line in (ROOT / "tests/data/rules-played.txt").read_text().splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "=":
            heading = rest
        elif mark == ">":
            found.append(Sentence(heading, rest))
        elif mark == "~":
            found[-1].unplayed = rest
        elif mark == "$":
            rules, _, refused = rest.partition(" ! ")
            name, *cards = rules.split(" | ")
            found[-1].games.append(Game(name, cards, refused or None))
        elif line and mark != "#":
            command, arrow, follows = line.partition(" => ")
            assert arrow, line
            found[-1].games[-1].script.append((command, follows))
    return found


def written() -> list[tuple[str, str]]:
    """The sentences of docs/rules.md, each under its heading of the second level."""
    heading, found = "", []
    text = re.sub(r"^```.*?^```$", "", (ROOT / "docs/rules.md").read_text(), flags=re.M | re.S)
    for block in re.split(r"\n\s*\n|\n(?=- )|\n(?=#)", text):
        if match := re.match("##? (.*)", block):
            heading = match[1]
        if block.startswith(("#", "|")):
            continue
        joined = BOLD.sub("", " ".join(block.split()).removeprefix("- "))
        sentences = re.split(
            r"(?<=[.;])\s+(?=[A-Z*`0-9]|with |the |there |then |more |what )", joined
        )
        found += [(heading, sentence) for sentence in sentences if sentence]
    return found


SENTENCES = read()
GAMES = [(sentence, game) for sentence in SENTENCES for game in sentence.games]
NAMES = Counter[str]()


def name(value: object) -> str:
    """What pytest calls a game: the first words of its sentence, and a number."""
    if isinstance(value, Game):
        return value.rules
    assert isinstance(value, Sentence)
    words = re.sub("[^a-z ]", "", value.text.lower()).replace(" ", "_")[:40]
    NAMES[words] += 1
    return f"{words}-{NAMES[words]}"


def deal_of(rules: Rules, spec: list[str]) -> tuple[int, ...]:
    """The deal that lays cards where they are asked for, and the others in order elsewhere."""
    cards = deck()
    if spec == ["deck"]:
        return cards
    if match := re.fullmatch(r"seed (\d+)", spec[0] if spec else ""):
        return tuple(deal_many("solstat", [match[1]])[0].tolist())
    places = {pile.name: pile.cards for pile in start(rules, cards).table()}
    chosen: dict[int, int] = {}
    for text in spec:
        pile, _, words = text.partition(": ")
        there, asked = places[pile], words.split()
        first = 0 if pile == "stock" else len(there) - len(asked)
        assert 0 <= first <= len(there) - len(asked), text
        for place, word in zip(there[first:], asked, strict=False):
            if word != "*":
                chosen[place] = parse_card(word)
    assert len(set(chosen.values())) == len(chosen), spec
    others = iter(sorted(set(cards) - set(chosen.values())))
    return tuple(chosen[place] if place in chosen else next(others) for place in cards)


def fits(asked: list[str], there: list[str]) -> bool:
    return len(asked) == len(there) and all(
        a in {b, "*"} for a, b in zip(asked, there, strict=True)
    )


def check(answer: dict, follows: str) -> None:
    """Compare what a command's answer says with what is to follow from it."""
    if follows.startswith("no: "):
        assert answer["refused"] is not None
        pattern = re.escape(follows[4:]).replace(r"\.\.\.", ".*").replace(r"\*", "[A-Z0-9]{2}")
        assert re.fullmatch(pattern, answer["refused"]), answer["refused"]
        return
    assert answer["refused"] is None
    piles = {pile["pile"]: pile for pile in answer["table"]}
    for text in follows.split("; "):
        first, *rest = text.split()
        match first:
            case "won" | "not":
                assert answer["won"] is (first == "won")
            case "stock":
                assert piles["stock"]["face_down"] == int(rest[0])
            case "moves":
                assert len(answer["line"].split()) == int(rest[0])
            case "off":
                assert answer["off"] == ([] if rest == ["none"] else rest)
            case "lists":
                assert [move for move in answer["moves"] if move in rest] == rest
            case "lacks":
                assert not set(rest) & set(answer["moves"])
            case _:
                pile = piles[first.removesuffix(":")]
                there = ["##"] * pile["face_down"] + pile["cards"]
                whole = rest == ["--"] or "##" in rest
                asked = [] if rest == ["--"] else rest
                assert fits(asked, there if whole else there[-len(asked) :]), (text, there)


def test_the_sentences_are_those_of_the_page() -> None:
    assert [(sentence.heading, sentence.text) for sentence in SENTENCES] == written()


def test_each_is_played_or_says_why_not() -> None:
    for sentence in SENTENCES:
        assert bool(sentence.games) is not bool(sentence.unplayed), sentence.text
        for game in sentence.games:
            assert bool(game.script) is not bool(game.refused), sentence.text


@pytest.mark.parametrize(("sentence", "game"), GAMES, ids=name)
def test_what_a_sentence_says(sentence: Sentence, game: Game, tmp_path: Path) -> None:
    deals = tmp_path / "deal.txt"
    arguments = ["play", game.rules, "--deal", str(deals), "--json"]
    if game.refused is not None:
        result = CliRunner().invoke(solstat, arguments)
        assert (result.exit_code, result.stderr) == (2, f"Error: {game.refused}\n")
        return
    rules = parse_rules(game.rules)
    cards = deal_of(rules, game.cards)
    deals.write_text(format_deal(Deal("made", cards)) + "\n")
    commands = [
        solve(rules, cards, 250_000).line or "" if command == "WIN" else command
        for command, _ in game.script
    ]
    result = CliRunner().invoke(solstat, arguments, "\n".join(commands))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["command"] for answer in answers] == [None, *commands]
    for (command, follows), answer in zip(game.script, answers[1:], strict=True):
        try:
            check(answer, follows)
        except AssertionError as error:
            raise AssertionError(f"{command} => {follows}: {answer}") from error
    refusals = any(follows.startswith("no: ") for _, follows in game.script)
    assert result.exit_code == int(refusals)
