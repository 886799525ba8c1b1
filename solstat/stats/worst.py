"""The worst that open deals can do to the interval of a difference, of the same deals.

What an open deal that is won or lost does to a bound of the interval is not plain: the difference
moves, and so do both shares' own intervals and the correlation, at times against it. So the worst
case is looked for among all, by branch and bound. What matters is how many deals are won under the
first setting, under the second, and under both. At given numbers of the first two a bound is the
worse the fewer are won under both, since the correlation is less; that leaves two dimensions. A box
of them holds nothing worse than its least difference, widest intervals and least correlation would
be together. If that is no worse, or hardly, than what has been found the box is done with;
otherwise it is halved, down to single numbers if need be.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from solstat.solver import OUTCOMES
from solstat.stats.intervals import CONFIDENCE, Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_WON, _LOST, _OPEN = range(3)
_PLACES = tuple({"won": _WON, "lost": _LOST}.get(name, _OPEN) for name in OUTCOMES)
_HARDLY = 1e-9


def worst_bounds(
    table: Ints, confidence: float = CONFIDENCE, *, forward: bool = False, back: bool = False
) -> Interval:
    """The lowest lower and the highest upper bound of all that the open deals may be.

    Parameters
    ----------
    table : ndarray of int64
        Shape (outcomes, outcomes), as `solstat.solver.OUTCOMES`: how many of the same deals have
        which outcomes under the first setting, row by row, and the second.
    confidence : float
        Two-sided, between 0 and 1.
    forward, back : bool
        Whether every deal won under the first rules is won under the second, or the other way
        round; not both. The table must not contradict it.

    Returns
    -------
    Interval
        Of the share won under the second setting less that under the first. It contains the one of
        `solstat.stats.difference.paired_interval` for each way to settle the open deals, and is
        wider than need be by a billionth at most.
    """
    cells = np.zeros((3, 3), np.int64)
    np.add.at(cells, np.ix_(_PLACES, _PLACES), table)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return Interval(
        _Lowest(cells, z, forward, back).find(), 0.0 - _Lowest(cells.T, z, back, forward).find()
    )


class _Lowest:
    """The lowest lower bound, of cells won, lost and open by the same."""

    def __init__(self, cells: Ints, z: float, forward: bool, back: bool) -> None:
        self._z, self._forward, self._back = z, forward, back
        self._cells = cells = cells.copy()
        if forward or back:  # what is won under the strict rules, or lost under the free ones
            side = cells if forward else cells.T
            for verdict, known in ((_WON, (_WON, _OPEN)), (_LOST, (_OPEN, _LOST))):
                side[verdict, verdict] += side[known]
                side[known] = 0
        self._n = int(cells.sum())
        self._won, self._won_after = int(cells[_WON].sum()), int(cells[:, _WON].sum())
        self._most = self._won + int(cells[_OPEN].sum())
        self._most_after = self._won_after + int(cells[:, _OPEN].sum())

    def find(self) -> float:
        """The bound, or less by no more than what is hardly worse; -1 of no deals."""
        if self._n == 0:
            return -1.0
        # How many more deals the second setting wins than the first.
        least, most = self._won_after - self._most, self._most_after - self._won
        if self._forward:
            least = int(self._cells[_LOST, _WON])
        if self._back:
            most = -int(self._cells[_WON, _LOST])
        boxes = np.array([[self._won], [self._most], [least], [most]])
        found = lowest = 1.0
        while boxes.size:
            low, high, more, _ = boxes
            # A case of each box, with its least difference if it has one.
            won = np.clip(low, self._won_after - more, self._most_after - more)
            cases = np.stack([won, won, more, more])[:, won <= high]
            found = self._below(cases).min(initial=found)
            below = self._below(boxes)
            is_done = below >= found - _HARDLY
            lowest = below[is_done].min(initial=lowest)
            boxes = self._halves(boxes[:, ~is_done])
        return float(lowest)

    def _halves(self, boxes: Ints) -> Ints:
        """Each box in two, without those that no deals can be."""
        low, high, more, most = boxes
        # The correlation goes with the root of the difference, all else with the shares.
        is_wide = (high - low) ** 2 > (most - more) * self._n
        lower, upper = boxes.copy(), boxes.copy()
        for axis, chosen in ((0, is_wide), (2, ~is_wide)):
            middle = (boxes[axis] + boxes[axis + 1]) // 2
            lower[axis + 1] = np.where(chosen, middle, lower[axis + 1])
            upper[axis] = np.where(chosen, middle + 1, upper[axis])
        both = np.concatenate([lower, upper], axis=1)
        low, high, more, most = both
        is_possible = (low + more <= self._most_after) & (high + most >= self._won_after)
        return both[:, is_possible]

    def _below(self, boxes: Ints) -> Floats:
        """What no lower bound in a box is below; the bound itself where it is one case."""
        low, high, more, most = boxes
        n = self._n
        after = np.maximum(low + more, self._won_after), np.minimum(high + most, self._most_after)
        correlation = self._correlation(boxes, *after)
        widest = np.zeros(len(low))
        for one in self._reaches(n - high, n - low):  # convex, so greatest in a corner
            for other in self._reaches(*after):
                square = one * one - 2 * correlation * one * other + other * other
                widest = np.maximum(widest, square)
        found: Floats = np.maximum(-1.0, more / n - np.sqrt(widest))
        return found

    def _reaches(self, least: Ints, most: Ints) -> tuple[Floats, Floats]:
        """By how much Wilson's lower bound of a share is below it: the least, and the most.

        That is concave, so least at an end. The upper bound is that of the deals that do not count.
        """
        peak = (self._n + self._z * sqrt(self._n)) / 2
        return (
            np.minimum(self._reach(least), self._reach(most)),
            self._reach(np.clip(peak, least, most)),
        )

    def _reach(self, k: Ints | Floats) -> Floats:
        n, z = self._n, self._z
        half = z * np.sqrt(k * (n - k) / n + z * z / 4)
        found: Floats = (half + z * z * (k / n - 0.5)) / (n + z * z)
        return found

    def _correlation(self, boxes: Ints, least_after: Ints, most_after: Ints) -> Floats:
        """No more than the least in a box; that itself where it is one case.

        It rises with the deals won under both and, these being the same, falls with each share. If
        all wins of one setting are ones of the other, it falls with their difference and, that
        being the same, is least where the shares are least or greatest.
        """
        low, high, more, most = boxes
        n = self._n
        if self._forward or self._back:
            ends = []
            for won in (low, high):
                after = np.clip(won + (most if self._forward else more), 0, n)
                ends.append(self._of(np.minimum(won, after), won, after))
            return np.minimum(*ends)
        cells = self._cells
        alone = low - self._won - cells[_OPEN, _LOST]
        alone_after = least_after - self._won_after - cells[_LOST, _OPEN]
        of_both = (alone.clip(0) + alone_after.clip(0) - cells[_OPEN, _OPEN]).clip(0)
        inner = np.clip(n - 1, low, high), np.clip(n - 1, least_after, most_after)
        found = self._of(cells[_WON, _WON] + of_both, *inner)
        is_at_end = (high == n) | (most_after == n)  # where there is none, which is 0
        return np.where(is_at_end, np.minimum(found, 0.0), found)

    def _of(self, both: Ints, before: Ints, after: Ints) -> Floats:
        """As in `solstat.stats.difference`, of the numbers won; -1 if that is below."""
        n = self._n
        product = both * n - before * after
        corrected = np.where(product < 0, product, np.maximum(0.0, product - n / 2))
        margins = np.sqrt(before * (n - before)) * np.sqrt(after * (n - after))
        found: Floats = np.maximum(-1.0, corrected / np.where(margins == 0, np.inf, margins))
        return found
