"""The same deals under several rules, deal by deal.

Surveys of the same deals tell more together than their shares do one by one: which deals the rules
decide, and, where every win under some rules is a win under others too, verdicts that one survey
owes to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from solstat.errors import SolstatError, UsageError
from solstat.solver import OUTCOMES
from solstat.stats.common import common, stored
from solstat.stats.intervals import CONFIDENCE
from solstat.stats.proportion import Share, share
from solstat.survey.reader import Counts, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WON, _LOST = OUTCOMES.index("won"), OUTCOMES.index("lost")


@dataclass(frozen=True, eq=False)
class Paired:
    """Outcomes of the same deals under several rules.

    Attributes
    ----------
    rules : tuple of str
        Canonical rules ids, in the order the runs were given.
    budgets : tuple of int
        Budgets of the runs.
    seeds : tuple of str
        Seeds or ids of the deals.
    outcome : ndarray of uint8
        Shape (rules, deals): index into `solstat.solver.OUTCOMES`.
    """

    rules: tuple[str, ...]
    budgets: tuple[int, ...]
    seeds: tuple[str, ...]
    outcome: NDArray[np.uint8]

    @property
    def n(self) -> int:
        """Number of deals."""
        return len(self.seeds)

    def counts(self) -> list[Counts]:
        """The outcomes under each of the rules, of which `solstat.stats.proportion` makes figures.

        After `implied` a deal may be settled by the budget of another of the runs.
        """
        return [
            Counts(
                rules,
                budget,
                **{name: int(np.sum(row == code)) for code, name in enumerate(OUTCOMES)},
            )
            for rules, budget, row in zip(self.rules, self.budgets, self.outcome, strict=True)
        ]

    def patterns(self) -> dict[tuple[str, ...], list[str]]:
        """Seeds of the deals by their outcomes under each of the rules, the commonest first."""
        found: dict[tuple[str, ...], list[str]] = {}
        for seed, codes in zip(self.seeds, self.outcome.T.tolist(), strict=True):
            found.setdefault(tuple(OUTCOMES[code] for code in codes), []).append(seed)
        return dict(sorted(found.items(), key=lambda each: -len(each[1])))

    def differing(self) -> list[str]:
        """Seeds of the deals that are won under some of the rules and lost under others."""
        won, lost = self.outcome == _WON, self.outcome == _LOST
        return self._seeds_where(won.any(axis=0) & lost.any(axis=0))

    def still_open(self) -> list[str]:
        """Seeds of the deals that are not settled under each of the rules."""
        settled = (self.outcome == _WON) | (self.outcome == _LOST)
        return self._seeds_where(~settled.all(axis=0))

    def gained(self, first: int, second: int, confidence: float = CONFIDENCE) -> Share:
        """Share of the deals that some rules lose and others win.

        Parameters
        ----------
        first, second : int
            Places of the rules that lose, and of those that win. A deal that is open under one of
            them counts in the ceiling, unless the other one has decided it: won by the first, or
            lost by the second.
        confidence : float
            Two-sided, between 0 and 1.
        """
        before, after = self.outcome[first], self.outcome[second]
        is_gained = (before == _LOST) & (after == _WON)
        is_not = (before == _WON) | (after == _LOST)
        count = int(is_gained.sum())
        return share(count, self.n - count - int(is_not.sum()), self.n, confidence=confidence)

    def implied(self) -> Paired:
        """Each verdict handed on to the other rules, where it is one for them too.

        The rules must be in an order such that each wins every deal that the one before it wins: a
        win is one under all rules that follow, a loss one under all rules before.

        Raises
        ------
        SolstatError
            A deal is won under some rules and lost under rules that follow: the order is not such,
            or a verdict is wrong.
        """
        won = np.maximum.accumulate(self.outcome == _WON, axis=0)
        lost = np.maximum.accumulate((self.outcome == _LOST)[::-1], axis=0)[::-1]
        if (both := (won & lost).any(axis=0)).any():
            deal = int(np.argmax(both))
            winning = self.rules[np.flatnonzero(self.outcome[:, deal] == _WON)[0]]
            losing = self.rules[np.flatnonzero(self.outcome[:, deal] == _LOST)[-1]]
            raise SolstatError(
                f"deal {self.seeds[deal]} is won under {winning} and lost under {losing}, "
                "which is to win every deal that the former wins"
            )
        outcome = np.where(won, _WON, np.where(lost, _LOST, self.outcome)).astype(np.uint8)
        return replace(self, outcome=outcome)

    def _seeds_where(self, chosen: NDArray[np.bool_]) -> list[str]:
        return [self.seeds[deal] for deal in np.flatnonzero(chosen)]


def paired(runs: Sequence[Run]) -> Paired:
    """The outcomes of runs of the same deals.

    Parameters
    ----------
    runs : sequence of Run
        At least one.

    Raises
    ------
    UsageError
        The runs are not of the same deals, or one has more of them than another.
    SolstatError
        As `Run.tables`.
    """
    first = stored(runs[0])
    outcome = [first.outcome]
    for run in runs[1:]:
        rows = stored(run)
        here, there = common(runs[0], first.index, run, rows.index)
        if not len(here) == len(first.index) == len(rows.index):
            raise UsageError(f"{run.path}: not the deals of {runs[0].path}")
        outcome.append(rows.outcome[there])
    return Paired(
        rules=tuple(run.record.identity.rules for run in runs),
        budgets=tuple(run.record.budget for run in runs),
        seeds=tuple(runs[0].seeds(first.index)),
        outcome=np.stack(outcome),
    )
