"""From what was typed to deals and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.deals import Deal


def deals_of_seeds(scheme: str, seeds: range) -> list[Deal]:
    """The deals that a scheme makes of seeds, each under its seed as id."""
    from solstat.deals import Deal
    from solstat.solver import deal_many

    rows = deal_many(scheme, seeds).tolist()
    return [Deal(str(seed), tuple(row)) for seed, row in zip(seeds, rows, strict=True)]


def one_deal(scheme: str, seed: str | None, file: str | None) -> Deal:
    """The deal of a seed, or the only one of a file."""
    from solstat.deals import parse_seed, read_deals

    if seed is not None and file is None:
        number = parse_seed(seed, scheme)
        return deals_of_seeds(scheme, range(number, number + 1))[0]
    if file is not None and seed is None:
        deals = read_deals(file)
        if len(deals) > 1:
            raise UsageError(f"{file} holds {len(deals)} deals: solve takes one, run takes many")
        return deals[0]
    raise UsageError("name one deal: either SEED, or --deal FILE")


def many_deals(scheme: str, seeds: str | None, file: str | None) -> list[Deal]:
    """The deals of a range of seeds, or of a file."""
    from solstat.deals import parse_seed_range, read_deals

    if seeds is not None and file is None:
        chosen = parse_seed_range(seeds, scheme)
        return deals_of_seeds(scheme, range(chosen.first, chosen.last))
    if file is not None and seeds is None:
        return read_deals(file)
    raise UsageError("name the deals: either --deals FIRST:LAST, or --deals-file FILE")
