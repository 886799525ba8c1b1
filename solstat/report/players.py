"""What players win, as a plain text table."""

from __future__ import annotations

from collections.abc import Sequence

from solstat.report.tables import aligned
from solstat.report.text import ends, rounded
from solstat.stats.players import Model


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
