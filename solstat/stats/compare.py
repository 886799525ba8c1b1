"""Two runs compared: deal by deal on the deals they share, as two samples if they share none.

Nothing open is dropped. A deal that is open under one of the settings may be won or lost there, so
a difference of shares lies between a lowest and a highest one, and its interval goes from the
lowest lower bound to the highest upper bound of all that these deals may be. A test has a range of
p-values in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solstat.errors import SolstatError
from solstat.games import within
from solstat.solver import OUTCOMES
from solstat.stats.common import Stored, common, stored
from solstat.stats.difference import fisher, mcnemar, paired_interval, unpaired_interval
from solstat.stats.intervals import CONFIDENCE
from solstat.stats.worst import worst_bounds
from solstat.survey.reader import Counts, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WON, _LOST = OUTCOMES.index("won"), OUTCOMES.index("lost")
_OPEN = [OUTCOMES.index("unsettled"), OUTCOMES.index("error")]
_RELATIONS = {
    (True, True): "same",
    (True, False): "first in second",
    (False, True): "second in first",
    (False, False): None,
}


@dataclass(frozen=True)
class Difference:
    """A share under the second setting less that under the first.

    Attributes
    ----------
    lowest, highest : float
        The difference if the open deals are so that it is as low, and as high, as can be.
    low, high : float
        Confidence bounds: the lowest lower one and the highest upper one of all that the open deals
        may be.
    p : float or None
        p-value of the test that there is no difference, on deals settled under both settings; None
        of two samples with open deals, of which the settled ones are no samples.
    p_least, p_most : float
        The p-values that open deals leave possible.
    """

    lowest: float
    highest: float
    low: float
    high: float
    p: float | None
    p_least: float
    p_most: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs, the first and the second.

    Attributes
    ----------
    first, second : Run
        The runs.
    counts : tuple of two Counts
        Outcomes of the deals compared, under each setting at its budget.
    left_out : tuple of two int
        Deals of each run that the other one has not; none if all deals differ.
    is_paired : bool
        Whether the same deals are compared.
    relation : str or None
        ``same`` rules; ``first in second`` if every deal that the first rules win is known to be
        won under the second, ``second in first`` the other way round; None if nothing is known.
    table : ndarray of int64 or None
        Shape (outcomes, outcomes), as `solstat.solver.OUTCOMES`: how many of the same deals have
        which outcomes, the first run's row by row.
    won : Difference or None
        Of shares won. None for the same deals under the same rules: there is none.
    settled : Difference
        Of shares settled, which no open deal makes uncertain.
    """

    first: Run
    second: Run
    counts: tuple[Counts, Counts]
    left_out: tuple[int, int]
    is_paired: bool
    relation: str | None
    table: NDArray[np.int64] | None
    won: Difference | None
    settled: Difference
    _pairs: _Pairs | None

    def number(self, before: str, after: str) -> int:
        """How many of the same deals have one outcome in the first run and one in the second."""
        if self.table is None:
            return 0
        return int(self.table[OUTCOMES.index(before), OUTCOMES.index(after)])

    def seeds(self, before: str, after: str, most: int | None = None) -> list[str]:
        """Seeds of the same deals with one outcome in the first run and one in the second.

        As the first run calls them, in its order; of the first `most` of them if that is given.
        """
        if self._pairs is None:
            return []
        return self.first.seeds(self._pairs.index_where(before, after)[:most])


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The same deals in two runs: indices in the first, outcomes in both."""

    index: NDArray[np.int64]
    first: NDArray[np.uint8]
    second: NDArray[np.uint8]

    def index_where(self, before: str, after: str) -> NDArray[np.int64]:
        codes = OUTCOMES.index(before), OUTCOMES.index(after)
        found: NDArray[np.int64] = self.index[(self.first == codes[0]) & (self.second == codes[1])]
        return found


def compare(
    first: Run, second: Run, budget: int | None = None, *, confidence: float = CONFIDENCE
) -> Comparison:
    """Compare two runs: on the deals that they have in common, if there are any.

    Parameters
    ----------
    first, second : Run
        The runs.
    budget : int, optional
        The budget the outcomes are at; if not given that of each run.
    confidence : float
        Two-sided, of intervals; between 0 and 1.

    Raises
    ------
    UsageError
        The budget is above what open deals of a run were searched with.
    SolstatError
        A deal is won in one run and lost in the other, and the rules are the same, or such that
        those of the loss win every deal that those of the win do: one of the verdicts is wrong,
        though the budget asked for may hide it. Also as `Run.tables`.
    """
    here, there = stored(first, budget), stored(second, budget)
    in_first, in_second = common(first, here.index, second, there.index)
    is_paired = len(in_first) > 0
    left_out = (0, 0)
    pairs = None
    if is_paired:
        left_out = len(here.index) - len(in_first), len(there.index) - len(in_second)
        here, there = here.at(in_first), there.at(in_second)
        pairs = _Pairs(here.index, here.outcome, there.outcome)
    counts = _counts(first, here, budget), _counts(second, there, budget)
    forward, back = within(first.rules, second.rules), within(second.rules, first.rules)
    table = None
    won: Difference | None
    if pairs is None:
        won, settled = unpaired(*counts, confidence)
    else:
        known = _Pairs(here.index, here.verdict, there.verdict)
        if forward:
            _refuse(first, known.index_where("won", "lost"), first, second, same=back)
        if back:
            _refuse(first, known.index_where("lost", "won"), second, first, same=forward)
        size = len(OUTCOMES)
        both = pairs.first.astype(np.intp) * size + pairs.second
        table = np.bincount(both, minlength=size * size).reshape(size, size)
        won, settled = paired(table, confidence, forward=forward, back=back)
    return Comparison(
        first=first,
        second=second,
        counts=counts,
        left_out=left_out,
        is_paired=is_paired,
        relation=_RELATIONS[forward, back],
        table=table,
        won=won,
        settled=settled,
        _pairs=pairs,
    )


def _counts(run: Run, rows: Stored, budget: int | None) -> Counts:
    tally = np.bincount(rows.outcome, minlength=len(OUTCOMES)).tolist()
    return Counts(
        run.record.identity.rules,
        run.record.budget if budget is None else budget,
        **dict(zip(OUTCOMES, tally, strict=True)),
    )


def _refuse(run: Run, index: NDArray[np.int64], winner: Run, loser: Run, *, same: bool) -> None:
    """Refuse (SolstatError) deals of `run` that are won in one run and lost in one that wins more.

    `same` says that it wins no more either.
    """
    if len(index) == 0:
        return
    (seed,) = run.seeds(index[:1])
    winning, losing = winner.record.identity.rules, loser.record.identity.rules
    why = "the same rules" if same else "which wins every deal that the former wins"
    more = f", and so of {len(index) - 1:,} more deals" if len(index) > 1 else ""
    raise SolstatError(
        f"deal {seed} is won under {winning} ({winner.path}) and lost under {losing} "
        f"({loser.path}), {why}: one of the verdicts is wrong{more}"
    )


def paired(
    table: NDArray[np.int64], confidence: float = CONFIDENCE, *, forward: bool, back: bool
) -> tuple[Difference | None, Difference]:
    """The differences of shares won and of shares settled, of the same deals.

    The test is McNemar's, exact; the intervals are Newcombe's for paired data, in the worst case of
    all that open deals may be.

    Parameters
    ----------
    table : ndarray of int64
        As `Comparison.table`.
    confidence : float
        Two-sided, between 0 and 1.
    forward, back : bool
        Whether every deal won under the first rules is known to be won under the second, and the
        other way round. A verdict of one is then one of the other.
    """
    won, settled = None, _paired_settled(table, confidence)
    if not (forward and back):
        mirrored = back and not forward
        won = _paired_won(table.T if mirrored else table, confidence, forward or back)
        won = _mirrored(won) if mirrored else won
    return won, settled


def _paired_settled(table: NDArray[np.int64], confidence: float) -> Difference:
    known = [_WON, _LOST]
    both = int(table[np.ix_(known, known)].sum())
    first = int(table[np.ix_(known, _OPEN)].sum())
    second = int(table[np.ix_(_OPEN, known)].sum())
    n = int(table.sum())
    low, high = paired_interval(both, first, second, n - both - first - second, confidence)
    middle = (second - first) / n if n else 0.0
    p = mcnemar(first, second)
    return Difference(middle, middle, low, high, p, p, p)


def _paired_won(table: NDArray[np.int64], confidence: float, within: bool) -> Difference:
    """Of shares won; `within` if every deal won under the first is won under the second."""
    n = int(table.sum())
    first, second = int(table[_WON, _LOST]), int(table[_LOST, _WON])
    open_open = int(table[np.ix_(_OPEN, _OPEN)].sum())
    more_first = int(table[_WON, _OPEN].sum() + table[_OPEN, _LOST].sum()) + open_open
    more_second = int(table[_LOST, _OPEN].sum() + table[_OPEN, _WON].sum()) + open_open
    if within:  # then no deal is won under the first only
        more_first = 0
    low, high = worst_bounds(table, confidence, forward=within)
    fewer, greater = sorted((first, second))
    reach = more_second if second < first else more_first
    return Difference(
        lowest=(second - first - more_first) / n if n else -1.0,
        highest=(second + more_second - first) / n if n else 1.0,
        low=low,
        high=high,
        p=mcnemar(first, second),
        p_least=min(mcnemar(first + more_first, second), mcnemar(first, second + more_second)),
        p_most=mcnemar(min(greater, fewer + reach), greater),
    )


def _mirrored(of_first: Difference) -> Difference:
    """The difference with first and second exchanged; 0 is not to become -0."""
    return Difference(
        lowest=0.0 - of_first.highest,
        highest=0.0 - of_first.lowest,
        low=0.0 - of_first.high,
        high=0.0 - of_first.low,
        p=of_first.p,
        p_least=of_first.p_least,
        p_most=of_first.p_most,
    )


def unpaired(
    first: Counts, second: Counts, confidence: float = CONFIDENCE
) -> tuple[Difference, Difference]:
    """The differences of shares won and of shares settled, of different deals.

    The test is Fisher's, the intervals are Newcombe's hybrid score intervals.

    Parameters
    ----------
    first, second : Counts
        Of the two runs.
    confidence : float
        Two-sided, between 0 and 1.
    """
    settled = _unpaired(
        (first.won + first.lost,) * 2,
        first.n,
        (second.won + second.lost,) * 2,
        second.n,
        confidence,
    )
    won = _unpaired(
        (first.won, first.n - first.lost),
        first.n,
        (second.won, second.n - second.lost),
        second.n,
        confidence,
    )
    return won, settled


def _unpaired(
    first: tuple[int, int],
    of_first: int,
    second: tuple[int, int],
    of_second: int,
    confidence: float,
) -> Difference:
    """Of samples of which between a floor and a ceiling of deals count."""
    known = first[0] == first[1] and second[0] == second[1]
    apart = [
        fisher(first[1], of_first, second[0], of_second),  # the second as low as can be
        fisher(first[0], of_first, second[1], of_second),
    ]
    lowest, highest = -1.0, 1.0
    if of_first and of_second:
        lowest = second[0] / of_second - first[1] / of_first
        highest = second[1] / of_second - first[0] / of_first
    return Difference(
        lowest=lowest,
        highest=highest,
        low=unpaired_interval(first[1], of_first, second[0], of_second, confidence).low,
        high=unpaired_interval(first[0], of_first, second[1], of_second, confidence).high,
        p=apart[0] if known else None,
        p_least=min(apart),
        p_most=max(apart) if known or lowest > 0 or highest < 0 else 1.0,
    )
