from __future__ import annotations

from dataclasses import replace

import pytest

from solstat.errors import UsageError
from solstat.stats.pool import interval_of, pools
from solstat.survey.reader import Counts


class TestPools:
    def test_runs_of_the_same_rules_and_search_are_added(self, make_run) -> None:
        one = make_run("a", "wwlue")
        other = make_run("b", "ll", "scorpion")
        more = make_run("c", "wl..u", first=100)
        found = pools([one, other, more])
        assert [each.runs for each in found] == [(one, more), (other,)]
        assert [each.counts for each in found] == [
            Counts("wasp", 1000, won=3, lost=2, unsettled=2, error=1),
            Counts("scorpion", 1000, lost=2),
        ]

    def test_another_scheme_search_or_version_is_another_pool(self, make_run) -> None:
        runs = [
            make_run("a", "w"),
            make_run("b", "w", scheme="pysol", first=1),
            make_run("c", "w", search="plain"),
            make_run("d", "w", first=7, version=999),
        ]
        assert [each.runs for each in pools(runs)] == [(run,) for run in runs]

    def test_other_names_of_rules_are_no_other_rules(self, make_run) -> None:
        runs = [
            make_run("a", "w"),
            make_run("b", "l", "wasp(face_down_piles=4)", first=1),
        ]
        (pool,) = pools(runs)
        assert pool.counts == Counts("wasp", 1000, won=1, lost=1)

    def test_deals_that_would_count_twice_are_refused(self, make_run) -> None:
        runs = [make_run("a", "www"), make_run("b", "ww", first=2)]
        with pytest.raises(UsageError, match="/a and .*/b both hold deal 2"):
            pools(runs)
        assert len(pools([runs[0], make_run("c", "ww", "scorpion", first=2)])) == 2

    def test_other_budgets_need_one(self, make_run) -> None:
        runs = [
            make_run("a", "wu", positions=[500, 1000]),
            make_run("b", "ww", first=2, budget=5000, positions=[400, 4000]),
        ]
        with pytest.raises(UsageError, match="budgets 1k and 5k .* say which, as with --budget 1k"):
            pools(runs)
        assert pools(runs, 1000)[0].counts == Counts("wasp", 1000, won=2, unsettled=2)
        assert pools(runs, 450)[0].counts == Counts("wasp", 450, won=1, unsettled=3)
        with pytest.raises(UsageError, match="budget 5k is above what 1 unsettled"):
            pools(runs, 5000)

    def test_no_runs_and_no_deals(self, make_run) -> None:
        assert pools([]) == []
        assert pools([make_run("a", "..")])[0].counts == Counts("wasp", 1000)


class TestIntervalOf:
    def test_is_wilsons_unless_said(self, make_run) -> None:
        run = make_run("a", "w")
        assert interval_of([run]) == "wilson"
        assert interval_of([run], exact=True) == "exact"

    def test_one_that_looked_on_the_way_has_a_sequence(self, make_run) -> None:
        run, stopped = make_run("a", "w"), make_run("b", "w", first=1)
        stopped.record = replace(stopped.record, until="half-width=1%")
        assert interval_of([run, stopped]) == "sequence"
        with pytest.raises(UsageError, match=r"/b was stopped by its outcomes \(--until\)"):
            interval_of([run, stopped], exact=True)
