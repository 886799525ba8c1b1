"""A survey whose processes are killed at random, over and over, ends as if nothing had happened.

A soak kills more: SOLSTAT_CHAOS_KILLS and SOLSTAT_CHAOS_DEALS say how often and of how many deals.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from solstat.deals import SeedRange
from solstat.games import rules
from solstat.survey.plan import Plan
from solstat.survey.reader import open_run
from solstat.survey.run import run_survey
from solstat.survey.status import status

KILLS = int(os.environ.get("SOLSTAT_CHAOS_KILLS", "20"))
DEALS = int(os.environ.get("SOLSTAT_CHAOS_DEALS", "20000"))
BUDGET = 1_000_000
FAULTS = ("a worker", "all workers", "the parent", "all at once", "the parent, stopped first")


def start(out: Path) -> subprocess.Popen[bytes]:
    words = f"run -g wasp --deals 0:{DEALS} --budget {BUDGET} --no-lines --workers 2"
    return subprocess.Popen(
        [sys.executable, "-m", "solstat", *words.split(), "--out", str(out)],
        cwd=out.parent,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def disturb(process: subprocess.Popen[bytes], fault: str, pick: random.Random) -> int:
    """Kill what `fault` names; how many processes were killed."""
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(process.pid)
        workers = parent.children()
        match fault:
            case "a worker":
                victims = [pick.choice(workers)] if workers else []
            case "all workers":
                victims = workers
            case "the parent":
                victims = [parent]
            case "the parent, stopped first":
                parent.suspend()
                time.sleep(pick.random() / 2)
                victims = [parent]
            case _:
                victims = [parent, *workers]
        for victim in victims:
            with suppress(psutil.NoSuchProcess):
                victim.kill()
        return len(victims)
    return 0


def test_a_survey_disturbed_at_random_ends_as_an_undisturbed_one(tmp_path: Path, content) -> None:
    plan = Plan(rules("wasp"), SeedRange(0, DEALS), BUDGET, "solstat")
    run_survey([plan], tmp_path / "undisturbed", workers=2)

    seed = random.randrange(2**32)
    pick = random.Random(seed)
    out = tmp_path / "run"
    killed: Counter[str] = Counter()
    process = start(out)
    try:
        while killed.total() < KILLS:
            before = set(out.glob("part-*"))
            seen = time.monotonic()
            while process.poll() is None and set(out.glob("part-*")) <= before:
                assert time.monotonic() - seen < 60, f"it does not go on (seed {seed})"
                time.sleep(0.02)
            time.sleep(pick.random() / 3)
            if process.poll() is None:
                fault = pick.choice(FAULTS)
                killed[fault] += disturb(process, fault, pick)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
            if process.returncode is not None:
                assert process.returncode in (-signal.SIGKILL, 0), f"seed {seed}"
                assert status(open_run(out)).todo, f"over after {killed} (seed {seed})"
                process = start(out)
        process.wait(120)
        if process.returncode:
            assert process.returncode == -signal.SIGKILL
            process = start(out)
            assert process.wait(300) == 0, f"seed {seed}"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert killed.total() >= KILLS
    assert content(out) == content(tmp_path / "undisturbed"), f"seed {seed}"
    assert not list(out.glob(".*.partial"))
