"""From what was typed to deals and rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from solstat.cli.output import talk
from solstat.errors import SolstatError, UsageError

if TYPE_CHECKING:
    from solstat.deals import Deal
    from solstat.survey.reader import Run


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
            raise UsageError(
                f"{file} holds {len(deals)} deals, and one is asked for: run takes many"
            )
        return deals[0]
    raise UsageError("name one deal: either SEED, or --deal FILE")


def many_deals(
    scheme: str, seed: str | None, seeds: str | None, file: str | None
) -> Iterable[Deal]:
    """The deal of a seed, the deals of a range of seeds, or those of a file."""
    from solstat.deals import Seed, parse_seed_range, read_deals

    if [seed, seeds, file].count(None) != 2:
        raise UsageError("name the deals: one of SEED, --deals FIRST:LAST, and --deals-file FILE")
    if seed is not None:
        return [one_deal(scheme, seed, None)]
    if seeds is not None:
        chosen = parse_seed_range(seeds, scheme)
        numbers = range(chosen.first, chosen.last)
        return (deal_of_seed(scheme, str(Seed(number, chosen.prefix))) for number in numbers)
    assert file is not None
    return read_deals(file)


def runs_at(paths: Sequence[str]) -> list[Run]:
    """The runs in directories, or below them, in the order of the paths; each once."""
    from solstat.survey.reader import runs_under

    check_directories(paths)
    found: dict[Path, Run] = {}
    for run in (run for path in paths for run in runs_under(path)):
        found.setdefault(run.path.resolve(), run)
    return list(found.values())


def sound_runs_at(paths: Sequence[str]) -> tuple[list[Run], int]:
    """The runs that can be read, each once, and an exit code: 1 if others had to be passed over.

    Those are named on stderr. A run that is alone is not passed over: what is wrong is raised.
    """
    from solstat.survey.reader import Run, counts, directories_under

    check_directories(paths)
    found: dict[Path, Path] = {}
    for directory in (directory for path in paths for directory in directories_under(path)):
        found.setdefault(directory.resolve(), directory)
    sound = []
    for directory in found.values():
        try:
            run = Run(directory)
            counts(run)  # reads, and so checks, every part
            sound.append(run)
        except SolstatError as problem:
            if len(found) == 1:
                raise
            talk(f"passed over: {problem}")
    return sound, int(len(sound) < len(found))


def check_directories(paths: Sequence[str], why: str = "a file, and RUN is a directory") -> None:
    """Refuse files where directories of runs are to be named (UsageError)."""
    for path in map(Path, paths):
        if path.is_file():
            raise UsageError(f"{path}: {why}{_run_meant(path)}")


def tell_unfinished(runs: Sequence[Run]) -> None:
    """Say of runs that are not finished that theirs are the figures of a part, and which part."""
    for run in runs:
        if (stored := run.stored) < run.record.deals:
            talk(
                f"{run.path} is not finished: {stored:,} of {run.record.deals:,} deals are there; "
                "those that take long may be missing, so shares may change more than chance allows"
            )


def _run_meant(file: Path) -> str:
    """For a file of a run, or the config of one: the end of the message that names the run."""
    from solstat.survey.record import FILE

    by_config = Path("runs", file.stem)
    if (file.parent / FILE).exists():
        return f": did you mean {file.parent}?"
    return f": did you mean {by_config}?" if by_config.is_dir() else ""
