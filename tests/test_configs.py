"""The surveys that come with solstat are surveys."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from solstat.survey.config import Settings, load

CONFIGS = Path(__file__).parent.parent / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.name)
def test_a_config_makes_plans_of_deals_that_figures_are_made_of(path):
    for plan in load(path).plans():
        assert plan.count > 0
        first, last = plan.deals.first, plan.deals.last
        assert last <= 1_000_000 or first >= 3_000_000  # between them: for tuning and checks


def test_the_example_has_every_key():
    text = (CONFIGS / "example.toml").read_text()
    for field in fields(Settings):
        if field.name == "tables":  # no key: says that [[rules]] are there
            continue
        assert f"{field.name} = " in text or f"[[{field.name}]]" in text
