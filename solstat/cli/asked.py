"""What a command line of ``solstat run`` asks for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from solstat.cli.until import Watch
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.survey.config import Settings
    from solstat.survey.executors import Executor
    from solstat.survey.plan import Plan
    from solstat.survey.reader import Run


def check_complete(
    config: str | None,
    game: str | None,
    rule: tuple[str, ...],
    asked: dict[str, Any],
    out: str | None,
) -> None:
    """Without a config, name all that is missing at once."""
    if rule and game is None:
        raise UsageError(
            f"-r {rule[0]} needs -g; in a config, options stand in its [[rules]] tables"
        )
    if config is not None:
        return
    needed = {
        "-g wasp": game,
        "--deals 0:563 (or --deals-file FILE)": asked["deals"] or asked["deals_file"],
        "--budget 250k": asked["budgets"],
        "-o runs/wasp": out,
    }
    missing = [option for option, value in needed.items() if value is None]
    if len(missing) == len(needed):
        raise UsageError(
            f"nothing to solve: name a CONFIG, or give options like {', '.join(missing)}"
        )
    if missing:
        raise UsageError(f"missing, as there is no CONFIG: options like {', '.join(missing)}")


def check_retry(
    config: str | None,
    game: str | None,
    rule: tuple[str, ...],
    asked: dict[str, Any],
    out: str | None,
) -> None:
    """Refuse options that the run itself answers, unless all of what it is made of is given."""
    if asked["until"] is not None:
        raise UsageError("--retry with --until: the deals are those of the run; use one of them")
    if config is not None or game is not None:
        return check_complete(config, game, rule, asked | {"budgets": "of the run"}, out)
    if out is None:
        raise UsageError("--retry: name the run whose deals are to be searched again, -o RUN")
    given = {name for name, value in asked.items() if value is not None} - {"budgets"}
    for name in ["rule"] if rule else sorted(given):
        option = f"--{name.replace('_', '-')}"
        raise UsageError(
            f"--retry takes that from the run: leave out {option}, or name its CONFIG or -g too"
        )
    return None


def plans_of(settings: Settings, shard: str | None) -> Sequence[Plan]:
    """What is to be solved, or the shard of it that is asked for."""
    plans = settings.plans()
    if shard is None:
        return plans
    from solstat.survey import shards

    cut = shards.parse_cut(shard)
    return [shards.shard(plan, cut) for plan in plans]


def plans_again(
    settings: Settings,
    shard: str | None,
    place: Path,
    what: Literal["unsettled", "errors"],
    budgets: Any,
) -> tuple[list[Path], list[Plan]]:
    """Of which runs deals are searched again, and how; a CONFIG or flags must be what they are."""
    from solstat.survey import again
    from solstat.survey.directories import run_directories
    from solstat.survey.reader import open_run

    if not settings.rules:
        found = again.plans_again(_runs(place, shard), what, budgets or ())
    else:
        if what == "unsettled" and budgets is None:
            budgets = settings.budgets or (settings.budget and (settings.budget,))
        # Whatever the budget is, that of the run counts.
        asked = plans_of(replace(settings, budget=1, budgets=()), shard)
        paths = run_directories(asked, place, apart=bool(settings.tables))
        found = again.plans_again([open_run(path) for path in paths], what, budgets or (), asked)
    return [run.path for run, _ in found], [plan for _, plan in found]


def _runs(place: Path, shard: str | None) -> list[Run]:
    """The runs in a directory, or those of them that are such a shard."""
    from solstat.survey import shards
    from solstat.survey.reader import runs_under

    runs = runs_under(place)
    if shard is None:
        return runs
    cut = str(shards.parse_cut(shard))
    if found := [run for run in runs if str(run.record.shard) == cut]:
        return found
    raise UsageError(f"{place}: no shard {cut} of a run here")


def settings_of(
    config: str | None, game: str | None, rule: tuple[str, ...], asked: dict[str, Any]
) -> Settings:
    """What a CONFIG and the options that override it say, or the options alone."""
    from solstat.games import parse_rules
    from solstat.survey.config import Settings, load

    rules = () if game is None else (parse_rules(game, rule),)
    flags = Settings(rules=rules, **asked | {"budgets": asked["budgets"] or ()})
    if config is None:
        return flags
    settings = load(config)
    if settings.until is not None:  # also one that is overridden; `load` cannot know what it means
        try:
            Watch(settings.until)
        except UsageError as error:
            raise UsageError(f"config {config}: {error}") from None
    return settings.override(flags)


def run_place(config: str | None, out: str | None) -> Path:
    """The directory of the run or runs (UsageError if it is a file)."""
    if out is None:
        assert config is not None
        return Path("runs", Path(config).stem)
    if Path(out).exists() and not Path(out).is_dir():
        raise UsageError(f"-o {out}: is a file; name a directory, a new one or one of a run")
    return Path(out)


def executor_of(
    name: str | None, scheduler: str | None, workers: int | None, memory: int | None
) -> Callable[[int], Executor]:
    """Who solves."""
    from solstat.survey.executors import Processes

    if scheduler is not None and workers is not None:
        raise UsageError("--workers with --scheduler: a cluster has the workers it has")
    if scheduler is not None and memory is not None:
        raise UsageError("--memory with --scheduler: a cluster has the memory it has")
    if scheduler is not None and name == "processes":
        raise UsageError("--scheduler is for --executor dask, not for processes")
    if scheduler is None and name != "dask":
        return Processes
    from solstat.survey.dask import Dask

    return functools.partial(Dask, scheduler=scheduler)
