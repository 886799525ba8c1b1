"""A share of the deals of a run, solved once more: the check of runs that keep no lines."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from solstat import solver
from solstat.games import Rules
from solstat.survey.record import Record
from solstat.verify import BadLine, replay_win

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Stored(NamedTuple):
    """What a run says of a deal."""

    seed: str
    outcome: str
    positions: int
    line: str | None
    budget: int


class Again(NamedTuple):
    """What came of a deal that was solved again.

    Attributes
    ----------
    seed : str
        Of the deal.
    replayed : bool
        Whether a line was played, and wins.
    bad : str or None
        Why the line of a win does not win.
    other : str or None
        The other result that the deal has now, and the one that it had.
    """

    seed: str
    replayed: bool = False
    bad: str | None = None
    other: str | None = None


def in_sample(seeds: Iterable[str], share: float) -> list[bool]:
    """Whether deals are in the sample of that share: the same ones every time, on every machine.

    A deal is in it if the first eight bytes of the SHA-256 of its seed, as a number, are below the
    share of 2^64. So a larger sample holds every smaller one.

    Parameters
    ----------
    seeds : iterable of str
        The seeds, or the ids of a deal file.
    share : float
        Of all deals, above 0 and at most 1.
    """
    limit = round(share * 2**64)
    return [int.from_bytes(sha256(seed.encode()).digest()[:8]) < limit for seed in seeds]


def solve_again(
    rules: Rules, record: Record, stored: list[Stored], cards: NDArray[np.uint8]
) -> list[Again]:
    """Search deals as their run has, and replay the lines of its wins.

    A run that keeps lines is asked for the line of a win, else the new search is. Under the search
    version of the run the outcome and the count of positions must be the same; under another
    version only won and lost exclude each other.

    Parameters
    ----------
    rules : Rules
        The game.
    record : Record
        Of the run.
    stored : list of Stored
        What it says of the deals; none of them an error.
    cards : ndarray of uint8
        Shape (deals, cards).
    """
    identity = record.identity
    # Deals that were searched again have had more than others. At a larger budget all that is
    # settled is so after as many positions.
    most = max(deal.budget for deal in stored)
    batch = solver.solve_many(rules, cards, most, identity.search)
    same_version = identity.search_version == solver.search_version(rules.family)
    results = []
    for deal, dealt, index, positions, new_line in zip(
        stored, cards.tolist(), batch.outcome, batch.positions.tolist(), batch.line, strict=True
    ):
        outcome = solver.OUTCOMES[index]
        if outcome != "error" and positions > deal.budget:
            outcome, positions = "unsettled", deal.budget
        now, before = (outcome, positions), (deal.outcome, deal.positions)
        differs = now != before if same_version else {outcome, deal.outcome} == {"won", "lost"}
        other = _text(*before) + ", solved again " + _text(*now) if differs else None
        line = deal.line if identity.lines else new_line
        if deal.outcome != "won" or (outcome != "won" and not identity.lines):
            results.append(Again(deal.seed, other=other))
            continue
        bad = why_bad(rules, dealt, line)
        results.append(Again(deal.seed, replayed=bad is None, bad=bad, other=other))
    return results


def why_bad(rules: Rules, cards: list[int], line: str | None) -> str | None:
    """Why the line of a win does not win, if it does not."""
    if line is None:
        return "no line"
    try:
        replay_win(rules, cards, line)
    except BadLine as error:
        return str(error)
    return None


def _text(outcome: str, positions: int) -> str:
    return f"{outcome} after {positions:,} position{'s' if positions != 1 else ''}"
