"""How likely published counts are if a share is true.

A published result says of n deals how many were won, now and then how many were lost, and often
only a rounded percentage. All of these leave a set of counts that it can mean, and the probability
of a set of counts is exact: binomial for one outcome, multinomial for all three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from solstat.errors import UsageError
from solstat.stats.intervals import CONFIDENCE, wilson
from solstat.stats.proportion import Share


@dataclass(frozen=True)
class Published:
    """A published survey of shuffled deals.

    Attributes
    ----------
    source : str
        Title of where it stands.
    n : int
        Number of deals.
    won : range
        The numbers of deals proved won that what is printed can mean; one number if it is printed,
        `rounded` of a percentage.
    lost : int or None
        Deals proved lost; None if nothing is said of them.
    budget : int or None
        The most positions a deal could cost; None if it is not said.
    """

    source: str
    n: int
    won: range
    lost: int | None = None
    budget: int | None = None

    @property
    def winnable(self) -> range:
        """The numbers of winnable deals it allows: unsettled ones may be winnable or not."""
        return range(self.won.start, self.n - (self.lost or 0) + 1)

    def unproved(self, winnable: range) -> range:
        """How many winnable deals it may have left unsettled, if so many of its deals are winnable.

        Parameters
        ----------
        winnable : range
            Numbers of winnable deals among the n, as from `likely`.
        """
        most = min(winnable[-1], self.winnable[-1]) - self.won[0]
        return range(max(0, winnable[0] - self.won[-1]), max(0, most) + 1)

    def proved(self, confidence: float = CONFIDENCE) -> Share:
        """Share proved won; floor and ceiling are those of the counts that the print can mean.

        Parameters
        ----------
        confidence : float
            Of the Wilson bounds; two-sided, between 0 and 1.
        """
        return _share(self.won, self.n, confidence)

    def share(self, confidence: float = CONFIDENCE) -> Share:
        """Share that can be won: of `winnable`. Parameters as `proved`."""
        return _share(self.winnable, self.n, confidence)


def exactly(count: int) -> range:
    """The set of this one count."""
    return range(count, count + 1)


def rounded(percent: str, n: int) -> range:
    """The counts of n deals that a percentage, as it is printed, can stand for.

    Parameters
    ----------
    percent : str
        As printed, like ``89`` or ``12.8``: the number of its decimals says how it was rounded. A
        half may have been rounded up or down.
    n : int
        Number of deals.

    Raises
    ------
    UsageError
        No count of n deals rounds to it.

    Examples
    --------
    >>> rounded("89", 563)
    range(499, 504)
    """
    low, high = _unrounded(percent)
    first, last = max(0, ceil(low * n)), min(n, floor(high * n))
    if first > last:
        raise UsageError(f"{percent} % of {n} deals: no number of deals rounds to it")
    return range(first, last + 1)


def may_be_printed(percent: str, counts: range, n: int) -> bool:
    """Whether a share from the first to the last of some counts of n deals rounds to a percentage.

    It need not be that of a whole number of deals: some print the middle.

    >>> may_be_printed("82.50", range(80, 86), 100)
    True
    """
    low, high = _unrounded(percent)
    return low * n <= counts[-1] and counts[0] <= high * n


def _unrounded(percent: str) -> tuple[Fraction, Fraction]:
    """The least and the largest share that rounds to a percentage."""
    share, half = Fraction(percent) / 100, Fraction(1, 200 * 10 ** len(percent.partition(".")[2]))
    return share - half, share + half


def probability(counts: range, n: int, share: float) -> float:
    """The exact binomial probability that the number of deals that count is in a set.

    Parameters
    ----------
    counts : range
        Neighbouring numbers of deals, from 0 to n; at least one.
    n : int
        Number of deals.
    share : float
        The share that each deal counts with, 0 to 1.
    """
    if not counts or counts.step != 1 or not 0 <= counts[0] <= counts[-1] <= n:
        raise ValueError(f"{counts} of {n} deals")
    import numpy as np
    from scipy.stats import binom  # a second to import

    return min(1.0, float(np.sum(binom.pmf(counts, n, share))))


def likely(n: int, low: float, high: float, confidence: float = CONFIDENCE) -> range:
    """The numbers of deals that are likely to count, if the share is anywhere between two ends.

    Parameters
    ----------
    n : int
        Number of deals.
    low, high : float
        The ends of the share that each deal counts with, 0 <= low <= high <= 1.
    confidence : float
        Between 0 and 1: the least probability of the numbers returned, whatever the share; more
        than the highest of them, or less than the lowest, has at most half of what is left of 1.
    """
    if n < 0 or not 0 <= low <= high <= 1:
        raise ValueError(f"{low} to {high} of {n} deals")
    from scipy.stats import binom  # a second to import

    tail = (1 - confidence) / 2
    return range(int(binom.ppf(tail, n, low)), int(binom.ppf(1 - tail, n, high)) + 1)


def outcomes_p_value(counts: Sequence[int], shares: Sequence[float]) -> float:
    """The exact multinomial test of how many deals were won, lost and left unsettled.

    The probability of all outcomes of so many deals that are no likelier than these. The number of
    outcomes grows with the square of the number of deals: a thousand deals have half a million.

    Parameters
    ----------
    counts : sequence of int
        Three numbers of deals.
    shares : sequence of float
        Their shares, which sum to 1.

    Returns
    -------
    float
    """
    import numpy as np
    from scipy.stats import multinomial  # a second to import

    won, lost, unsettled = counts
    n = won + lost + unsettled
    first, second = np.triu_indices(n + 1)  # first <= second: cuts of n deals into three
    every = np.stack([first, second - first, n - second], axis=1)
    likelihood = np.asarray(multinomial.pmf(every, n, shares))
    here = float(multinomial.pmf([won, lost, unsettled], n, shares))
    # Outcomes that are exactly as likely must not be lost to rounding.
    return min(1.0, float(likelihood[likelihood <= here * (1 + 1e-9)].sum()))


def _share(counts: range, n: int, confidence: float) -> Share:
    least, most = counts[0], counts[-1]
    low, high = wilson(least, n, confidence).low, wilson(most, n, confidence).high
    return Share(least / n, most / n, low, high)
