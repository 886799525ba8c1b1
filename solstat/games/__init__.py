"""The rules of every game, as plain Python: the definition that all else is checked against."""

from __future__ import annotations

from solstat.games import scorpion as scorpion  # each family joins the table of games on import
from solstat.games import spider as spider
from solstat.games import wave as wave
from solstat.games.base import (
    DEAL,
    IllegalMove,
    Move,
    Option,
    Pile,
    Position,
    Preset,
    Rules,
    SmallDeck,
    family_options,
    move_to,
    parse_rules,
    preset,
    presets,
    rules,
    start,
    value_text,
)
from solstat.games.perft import perft
from solstat.games.relations import within

__all__ = [
    "DEAL",
    "IllegalMove",
    "Move",
    "Option",
    "Pile",
    "Position",
    "Preset",
    "Rules",
    "SmallDeck",
    "family_options",
    "move_to",
    "parse_rules",
    "perft",
    "preset",
    "presets",
    "rules",
    "start",
    "value_text",
    "within",
]
