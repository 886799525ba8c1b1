from __future__ import annotations

import click
import pytest

from solstat.cli import app
from solstat.errors import Interrupted, SolstatError


def raises(problem: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `solstat games` fail."""

    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr("solstat.games.presets", fail)


@pytest.mark.parametrize(
    ("problem", "line", "code"),
    [
        (SolstatError("disk\nfull"), "Error: disk full\n", 1),
        (
            Interrupted("stopped; go on with: solstat run"),
            "stopped; go on with: solstat run\n",
            130,
        ),
        (KeyboardInterrupt(), "Interrupted\n", 130),
        (
            OSError(28, "No space left on device", "runs/a"),
            "Error: runs/a: No space left on device\n",
            1,
        ),
        (OSError("Error writing: no space"), "Error: Error writing: no space\n", 1),
        (
            ZeroDivisionError("by zero"),
            "Error: ZeroDivisionError: by zero (--debug shows where)\n",
            1,
        ),
    ],
)
def test_each_failure_is_one_line_and_a_code(cli, monkeypatch, problem, line, code):
    raises(problem, monkeypatch)
    result = cli("games", code=code)
    assert result.stderr == line
    assert result.stdout == ""


@pytest.mark.parametrize("arguments", [["--debug", "games"], ["games", "--debug"]])
def test_debug_shows_the_traceback_too(cli, monkeypatch, arguments):
    raises(SolstatError("disk full"), monkeypatch)
    result = cli(*arguments, code=1)
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("Error: disk full\n")


@pytest.mark.parametrize(
    ("arguments", "wrong", "right"),
    [
        (["gmaes"], "gmaes", "games"),
        (["games", "--jsn"], "--jsn", "--json"),
        (["--vresion"], "--vresion", "--version"),
        (["deal", "waps", "24"], "waps", "wasp"),
        (["deal", "wasp"], "SEED", "SEED"),
        (["deal", "wasp", "24", "25"], "25", "25"),
        (["deal", "wasp", "24", "-r", "face_down_pile=3"], "face_down_pile", "face_down_piles"),
        (["deal", "wasp", "24", "-r", "face_down_piles=8"], "8", "7"),
        (["deal", "wasp", "-1"], "-1", "whole numbers"),
        (["solve", "wasp", "-15", "--json"], "-15", "whole numbers"),
        (["perft", "wasp", "-15", "--depth", "1"], "-15", "whole numbers"),
        (["solve", "wasp", "24", "-1", "--jsno"], "-1", "whole numbers"),
        (["games", "-1"], "-1", "-1"),
        (["stats", "runs/wasp", "--budget", "1m"], "1m", "1M"),
        (["deal", "wasp", "24", "--scheme", "solstta"], "solstta", "solstat"),
        (["perft", "wasp", "--deals", "0:1", "--depth", "x"], "x", "integer"),
        (["perft", "wasp", "--depth", "1"], "deals", "--deals-file"),
        (["solve", "wasp", "24", "--budget", "many"], "many", "250k"),
        (["solve", "wasp"], "SEED", "--deal"),
        (["solve", "wasp", "24", "--search", "ful"], "ful", "full"),
    ],
)
def test_usage_errors_name_the_thing_and_what_is_right(cli, arguments, wrong, right):
    result = cli(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert wrong in result.stderr
    assert right in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["run", "-g", "wasp", "-g", "scorpion"],
        ["run", "--game", "wasp", "-g", "wasp"],
        ["run", "a.toml", "--deals", "0:5", "--deals=0:6"],
        ["run", "--budget", "1k", "--budget", "2k"],
        ["run", "-o", "a", "-o", "b"],
        ["run", "--scheme", "pysol", "--scheme", "pysol"],
        ["run", "--lines", "--no-lines"],
        ["solve", "wasp", "24", "--search", "full", "--search", "plain"],
        ["games", "--json", "--json"],
    ],
)
def test_an_option_given_twice_is_refused(cli, words):
    said = cli(*words, code=2).stderr
    option = next(word for word in reversed(words) if word.startswith("-")).partition("=")[0]
    assert said.startswith("Error: ")
    assert said.endswith(" is given twice: give it once\n")
    assert option in said


def test_a_rule_may_be_given_twice(cli):
    both = ["-r", "face_down_piles=3", "-r", "empty_pile=king"]
    said = cli("deal", "wasp", 24, *both).stdout
    assert said.startswith("# wasp(empty_pile=king,face_down_piles=3)")


def test_the_word_help(cli):
    assert cli("help").stdout == cli("--help").stdout
    assert cli("help", "solve").stdout == cli("solve", "--help").stdout
    assert "solve" in cli("help", "slove", code=2).stderr


@pytest.mark.parametrize("name", app.COMMANDS)
def test_help_fits_a_terminal(cli, name):
    assert max(map(len, cli(name, "--help").stdout.splitlines())) <= 80


def test_without_a_command_the_help_is_talk(cli):
    result = cli(code=2)
    assert result.stdout == ""
    assert "Usage: solstat" in result.stderr


def test_help_lists_every_command_with_what_it_does(cli):
    lines = cli("--help").stdout.splitlines()
    shown = [line.split() for line in lines[lines.index("Commands:") + 1 :]]
    assert [words[0] for words in shown] == list(app.COMMANDS)
    assert all(words[-1].endswith(".") and "..." not in words[-1] for words in shown)


def test_version(cli):
    assert cli("--version").stdout.split()[0] == "solstat"


@pytest.mark.parametrize("name", app.COMMANDS)
def test_every_option_is_explained(name):
    with click.Context(app.solstat) as ctx:
        command = app.solstat.get_command(ctx, name)
    assert command is not None
    assert command.help
    for parameter in command.params:
        assert isinstance(parameter, click.Argument) or parameter.help, parameter.name


def test_exit_code_of_a_command_that_returns_one(cli, monkeypatch):
    monkeypatch.setattr("solstat.cli.games.games.callback", lambda as_json: 3)
    cli("games", code=3)
