"""Which deals runs have in common.

Seeds of one scheme are compared as numbers, whatever their runs begin with. Deals of a file have no
number that means anything elsewhere, so their cards are compared, also with those of seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solstat.deals import PYSOL_PLAIN, Seed, parse_seed
from solstat.errors import UsageError
from solstat.solver import OUTCOMES
from solstat.survey import parts
from solstat.survey.reader import Run, outcomes

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 100_000  # deals whose cards are made together


@dataclass(frozen=True, eq=False)
class Stored:
    """The outcomes of the stored deals of a run.

    Attributes
    ----------
    index : ndarray of int64
        Of the deals, ascending.
    outcome : ndarray of uint8
        Of each at the budget asked for: index into `solstat.solver.OUTCOMES`.
    verdict : ndarray of uint8
        Of each as it is stored, whatever the budget.
    """

    index: NDArray[np.int64]
    outcome: NDArray[np.uint8]
    verdict: NDArray[np.uint8]

    def at(self, places: NDArray[np.int64]) -> Stored:
        """Those of the deals that are at some places."""
        return Stored(self.index[places], self.outcome[places], self.verdict[places])


def stored(run: Run, budget: int | None = None) -> Stored:
    """The outcomes of a run at a budget, its own if not given.

    Errors as `solstat.survey.reader.outcomes`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = pa.array(OUTCOMES)
    index = [np.empty(0, np.int64)]
    outcome, verdict = [np.empty(0, np.uint8)], [np.empty(0, np.uint8)]
    for table in outcomes(run, budget, ["index"]):
        index.append(table["index"].to_numpy())
        for column, codes in (("outcome", outcome), ("stored", verdict)):
            found = pc.index_in(table[column], value_set=names)
            codes.append(found.to_numpy().astype(np.uint8))
    return Stored(np.concatenate(index), np.concatenate(outcome), np.concatenate(verdict))


def common(
    first: Run, here: NDArray[np.int64], second: Run, there: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The deals that two runs have in common.

    A deal that a file holds twice is taken once.

    Parameters
    ----------
    first, second : Run
        The runs.
    here, there : ndarray of int64
        Indices of deals of the first run, and of the second; ascending.

    Returns
    -------
    tuple of two ndarrays of int64
        Places in `here`, ascending, and the places of the same deals in `there`.

    Raises
    ------
    SolstatError
        A run is of a deal file and its copy is gone or changed.
    """
    one, other = first.record.identity, second.record.identity
    if one.first_seed is not None and other.first_seed is not None:
        if one.scheme != other.scheme:
            return _NONE, _NONE
        start, end = (parse_seed(each.first_seed or "", one.scheme) for each in (one, other))
        return _by_number(start, here, end, there)
    if one.deals_sha256 is not None and one.deals_sha256 == other.deals_sha256:
        return _by_number(Seed(0), here, Seed(0), there)
    if one.first_seed is None:
        return _by_cards(first, here, second, there)
    places_there, places_here = _by_cards(second, there, first, here)
    order = np.argsort(places_here)
    return places_here[order], places_there[order]


_NONE: NDArray[np.int64] = np.empty(0, np.int64)


def _by_number(
    start: Seed, here: NDArray[np.int64], other: Seed, there: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Those whose seeds, from the ones at index 0 on, are the same."""
    apart = start.number - other.number  # beyond 64 bits, perhaps
    if not len(there) or abs(apart) >= 2**62:
        return _NONE, _NONE
    wanted = here + apart
    at = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
    is_common = there[at] == wanted
    if start.prefix != other.prefix:
        is_common &= here < PYSOL_PLAIN - start.number
    return np.flatnonzero(is_common), at[is_common]


def _by_cards(
    file: Run, here: NDArray[np.int64], other: Run, there: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Those whose cards are the same; of two in a run the first."""
    if not len(here):
        return _NONE, _NONE
    known, first_at = np.unique(_cards(file, here), return_index=True)
    places_here, places_there = [_NONE], [_NONE]
    for start in range(0, len(there), _AT_ONCE):
        asked = _cards(other, there[start : start + _AT_ONCE])
        at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        is_common = known[at] == asked
        places_here.append(first_at[at[is_common]])
        places_there.append(start + np.flatnonzero(is_common))
    found, once = np.unique(np.concatenate(places_here), return_index=True)
    return found, np.concatenate(places_there)[once]


def _cards(run: Run, index: NDArray[np.int64]) -> NDArray[np.bytes_]:
    """The deals at some indices, each as one value that sorts and compares."""
    cards = run.cards(index) + np.uint8(1)  # NumPy drops zeros at the end of bytes
    return np.ascontiguousarray(cards).view(f"S{cards.shape[1]}").ravel()


class _Stretch(NamedTuple):
    """Neighbouring seeds of one generator that a run has solved."""

    generator: str
    first: int
    last: int
    run: Run


def refuse_common(runs: Sequence[Run]) -> None:
    """Refuse (UsageError) runs of one scheme that have deals in common: they would count twice."""
    if runs and runs[0].record.identity.first_seed is None:
        _refuse_common_cards(runs)
        return
    stretches = sorted(
        (each for run in runs for each in _stretches(run)), key=lambda each: each[:3]
    )
    for before, after in pairwise(stretches):
        if before.generator == after.generator and after.first < before.last:
            first, last = (
                Seed(number, after.generator)
                for number in (after.first, min(before.last, after.last) - 1)
            )
            seeds = f"deal {first}" if first == last else f"deals {first} to {last}"
            raise _twice(before.run, after.run, seeds)


def _stretches(run: Run) -> Iterator[_Stretch]:
    identity = run.record.identity
    seed = parse_seed(identity.first_seed or "", identity.scheme)
    for part in parts.listed(run.path)[0]:
        first, last = seed.number + part.first, seed.number + part.last
        # Plain numbers below this are Microsoft's boards, as those with ms are.
        middle = PYSOL_PLAIN if (identity.scheme, seed.prefix) == ("pysol", "") else 0
        if first < middle:
            yield _Stretch("ms", first, min(middle, last), run)
        if last > middle:
            yield _Stretch(seed.prefix, max(first, middle), last, run)


def _refuse_common_cards(runs: Sequence[Run]) -> None:
    held: list[tuple[Run, NDArray[np.int64]]] = []
    for run in runs:
        index = np.concatenate([_NONE, *(np.arange(*part) for part in parts.listed(run.path)[0])])
        for before, there in held:
            places, _ = common(before, there, run, index)
            if len(places):
                ids = before.seeds(there[places[:1]])
                more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
                raise _twice(before, run, f"deal {ids[0]}{more} (by its cards)")
        held.append((run, index))


def _twice(one: Run, other: Run, deals: str) -> UsageError:
    return UsageError(
        f"{one.path} and {other.path} both hold {deals}, which would count twice: leave one out"
    )
