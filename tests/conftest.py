"""What the tests share: the golden data, and examples that are the same in every run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from solstat.deals import read_deals
from solstat.games import Rules, parse_rules

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
