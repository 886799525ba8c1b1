"""What share of deals players win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from solstat.players import POLICIES
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


def all_models(top: Path, confidence: float = CONFIDENCE) -> list[Model]:
    """All players whose games are in a directory: by rules, then from the simplest player on."""
    found = [model(games, confidence) for games in games_under(top)]
    return sorted(found, key=lambda each: (each.rules, _place(each)))


def models_of(rules: str, top: Path, confidence: float = CONFIDENCE) -> list[Model]:
    """Those of one rules."""
    games = [each for each in games_under(top) if each.identity.rules == rules]
    return sorted((model(each, confidence) for each in games), key=_place)


def _place(each: Model) -> int:
    """Where a player stands among the policies, from the simplest on."""
    return list(POLICIES).index(each.policy)


@dataclass(frozen=True)
class Step:
    """A player beside the next better one, over the same deals of the same rules.

    Attributes
    ----------
    lower, upper : Model
        The players.
    """

    lower: Model
    upper: Model

    @property
    def holds(self) -> bool:
        """Whether the better one wins at least as much."""
        return self.lower.share <= self.upper.share

    @property
    def clear(self) -> bool:
        """Whether their intervals are apart."""
        return self.lower.high < self.upper.low or self.upper.high < self.lower.low


def steps(models: Sequence[Model]) -> list[Step]:
    """Neighbours of the same rules, in the order of `all_models`."""
    return [Step(lower, upper) for lower, upper in pairwise(models) if lower.rules == upper.rules]
