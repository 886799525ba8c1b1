"""What is told of runs that stop once enough is known, or won."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solstat.stats.sequential import StopRule, Until
    from solstat.survey.reader import Counts


class Watch:
    """Says of outcomes whether a run may stop, and tells, once for each rules, if it never will.

    Parameters
    ----------
    text : str
        The rule, as `solstat.stats.sequential.parse_until` reads it.
    """

    def __init__(self, text: str) -> None:
        from solstat.stats.sequential import parse_until

        self.rule: StopRule = parse_until(text)
        self._told: set[str] = set()

    def __call__(self, counts: Counts) -> bool:
        from solstat.stats.sequential import Until

        rule = self.rule
        untold = counts.rules not in self._told
        if isinstance(rule, Until) and untold and rule.out_of_reach(counts):
            from solstat.survey.logs import logger

            self._told.add(counts.rules)
            logger.warning("%s: %s", counts.rules, _out_of_reach(rule, counts))
        return rule.reached(counts)


def _out_of_reach(rule: Until, counts: Counts) -> str:
    share = (counts.unsettled + counts.error) / counts.n
    return (
        f"{_percent(share)} of {counts.n:,} deals are open: at this budget {rule} is out of reach, "
        "however many deals there are; a larger budget may help"
    )


def how_it_ended(rule: StopRule, counts: Counts) -> str:
    """Whether the rule is reached; if not, why, and what would help."""
    from solstat.stats.sequential import Won, width

    if isinstance(rule, Won):
        reached = "is reached" if rule.reached(counts) else "is not reached"
        return f"{rule} {reached} by {counts.n:,} deals: {counts.won:,} are won"
    found = width(counts)
    if rule.reached(counts):
        return f"{rule} is reached by {counts.n:,} deals: it is {_percent(found.half)}"
    if rule.out_of_reach(counts):
        why = _out_of_reach(rule, counts)
    elif found.still_open >= rule.half_width:
        why = "the open deals of these alone make it as wide: a larger budget may help"
    else:
        why = "more deals may help"
    return (
        f"{rule} is not reached by {counts.n:,} deals: it is {_percent(found.half)}, "
        f"{_percent(found.sampling)} of that by sampling and {_percent(found.still_open)} by open "
        f"deals; {why}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
