"""Whatever stands in a file: one line that says what is wrong, or the right answer.

SOLSTAT_FUZZ_EXAMPLES says how many inputs of each kind are tried.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solstat.budget import format_budget, parse_budget
from solstat.cards import DECK_SIZE
from solstat.deals import SeedRange, format_deal, parse_deals
from solstat.errors import SolstatError, UsageError
from solstat.games import rules
from solstat.survey.config import load
from solstat.survey.doctor import diagnose, mend
from solstat.survey.executors import solve_chunk
from solstat.survey.parts import name
from solstat.survey.plan import Plan, Range
from solstat.survey.reader import counts, open_run
from solstat.survey.record import FILE
from solstat.survey.redo import account
from solstat.survey.status import status
from solstat.survey.store import Store
from solstat.survey.summary import read_summaries, summary, to_json

EXAMPLES = int(os.environ.get("SOLSTAT_FUZZ_EXAMPLES", "60"))
fuzz = settings(max_examples=EXAMPLES)

BUDGET = 300
PLAN = Plan(rules("wasp"), SeedRange(0, 60), BUDGET, "solstat")
PARTS = [Range(0, 20), Range(20, 60)]


def told(error: SolstatError) -> str:
    """A message, once it is seen to be one line."""
    text = str(error)
    assert text
    assert len(text.splitlines()) == 1
    return text


Edit = tuple[float, str, bytes]

# Where in a file, what happens there, and with what.
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["bit", "byte", "insert", "cut", "end", "zeros", "twice"]),
        st.binary(min_size=1, max_size=9),
    ),
    min_size=1,
    max_size=4,
)


def edited(content: bytes, edits: list[Edit]) -> bytes:
    """A file that something has happened to."""
    changed = bytearray(content)
    for place, what, new in edits:
        at = int(place * len(changed))
        count = new[0] % 50 + 1
        match what:
            case "bit":
                changed[at : at + 1] = bytes(each ^ 1 << count % 8 for each in changed[at : at + 1])
            case "byte":
                changed[at : at + 1] = new[:1]
            case "insert":
                changed[at:at] = new
            case "cut":
                del changed[at : at + count]
            case "end":
                del changed[at:]
            case "zeros":
                changed[at : at + count] = bytes(len(changed[at : at + count]))
            case "twice":
                changed[at:at] = changed[at : at + count]
    return bytes(changed)


# ---- configs ----

SCALARS = (
    st.integers(-(2**70), 2**70)
    | st.floats()
    | st.booleans()
    | st.text(max_size=9)
    | st.sampled_from(
        ["wasp", "0:60", "250k", "flow", "pysol", "ms1:ms9", "half-width=1%", "-", "/"]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["game", "rules", "deals", "deals_file", "scheme", "budget", "search", "lines", "until"]
    + ["workers", "face_down_piles", "empty_pile", "budgets"]
) | st.text(max_size=8)
VALID = {
    "game": st.sampled_from(["wasp", "wasp(empty_pile=king)", "flow", "spiderette"]),
    "deals": st.sampled_from(["0:60", "5:9", "10:2k", "0:18446744073709551615"]),
    "budget": st.sampled_from(["250k", 1, "1.5M", 2**63 - 1]),
    "lines": st.booleans(),
    "search": st.sampled_from(["full", "plain"]),
}


def toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        # JSON has surrogate pairs where TOML has long escapes, and writes DEL as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def plans_of(folder: Path, text: bytes) -> tuple[Plan, ...] | None:
    """The plans of a config, None if it was refused in one line."""
    path = folder / "survey.toml"
    path.write_bytes(text)
    try:
        return load(path).plans()
    except UsageError as error:
        told(error)
        return None


@fuzz
@given(
    valid=st.fixed_dictionaries(VALID),
    changed=st.dictionaries(KEYS, VALUES, max_size=2),
    gone=st.sets(st.sampled_from([*VALID, None]), max_size=1),
)
def test_configs(folder: Path, valid: dict, changed: dict, gone: set) -> None:
    content = {key: value for key, value in (valid | changed).items() if key not in gone}
    lines = [f"{toml(key)} = {toml(value)}" for key, value in content.items()]
    plans = plans_of(folder, "\n".join(lines).encode("utf-8", "surrogatepass"))
    if not changed and not gone - {None}:
        assert plans is not None
    for plan in plans or ():
        assert plan.budget == parse_budget(str(content["budget"]))
        assert plan.search == content.get("search", "full")
        assert plan.lines == content.get("lines")
        assert plan.count > 0
        if "rules" not in content:
            assert plan.rules.id.partition("(")[0] == content["game"].partition("(")[0]


EXAMPLE = b"""# a survey
deals = "0:20000"
budget = "250k"
lines = false

[[rules]]
game = "wasp"

