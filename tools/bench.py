"""Measure speed, strength and memory of fixed deals, and compare two measurements.

tools/bench.py [--quick] OUT.json     measure, print a table, write JSON
tools/bench.py --compare A.json B.json

What is measured, for every game: with one worker and with two, a whole survey by the command line
(deals and positions a second, start-up included and apart); the share settled at several budgets;
the memory that one search takes for a position it keeps.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from solstat import games, solver
from solstat.report.tables import aligned
from solstat.survey.provenance import provenance

FIRST = 2_300_000
BUDGETS = (10_000, 100_000, 250_000, 1_000_000)
WORKERS = (1, 2)


def survey(game: str, deals: int, budget: int, workers: int) -> float:
    """Seconds of a whole survey, from the command to the last row."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "solstat", "run", "-g", game, "--deals", f"{FIRST}:{FIRST + deals}"]
        words += ["--budget", str(budget), "--workers", str(workers), "-o", f"{folder}/run"]
        begin = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder)
        return time.perf_counter() - begin


def bytes_per_position() -> float:
    """Growth of this process by a search for a million positions, for each of them.

    A fresh process measures this, as the largest size a process had does not go down again.
    """
    rules = games.rules("wasp")
    deals = solver.deal_many("solstat", range(FIRST, FIRST + 200))
    quick = solver.solve_many(rules, deals, 1000, "plain")
    hard = deals[quick.outcome == 0][:20]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    most = max(solver.solve_many(rules, hard, 1_000_000, "plain").positions)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / float(most)


def measure(game: str, deals: int) -> dict[str, Any]:
    """All figures of one game."""
    rules = games.rules(game)
    cards = solver.deal_many("solstat", range(FIRST, FIRST + deals))
    begin = time.process_time()
    batch = solver.solve_many(rules, cards, BUDGETS[-1], lines=False)
    kernel = time.process_time() - begin
    settled = batch.outcome != 0
    positions = int(batch.positions.sum())
    return {
        "game": game,
        "deals": deals,
        "budget": BUDGETS[-1],
        "kernel": {"deals/s": deals / kernel, "positions/s": positions / kernel},
        "start-up s": survey(game, 1, BUDGETS[-1], 1),
        "workers": {
            str(workers): {"deals/s": deals / seconds, "positions/s": positions / seconds}
            for workers in WORKERS
            for seconds in [survey(game, deals, BUDGETS[-1], workers)]
        },
        "settled": {
            str(budget): float(np.mean(settled & (batch.positions <= budget))) for budget in BUDGETS
        },
    }


def flat(figures: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Nested figures under names joined by spaces."""
    found: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{name} ")
        elif isinstance(value, int | float):
            found[prefix + name] = value
    return found


def table(*measured: dict[str, Any]) -> str:
    """One column for each measurement, and the ratio of two."""
    lines = [["game", "figure", *((one["commit"] or "?")[:10] for one in measured)]]
    if len(measured) == 2:
        lines[0].append("B / A")
    for games_figures in zip(*(one["games"] for one in measured), strict=True):
        columns = [flat(figures) for figures in games_figures]
        for name in columns[0]:
            values = [column.get(name, float("nan")) for column in columns]
            line = [games_figures[0]["game"], name, *(f"{value:,.4g}" for value in values)]
            if len(values) == 2:
                line.append(f"{values[1] / values[0]:.3f}")
            lines.append(line)
    lines.append(["all", "bytes per position", *(f"{one['bytes']:.1f}" for one in measured)])
    return aligned(lines[0], lines[1:], left=(0, 1))


def main() -> None:
    """Measure or compare, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the deals")
    parser.add_argument("--bytes", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bytes:
        print(bytes_per_position())
        return
    if options.compare:
        print(table(*(json.loads(file.read_text()) for file in options.files)))
        return
    deals = 400 if options.quick else 4000
    fresh = subprocess.run(
        [sys.executable, __file__, "--bytes", "-"], check=True, capture_output=True, text=True
    )
    figures = {
        **provenance(),
        "bytes": float(fresh.stdout),
        "games": [measure(preset.name, deals) for preset in games.presets()],
    }
    options.files[0].write_text(json.dumps(figures, indent=2) + "\n")
    print(table(figures))


if __name__ == "__main__":
    main()
