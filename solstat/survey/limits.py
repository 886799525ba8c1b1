"""What a run may use of this machine: CPUs and memory, and whether they are enough.

A container or a batch system gives a process less than the machine has. What it may use stands in
the files of its control group and of those above it, of either version of Linux's control groups.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from solstat import solver
from solstat.budget import format_budget
from solstat.cards import shown
from solstat.errors import UsageError
from solstat.games import Rules
from solstat.survey.plan import Plan

ROOT = Path("/")
"""Where proc and sys are."""

# The most memory a search takes for a position, with 64-bit and with 128-bit keys. A set of keys
# has up to four slots for each while it grows, 32 and 64 bytes, and depth-first searches need
# little else. Best-first searches keep the positions too, and the moves that wait: beside the set
# they were seen to take 60 and 140 bytes (will-o-the-wisp, at 0.9 and 9 million positions), in
# family wave 24 (flow with five columns, at 0.36 million; taken twice for long keys).
_KEYS_BYTES = (32, 64)
_POSITION_BYTES = {"scorpion": _KEYS_BYTES, "spider": (100, 210), "wave": (60, 110)}

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_MEMORY = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,3})?)([KMGT]?)(?:iB|B)?", re.IGNORECASE)


def cpus(root: Path = ROOT) -> int:
    """The CPUs this process may use: those of its affinity, or the quota of its control group."""
    allowed = len(os.sched_getaffinity(0))
    quotas = (_quota(group) for group in _groups(root, "cpu"))
    return max(1, min([allowed, *(math.ceil(quota) for quota in quotas if quota is not None)]))


def memory(root: Path = ROOT) -> int:
    """The bytes this process may use: the machine's memory, or what its control group allows."""
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = (
        _number(group / name)
        for group in _groups(root, "memory")
        for name in ("memory.max", "memory.limit_in_bytes")
    )
    return min([pages, *(limit for limit in limits if limit is not None)])


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The directories of the control groups of this process that may limit something of it.

    Inside a container the path that the kernel names may not be there; what is mounted is then the
    container's own group.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    top = root / "sys/fs/cgroup"
    for line in lines:
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if not controllers:  # version 2
            mounts = [top, top / "unified"]
        elif controller in controllers.split(","):
            mounts = [top / controllers, top / controller]
        else:
            continue
        names = [name for name in path.split("/") if name]
        for mount in mounts:
            for depth in range(len(names) + 1):
                if ".." not in names[:depth]:
                    yield mount.joinpath(*names[:depth])


def _quota(group: Path) -> float | None:
    """How many CPUs' time a group may use; None if it says nothing or sets no limit."""
    with suppress(OSError, ValueError):
        quota, period = (group / "cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    quota_us = _number(group / "cpu.cfs_quota_us")
    period_us = _number(group / "cpu.cfs_period_us")
    return quota_us / period_us if quota_us and period_us else None


def _number(path: Path) -> int | None:
    """The number in a file; None if there is no such file, or no limit in it."""
    try:
        text = path.read_text().strip()
    except (OSError, ValueError):
        return None
    return int(text) if re.fullmatch("[1-9][0-9]*", text) else None


def parse_memory(text: str) -> int:
    """The bytes that a text names, such as 8G, 512M or 1.5G (units of 1,024).

    Raises
    ------
    UsageError
        The text names none.
    """
    match = _MEMORY.fullmatch(text)
    if match and (size := int(float(match[1]) * UNITS[match[2].upper()])) > 0:
        return size
    raise UsageError(f"memory {shown(text)}: write a size, like 8G or 512M")


def format_memory(size: int) -> str:
    """A size as `parse_memory` reads it, rounded: 8G, 1.5G, 512M."""
    return _with_unit(size, round)


def _with_unit(size: int, rounded: Callable[[float], int]) -> str:
    unit = max((unit for unit in UNITS if UNITS[unit] <= size), key=UNITS.__getitem__, default="")
    return f"{rounded(10 * size / UNITS[unit]) / 10:.1f}".removesuffix(".0") + unit


def bytes_per_position(rules: Rules, search: str, budget: int) -> int:
    """The most memory that a search takes for each position, in bytes."""
    narrow, wide = _KEYS_BYTES if search == "plain" else _POSITION_BYTES[rules.family]
    return wide if budget > solver.WIDE_KEYS_ABOVE else narrow


def needed(plans: Iterable[Plan]) -> int:
    """The bytes that a worker may need at most for any of some plans."""
    return max((_need(plan) for plan in plans), default=0)


def check_memory(plans: Sequence[Plan], workers: int, allowed: int) -> None:
    """Refuse a run that may need more memory than there is.

    Deals that take the whole budget are rare, and those that do are not all at work at once. But a
    run that is left alone for a week has them all, and what the system then kills may not be a
    worker.

    Parameters
    ----------
    plans : sequence of Plan
        What is still to be done.
    workers : int
        Number of processes.
    allowed : int
        Bytes.

    Raises
    ------
    UsageError
        The figures, and what would fit.
    """
    if workers * needed(plans) <= allowed:
        return
    plan = max(plans, key=_need)
    each = _need(plan)
    per_position = bytes_per_position(plan.rules, plan.search, _most(plan))
    if fit := min(allowed // each, workers - 1):
        remedy = f"use --workers {fit}"
    else:
        alone = "with --workers 1 " if workers > 1 else ""
        remedy = f"use {alone}a budget of at most {format_budget(_largest_budget(plan, allowed))}"
    raise UsageError(
        f"{workers} {'worker' if workers == 1 else 'workers'} may need {_up(each * workers)} of "
        f"memory, and there is {format_memory(allowed)} ({plan.rules.game}: budget "
        f"{format_budget(_most(plan))}, up to {per_position} bytes a position): {remedy}, "
        f"or --memory {_up(each * workers)} to run all the same"
    )


def _most(plan: Plan) -> int:
    """The largest budget that a deal of a plan may be searched with."""
    return max(plan.budget, *(each.budget for each in plan.again), 0)


def _need(plan: Plan) -> int:
    return _most(plan) * bytes_per_position(plan.rules, plan.search, _most(plan))


def _largest_budget(plan: Plan, allowed: int) -> int:
    """A round budget that one worker can be given, be it for the first search or for the last."""
    round_ones = (digit * 10**power for power in range(19) for digit in range(1, 10))
    once = replace(plan, again=())
    return max(
        (one for one in round_ones if _need(replace(once, budget=one)) <= allowed), default=0
    )


def _up(size: int) -> str:
    """A size that is at least as large, so that it may be given as --memory."""
    return _with_unit(size, math.ceil)
