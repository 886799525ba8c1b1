"""What a report says of a run: the question, the answer in a sentence, tables, how to redo it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from solstat.budget import format_budget
from solstat.deals import Seed
from solstat.games.base import preset, value_text
from solstat.report.curve import curve_rows
from solstat.report.redo import Redo, redo
from solstat.report.tables import MADE_AS
from solstat.report.text import counted, decimals, listed, percent, run_name, visible
from solstat.stats.curve import Costs, costs, curve, round_budgets
from solstat.stats.open_deals import OpenDeals, open_deals
from solstat.stats.proportion import Figures, figures
from solstat.stats.stages import by_stage
from solstat.survey.reader import Run
from solstat.survey.redo import seeds

QUANTILES = {"least": 0.0, "10 %": 0.1, "median": 0.5, "90 %": 0.9, "99 %": 0.99, "most": 1.0}


@dataclass(frozen=True)
class Table:
    """Rows of text under a header.

    Attributes
    ----------
    caption : str
        What it shows.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        As many cells each.
    text : collection of int
        The columns that are text, the others are numbers. The first cell of a row is its header.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: Collection[int] = (0,)


@dataclass(frozen=True, eq=False)
class Account:
    """What a report says of one run.

    Attributes
    ----------
    name : str
        What the report calls it.
    rules : str
        Canonical rules id.
    question, answer : str
        A sentence each; the answer says "a floor" whenever a deal is open.
    notes : tuple of str
        What else one must know to read the figures: a sentence each.
    figures : Figures
        At the largest budget at which the outcomes are known.
    asked, outcomes, curve, positions, provenance : Table
        What was asked, and what came of it.
    stages : Table or None
        Which stage settled what; None if there is only one.
    open : OpenDeals
        The deals that are open, the first of them by name.
    redo : Redo
        Commands that make the rows again and check them.
    needs : str
        With which solstat, a sentence.
    costs : Costs
        Of which figures are drawn.
    """

    name: str
    rules: str
    question: str
    answer: str
    notes: tuple[str, ...]
    figures: Figures
    asked: Table
    outcomes: Table
    curve: Table
    positions: Table
    stages: Table | None
    open: OpenDeals
    provenance: tuple[Table, ...]
    redo: Redo
    needs: str
    costs: Costs


def account(run: Run) -> Account:
    """The account of a run, which need not be finished. Errors as `Run.tables`."""
    found = costs(run)
    at_limit = curve(found, [found.limit])
    made = figures(at_limit.counts()[0], interval=found.interval)
    return Account(
        name=run_name(run.path),
        rules=made.rules,
        question=f"How many deals of {made.rules} can be won?",
        answer=answer(made),
        notes=tuple(_notes(run, found, made)),
        figures=made,
        asked=_asked(run, made),
        outcomes=_outcomes(made),
        curve=_curve(found),
        positions=_positions(found),
        stages=_stages(run, found.limit),
        open=open_deals(run, found),
        provenance=_provenance(run),
        redo=redo(run, made.n),
        needs=_needs(run),
        costs=found,
    )


def answer(made: Figures) -> str:
    """The share that can be won, in one sentence.

    Parameters
    ----------
    made : Figures
        Of a run.
    """
    if not made.n:
        return "Nothing is known yet, since no deal is solved."
    places = decimals(made.n)
    interval = (
        f"the share of all deals that can be won is between {percent(made.low, places)} "
        f"and {percent(made.high, places)} % ({_confidence(made)} interval)"
    )
    floor = percent(made.floor, places)
    still_open = _open_text(made)
    if not still_open:
        return (
            f"{floor} % of the deals can be won, {made.won:,} of {made.n:,}, and none is "
            f"unsettled; {interval}."
        )
    return f"At least {floor} % of the deals can be won, a floor since {still_open}; {interval}."


def _open_text(made: Figures) -> str:
    parts = []
    if made.unsettled:
        parts.append(
            f"{_of(made.unsettled, made.n)} unsettled at {format_budget(made.budget)} positions a "
            "deal"
        )
    if made.error:
        parts.append(f"{_of(made.error, made.n)} in error")
    return listed(parts)


def _of(number: int, n: int) -> str:
    return f"{number:,} of {n:,} {'is' if number == 1 else 'are'}"


def _confidence(made: Figures) -> str:
    return f"{100 * made.confidence:g} %"


def _notes(run: Run, found: Costs, made: Figures) -> list[str]:
    record = run.record
    notes = []
    if made.n < record.deals:
        notes.append(
            f"The run is not complete: {made.n:,} of {counted(record.deals, 'planned deal')} "
            "are solved."
        )
    if found.limit < record.budget:
        notes.append(
            f"Some open deals were searched with {format_budget(found.limit)} positions only: the "
            "outcomes are those at that budget."
        )
    if made.unsettled or made.error:
        notes.append(
            "A deal that is open may be won or lost. Shares are shown as a floor, where no open "
            "deal counts, and a ceiling, where all do; the interval goes from the lower bound of "
            "the floor to the upper bound of the ceiling."
        )
    if record.identity.scheme == "file":
        notes.append(
            "The deals are those of a file, of which the run's directory holds a copy, deals.txt; "
            "the interval holds if they are a random sample."
        )
    if made.interval == "sequence":
        notes.append(
            "The run was looked at while it went on, to decide when to stop: the interval is one "
            "that is valid at any stop (a confidence sequence)."
        )
    return notes


