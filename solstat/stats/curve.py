"""The budget curve: what a run's outcomes would have been at any smaller budget.

The search never looks at its budget, so a deal settled after n positions is settled at every budget
of at least n. One run therefore tells the shares at every budget up to the smallest that a deal
still open was searched with; its own budget censors the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solstat.budget import format_budget
from solstat.errors import UsageError
from solstat.stats.intervals import CONFIDENCE, METHODS
from solstat.stats.proportion import Share, share
from solstat.survey.reader import Counts, Run, unknown_budget

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PER_DECADE = 48
"""Budgets in each factor of ten, where they are not given: enough to draw a smooth line."""


@dataclass(frozen=True, eq=False)
class Costs:
    """What the deals of a run have cost to settle.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    search : str
        ``full`` or ``plain``.
    n : int
        Number of deals, those that are open included.
    won, lost : ndarray of int64
        Positions that each deal won, and each deal lost, was settled within; ascending.
    error : int
        Deals over which the solver itself failed.
    limit : int
        The largest budget at which the outcomes are known: the least that an unsettled deal was
        searched with; if there is none, the run's own.
    interval : str
        The interval that is valid for its shares, one of `solstat.stats.intervals.METHODS`:
        ``sequence`` if it was looked at to decide when to stop.
    """

    rules: str
    search: str
    n: int
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    error: int
    limit: int
    interval: str = "wilson"


@dataclass(frozen=True, eq=False)
class Curve:
    """Outcomes of the same deals at several budgets.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    search : str
        ``full`` or ``plain``.
    n : int
        Number of deals.
    budgets : ndarray of int64
        Shape (budgets,).
    won, lost : ndarray of int64
        Shape (budgets,): numbers of deals settled within each budget.
    error : int
        Deals over which the solver itself failed, at any budget.
    interval : str
        As in `Costs`.
    """

    rules: str
    search: str
    n: int
    budgets: NDArray[np.int64]
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    error: int
    interval: str = "wilson"

    @property
    def won_share(self) -> NDArray[np.float64]:
        """Floor of the share won at each budget; NaN of no deals."""
        return self._share(self.won)

    @property
    def lost_share(self) -> NDArray[np.float64]:
        """Floor of the share lost at each budget; NaN of no deals."""
        return self._share(self.lost)

    @property
    def settled_share(self) -> NDArray[np.float64]:
        """Share won or lost at each budget; NaN of no deals."""
        return self._share(self.won + self.lost)

    def counts(self) -> list[Counts]:
        """The outcomes at each budget, of which `solstat.stats.proportion` makes figures."""
        return [
            Counts(
                self.rules,
                int(budget),
                won=int(won),
                lost=int(lost),
                unsettled=int(self.n - won - lost) - self.error,
                error=self.error,
            )
            for budget, won, lost in zip(self.budgets, self.won, self.lost, strict=True)
        ]

    def _share(self, count: NDArray[np.int64]) -> NDArray[np.float64]:
        return count / self.n if self.n else np.full(len(count), np.nan)


def costs(run: Run) -> Costs:
    """What the stored deals of a run have cost. Errors as `Run.tables`."""
    import pyarrow.compute as pc

    won, lost = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    n = error = 0
    limit = None
    for table in run.tables(["outcome", "positions", "budget"]):
        n += len(table)
        for kind, found in (("won", won), ("lost", lost)):
            found.append(table["positions"].filter(pc.equal(table["outcome"], kind)).to_numpy())
        error += pc.sum(pc.equal(table["outcome"], "error")).as_py() or 0
        least = pc.min(table["budget"].filter(pc.equal(table["outcome"], "unsettled"))).as_py()
        if least is not None:
            limit = least if limit is None else min(limit, least)
    return Costs(
        rules=run.record.identity.rules,
        search=run.record.identity.search,
        n=n,
        won=np.sort(np.concatenate(won)),
        lost=np.sort(np.concatenate(lost)),
        error=error,
        limit=run.record.budget if limit is None else limit,
        interval=run.record.interval,
    )


def curve(
    costs: Costs,
    budgets: ArrayLike | None = None,
    *,
    first: int = 1,
    last: int | None = None,
) -> Curve:
    """The outcomes at several budgets.

    Parameters
    ----------
    costs : Costs
        Of a run.
    budgets : array_like of int, optional
        Shape (budgets,), in any order; by default equal steps of a logarithmic axis from `first`
        to `last`.
    first : int
        The smallest budget where they are not given.
    last : int, optional
        The largest; the limit if not given.

    Raises
    ------
    UsageError
        A budget is below 1, or above the limit while deals are unsettled: nobody knows what they
        are there.
    """
    if budgets is None:
        end = costs.limit if last is None else last
        _check(costs, first)
        _check(costs, end)
        if first > end:
            raise UsageError(
                f"a curve from budget {format_budget(first)} to {format_budget(end)}: the first is "
                "to be the smaller one"
            )
        steps = np.ceil(np.log10(end / first) * PER_DECADE).astype(int) + 1
        inner = np.minimum(np.geomspace(first, end, steps)[:-1].round(), end).astype(np.int64)
        at = np.unique(np.append(inner, end))
    else:
        at = np.atleast_1d(np.asarray(budgets, dtype=np.int64))
    for budget in at.tolist():
        _check(costs, budget)
    return Curve(
        rules=costs.rules,
        search=costs.search,
        n=costs.n,
        budgets=at,
        won=np.searchsorted(costs.won, at, side="right"),
        lost=np.searchsorted(costs.lost, at, side="right"),
        error=costs.error,
        interval=costs.interval,
    )


def round_budgets(costs: Costs) -> list[int]:
    """A few budgets in each factor of ten, for a table: 1, 2, 5, 10, ... and last the limit.

    They start at the largest at which nothing is settled yet, and end, but for the limit, where all
    is that ever will be.
    """
    positions = np.concatenate([costs.won, costs.lost])
    if not len(positions):
        return [costs.limit]
    cheapest, dearest = int(positions.min()), int(positions.max())
    steps = [step * 10**power for power in range(19) for step in (1, 2, 5)]
    first = max((step for step in steps if step < cheapest), default=1)
    end = costs.limit
    if len(positions) == costs.n:
        end = min([end, *(step for step in steps if step >= dearest)])
    return sorted({step for step in steps if first <= step <= end} | {costs.limit})


def settled(counts: Counts, *, confidence: float = CONFIDENCE, interval: str = "wilson") -> Share:
    """The share of the deals that are settled, won or lost, with its interval.

    Nobody knows of a deal over which the solver itself failed whether it would be.

    Parameters
    ----------
    counts : Counts
        Of a run at a budget.
    confidence : float
        Two-sided, between 0 and 1.
    interval : str
        One of `solstat.stats.intervals.METHODS`.
    """
    return share(
        counts.won + counts.lost,
        counts.error,
        counts.n,
        confidence=confidence,
        interval=METHODS[interval],
    )


def _check(costs: Costs, budget: int) -> None:
    """Refuse a budget at which outcomes are not known."""
    if budget < 1:
        raise UsageError(f"budget {budget}: a budget is 1 position at least")
    unsettled = costs.n - len(costs.won) - len(costs.lost) - costs.error
    if unsettled and budget > costs.limit:
        raise UsageError(unknown_budget(budget, unsettled, costs.limit))
