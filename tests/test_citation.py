"""CITATION.cff says of solstat what solstat says of itself."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import solstat

TEXT = (Path(__file__).parent.parent / "CITATION.cff").read_text()


def value(key: str) -> str:
    """The one value of a key at the top, without quotes."""
    (found,) = re.findall(rf"^{key}: (.+)$", TEXT, re.MULTILINE)
    return found.strip('"')


def test_version_and_title_are_the_projects() -> None:
    about = metadata.metadata("solstat")
    assert value("version") == solstat.__version__
    assert value("title") == about["Name"]
    assert value("abstract") == about["Summary"]
    assert value("license") == about["License-Expression"]
    assert re.findall(r"^  - (.+)$", TEXT, re.MULTILINE) == [
        f"name: {about['Author']}",
        *about["Keywords"].split(","),
    ]


def test_has_what_cff_1_2_asks_for() -> None:
    assert value("cff-version") == "1.2.0"
    assert value("message")
    assert re.search(r"^authors:\n  - ", TEXT, re.MULTILINE)
