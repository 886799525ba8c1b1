"""Tune the weights of the score that orders the search of family `spider`.

tools/tune.py 1000000:1000700 solstat/kernel/spider_weights.hpp

Starts from the weights of the kernel. CMA-ES with a diagonal covariance matrix (Hansen,
arXiv:1604.00772) looks for weights with which hard deals cost less: those that the first weights
win after 2,500 positions or more, or leave open. The objective is the mean of log(positions + 200),
where a deal that is open at the budget counts as three budgets. The file is written with the
weights, how they were found, and the objective on as many deals that come after and were not tuned
on. Results depend on the deals and arguments only.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cma
import numpy as np
from numpy.typing import NDArray

from solstat import games, solver

FIRST, LAST = 1_000_000, 2_000_000  # the seeds for tuning, and for nothing else (docs/deals.md)
EASY = 2_500
# Runs that have left are worth more than all else together; there is nothing to tune.
FIXED = "suit_off"

Weights = NDArray[np.int64]


def objective(deals: NDArray[np.uint8], weights: Weights, budget: int) -> float:
    """Mean log of what deals cost."""
    rules = games.rules("will-o-the-wisp")
    batch = solver.solve_many(rules, deals, budget, weights=weights.tolist(), lines=False)
    cost = np.where(
        batch.outcome == solver.OUTCOMES.index("unsettled"), 3 * budget, batch.positions
    )
    return float(np.log(cost + 200).mean())


def hard(seeds: range, weights: Weights, budget: int) -> NDArray[np.uint8]:
    """Those of some deals that are not settled soon, and not lost."""
    deals = solver.deal_many("solstat", seeds)
    rules = games.rules("will-o-the-wisp")
    batch = solver.solve_many(rules, deals, budget, weights=weights.tolist(), lines=False)
    lost = batch.outcome == solver.OUTCOMES.index("lost")
    chosen: NDArray[np.uint8] = deals[~lost & (batch.positions > EASY)]
    return chosen


def steps(start: Weights) -> NDArray[np.float64]:
    """How far a weight may be expected to move: a quarter of it, or what matters at all."""
    per_group = {"cover_waiting", "cover_wanted", "cover_face_down"}  # counted many times over
    least = [25 if name in per_group else 80 for name in solver.SPIDER_FEATURES] * 2
    free = [name != FIXED for name in solver.SPIDER_FEATURES] * 2
    return np.maximum(np.abs(start) / 4, least) * free


def header(weights: Weights, notes: list[str]) -> str:
    """The kernel's file of weights."""
    rows = [", ".join(str(weight) for weight in phase) for phase in weights.reshape(2, -1).tolist()]
    comment = "\n".join(f"// {line}" for line in notes)
    return f"""\
// The weights of the score of family `spider`, in hundredths, in the order of `Feature`.
//
{comment}
#pragma once

#include "spider_score.hpp"

namespace solstat::spider {{

inline constexpr Weights tuned_weights{{{{{{
    {{{rows[0]}}},  // while there is stock left
    {{{rows[1]}}},  // after the last deal
}}}}}};

}}  // namespace solstat::spider
"""


def seeds(text: str) -> tuple[int, int]:
    """The first seed of a range, and the one after its last."""
    first, colon, last = text.partition(":")
    if not (first.isdecimal() and colon and last.isdecimal()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no range of seeds such as {FIRST}:{FIRST + 700}"
        )
    return int(first), int(last)


def main() -> None:
    """Tune, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("deals", type=seeds, help=f"first:last, in {FIRST}:{LAST}")
    parser.add_argument("file", type=Path)
    parser.add_argument("--budget", type=int, default=40_000)
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--population", type=int, default=14)
    parser.add_argument("--sigma", type=float, default=0.4, help="first step, in quarters")
    asked = parser.parse_args()
    first, last = asked.deals
    if not (FIRST <= first < last and 2 * last - first <= LAST):
        parser.error(f"deals and as many after them must lie in {FIRST}:{LAST}")
    start = np.array(solver.SPIDER_WEIGHTS, dtype=np.int64).ravel()
    step = steps(start)
    free = step > 0
    training = hard(range(first, last), start, asked.budget)
    others = hard(range(last, 2 * last - first), start, asked.budget)
    if not (len(training) and len(others)):
        parser.error("there are no hard deals among so few")

    def weights(point: NDArray[np.float64]) -> Weights:
        moved = start.astype(np.float64)
        moved[free] += step[free] * point
        return np.rint(moved).astype(np.int64)

    options = {"popsize": asked.population, "CMA_diagonal": True, "seed": 1, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(np.zeros(free.sum()), asked.sigma, options)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:

        def both(some: Weights) -> list[float]:
            sets = (training, others)
            return list(pool.map(lambda deals: objective(deals, some, asked.budget), sets))

        before = both(start)
        for generation in range(1, asked.generations + 1):
            points = strategy.ask()
            costs = pool.map(
                lambda point: objective(training, weights(point), asked.budget), points
            )
            strategy.tell(points, list(costs))
            print(generation, min(strategy.fit.fit), strategy.sigma, file=sys.stderr, flush=True)
        tuned = weights(strategy.result.xfavorite)
        after = both(tuned)
    notes = [
        f"Written by tools/tune.py on {datetime.date.today()}: {asked.generations} generations of "
        f"{asked.population},",
        f"deals {first} to {last - 1} of scheme solstat, budget {asked.budget}.",
        f"Mean log(positions + 200) over their {len(training)} hard deals: {before[0]:.3f} before, "
        f"{after[0]:.3f} after;",
        f"over the {len(others)} of as many deals not tuned on: {before[1]:.3f} before, "
        f"{after[1]:.3f} after.",
    ]
    asked.file.write_text(header(tuned, notes))


if __name__ == "__main__":
    main()
