"""From what was typed to deals and rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.deals import Deal


def deal_of_seed(scheme: str, seed: str) -> Deal:
    """The deal that a scheme makes of a seed, under the seed as id."""
    from solstat.deals import Deal
    from solstat.solver import deal_many

    return Deal(seed, tuple(deal_many(scheme, [seed])[0].tolist()))


def one_deal(scheme: str, seed: str | None, file: str | None) -> Deal:
    """The deal of a seed, or the only one of a file."""
    from solstat.deals import parse_seed, read_deals

    if seed is not None and file is None:
        return deal_of_seed(scheme, str(parse_seed(seed, scheme)))
    if file is not None and seed is None:
        deals = read_deals(file)
        if len(deals) > 1:
            raise UsageError(f"{file} holds {len(deals)} deals: solve takes one, run takes many")
        return deals[0]
    raise UsageError("name one deal: either SEED, or --deal FILE")


def many_deals(scheme: str, seeds: str | None, file: str | None) -> Iterable[Deal]:
    """The deals of a range of seeds, or of a file."""
    from solstat.deals import Seed, parse_seed_range, read_deals

    if seeds is not None and file is None:
        chosen = parse_seed_range(seeds, scheme)
        numbers = range(chosen.first, chosen.last)
        return (deal_of_seed(scheme, str(Seed(number, chosen.prefix))) for number in numbers)
    if file is not None and seeds is None:
        return read_deals(file)
    raise UsageError("name the deals: either --deals FIRST:LAST, or --deals-file FILE")
