"""A comparison of two runs as plain text."""

from __future__ import annotations

from solstat.budget import format_budget
from solstat.report.tables import aligned
from solstat.stats.compare import Comparison, Difference
from solstat.stats.intervals import CONFIDENCE
from solstat.survey.reader import Counts, Run

SHOWN = 20
"""Seeds of deals that differ are listed up to so many of a kind."""

_ORDER = ("won", "lost", "unsettled", "error")
_KNOWN = {
    "same": "The rules are the same.",
    "first in second": "Every deal that can be won under the first rules can be under the second.",
    "second in first": "Every deal that can be won under the second rules can be under the first.",
}


def comparison_text(found: Comparison, *, confidence: float = CONFIDENCE) -> str:
    """The settings, what was compared, the deals by their outcomes, differences, and deals.

    Parameters
    ----------
    found : Comparison
        From `solstat.stats.compare.compare`.
    confidence : float
        The one it was made with.
    """
    pieces = [_settings(found), _compared(found), _outcomes(found)]
    pieces.append(_differences(found, confidence))
    if found.is_paired:
        pieces.append(_deals(found))
    return "\n\n".join(piece for piece in pieces if piece)


def _settings(found: Comparison) -> str:
    return aligned(
        ["", "run", "rules", "scheme", "search", "budget"],
        [
            _setting("first", found.first, found.counts[0]),
            _setting("second", found.second, found.counts[1]),
        ],
        left=range(5),
    )


def _setting(name: str, run: Run, counts: Counts) -> list[str]:
    identity = run.record.identity
    budget = format_budget(counts.budget)
    return [name, str(run.path), identity.rules, identity.scheme, identity.search, budget]


def _compared(found: Comparison) -> str:
    first, second = found.counts
    if not found.is_paired:
        text = f"No deals in common: two samples of {first.n:,} and {second.n:,} deals."
    else:
        text = f"The same {first.n:,} deals under both."
        if any(found.left_out):
            text = f"{first.n:,} deals in common are compared; left out are " + " and ".join(
                f"{number:,} that only the {name} run has"
                for name, number in zip(("first", "second"), found.left_out, strict=True)
                if number
            )
            text += "."
    known = [_KNOWN[found.relation]] if found.relation else []
    if found.won is None:
        known.append("So the same deals can be won, and only the share settled can differ.")
    return " ".join([text, *known])


def _outcomes(found: Comparison) -> str:
    shown = [name for name in _ORDER if name != "error" or any(each.error for each in found.counts)]
    if found.table is None:
        return aligned(
            ["", "n", *shown],
            (
                [name, f"{each.n:,}", *(f"{getattr(each, outcome):,}" for outcome in shown)]
                for name, each in zip(("first", "second"), found.counts, strict=True)
            ),
        )
    return aligned(
        ["first \\ second", *shown],
        ([before, *(f"{found.number(before, after):,}" for after in shown)] for before in shown),
    )


def _differences(found: Comparison, confidence: float) -> str:
    named = [("won", found.won), ("settled", found.settled)]
    percent = f"{100 * confidence:.10g}"
    return aligned(
        [
            "second less first",
            "lowest",
            "highest",
            f"{percent} % interval",
            "exact McNemar p" if found.is_paired else "exact Fisher p",
        ],
        (
            [f"% {name}", *_points(each), _p_values(each)]
            for name, each in named
            if each is not None
        ),
    )


def _points(each: Difference) -> list[str]:
    lowest, highest, low, high = (
        f"{100 * share:+.2f}" for share in (each.lowest, each.highest, each.low, each.high)
    )
    return [lowest, highest, f"{low} to {high}"]


def _p_values(each: Difference) -> str:
    possible = _p(each.p_least)
    if _p(each.p_most) != possible:
        possible = f"{possible} to {_p(each.p_most)}"
    if each.p is None or _p(each.p) == possible:
        return possible
    return f"{_p(each.p)} ({possible})"


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-4 else "<0.0001"


def _deals(found: Comparison) -> str:
    """Which deals differ, a line for each pair of outcomes."""
    lines = []
    for before in _ORDER:
        for after in _ORDER:
            number = found.number(before, after)
            if before == after or number == 0:
                continue
            seeds = found.seeds(before, after, SHOWN)
            more = f" and {number - SHOWN:,} more" if number > SHOWN else ""
            kind = f"{before} in the first, {after} in the second"
            lines.append(f"{kind}: {' '.join(seeds)}{more}")
    return "\n".join(lines) or "No deal has another outcome."
