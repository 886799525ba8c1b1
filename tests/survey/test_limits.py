from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from solstat.deals import SeedRange
from solstat.errors import UsageError
from solstat.games import rules
from solstat.survey import limits
from solstat.survey.plan import Again, Plan

G = 2**30
RAM = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

Machine = Callable[..., Path]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make the files of a machine: what the kernel says of the process, and of its groups."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))

    def make(membership: str, **files: str) -> Path:
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(membership)
        for name, text in files.items():
            path = tmp_path / "sys/fs/cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        return tmp_path

    return make


class TestCpus:
    def test_those_of_the_affinity(self, machine: Machine) -> None:
        assert limits.cpus(machine("0::/\n")) == 16

    def test_no_control_groups_at_all(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
        assert limits.cpus(tmp_path) == 1
        assert limits.memory(tmp_path) == RAM

    @pytest.mark.parametrize(
        ("quota", "expected"),
        [
            ("max 100000", 16),
            ("300000 100000", 3),
            ("250000 100000", 3),  # rounded up
            ("5000 100000", 1),
            ("9900000 100000", 16),
            ("nonsense", 16),
            ("1 0x", 16),
        ],
    )
    def test_quota_of_version_2(self, machine: Machine, quota: str, expected: int) -> None:
        assert limits.cpus(machine("0::/job\n", **{"job/cpu.max": quota})) == expected

    def test_a_group_above_limits_too(self, machine: Machine) -> None:
        files = {"a/cpu.max": "200000 100000", "a/b/cpu.max": "400000 100000"}
        assert limits.cpus(machine("0::/a/b\n", **files)) == 2

    def test_a_group_beside_does_not(self, machine: Machine) -> None:
        files = {"other/cpu.max": "200000 100000", "a/cpu.max": "400000 100000"}
        assert limits.cpus(machine("0::/a\n", **files)) == 4

    @pytest.mark.parametrize("path", ["/docker/0123", "/../outside", "/"])
    def test_in_a_container_its_own_group_is_mounted(self, machine: Machine, path: str) -> None:
        assert limits.cpus(machine(f"0::{path}\n", **{"cpu.max": "150000 100000"})) == 2

    @pytest.mark.parametrize(
        ("mount", "quota", "expected"),
        [("cpu,cpuacct", "250000", 3), ("cpu", "250000", 3), ("cpu", "-1", 16), ("cpu", "0", 16)],
    )
    def test_version_1(self, machine: Machine, mount: str, quota: str, expected: int) -> None:
        files = {
            f"{mount}/job/cpu.cfs_quota_us": quota,
            f"{mount}/job/cpu.cfs_period_us": "100000",
        }
        root = machine("5:cpuset:/x\n3:cpu,cpuacct:/job\n0::/\n", **files)
        assert limits.cpus(root) == expected

    def test_version_1_without_a_period(self, machine: Machine) -> None:
        assert limits.cpus(machine("3:cpu:/\n", **{"cpu/cpu.cfs_quota_us": "100000"})) == 16

    def test_lines_that_nobody_knows(self, machine: Machine) -> None:
        assert limits.cpus(machine("\n7\n8:x\n0::/a\n", **{"a/cpu.max": "100000 100000"})) == 1


class TestMemory:
    @pytest.mark.parametrize(
        ("membership", "name", "text", "expected"),
        [
            ("0::/job\n", "job/memory.max", str(2**20), 2**20),
            ("0::/job/step\n", "job/memory.max", str(2**20), 2**20),
            ("0::/job\n", "job/memory.max", "max", RAM),
            ("0::/job\n", "job/memory.max", "", RAM),
            ("4:memory:/job\n0::/\n", "memory/job/memory.limit_in_bytes", str(2**20), 2**20),
            ("4:memory:/\n0::/\n", "memory/memory.limit_in_bytes", str(2**63 - 4096), RAM),
            ("4:memory:/job\n0::/x\n", "unified/x/memory.max", str(2**20), 2**20),
        ],
    )
    def test_the_least(self, machine: Machine, membership, name, text, expected) -> None:
        assert limits.memory(machine(membership, **{name: text})) == expected

    def test_of_this_machine(self) -> None:
        assert 2**20 < limits.memory() <= RAM
        assert 1 <= limits.cpus() <= len(os.sched_getaffinity(0))


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "size"),
        [("8G", 8 * G), ("512m", G // 2), ("1.5GiB", 3 * G // 2), ("2TB", 2048 * G), ("77", 77)],
    )
    def test_are_read(self, text: str, size: int) -> None:
        assert limits.parse_memory(text) == size

    @pytest.mark.parametrize("text", ["", "G", "0", "0.1", "-1G", "8 G", "8X", "1e9", "٣G", "8\n"])
    def test_or_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="write a size, like 8G or 512M"):
            limits.parse_memory(text)

    @pytest.mark.parametrize(
        ("size", "text"),
        [(8 * G, "8G"), (3 * G // 2, "1.5G"), (1000, "1000"), (2**20, "1M"), (0, "0")],
    )
    def test_are_shown(self, size: int, text: str) -> None:
        assert limits.format_memory(size) == text


class TestCheckMemory:
    @pytest.fixture
    def plan(self) -> Plan:
        return Plan(rules("wasp"), SeedRange(0, 9), 10_000_000, "solstat")

    def test_what_fits(self, plan: Plan) -> None:
        limits.check_memory([plan], 4, 4 * 32 * 10_000_000)
        limits.check_memory([], 4, 1)

    def test_fewer_workers(self, plan: Plan) -> None:
        with pytest.raises(UsageError) as refused:
            limits.check_memory([plan, replace(plan, budget=5)], 4, G)
        assert str(refused.value) == (
            "4 workers may need 1.2G of memory, and there is 1G (wasp: budget 10M, up to 32 bytes "
            "a position): use --workers 3, or --memory 1.2G to run all the same"
        )

    @pytest.mark.parametrize("workers", [1, 4])
    @pytest.mark.parametrize("again", [False, True])
    def test_a_smaller_budget(self, plan: Plan, workers: int, again: bool) -> None:
        huge = 2**63 - 1
        steps = {"again": (Again("unsettled", huge),)} if again else {"budget": huge}
        with pytest.raises(UsageError) as refused:
            limits.check_memory([replace(plan, **steps)], workers, G)
        alone = "with --workers 1 " if workers > 1 else ""
        assert f"): use {alone}a budget of at most 10M, or --memory " in str(refused.value)

    @pytest.mark.parametrize("budget", [7, 10_000_000, 123_456_789, 2**63 - 1])
    @pytest.mark.parametrize("workers", [1, 3, 1024])
    def test_what_is_said_to_be_right_is(self, plan: Plan, budget: int, workers: int) -> None:
        plan = replace(plan, budget=budget)
        with pytest.raises(UsageError) as refused:
            limits.check_memory([plan], workers, 100)
        words = str(refused.value).split()
        size = limits.parse_memory(words[words.index("--memory") + 1])
        limits.check_memory([plan], workers, size)
        assert size <= 1.12 * workers * limits.needed([plan])


@pytest.mark.parametrize(
    ("game", "search", "budget", "expected"),
    [
        ("wasp", "full", 16_000_000, 32),
        ("wasp", "full", 16_000_001, 64),
        ("spiderette", "full", 1_000_000, 100),
        ("spiderette", "plain", 1_000_000, 32),
        ("flow", "full", 40_000_000, 110),
    ],
)
def test_bytes_per_position(game: str, search: str, budget: int, expected: int) -> None:
    assert limits.bytes_per_position(rules(game), search, budget) == expected
