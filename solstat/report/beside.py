"""Figures of several surveys, published ones and ours, side by side as a plain text table."""

from __future__ import annotations

from collections.abc import Mapping

from solstat.budget import format_budget
from solstat.report.tables import aligned
from solstat.report.text import ends, rounded
from solstat.stats.proportion import Figures, Share
from solstat.stats.published import Published

_NOT_SAID = "not said"
_HEADER = [
    "",
    "budget",
    "n",
    "proved won %",
    "proved lost %",
    "unsettled %",
    "interval of winnable %",
]


def beside_table(surveys: Mapping[str, Published | Figures]) -> str:
    """Surveys, a row each, in percent of their deals.

    Of a published survey, proved won is what was printed, from the fewest to the most deals that it
    can mean. The interval is that of the share that can be won, with unsettled deals counted as
    lost at its lower end and as won at its upper: if nothing is said of lost deals, it goes up to
    all.

    Parameters
    ----------
    surveys : mapping of str to Published or Figures
        By what the table calls them.
    """
    return aligned(
        _HEADER,
        (
            [name, *(_published(each) if isinstance(each, Published) else _ours(each))]
            for name, each in surveys.items()
        ),
    )


def _published(survey: Published) -> list[str]:
    n, lost = survey.n, survey.lost
    unsettled = "" if lost is None else rounded((n - lost - survey.won[0]) / n)
    return [
        _NOT_SAID if survey.budget is None else format_budget(survey.budget),
        f"{n:,}",
        " to ".join(dict.fromkeys([rounded(survey.won[0] / n), rounded(survey.won[-1] / n)])),
        _NOT_SAID if lost is None else rounded(lost / n),
        unsettled or _NOT_SAID,
        _interval(survey.share()),
    ]


def _ours(survey: Figures) -> list[str]:
    unsettled = (survey.unsettled + survey.error) / survey.n if survey.n else 0.0
    return [
        format_budget(survey.budget),
        f"{survey.n:,}",
        rounded(survey.floor),
        rounded(survey.lost_floor),
        rounded(unsettled),
        _interval(survey),
    ]


def _interval(share: Share | Figures) -> str:
    return ends(share.low, share.high)
