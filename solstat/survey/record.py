"""run.json: what a run is, how far its plan goes, and how it came about."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Self, get_args

from solstat.budget import format_budget, format_budgets
from solstat.errors import SolstatError, UsageError
from solstat.games import Rules, parse_rules
from solstat.survey.plan import LINES_BY_DEFAULT, Again, Plan, Shard

FILE = "run.json"
VERSION = 1
State = Literal["running", "finished", "interrupted", "failed"]


@dataclass(frozen=True)
class Identity:
    """What must be the same for rows to belong to one run.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    scheme : str
        Scheme of the seeds, or ``file``.
    first_seed : str or None
        The seed at index 0; None for a file.
    deals_sha256 : str or None
        For a file: of the deals planned so far, order, ids and cards.
    search : str
        ``full`` or ``plain``.
    lines : bool
        Whether lines are kept.
    search_version : int
        The kernel's SEARCH_VERSION of the family.
    """

    rules: str
    scheme: str
    first_seed: str | None
    deals_sha256: str | None
    search: str
    lines: bool
    search_version: int


@dataclass(frozen=True)
class Record:
    """The content of run.json.

    Attributes
    ----------
    identity : Identity
        What the rows are rows of.
    budget : int
        The most positions a deal may cost. All open deals that are stored were searched with as
        much, or more.
    deals : int
        How many deals are planned so far.
    state : str
        ``running`` (or killed while it was), ``finished``, ``interrupted`` or ``failed``.
    history : tuple of dict
        For each time the run was started: when, for how long, from how many deals on, with how
        many workers, by which command, versions, commit and machine.
    until : str or None
        The rule by which it has looked whether to stop, the last one if there were several. Once
        it has, an interval for a number of deals that was fixed before is not for it, also if it
        goes on later without a rule.
    most : int or None
        The most deals that were asked for, with a rule that may stop it before; None if there never
        was one, or if an earlier version of solstat wrote it.
    budgets : tuple of int
        All budgets with which deals were searched, or were to be: ascending.
    round : int
        How often deals have been searched again; the number of the last time.
    shard : Shard or None
        Of which survey it is a part, if it is one.
    """

    identity: Identity
    budget: int
    deals: int
    state: State = "running"
    history: tuple[Mapping[str, Any], ...] = field(default=())
    until: str | None = None
    most: int | None = None
    budgets: tuple[int, ...] = ()
    round: int = 0
    shard: Shard | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "budgets", tuple(sorted({*self.budgets, self.budget})))

    @property
    def interval(self) -> str:
        """The way to make intervals that is right for it, of `solstat.stats.intervals.METHODS`.

        A run that was to stop once its interval was narrow enough has looked at its outcomes on the
        way, for which only a confidence sequence allows.
        """
        return "wilson" if self.until is None else "sequence"

    @property
    def steps(self) -> list[int]:
        """Its budget, after those with which deals that it had left open were searched before."""
        return [each for each in self.budgets if each <= self.budget]

    @property
    def rules(self) -> Rules:
        """The game."""
        return parse_rules(self.identity.rules)

    @classmethod
    def of(cls, plan: Plan, search_version: int) -> Self:
        """The record of a run that starts with a plan."""
        whole = plan.count if plan.shard is None else plan.shard.deals
        few = whole <= LINES_BY_DEFAULT and plan.until is None
        lines = few if plan.lines is None else plan.lines
        identity = Identity(
            rules=plan.rules.id,
            scheme=plan.scheme,
            first_seed=plan.first_seed,
            deals_sha256=plan.deals_sha256(plan.count),
            search=plan.search,
            lines=lines,
            search_version=search_version,
        )
        return cls(identity, plan.budget, plan.count, until=plan.until, shard=plan.shard)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """The record in a run directory.

        Raises
        ------
        UsageError
            There is none.
        SolstatError
            It cannot be read, or is not as this version of solstat writes it.
        """
        path = directory / FILE
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UsageError(f"{directory}: no run here ({FILE} is missing)") from None
        except OSError as error:
            raise SolstatError(f"{path}: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise SolstatError(f"{path}: damaged, it is no JSON") from None
        version = content.get("version") if isinstance(content, dict) else None
        if version != VERSION:
            raise SolstatError(f"{path}: version {version!r}, this solstat reads {VERSION}")
        try:
            return cls.parse(content)
        except UsageError as error:
            raise SolstatError(f"{path}: {error}") from None
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise SolstatError(f"{path}: damaged ({type(error).__name__}: {error})") from None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Self:
        """The record that `content` gives.

        Raises
        ------
        UsageError
            Its rules are unknown here.
        KeyError, TypeError, ValueError, OverflowError
            It is none.
        """
        record = cls(
            identity=Identity(**content["identity"]),
            budget=content["budget"],
            deals=content["deals"],
            state=content["state"],
            history=tuple(content["history"]),
            # Runs of earlier versions do not say:
            until=content.get("until"),
            most=content.get("most"),
            budgets=tuple(content.get("budgets", ())),
            round=content.get("round", 0),
            shard=Shard(**content["shard"]) if content.get("shard") else None,
        )
        record._check()
        parse_rules(record.identity.rules)
        return record

    def content(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        return {"version": VERSION} | asdict(self)

    def save(self, directory: Path) -> None:
        """Write the record in place of the one there, whole or not at all."""
        write_file(directory / FILE, (json.dumps(self.content(), indent=2) + "\n").encode())

    def extended(self, plan: Plan, search_version: int) -> Record:
        """This record with a plan that goes on where it stops, or stops where it does.

        Raises
        ------
        UsageError
            The plan is of another run: the message names what differs.
        """
        lines = self.identity.lines if plan.lines is None else plan.lines
        new = Record.of(replace(plan, lines=lines), search_version)
        if differing := self._differences(new, plan):
            message = f"holds another run: {'; '.join(differing)}; use another directory"
            if len(differing) == 1 and self.budget not in plan.budgets:
                message += self._other_budget(plan)
            raise UsageError(message)
        if new.deals < self.deals:
            raise UsageError(
                f"holds a run of {self.deals} deals, {new.deals} are asked for: ask for "
                f"{self.deals} or more to go on with it, or use another directory for fewer"
            )
        until = plan.until or self.until
        return replace(self, identity=new.identity, deals=new.deals, until=until)

    def _other_budget(self, plan: Plan) -> str:
        """What can be done with this run by those who want it at another budget."""
        budget = max(plan.budgets)
        text = format_budget(budget)
        if budget < self.budget:
            steps = self.steps if plan.until is None else [self.budget]  # it has one till its end
            return (
                f", go on with it by --budget {format_budgets(steps)}, "
                f"or see the figures at {text}: solstat stats RUN --budget {text}"
            )
        again = Again("unsettled", budget)
        return f", or search what it left open with more: solstat run {again} -o RUN"

    def _differences(self, new: Record, plan: Plan) -> list[str]:
        pairs = {
            name: (there, asked)
            for name, there in asdict(self.identity).items()
            if (asked := getattr(new.identity, name)) != there and name != "deals_sha256"
        }
        shards = _of_deals(self.shard), _of_deals(new.shard)
        if shards[0] != shards[1]:  # and so the first seed, which says less
            pairs = {"shard": shards}
        if self.budget not in plan.budgets:
            pairs["budget"] = (format_budget(self.budget), format_budgets(plan.budgets))
        texts = [
            f"its {name.replace('_', ' ')} {'are' if name in ('rules', 'lines') else 'is'} "
            f"{_shown(there)}, not {_shown(asked)}"
            for name, (there, asked) in pairs.items()
        ]
        same_kind = not {"scheme", "shard"} & pairs.keys() and new.deals >= self.deals
        if not pairs and self.shard != new.shard:  # its own deals may be the same
            texts.append("its survey is of other deals")
        elif same_kind and self.identity.deals_sha256 != plan.deals_sha256(self.deals):
            texts.append(f"its first {self.deals} deals are not those of the file")
        return texts

    def _check(self) -> None:
        """Refuse (ValueError, TypeError) what no run writes."""
        identity = self.identity
        for name, value, kinds in (
            ("rules", identity.rules, (str,)),
            ("scheme", identity.scheme, (str,)),
            ("first_seed", identity.first_seed, (str, NoneType)),
            ("deals_sha256", identity.deals_sha256, (str, NoneType)),
            ("search", identity.search, (str,)),
            ("lines", identity.lines, (bool,)),
            ("search_version", identity.search_version, (int,)),
            ("budget", self.budget, (int,)),
            ("deals", self.deals, (int,)),
            ("until", self.until, (str, NoneType)),
            ("most", self.most, (int, NoneType)),
            ("round", self.round, (int,)),
            *(("budgets", budget, (int,)) for budget in self.budgets),
        ):
            if type(value) not in kinds:
                raise TypeError(f"{name} is {value!r}")
        for count in (*self.budgets, self.deals):
            if not 0 < count < 2**63:  # as in columns and counts
                raise ValueError(f"budget {self.budget}, deals {self.deals}")
        if self.most is not None and self.most < self.deals:
            raise ValueError(f"most {self.most}, deals {self.deals}")
        if self.round < 0:
            raise ValueError(f"round {self.round}")
        if self.state not in get_args(State):
            raise ValueError(f"state is {self.state!r}")
        if self.shard is not None:
            _check_shard(self.shard, self)
        for entry in self.history:
            datetime.fromisoformat(entry["started"]).timestamp()
            for key, allowed in (("seconds", (int, float, NoneType)), ("stored_before", (int,))):
                if type(entry[key]) not in allowed:
                    raise TypeError(f"{key} is {entry[key]!r}")


def _check_shard(shard: Shard, record: Record) -> None:
    for name, value, kinds in (
        ("number", shard.number, (int,)),
        ("of", shard.of, (int,)),
        ("deals", shard.deals, (int,)),
        ("first_seed", shard.first_seed, (str, NoneType)),
        ("deals_sha256", shard.deals_sha256, (str, NoneType)),
    ):
        if type(value) not in kinds:
            raise TypeError(f"{name} of shard is {value!r}")
    if not 1 <= shard.number <= shard.of <= shard.deals < 2**63:
        raise ValueError(f"shard {shard} of {shard.deals} deals")
    if shard.range.size != record.deals:
        raise ValueError(f"deals {record.deals} of shard {shard} of {shard.deals} deals")


def _of_deals(shard: Shard | None) -> str | None:
    return None if shard is None else f"{shard} of {shard.deals} deals"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def directory_path(path: str | os.PathLike[str]) -> Path:
    """The path of a directory for runs (UsageError if it is not UTF-8).

    Messages, run.json and the readers of Parquet are all made for names that are text.
    """
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        name = os.fsencode(path).decode(errors="backslashreplace")
        raise UsageError(f"directory {name}: its name is not UTF-8; use another") from None
    return Path(path)


def write_file(path: Path, content: bytes) -> None:
    """Write a file in place of the one there, whole or not at all, and durably."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise SolstatError(f"cannot write {path}: {error.strerror}") from None


def sync_directory(directory: Path) -> None:
    """Make the names in a directory as durable as the files."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
