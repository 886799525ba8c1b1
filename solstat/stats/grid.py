"""Published win rates of a game in many layouts, cell by cell beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from solstat.errors import UsageError
from solstat.games import parse_rules
from solstat.stats.claims import Claim
from solstat.stats.proportion import Figures

Layout = tuple[int, int]
"""Reserves and columns of family `wave`."""

ERRORS = 3.5
"""Standard errors that ours may be away from what is printed, besides its rounding."""


@dataclass(frozen=True)
class Cell:
    """One layout: a printed percentage of deals won, and our survey of it.

    Attributes
    ----------
    printed : str
        Percent as it was published, like ``7.1``.
    ours : Figures
        Of our deals.
    """

    printed: str
    ours: Figures

    @property
    def published(self) -> float:
        """The printed share, 0 to 1."""
        return float(Fraction(self.printed) / 100)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit, as a share."""
        return float(Fraction(1, 200 * 10 ** len(self.printed.partition(".")[2])))

    @property
    def difference(self) -> float:
        """Our share won less the published one; of shares from 0 to 1."""
        return self.ours.floor - self.published

    @property
    def allowed(self) -> float:
        """How large the difference may be by chance: `ERRORS` standard errors and the rounding.

        The standard error is that of our n deals if the share won is the one that is printed, at
        the end of its rounding that is nearer to one half: a cell printed as 0 or 100 has one too.
        The sample behind the print is not known, and taken for exact.
        """
        share = self.published
        nearer = min(share + self.rounding, 0.5) if share < 0.5 else max(share - self.rounding, 0.5)
        return ERRORS * sqrt(nearer * (1 - nearer) / self.ours.n) + self.rounding

    @property
    def agrees(self) -> bool:
        """Whether the difference is within what chance allows, if open deals may be either way."""
        lowest = self.difference
        highest = self.ours.ceiling - self.published
        return lowest <= self.allowed and highest >= -self.allowed


def printed_shares(claims: Iterable[Claim]) -> dict[Layout, str]:
    """The printed percentages of claims on family `wave`, by layout, in the order of the claims.

    Raises
    ------
    UsageError
        Two are of one layout, or of one no share is known.
    """
    found: dict[Layout, str] = {}
    for claim in claims:
        layout = _layout(claim.rules)
        if layout in found:
            raise UsageError(
                f"claim {claim.id}: another one is of {layout[0]} reserves, {layout[1]} columns"
            )
        if claim.share is None:
            raise UsageError(f"claim {claim.id}: no share is known")
        found[layout] = claim.share
    return found


def beside(published: Mapping[Layout, str], ours: Iterable[Figures]) -> dict[Layout, Cell]:
    """Our surveys beside what is published of the same layouts, in the order of the table.

    Raises
    ------
    UsageError
        A layout was not surveyed, or surveyed twice.
    """
    found: dict[Layout, Figures] = {}
    for each in ours:
        layout = _layout(each.rules)
        if layout in found:
            raise UsageError(
                f"{each.rules}: two surveys of {layout[0]} reserves, {layout[1]} columns"
            )
        found[layout] = each
    for reserves, columns in published:
        if (reserves, columns) not in found:
            raise UsageError(f"no survey of {reserves} reserves and {columns} columns")
    return {layout: Cell(printed, found[layout]) for layout, printed in published.items()}


def _layout(rules_id: str) -> Layout:
    rules = parse_rules(rules_id)
    return int(rules.option("reserves")), int(rules.option("columns"))
