"""Runs with outcomes that a test chooses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from solstat.deals import Deal, SeedRange
from solstat.games import parse_rules
from solstat.solver import OUTCOMES, Batch, search_version
from solstat.survey.plan import Plan, Range, deals_text
from solstat.survey.reader import Run, open_run
from solstat.survey.record import Record
from solstat.survey.rows import Writer
from solstat.survey.store import DEALS

Maker = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path: Path) -> Maker:
    """Makes a run of deals whose outcomes are the letters of a word.

    They are w, l, u and e as the names of the outcomes begin; a dot is a deal not solved yet. Deals
    are the seeds from `first` on, if none are given.
    """
    code = {name[0]: number for number, name in enumerate(OUTCOMES)}

    def make(
        name: str,
        outcomes: str,
        rules: str = "wasp",
        *,
        first: int = 0,
        prefix: str = "",
        deals: Sequence[Deal] = (),
        scheme: str = "solstat",
        budget: int = 1000,
        search: str = "full",
        positions: Sequence[int] = (),
        version: int | None = None,
    ) -> Run:
        seeds = SeedRange(first, first + len(outcomes), prefix)
        plan = Plan(
            parse_rules(rules),
            tuple(deals) or seeds,
            budget,
            "file" if deals else scheme,
            search,
            lines=False,
        )
        directory = tmp_path / name
        directory.mkdir()
        record = Record.of(plan, version or search_version(plan.rules.family))
        record.save(directory)
        if deals:
            (directory / DEALS).write_bytes(deals_text(deals))
        writer = Writer(directory, record, deals, {})

        def rows(part: Range):
            letters = outcomes[part.first : part.last]
            if "e" in letters:
                return writer.failed(part, "crash:SIGSEGV")
            size = part.size
            return writer.solved(
                part,
                Batch(
                    outcome=np.array([code[letter] for letter in letters], np.uint8),
                    stage=np.zeros(size, np.uint8),
                    positions=np.array([*positions][part.first : part.last] or [1] * size),
                    moves=np.ones(size, np.int32),
                    seconds=np.zeros(size),
                    line=[None] * size,
                    stages=("dfs",),
                ),
            )

        for stretch in re.finditer("[wlue]+", outcomes):
            start = stretch.start()
            pieces = [
                Range(start + piece.start(), start + piece.end())
                for piece in re.finditer("e+|[wlu]+", stretch[0])
            ]
            writer.write(Range(*stretch.span()), map(rows, pieces))
        return open_run(directory)

    return make
