from __future__ import annotations

import random

import numpy as np
import pytest

from solstat.cards import deck
from solstat.deals import Deal
from solstat.errors import UsageError
from solstat.solver import OUTCOMES, deal_many
from solstat.stats.common import common, refuse_common, stored
from solstat.survey.reader import Run


def shared(first: Run, second: Run) -> list[tuple[str, str]]:
    """The seeds of the deals that two runs share, in each."""
    here, there = stored(first), stored(second)
    in_first, in_second = common(first, here.index, second, there.index)
    return [
        *zip(first.seeds(here.index[in_first]), second.seeds(there.index[in_second]), strict=True)
    ]


def deals(*names: str) -> list[Deal]:
    """Deals whose cards are those of the first letter of their names."""
    cards = deck()
    return [Deal(name, tuple(random.Random(name[0]).sample(cards, 52))) for name in names]


class TestStored:
    def test_outcomes_and_indices(self, make_run) -> None:
        run = make_run("a", "wl.uew..e", positions=[5, 900, 0, 0, 0, 1000, 0, 0, 0])
        found = stored(run)
        assert found.index.tolist() == [0, 1, 3, 4, 5, 8]
        assert "".join(OUTCOMES[code][0] for code in found.outcome) == "wluewe"
        lower = stored(run, 899)
        assert "".join(OUTCOMES[code][0] for code in lower.outcome) == "wuueue"
        with pytest.raises(UsageError, match="budget 1001 is above what 1 unsettled"):
            stored(run, 1001)

    def test_of_no_deals(self, make_run) -> None:
        found = stored(make_run("a", "...."))
        assert len(found.index) == len(found.outcome) == 0


