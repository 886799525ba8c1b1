from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.budget import MAX_BUDGET, format_budget, format_budgets, parse_budget, parse_budgets
from solstat.errors import UsageError


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("1", 1),
        ("250000", 250_000),
        ("250k", 250_000),
        ("2.5k", 2_500),
        ("1M", 1_000_000),
        ("1.5M", 1_500_000),
        ("0.000001M", 1),
        ("9223372036854775807", MAX_BUDGET),
    ],
)
def test_a_budget_is_read(text: str, budget: int) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "0k",
        "-1",
        "+1",
        "1e6",
        "1_000",
        "1,000",
        "1G",
        "k",
        ".5M",
        "1.",
        "1.5",
        "1.0005k",
        " 1",
        "1 ",
        "1 k",
        "1\n",
        "nan",
        "inf",
        "٣",
        "0x10",
        "9223372036854775808",
        "9223372036854775807M",
        "9" * 5000,
    ],
)
def test_what_is_no_budget_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="write a whole number of positions") as caught:
        parse_budget(text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (1, "1"),
        (999, "999"),
        (1_000, "1k"),
        (1_234, "1234"),
        (250_000, "250k"),
        (1_000_000, "1M"),
        (1_500_000, "1.5M"),
        (1_050_000, "1050k"),
        (20_000_000, "20M"),
        (10**12, "1000000M"),
    ],
)
def test_a_budget_is_written_short(budget: int, text: str) -> None:
    assert format_budget(budget) == text


@given(
    st.one_of(
        st.integers(1, MAX_BUDGET),
        st.builds(lambda n, e: min(n * 10**e, MAX_BUDGET), st.integers(1, 999), st.integers(0, 15)),
    )
)
def test_what_is_written_is_read_back(budget: int) -> None:
    assert parse_budget(format_budget(budget)) == budget


@pytest.mark.parametrize(("text", "meant"), [("1m", "1M"), ("250K", "250k"), ("1.5m", "1.5M")])
def test_a_letter_of_the_other_case(text: str, meant: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_budget(text)
    assert str(refused.value) == f"budget '{text}': did you mean {meant}?"


@given(st.lists(st.integers(1, 3000) | st.integers(1, MAX_BUDGET), min_size=1, unique=True))
def test_several_budgets_come_back(budgets: list[int]) -> None:
    assert parse_budgets(format_budgets(sorted(budgets))) == tuple(sorted(budgets))


@pytest.mark.parametrize("text", ["1,500", "250,000", "1,500,000", "2k,1k", "1k,1000", "1k,", ""])
def test_what_is_not_several_budgets(text: str) -> None:
    with pytest.raises(UsageError, match="^budget"):
        parse_budgets(text)
