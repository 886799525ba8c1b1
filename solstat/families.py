"""What the kernel has of each family of games, and how it is told rules.

Only `solstat.solver` needs it: that is the door to the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from solstat.games import Rules

__all__ = ["FAMILIES", "kernel"]

try:
    from solstat import _kernel as kernel
except ImportError as missing:
    raise ImportError(
        "the kernel of solstat is not built here: install the package (pip install .) and run it "
        "outside its source folder, or with the solstat command"
    ) from missing


class Family(NamedTuple):
    """A family's part of the kernel."""

    search_version: int
    rules: Callable[[Rules], Any]
    solve: Callable[..., Any]
    perft: Callable[..., list[int]]
    dead: Callable[..., list[bool]] | None = None


def _scorpion_rules(rules: Rules) -> kernel.ScorpionRules:
    deck = rules.deck
    return kernel.ScorpionRules(
        ranks=deck.ranks,
        suits=deck.suits,
        piles=deck.piles,
        depth=deck.depth,
        face_down_piles=int(rules.option("face_down_piles")),
        any_to_empty=rules.option("empty_pile") == "any",
    )


def _spider_rules(rules: Rules) -> kernel.SpiderRules:
    deck = rules.deck
    return kernel.SpiderRules(
        ranks=deck.ranks,
        suits=deck.suits,
        piles=deck.piles,
        depth=deck.depth,
        triangle=rules.option("layout") == "triangle",
        onto_empty=bool(rules.option("deal_onto_empty")),
        finished_runs=str(rules.option("finished_runs")),
    )


def _wave_rules(rules: Rules) -> kernel.WaveRules:
    deck = rules.deck
    return kernel.WaveRules(
        ranks=deck.ranks,
        suits=deck.suits,
        reserves=int(rules.option("reserves")),
        columns=int(rules.option("columns")),
        runs=rules.option("reserve_moves") == "run",
        build=bool(rules.option("reserve_build")),
        fill_empty=rules.option("empty_reserve") == "single",
    )


FAMILIES = {
    "scorpion": Family(
        kernel.SCORPION_SEARCH_VERSION,
        _scorpion_rules,
        kernel.scorpion_solve,
        kernel.scorpion_perft,
    ),
    "spider": Family(
        kernel.SPIDER_SEARCH_VERSION,
        _spider_rules,
        kernel.spider_solve,
        kernel.spider_perft,
        kernel.spider_dead,
    ),
    "wave": Family(
        kernel.WAVE_SEARCH_VERSION,
        _wave_rules,
        kernel.wave_solve,
        kernel.wave_perft,
    ),
}
