"""Playing deals by the thousand: players' games, in processes, from seeds to rows on disk."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import numpy as np

from solstat import players, solver
from solstat.deals import SeedRange
from solstat.errors import Interrupted, SolstatError
from solstat.games import Rules, parse_rules
from solstat.survey import limits
from solstat.survey.check import start_worker
from solstat.survey.directories import directory_name
from solstat.survey.executors import starting
from solstat.survey.logs import logger
from solstat.survey.plan import Range
from solstat.survey.played import Games, Identity, Store
from solstat.survey.record import directory_path
from solstat.survey.signals import Signals

if TYPE_CHECKING:
    from solstat.survey.progress import Progress

GAMES_AT_ONCE = 250
"""Games that a worker gets at a time: some seconds of them at most."""

AHEAD = 2
"""Tasks for each worker: one it is at, one that waits for it."""


def play_deals(
    rules: Rules,
    policies: Sequence[str],
    scheme: str,
    deals: SeedRange,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    command: str = "the same call",
) -> list[Games]:
    """Let players play what of some deals is not stored yet, and store it.

    The same call finishes what was killed or interrupted; more deals extend what is there. What is
    stored in the end is the same to the byte for any number of workers.

    Parameters
    ----------
    rules : Rules
        The game.
    policies : sequence of str
        The players.
    scheme : str
        Of the seeds.
    deals : SeedRange
        The seeds.
    out : path
        Each player's games go to OUT/RULES/POLICY.
    workers : int, optional
        Number of processes; the CPUs this process may use if not given.
    command : str
        What to say of how to go on after an interruption.

    Raises
    ------
    UsageError
        There are other games in a directory, or there is no such policy.
    SolstatError
        A directory is damaged, in use, or cannot be written, or a process died.
    Interrupted
        By SIGINT, SIGTERM or SIGHUP, once the games in flight are stored.
    """
    for policy in policies:
        players.check_policy(policy)
    top = directory_path(out) / directory_name(rules.id)
    stores = []
    with ExitStack() as stack:
        signals = stack.enter_context(Signals())
        for policy in policies:
            identity = Identity(rules.id, policy, players.VERSION, scheme, deals.first_seed)
            stores.append(stack.enter_context(closing(Store(top / policy, identity, deals.count))))
        tasks = deque((store, part) for store in stores for part in _cut(store.todo))
        if tasks:
            count = min(workers or limits.cpus(), len(tasks))
            with starting(count):
                pool = ProcessPoolExecutor(
                    count, multiprocessing.get_context("fork"), start_worker, (os.getpid(),)
                )
            with pool:
                pool.submit(os.getpid)  # forks the workers, which need no pyarrow, before it comes
                with closing(_progress(rules, stores)) as progress:
                    _play_all(pool, tasks, AHEAD * count, signals, progress)
        for store in stores:
            store.finish()
        if tasks:
            raise Interrupted(f"interrupted, what was played is stored; to go on: {command}")
    return [Games.load(store.directory) for store in stores]


def _progress(rules: Rules, stores: Sequence[Store]) -> Progress:
    from solstat.survey.progress import Progress  # not needed by workers

    stored: Counter[str] = Counter()
    for store in stores:
        stored.update(Games.load(store.directory).ends())
    return Progress(f"{rules.id}, players", sum(store.deals for store in stores), stored)


def _cut(todo: Sequence[Range]) -> list[Range]:
    return [
        Range(first, min(part.last, first + GAMES_AT_ONCE))
        for part in todo
        for first in range(part.first, part.last, GAMES_AT_ONCE)
    ]


def _play_all(
    pool: ProcessPoolExecutor,
    tasks: deque[tuple[Store, Range]],
    most: int,
    signals: Signals,
    progress: Progress,
) -> None:
    """Play and store tasks until there are none, or a signal comes; what is left stays in them."""
    flying: deque[tuple[Store, Range, Future[list[players.Played]]]] = deque()
    try:
        while True:
            while tasks and len(flying) < most and not signals.count:
                store, part = tasks.popleft()
                flying.append((store, part, pool.submit(_play, store.identity, part)))
            if not flying:
                return
            store, part, future = flying.popleft()
            games = future.result()
            store.write(part, games)
            progress.add(Counter(game.end for game in games))
            logger.debug("%s: deals %s are played", store.directory.name, part)
    except BrokenProcessPool:
        raise SolstatError(
            "a process died while it played; the same command goes on from what is stored"
        ) from None


def _play(identity: Identity, part: Range) -> list[players.Played]:
    """The games of some deals, in a worker."""
    rules = parse_rules(identity.rules)
    places = np.arange(*part, dtype=np.int64)
    deals = solver.deal_range(identity.scheme, identity.first_seed, places)
    return [
        players.play(rules, cards.tolist(), identity.policy, identity.seed(place))
        for place, cards in zip(range(*part), deals, strict=True)
    ]
