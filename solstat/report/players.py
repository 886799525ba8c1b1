"""What players win, as a plain text table."""

from __future__ import annotations

from collections.abc import Sequence

from solstat.report.tables import aligned
from solstat.report.text import ends, rounded
from solstat.stats.players import Model, Step


def models_table(models: Sequence[Model]) -> str:
    """Players, a row each: how their games ended, and the share won with its interval."""
    confidence = {f"{100 * each.confidence:.10g}" for each in models}
    interval = f"interval % ({', '.join(sorted(confidence))} % wilson)"
    return aligned(
        ["rules", "player", "n", "won", "stuck", "round", "won %", interval],
        (
            [
                each.rules,
                each.policy,
                *(f"{count:,}" for count in (each.n, each.won, each.stuck, each.round)),
                rounded(each.share),
                ends(each.low, each.high),
            ]
            for each in models
        ),
        left=(0, 1),
    )


def steps_table(steps: Sequence[Step]) -> str:
    """Whether a better player wins at least as much as the one before it, a row each."""
    return aligned(
        ["rules", "player", "won %", "next", "won %", "wins as much", "clear"],
        (
            [
                each.lower.rules,
                each.lower.policy,
                rounded(each.lower.share),
                each.upper.policy,
                rounded(each.upper.share),
                "yes" if each.holds else "NO",
                "yes" if each.clear else "no",
            ]
            for each in steps
        ),
        left=(0, 1, 3, 5, 6),
    )
