from __future__ import annotations

import itertools
from bisect import insort
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solstat.errors import SolstatError
from solstat.survey.parts import (
    FAN,
    MILLION,
    covering,
    large_groups,
    listed,
    name,
    small_neighbours,
)
from solstat.survey.plan import Range


def touch(directory: Path, *ranges: tuple[int, int]) -> None:
    for each in ranges:
        (directory / name(Range(*each))).touch()


class TestListed:
    def test_parts_by_index_and_nothing_else(self, tmp_path: Path) -> None:
        touch(tmp_path, (10, 20), (0, 5), (10**9, 10**10))
        for other in ("run.json", ".part-000000000-000000007.parquet.partial", "part-1-2.parquet"):
            (tmp_path / other).touch()
        assert listed(tmp_path) == ([(0, 5), (10, 20), (10**9, 10**10)], [])

    def test_a_part_within_another_is_superseded(self, tmp_path: Path) -> None:
        touch(tmp_path, (0, 5), (5, 9), (0, 9), (9, 12), (20, 30), (22, 30), (20, 21))
        parts, superseded = listed(tmp_path)
        assert parts == [(0, 9), (9, 12), (20, 30)]
        assert superseded == [(0, 5), (5, 9), (20, 21), (22, 30)]
        assert covering(parts, superseded) == [(0, 9), (20, 30)]

    def test_parts_that_share_deals_are_refused(self, tmp_path: Path) -> None:
        touch(tmp_path, (0, 5), (4, 9))
        with pytest.raises(SolstatError, match="share deals; move the wrong one away"):
            listed(tmp_path)

    @pytest.mark.parametrize("text", ["000000005-000000005", "000000007-000000005", "0000000000-1"])
    def test_names_that_no_run_writes(self, tmp_path: Path, text: str) -> None:
        (tmp_path / f"part-{text.replace('-1', '-0000000001')}.parquet").touch()
        with pytest.raises(SolstatError, match="no run writes a part of that name"):
            listed(tmp_path)


class TestCompaction:
    @given(st.data(), st.integers(1, 3000), st.integers(1, 40))
    def test_a_directory_stays_small_and_no_deal_is_lost(self, data, chunks, size) -> None:
        """Chunks that are stored in any order of a window, merged as they come."""
        parts: list[Range] = []
        window = [Range(k * size, (k + 1) * size) for k in range(chunks)]
        swap = data.draw(st.sampled_from([1, 2, 4]))
        rewritten = 0
        for k in range(0, chunks, swap):
            for new in reversed(window[k : k + swap]):
                insort(parts, new)
                while group := small_neighbours(parts, new):
                    assert all(b.first == a.last for a, b in itertools.pairwise(group))
                    new = Range(group[0].first, group[-1].last)
                    rewritten += new.size
                    at = parts.index(group[0])
                    parts[at : at + len(group)] = [new]
        assert sum(part.size for part in parts) == chunks * size
        assert len(parts) < 4 * FAN
        assert rewritten <= 3 * chunks * size

    def test_large_parts_are_left_alone(self) -> None:
        size = MILLION // FAN + 1
        parts = [Range(k * size, (k + 1) * size) for k in range(2 * FAN)]
        assert small_neighbours(parts, parts[5]) == []

    @given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, MILLION)), max_size=30))
    def test_large_groups_are_neighbours_of_at_most_a_million(self, spans) -> None:
        parts, at = [], 0
        for gap, size in spans:
            parts.append(Range(at + gap, at + gap + size))
            at += gap + size
        groups = list(large_groups(parts))
        assert [part for group in groups for part in group] == parts
        for group in groups:
            assert group[-1].last - group[0].first == sum(part.size for part in group)
            assert group[-1].last - group[0].first <= MILLION
        for one, other in itertools.pairwise(groups):
            apart = one[-1].last != other[0].first
            assert apart or other[0].last - one[0].first > MILLION
