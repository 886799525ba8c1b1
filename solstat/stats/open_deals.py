"""The deals of a run that nobody knows the outcome of."""

from __future__ import annotations

from dataclasses import dataclass

from solstat.stats.curve import Costs
from solstat.survey.reader import Run

MOST = 50


@dataclass(frozen=True)
class OpenDeals:
    """Deals that are neither won nor lost.

    Attributes
    ----------
    unsettled, error : int
        How many the search did not settle, and over how many the solver itself failed.
    seeds : tuple of str
        Of both, the first by index.
    """

    unsettled: int
    error: int
    seeds: tuple[str, ...]

    @property
    def total(self) -> int:
        """All open deals."""
        return self.unsettled + self.error


def open_deals(run: Run, costs: Costs, *, most: int = MOST) -> OpenDeals:
    """The open deals of a run at its own budget.

    Parameters
    ----------
    run : Run
        The run.
    costs : Costs
        Of this run: no row is read beyond those that are asked for.
    most : int
        Seeds are told of so many deals.

    Raises
    ------
    SolstatError
        As `Run.tables`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    total = costs.n - len(costs.won) - len(costs.lost)
    wanted = min(most, total)
    seeds: list[str] = []
    if wanted:
        kinds = pa.array(["unsettled", "error"])
        for table in run.tables(["outcome", "seed"]):
            still_open = pc.is_in(table["outcome"], kinds)
            seeds += table["seed"].filter(still_open).slice(0, wanted - len(seeds)).to_pylist()
            if len(seeds) == wanted:
                break
    return OpenDeals(total - costs.error, costs.error, tuple(seeds))
