"""The command that shows outcomes against the budget."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest


@pytest.fixture
def runs(cli) -> list[str]:
    """Two runs of the same deals; the second leaves most of them open."""
    names = ["full", "plain"]
    for name in names:
        cli(
            *("run", "-g", "wasp", "--deals", "0:40", "--budget", "3k"),
            *("--search", name, "--workers", 1, "-o", name),
        )
    return names


def test_is_what_stats_says_at_each_budget(cli, runs):
    listed = json.loads(cli("curve", *runs, "--budgets", "3k,1k,100,1k", "--json").stdout)
    assert [each["run"] for each in listed] == runs
    for each in listed:
        assert [point["budget"] for point in each["curve"]] == [100, 1000, 3000]
        for point in each["curve"]:
            (at,) = json.loads(
                cli("stats", each["run"], "--budget", point["budget"], "--json").stdout
            )
            for name in ("n", "won", "lost", "unsettled", "error", "floor", "low", "lost_high"):
                assert point[name] == at[name]
            assert point["settled_floor"] == (at["won"] + at["lost"]) / 40
    full, plain = (each["curve"][-1] for each in listed)
    assert full["settled_floor"] > plain["settled_floor"] > plain["settled_low"]


def test_a_table_of_round_budgets(cli, runs):
    lines = cli("curve", "full").stdout.splitlines()
    assert lines[0].split()[:3] == ["budget", "n", "settled"]
    assert [line.split()[0] for line in lines[-3:]] == ["1k", "2k", "3k"]
    both = cli("curve", *runs, "--budgets", "1k").stdout.splitlines()
    assert [line.split()[:2] for line in both[1:]] == [["1k", "full"], ["plain", "40"]]
    assert cli("curve", "full", "full").stdout.splitlines() == lines  # named twice, it is one


def test_a_budget_above_what_open_deals_were_searched_at_is_refused(cli, runs):
    said = cli("curve", *runs, "--budgets", "1k,5k", code=2).stderr
    assert said == "Error: full: budget 5k: outcomes are known from 1 to 3k\n"


@pytest.mark.parametrize("budgets", ["", "1k,,2k", "1k 2k", "0", "1m"])
def test_budgets_that_are_none(cli, budgets):
    said = cli("curve", "somewhere", f"--budgets={budgets}", code=2).stderr
    assert said.startswith("Error: budget ")


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")])
def test_a_figure(cli, runs, name, begins):
    found = cli("curve", *runs, "-o", name)
    assert found.stdout == cli("curve", *runs).stdout
    assert found.stderr == f"The figure is in {name}\n"
    assert Path(name).read_bytes().startswith(begins)
    assert sorted(os.listdir()) == sorted([name, *runs])


@pytest.mark.parametrize("name", ["curve", "curve.pdf", "png"])
def test_a_figure_of_another_kind(cli, runs, name):
    said = cli("curve", *runs, "-o", name, code=2).stderr
    assert said == f"Error: -o {name}: name a file that ends in .png or .svg\n"


def test_without_matplotlib(cli, runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    monkeypatch.delitem(sys.modules, "solstat.report.figures", raising=False)
    said = cli("curve", *runs, "-o", "a.png", code=1).stderr
    assert said == "Error: matplotlib is not installed: pip install 'solstat[report]'\n"
    cli("curve", *runs)
