"""By how much two shares differ, of the same deals and of different ones: intervals and tests.

Counts that open deals leave unknown are given by their worst cases; `solstat.stats.compare` knows
which these are.
"""

from __future__ import annotations

from math import sqrt

from solstat.stats.intervals import CONFIDENCE, Interval, wilson


def paired_interval(
    both: int, first: int, second: int, neither: int, confidence: float = CONFIDENCE
) -> Interval:
    """Newcombe's square-and-add interval of a difference of shares of the same deals.

    Wilson's bounds of both shares, put together as the correlation of the two outcomes wants.

    Parameters
    ----------
    both, first, second, neither : int
        Deals that count under both settings, the first one only, the second one only, and neither.
        Of no deals nothing is known: -1 to 1.
    confidence : float
        Two-sided, between 0 and 1.

    Returns
    -------
    Interval
        Of the share under the second setting less that under the first, from -1 to 1.

    References
    ----------
    R. G. Newcombe, Improved confidence intervals for the difference between binomial proportions
    based on paired data, Statistics in Medicine 17 (1998) 2635-2650, method 10.
    """
    n = both + first + second + neither
    before, after = both + first, both + second
    low_before, high_before = wilson(before, n, confidence)
    low_after, high_after = wilson(after, n, confidence)
    if n == 0:
        return Interval(-1.0, 1.0)
    share_before, share_after = before / n, after / n
    correlation = _correlation(both, first, second, neither)

    def reach(one: float, other: float) -> float:
        # Never below 0 but by rounding.
        return sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))

    middle = (second - first) / n
    return Interval(
        max(-1.0, middle - reach(share_after - low_after, high_before - share_before)),
        min(1.0, middle + reach(high_after - share_after, share_before - low_before)),
    )


def _correlation(both: int, first: int, second: int, neither: int) -> float:
    """Of the two outcomes, with Newcombe's continuity correction if it is positive."""
    n = both + first + second + neither
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    product = both * neither - first * second
    corrected = product if product < 0 else max(0.0, product - n / 2)
    return corrected / sqrt(margins)


def unpaired_interval(
    first: int, of_first: int, second: int, of_second: int, confidence: float = CONFIDENCE
) -> Interval:
    """Newcombe's hybrid score interval of a difference of shares of different deals.

    Parameters
    ----------
    first, of_first, second, of_second : int
        Deals that count, of how many, in each of two samples; 0 <= first <= of_first.
    confidence : float
        Two-sided, between 0 and 1.

    Returns
    -------
    Interval
        Of the share of the second sample less that of the first; -1 to 1 if one of them is of no
        deals.

    References
    ----------
    R. G. Newcombe, Interval estimation for the difference between independent proportions:
    comparison of eleven methods, Statistics in Medicine 17 (1998) 873-890, method 10.
    """
    low_before, high_before = wilson(first, of_first, confidence)
    low_after, high_after = wilson(second, of_second, confidence)
    if of_first == 0 or of_second == 0:
        return Interval(-1.0, 1.0)
    before, after = first / of_first, second / of_second
    middle = after - before
    return Interval(
        max(-1.0, middle - sqrt((after - low_after) ** 2 + (high_before - before) ** 2)),
        min(1.0, middle + sqrt((high_after - after) ** 2 + (before - low_before) ** 2)),
    )


def mcnemar(first: int, second: int) -> float:
    """McNemar's exact test that one setting is as good as another for a deal they differ in.

    Parameters
    ----------
    first, second : int
        Deals that count under the first setting only, and under the second only.

    Returns
    -------
    float
        Two-sided p-value: twice that of the smaller tail, 1 at most.

    References
    ----------
    Q. McNemar, Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12 (1947) 153-157; the exact form is the sign test.
    """
    from scipy.stats import binom  # a second to import

    return min(1.0, 2 * float(binom.cdf(min(first, second), first + second, 0.5)))


def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact test that two samples are of the same share.

    Parameters
    ----------
    first, of_first, second, of_second : int
        As `unpaired_interval`.

    Returns
    -------
    float
        Two-sided p-value: twice that of the smaller tail, 1 at most. (Doubled, not summed over all
        tables that are as unlikely, it grows smaller whenever the shares move apart.)

    References
    ----------
    R. A. Fisher, Statistical methods for research workers, 5th edition (1934), section 21.02.
    """
    from scipy.stats import hypergeom  # a second to import

    table = hypergeom(of_first + of_second, first + second, of_first)
    return min(1.0, 2 * float(min(table.cdf(first), table.sf(first - 1))))