[[rules]]
game = "wasp"
face_down_piles = 3
"""


@fuzz
@given(st.builds(edited, st.just(EXAMPLE), EDITS) | st.binary(max_size=80))
def test_configs_that_something_happened_to(folder: Path, text: bytes) -> None:
    for plan in plans_of(folder, text) or ():
        assert plan.budget > 0
        assert plan.count > 0


@fuzz
@given(st.text(max_size=12) | st.from_regex(r"[0-9]{1,25}(\.[0-9]{0,8})?[kKmMG]?", fullmatch=True))
def test_budgets(text: str) -> None:
    try:
        budget = parse_budget(text)
    except UsageError as error:
        told(error)
    else:
        assert 0 < budget < 2**63
        assert parse_budget(format_budget(budget)) == budget


# ---- deal files ----

DECK = [f"{rank}{suit}" for suit in "CSHD" for rank in "A23456789TJQK"]
LINES = st.permutations(DECK).map(" ".join) | st.sampled_from(["", "# none", "7: AS", "a b: "])
DEALS = st.lists(st.tuples(st.sampled_from(["", "7: ", "a.b: ", "x:"]), LINES), max_size=4).map(
    lambda lines: "\n".join(map("".join, lines)).encode()
)


@fuzz
@given(DEALS | st.builds(edited, DEALS, EDITS) | st.binary(max_size=99))
def test_deal_files(content: bytes) -> None:
    try:
        deals = parse_deals(content, "deals.txt")
    except UsageError as error:
        line = told(error)
    else:
        line = None
    if line is not None:
        assert line.startswith("deals.txt, line ")
        return
    again = "".join(f"{format_deal(deal)}\n" for deal in deals).encode()
    assert parse_deals(again, "again") == deals
    assert len({deal.id for deal in deals}) == len(deals)
    for deal in deals:
        assert sorted(deal.cards) == list(range(DECK_SIZE))


# ---- run directories ----


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two parts."""
    directory = tmp_path_factory.mktemp("sound") / "run"
    with Store(directory, PLAN, 1) as store:
        store.start({"workers": 1, "command": "solstat run"}, {})
        for part in PARTS:
            store.write(part, solve_chunk(store.chunk(part)))
        store.note("finished")
    return directory


class Rows(list[dict[str, Any]]):
    """Rows that do not fill the screen when a test fails."""

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"


@pytest.fixture(scope="module")
def truth(sound: Path) -> Rows:
    return Rows(open_run(sound).rows())


def check_answers(directory: Path, truth: Rows) -> None:
    """Each answer is the right one, or a line that says why there is none."""
    try:
        run = open_run(directory)
        assert list(run.rows()) == truth
        found = counts(run)
        assert (found.n, found.budget) == (len(truth), BUDGET)
        assert found.won == [row["outcome"] for row in truth].count("won")
        shown = status(run)
        assert (shown.done, shown.won) == (found.n, found.won)
        assert shown.planned == shown.done + shown.todo
        assert shown.todo >= 0
        assert shown.todo == 0 or shown.state != "finished"  # more may have been planned
        json.dumps(asdict(shown))
        to_json([summary(run)])
        assert all(account(run))
    except SolstatError as error:
        told(error)


def check_doctor(directory: Path, truth: Rows) -> None:
    """What was mended is sound, and says the same as before, as far as it goes."""
    diagnose(directory)
    mended = mend(directory)
    again = diagnose(directory)
    assert not any(problem.mend for problem in again.problems)
    assert again.stored == mended.stored
    if again.planned is not None:
        try:
            rows = list(open_run(directory).rows())
        except SolstatError as error:
            told(error)
        else:
            assert rows == [row for row in truth if row in rows]


def places(value: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all that is within a JSON value."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [at] + [place for key, each in inner for place in places(each, (*at, key))]


JSON_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**66), 2**66)
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from([0, 1, 59, 61, 300, 301, "full", "wasp", "solstat", "finished", "1970-01-01"])
)
JSON = JSON_SCALARS | st.lists(JSON_SCALARS, max_size=2) | st.dictionaries(KEYS, JSON_SCALARS)


@pytest.fixture
def damaged(folder: Path, sound: Path) -> Callable[[str, bytes], Path]:
    """Make a run of which one file has other content."""

    def make(file: str, content: bytes) -> Path:
        directory = folder / "run"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(sound, directory)
        (directory / file).write_bytes(content)
        return directory

    return make


Damaged = Callable[[str, bytes], Path]
shared = settings(
    max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@shared
@given(EDITS)
def test_records_that_something_happened_to(
    sound: Path, truth: Rows, damaged: Damaged, edits: list[Edit]
) -> None:
    directory = damaged(FILE, edited((sound / FILE).read_bytes(), edits))
    check_answers(directory, truth)
    check_doctor(directory, truth)


@shared
@given(place=st.integers(0, 1000), value=st.none() | st.tuples(JSON))
def test_records_that_say_something_else(
    sound: Path, truth: Rows, damaged: Damaged, place: int, value: tuple[object] | None
) -> None:
    content = json.loads((sound / FILE).read_bytes())
    ways = places(content)[1:]
    *way, last = ways[place % len(ways)]
    holder = content
    for key in way:
        holder = holder[key]
    if value is None:
        del holder[last]
    else:
        holder[last] = value[0]
    directory = damaged(FILE, json.dumps(content).encode())
    check_answers(directory, truth)
    check_doctor(directory, truth)


@shared
@given(st.sampled_from(PARTS), EDITS)
def test_parts_that_something_happened_to(
    sound: Path, truth: Rows, damaged: Damaged, part: Range, edits: list[Edit]
) -> None:
    file = name(part)
    directory = damaged(file, edited((sound / file).read_bytes(), edits))
    check_answers(directory, truth)
    check_doctor(directory, truth)


@fuzz
@given(EDITS)
def test_summaries(folder: Path, sound: Path, edits: list[Edit]) -> None:
    path = folder / "summary.json"
    path.write_bytes(edited(to_json([summary(open_run(sound))]).encode(), edits))
    try:
        for each in read_summaries(path):
            assert 0 <= each.counts.n <= each.record.deals
    except SolstatError as error:
        told(error)
