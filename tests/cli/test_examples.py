"""The examples in the help of every command run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click

from solstat.cli.app import COMMANDS, solstat
from solstat.cli.command import Command

ROOT = Path(__file__).parents[2]


def test_examples(tmp_path):
    (tmp_path / "survey.toml").write_text('game = "scorpion"\ndeals = "0:50"\nbudget = "10k"\n')
    for read in ("configs", "results"):
        (tmp_path / read).symlink_to(ROOT / read)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name in COMMANDS:
        with click.Context(solstat) as ctx:
            command = solstat.get_command(ctx, name)
        below = command.commands.values() if isinstance(command, click.Group) else ()
        examples = []
        for each in (command, *below):
            assert isinstance(each, Command)
            assert each.examples
            examples += each.examples
        for example in examples:
            assert f"solstat {name}" in example
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", example],
                cwd=tmp_path,
                env=os.environ | {"PATH": path},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{example}\n{done.stderr}"
            assert done.stdout or done.stderr or re.search(" > | -o ", example)
