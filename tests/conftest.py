"""What the tests share: the golden data."""

from __future__ import annotations

from pathlib import Path

import pytest

from solstat.deals import read_deals


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of golden data."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def oracle_deals(data: Path) -> dict[str, tuple[int, ...]]:
    """The deals of the golden data, by id."""
    return {deal.id: deal.cards for deal in read_deals(data / "deals.txt")}
