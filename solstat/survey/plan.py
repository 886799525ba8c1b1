"""What one run is to solve, and how it is cut into chunks."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from solstat.budget import format_budget
from solstat.deals import Deal, SeedRange, format_deal
from solstat.games import Rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_SCHEME = "file"
LINES_BY_DEFAULT = 2000
"""Lines are kept of at most so many planned deals, unless the run is told."""

FIRST_LOOK = 100
LOOKS = 10
"""A run that may stop early looks at so many deals first, then each time at a tenth more.

That is for rules whose first look could be any; see `first_look`."""


class Range(NamedTuple):
    """Deals of a run by index, from `first` up to, and without, `last`."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """Number of deals."""
        return self.last - self.first

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


class Again(NamedTuple):
    """Deals of a run that are to be searched once more, and with what budget.

    Attributes
    ----------
    what : str
        ``unsettled``: those that are open and were searched with less; or ``errors``.
    budget : int
        The most positions a deal may cost then.
    """

    what: Literal["unsettled", "errors"]
    budget: int

    def __str__(self) -> str:
        return f"--retry {self.what} --budget {format_budget(self.budget)}"


@dataclass(frozen=True)
class Shard:
    """Of which survey a run is a part, and which part.

    Attributes
    ----------
    number, of : int
        The first is 1 of so many.
    deals : int
        Number of deals of the whole survey.
    first_seed, deals_sha256 : str or None
        As in the identity of the run that the whole survey would be.
    """

    number: int
    of: int
    deals: int
    first_seed: str | None
    deals_sha256: str | None

    @property
    def range(self) -> Range:
        """The deals of the shard among those of the whole; sizes differ by one at most."""
        return Range(*(self.deals * number // self.of for number in (self.number - 1, self.number)))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class Plan:
    """One run: one game, its deals, and how each is searched.

    Attributes
    ----------
    rules : Rules
        The game.
    deals : SeedRange or tuple of Deal
        Seeds of a scheme, or the deals of a file.
    budget : int
        The most positions a deal may cost.
    scheme : str
        The scheme of the seeds, ``file`` for the deals of a file.
    search : str
        One of `solstat.solver.SEARCHES`.
    lines : bool or None
        Whether lines are kept; None leaves it to the run that exists, or to the number of deals.
    until : str or None
        The rule by which the run may stop before its last deal, as run.json is to say it.
    again : tuple of Again
        What is searched once more when all deals are stored, one after the other; the budgets of
        ``unsettled`` ascend, and are above `budget`.
    shard : Shard or None
        Of which survey it is a part.
    """

    rules: Rules
    deals: SeedRange | tuple[Deal, ...]
    budget: int
    scheme: str
    search: str = "full"
    lines: bool | None = None
    until: str | None = None
    again: tuple[Again, ...] = ()
    shard: Shard | None = None

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budget, and those with which what is left open is searched again."""
        return (self.budget, *(each.budget for each in self.again if each.what == "unsettled"))

    @property
    def count(self) -> int:
        """Number of deals."""
        return self.deals.count if isinstance(self.deals, SeedRange) else len(self.deals)

    @property
    def first_seed(self) -> str | None:
        """The seed at index 0; None for the deals of a file."""
        return self.deals.first_seed if isinstance(self.deals, SeedRange) else None

    @cached_property
    def cards(self) -> NDArray[np.uint8] | None:
        """The cards of a file's deals, shape (deals, cards); None for seeds."""
        import numpy as np

        if isinstance(self.deals, SeedRange):
            return None
        return np.array([deal.cards for deal in self.deals], dtype=np.uint8)

    def cut(self, count: int) -> Plan:
        """The plan of the first `count` deals, or of all if there are no more."""
        if count >= self.count:
            return self
        if isinstance(self.deals, SeedRange):
            return replace(self, deals=replace(self.deals, last=self.deals.first + count))
        return replace(self, deals=self.deals[:count])

    def deals_sha256(self, count: int) -> str | None:
        """Fingerprint of the first `count` deals of a file; None for seeds."""
        return None if isinstance(self.deals, SeedRange) else deals_sha256(self.deals[:count])


def first_look(until: str | None) -> int:
    """The number of deals at which a run by a rule looks first whether it may stop.

    So many deals cannot be won before there are as many.

    >>> [first_look(until) for until in ("half-width=1%", "won=20")]
    [100, 20]
    """
    kind, _, count = (until or "").partition("=")
    return int(count) if kind == "won" else FIRST_LOOK


