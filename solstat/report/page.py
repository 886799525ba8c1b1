"""A report on runs: one HTML page that needs nothing else, and the same as Markdown.

Importing this imports matplotlib and jinja2; do so only where a report is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup
from matplotlib.figure import Figure

from solstat import __version__
from solstat.report.account import Account, Table
from solstat.report.environment import environment
from solstat.report.figures import budget_curve, positions_histogram
from solstat.report.forest import forest
from solstat.report.published import Beside, beside
from solstat.report.svg import NARROW, WIDE, inline_svg
from solstat.report.text import counted, escaped, percent
from solstat.stats.claims import Claim
from solstat.stats.curve import curve, round_budgets


@dataclass(frozen=True)
class Picture:
    """A figure in two widths, of which a page shows the one that fits."""

    wide: Markup
    narrow: Markup


@dataclass(frozen=True)
class Section:
    """A run in the page: what is said of it and its figures; those that show nothing are None."""

    account: Account
    beside: Beside | None
    anchor: str
    curve: Picture | None
    forest: Picture | None
    histogram: Picture | None
    bar: Sequence[tuple[str, int, str, float]]
    links: Sequence[Link]


class Link(NamedTuple):
    """A page beside the report: what it shows, and where it is."""

    text: str
    href: str


class Raw(str):
    """Markdown that is in the page as it is."""


def html(
    accounts: Sequence[Account],
    claims: Sequence[Claim] = (),
    links: Sequence[Sequence[Link]] = (),
) -> str:
    """The page.

    Parameters
    ----------
    accounts : sequence of Account
        Of at least one run.
    claims : sequence of Claim
        Those of the rules of a run stand beside it.
    links : sequence of sequence of Link
        To pages of deals of each run, if there are any.
    """
    made = environment(autoescape=True)
    made.filters["tied"] = tied
    page = made.get_template("report.html")
    sections = [
        _section(each, beside(each.figures, claims), f"run{place}", shown)
        for place, (each, shown) in enumerate(_linked(accounts, links), 1)
    ]
    return page.render(title=title(accounts), sections=sections, version=__version__)


def markdown(
    accounts: Sequence[Account],
    claims: Sequence[Claim] = (),
    links: Sequence[Sequence[Link]] = (),
) -> str:
    """The same without figures. Parameters as `html`."""
    made = environment(
        autoescape=False,  # `finalize` escapes, by the rules of Markdown
        finalize=lambda value: value if isinstance(value, Raw) else escaped(str(value)),
    )
    made.globals |= {"table": _table, "fenced": _fenced, "raw": Raw}
    found = [
        (each, beside(each.figures, claims), shown) for each, shown in _linked(accounts, links)
    ]
    return made.get_template("report.md").render(
        title=title(accounts), found=found, version=__version__
    )


def title(accounts: Sequence[Account]) -> str:
    """The title of a report."""
    if len(accounts) == 1:
        return accounts[0].question
    return f"How many deals can be won? {counted(len(accounts), 'survey')}"


def tied(text: str) -> str:
    """Text in which no line is broken between a number and its per cent sign."""
    return re.sub("(?<=[0-9]) %", "\N{NO-BREAK SPACE}%", text)


def _linked(
    accounts: Sequence[Account], links: Sequence[Sequence[Link]]
) -> Iterable[tuple[Account, Sequence[Link]]]:
    return zip(accounts, links or [()] * len(accounts), strict=True)


def _table(table: Table) -> Raw:
    """A table of Markdown."""
    lines = [
        table.header,
        [":--" if place in table.text else "--:" for place in range(len(table.header))],
        *table.rows,
    ]
    marks = lines[1]
    return Raw(
        "\n".join(
            f"| {' | '.join(cell if line is marks else escaped(cell) for cell in line)} |"
            for line in lines
        )
    )


def _fenced(lines: Sequence[str]) -> Raw:
    """Lines as a block of code, in a fence that is none of them."""
    text = "\n".join(lines)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Raw(f"{fence}sh\n{text}\n{fence}")


def _section(
    account: Account, claims: Beside | None, anchor: str, links: Sequence[Link]
) -> Section:
    found, made = account.costs, account.figures
    settled = len(found.won) + len(found.lost)
    first = round_budgets(found)[0]
    curve_alt = "; ".join(
        f"at {row[0]} positions {row[1]} % settled, {row[3]} % won, {row[5]} % lost"
        for row in account.curve.rows
    )
    histogram_alt = "; ".join(
        f"{row[1]} deals {row[0]}" + (f", half of them within {row[4]} positions" if row[4] else "")
        for row in account.positions.rows
    )
    return Section(
        account=account,
        beside=claims,
        anchor=anchor,
        curve=_picture(
            budget_curve({"": curve(found, first=first)}),
            f"Shares of the deals against the budget: {curve_alt}.",
            f"{anchor}curve",
        )
        if settled and first < found.limit
        else None,
        forest=_picture(
            forest(claims.rows),
            "Shares with their intervals: "
            + "; ".join(
                f"{row.name} {percent(row.low)} to {percent(row.high)} % {row.verdict}".rstrip()
                for row in claims.rows
            )
            + ".",
            f"{anchor}forest",
        )
        if claims
        else None,
        histogram=_picture(
            positions_histogram(found),
            f"Histograms of the positions until a deal was settled: {histogram_alt}.",
            f"{anchor}histogram",
        )
        if settled
        else None,
        bar=[
            (name, number, percent(number / made.n), 100 * number / made.n)
            for name, number in (
                ("won", made.won),
                ("lost", made.lost),
                ("open", made.unsettled + made.error),
            )
            if number
        ],
        links=links,
    )


def _picture(figure: Figure, alt: str, prefix: str) -> Picture:
    wide = Markup(inline_svg(figure, alt, f"{prefix}w", width=WIDE))
    return Picture(wide, Markup(inline_svg(figure, alt, f"{prefix}n", width=NARROW)))
