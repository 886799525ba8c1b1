"""Published claims beside one run, as rows of a forest plot and of a table.

Importing this imports matplotlib; do so only where a page is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from solstat.report.account import Table
from solstat.report.claims import claimed
from solstat.report.forest import Row, claim_row
from solstat.report.text import decimals, percent
from solstat.stats.claims import Claim
from solstat.stats.proportion import Figures, Share, figures
from solstat.stats.verdicts import CONFIDENCE, judge
from solstat.survey.reader import Counts


@dataclass(frozen=True)
class Beside:
    """Published shares beside ours.

    Attributes
    ----------
    rows : sequence of Row
        Of the forest plot: ours, then those that can be compared.
    table : Table
        All of them with numbers, and why each verdict is what it is.
    """

    rows: Sequence[Row]
    table: Table


def beside(made: Figures, claims: Iterable[Claim]) -> Beside | None:
    """What a run says of the claims of its rules; None if none of them can be compared with it.

    Parameters
    ----------
    made : Figures
        Of the run.
    claims : iterable of Claim
        Of any rules.
    """
    counts = Counts(made.rules, made.budget, made.won, made.lost, made.unsettled, made.error)
    verdicts = [
        judge(claim, counts, interval=made.interval)
        for claim in claims
        if claim.rules == made.rules
    ]
    comparable = [each for each in verdicts if each.claim.comparable and each.won is not None]
    if not made.n or not comparable:
        return None
    ours = figures(counts, confidence=CONFIDENCE, interval=made.interval)
    places = decimals(made.n)
    return Beside(
        [
            Row("this survey", ours.low, ours.high, ours.floor, ours.ceiling, is_ours=True),
            *(claim_row(each, each.won) for each in comparable if each.won is not None),
        ],
        Table(
            f"Shares won, with {100 * CONFIDENCE:g} % intervals",
            ["", "claimed", "interval %", "verdict", "why, and the source"],
            [
                [
                    "this survey",
                    f"{made.won:,} won of {made.n:,}",
                    _interval(ours, places),
                    *("", ""),
                ],
                *(
                    [
                        each.claim.id,
                        claimed(each.claim),
                        "" if each.won is None else _interval(each.won, places),
                        each.verdict,
                        f"{each.why} ({each.claim.source})",
                    ]
                    for each in verdicts
                ),
            ],
            text=(0, 1, 3, 4),
        ),
    )


def _interval(share: Share | Figures, places: int) -> str:
    return f"{percent(share.low, places)} to {percent(share.high, places)}"
