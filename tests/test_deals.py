from __future__ import annotations

import io
import random
import re
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.cards import card_text, deck
from solstat.deals import (
    SCHEMES,
    Deal,
    Seed,
    SeedRange,
    format_deal,
    lowest_seed,
    parse_deals,
    parse_seed,
    parse_seed_range,
    read_deals,
    seeds_from,
)
from solstat.errors import UsageError
from solstat.solver import deal_many

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = (Path(__file__).parents[1] / "docs" / "deals.md").read_text(encoding="utf-8")
VECTORS, EXAMPLE = re.findall(r"^```\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)

CARDS = " ".join(map(card_text, deck()))
FIFTY_ONE = CARDS.removesuffix(" KD")


def split_mix(state: int) -> Iterator[int]:
    """The generator, as docs/deals.md has it."""
    mask = 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def shuffled(seed: int) -> list[int]:
    """The shuffle, as docs/deals.md has it."""
    d = list(range(52))
    draws = split_mix(seed)
    for i in range(51, 0, -1):
        x = next(x for x in draws if x < 2**64 - 2**64 % (i + 1))
        j = x % (i + 1)
        d[i], d[j] = d[j], d[i]
    return d


class TestScheme:
    def test_split_mix_draws_the_documented_numbers(self) -> None:
        words = re.sub(r"\s+", " ", DOCS)
        numbers = "{}, {} and {}".format(*islice(split_mix(1234567), 3))
        assert f"from the state 1234567 are {numbers}." in words

    def test_the_documented_deals_are_those_of_the_documented_steps(self) -> None:
        vectors = parse_deals(VECTORS.encode(), "docs")
        assert len(vectors) == 8
        assert [list(vector.cards) for vector in vectors] == [
            shuffled(int(vector.id)) for vector in vectors
        ]

    def test_the_kernel_deals_the_documented_deals(self) -> None:
        vectors = parse_deals(VECTORS.encode(), "docs")
        dealt = deal_many("solstat", [int(vector.id) for vector in vectors])
        assert dealt.tolist() == [list(vector.cards) for vector in vectors]

    def test_the_kernel_deals_what_the_documented_steps_deal(self) -> None:
        seeds = [*range(200), *(2**63 + n for n in range(200)), 2**64 - 1]
        assert deal_many("solstat", seeds).tolist() == [shuffled(seed) for seed in seeds]


class TestReading:
    def test_the_documented_example(self) -> None:
        deals = parse_deals(EXAMPLE.encode(), "docs")
        assert [deal.id for deal in deals] == ["monday", "3"]
        assert [card_text(deal.cards[0]) for deal in deals] == ["2H", "2C"]

    def test_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "deals.txt"
        path.write_text(f"a: {CARDS}\n")
        assert read_deals(path) == read_deals(str(path)) == [Deal("a", deck())]

    def test_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stdin = io.TextIOWrapper(io.BytesIO(f"a: {CARDS}\n".encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert read_deals("-") == [Deal("a", deck())]

    def test_standard_input_that_is_closed(self, monkeypatch) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        with pytest.raises(UsageError, match="standard input is closed"):
            read_deals("-")

    def test_a_line_of_cards_alone_has_its_number_as_id(self) -> None:
        assert parse_deals(f"\n\n{CARDS}".encode(), "f") == [Deal("3", deck())]

    def test_blank_lines_and_comments_are_skipped(self) -> None:
        content = f"# é: AS\n\n \t\n  # more\na: {CARDS}\n\n#\n"
        assert parse_deals(content.encode(), "f") == [Deal("a", deck())]

    def test_the_same_cards_may_come_twice(self) -> None:
        assert len(parse_deals(f"{CARDS}\n{CARDS}\n".encode(), "f")) == 2

    def test_blanks_do_not_matter(self) -> None:
        content = f"  a :\t{CARDS.replace(' ', '  ')}  "
        assert parse_deals(content.encode(), "f") == [Deal("a", deck())]

    def test_an_id_may_have_dots_and_dashes(self) -> None:
        assert parse_deals(f"a.B_0-9: {CARDS}".encode(), "f") == [Deal("a.B_0-9", deck())]


REFUSED = {
    "missing": (f"# one\n{FIFTY_ONE}", 2, "51 cards, a deal has 52: missing KD"),
    "few": ("a: 2C", 1, "1 cards, a deal has 52: missing AC 3C 4C 5C 6C ..."),
    "none": ("a:", 1, "0 cards, a deal has 52: missing AC 2C 3C 4C 5C ..."),
    "twice": (f"{FIFTY_ONE} AC", 1, "AC twice, as cards 1 and 52: a deal has each card once"),
    "too many": (f"{CARDS} AC", 1, "AC twice, as cards 1 and 53: a deal has each card once"),
    "token": (f"{FIFTY_ONE} 10H", 1, "'10H' is no card: write a rank of A23456789TJQK and a suit"),
    "lower case": (CARDS.lower(), 1, "'ac' is no card"),
    "comma": (CARDS.replace(" ", ","), 1, "'AC,2C,3C,4C,5C,6C,7C...' is no card"),
    "comment after": (f"{CARDS} # mine", 1, "'#' is no card"),
    "id twice": (
        f"a: {CARDS}\na: {CARDS}",
        2,
        "the id a is taken by line 1: give each deal its own",
    ),
    "number taken": (f"2: {CARDS}\n{CARDS}", 2, "the id 2 is taken by line 1"),
    "bad id": (f"my deal: {CARDS}", 1, "'my deal' is no id: use letters, digits, dot, underscore"),
    "no id": (f": {CARDS}", 1, "'' is no id"),
    "id of letters elsewhere": (f"é: {CARDS}", 1, r"'\xe9' is no id"),
    "two colons": (f"a:b: {CARDS}", 1, "'b:' is no card"),
    "empty": ("", 1, "the file ends without a deal: write one deal a line"),
    "comments only": ("# one\n# two\n", 3, "the file ends without a deal"),
    "CRLF": (f"# one\n{CARDS}\r\n", 2, "a carriage return: save the file with Unix line ends"),
    "CR": (f"{CARDS}\r", 1, "a carriage return"),
    "BOM": (f"\ufeff{CARDS}", 1, "a byte order mark before the text: save the file as UTF-8"),
    "BOM later": (f"# one\n\ufeff{CARDS}", 2, r"'\ufeffAC' is no card"),
    "NUL": (f"# one\n\n{CARDS}\0", 3, "a NUL byte: save the file as plain text in UTF-8"),
    "NUL in a comment": (f"# \0\n{CARDS}", 1, "a NUL byte"),
}


class TestRefusal:
    @pytest.mark.parametrize(("content", "line", "message"), REFUSED.values(), ids=REFUSED)
    def test_one_line_with_the_place_and_what_is_wrong(
        self, tmp_path: Path, content: str, line: int, message: str
    ) -> None:
        path = tmp_path / "deals.txt"
        path.write_bytes(content.encode())
        with pytest.raises(UsageError) as caught:
            read_deals(path)
        assert str(caught.value).startswith(f"{path}, line {line}: {message}")
        assert len(str(caught.value).splitlines()) == 1

    def test_another_encoding(self) -> None:
        with pytest.raises(UsageError, match=r"^f, line 2: not UTF-8: save"):
            parse_deals(f"{CARDS}\n# é".encode("latin-1"), "f")

    def test_utf_16(self) -> None:
        with pytest.raises(UsageError, match=r"^f, line 1: a NUL byte"):
            parse_deals(CARDS.encode("utf-16"), "f")

    def test_one_bad_line_refuses_the_whole_file(self) -> None:
        with pytest.raises(UsageError, match=r"^f, line 2:"):
            parse_deals(f"{CARDS}\nx\n{CARDS}".encode(), "f")

    @pytest.mark.parametrize("name", ["missing.txt", ".", "a\0b"])
    def test_a_file_that_cannot_be_read(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(UsageError, match=r"^deal file ") as caught:
            read_deals(f"{tmp_path}/{name}")
        assert len(str(caught.value).splitlines()) == 1

    def test_the_documented_messages(self) -> None:
        messages = re.findall(r"^\| [^|]+ \| `(.*)` \|$", DOCS, re.MULTILINE)
        examples = [
            EXAMPLE.replace(" QC", ""),
            EXAMPLE.replace("QC 9D", "QC 2H"),
            EXAMPLE.replace("TH", "10H"),
            EXAMPLE.replace("\n2C", "\nmonday: 2C"),
            EXAMPLE.replace("monday", "my deal"),
            "",
            EXAMPLE.replace("\n", "\r\n"),
            "\ufeff" + EXAMPLE,
            EXAMPLE + "\0",
        ]
        said = []
        for content in [*(example.encode() for example in examples), b"\xff"]:
            with pytest.raises(UsageError) as caught:
                parse_deals(content, "f")
            said.append(re.sub(r"^f, line \d+: ", "", str(caught.value)))
        assert said == messages


ids = st.text("ABCxyz019._-", min_size=1, max_size=10)
deals = st.builds(Deal, ids, st.permutations(deck()).map(tuple))


@given(st.lists(deals, min_size=1, max_size=3, unique_by=lambda deal: deal.id))
def test_what_is_written_is_read_back(some: list[Deal]) -> None:
    assert parse_deals("\n".join(map(format_deal, some)).encode(), "f") == some


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_one_line(content: bytes) -> None:
    read_or_refused(content)


@given(st.integers(0, 2**32))
def test_a_damaged_file_is_read_or_refused_in_one_line(seed: int) -> None:
    rng = random.Random(seed)
    content = bytearray(EXAMPLE.encode())
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(content))
        with_ = rng.choice(
            [b"", rng.randbytes(1), b"\n", b" ", b":", b"#", b"AS", b"\r\n", b"\xef"]
        )
        content[place : place + rng.randint(0, 3)] = with_
    read_or_refused(bytes(content))


def read_or_refused(content: bytes) -> None:
    try:
        some = parse_deals(content, "f")
    except UsageError as error:
        message = str(error)
        assert re.match(r"f, line \d+: ", message)
        assert len(message.splitlines()) == 1
        assert message.isprintable()
        assert len(message) < 200
    else:
        assert all(sorted(deal.cards) == list(deck()) for deal in some)
        assert len({deal.id for deal in some}) == len(some)


class TestSeeds:
    def test_a_seed(self) -> None:
        assert parse_seed("0") == Seed(0)
        assert parse_seed("18446744073709551615") == Seed(2**64 - 1)

    @pytest.mark.parametrize(
        "text",
        ["", "-1", "+1", "1.0", "1e3", "x", " 1", "1_0", "٣", "18446744073709551616", "9" * 99],
    )
    def test_what_is_no_seed_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="scheme solstat has whole numbers 0 to 1844674407"):
            parse_seed(text)

    def test_a_range_leaves_its_last_seed_out(self) -> None:
        assert parse_seed_range("0:563") == SeedRange(0, 563)
        assert SeedRange(2, 5).count == 3
        assert str(SeedRange(2, 5)) == "2:5"

    def test_a_range_reaches_the_last_seed_there_is(self) -> None:
        seeds = parse_seed_range("18446744073709551615:18446744073709551616")
        assert (seeds.first, seeds.count) == (2**64 - 1, 1)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            ":",
            "5:",
            ":5",
            "-1:5",
            "a:b",
            "0:1:2",
            "0 : 5",
            "0:1K",
            "0:1.5k",
            "0:k",
            "0:1G",
            "0",
            "0:18446744073709551617",
        ],
    )
    def test_what_is_no_range_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="write first:last, the last one excluded, like 0:563"):
            parse_seed_range(text)

    def test_all_seeds_from_one_on(self) -> None:
        assert seeds_from("7") == SeedRange(7, 2**64)
        assert seeds_from("7", "pysol") == SeedRange(7, 10**20 + 1)
        assert seeds_from("ms7", "pysol") == SeedRange(7, 2**31, "ms")
        assert seeds_from(str(2**64 - 1)).count == 1
        assert [lowest_seed(scheme) for scheme in SCHEMES] == ["0", "1"]
        with pytest.raises(UsageError, match="whole numbers"):
            seeds_from("0", "pysol")
        with pytest.raises(UsageError, match="unknown scheme"):
            lowest_seed("solstad")

    def test_thousands_and_millions(self) -> None:
        assert parse_seed_range("0:100k") == SeedRange(0, 100_000)
        assert parse_seed_range("10k:2M", "pysol") == SeedRange(10_000, 2_000_000)
        with pytest.raises(UsageError):
            parse_seed_range("ms1:ms2k", "pysol")

    @pytest.mark.parametrize(
        ("text", "scheme", "meant"),
        [
            ("10", "solstat", "0:10"),
            ("10k", "solstat", "0:10k"),
            ("10", "pysol", "1:10"),
            ("ms10", "pysol", "ms1:ms10"),
        ],
    )
    def test_one_number_is_taken_for_the_last(self, text, scheme, meant) -> None:
        with pytest.raises(UsageError) as refused:
            parse_seed_range(text, scheme)
        assert str(refused.value).endswith(f"write first:last; did you mean {meant}?")
        assert parse_seed_range(meant, scheme)

    @pytest.mark.parametrize("text", ["10:5", "5:5", "1k:1k", f"{2**64}:{2**64}"])
    def test_the_last_is_above_the_first(self, text: str) -> None:
        with pytest.raises(UsageError, match="the last one, which is excluded, must be above"):
            parse_seed_range(text)

    def test_an_unknown_scheme_is_refused(self) -> None:
        with pytest.raises(UsageError, match="unknown scheme 'solstad': did you mean solstat"):
            parse_seed_range("0:5", "solstad")
        with pytest.raises(UsageError, match="unknown scheme"):
            parse_seed("5", "random")
