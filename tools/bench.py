"""Measure speed, strength and memory of fixed deals, and compare two measurements.

tools/bench.py [--quick] OUT.json     measure, print a table, write JSON
tools/bench.py --compare A.json B.json

What is measured, for every game: with one worker and with two, a whole survey by the command line
(deals and positions a second, start-up included and apart); the share settled at several budgets;
the memory that each search takes for a position, if there are deals that take it many.
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
from typing import Any, cast

import numpy as np

from solstat import games, solver
from solstat.report.tables import aligned
from solstat.survey.provenance import provenance

FIRST = 2_300_000
DEALS, FAST_DEALS = 400, {"scorpion": 4000, "wave": 200_000}  # by family: some minutes for all
BUDGETS = (10_000, 100_000, 250_000, 1_000_000)
WORKERS = (1, 2)
GAMES = [
    *(preset.name for preset in games.presets()),
    "wave-motion(reserve_moves=run)",
    "flow(empty_reserve=never)",
]


def survey(game: str, deals: int, budget: int, workers: int) -> float:
    """Seconds of a whole survey, from the command to the last row."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "solstat", "run", "-g", game, "--deals", f"{FIRST}:{FIRST + deals}"]
        words += ["--budget", str(budget), "--workers", str(workers), "-o", f"{folder}/run"]
        begin = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder)
        return time.perf_counter() - begin


def bytes_per_position(game: str, search: str) -> float | None:
    """Growth of this process by a search of up to a million positions, for each of them.

    None if no deal takes many. A fresh process measures this, as the largest size a process had
    does not go down again.
    """
    rules = games.parse_rules(game)
    deals = solver.deal_many("solstat", range(FIRST, FIRST + 200))
    quick = solver.solve_many(rules, deals, BUDGETS[0], search)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    most = 0
    for cards in deals[quick.outcome == 0].tolist():
        most = max(most, solver.solve(rules, cards, BUDGETS[-1], search).positions)
        if most > BUDGETS[-1] // 2:
            break
    if most < BUDGETS[1]:
        return None
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / most


def in_fresh_process(game: str, search: str) -> float | None:
    """What `bytes_per_position` says in a process of its own."""
    words = [sys.executable, __file__, "--bytes", game, search]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return cast("float | None", json.loads(said))


def measure(game: str, deals: int) -> dict[str, Any]:
    """All figures of one game."""
    rules = games.parse_rules(game)
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
    columns = [{game["game"]: flat(game) for game in one["games"]} for one in measured]
    for game in dict.fromkeys(name for column in columns for name in column):
        figures = [column.get(game, {}) for column in columns]
        for name in dict.fromkeys(name for some in figures for name in some):
            values = [some.get(name, float("nan")) for some in figures]
            line = [game, name, *(f"{value:,.4g}" for value in values)]
            if len(values) == 2:
                line.append(f"{values[1] / values[0]:.3f}")
            lines.append(line)
    return aligned(lines[0], lines[1:], left=(0, 1))


def main() -> None:
    """Measure or compare, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the deals")
    parser.add_argument("--bytes", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bytes:
        print(json.dumps(bytes_per_position(*options.files)))
        return
    files = [Path(file) for file in options.files]
    if options.compare:
        print(table(*(json.loads(file.read_text()) for file in files)))
        return
    # Before all else: the largest size of a process is at first that of the one that starts it.
    memory = {
        game: {search: in_fresh_process(game, search) for search in solver.SEARCHES}
        for game in GAMES
    }
    less = 10 if options.quick else 1
    measured = [
        measure(game, FAST_DEALS.get(games.parse_rules(game).family, DEALS) // less)
        for game in GAMES
    ]
    for one in measured:
        one["bytes per position"] = memory[one["game"]]
    figures = {**provenance(), "games": measured}
    files[0].write_text(json.dumps(figures, indent=2) + "\n")
    print(table(figures))


if __name__ == "__main__":
    main()
