from __future__ import annotations

import json
import re

import pytest

from solstat.cli.tune import _percent


@pytest.fixture
def run(cli) -> str:
    cli(
        *("run", "-g", "wasp", "--deals", "1M:1000400", "--budget", "5k", "--workers", 1),
        *("-o", "pilot"),
    )
    return "pilot"


def test_says_which_budget_how_many_deals_and_what_next(cli, run):
    text = cli("tune", run, "--settle", "90%", "--budget", "20k", "--hours", 2).stdout
    lines = text.splitlines()
    assert lines[0].startswith("wasp, 400 deals at 5k: half-width ")
    assert re.match(r"90 % are settled by [0-9]+ positions \(95 % interval: [0-9]+ to ", lines[1])
    assert lines[2].startswith("A budget of 20k settles 9")
    assert " at least, ~9" in lines[2]
    assert " CPU hours for 400 deals (" in lines[2]
    shares = dict(re.findall(r"^ *([0-9]+k?) +(~?)[0-9.]+ +", text, re.MULTILINE))
    assert shares == dict.fromkeys(("100", "200", "500", "1k", "2k", "5k"), "") | dict.fromkeys(
        ("10k", "20k", "50k"), "~"
    )
    assert text.count("cheapest") == 1
    assert "the next 2 CPU hours are best spent on " in text
    assert "  more deals: " in text


def test_json_is_all_of_it(cli, run):
    (found,) = json.loads(cli("tune", run, "--json").stdout)
    assert (found["run"], found["n"], found["limit"]) == ("pilot", 400, 5000)
    assert (found["half_width"], found["settling"]["share"]) == (0.005, 0.99)
    assert found["interval"] == "wilson"
    (stats,) = json.loads(cli("stats", run, "--json").stdout)
    assert found["next"]["now"]["half"] == pytest.approx((stats["high"] - stats["low"]) / 2)
    assert json.loads(cli("tune", run, "--half-width", "0.005", "--json").stdout) == [found]
    assert json.loads(cli("tune", run, "--half-width", "1%", "--json").stdout) != [found]


def test_a_run_that_has_looked_has_its_own_interval(cli):
    cli(
        *("run", "-g", "wasp", "--deals", "1M:1000150", "--budget", "5k", "--workers", 1),
        *("--until", "half-width=1%", "-o", "a"),
    )
    (found,) = json.loads(cli("tune", "a", "--json").stdout)
    assert found["interval"] == "sequence"


def test_a_budget_below_what_is_needed_says_that_it_guesses(cli):
    cli(
        *("run", "-g", "wasp", "--deals", "1M:1000150", "--budget", 100, "--workers", 1),
        *("-o", "a"),
    )
    assert "is a poor guess" in cli("tune", "a").stdout


def test_several_runs_under_a_directory(cli):
    for game in ("wasp", "scorpion"):
        cli(
            *("run", "-g", game, "--deals", "1M:1000050", "--budget", "5k", "--workers", 1),
            *("-o", f"runs/{game}"),
        )
    found = json.loads(cli("tune", "runs", "--json").stdout)
    assert [each["rules"] for each in found] == ["scorpion", "wasp"]
    assert cli("tune", "runs").stdout.count("are settled by") == 2


def surveyed(cli, n: int, budget: object, *words: object) -> str:
    cli(
        *("run", "-g", "wasp", "--deals", f"1M:{1_000_000 + n}", "--budget", budget),
        *("--workers", 1, "-o", "a"),
    )
    return cli("tune", "a", *words).stdout


def test_a_goal_that_is_met_is_said_to_be(cli):
    told = surveyed(cli, 200, "250k", "--half-width", "15%")
    assert (
        "\nThe goal is met by these 200 deals. What it takes to reach a half-width of 15 %:" in told
    )
    assert re.search(r" 0  cheapest$", told, re.MULTILINE)
    assert "The goal" not in cli("tune", "a", "--half-width", "1%").stdout


def test_a_tiny_pilot_is_a_guess(cli):
    told = surveyed(cli, 40, "5k")
    warning = r"A pilot of 40 deals, [0-9]+ won and [0-9] lost, tells little: what is marked ~ is a"
    assert re.search(warning, told)
    rows = re.findall(r"^ *[0-9]+k? +(~?)[0-9.]+ +", told, re.MULTILINE)
    assert rows
    assert set(rows) == {"~"}
    assert re.search("more deals: .*half-width ~", told)


def test_where_too_many_deals_are_open_it_says_what_to_try(cli, run):
    told = cli("tune", run, "--half-width", "0.3%").stdout
    (budget,) = re.findall(r"^Try a larger budget, such as --budget (.*)$", told, re.MULTILINE)
    enough = cli("tune", run, "--half-width", "0.3%", "--budget", budget).stdout
    assert re.search(rf"^ *{budget} .*cheapest$", enough, re.MULTILINE)
    assert "Try" not in enough
    far = cli("tune", run, "--half-width", "0.001%").stdout
    assert "cannot be told: try a pilot at a larger one, 50k\n" in far


def test_more_deals_than_any_is_said_to_be(cli):
    told = surveyed(cli, 100, "250k", "--half-width", "0.0000001%", "--hours", "1e9")
    assert "It takes more than 10^12 deals" in told
    assert "the next 1,000,000,000 CPU hours are best spent on" in told
    assert "1,000,000,000,000 more, no more are looked at, " in told


def test_what_a_pilot_cannot_tell(cli):
    told = surveyed(cli, 40, 5)
    assert "\n99 % are settled above 5, by what budget cannot be told from this pilot\n" in told
    assert "How large a budget is enough cannot be told: try a pilot at a larger one, 50\n" in told


def test_a_share_is_shown_as_it_was_asked(cli, run):
    told = cli("tune", run, "--settle", "99.999%").stdout
    assert "\n99.999 % are settled " in told


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100 %"),
        (0.99995, "99.995 %"),
        (0.9921, "99.21 %"),
        (0.00333, "0.33 %"),
        (0.5, "50 %"),
    ],
)
def test_only_all_is_a_hundred_per_cent(share, text):
    assert _percent(share) == text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--settle", "100%"], "--settle '100%': write a share above 0 % and below 100 %, like"),
        (["--settle", "99"], "; did you mean 99%?"),
        (["--settle", "x"], "--settle 'x'"),
        (["--half-width", "0"], "--half-width '0'"),
        (["--half-width", "5"], "; did you mean 5%?"),
        (["--half-width", "50%"], "'50%': write a share above 0 % and below 50 %, like 0.5%"),
        (["--half-width", ".6"], "; did you mean .6%?"),
        (["--hours", "0"], "0.0 hours"),
        (["--hours", "nan"], "nan hours"),
        (["--budget", "x"], "budget 'x'"),
    ],
)
def test_usage_errors(cli, run, words, says):
    told = cli("tune", run, *words, code=2).stderr
    assert told.count("\n") == 1
    assert says in told
