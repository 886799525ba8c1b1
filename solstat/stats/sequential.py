"""Intervals that hold at every number of deals at once, and runs that stop by them.

An ordinary 95 % interval misses the true share in 5 % of surveys of a size that was fixed before.
Looked at again and again, until it is as narrow as one likes, it misses in many more. A confidence
sequence misses at any of its looks, be they as many as they may, in 5 % of surveys at most.
``docs/stopping.md`` has the proofs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import lgamma, log, log1p
from typing import TypeAlias

from solstat.cards import shown
from solstat.errors import UsageError
from solstat.stats.intervals import CONFIDENCE, METHODS, Interval, check
from solstat.stats.proportion import share
from solstat.survey.reader import Counts

PRIOR_DEALS = 500
"""How far the alternatives to a share lie from it: as far as shares of so many deals do.

A larger number makes intervals of few deals wider and those of many narrower. With this one they
are about a tenth wider than the best choice for that number makes them, at most, from 1,000 to
100,000 deals.
"""

_HALVINGS = 200
_RULE = re.compile(r"half-width=([0-9]{0,3}\.?[0-9]{1,9})(%?)")
_WON = re.compile(r"won=([1-9][0-9]{0,8})")


def log_evidence(k: int, n: int, share: float) -> float:
    """How much k in n deals speak against a share: the logarithm of the mixture martingale.

    Parameters
    ----------
    k, n : int
        Deals that count, of how many.
    share : float
        The share that each deal is supposed to count with, above 0 and below 1.

    Returns
    -------
    float
        If the share is the true one, the chance that this ever exceeds log(1/a), at any n, is a
        at most.
    """
    a, b = PRIOR_DEALS * share, PRIOR_DEALS * (1 - share)
    mixture = lgamma(a + k) - lgamma(a) + lgamma(b + (n - k)) - lgamma(b)
    mixture -= lgamma(PRIOR_DEALS + n) - lgamma(PRIOR_DEALS)
    return mixture - k * log(share) - (n - k) * log1p(-share)


def confidence_sequence(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The interval of k in n that holds the true share at all n at once.

    For each share p the likelihood of the deals so far under other shares, mixed by a beta
    distribution around p, is divided by that under p. If p is true, the ratio is a martingale that
    starts at 1, so it ever exceeds 1/a with a chance of a at most (Ville). The interval is of all p
    whose ratio is below 1/a, with a = 1 - confidence.

    Parameters and result as `solstat.stats.intervals.wilson`. The interval of 1 or none has its
    lower end at 0, the interval of all or all but 1 its upper end at 1.

    References
    ----------
    J. Ville, Etude critique de la notion de collectif, Paris 1939. H. Robbins, Statistical methods
    related to the law of the iterated logarithm, Annals of Mathematical Statistics 41 (1970)
    1397-1409. S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform, nonparametric,
    nonasymptotic confidence sequences, Annals of Statistics 49 (2021) 1055-1080: the beta-binomial
    mixture.
    """
    check(k, n, confidence)
    threshold = -log(1 - confidence)
    return Interval(_lower(k, n, threshold), 1 - _lower(n - k, n, threshold))


def _lower(k: int, n: int, threshold: float) -> float:
    """The lower end, by halving: the evidence is convex in the share and at most 0 at k/n."""
    if k < 2:  # no share near 0 has evidence against it
        return 0.0
    against, not_against = 0.0, k / n
    if k == n:  # the share 1 itself has none
        not_against = 1.0
    for _ in range(_HALVINGS):
        middle = (against + not_against) / 2
        if not against < middle < not_against:
            break
        if log_evidence(k, n, middle) >= threshold:
            against = middle
        else:
            not_against = middle
    return against


@dataclass(frozen=True)
class Until:
    """A rule by which a run stops: when the interval of the share won is so narrow.

    ``str`` gives the text that `parse_until` reads as the same rule.

    Attributes
    ----------
    percent : Decimal
        Half the width of the interval, in per cent.
    """

    percent: Decimal

    @property
    def half_width(self) -> float:
        """Half the width of the interval, as a share."""
        return float(self.percent / 100)

    def reached(self, counts: Counts) -> bool:
        """Whether the outcomes so far are enough."""
        return width(counts).half <= self.half_width

    def out_of_reach(self, counts: Counts) -> bool:
        """Whether more deals are of no use, because too many of them stay open at this budget.

        The interval is at least as wide as the share of open deals. So this is said, wrongly in 5 %
        of surveys at most, once that share is surely above the width.
        """
        still_open = counts.unsettled + counts.error
        return confidence_sequence(still_open, counts.n).low > 2 * self.half_width

    def __str__(self) -> str:
        return f"half-width={self.percent.normalize():f}%"


@dataclass(frozen=True)
class Won:
    """A rule by which a run stops: when so many deals are won.

    ``str`` gives the text that `parse_until` reads as the same rule.

    Attributes
    ----------
    count : int
        Number of deals.
    """

    count: int

    def reached(self, counts: Counts) -> bool:
        """Whether the outcomes so far are enough."""
        return counts.won >= self.count

    def __str__(self) -> str:
        return f"won={self.count}"


StopRule: TypeAlias = Until | Won


def parse_until(text: str) -> StopRule:
    """The stopping rule that a text names.

    They are ``half-width=0.5%``, or ``half-width=0.005``, and ``won=1000``.

    Raises
    ------
    UsageError
        There is no such rule.
    """
    match = _RULE.fullmatch(text)
    if match:
        percent = Decimal(match[1]) * (1 if match[2] else 100)
        if 0 < percent < 50:
            return Until(percent)
    if match := _WON.fullmatch(text):
        return Won(int(match[1]))
    raise UsageError(
        f"until {shown(text)}: write half-width=0.5%, with a number above 0 % and below 50 %, "
        "or won=1000"
    )


@dataclass(frozen=True)
class Width:
    """How wide the interval of the share won is, and why; of shares from 0 to 1.

    Attributes
    ----------
    half : float
        Half the width of the interval.
    sampling : float
        The part of it that more deals make smaller: from the lower bound to the floor and from the
        ceiling to the upper bound, halved.
    still_open : float
        The part of it that a larger budget makes smaller: from floor to ceiling, halved.
    """

    half: float
    sampling: float
    still_open: float


def width(counts: Counts, *, confidence: float = CONFIDENCE, interval: str = "sequence") -> Width:
    """The width of the interval from floor to ceiling.

    Parameters
    ----------
    counts : Counts
        Outcomes of a run. Deals over which the solver itself failed are open like unsettled ones.
    confidence : float
        Two-sided, between 0 and 1.
    interval : str
        One of `solstat.stats.intervals.METHODS`.
    """
    still_open = counts.unsettled + counts.error
    bounds = METHODS[interval]
    found = share(counts.won, still_open, counts.n, confidence=confidence, interval=bounds)
    half, middle = (found.high - found.low) / 2, (found.ceiling - found.floor) / 2
    return Width(half, half - middle, middle)
