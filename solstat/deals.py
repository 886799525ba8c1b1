"""Deals: files of them, and the seeds that number them.

docs/deals.md describes the file format, and the way from seed to deal to the bit; its arithmetic is
in the kernel.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from solstat.cards import DECK_SIZE, card_text, parse_card, shown
from solstat.cards import deck as whole_deck
from solstat.errors import UsageError, choose_from

SCHEMES = ("solstat", "pysol")

PYSOL_PLAIN = 32_000
"""From this number on, a board of scheme pysol without ``ms`` is not one of Microsoft's."""

_ID = re.compile(r"[A-Za-z0-9._-]+")
_SEED = re.compile(r"(ms)?([0-9]{1,21})")
_ROUND_SEED = re.compile(r"([0-9]{1,18})([kM])")
_FACTORS = {"k": 10**3, "M": 10**6}
_NUMBERS = {  # the numbers that a scheme has, by what stands before them
    ("solstat", ""): (0, 2**64 - 1),
    ("pysol", ""): (1, 10**20),
    ("pysol", "ms"): (1, 2**31 - 1),
}
_SEEDS_TEXT = {
    "solstat": f"whole numbers 0 to {2**64 - 1}",
    "pysol": f"whole numbers 1 to {10**20}, and ms1 to ms{2**31 - 1}",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal under the name its file gives it; the first card is the first dealt."""

    id: str
    cards: tuple[int, ...]


class Seed(NamedTuple):
    """A seed of a scheme: a number, which ``ms`` may precede in scheme pysol."""

    number: int
    prefix: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}{self.number}"


@dataclass(frozen=True, slots=True)
class SeedRange:
    """The seeds from number `first` up to, and without, `last`, all with the same prefix."""

    first: int
    last: int
    prefix: str = ""

    @property
    def first_seed(self) -> str:
        """The first seed."""
        return str(Seed(self.first, self.prefix))

    @property
    def count(self) -> int:
        """Number of seeds."""
        return self.last - self.first

    def __str__(self) -> str:
        return f"{self.prefix}{self.first}:{self.prefix}{self.last}"


def read_deals(source: str | os.PathLike[str]) -> list[Deal]:
    """The deals of a file.

    Parameters
    ----------
    source : str or path
        The file, or ``-`` for standard input.

    Raises
    ------
    UsageError
        The file cannot be read or anything in it is not as docs/deals.md says: one line with the
        file, the line number, what is wrong and what would be right.
    """
    if source == "-":
        return parse_deals(_standard_input(), "standard input")
    try:
        content = Path(source).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"deal file {shown(os.fspath(source), 200)}: {reason}") from None
    return parse_deals(content, os.fspath(source))


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed: no deals can be read from it")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None


def parse_deals(content: bytes, name: str) -> list[Deal]:
    """The deals in the content of a file; `name` is for messages. As `read_deals`."""
    deals: list[Deal] = []
    line_of: dict[str, int] = {}
    lines = content.split(b"\n")
    for number, raw in enumerate(lines, 1):
        try:
            deal = _parse_line(raw, number)
            if deal is None:
                continue
            if deal.id in line_of:
                raise UsageError(
                    f"the id {deal.id} is taken by line {line_of[deal.id]}: give each deal its own"
                )
        except UsageError as error:
            raise UsageError(f"{name}, line {number}: {error}") from None
        line_of[deal.id] = number
        deals.append(deal)
    if not deals:
        raise UsageError(
            f"{name}, line {len(lines)}: the file ends without a deal: "
            f"write one deal a line, its {DECK_SIZE} cards or id: cards"
        )
    return deals


def format_deal(deal: Deal) -> str:
    """The line that `read_deals` reads as this deal: ``id: AS TH ...``."""
    return f"{deal.id}: {' '.join(map(card_text, deal.cards))}"


def parse_seed(text: str, scheme: str = "solstat") -> Seed:
    """The seed a text names; UsageError if the scheme has no such seed."""
    _check_scheme(scheme)
    seed = _seed(text)
    if seed is None or not _has(scheme, seed):
        raise UsageError(f"seed {shown(text)}: scheme {scheme} has {_SEEDS_TEXT[scheme]}")
    return seed


def seeds_from(text: str, scheme: str = "solstat") -> SeedRange:
    """The seed a text names and all above it of its kind; UsageError as `parse_seed`."""
    first = parse_seed(text, scheme)
    _, highest = _NUMBERS[scheme, first.prefix]
    return SeedRange(first.number, highest + 1, first.prefix)


def lowest_seed(scheme: str) -> str:
    """The first seed of a scheme (UsageError if there is no such scheme)."""
    _check_scheme(scheme)
    return str(_NUMBERS[scheme, ""][0])


def parse_seed_range(text: str, scheme: str = "solstat") -> SeedRange:
    """The seeds that ``first:last`` names, the last one excluded.

    A number without ``ms`` may end in k or M, as in ``0:100k``.

    Raises
    ------
    UsageError
        Not of that form, no seeds in it, or seeds the scheme does not have.
    """
    _check_scheme(scheme)
    first, last = map(_round_seed, text.partition(":")[::2])
    if (
        first is not None
        and last is not None
        and first.prefix == last.prefix
        and first.number < last.number
        and _has(scheme, first)
        and _has(scheme, Seed(last.number - 1, last.prefix))
    ):
        return SeedRange(first.number, last.number, first.prefix)
    name = f"deals {shown(text, 50)}"
    if first is not None and ":" not in text:
        start = Seed(0 if _has(scheme, Seed(0, first.prefix)) else 1, first.prefix)
        if first.number > start.number:
            raise UsageError(f"{name}: write first:last; did you mean {start}:{text}?")
    # of one kind, in the wrong order
    if first and last and first.prefix == last.prefix and first.number >= last.number:
        raise UsageError(
            f"{name}: write first:last; the last one, which is excluded, must be above the first"
        )
    raise UsageError(
        f"{name}: write first:last, the last one excluded, like 0:563; "
        f"scheme {scheme} has {_SEEDS_TEXT[scheme]}"
    )


def _seed(text: str) -> Seed | None:
    match = _SEED.fullmatch(text)
    return Seed(int(match[2]), match[1] or "") if match else None


def _round_seed(text: str) -> Seed | None:
    match = _ROUND_SEED.fullmatch(text)
    return Seed(int(match[1]) * _FACTORS[match[2]]) if match else _seed(text)


def _has(scheme: str, seed: Seed) -> bool:
    lowest, highest = _NUMBERS.get((scheme, seed.prefix), (1, 0))
    return lowest <= seed.number <= highest


def _check_scheme(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise UsageError(f"unknown scheme {shown(scheme)}: {choose_from(scheme, SCHEMES)}")


def _parse_line(raw: bytes, number: int) -> Deal | None:
    """The deal of a line, None if it is blank or a comment."""
    if number == 1 and raw.startswith(_BYTE_ORDER_MARK):
        raise UsageError("a byte order mark before the text: save the file as UTF-8 without one")
    if b"\0" in raw:
        raise UsageError("a NUL byte: save the file as plain text in UTF-8")
    if b"\r" in raw:
        raise UsageError("a carriage return: save the file with Unix line ends (LF, not CR LF)")
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        raise UsageError("not UTF-8: save the file as plain text in UTF-8") from None
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    head, colon, tail = line.partition(":")
    if not colon:
        return Deal(str(number), _parse_cards(line.split()))
    name = head.rstrip()
    if not _ID.fullmatch(name):
        raise UsageError(f"{shown(name)} is no id: use letters, digits, dot, underscore and hyphen")
    return Deal(name, _parse_cards(tail.split()))


def _parse_cards(words: list[str]) -> tuple[int, ...]:
    place_of: dict[int, int] = {}
    for place, word in enumerate(words, 1):
        card = parse_card(word)
        if card in place_of:
            raise UsageError(
                f"{word} twice, as cards {place_of[card]} and {place}: a deal has each card once"
            )
        place_of[card] = place
    if len(place_of) < DECK_SIZE:
        missing = [card_text(card) for card in whole_deck() if card not in place_of]
        few = " ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
        raise UsageError(f"{len(place_of)} cards, a deal has {DECK_SIZE}: missing {few}")
    return tuple(place_of)
