"""Parts of a survey that are runs of their own, for machines that share nothing but a directory.

A shard is an ordinary run of some neighbours among the planned deals. Its record says of which
survey it is, so that `solstat.survey.merge` can join all of them into the run that one machine
would have made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from solstat.cards import shown
from solstat.deals import SeedRange
from solstat.errors import UsageError
from solstat.survey.plan import Plan, Shard

MOST = 100_000


@dataclass(frozen=True)
class Cut:
    """Which shard of how many: ``3/16``."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_cut(text: str) -> Cut:
    """Read ``3/16``, the third of sixteen.

    Raises
    ------
    UsageError
        It is none.
    """
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None:
        raise UsageError(f"shard {shown(text)}: write which of how many, like 3/16")
    cut = Cut(int(match[1]), int(match[2]))
    if not 1 <= cut.of <= MOST:
        raise UsageError(f"shard {text}: there can be 1 to {MOST:,} shards")
    if not 1 <= cut.number <= cut.of:
        raise UsageError(f"shard {text}: shards are counted from 1/{cut.of} to {cut.of}/{cut.of}")
    return cut


def shard(plan: Plan, cut: Cut) -> Plan:
    """The plan of a shard of a plan.

    Raises
    ------
    UsageError
        There are fewer deals than shards, or the plan is to stop early.
    """
    if plan.until is not None:
        raise UsageError(
            "until with a shard: where a run stops depends on all deals before, and a shard has "
            "not all of them; give one or the other"
        )
    if cut.of > plan.count:
        raise UsageError(
            f"shard {cut}: of {plan.count} deals there are {plan.count} shards at most"
        )
    whole = Shard(cut.number, cut.of, plan.count, plan.first_seed, plan.deals_sha256(plan.count))
    first, last = whole.range
    if isinstance(plan.deals, SeedRange):
        start = plan.deals.first
        seeds = replace(plan.deals, first=start + first, last=start + last)
        return replace(plan, deals=seeds, shard=whole)
    return replace(plan, deals=plan.deals[first:last], shard=whole)


def directory_name(shard: Shard) -> str:
    """The name of a shard's directory; names sort as the shards do.

    >>> directory_name(Shard(3, 16, 20_000, "0", None))
    'shard-03-of-16'
    """
    return f"shard-{shard.number:0{len(str(shard.of))}}-of-{shard.of}"
