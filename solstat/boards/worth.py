"""What a difficulty is worth: whether boards that it calls hard go worse for players.

The rows are those that ``tools/difficulty.py players`` writes: boards with their measures, how many
of ``games`` games each player wins (``greedy_won``), and how much work it leaves on average, in
``greedy_left`` as a sum over the games.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from solstat.boards.difficulty import FEWER_IS_HARDER, LEVELS, SCALES, difficulty
from solstat.boards.measures import Measures
from solstat.games import parse_rules

PLAYERS = ("greedy", "careful")
RESULTS = tuple(f"{player}_{what}" for what in ("won", "left") for player in PLAYERS)
DIFFICULTY = "difficulty"

WEAK = 0.2
"""A measure was let count only if it went with some result of players at least as much.

That was on boards of other seeds than those of the rows."""

Row = Mapping[str, Any]


class Worth(NamedTuple):
    """How a measure, or the difficulty, goes with results of players.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    measure : str
        A field of `Measures`, or ``difficulty``.
    boards : int
        Number of boards.
    counts : bool
        Whether the difficulty is made of it.
    rho : dict of str to (float or None)
        For each of `RESULTS`, Spearman's rank correlation, positive if harder boards by the measure
        go worse for the player; None if one of the two is the same for all boards.
    """

    rules: str
    measure: str
    boards: int
    counts: bool
    rho: dict[str, float | None]


class Level(NamedTuple):
    """The boards of one level, and what players make of them.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    level : int
        The difficulty, from 1.
    boards, games : int
        Number of boards, and of games each player has played on them.
    won : dict of str to int
        Games that each of `PLAYERS` has won.
    left : dict of str to float
        The work that each leaves in a game, on average.
    """

    rules: str
    level: int
    boards: int
    games: int
    won: dict[str, int]
    left: dict[str, float]


def read(path: str | os.PathLike[str]) -> dict[str, list[Row]]:
    """The rows of a file, by rules id, each with its difficulty."""
    import pyarrow.parquet as pq

    found: dict[str, list[Row]] = {}
    for row in pq.read_table(path).to_pylist():
        game = parse_rules(row["rules"]).game
        measures = Measures(*(row[name] for name in Measures._fields))
        level = {DIFFICULTY: difficulty(game, measures)}
        found.setdefault(row["rules"], []).append(row | level)
    return found


def worth(rows: Sequence[Row]) -> list[Worth]:
    """What each measure is worth, and the difficulty, by boards of one game."""
    rules = rows[0]["rules"]
    counted = SCALES[parse_rules(rules).game].cuts
    return [
        Worth(
            rules=rules,
            measure=name,
            boards=len(rows),
            counts=name in counted,
            rho={result: _rho(rows, name, result) for result in RESULTS},
        )
        for name in (*Measures._fields, DIFFICULTY)
    ]


def levels(rows: Sequence[Row]) -> list[Level]:
    """What players make of the boards of each level, of one game; levels without boards too."""
    found = []
    for level in range(1, LEVELS + 1):
        here = [row for row in rows if row[DIFFICULTY] == level]
        games = sum(row["games"] for row in here)
        found.append(
            Level(
                rules=rows[0]["rules"],
                level=level,
                boards=len(here),
                games=games,
                won={name: sum(row[f"{name}_won"] for row in here) for name in PLAYERS},
                left={
                    name: sum(row[f"{name}_left"] for row in here) / max(1, games)
                    for name in PLAYERS
                },
            )
        )
    return found


def _rho(rows: Sequence[Row], measure: str, result: str) -> float | None:
    from scipy.stats import spearmanr

    values = [row[measure] for row in rows]
    results = [row[result] for row in rows]
    if len(set(values)) < 2 or len(set(results)) < 2:
        return None
    falls = measure in FEWER_IS_HARDER or measure == "least_empty"
    worse_is_less = result.endswith("_won")
    rho = float(spearmanr(values, results).statistic)
    return -rho if falls != worse_is_less else rho
