from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from solstat.games import parse_rules
from solstat.report.comparison import comparison_text
from solstat.solver import OUTCOMES
from solstat.stats import compare as module
from solstat.stats.common import Stored
from solstat.stats.compare import Comparison


@pytest.fixture
def compared(monkeypatch):
    """Compares the seeds 0, 1, ... with outcomes that begin with the letters of two words."""
    code = {name[0]: number for number, name in enumerate(OUTCOMES)}

    def stored(run: SimpleNamespace, _: int | None) -> Stored:
        outcome = np.array([code[letter] for letter in run.letters], np.uint8)
        return Stored(np.arange(len(outcome)) + run.start, outcome, outcome)

    def compare(first: str, second: str, other: str = "wasp", start: int = 0) -> Comparison:
        runs = []
        for name, letters, rules, at in (("a", first, "wasp", 0), ("b", second, other, start)):
            identity = SimpleNamespace(
                rules=rules,
                scheme="solstat",
                search="full",
                first_seed="0",
                deals_sha256=None,
            )
            runs.append(
                SimpleNamespace(
                    path=name,
                    letters=letters,
                    start=at,
                    rules=parse_rules(rules),
                    record=SimpleNamespace(identity=identity, budget=250_000),
                    seeds=lambda index: [str(each) for each in index],
                )
            )
        monkeypatch.setattr(module, "stored", stored)
        return module.compare(*runs)

    return compare


def test_of_the_same_deals(compared) -> None:
    text = comparison_text(compared("wwlue" * 5, "wllww" * 5, "wasp(face_down_piles=0)"))
    settings, said, outcomes, differences, deals = text.split("\n\n")
    assert (
        settings.splitlines()[1] == "first   a    wasp                     solstat  full      250k"
    )
    assert said == "The same 25 deals under both."
    assert [line.split() for line in outcomes.splitlines()] == [
        ["first", "\\", "second", "won", "lost", "unsettled", "error"],
        ["won", "5", "5", "0", "0"],
        ["lost", "0", "5", "0", "0"],
        ["unsettled", "5", "0", "0", "0"],
        ["error", "5", "0", "0", "0"],
    ]
    _, won, settled = differences.splitlines()
    # Of p-values that of the settled deals, then those that open deals leave possible.
    assert won.split()[:4] == ["%", "won", "-20.00", "+20.00"]
    assert won.endswith("  0.062 (0.062 to 1)")
    assert settled.split()[:4] == ["%", "settled", "+40.00", "+40.00"]
    assert settled.endswith("  0.002")
    assert deals.splitlines() == [
        "won in the first, lost in the second: 1 6 11 16 21",
        "unsettled in the first, won in the second: 3 8 13 18 23",
        "error in the first, won in the second: 4 9 14 19 24",
    ]


def test_twenty_deals_of_a_kind_are_shown(compared) -> None:
    less = "wasp(face_down_piles=0)"
    twenty = comparison_text(compared("w" * 20, "l" * 20, less))
    assert twenty.endswith(f"in the second: {' '.join(map(str, range(20)))}")
    many = comparison_text(compared("w" * 1500, "l" * 1500, less))
    assert many.endswith(f"in the second: {' '.join(map(str, range(20)))} and 1,480 more")
    assert "-100.00  -100.00" in many
    assert "<0.0001" in many


def test_what_is_left_out_is_said(compared) -> None:
    less = "wasp(face_down_piles=0)"
    assert (
        "2 deals in common are compared; left out are 1 that only the first run has and 2 that "
        "only the second run has."
    ) in comparison_text(compared("wll", "llll", less, start=1))
    assert "left out are 1 that only the second run has.\n" in comparison_text(
        compared("wl", "wll", less)
    )


def test_the_same_rules_and_outcomes(compared) -> None:
    text = comparison_text(compared("wl", "wl"), confidence=0.99)
    assert (
        "The same 2 deals under both. The rules are the same. So the same deals can be won, and "
        "only the share settled can differ."
    ) in text
    assert "99 % interval" in text
    assert "% won" not in text
    assert text.endswith("No deal has another outcome.")


def test_two_samples(compared) -> None:
    text = comparison_text(compared("wlu", "www", start=3))
    _, said, outcomes, differences = text.split("\n\n")
    assert said == ("No deals in common: two samples of 3 and 3 deals. The rules are the same.")
    assert [line.split() for line in outcomes.splitlines()] == [
        ["n", "won", "lost", "unsettled"],
        ["first", "3", "1", "1", "1"],
        ["second", "3", "3", "0", "0"],
    ]
    won = differences.splitlines()[1]
    assert won.split()[:4] == ["%", "won", "+33.33", "+66.67"]
    assert won.endswith("  0.4 to 1")  # the settled deals are no sample, so there is no p of them
