from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from solstat.errors import SolstatError, UsageError
from solstat.games import rules, within
from solstat.solver import OUTCOMES
from solstat.stats.compare import compare, paired, unpaired
from solstat.stats.difference import fisher, mcnemar, paired_interval, unpaired_interval
from solstat.survey.reader import Counts

U, W, L, E = range(4)  # as OUTCOMES
LESS = "wasp(face_down_piles=0)"  # of which nothing is known beside wasp


def table(**cells: int) -> np.ndarray:
    """How many deals have which outcomes: ``wl=3`` three won under the first, lost then."""
    made = np.zeros((4, 4), np.int64)
    code = {name[0]: number for number, name in enumerate(OUTCOMES)}
    for (before, after), count in cells.items():
        made[code[before], code[after]] = count
    return made


def closed(made: np.ndarray, *, within: bool) -> list[tuple[int, int, int, int]]:
    """Every table of won and lost deals that the open ones leave possible."""
    found = {(0, 0, 0, 0)}
    place = {(W, W): 0, (W, L): 1, (L, W): 2, (L, L): 3}
    for before, after in product(range(4), repeat=2):
        ways = [
            place[one, other]
            for one in ([before] if before in (W, L) else [W, L])
            for other in ([after] if after in (W, L) else [W, L])
            if not (within and (one, other) == (W, L))
        ]
        for _ in range(made[before, after]):
            found = {
                tuple(count + (cell == way) for cell, count in enumerate(each))
                for each in found
                for way in ways
            }
    return sorted(found)


SOME = [
    table(ww=5, wl=2, lw=4, ll=6),
    table(ww=3, wl=1, lw=2, ll=2, wu=2, ul=1, lu=2, uw=1, uu=2),
    table(wl=5, lw=1, lu=1, uw=2, uu=1, ew=1, ee=1),
    table(wl=1, lw=5, wu=1, ul=2, le=1),
    table(uu=3),
    table(ue=1, eu=1, wu=2),
    table(wu=4),
    table(ll=9),
    table(ww=1),
]


class TestPaired:
    @pytest.mark.parametrize(
        ("made", "forward"),
        [(each, forward) for each in SOME for forward in (False, True) if not each[W, L] * forward],
    )
    def test_open_deals_may_be_either_way(self, made: np.ndarray, forward: bool) -> None:
        """Against all that they can be; that is less if all wins of the first are of the second."""
        found, _ = paired(made, forward=forward, back=False)
        every = closed(made, within=forward)
        n = made.sum()
        differences = [(second - first) / n for _, first, second, _ in every]
        assert (found.lowest, found.highest) == (min(differences), max(differences))
        bounds = [paired_interval(*each) for each in every]
        assert found.low == pytest.approx(min(each.low for each in bounds))
        assert found.high == pytest.approx(max(each.high for each in bounds))
        values = [mcnemar(first, second) for _, first, second, _ in every]
        assert (found.p_least, found.p_most) == (min(values), max(values))
        if forward:
            assert found.lowest >= 0
        else:
            assert found.p == mcnemar(made[W, L], made[L, W])

    @pytest.mark.parametrize("made", SOME)
    def test_mirrors(self, made: np.ndarray) -> None:
        for forward in (False, True):
            if forward and made[W, L]:
                continue
            one, settled = paired(made, forward=forward, back=False)
            other, mirrored = paired(made.T, forward=False, back=forward)
            for before, after in ((one, other), (settled, mirrored)):
                assert (before.lowest, before.highest) == (-after.highest, -after.lowest)
                assert (before.low, before.high) == pytest.approx((-after.high, -after.low))
                assert (before.p, before.p_least) == (after.p, after.p_least)
                assert before.p_most == after.p_most

    def test_the_same_rules_win_the_same_deals(self) -> None:
        won, settled = paired(table(ww=5, wu=3, ul=1, uu=4), forward=True, back=True)
        assert won is None
        assert settled.lowest == settled.highest == (1 - 3) / 13
        assert (settled.low, settled.high) == paired_interval(5, 3, 1, 4)
        assert settled.p == settled.p_least == settled.p_most == mcnemar(3, 1)

    def test_errors_are_open(self) -> None:
        for forward in (False, True):
            unsettled = paired(table(ww=5, wu=3, ul=1, uu=4), forward=forward, back=False)
            assert paired(table(ww=5, we=3, el=1, eu=4), forward=forward, back=False) == unsettled


