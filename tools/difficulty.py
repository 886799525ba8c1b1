"""What the scales of difficulty are made of, and what they are worth.

tools/difficulty.py scales          the scales, of boards that no figure is of, to paste
tools/difficulty.py players FILE    boards with their measures, and how players do on them

The file is what notebooks/difficulty.ipynb reads. Both take some minutes, and want one process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solstat import games, solver
from solstat.boards.board import Board
from solstat.boards.difficulty import scale_of
from solstat.boards.measures import measure
from solstat.games import Rules, parse_rules, start
from solstat.players import play, view, work

BUDGET = 250_000
TUNING, SCALE_BOARDS = 1_000_000, 1000
FIGURES, BOARDS, GAMES = 0, 500, 5
CHUNK = 50
POLICIES = ("greedy", "careful")

COUNTED = {
    "wasp": ("positions", "choices"),
    "scorpion": ("positions",),
    "will-o-the-wisp": ("positions",),
    "spiderette": ("positions",),
    "wave-motion": ("positions", "choices"),
    "flow": ("positions", "choices"),
}
"""The measures that count for each game."""

VARIANTS = ("will-o-the-wisp(finished_runs=optional)", "will-o-the-wisp(finished_runs=return)")


def boards(rules: Rules, first: int, count: int) -> Iterator[Board]:
    """The first boards from a seed on."""
    found = 0
    for seed in range(first, first + 10**6, CHUNK):
        seeds = [str(number) for number in range(seed, seed + CHUNK)]
        cards = solver.deal_many("solstat", seeds)
        batch = solver.solve_many(rules, cards, BUDGET)
        for place, line in enumerate(batch.line):
            if line is not None and found < count:
                found += 1
                yield Board(
                    rules,
                    "solstat",
                    seeds[place],
                    tuple(cards[place].tolist()),
                    int(batch.positions[place]),
                    int(batch.moves[place]),
                    line,
                )
        if found == count:
            return


def print_scales() -> None:
    """Write SCALES as it stands in solstat/boards/difficulty.py, but for its line breaks."""
    print("SCALES = {")
    for preset in games.presets():
        measured = [
            measure(board.rules, board.cards, board.positions, board.line)
            for board in boards(games.rules(preset.name), TUNING, SCALE_BOARDS)
        ]
        scale = scale_of(measured, COUNTED[preset.name])
        print(f'    "{preset.name}": Scale({scale.cuts}, {scale.levels}),', flush=True)
    print("}")


def played(board: Board) -> dict[str, Any]:
    """How often each player wins a board, and how much work is left when it stops, on average."""
    row: dict[str, Any] = {}
    for policy in POLICIES:
        won = left = 0
        for number in range(GAMES):
            game = play(board.rules, board.cards, policy, f"{board.seed}/{number}")
            won += game.won
            position = start(board.rules, board.cards)
            for word in game.line.split():
                position = position.after(position.parse_move(word))
            left += work(view(position))
        row |= {f"{policy}_won": won, f"{policy}_left": left}
    return row


def rows() -> Iterator[dict[str, Any]]:
    """Boards of every game, with measures and what players make of them."""
    for name in (*COUNTED, *VARIANTS):
        print(name, file=sys.stderr, flush=True)
        for board in boards(parse_rules(name), FIGURES, BOARDS):
            measures = measure(board.rules, board.cards, board.positions, board.line)
            about = {"rules": name, "seed": board.seed, "games": GAMES}
            yield about | measures._asdict() | played(board)


def main(arguments: list[str]) -> str | None:
    """Do what is asked; what is wrong, if anything."""
    match arguments:
        case ["scales"]:
            print_scales()
        case ["players", path]:
            pq.write_table(pa.Table.from_pylist(list(rows())), path, compression="zstd")
        case _:
            return __doc__
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
