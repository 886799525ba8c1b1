"""What a pilot run says of other budgets: what they settle, and what they cost.

Up to its own budget a run tells all of it: a deal that was settled within n positions is settled at
every budget of at least n, and costs as much as the budget below. Above, its open deals lie between
two bounds, none of them settled and all at once, and between these there is an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from solstat.errors import UsageError
from solstat.solver import OUTCOMES
from solstat.stats.intervals import CONFIDENCE
from solstat.survey.reader import Counts, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECADE = 10
"""The tail is that of deals which took more than the limit divided by this."""


@dataclass(frozen=True)
class Tail:
    """How fast open deals are settled by larger budgets, if it goes on as in the last decade.

    Of the deals that are open at a budget x, a share (x / y)^h is open at y: a power law, fitted to
    the deals that took more than a tenth of the limit. In the logarithm of the positions they are
    settled at a constant rate h then, some not before the limit. The likelihood of d settled
    ones is largest at h = d / sum(log(min(x, limit) / x0)), with x0 a tenth of the limit; the
    interval is that of a rate at which d events have come in the time of the sum.

    Attributes
    ----------
    limit : int
        The budget up to which outcomes are known.
    settled : int
        How many deals the estimate rests on: those settled in the last decade.
    won : float
        The share of these that is won.
    share : float
        The share of all deals that took more than a tenth of the limit. Where it is large, what
        the fit is of is no tail, and the estimate poor.
    exponent, low, high : float
        The estimate h and its 95 % interval. It is 0 if no deal was settled in the last decade:
        then none is expected to be settled beyond. The upper bound is None if no deal came so far.

    References
    ----------
    B. M. Hill, A simple general approach to inference about the tail of a distribution, Annals of
    Statistics 3 (1975) 1163-1174. For right-censored data: J. Beirlant, A. Guillou, G. Dierckx,
    A. Fils-Villetard, Estimation of the extreme value index and extreme quantiles under random
    censoring, Extremes 10 (2007) 151-174.
    """

    limit: int
    settled: int
    won: float
    share: float
    exponent: float
    low: float
    high: float | None

    def still_open(self, budget: float) -> float:
        """Share of the deals open at the limit that is expected to be so at a larger budget."""
        return float((self.limit / budget) ** self.exponent)

    def extra(self, budget: float) -> float:
        """Positions beyond the limit that an open deal is expected to cost at a larger budget."""
        ratio, slope = budget / self.limit, 1 - self.exponent
        if abs(slope) < 1e-9:
            return float(self.limit * np.log(ratio))
        return float(self.limit * (ratio**slope - 1) / slope)


@dataclass(frozen=True)
class Outlook:
    """What a budget is expected to settle and to cost, of shares and per deal.

    Attributes
    ----------
    budget : int
        The budget.
    known : bool
        Whether the pilot knows all this of its own deals: it is not above its limit. Else bounds
        differ, and what has none is an estimate.
    won, lost, still_open : float
        Shares of the deals; those over which the solver failed are open.
    settled_least : float
        The share that is settled at least.
    positions, positions_low, positions_high : float
        Positions that a deal costs.
    seconds, seconds_low, seconds_high : float
        CPU seconds that a deal costs.
    """

    budget: int
    known: bool
    won: float
    lost: float
    still_open: float
    settled_least: float
    positions: float
    positions_low: float
    positions_high: float
    seconds: float
    seconds_low: float
    seconds_high: float


@dataclass(frozen=True, eq=False)
class Pilot:
    """The deals of a run as far as a budget at which all their outcomes are known.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    n : int
        Number of deals.
    error : int
        Those over which the solver itself failed; the arrays have the others.
    limit : int
        The budget up to which outcomes are known, as in `solstat.stats.curve.Costs`.
    positions : ndarray of int64
        What each deal cost, ascending; the limit at most.
    seconds : ndarray of float64
        CPU seconds that this took, or would have up to the limit.
    won, lost : ndarray of bool
        Whether the deal was settled within the limit.
    """

    rules: str
    n: int
    error: int
    limit: int
    positions: NDArray[np.int64]
    seconds: NDArray[np.float64]
    won: NDArray[np.bool_]
    lost: NDArray[np.bool_]

    @property
    def settled(self) -> NDArray[np.int64]:
        """Positions of the settled deals, ascending."""
        return self.positions[self.won | self.lost]

    def counts(self, budget: int) -> Counts:
        """The outcomes at a budget up to the limit."""
        within = slice(0, int(np.searchsorted(self.positions, budget, side="right")))
        won, lost = int(self.won[within].sum()), int(self.lost[within].sum())
        unsettled = self.n - self.error - won - lost
        return Counts(self.rules, budget, won, lost, unsettled, self.error)

    @cached_property
    def tail(self) -> Tail:
        """The estimate of what larger budgets settle."""
        in_tail = self.positions > self.limit / DECADE
        if not in_tail.any():
            return Tail(self.limit, 0, 0.0, 0.0, 0.0, 0.0, None)
        from scipy.stats import chi2  # a second to import

        won, lost = int(self.won[in_tail].sum()), int(self.lost[in_tail].sum())
        d, half = won + lost, (1 - CONFIDENCE) / 2
        time = float(np.log(self.positions[in_tail] * (DECADE / self.limit)).sum())
        return Tail(
            limit=self.limit,
            settled=d,
            won=won / d if d else 0.0,
            share=int(in_tail.sum()) / self.n,
            exponent=d / time,
            low=float(chi2.ppf(half, 2 * d)) / 2 / time if d else 0.0,
            high=float(chi2.ppf(1 - half, 2 * d + 2)) / 2 / time,
        )

    def outlook(self, budget: int) -> Outlook:
        """What a budget is expected to settle and to cost, above the limit too."""
        at = min(budget, self.limit)
        tally = self.counts(at)
        settled = (tally.won + tally.lost) / self.n
        paid = np.minimum(self.positions, at)
        positions = float(paid.mean())
        seconds = float((self.seconds * (paid / self.positions)).mean())
        won, lost, unsettled = tally.won / self.n, tally.lost / self.n, tally.unsettled / self.n
        extra = most = 0.0
        if budget > self.limit:
            tail, share = self.tail, tally.unsettled / len(self.positions)
            gain = unsettled * (1 - tail.still_open(budget))
            won, lost, unsettled = (
                won + gain * tail.won,
                lost + gain * (1 - tail.won),
                unsettled - gain,
            )
            extra, most = share * tail.extra(budget), share * (budget - self.limit)
        rate = self.seconds_a_position
        return Outlook(
            budget=budget,
            known=budget <= self.limit,
            won=won,
            lost=lost,
            still_open=unsettled + self.error / self.n,
            settled_least=settled,
            positions=positions + extra,
            positions_low=positions,
            positions_high=positions + most,
            seconds=seconds + extra * rate,
            seconds_low=seconds,
            seconds_high=seconds + most * rate,
        )

    @cached_property
    def seconds_a_position(self) -> float:
        """CPU seconds for a position, in the deals that took most of them."""
        most = self.positions > self.limit / DECADE
        if not most.any():
            most[:] = True
        return float(self.seconds[most].sum() / self.positions[most].sum())


def pilot(run: Run) -> Pilot:
    """What the stored deals of a run say.

    Raises
    ------
    UsageError
        It has no deals, or the solver failed over all.
    SolstatError
        As `Run.tables`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = ("positions", "budget", "seconds")
    found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in ("outcome", *names)}
    n = 0
    for table in run.tables(["outcome", *names]):
        n += len(table)
        searched = table.filter(pc.not_equal(table["outcome"], "error"))
        codes = pc.index_in(searched["outcome"], pa.array(OUTCOMES))
        found["outcome"].append(codes.to_numpy())
        for name in names:
            found[name].append(searched[name].to_numpy())
    if not sum(map(len, found["outcome"])):
        why = "the solver failed over all its deals" if n else "it has no deals yet"
        raise UsageError(f"{run.path}: {why}, so nothing can be told of other budgets")
    outcome, positions, budget, seconds = (np.concatenate(each) for each in found.values())
    is_open = outcome == OUTCOMES.index("unsettled")
    limit = int(budget[is_open].min()) if is_open.any() else run.record.budget
    paid = np.minimum(positions, limit)
    within = positions <= limit  # others were searched further than some
    order = np.argsort(paid, kind="stable")
    return Pilot(
        rules=run.record.identity.rules,
        n=n,
        error=n - len(outcome),
        limit=limit,
        positions=paid[order].astype(np.int64),
        seconds=(seconds * (paid / positions))[order],
        won=((outcome == OUTCOMES.index("won")) & within)[order],
        lost=((outcome == OUTCOMES.index("lost")) & within)[order],
    )