class TestUnpaired:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ((3, 4, 2, 1), (6, 1, 0, 2)),
            ((9, 1, 0, 0), (1, 9, 1, 0)),
            ((0, 0, 5, 0), (2, 2, 0, 0)),
            ((4, 0, 0, 0), (0, 0, 0, 7)),
            ((5, 5, 0, 0), (7, 1, 0, 0)),
        ],
    )
    def test_open_deals_may_be_either_way(
        self, first: tuple[int, ...], second: tuple[int, ...]
    ) -> None:
        one, other = Counts("wasp", 9, *first), Counts("wasp", 9, *second)
        found, settled = unpaired(one, other)
        every = [
            (here, one.n, there, other.n)
            for here in range(one.won, one.n - one.lost + 1)
            for there in range(other.won, other.n - other.lost + 1)
        ]
        differences = [there / m - here / n for here, n, there, m in every]
        assert (found.lowest, found.highest) == (min(differences), max(differences))
        assert found.low == min(unpaired_interval(*each).low for each in every)
        assert found.high == max(unpaired_interval(*each).high for each in every)
        values = [fisher(*each) for each in every]
        assert found.p_least == min(values)
        assert found.p_most >= max(values)
        assert found.p == (values[0] if len(every) == 1 else None)
        assert settled.p == fisher(one.won + one.lost, one.n, other.won + other.lost, other.n)
        assert settled.lowest == settled.highest

    def test_of_no_deals(self) -> None:
        found, settled = unpaired(Counts("wasp", 9), Counts("wasp", 9, won=3))
        for each in (found, settled):
            assert (each.lowest, each.highest, each.low, each.high) == (-1, 1, -1, 1)
            assert each.p_least == each.p_most == 1


class TestCompare:
    def test_the_same_deals(self, make_run) -> None:
        first, second = make_run("a", "wwllueuw"), make_run("b", "wlwlwwee", LESS)
        found = compare(first, second)
        assert found.is_paired
        assert found.relation is None
        assert found.table is not None
        assert (found.table == table(ww=1, wl=1, lw=1, ll=1, uw=1, ew=1, ue=1, we=1)).all()
        assert found.counts == (
            Counts("wasp", 1000, won=3, lost=2, unsettled=2, error=1),
            Counts(LESS, 1000, won=4, lost=2, error=2),
        )
        assert found.left_out == (0, 0)
        assert (found.won, found.settled) == paired(found.table, forward=False, back=False)
        assert found.seeds("won", "lost") == ["1"]
        assert found.seeds("lost", "won") == ["2"]
        assert found.seeds("unsettled", "error") == ["6"]
        assert found.seeds("lost", "error") == []
        assert found.seeds("won", "won", 0) == []
        assert found.seeds("won", "won", 5) == ["0"]
        assert (found.number("won", "won"), found.number("lost", "error")) == (1, 0)

    def test_only_deals_in_common_count(self, make_run) -> None:
        found = compare(make_run("a", "wwwl.w", first=10), make_run("b", "lwww", LESS, first=12))
        assert found.left_out == (2, 1)
        assert found.counts[0] == Counts("wasp", 1000, won=2, lost=1)
        assert found.counts[1] == Counts(LESS, 1000, won=2, lost=1)
        assert found.seeds("won", "lost") == ["12"]
        assert found.seeds("lost", "won") == ["13"]

    def test_at_a_budget(self, make_run) -> None:
        first = make_run("a", "wlw", positions=[10, 500, 900])
        second = make_run("b", "wlu", search="plain", positions=[400, 50, 2000], budget=2000)
        own = compare(first, second)
        assert [each.budget for each in own.counts] == [1000, 2000]
        assert own.seeds("won", "unsettled") == ["2"]
        lower = compare(first, second, 400)
        assert [each.budget for each in lower.counts] == [400, 400]
        assert lower.seeds("unsettled", "lost") == ["1"]
        assert lower.number("won", "won") == 1
        with pytest.raises(UsageError, match="above what 1 unsettled deal was"):
            compare(first, second, 3000)

    def test_other_deals_are_two_samples(self, make_run) -> None:
        first, second = make_run("a", "wwlu"), make_run("b", "wwwwwe", first=4)
        found = compare(first, second, confidence=0.9)
        assert not found.is_paired
        assert found.table is None
        assert found.left_out == (0, 0)
        assert found.relation == "same"
        assert (found.won, found.settled) == unpaired(*found.counts, 0.9)
        assert found.seeds("won", "lost") == []
        assert found.number("won", "won") == 0

    @pytest.mark.parametrize(("outcomes", "n"), [("....", 0), ("uuuu", 4), ("eeee", 4)])
    def test_nothing_and_nothing_settled(self, make_run, outcomes: str, n: int) -> None:
        first, second = make_run("a", outcomes), make_run("b", outcomes, LESS)
        for found in (compare(first, second), compare(first, make_run("c", "wwll", LESS, first=9))):
            assert found.counts[0].n == n
            assert found.won is not None
            assert (found.won.low, found.won.high) == (-1, 1) or n == 4
            assert -1 <= found.won.low < 0 < found.won.high <= 1

    def test_a_run_beside_itself(self, make_run) -> None:
        run = make_run("a", "wlue")
        found = compare(run, run)
        assert found.relation == "same"
        assert found.won is None
        assert found.settled.p == 1


