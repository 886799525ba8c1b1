from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.survey.record import Record

SURVEY = ("--budget", "5k", "--workers", 1)


@pytest.fixture
def runs(cli) -> tuple[str, str, str]:
    """Wasp, and with 20 of its 30 deals each scorpion and wasp by the plain search."""
    cli("run", "-g", "wasp", "--deals", "0:30", *SURVEY, "-o", "wasp")
    cli("run", "-g", "scorpion", "--deals", "10:40", *SURVEY, "-o", "scorpion")
    cli("run", "-g", "wasp", "--deals", "0:20", *SURVEY, "--search", "plain", "-o", "plain")
    return "wasp", "scorpion", "plain"


def outcomes(path: str) -> dict[str, str]:
    (part,) = Path(path).glob("*.parquet")
    table = pq.read_table(part)
    return dict(zip(table["seed"].to_pylist(), table["outcome"].to_pylist(), strict=True))


def test_json_has_all_deals_that_differ(cli, runs):
    found = json.loads(cli("compare", "wasp", "scorpion", "--json").stdout)
    wasp, scorpion = outcomes("wasp"), outcomes("scorpion")
    both = [seed for seed in wasp if seed in scorpion]
    assert found["paired"] is True
    assert found["relation"] == "second in first"
    assert [found[side]["run"] for side in ("first", "second")] == ["wasp", "scorpion"]
    assert [found[side]["n"] for side in ("first", "second")] == [20, 20]
    assert [found[side]["left_out"] for side in ("first", "second")] == [10, 10]
    assert found["second"]["won"] == sum(scorpion[seed] == "won" for seed in both)
    assert found["confidence"] == 0.95
    assert len(found["deals"]) == 16
    for cell in found["deals"]:
        seeds = [
            seed for seed in both if (wasp[seed], scorpion[seed]) == (cell["first"], cell["second"])
        ]
        assert cell["n"] == len(seeds)
        assert cell.get("seeds", seeds) == seeds
        assert ("seeds" in cell) is (cell["first"] != cell["second"])
    won = found["won_difference"]
    assert -1 <= won["low"] < won["lowest"] <= won["highest"] < 0
    wider = json.loads(cli("compare", *runs[:2], "--json", "--confidence", "99%").stdout)
    assert wider["won_difference"]["low"] < won["low"]
    assert wider["confidence"] == 0.99


def test_text_says_what_was_compared(cli, runs):
    text = cli("compare", "wasp", "scorpion").stdout
    assert (
        "20 deals in common are compared; left out are 10 that only the first run has and" in text
    )
    assert "Every deal that can be won under the second rules can be under the first." in text
    assert "95 % interval  exact McNemar p" in text
    wasp, scorpion = outcomes("wasp"), outcomes("scorpion")
    gone = [each for each in wasp if (wasp[each], scorpion.get(each)) == ("won", "lost")]
    assert f"won in the first, lost in the second: {' '.join(gone)}\n" in f"{text}\n"
    assert "90 % interval" in cli("compare", "wasp", "scorpion", "--confidence", "90%").stdout


def test_other_searches_of_the_same_rules(cli, runs):
    text = cli("compare", "wasp", "plain").stdout
    assert "The rules are the same." in text
    assert "% settled" in text
    assert "% won" not in text
    lower = json.loads(cli("compare", "wasp", "plain", "--budget", "60", "--json").stdout)
    assert lower["won_difference"] is None
    assert lower["first"]["budget"] == lower["second"]["budget"] == 60
    assert lower["first"]["unsettled"] < lower["second"]["unsettled"]


def test_the_first_twenty_deals_of_a_kind_are_shown(cli):
    for name, rules in (("a", "wasp"), ("b", "wasp(empty_pile=king)")):
        cli("run", "-g", rules, "--deals", "0:60", *SURVEY, "-o", name)
    seeds = next(
        cell["seeds"]
        for cell in json.loads(cli("compare", "a", "b", "--json").stdout)["deals"]
        if (cell["first"], cell["second"]) == ("won", "lost")
    )
    assert len(seeds) > 25
    wanted = f"in the second: {' '.join(seeds[:20])} and {len(seeds) - 20} more\n"
    assert wanted in cli("compare", "a", "b").stdout


