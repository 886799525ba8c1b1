"""Tables and figures of what difficulties of boards are worth.

Importing this imports matplotlib; do so only where a figure is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from solstat.boards.worth import DIFFICULTY, PLAYERS, RESULTS, Level, Worth
from solstat.report.figures import STYLE
from solstat.report.tables import aligned

COLOURS = dict(zip(PLAYERS, ("#D55E00", "#0072B2"), strict=True))

_TITLES = {"won": "games won", "left": "work left"}


def worth_table(found: Sequence[Worth]) -> str:
    """How each measure of boards, and the difficulty, goes with what players make of them."""
    titles = {result: _TITLES[what] for result in RESULTS for what in [result.split("_")[1]]}
    header = [f"{result.split('_')[0]}, {title}" for result, title in titles.items()]
    rows = []
    before = ""
    for each in found:
        shown = ["" if each.rho[name] is None else f"{each.rho[name]:+.2f}" for name in RESULTS]
        kept = "counts" if each.counts else "" if each.measure == DIFFICULTY else "dropped"
        rules = "" if each.rules == before else each.rules
        rows.append([rules, each.measure, kept, *shown])
        before = each.rules
    return aligned(["", "measure", "", *header], rows, left=(0, 1, 2))


def level_table(found: Sequence[Level]) -> str:
    """What players make of the boards of each level."""
    shares = [f"{player} wins %" for player in PLAYERS]
    left = [f"{player} leaves" for player in PLAYERS]
    rows = []
    before = ""
    for each in found:
        won = [_share(each, player) for player in PLAYERS]
        work = [f"{each.left[player]:.1f}" if each.games else "" for player in PLAYERS]
        rules = "" if each.rules == before else each.rules
        rows.append([rules, str(each.level), f"{each.boards:,}", *won, *work])
        before = each.rules
    return aligned(["", "level", "boards", *shares, *left], rows)


def _share(level: Level, player: str) -> str:
    return f"{100 * level.won[player] / level.games:.1f}" if level.games else ""


def level_figure(games: Mapping[str, Sequence[Level]], what: str) -> Figure:
    """What players make of the boards of each level, a panel for each game.

    Parameters
    ----------
    games : mapping of str to sequence of Level
        By rules id.
    what : {"won", "left"}
        The share of games that they win, or the work they leave.
    """
    with matplotlib.style.context(STYLE):
        across = min(4, len(games))
        down = -(-len(games) // across)
        figure = Figure(figsize=(2.7 * across, 2.4 * down + 0.4))
        panels = figure.subplots(down, across, squeeze=False, sharex=True).flat
        for axes, (rules, found) in zip(panels, games.items(), strict=False):
            there = [each for each in found if each.games]
            for player in PLAYERS:
                values = [
                    each.won[player] / each.games if what == "won" else each.left[player]
                    for each in there
                ]
                places = [each.level for each in there]
                axes.plot(places, values, "o-", color=COLOURS[player], label=player)
            axes.set_title(rules.replace("(", "\n(", 1), fontsize=8)
            axes.set_ylim(bottom=0)
            axes.set_xticks(range(1, 6))
            if what == "won":
                axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        for axes in list(panels)[len(games) :]:
            axes.set_axis_off()
        figure.supxlabel("difficulty", fontsize=9)
        figure.supylabel(_TITLES[what], fontsize=9)
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper right")
    return figure
