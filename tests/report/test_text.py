from __future__ import annotations

from pathlib import Path

import pytest

from solstat.report.text import decimals, listed, percent, run_name, visible


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0.00"),
        (1.0, "100.00"),
        (0.98765, "98.77"),
        (0.99995, "99.995"),
        (0.999999, "99.9999"),
        (0.00001, "0.001"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_none(share, text):
    assert percent(share) == text


def test_more_deals_have_more_decimals():
    assert [decimals(n) for n in (0, 99, 99_999, 100_000, 10_000_000)] == [2, 2, 2, 3, 5]
    assert percent(0.5, 3) == "50.000"


def test_what_cannot_be_seen_is_an_escape():
    assert visible("a\nb\x1b[1m\u202ec é") == r"a\nb\x1b[1m\u202ec é"


def test_no_absolute_path_is_told():
    assert run_name(Path("runs/wasp")) == "runs/wasp"
    assert run_name(Path("/home/somebody/wasp")) == "wasp"


def test_a_list():
    assert [listed(parts) for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
