"""Confidence intervals of a share of deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from solstat.errors import UsageError

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Confidence bounds of a share, from 0 to 1."""

    low: float
    high: float


def wilson(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of k in n.

    Parameters
    ----------
    k, n : int
        Deals that count, of how many; 0 <= k <= n. Of no deals nothing is known: 0 to 1.
    confidence : float
        Two-sided, between 0 and 1.

    Returns
    -------
    Interval

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of
    the American Statistical Association 22 (1927) 209-212.
    """
    check(k, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (k + z * z / 2) / (n + z * z)
    half = z * sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    # At the ends the bound is the end itself; rounding would miss it.
    low = 0.0 if k == 0 else middle - half
    high = 1.0 if k == n else middle + half
    return Interval(low, high)


def clopper_pearson(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The exact interval of k in n: it never holds the true share less often than it says.

    Parameters and result as `wilson`.

    References
    ----------
    C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case
    of the binomial, Biometrika 26 (1934) 404-413.
    """
    check(k, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    from scipy.stats import binomtest  # a second to import

    found = binomtest(k, n).proportion_ci(confidence, method="exact")
    return Interval(float(found.low), float(found.high))


def sequence(k: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The interval of `solstat.stats.sequential.confidence_sequence`."""
    from solstat.stats.sequential import confidence_sequence  # which itself needs this module

    return confidence_sequence(k, n, confidence)


def check(k: int, n: int, confidence: float) -> None:
    """Refuse what is no number of deals (ValueError) or no confidence (UsageError)."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} deals")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}: give a number between 0 and 1, like 0.95")


METHODS: Mapping[str, Callable[[int, int, float], Interval]] = {
    "wilson": wilson,
    "exact": clopper_pearson,
    "sequence": sequence,
}
"""Ways to make an interval of k in n at a confidence, by name."""