def _asked(run: Run, made: Figures) -> Table:
    record, rules = run.record, run.rules
    identity = record.identity
    planned = " planned" if made.n < record.deals else ""
    usual = preset(rules.game)
    options = [
        f"{name} = {value_text(value)}" + ("" if value == usual.options[name] else " (changed)")
        for name, value in rules.options
    ]
    rows = [
        ["game", f"{rules.game}: {usual.summary}"],
        ["options", "; ".join(options)],
        ["rules id", identity.rules],
        ["deals", f"{_deals_text(run)}{planned}; {made.n:,} of {record.deals:,} solved"],
        ["budget", f"at most {counted(record.budget, 'position')} a deal"],
        ["search", f"{identity.search}, version {identity.search_version}"],
    ]
    if until := record.until:
        rows.append(["stop", f"as soon as {visible(until)} is reached"])
    return Table("What was asked", ["", ""], rows, text=(0, 1))


def _deals_text(run: Run) -> str:
    identity = run.record.identity
    if identity.first_seed is None:
        return f"a file of deals, SHA-256 {identity.deals_sha256}"
    planned = seeds(run.record)
    last = Seed(planned.last - 1, planned.prefix)
    return f"seeds {planned.first_seed} to {last} of scheme {identity.scheme}"


def _outcomes(made: Figures) -> Table:
    places = decimals(made.n)

    def share(floor: float, ceiling: float, low: float, high: float) -> list[str]:
        ends = [percent(each, places) for each in (floor, ceiling, low, high)]
        return [*ends[:2], f"{ends[2]} to {ends[3]}"]

    rows = [
        ["won", f"{made.won:,}", *share(made.floor, made.ceiling, made.low, made.high)],
        [
            *("lost", f"{made.lost:,}"),
            *share(made.lost_floor, made.lost_ceiling, made.lost_low, made.lost_high),
        ],
        ["unsettled", f"{made.unsettled:,}", "", "", ""],
        ["error", f"{made.error:,}", "", "", ""],
        ["all", f"{made.n:,}", "", "", ""],
    ]
    if not made.error:
        del rows[3]
    return Table(
        f"Outcomes at {format_budget(made.budget)} positions a deal, with {_confidence(made)} "
        "intervals",
        ["outcome", "deals", "floor %", "ceiling %", "interval %"],
        rows,
    )


def _curve(found: Costs) -> Table:
    header, *rows = [
        [budget, *shares]  # the number of deals is the same in all rows
        for budget, _, *shares in curve_rows({"": curve(found, round_budgets(found))})
    ]
    caption = "Shares of the deals at smaller budgets, in positions a deal; won and lost are floors"
    if header[-1] == MADE_AS:  # the same in all rows, too
        caption += f"; intervals are made as {rows[0][-1]}"
        header, rows = header[:-1], [row[:-1] for row in rows]
    return Table(caption, header, rows)


def _positions(found: Costs) -> Table:
    rows = []
    for outcome, positions in (("won", found.won), ("lost", found.lost)):
        quantiles = [""] * len(QUANTILES)
        if len(positions):
            chosen = np.quantile(
                positions, list(QUANTILES.values()), method="averaged_inverted_cdf"
            )
            quantiles = [f"{each:,.0f}" for each in chosen]
        rows.append([outcome, f"{len(positions):,}", *quantiles])
    return Table(
        "Positions until a deal was settled: so many deals of a hundred cost at most so many",
        ["outcome", "deals", *QUANTILES],
        rows,
    )


def _stages(run: Run, limit: int) -> Table | None:
    found = by_stage(run, limit)
    if len(found) < 2:
        return None
    return Table(
        "What each stage of the search settled",
        ["stage", "won", "lost", "unsettled, last tried"],
        [
            [stage, f"{each.won:,}", f"{each.lost:,}", f"{each.unsettled + each.error:,}"]
            for stage, each in found.items()
        ],
    )


def _provenance(run: Run) -> tuple[Table, ...]:
    history = run.record.history
    starts = Table(
        "Each time the run was started",
        ["started", "command", "workers", "deals before", "seconds"],
        [
            [
                f"{datetime.fromisoformat(start['started']).astimezone(UTC):%Y-%m-%d %H:%M} UTC",
                visible(str(start.get("command", ""))),
                visible(str(start.get("workers", ""))),
                f"{start['stored_before']:,}",
                "not ended" if start["seconds"] is None else f"{start['seconds']:,.1f}",
            ]
            for start in history
        ],
        text=(0, 1),
    )
    return (starts, *([_machine(history[-1])] if history else []))


def _machine(start: Mapping[str, Any]) -> Table:
    machine, versions = _mapping(start.get("machine")), _mapping(start.get("versions"))
    memory = machine.get("memory_bytes")
    rows = [
        ["versions", ", ".join(f"{name} {version}" for name, version in versions.items())],
        ["commit", start.get("commit") or "unknown"],
        ["CPU", machine.get("cpu") or "unknown"],
        ["cores", machine.get("cores") or "unknown"],
        ["memory", f"{memory / 2**30:.1f} GiB" if isinstance(memory, int) else "unknown"],
        ["system", machine.get("os") or "unknown"],
    ]
    return Table(
        "With what it was done, when it was last started",
        ["", ""],
        [[visible(str(cell)) for cell in row] for row in rows],
        text=(0, 1),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _needs(run: Run) -> str:
    version = run.record.identity.search_version
    game = run.rules.game
    text = f"They need a solstat whose search of {game} is version {version}"
    if not run.record.history:
        return f"{text}."
    last = run.record.history[-1]
    release = _mapping(last.get("versions")).get("solstat", "of an unknown release")
    return visible(f"{text}, as is {release} at commit {last.get('commit') or 'unknown'}.")
