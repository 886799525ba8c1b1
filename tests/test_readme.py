"""Every command and every script that README and docs show does what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "docs/boards.md", "docs/cli.md", "docs/play.md"])
def test_blocks_do_what_the_document_shows(document):
    done = subprocess.run(
        [sys.executable, ROOT / "tools/consoles.py", document],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_what_readme_makes_is_made_by_ci():
    readme = (ROOT / "README.md").read_text()
    made = {
        target
        for block in BLOCK.findall(readme)
        for target in re.findall(r"^make (\S+)", block, re.MULTILINE)
    }
    ci = re.search(r"^make .*", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert ci
    assert made
    assert made <= set(ci[0].split())
