"""Notebooks run, and show what their code makes of the committed rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def outputs(path: Path) -> list[list[tuple[str, str]]]:
    """What each cell shows: texts as they are; of a figure only that it is there."""
    cells = json.loads(path.read_text())["cells"]
    return [[shown(output) for output in cell.get("outputs", [])] for cell in cells]


def shown(output: dict[str, Any]) -> tuple[str, str]:
    kind = output["output_type"]
    if kind == "stream":
        return output["name"], "".join(output["text"])
    assert kind in {"display_data", "execute_result"}, f"a cell of the notebook failed: {output}"
    for kind in ("image/png", "text/markdown", "text/plain"):
        if kind in output["data"]:
            text = "".join(output["data"][kind])
            return kind, "" if kind == "image/png" else text
    raise AssertionError(f"an output of another kind: {sorted(output['data'])}")


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {
        "claims",
        "difficulty",
        "flow",
        "players",
        "scorpion",
        "spiderette",
        "wasp",
        "wave-motion",
        "will-o-the-wisp",
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_those_of_a_run_from_top_to_bottom(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "notebooks" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    for read in ("configs", "results"):
        (tmp_path / read).symlink_to(ROOT / read)
    command = [sys.executable, ROOT / "tools/notebooks.py", copy]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr[-3000:]}\n(rows are made by make results)"
    assert outputs(path) == outputs(copy), "make notebooks"
    assert sum(kind == "image/png" for cell in outputs(copy) for kind, _ in cell) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_figure_stands_in_the_text_and_no_path_of_a_machine_in_an_output(path: Path) -> None:
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            assert "%" not in "".join(cell["source"])
    assert str(Path.home()) not in path.read_text()
