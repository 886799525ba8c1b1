"""``solstat stats`` beyond what all readers of runs do: pools, stages, ways to make intervals."""

from __future__ import annotations

import json

import pytest

from solstat.stats.intervals import METHODS

SURVEY = ("--workers", 1, "--no-lines")


@pytest.fixture
def runs(cli) -> str:
    """A folder of two runs of wasp and one of scorpion."""
    cli("run", "-g", "wasp", "--deals", "0:40", "--budget", "5k", *SURVEY, "-o", "all/a")
    cli("run", "-g", "wasp", "--deals", "40:60", "--budget", "9k", *SURVEY, "-o", "all/b")
    cli("run", "-g", "scorpion", "--deals", "0:30", "--budget", "5k", *SURVEY, "-o", "all/c")
    return "all"


def shown(cli, *arguments: object) -> list[dict]:
    return json.loads(cli("stats", *arguments, "--json").stdout)


def test_a_lower_budget_gives_what_a_run_at_it_gives(cli, runs):
    cli("run", "-g", "wasp", "--deals", "0:40", "--budget", "150", *SURVEY, "-o", "lower")
    (own,) = shown(cli, "lower")
    (cut,) = shown(cli, "all/a", "--budget", "150")
    assert 0 < own["unsettled"] < 40
    assert own | {"run": ""} == cut | {"run": ""}
    assert cli("stats", "lower").stdout == cli("stats", "all/a", "--budget", "150").stdout


@pytest.mark.parametrize(
    ("options", "method", "confidence"),
    [
        ((), "wilson", 0.95),
        (("--exact",), "exact", 0.95),
        (("--confidence", "99%"), "wilson", 0.99),
        (("--exact", "--confidence", "99.9%"), "exact", 0.999),
    ],
)
def test_intervals_are_made_as_asked(cli, runs, options, method, confidence):
    for each in shown(cli, runs, *options):
        assert each["interval"] == method
        assert each["confidence"] == pytest.approx(confidence)
        bounds = METHODS[method](each["won"], each["n"], confidence)
        assert each["low"] == pytest.approx(bounds.low)
    text = cli("stats", runs, *options).stdout
    assert ("made as" in text) is bool(options)
    if options:
        assert text.count(f"{100 * confidence:.10g} % {method}") == 6


def test_a_confidence_is_written_in_per_cent_or_as_a_share(cli, runs):
    in_percent = shown(cli, runs, "--confidence", "99.9%")
    assert shown(cli, runs, "--confidence", "0.999") == in_percent
    assert shown(cli, runs, "--confidence", ".999") == in_percent
    said = cli("stats", runs, "--confidence", "99", code=2).stderr
    assert said == (
        "Error: --confidence '99': write a share above 0 % and below 100 %, like 99% or 0.99; "
        "did you mean 99%?\n"
    )


class TestByRules:
    def test_runs_of_the_same_rules_are_one(self, cli, runs):
        wasp, scorpion = shown(cli, runs, "--by", "rules", "--budget", "5k")
        one, other, third = shown(cli, runs, "--budget", "5k")
        for name in ("n", "won", "lost", "unsettled", "error"):
            assert wasp[name] == one[name] + other[name]
            assert scorpion[name] == third[name]
        assert (wasp["runs"], scorpion["runs"]) == (["all/a", "all/b"], ["all/c"])
        assert (wasp["scheme"], wasp["search"], wasp["budget"]) == ("solstat", "full", 5000)
        assert wasp["low"] == METHODS["wilson"](wasp["won"], 60, 0.95).low
        text = cli("stats", runs, "--by", "rules", "--budget", "5k").stdout
        assert "2 runs, scheme solstat, search full: all/a, all/b\n" in text
        assert "1 run, scheme solstat, search full: all/c\n" in text
        exact = shown(cli, runs, "--by", "rules", "--budget", "5k", "--exact")
        assert [each["interval"] for each in exact] == ["exact", "exact"]

    def test_other_budgets_and_deals_that_count_twice_are_refused(self, cli, runs):
        said = cli("stats", runs, "--by", "rules", code=2).stderr
        assert said == (
            "Error: all/a and all/b: runs of wasp with the budgets 5k and 9k are put together at "
            "one: say which, as with --budget 5k\n"
        )
        cli("run", "-g", "wasp", "--deals", "35:41", "--budget", "5k", *SURVEY, "-o", "d")
        said = cli("stats", runs, "d", "--by", "rules", "--budget", "5k", code=2).stderr
        assert said == (
            "Error: all/a and d both hold deals 35 to 39, which would count twice: leave one out\n"
        )

    def test_of_many_runs_the_first_are_named(self, cli):
        for first in range(4):
            deals = f"{first}:{first + 1}"
            cli("run", "-g", "wasp", "--deals", deals, "--budget", 9, *SURVEY, "-o", f"all/{first}")
        text = cli("stats", "all", "--by", "rules").stdout
        assert "4 runs, scheme solstat, search full: all/0, all/1, all/2, ...\n" in text


class TestByStage:
    def test_each_run_by_its_stages(self, cli, runs):
        cli(
            *("run", "-g", "wave-motion", "--deals", "0:20", "--budget", "300k", *SURVEY),
            *("-o", "wave"),
        )
        found = shown(cli, "wave", "all/a", "--by", "stage")
        assert {(each["run"], each["stage"]) for each in found} == {
            ("wave", "sets"),
            ("all/a", "dfs"),
        }
        for run in ("wave", "all/a"):
            (whole,) = shown(cli, run)
            parts = [each for each in found if each["run"] == run]
            assert {each["rules"] for each in parts} == {whole["rules"]}
            for name in ("n", "won", "lost", "unsettled", "error"):
                assert sum(each[name] for each in parts) == whole[name]
        text = cli("stats", "wave", "all/a", "--by", "stage").stdout
        assert text.startswith("wave\nstage")
        assert "\n\nall/a\nstage" in text
        assert cli("stats", "wave", "--by", "stage").stdout.startswith("stage")

    def test_at_a_lower_budget(self, cli, runs):
        found = shown(cli, "all/a", "--by", "stage", "--budget", "150")
        (whole,) = shown(cli, "all/a", "--budget", "150")
        assert sum(each["won"] for each in found) == whole["won"]
        (unknown,) = [each for each in found if each["stage"] == "unknown"]
        assert unknown["unsettled"] == whole["unsettled"] > 0
        assert unknown["budget"] == 150

    @pytest.mark.parametrize("option", [("--exact",), ("--confidence", "95%")])
    def test_it_has_no_intervals(self, cli, runs, option):
        said = cli("stats", runs, "--by", "stage", *option, code=2).stderr
        assert said == ("Error: --by stage has no intervals: leave out --exact and --confidence\n")


def test_a_run_that_stopped_by_its_outcomes_has_a_confidence_sequence(cli):
    cli(
        *("run", "-g", "wasp", "--deals", "0:9k", "--budget", "5k", *SURVEY),
        *("--until", "half-width=20%", "-o", "stopped"),
    )
    cli("run", "-g", "wasp", "--deals", "9k:9001", "--budget", "5k", *SURVEY, "-o", "more")
    (one,) = shown(cli, "stopped")
    assert one["n"] < 9000
    assert one["interval"] == "sequence"
    wilson = METHODS["wilson"](one["won"], one["n"], 0.95)
    assert one["low"] < wilson.low
    (pool,) = shown(cli, "stopped", "more", "--by", "rules")
    assert (pool["n"], pool["interval"]) == (one["n"] + 1, "sequence")
    assert "95 % sequence" in cli("stats", "stopped").stdout
    assert "made as" not in cli("stats", "more").stdout