class TestContradictions:
    @pytest.mark.parametrize(
        ("first", "second"),
        [("scorpion", "wasp"), ("will-o-the-wisp", "will-o-the-wisp(finished_runs=return)")],
    )
    def test_what_is_won_under_strict_rules_and_lost_under_free_ones_is_named(
        self, make_run, first: str, second: str
    ) -> None:
        assert within(rules("scorpion"), rules("wasp"))
        strict, free = (
            make_run("s", "lwlwu", first, first=7),
            make_run("f", "wullu", second, first=7),
        )
        says = (
            f"deal 10 is won under {first} ({strict.path}) and lost under {second} ({free.path}), "
            "which wins every deal that the former wins: one of the verdicts is wrong"
        )
        for runs in ((strict, free), (free, strict)):
            with pytest.raises(SolstatError) as caught:
                compare(*runs)
            assert str(caught.value) == says
            assert caught.value.exit_code == 1

    def test_the_other_way_round_is_none(self, make_run) -> None:
        strict, free = make_run("s", "lwlu", "scorpion"), make_run("f", "wwuw", "wasp")
        assert compare(strict, free).relation == "first in second"
        assert compare(free, strict).relation == "second in first"
        assert compare(free, strict).seeds("won", "lost") == ["0"]

    @pytest.mark.parametrize("outcomes", [("wl", "lw"), ("ll", "wl"), ("www", "lll")])
    def test_the_same_rules_never_contradict(self, make_run, outcomes: tuple[str, str]) -> None:
        first, second = (
            make_run(search, each, search=search)
            for search, each in zip(("full", "plain"), outcomes, strict=True)
        )
        with pytest.raises(SolstatError, match="^deal 0 is .* the same rules: one of .* is wrong"):
            compare(first, second)

    @pytest.mark.parametrize("second", ["wasp", "scorpion"])
    def test_no_budget_hides_one(self, make_run, second: str) -> None:
        first = make_run("a", "ul", budget=900, positions=[900, 500])
        other = make_run("b", "uw", second, budget=800, positions=[800, 300])
        for budget in (800, 400, 100, 1):
            with pytest.raises(SolstatError, match="^deal 1 is won under .* and lost under wasp"):
                compare(first, other, budget)
        with pytest.raises(UsageError, match="budget 850 is above"):
            compare(first, other, 850)

    def test_how_many_more(self, make_run) -> None:
        with pytest.raises(SolstatError, match=r"deal 3 is .*, and so of 1,999 more deals$"):
            compare(make_run("a", "w" * 2000, first=3), make_run("b", "l" * 2000, first=3))

    def test_rules_of_which_nothing_is_known_may(self, make_run) -> None:
        found = compare(make_run("a", "wl"), make_run("b", "lw", LESS))
        assert found.seeds("won", "lost") == ["0"]
        assert compare(make_run("c", "wl"), make_run("d", "lw", first=2)).table is None
