from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from solstat.report.published import beside
from solstat.stats.claims import choose, read_claims
from solstat.stats.proportion import figures
from solstat.stats.verdicts import judge
from solstat.survey.reader import Counts

COUNTS = Counts("wasp", 1000, won=860, lost=130, unsettled=10)
ROOT = Path(__file__).parents[2]

[CLAIM] = choose(read_claims(ROOT / "configs/claims"), ["wasp-563"])
CLAIM = replace(CLAIM, id="a", budget=None, share="95", printed="95 %", title="A page")
PEOPLE = replace(CLAIM, id="people", kind="human", comparable=False, why="a model of people")


def test_claims_of_the_same_rules_stand_beside_ours():
    other = replace(CLAIM, id="b", game="scorpion", rules="scorpion")
    found = beside(figures(COUNTS), [CLAIM, other, PEOPLE])
    assert found
    assert [(row.name, row.is_ours, row.verdict) for row in found.rows] == [
        ("this survey", True, ""),
        ("a", False, "too high"),
    ]
    ours, published = found.rows
    verdict = judge(CLAIM, COUNTS)
    assert verdict.ours
    assert (ours.low, ours.high, ours.ceiling) == (verdict.ours.low, verdict.ours.high, 0.87)
    assert published.at_least
    assert [row[0] for row in found.table.rows] == ["this survey", "a", "people"]
    assert [row[3] for row in found.table.rows] == ["", "too high", "not comparable"]
    assert all(len(row) == len(found.table.header) for row in found.table.rows)


def test_nothing_to_compare():
    assert beside(figures(COUNTS), []) is None
    assert beside(figures(COUNTS), [PEOPLE]) is None
    assert beside(figures(Counts("wasp", 1000)), [CLAIM]) is None
