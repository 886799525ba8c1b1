"""Published claims, and what our surveys say of them, as plain text tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from solstat.budget import format_budget
from solstat.report.tables import aligned
from solstat.report.text import ends, escaped, rounded
from solstat.stats.claims import OTHER, UNKNOWN, Claim
from solstat.stats.proportion import Figures, Share
from solstat.stats.published import Published
from solstat.stats.verdicts import Verdict
from solstat.survey.reader import Counts


def claims_table(claims: Sequence[Claim]) -> str:
    """Claims, a row each: what they are of, what they say, and where."""
    return aligned(
        ["claim", "rules", "kind", "n", "budget", "claimed", "comparable", "source"],
        (
            [
                claim.id,
                _rules(claim),
                claim.kind,
                _count(claim.n),
                _budget(claim),
                claimed(claim),
                "yes" if claim.comparable else "no",
                claim.source,
            ]
            for claim in claims
        ),
        left=(0, 1, 2, 5, 6, 7),
    )


def claimed(claim: Claim) -> str:
    """What a claim says, in a few words: ``77.9 %``, ``82 won, 13 lost, 5 unsettled``."""
    if claim.share is not None:
        return f"{claim.share} %" + ("" if claim.half_width is None else f" +- {claim.half_width}")
    counts = {"won": claim.won, "lost": claim.lost, "unsettled": claim.unsettled}
    known = [f"{count:,} {what}" for what, count in counts.items() if count is not None]
    return ", ".join(known) or UNKNOWN


def quotes(claims: Sequence[Claim]) -> str:
    """The words of each source once, as a list in Markdown, with the claims they make."""
    found: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        about = (
            f"n {_count(claim.n)}, budget {_budget(claim)}, where {claim.where}, seen {claim.seen}"
        )
        found.setdefault((claim.printed, f"{claim.source}; {about}"), []).append(claim.id)
    return "\n".join(
        f"- {escaped(_ids(ids))}: *{escaped(printed)}* ({escaped(about)})"
        for (printed, about), ids in found.items()
    )


def _ids(ids: Sequence[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]} ({len(ids)} claims)"


def verdicts_table(verdicts: Sequence[Verdict]) -> str:
    """Claims with their intervals beside ours, in percent, and what follows.

    `outcomes` have a row for the deals won and one for the deals lost.
    """
    return aligned(
        [
            "claim",
            "rules",
            "kind",
            "claimed",
            "its interval %",
            "our n",
            "budget",
            "floor to ceiling %",
            "interval %",
            "verdict",
            "why",
        ],
        (row for verdict in verdicts for row in _rows(verdict)),
        left=(0, 1, 2, 3, 9, 10),
    )


def _rows(verdict: Verdict) -> Iterator[list[str]]:
    claim, ours = verdict.claim, verdict.ours
    won = None if ours is None else Share(ours.floor, ours.ceiling, ours.low, ours.high)
    yield [
        claim.id,
        _rules(claim),
        claim.kind,
        claimed(claim),
        _interval(verdict.won),
        *_survey(ours),
        *_share(won),
        verdict.verdict,
        verdict.why,
    ]
    if verdict.lost is not None:
        lost = None
        if ours is not None:
            lost = Share(ours.lost_floor, ours.lost_ceiling, ours.lost_low, ours.lost_high)
        yield ["", "", "", "  lost", _interval(verdict.lost), "", "", *_share(lost), "", ""]


def at_budget_table(verdicts: Sequence[Verdict]) -> str:
    """What was published at a budget, above our outcomes at the same budget.

    Claims whose budget is not known are left out, and those at whose budget ours are not known.
    """
    return aligned(
        ["claim", "", "budget", "n", "won", "lost", "unsettled", "won %", "lost %", "unsettled %"],
        (
            row
            for verdict in verdicts
            if verdict.at_budget is not None
            for row in _at_budget(verdict.claim, verdict.at_budget)
        ),
        left=(0, 1),
    )


def _at_budget(claim: Claim, ours: Counts) -> Iterator[list[str]]:
    published = claim.published()
    yield [
        claim.id,
        "published",
        format_budget(ours.budget),
        _count(claim.n),
        "" if published is None else _several(published),
        _count(claim.lost),
        _count(claim.unsettled),
        *(
            _percent(count, claim.n) if count is not None and claim.n else ""
            for count in (claim.won, claim.lost, claim.unsettled)
        ),
    ]
    still_open = ours.unsettled + ours.error
    yield [
        "",
        "ours",
        format_budget(ours.budget),
        f"{ours.n:,}",
        *(f"{count:,}" for count in (ours.won, ours.lost, still_open)),
        *(_percent(count, ours.n) for count in (ours.won, ours.lost, still_open)),
    ]


def summary_line(verdicts: Sequence[Verdict]) -> str:
    """How many claims have which verdict: ``3 claims: 2 consistent, 1 not comparable``."""
    found = Counter(verdict.verdict for verdict in verdicts)
    claims = "1 claim" if len(verdicts) == 1 else f"{len(verdicts)} claims"
    return f"{claims}: " + ", ".join(f"{count} {answer}" for answer, count in found.items())


def _rules(claim: Claim) -> str:
    return claim.rules if claim.rules != OTHER else f"{claim.game}, other rules"


def _survey(ours: Figures | None) -> list[str]:
    return ["", ""] if ours is None else [f"{ours.n:,}", format_budget(ours.budget)]


def _share(share: Share | None) -> list[str]:
    if share is None:
        return ["", ""]
    ends = dict.fromkeys(rounded(end, 3) for end in (share.floor, share.ceiling))
    return [" to ".join(ends), _interval(share)]


def _interval(share: Share | None) -> str:
    return "" if share is None else ends(share.low, share.high, 3)


def _several(published: Published) -> str:
    return " to ".join(dict.fromkeys(f"{each:,}" for each in (published.won[0], published.won[-1])))


def _budget(claim: Claim) -> str:
    return UNKNOWN if claim.budget is None else format_budget(claim.budget)


def _count(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,}"


def _percent(count: int, n: int) -> str:
    return rounded(count / n) if n else ""
