from __future__ import annotations

import pytest
from click.testing import CliRunner

from solstat.cli.app import solstat


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_solstat(cli, shell):
    assert "_SOLSTAT_COMPLETE" in cli("completion", shell).stdout


def completed(words: str) -> list[str]:
    result = CliRunner().invoke(
        solstat,
        prog_name="solstat",
        env={
            "_SOLSTAT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        },
    )
    return [line.partition(",")[2] for line in result.stdout.splitlines()]


def test_commands_games_and_options_complete():
    assert completed("solstat de") == ["deal"]
    assert completed("solstat solve wa") == ["wasp", "wave-motion"]
    assert completed("solstat solve wasp --bud") == ["--budget"]
