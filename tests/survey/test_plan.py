from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solstat.survey.plan import Chunk, Chunker, Plan, Range, gaps


def given_out(chunker: Chunker, seconds_a_deal: float = 0.0) -> list[Range]:
    """All chunks, each one solved before the next is asked for."""
    chunks = []
    while part := chunker.next():
        chunks.append(part)
        chunker.record(part.size, part.size * seconds_a_deal)
    return chunks


class TestChunker:
    @given(
        st.lists(st.tuples(st.integers(1, 50), st.integers(1, 5000)), min_size=1, max_size=5),
        st.integers(1, 8),
        st.floats(0, 10),
    )
    def test_gives_out_each_deal_once_and_in_order(self, spans, workers, cost) -> None:
        todo, at = [], 0
        for gap, size in spans:
            todo.append(Range(at + gap, at + gap + size))
            at += gap + size
        chunks = given_out(Chunker(todo, workers), cost)
        deals = [index for chunk in chunks for index in range(*chunk)]
        assert deals == [index for part in todo for index in range(*part)]

    def test_starts_small_and_grows_to_what_takes_the_time_aimed_at(self) -> None:
        chunks = given_out(Chunker([Range(0, 100_000)], 2), 0.001)
        assert chunks[0].size == Chunker.FIRST
        for before, after in pairwise(chunks):
            assert after.size <= Chunker.GROWTH * before.size
        largest = max(chunk.size for chunk in chunks)
        assert 1000 * Chunker.SECONDS <= largest <= 1000 * Chunker.SECONDS + 1

    def test_ends_with_small_chunks_but_not_tiny_ones(self) -> None:
        sizes = [chunk.size for chunk in given_out(Chunker([Range(0, 100_000)], 2), 0.001)]
        assert sizes[-2] <= 2 * 1000 * Chunker.SMALLEST_SECONDS
        assert len(sizes) < 110

    def test_slow_deals_go_one_by_one(self) -> None:
        chunks = given_out(Chunker([Range(0, 60)], 2), 30.0)
        assert [chunk.size for chunk in chunks] == [15] + [1] * 45

    def test_a_chunk_is_bounded_however_fast_the_deals_are(self) -> None:
        sizes = [chunk.size for chunk in given_out(Chunker([Range(0, 10_000_000)], 1))]
        assert max(sizes) == Chunker.LARGEST


class TestGaps:
    @given(st.sets(st.integers(0, 40)), st.integers(1, 40))
    def test_are_what_is_not_done(self, done, count) -> None:
        ranges = [Range(index, index + 1) for index in sorted(done) if index < count]
        left = [index for gap in gaps(ranges, count) for index in range(*gap)]
        assert left == [index for index in range(count) if index not in done]

    def test_are_as_long_as_can_be(self) -> None:
        assert gaps([Range(3, 5), Range(5, 6)], 9) == [Range(0, 3), Range(6, 9)]


class TestChunk:
    def test_a_part_has_its_own_cards(self, file_plan: Plan) -> None:
        assert file_plan.cards is not None
        chunk = Chunk(
            file_plan.rules, "file", 9, "full", True, Range(4, 9), None, file_plan.cards[4:9]
        )
        part = chunk.part(6, 8, deaths=1)
        assert (part.range, part.size, part.deaths) == (Range(6, 8), 2, 1)
        assert part.cards is not None
        assert np.array_equal(part.cards, file_plan.cards[6:8])


def test_plan_counts_its_deals(plan: Plan, file_plan: Plan) -> None:
    assert (plan.count, plan.first_seed, plan.cards) == (100, "100", None)
    assert plan.deals_sha256(50) is None
    assert (file_plan.count, file_plan.first_seed) == (30, None)
    assert file_plan.deals_sha256(29) != file_plan.deals_sha256(30)