class TestCommon:
    def test_seeds_are_the_same_wherever_runs_begin(self, make_run) -> None:
        one, other = make_run("a", "wwwww.w", first=10), make_run("b", "w.lll", first=12)
        assert shared(one, other) == [("12", "12"), ("14", "14"), ("16", "16")]
        assert shared(other, one) == [("12", "12"), ("14", "14"), ("16", "16")]
        assert shared(one, make_run("c", "www", first=17)) == []
        assert shared(one, make_run("d", "...", first=10)) == []

    def test_seeds_of_other_schemes_are_other_deals(self, make_run) -> None:
        one = make_run("a", "www", first=10)
        assert shared(one, make_run("b", "www", first=10, scheme="pysol")) == []

    def test_seeds_may_be_beyond_64_bits(self, make_run) -> None:
        far = make_run("a", "www", first=10**20 - 5, scheme="pysol")
        near = make_run("b", "wl", first=10**20 - 4, scheme="pysol")
        assert shared(far, near) == [(f"{10**20 - each}",) * 2 for each in (4, 3)]
        assert shared(far, make_run("c", "www", first=1, scheme="pysol")) == []

    def test_boards_of_microsoft_have_two_names(self, make_run) -> None:
        plain = make_run("a", "wwww", first=31_998, scheme="pysol")
        named = make_run("b", "wwww", first=31_997, prefix="ms", scheme="pysol")
        assert shared(plain, named) == [("31998", "ms31998"), ("31999", "ms31999")]
        assert shared(named, plain) == [("ms31998", "31998"), ("ms31999", "31999")]
        for one, other in shared(plain, named):
            assert (deal_many("pysol", [one]) == deal_many("pysol", [other])).all()

    def test_deals_of_files_are_known_by_their_cards(self, make_run) -> None:
        one = make_run("a", "wwww", deals=deals("d", "a", "c", "b"))
        other = make_run("b", "ww.w", deals=deals("b2", "a2", "d2", "x"))
        assert shared(one, other) == [("a", "a2"), ("b", "b2")]
        assert shared(other, one) == [("b2", "b"), ("a2", "a")]
        assert shared(one, make_run("c", "w", deals=deals("y"))) == []
        assert shared(one, make_run("e", ".", deals=deals("a"))) == []

    def test_a_deal_that_is_twice_in_a_file_counts_once(self, make_run) -> None:
        one = make_run("a", "www", deals=deals("a1", "a2", "b"))
        other = make_run("b", "wwww", deals=deals("c", "b3", "a4", "a5"))
        assert shared(one, other) == [("a1", "a4"), ("b", "b3")]
        assert shared(other, one) == [("b3", "b"), ("a4", "a1")]

    def test_the_same_file_is_compared_deal_by_deal(self, make_run) -> None:
        one, other = (make_run(name, "www", deals=deals("a1", "a2", "b")) for name in "xy")
        assert shared(one, other) == [("a1", "a1"), ("a2", "a2"), ("b", "b")]

    def test_deals_of_a_file_may_be_those_of_seeds(
        self, make_run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("solstat.stats.common._AT_ONCE", 3)
        cards = deal_many("solstat", [14, 11])
        file = make_run(
            "a",
            "www",
            deals=[Deal("x", tuple(cards[0].tolist())), *deals("y")]
            + [Deal("z", tuple(cards[1].tolist()))],
        )
        seeds = make_run("b", "wwwwwww", first=10)
        assert shared(file, seeds) == [("x", "14"), ("z", "11")]
        assert shared(seeds, file) == [("11", "z"), ("14", "x")]

    def test_of_many_deals(self, make_run) -> None:
        """Three million are a moment's work: no text is made of a seed."""
        run, other = make_run("a", "w"), make_run("b", "w", first=1_000_000)
        every = np.arange(3_000_000)
        here, there = common(run, every, other, every)
        assert (len(here), here[0], there[0], there[-1]) == (2_000_000, 10**6, 0, 1_999_999)


class TestRefuseCommon:
    def test_other_deals_pass(self, make_run) -> None:
        refuse_common([])
        refuse_common([make_run("a", "www", first=3), make_run("b", "ww.w", first=6)])
        refuse_common(
            [make_run("c", "ww...w", first=20), make_run("d", "www", first=22)]  # in the gap
        )
        plain = make_run("e", "www", first=32_000, scheme="pysol")
        refuse_common([plain, make_run("f", "www", first=32_000, prefix="ms", scheme="pysol")])
        refuse_common([make_run("g", "w", deals=deals("a")), make_run("h", "w", deals=deals("b"))])

    def test_both_runs_and_the_deals_are_named(self, make_run) -> None:
        runs = [make_run("a", "w" * 10, first=100), make_run("b", "www", first=90)]
        refuse_common(runs)
        runs.append(make_run("c", "wwww", first=107))
        with pytest.raises(UsageError, match="/a and .*/c both hold deals 107 to 109, which would"):
            refuse_common(runs)
        with pytest.raises(UsageError, match="/b and .*/b both hold deals 90 to 92"):
            refuse_common([runs[1], runs[1]])
        with pytest.raises(UsageError, match="both hold deal 109,"):
            refuse_common([runs[0], make_run("d", "w", first=109)])

    def test_boards_of_microsoft_have_two_names(self, make_run) -> None:
        plain = make_run("a", "wwww", first=31_998, scheme="pysol")
        named = make_run("b", "wwww", first=31_997, prefix="ms", scheme="pysol")
        with pytest.raises(UsageError, match="both hold deals ms31998 to ms31999"):
            refuse_common([plain, named])

    def test_deals_of_files_are_known_by_their_cards(self, make_run) -> None:
        one = make_run("a", "www", deals=deals("a", "b", "c"))
        with pytest.raises(UsageError, match=r"/a and .*/b both hold deal b \(by its cards\)"):
            refuse_common([one, make_run("b", "ww", deals=deals("x", "b2"))])
        with pytest.raises(UsageError, match=r"deal a and 1 more \(by its cards\)"):
            refuse_common([one, make_run("c", "ww", deals=deals("c2", "a2"))])