def next_look(planned: int, first: int = FIRST_LOOK) -> int:
    """The number of deals, above `planned`, at which a run looks next whether it may stop.

    It does not depend on workers or time, so neither does where the run stops.

    >>> [next_look(planned) for planned in (0, 100, 1000)]
    [100, 110, 1075]
    """
    look = first
    while look <= planned:
        look += max(1, look // LOOKS)
    return look


def deals_text(deals: Iterable[Deal]) -> bytes:
    """A file of deals, as a run keeps it."""
    return "".join(f"{format_deal(deal)}\n" for deal in deals).encode()


def deals_sha256(deals: Sequence[Deal]) -> str:
    """Fingerprint of the deals of a file: of their order, ids and cards."""
    return sha256(deals_text(deals)).hexdigest()


@dataclass(frozen=True)
class Chunk:
    """Some deals of a run, as a worker gets them.

    Attributes
    ----------
    rules, scheme, budget, search, lines
        As in `Plan`.
    range : Range
        The deals' indices; if there are `places`, where in these they stand.
    first_seed : str or None
        The seed at index 0 of the run; None if the cards are given.
    cards : ndarray of uint8 or None
        Shape (deals, cards); None if the deals are seeds.
    deaths : int
        How many workers have died over it.
    places : ndarray of int64 or None
        The deals' indices, if they are not neighbours.
    """

    rules: Rules
    scheme: str
    budget: int
    search: str
    lines: bool
    range: Range
    first_seed: str | None
    cards: NDArray[np.uint8] | None = None
    deaths: int = 0
    places: NDArray[np.int64] | None = None

    @property
    def size(self) -> int:
        """Number of deals."""
        return self.range.size

    @property
    def span(self) -> Range:
        """From the index of the first deal to that after the last."""
        if self.places is None:
            return self.range
        return Range(int(self.places[0]), int(self.places[-1]) + 1)

    def part(self, first: int, last: int, deaths: int) -> Chunk:
        """The deals of the chunk from index `first` up to, and without, `last`."""
        here = slice(first - self.range.first, last - self.range.first)
        cards = None if self.cards is None else self.cards[here]
        places = None if self.places is None else self.places[here]
        return replace(self, range=Range(first, last), cards=cards, deaths=deaths, places=places)


class Chunker:
    """Cuts the deals that are left into chunks that take a worker a second or two.

    How long a deal takes is not known before some are solved, so chunks start small and grow with
    what is measured; towards the end they shrink, so that the workers finish together. Results do
    not depend on any of this.
    """

    SECONDS = 1.5
    FIRST = 16
    GROWTH = 4
    LARGEST = 250_000  # bounds the memory of a chunk's rows
    SMALLEST_SECONDS = 0.05  # below this, the way to the worker and back would show

    def __init__(self, todo: Iterable[Range], workers: int) -> None:
        self._todo = deque(todo)
        self._workers = workers
        self._left = sum(part.size for part in self._todo)
        self._limit = self.FIRST
        self._deals = 0
        self._seconds = 0.0

    def add(self, todo: Sequence[Range]) -> None:
        """There are more deals to give out."""
        self._todo.extend(todo)
        self._left += sum(part.size for part in todo)

    def record(self, deals: int, seconds: float) -> None:
        """A worker solved a chunk of `deals` in `seconds`."""
        self._deals += deals
        self._seconds += seconds
        self._limit = max(self._limit, min(self.GROWTH * deals, self.LARGEST))

    def next(self) -> Range | None:
        """The next deals to solve, None when all are given out."""
        if not self._todo:
            return None
        part = self._todo.popleft()
        cut = Range(part.first, min(part.last, part.first + self._size()))
        if cut.last < part.last:
            self._todo.appendleft(Range(cut.last, part.last))
        self._left -= cut.size
        return cut

    def _size(self) -> int:
        share = math.ceil(self._left / (2 * self._workers))
        if self._deals:
            rate = self._deals / max(self._seconds, 1e-9)
            share = max(share, math.ceil(rate * self.SMALLEST_SECONDS))
            share = min(share, math.ceil(rate * self.SECONDS))
        return max(1, min(share, self._limit))


def gaps(done: Iterable[Range], count: int) -> list[Range]:
    """What `done` (sorted, apart) leaves of the deals 0 to `count`."""
    left = []
    at = 0
    for part in done:
        if at < part.first:
            left.append(Range(at, min(part.first, count)))
        at = part.last
    if at < count:
        left.append(Range(at, count))
    return left
