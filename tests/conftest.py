"""What the tests share: the golden data, examples that are the same in every run, an executor."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from solstat.deals import read_deals
from solstat.games import Rules, parse_rules
from solstat.survey.executors import Died, Solved, solve_chunk
from solstat.survey.plan import Chunk

# A job in the background of a script ignores Ctrl-C, and so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A slow machine is no failure, and a failure comes again.
settings.register_profile("solstat", deadline=None, derandomize=True)
settings.load_profile("solstat")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of golden data."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def oracle_deals(data: Path) -> dict[str, tuple[int, ...]]:
    """The deals of the golden data, by id."""
    return {deal.id: deal.cards for deal in read_deals(data / "deals.txt")}


@pytest.fixture(
    params=[
        "wasp",
        "scorpion",
        "will-o-the-wisp",
        "will-o-the-wisp(finished_runs=optional)",
        "will-o-the-wisp(finished_runs=return)",
        "spiderette",
        "wave-motion",
        "wave-motion(reserve_moves=run)",
        "flow",
        "flow(empty_reserve=never)",
    ]
)
def any_rules(request: pytest.FixtureRequest) -> Rules:
    """Every game, and its options that are searched in ways of their own."""
    return parse_rules(request.param)


class Inline:
    """An executor that solves a chunk when it is waited for.

    `dies` says of a chunk whether the worker dies over it, and of what. `before` is called ahead of
    each chunk.
    """

    packages = ("pebble",)
    is_here = True
    has_workers = True

    def __init__(
        self,
        workers: int,
        dies: Callable[[Chunk], str | None] = lambda chunk: None,
        before: Callable[[Chunk], None] = lambda chunk: None,
    ) -> None:
        self.workers = workers
        self.chunks: list[Chunk] = []
        self.seen: list[Chunk] = []
        self.closed = False
        self._dies = dies
        self._before = before

    @property
    def room(self) -> int:
        return 2 * self.workers - len(self.chunks)

    @property
    def in_flight(self) -> int:
        return len(self.chunks)

    def submit(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        self.seen.append(chunk)

    def wait(self, seconds: float) -> list[Solved | Died]:
        chunk = self.chunks.pop(0)
        self._before(chunk)
        cause = self._dies(chunk)
        return [Died(chunk, cause) if cause else Solved(chunk, solve_chunk(chunk))]

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def inline() -> type[Inline]:
    """The executor without processes."""
    return Inline
