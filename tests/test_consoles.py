"""The tool that keeps the documents honest must itself notice what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENT = """
```toml made.toml
answer = 42
```
```console
$ date; cat made.toml
...
answer = {shown}
$ echo one; \\
  echo two
one
...
```
```python
import tomllib
with open("made.toml", "rb") as file:
    assert tomllib.load(file) == {{"answer": {expected}}}
```
"""


def consoles(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools/consoles.py", *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )


def test_right_blocks_pass(tmp_path):
    path = tmp_path / "right.md"
    path.write_text(DOCUMENT.format(shown=42, expected=42))
    assert consoles(path).returncode == 0


def test_wrong_output_is_shown_and_can_be_written_anew(tmp_path):
    path = tmp_path / "wrong.md"
    path.write_text(DOCUMENT.format(shown=41, expected=42))
    checked = consoles(path)
    assert checked.returncode == 1
    assert "answer = 41" in checked.stdout
    assert "answer = 42" in checked.stdout
    assert consoles("--write", path).returncode == 0
    assert path.read_text() == DOCUMENT.format(shown=42, expected=42)


def test_a_script_that_fails_is_never_written_over(tmp_path):
    path = tmp_path / "fails.md"
    text = DOCUMENT.format(shown=42, expected=43)
    path.write_text(text)
    assert consoles("--write", path).returncode == 1
    assert path.read_text() == text