def test_no_deals_in_common(cli, runs):
    cli("run", "-g", "wasp", "--deals", "50:60", *SURVEY, "-o", "later")
    text = cli("compare", "wasp", "later").stdout
    assert "No deals in common: two samples of 30 and 10 deals." in text
    assert "exact Fisher p" in text
    found = json.loads(cli("compare", "wasp", "later", "--json").stdout)
    assert (found["paired"], found["deals"]) == (False, [])


def test_a_verdict_that_cannot_be_is_an_error(cli, runs):
    (part,) = Path("wasp").glob("*.parquet")
    rows = pq.read_table(part).to_pylist()
    seed = next(row["seed"] for row in rows if outcomes("scorpion").get(row["seed"]) == "won")
    next(row for row in rows if row["seed"] == seed).update(outcome="lost", line=None, moves=None)
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(part)), part)
    for order in (("wasp", "scorpion"), ("scorpion", "wasp")):
        said = cli("compare", *order, code=1)
        assert said.stdout == ""
        assert said.stderr == (
            f"Error: deal {seed} is won under scorpion (scorpion) and lost under wasp (wasp), "
            "which wins every deal that the former wins: one of the verdicts is wrong\n"
        )


def test_what_is_refused(cli, runs):
    assert "budget 6k is above" in cli("compare", "wasp", "plain", "--budget", "6k", code=2).stderr
    said = cli("compare", ".", "wasp", code=2).stderr
    assert said == "Error: . holds 3 runs: name one of plain, scorpion, wasp\n"
    assert "nowhere: no run here" in cli("compare", "wasp", "nowhere", code=2).stderr
    assert "Missing argument" in cli("compare", "wasp", code=2).stderr


@pytest.mark.parametrize("share", ["0%", "100%", "1", "-5%", "99 %", "nan%", "%", "1e1%", "0", ""])
def test_a_confidence_is_a_share(cli, runs, share):
    said = cli("compare", "wasp", "plain", f"--confidence={share}", code=2).stderr
    assert said.startswith(
        f"Error: --confidence '{share}': write a share above 0 % and below 100 %, like 99% or 0.99"
    )
    assert said.endswith("; did you mean 1%?\n" if share == "1" else "0.99\n")


@pytest.fixture
def stopped(monkeypatch) -> None:
    """Every run is one that stopped by its outcomes."""
    load = Record.load

    def loaded(directory: Path) -> Record:
        record = load(directory)
        object.__setattr__(record, "until", "half-width=5%")
        return record

    monkeypatch.setattr(Record, "load", loaded)


def test_runs_that_stopped_by_their_outcomes_are_named(cli, runs, stopped):
    said = cli("compare", "wasp", "scorpion").stderr
    assert said == "".join(
        f"{name} was stopped by its outcomes: the intervals do not allow for that\n"
        for name in ("wasp", "scorpion")
    )


@pytest.mark.parametrize(("until", "allows"), [(None, None), ("half-width=5%", False)])
def test_json_says_so_if_one_of_them_was(cli, runs, until, allows):
    record = Path("scorpion/run.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"until": until}))
    found = json.loads(cli("compare", "wasp", "scorpion", "--json").stdout)
    assert (found["first"]["until"], found["second"]["until"]) == (None, until)
    assert found["allows_for_stopping"] is allows


def test_and_have_no_exact_interval(cli, runs, stopped):
    for by in ("run", "rules"):
        said = cli("stats", "wasp", "--exact", "--by", by, code=2).stderr
        assert said.startswith("Error: wasp was stopped by its outcomes (--until), which an exact")
