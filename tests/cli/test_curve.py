"""The command that shows outcomes against the budget."""

from __future__ import annotations

import json
import os
import re
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
    assert re.fullmatch(
        "Error: full: budget 5k is above what [0-9]+ unsettled deals? (was|were) searched with; "
        "ask for 3k or less\n",
        said,
    )
    assert cli("stats", "full", "--budget", "5k", code=2).stderr == said


def test_a_budget_above_that_of_a_run_without_open_deals(cli):
    cli("run", "-g", "wasp", "--deals", "0:2", "--budget", "20k", "--workers", 1, "-o", "few")
    (run,) = json.loads(cli("curve", "few", "--budgets", "20k,1M", "--json").stdout)
    (at,) = json.loads(cli("stats", "few", "--budget", "1M", "--json").stdout)
    assert [point["budget"] for point in run["curve"]] == [20_000, 10**6]
    assert run["curve"][1]["floor"] == at["floor"]
    assert at["unsettled"] == 0


def test_says_how_intervals_are_made_as_stats_does(cli, runs):
    words = ("run", "-g", "wasp", "--deals", "0:9k", "--budget", "3k", "--workers", 1)
    cli(*words, "--until", "half-width=20%", "-o", "stopped")
    for command in ("stats", "curve"):
        assert "made as" not in cli(command, *runs).stdout
        assert cli(command, "stopped").stdout.splitlines()[1].endswith("  95 % sequence")
    header, *rows = cli("curve", "full", "stopped", "--budgets", "1k").stdout.splitlines()
    assert header.endswith("  made as")
    assert [row.split("  ")[-1] for row in rows] == ["95 % wilson", "95 % sequence"]


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


def test_a_figure_of_eight_runs_and_no_more(cli):
    for first in range(9):
        deals = f"{first}:{first + 3}"
        cli("run", "-g", "wasp", "--deals", deals, "--budget", 300, "--workers", 1, "-o", first)
    cli("curve", *range(8), "-o", "a.svg")
    texts = re.findall(r"<text[^>]*>([^<]*)<", Path("a.svg").read_text())
    assert [text for text in texts if text in "01234567"][-8:] == list("01234567")
    said = cli("curve", *range(9), "-o", "b.svg", code=2).stderr
    assert said == "Error: -o b.svg: a figure tells 8 runs apart, not 9\n"
    assert not Path("b.svg").exists()


def test_one_budget_makes_no_figure(cli, runs):
    said = cli("curve", *runs, "--budgets", "500", "-o", "a.png", code=2).stderr
    assert said == "Error: -o a.png: one budget, 500, makes no curve; the table shows it all\n"
    assert not Path("a.png").exists()


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
