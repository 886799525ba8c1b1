"""What share of deals players win."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from solstat.stats.intervals import CONFIDENCE, wilson
from solstat.survey.played import Games, games_under


@dataclass(frozen=True)
class Model:
    """A player's games of one game, and the share won.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    policy : str
        The player.
    scheme, first_seed : str
        The scheme of the seeds, and the first.
    n, won, stuck, round : int
        Numbers of deals; `n` is the sum of the others.
    share, low, high : float
        Share won, and its Wilson bounds; every game has an end, so nothing is open.
    confidence : float
        Two-sided, of the bounds.
    """

    rules: str
    policy: str
    scheme: str
    first_seed: str
    n: int
    won: int
    stuck: int
    round: int
    share: float
    low: float
    high: float
    confidence: float


def model(games: Games, confidence: float = CONFIDENCE) -> Model:
    """The share that a player wins (errors as `Games.tables`)."""
    ends = games.ends()
    n, won = sum(ends.values()), ends["won"]
    low, high = wilson(won, n, confidence)
    about = games.identity
    return Model(
        rules=about.rules,
        policy=about.policy,
        scheme=about.scheme,
        first_seed=about.first_seed,
        n=n,
        **ends,
        share=won / n if n else 0.0,
        low=low,
        high=high,
        confidence=confidence,
    )


def models_of(rules: str, top: Path, confidence: float = CONFIDENCE) -> list[Model]:
    """The players of one rules whose games are in a directory, from the one that wins least."""
    found = [
        model(games, confidence) for games in games_under(top) if games.identity.rules == rules
    ]
    return sorted(found, key=lambda each: (each.share, each.policy))
