"""What is kept of a run with too many rows to keep: its record, outcomes and rare deals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solstat.errors import SolstatError, UsageError
from solstat.survey.reader import Counts, Run, outcomes
from solstat.survey.record import Record

VERSION = 1
RARE = 1000
"""Seeds are listed of an outcome that no more deals than so many have."""


@dataclass(frozen=True)
class Summary:
    """A run without its rows.

    Attributes
    ----------
    record : Record
        What the run is, its plan, state and history.
    counts : Counts
        Outcomes at the run's budget.
    positions : int
        Positions of all deals together.
    seeds : dict of str to list of str
        For each of won, lost, unsettled and error that at most `RARE` deals have: their seeds, by
        index.
    """

    record: Record
    counts: Counts
    positions: int
    seeds: dict[str, list[str]]


def summary(run: Run) -> Summary:
    """Sum up the stored rows of a run. Errors as `Run.tables`."""
    import pyarrow.compute as pc

    tally = dict.fromkeys(("won", "lost", "unsettled", "error"), 0)
    seeds: dict[str, list[str]] = {outcome: [] for outcome in tally}
    positions = 0
    for table in outcomes(run, columns=["seed"]):
        positions += pc.sum(table["positions"]).as_py() or 0
        for outcome in tally:
            has_it = pc.equal(table["outcome"], outcome)
            tally[outcome] += pc.sum(has_it).as_py()
            if 0 < tally[outcome] <= RARE:
                seeds[outcome] += table["seed"].filter(has_it).to_pylist()
    record = run.record
    return Summary(
        record,
        Counts(record.identity.rules, record.budget, **tally),
        positions,
        {outcome: seeds[outcome] for outcome, deals in tally.items() if deals <= RARE},
    )


def to_json(summaries: Sequence[Summary]) -> str:
    """Summaries as a file holds them, one on each line of a list."""
    objects = [
        {"version": VERSION, "run": each.record.content()}
        | {name: getattr(each.counts, name) for name in ("won", "lost", "unsettled", "error")}
        | {"positions": each.positions, "seeds": each.seeds}
        for each in summaries
    ]
    return "[\n" + ",\n".join(json.dumps(each) for each in objects) + "\n]\n"


def read_summaries(path: str | Path) -> list[Summary]:
    """The summaries in a file that ``solstat export --format summary`` has written.

    Raises
    ------
    UsageError
        There is no such file.
    SolstatError
        It holds something else.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (OSError, ValueError, RecursionError) as error:
        raise SolstatError(f"{path}: no summary of runs ({error})") from None
    if not isinstance(content, list):
        raise SolstatError(f"{path}: no summary of runs (no list)")
    found = [_parsed(path, each) for each in content]
    identities = [each.record.identity for each in found]
    for identity in identities:
        if identities.count(identity) > 1:
            raise SolstatError(f"{path}: damaged (two summaries of one run, of {identity.rules})")
    return found


def _parsed(path: Path, content: Any) -> Summary:
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise SolstatError(
            f"{path}: a summary of version {version!r}, this solstat reads {VERSION}"
        )
    try:
        record = Record.parse(content["run"])
        outcomes = {name: _count(content, name) for name in ("won", "lost", "unsettled", "error")}
        counts = Counts(record.identity.rules, record.budget, **outcomes)
        found = Summary(record, counts, _count(content, "positions"), dict(content["seeds"]))
        _check_seeds(found.seeds, outcomes)
    except (KeyError, TypeError, ValueError, UsageError) as error:
        raise SolstatError(f"{path}: damaged ({type(error).__name__}: {error})") from None
    if not 0 <= counts.n <= record.deals:
        raise SolstatError(f"{path}: damaged ({counts.n} outcomes of {record.deals} deals)")
    return found


def _count(content: Mapping[str, Any], name: str) -> int:
    value = content[name]
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} is {value!r}")
    return value


def _check_seeds(seeds: Mapping[str, Any], outcomes: Mapping[str, int]) -> None:
    """Refuse (ValueError) lists of seeds that are not as long as the outcomes say."""
    expected = {name: count for name, count in outcomes.items() if count <= RARE}
    if seeds.keys() != expected.keys():
        raise ValueError(f"seeds are of {', '.join(seeds) or 'none'}")
    for name, count in expected.items():
        if not isinstance(seeds[name], list) or len(set(map(str, seeds[name]))) != count:
            raise ValueError(f"{count} {name}, and other seeds than so many")
