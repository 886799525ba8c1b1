"""What the tool that tunes the score writes is a file of the kernel."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from solstat import solver

ROOT = Path(__file__).parent.parent
KERNEL = ROOT / "solstat/kernel"
PROGRAM = """
#include <cstdio>
#include "tuned.hpp"

int main() {
    for (const auto& phase : solstat::spider::tuned_weights.phase)
        for (const int weight : phase) std::printf("%d ", weight);
}
"""


def tune(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools/tune.py", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tiny_run_writes_weights_that_compile(tmp_path: Path) -> None:
    sizes = ("--budget", 4000, "--generations", 1, "--population", 4)
    done = tune("1000000:1000020", *sizes, "tuned.hpp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "tuned.hpp").read_text()
    assert "deals 1000000 to 1000019 of scheme solstat, budget 4000." in text
    assert "1 generations of 4" in text
    assert len(re.findall(r"\d\.\d{3} before", text)) == 2
    (tmp_path / "print.cpp").write_text(PROGRAM)
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    words = ["-std=c++20", f"-I{KERNEL}", "print.cpp", "-o", "print"]
    subprocess.run([*compiler, *words], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "print"], capture_output=True, text=True, check=True)
    weights = [int(word) for word in printed.stdout.split()]
    kernel = [weight for phase in solver.SPIDER_WEIGHTS for weight in phase]
    assert len(weights) == len(kernel) == 2 * len(solver.SPIDER_FEATURES)
    assert weights != kernel
    for name, old, new in zip(solver.SPIDER_FEATURES * 2, kernel, weights, strict=True):
        assert new == old if name == "suit_off" else abs(new - old) < max(abs(old), 300)


def test_the_same_run_writes_the_same_weights(tmp_path: Path) -> None:
    sizes = ("--budget", 4000, "--generations", 1, "--population", 4)
    for name in ("one.hpp", "other.hpp"):
        assert tune("1000020:1000030", *sizes, name, cwd=tmp_path).returncode == 0
    one, other = ((tmp_path / name).read_text().splitlines() for name in ("one.hpp", "other.hpp"))
    dated = [number for number, line in enumerate(one) if "Written by" in line]
    assert len(dated) == 1
    assert all(a == b for n, (a, b) in enumerate(zip(one, other, strict=True)) if n not in dated)


@pytest.mark.parametrize(
    ("deals", "said"),
    [
        ("0:700", "must lie in 1000000:2000000"),
        ("1000000:1600000", "must lie in 1000000:2000000"),
        ("1000700:1000000", "must lie in 1000000:2000000"),
        ("some", "'some' is no range of seeds"),
        ("1000000:1000001", "no hard deals among so few"),
    ],
)
def test_deals_that_cannot_be_are_named(deals: str, said: str, tmp_path: Path) -> None:
    done = tune(deals, "tuned.hpp", "--budget", 1000, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert not (tmp_path / "tuned.hpp").exists()
