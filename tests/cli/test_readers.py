"""The commands that read runs: status, stats, verify, export."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.survey.schema import SCHEMA


@pytest.fixture
def runs(cli) -> str:
    """A directory of two runs of 30 deals each."""
    Path("survey.toml").write_text(
        'deals = "0:30"\nbudget = "5k"\n[[rules]]\ngame = "wasp"\n[[rules]]\ngame = "scorpion"\n'
    )
    cli("run", "survey.toml", "--workers", 1)
    return "runs/survey"


def outcomes(path: str) -> list[str]:
    (part,) = Path(path).glob("*.parquet")
    return pq.read_table(part)["outcome"].to_pylist()


def test_status(cli, runs):
    listed = json.loads(cli("status", runs, "--json").stdout)
    assert [each["rules"] for each in listed] == ["scorpion", "wasp"]
    for each in listed:
        assert each["state"] == "finished"
        assert (each["planned"], each["done"], each["todo"]) == (30, 30, 0)
        assert each["won"] == outcomes(each["run"]).count("won")
    text = cli("status", f"{runs}/wasp").stdout
    assert "wasp, budget 5k, finished" in text
    assert "30 of 30 deals" in text


def test_stats(cli, runs):
    listed = json.loads(cli("stats", runs, "--json").stdout)
    assert [each["rules"] for each in listed] == ["scorpion", "wasp"]
    wasp = listed[1]
    assert wasp["won"] == outcomes(f"{runs}/wasp").count("won")
    assert wasp["n"] == wasp["won"] + wasp["lost"] + wasp["unsettled"] + wasp["error"] == 30
    assert wasp["low"] < wasp["floor"] <= wasp["ceiling"] < wasp["high"]
    rows = [line.split() for line in cli("stats", f"{runs}/wasp").stdout.splitlines()]
    assert rows[1][:6] == [
        "wasp",
        "5k",
        "30",
        "won",
        str(wasp["won"]),
        f"{100 * wasp['floor']:.2f}",
    ]


def test_stats_of_several_runs_at_a_lower_budget_and_exact(cli, runs):
    both = [f"{runs}/wasp", f"{runs}/scorpion"]
    low = json.loads(cli("stats", *both, "--budget", "50", "--json").stdout)
    full = json.loads(cli("stats", *both, "--json").stdout)
    exact = json.loads(cli("stats", *both, "--exact", "--json").stdout)
    for at_50, at_5k, wider in zip(low, full, exact, strict=True):
        assert at_50["budget"] == 50
        assert at_50["won"] + at_50["lost"] < at_5k["won"] + at_5k["lost"]
        assert at_50["n"] == at_5k["n"]
        assert wider["low"] < at_5k["low"]


@pytest.mark.parametrize("command", ["stats", "stats --by rules", "curve", "status", "verify"])
def test_a_run_that_is_named_twice_counts_once(cli, runs, command):
    Path("link").symlink_to(f"{runs}/wasp")
    others = [f"{runs}/wasp", Path(runs, "wasp").resolve(), f"{runs}/../survey/wasp", "link"]
    once = cli(*command.split(), runs, "--json").stdout
    assert cli(*command.split(), runs, *others, "--json").stdout == once


def test_figures_say_which_run_they_are_of(cli, runs):
    listed = json.loads(cli("stats", f"{runs}/wasp", runs, "--json").stdout)
    assert [each["run"] for each in listed] == [f"{runs}/{name}" for name in ("wasp", "scorpion")]
    for each in listed:
        assert (each["scheme"], each["first_seed"], each["search"]) == ("solstat", "0", "full")
    lines = cli("stats", runs).stdout.splitlines()
    assert [lines[1], lines[5]] == [f"{runs}/scorpion", f"{runs}/wasp"]
    assert f"{runs}/wasp" not in cli("stats", f"{runs}/wasp").stdout


@pytest.mark.parametrize("command", ["status", "stats", "verify", "export"])
def test_several_runs_are_those_of_their_directory(cli, runs, command):
    both = cli(command, f"{runs}/scorpion", f"{runs}/wasp").stdout
    assert both == cli(command, runs).stdout


@pytest.mark.parametrize("command", ["status", "stats", "verify", "export"])
def test_a_file_is_no_run(cli, runs, command):
    Path("other.toml").touch()
    for file, meant in (
        ("other.toml", ""),
        ("survey.toml", f": did you mean {runs}?"),
        (f"{runs}/wasp/run.json", f": did you mean {runs}/wasp?"),
        (next(Path(runs, "wasp").glob("*.parquet")), f": did you mean {runs}/wasp?"),
    ):
        said = cli(command, file, code=2).stderr
        why = "a file, and RUN is a directory"
        if command == "verify":
            why = "neither the directory of a run nor a saved game"
        assert said == f"Error: {file}: {why}{meant}\n"


def test_a_budget_above_the_runs_is_refused(cli):
    cli("run", "-g", "wasp", "--deals", "0:3", "--budget", "1", "--workers", 1, "-o", "a")
    assert "budget" in cli("stats", "a", "--budget", "1M", code=2).stderr


def test_verify(cli, runs):
    found = json.loads(cli("verify", runs, "--json").stdout)
    both = outcomes(f"{runs}/wasp") + outcomes(f"{runs}/scorpion")
    assert found == {
        "replayed": both.count("won"),
        "bad": 0,
        "no_line": 0,
        "lost_checked": 0,
        "lost_contradicted": 0,
        "lost_unchecked": both.count("lost"),
        "not_settled": [],
        "missing": 0,
        "sampled": 0,
        "differing": 0,
    }
    text = cli("verify", runs, "--workers", 1).stdout
    assert f"{both.count('won')} wins replayed, 0 bad" in text
    assert f"{both.count('lost')} losses unchecked" in text


def tampered(path: str, how) -> None:
    """Change the lines of the wins of a run."""
    (part,) = Path(path).glob("*.parquet")
    table = pq.read_table(part)
    lines = [line and how(line) for line in table["line"].to_pylist()]
    place = table.schema.get_field_index("line")
    pq.write_table(
        table.set_column(place, SCHEMA.field("line"), pa.array(lines, pa.string())), part
    )


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (lambda line: line.rsplit(" ", 1)[0], "not won"),
        (lambda line: f"deal deal {line}", "move 2"),
        (lambda line: line.replace(">", "-", 1), "move 1"),
        (lambda line: None, "no line"),
    ],
)
def test_verify_names_lines_that_do_not_win(cli, runs, how, says):
    wins = outcomes(f"{runs}/wasp").count("won")
    tampered(f"{runs}/wasp", how)
    result = cli("verify", f"{runs}/wasp", "--json", code=1)
    assert json.loads(result.stdout)["bad"] == wins
    assert json.loads(result.stdout)["replayed"] == 0
    first, *_, last = result.stderr.splitlines()
    assert first.startswith("deal ")
    assert says in first
    assert last == f"... and {wins - 20} more"


def test_verify_of_a_run_without_lines(cli):
    cli(
        *("run", "-g", "wasp", "--deals", "0:30", "--budget", "5k", "--workers", 1),
        *("--no-lines", "-o", "a"),
    )
    won = outcomes("a").count("won")
    assert json.loads(cli("verify", "a", "--json").stdout)["no_line"] == won > 0
    text = cli("verify", "a").stdout
    assert text.startswith(f"nothing was replayed\n{won} wins of runs without lines; ")
    assert "--lines" in text


def test_verify_proves_losses_again(cli, runs):
    lost = outcomes(f"{runs}/wasp").count("lost") + outcomes(f"{runs}/scorpion").count("lost")
    every = json.loads(cli("verify", runs, "--losses", "all", "--budget", "2M", "--json").stdout)
    assert every["lost_checked"] == lost > 10
    assert every["lost_contradicted"] == every["lost_unchecked"] == 0
    some = json.loads(cli("verify", f"{runs}/scorpion", "--losses", "3", "--json").stdout)
    assert some["lost_checked"] == 3
    none = json.loads(cli("verify", runs, "--losses", "all", "--budget", "1", "--json").stdout)
    assert none["lost_checked"] == 0
    assert none["lost_unchecked"] == len(none["not_settled"]) == lost
    text = cli("verify", f"{runs}/wasp", "--losses", "2", "--budget", "1").stdout
    assert "0 losses proved again, 0 contradicted" in text
    assert "not settled by 1 position: deals " in text


def test_verify_contradicts_a_loss_that_can_be_won(cli, runs):
    (part,) = Path(f"{runs}/wasp").glob("*.parquet")
    table = pq.read_table(part)
    rows = table.to_pylist()
    wins = [row["seed"] for row in rows if row["outcome"] == "won"]
    for row in rows:
        row.update(outcome="lost", line=None, moves=None)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), part)
    result = cli("verify", f"{runs}/wasp", "--losses", "all", "--budget", "2M", "--json", code=1)
    assert json.loads(result.stdout)["lost_contradicted"] == len(wins)
    assert f"deal {wins[0]}: said to be lost, and can be won" in result.stderr


def test_verify_solves_a_sample_again(cli):
    cli(
        *("run", "-g", "wave-motion", "--deals", "0:60", "--budget", "300k", "--workers", 1),
        *("--no-lines", "-o", "a"),
    )
    won, lost = outcomes("a").count("won"), outcomes("a").count("lost")
    found = json.loads(cli("verify", "a", "--sample", "100%", "--json").stdout)
    assert (found["sampled"], found["differing"]) == (60, 0)
    assert (found["replayed"], found["bad"], found["no_line"]) == (won, 0, 0)
    assert cli("verify", "a", "--sample", "100%").stdout == (
        "60 deals solved again, 0 with other results\n"
        f"{won} wins replayed, 0 bad\n"
        f"{lost} losses unchecked\n"
    )
    text = cli("verify", "a", "--sample", "30%").stdout
    assert " other wins of runs without lines; --sample 1% solves some again; " in text


def test_verify_names_results_that_differ(cli, runs):
    (part,) = Path(f"{runs}/wasp").glob("*.parquet")
    table = pq.read_table(part)
    rows = table.to_pylist()
    row = next(row for row in rows if row["outcome"] == "won")
    row.update(outcome="lost", line=None, moves=None)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), part)
    result = cli("verify", f"{runs}/wasp", "--sample", "100%", "--json", code=1)
    assert json.loads(result.stdout)["differing"] == 1
    assert f"deal {row['seed']}: lost after " in result.stderr


@pytest.mark.parametrize("share", ["1", "0%", "101%", "100.1%", "1 %", "-1%", "1e1%", "1.0", "%"])
def test_a_sample_is_a_share(cli, runs, share):
    said = cli("verify", runs, f"--sample={share}", code=2).stderr
    assert said.startswith(
        f"Error: --sample '{share}': write a share above 0 % and up to 100 %, like 1% or 0.01"
    )
    assert said.count("\n") == 1


def test_a_number_of_losses_is_a_number_or_all(cli, runs):
    assert "'most': write how many" in cli("verify", runs, "--losses", "most", code=2).stderr


def test_verify_with_a_process_that_dies(cli, runs, monkeypatch):
    monkeypatch.setattr("solstat.survey.sample.replay_win", lambda *_: os._exit(1))
    assert "process died" in cli("verify", runs, code=1).stderr


def test_export_jsonl_has_the_columns_of_the_schema(cli, runs):
    found = [json.loads(x) for x in cli("export", runs, "--format", "jsonl").stdout.splitlines()]
    assert len(found) == 60
    assert all(list(row) == SCHEMA.names for row in found)
    assert [row["index"] for row in found] == [*range(30), *range(30)]
    won = next(row for row in found if row["outcome"] == "won")
    assert won["moves"] == len(won["line"].split())
    lost = next(row for row in found if row["outcome"] == "lost")
    assert lost["line"] is None


def test_export_csv_has_the_same_rows(cli, runs):
    rows = list(csv.DictReader(io.StringIO(cli("export", runs, "--format", "csv").stdout)))
    found = [json.loads(x) for x in cli("export", runs, "--format", "jsonl").stdout.splitlines()]
    assert list(rows[0]) == SCHEMA.names
    for row, same in zip(rows, found, strict=True):
        assert row["line"] == (same["line"] or "")
        assert int(row["positions"]) == same["positions"]
        assert row["outcome"] == same["outcome"]


def test_export_of_a_summary(cli, runs):
    made = json.loads(cli("export", runs, "--format", "summary").stdout)
    figures = json.loads(cli("stats", runs, "--json").stdout)
    for mine, same in zip(made, figures, strict=True):
        outcomes = ("won", "lost", "unsettled", "error")
        assert [mine[name] for name in outcomes] == [same[name] for name in outcomes]
        assert mine["run"]["identity"]["rules"] == same["rules"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "summary"])
def test_export_to_a_file(cli, runs, form):
    Path("rows").write_text("what was there before")
    assert cli("export", runs, "--format", form, "-o", "rows").stdout == ""
    assert Path("rows").read_text() == cli("export", runs, "--format", form).stdout
    assert sorted(os.listdir()) == ["rows", "runs", "survey.toml"]


def test_export_is_csv_if_not_said(cli, runs):
    assert cli("export", runs).stdout == cli("export", runs, "--format", "csv").stdout


def test_an_export_that_fails_leaves_nothing(cli, runs):
    Path("rows").write_text("what was there before")
    part = next(Path(runs, "wasp").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-20])
    cli("export", runs, "-o", "rows", code=1)
    assert Path("rows").read_text() == "what was there before"
    assert sorted(os.listdir()) == ["rows", "runs", "survey.toml"]


def test_an_export_to_no_file(cli, runs):
    assert "runs: a directory" in cli("export", runs, "-o", "runs", code=2).stderr
    said = cli("export", runs, "-o", "none/rows", code=2).stderr
    assert said == "Error: -o none/rows: there is no directory none\n"


def test_nothing_is_written_among_the_files_of_a_run(cli, runs):
    record = Path(runs, "wasp", "run.json")
    before = record.read_bytes()
    Path("rows.csv").symlink_to(record)
    Path("curve.svg").symlink_to(record)
    for words in (
        ("export", runs, "--format", "csv", "-o", record),
        ("export", runs, "-o", "rows.csv"),
        ("curve", runs, "-o", record.with_suffix(".svg")),
        ("curve", runs, "-o", "curve.svg"),
        ("winnable", "wasp", "--count", 1, "-o", record),
        ("daily", "wasp", "-o", record.with_suffix(".txt")),
        ("daily", "wasp", "--calendar", 2026, "--format", "csv", "-o", record),
    ):
        said = cli(*words, code=2).stderr
        refused = f"-o {words[-1]}: wasp is the directory of a run; name another place"
        assert said == f"Error: {refused}\n"
    assert record.read_bytes() == before
    assert sorted(os.listdir()) == ["curve.svg", "rows.csv", "runs", "survey.toml"]


def test_an_export_to_a_pipe_leaves_it_one(cli, runs):
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    cli("export", f"{runs}/wasp", "-o", "pipe")
    assert os.read(reader, 10) == b'"game","ru'
    os.close(reader)
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("command", ["status", "stats", "verify", "export"])
def test_no_run_there(cli, command):
    result = cli(command, "nowhere", code=2)
    assert result.stderr.startswith("Error: nowhere: no run here")


def test_verify_tells_of_deals_that_are_missing(cli, tmp_path):
    cli("run", *("-g", "wasp", "--deals", "0:20", "--budget", "5k", "--workers", 1), "-o", "a")
    (part,) = Path("a").glob("*.parquet")
    part.unlink()
    shown = cli("verify", "a", code=1).stdout
    assert "20 deals missing: the same run command solves them" in shown
    assert json.loads(cli("verify", "a", "--json", code=1).stdout)["missing"] == 20
    assert (
        "incomplete (rows are gone; the same run command solves them)" in cli("status", "a").stdout
    )


def test_figures_of_a_run_that_is_not_finished_say_so(cli, runs):
    assert cli("stats", runs).stderr == ""
    (part,) = Path(runs, "wasp").glob("part-*")
    cli("run", "-g", "wasp", "--deals", "0:40", "--budget", "5k", "-o", "more", "--workers", 1)
    part.unlink()
    (whole,) = Path("more").glob("part-*")
    whole.rename("kept")
    told = (
        " is not finished: 0 of {} deals are there; "
        "those that take long may be missing, so shares may change more than chance allows\n"
    )
    assert cli("stats", f"{runs}/wasp", "more").stderr == (
        f"{runs}/wasp{told.format(30)}more{told.format(40)}"
    )
    assert told.format(40) in cli("compare", f"{runs}/scorpion", "more").stderr
    assert [
        (each["n"], each["planned"]) for each in json.loads(cli("stats", runs, "--json").stdout)
    ] == [(30, 30), (0, 30)]


def test_the_form_of_an_export_by_the_ending_of_its_file(cli, runs):
    cli("export", runs, "-o", "rows.jsonl")
    assert Path("rows.jsonl").read_bytes() == cli("export", runs, "--format", "jsonl").stdout_bytes
    for name, says in (("a.parquet", "Parquet files already"), ("a.json", "--format summary")):
        assert says in cli("export", runs, "-o", name, code=2).stderr
        assert not Path(name).exists()
    cli("export", runs, "-o", "a.json", "--format", "summary")
