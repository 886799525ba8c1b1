"""Players' games as they are kept: a directory for each player under each rules.

OUT/RULES/POLICY holds players.json, which says what the games are, and Parquet parts that are named
as those of a run. It is no run: nothing is proved there, and a deal that is not won says nothing of
whether it can be, so no command takes it for one.
"""

from __future__ import annotations

import json
import os
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from solstat.deals import parse_seed
from solstat.errors import SolstatError, UsageError
from solstat.games import parse_rules
from solstat.survey import parts, seal
from solstat.survey.lock import locked
from solstat.survey.plan import Range, gaps
from solstat.survey.record import write_file

if TYPE_CHECKING:
    import pyarrow as pa

    from solstat.players import Played

FILE = "players.json"
VERSION = 1
ENDS = ("won", "stuck", "round")
"""How a game ends, see `solstat.players.Played`."""


@dataclass(frozen=True)
class Identity:
    """What must be the same for games to belong together.

    Attributes
    ----------
    rules : str
        Canonical rules id.
    policy : str
        The player.
    players : int
        `solstat.players.VERSION`.
    scheme, first_seed : str
        The scheme of the seeds, and the seed at index 0.
    """

    rules: str
    policy: str
    players: int
    scheme: str
    first_seed: str

    def seed(self, place: int) -> str:
        """The seed of the deal at an index."""
        first = parse_seed(self.first_seed, self.scheme)
        return f"{first.prefix}{first.number + place}"


class Games(NamedTuple):
    """The games of one player under one rules, as everyone but their writer sees them.

    Attributes
    ----------
    path : Path
        Their directory.
    identity : Identity
        What they are.
    deals : int
        How many are planned.
    """

    path: Path
    identity: Identity
    deals: int

    @classmethod
    def load(cls, path: Path) -> Self:
        """The games in a directory.

        Raises
        ------
        SolstatError
            players.json cannot be read, or is not as this version of solstat writes it.
        """
        file = path / FILE
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            if content["version"] != VERSION:
                raise ValueError(f"version {content['version']!r}")
            identity, deals = Identity(**content["identity"]), content["deals"]
            parse_seed(identity.first_seed, identity.scheme)
            if parse_rules(identity.rules).id != identity.rules or type(deals) is not int:
                raise ValueError("no rules id, or no number of deals")
        except OSError as error:
            raise SolstatError(f"{file}: {error.strerror}") from None
        except (KeyError, TypeError, ValueError, UsageError, RecursionError) as error:
            name = type(error).__name__
            raise SolstatError(f"{file}: damaged ({name}: {error})") from None
        return cls(path, identity, deals)

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The rows that are stored, in the order of their index.

        Raises
        ------
        SolstatError
            A part is damaged, or of other games.
        """
        from solstat.survey.stored import read_file

        for part in parts.listed(self.path)[0]:
            yield from read_file(self.path / parts.name(part), columns, _schema(self.identity))

    def ends(self) -> dict[str, int]:
        """How many of the games that are stored ended in each way."""
        found: Counter[str] = Counter()
        for table in self.tables(["outcome"]):
            found.update(table["outcome"].to_pylist())
        return {end: found[end] for end in ENDS}


def games_under(top: str | os.PathLike[str]) -> list[Games]:
    """All players' games in a directory, sorted by rules, then player."""
    return [Games.load(path.parent) for path in sorted(Path(top).glob(f"*/*/{FILE}"))]


class Store:
    """The directory of a player's games as its one writer sees it: locked till `close`.

    Parameters
    ----------
    directory : Path
        Made if it is not there.
    identity : Identity
        What the games are.
    deals : int
        How many there are to be; fewer than are there already leave them there.

    Raises
    ------
    UsageError
        The directory holds other games, or other files.
    SolstatError
        Another process writes to it, or it is damaged or cannot be written.
    """

    def __init__(self, directory: Path, identity: Identity, deals: int) -> None:
        self.directory = directory
        self.identity = identity
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = locked(directory)
        except OSError as error:
            raise SolstatError(f"cannot write to {directory}: {error.strerror}") from None
        try:
            self.deals = max(deals, self._there())
            self._parts, superseded = parts.listed(directory)
            for part in superseded:
                (directory / parts.name(part)).unlink(missing_ok=True)
            about = {"version": VERSION, "identity": asdict(identity), "deals": self.deals}
            write_file(directory / FILE, f"{json.dumps(about, indent=2)}\n".encode())
        except BaseException:
            self.close()
            raise

    def _there(self) -> int:
        """How many deals are planned in the directory; refuses what is none of these games."""
        if not (self.directory / FILE).exists():
            others = [path.name for path in self.directory.iterdir() if path.name[0] != "."]
            if others:
                raise UsageError(
                    f"{self.directory} holds other files, such as {min(others)}: "
                    "name another directory with -o"
                )
            return 0
        there = Games.load(self.directory)
        for name, value in asdict(self.identity).items():
            found = getattr(there.identity, name)
            if found != value:
                raise UsageError(
                    f"{self.directory} holds games of {name} {found}, not {value}: "
                    "name another directory with -o"
                )
        return there.deals

    @property
    def todo(self) -> list[Range]:
        """The deals that are not played yet."""
        return gaps(self._parts, self.deals)

    def write(self, part: Range, games: Sequence[Played]) -> None:
        """Store the games of some deals."""
        import pyarrow as pa

        identity = self.identity
        table = pa.table(
            {
                "game": [parse_rules(identity.rules).game] * part.size,
                "rules": [identity.rules] * part.size,
                "scheme": [identity.scheme] * part.size,
                "policy": [identity.policy] * part.size,
                "players": [identity.players] * part.size,
                "index": range(*part),
                "seed": [identity.seed(place) for place in range(*part)],
                "outcome": [game.end for game in games],
                "moves": [game.moves for game in games],
            },
            schema=_schema(identity),
        )
        self._write(part, table)
        insort(self._parts, part)

    def finish(self) -> None:
        """Make one part of all, the same whatever the parts were."""
        if len(self._parts) < 2 or self.todo:
            return
        import pyarrow as pa

        whole = Range(0, self._parts[-1].last)
        tables = Games(self.directory, self.identity, self.deals).tables()
        self._write(whole, pa.concat_tables(tables).combine_chunks())
        for part in self._parts:
            (self.directory / parts.name(part)).unlink()
        self._parts = [whole]

    def _write(self, part: Range, table: pa.Table) -> None:
        from solstat.survey import rows

        table = table.cast(_schema(self.identity))
        groups = (
            table.slice(first, rows.ROW_GROUP) for first in range(0, len(table), rows.ROW_GROUP)
        )
        rows.write(self.directory / parts.name(part), table.schema, groups)

    def close(self) -> None:
        """Let others write there."""
        self._lock.close()


@cache
def _schema(identity: Identity) -> pa.Schema:
    """The columns of games; the footer says which games they are."""
    import pyarrow as pa

    from solstat.survey.schema import FOOTER

    texts = {name: pa.string() for name in ("game", "rules", "scheme", "policy")}
    footer = {"players": VERSION, "identity": asdict(identity), seal.KEY: seal.UNSEALED}
    return pa.schema(
        texts
        | {
            "players": pa.int32(),
            "index": pa.int64(),
            "seed": pa.string(),
            "outcome": pa.string(),
            "moves": pa.int32(),
        },
        metadata={FOOTER: json.dumps(footer)},
    )
