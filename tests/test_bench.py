"""The table that compares two measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_figures_stand_beside_each_other_also_where_one_has_more(tmp_path: Path) -> None:
    wasp = {
        "game": "wasp",
        "deals": 4,
        "settled": {"100": 0.5},
        "bytes per position": {"full": None},
    }
    more = {**wasp, "settled": {"100": 1.0}, "bytes per position": {"full": 8.0}}
    for name, games in {"old": [wasp], "new": [more, {"game": "spiderette", "deals": 7}]}.items():
        figures = {"commit": f"{name}-commit", "games": games}
        (tmp_path / f"{name}.json").write_text(json.dumps(figures))
    done = subprocess.run(
        [sys.executable, ROOT / "tools/bench.py", "--compare", "old.json", "new.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["game", "figure", "old-commit", "new-commit", "B", "/", "A"],
        ["wasp", "deals", "4", "4", "1.000"],
        ["wasp", "settled", "100", "0.5", "1", "2.000"],
        ["wasp", "bytes", "per", "position", "full", "nan", "8", "nan"],
        ["spiderette", "deals", "nan", "7", "nan"],
    ]
