"""A deal with the line that is shown of it: given, searched for, or taken from a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solstat import solver, verify
from solstat.cards import card_text, shown
from solstat.deals import Deal, parse_seed
from solstat.errors import SolstatError, UsageError
from solstat.games import Rules
from solstat.report.steps import steps
from solstat.report.text import counted, run_name
from solstat.survey.reader import Run, dictionaries

_COLUMNS = ("index", "seed", "outcome", "reason", "positions", "line")


@dataclass(frozen=True)
class DealLine:
    """A deal, what is known of it, and a line.

    Attributes
    ----------
    rules : Rules
        The game.
    deal : Deal
        The deal, under its seed or its id.
    scheme : str or None
        The rule that made the deal of its seed; None if it is of a file.
    outcome : str or None
        As in a run; None if nothing is known.
    line : str
        The moves; empty if none are shown.
    verdict, source : str
        What is known, and where from: a sentence each.
    """

    rules: Rules
    deal: Deal
    scheme: str | None
    outcome: str | None
    line: str
    verdict: str
    source: str


def given(rules: Rules, deal: Deal, scheme: str | None, line: str) -> DealLine:
    """A line that somebody names, whether it wins or not.

    Raises
    ------
    BadLine
        A move is no move, or not legal where it stands.
    """
    line = " ".join(line.split())
    won = verify.replay(rules, deal.cards, line).won
    moves = counted(len(line.split()), "move")
    verdict = f"Won in {moves}." if won else f"Not won after {moves}."
    source = "The line was given, not searched for."
    return DealLine(rules, deal, scheme, "won" if won else None, line, verdict, source)


def solved(
    rules: Rules, deal: Deal, scheme: str | None, budget: int, search: str = "full"
) -> DealLine:
    """The line that the solver finds; parameters as `solver.solve`."""
    result = solver.solve(rules, deal.cards, budget, search)
    source = f"The {_searched(search)} took {counted(result.positions, 'position')}."
    verdict = _verdict(result.outcome, result.line, result.positions, None)
    return DealLine(rules, deal, scheme, result.outcome, result.line or "", verdict, source)


def stored(runs: Sequence[Run], rules: Rules, seed: str, scheme: str | None = None) -> DealLine:
    """What a run holds of a deal.

    Parameters
    ----------
    runs : sequence of Run
        One of them, of these rules, holds it.
    rules : Rules
        The game.
    seed : str
        The deal's seed, or its id in a file.
    scheme : str, optional
        Runs of other schemes are passed over.

    Raises
    ------
    UsageError
        No run of the rules holds the deal, or several do.
    SolstatError
        What the run holds is damaged.
    """
    of_rules = [run for run in runs if run.record.identity.rules == rules.id]
    if not of_rules:
        there = ", ".join(sorted({run.record.identity.rules for run in runs}))
        raise UsageError(f"no run of {rules.id} is there: there are runs of {there}")
    if scheme is not None:
        of_rules = [run for run in of_rules if run.record.identity.scheme == scheme]
    found = [(run, row) for run in of_rules if (row := _row(run, seed)) is not None]
    if not found:
        where = (
            " or ".join(run_name(run.path) for run in of_rules) or f"scheme {shown(scheme or '')}"
        )
        raise UsageError(f"deal {shown(seed)} is not among those that are solved in {where}")
    if len(found) > 1:
        where = ", ".join(run_name(run.path) for run, _ in found)
        raise UsageError(f"deal {shown(seed)} is in several runs: name one of {where}")
    return _of_row(*found[0])


def first_won(run: Run, count: int) -> Iterator[tuple[int, DealLine]]:
    """The first deals of a run that are won, with their indices. Errors as `stored`."""
    import pyarrow.compute as pc

    for table in run.tables(_COLUMNS) if count else ():
        won = table.filter(pc.equal(table["outcome"], "won")).slice(0, count)
        for row in dictionaries([won]):
            yield row["index"], _of_row(run, row)
        count -= len(won)
        if not count:
            return


def as_json(told: DealLine) -> dict[str, Any]:
    """A deal and its steps as JSON has them (BadLine if the line cannot be played)."""
    return {
        "game": told.rules.game,
        "rules": told.rules.id,
        "scheme": told.scheme or "file",
        "seed": told.deal.id,
        "outcome": told.outcome,
        "verdict": told.verdict,
        "line": told.line,
        "steps": [
            {
                "move": step.move,
                "words": step.words,
                "moved": _texts(step.moved),
                "piles": [
                    {"pile": pile.name, "cards": _texts(pile.cards), "face_down": pile.down}
                    for pile in step.piles
                ],
                "stock": None if step.stock is None else _texts(step.stock),
                "finished": [_texts(cards) for cards in step.finished],
            }
            for step in steps(told.rules, told.deal.cards, told.line)
        ],
    }


def _texts(cards: Sequence[int]) -> list[str]:
    return [card_text(card) for card in cards]


def _row(run: Run, seed: str) -> dict[str, Any] | None:
    """The row of a deal, if there is one."""
    import pyarrow.compute as pc

    if run.record.identity.first_seed is not None:
        try:
            seed = str(parse_seed(seed, run.record.identity.scheme))
        except UsageError:
            return None
    for table in run.tables(_COLUMNS):
        for row in dictionaries([table.filter(pc.equal(table["seed"], seed))]):
            return row
    return None


def _of_row(run: Run, row: dict[str, Any]) -> DealLine:
    identity = run.record.identity
    (cards,) = run.cards(np.array([row["index"]])).tolist()
    deal = Deal(row["seed"], tuple(cards))
    outcome, line = row["outcome"], row["line"] or ""
    source = f"From the run {run_name(run.path)}"
    if outcome == "won":
        if not line:
            found = solver.solve(run.rules, cards, row["positions"], identity.search)
            line = found.line or ""
            source += ", which keeps no lines, so the deal was searched again"
        try:
            verify.replay_win(run.rules, cards, line)
        except UsageError as error:
            raise SolstatError(
                f"{run.path}: the line of deal {shown(deal.id)} does not hold: {error}"
            ) from None
    positions = counted(row["positions"], "position")
    source += f"; the {_searched(identity.search)} took {positions}."
    scheme = None if identity.first_seed is None else identity.scheme
    verdict = _verdict(outcome, line, row["positions"], row["reason"])
    return DealLine(run.rules, deal, scheme, outcome, line, verdict, source)


def _verdict(outcome: str, line: str | None, positions: int, reason: str | None) -> str:
    if outcome == "won":
        return f"Won in {counted(len((line or '').split()), 'move')}."
    if outcome == "lost":
        return "Proved lost: no line wins this deal."
    if outcome == "unsettled":
        return f"Unsettled within {counted(positions, 'position')}: nobody knows yet."
    return f"The solver failed over this deal ({reason}): nothing is known of it."


def _searched(search: str) -> str:
    return "search" if search == "full" else f"{search} search"
