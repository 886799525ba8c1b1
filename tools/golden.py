"""Write the golden verdicts: what the full search says of 1,000 deals of every game.

tools/golden.py tests/data/golden.csv

They must not change while a family keeps its search version, so rows that differ from those in
the file are only written once SEARCH_VERSION in the family's solver header has been raised.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from pathlib import Path

from solstat import games, solver

FIRST, COUNT, BUDGET = 2_200_000, 1000, 20_000


def golden(game: str) -> list[list[str]]:
    """Rows of one game: game, search version, seed, outcome, positions, moves, hash of the line."""
    rules = games.rules(game)
    seeds = range(FIRST, FIRST + COUNT)
    batch = solver.solve_many(rules, solver.deal_many("solstat", seeds), BUDGET)
    version = solver.search_version(rules.family)
    rows = zip(seeds, batch.outcome, batch.positions, batch.moves, batch.line, strict=True)
    return [
        [
            game,
            str(version),
            str(seed),
            solver.OUTCOMES[outcome],
            str(positions),
            str(moves),
            hashlib.sha256((line or "").encode()).hexdigest()[:12],
        ]
        for seed, outcome, positions, moves, line in rows
    ]


def main(path: Path) -> str | None:
    """Write the file; what is wrong, if anything."""
    old: dict[tuple[str, str], list[list[str]]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in list(csv.reader(file))[1:]:
                old.setdefault((row[0], row[1]), []).append(row)
    new = {preset.name: golden(preset.name) for preset in games.presets()}
    for game, rows in new.items():
        if old.get((game, rows[0][1]), rows) != rows:
            return f"Error: {game} has other verdicts now: raise the search version of its family"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["game", "version", "seed", "outcome", "positions", "moves", "line"])
        for rows in new.values():
            writer.writerows(rows)
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
