from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from solstat.report.figures import budget_curve, positions_histogram
from solstat.report.forest import Row, forest
from solstat.report.svg import NARROW, WIDE, inline_svg
from solstat.stats.curve import Costs, curve

COSTS = Costs("wasp", "full", 10, np.array([2, 2, 30, 400, 5000]), np.array([1, 80]), 1, 10_000)
ROWS = [
    Row("ours", 0.85, 0.87, 0.86, 0.865, is_ours=True),
    Row("</text><script>", 0.7, 0.9, 0.8, 0.8, at_least=True, verdict="too high"),
]
FIGURES = [
    lambda: budget_curve({"": curve(COSTS)}),
    lambda: budget_curve({"_a": curve(COSTS), '"><script>': curve(COSTS)}),
    lambda: positions_histogram(COSTS),
    lambda: forest(ROWS),
]


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_ink_is_that_of_the_page(figure, width):
    text = inline_svg(figure(), "a", "p", width=width)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b", re.sub(r"(url\(|href=\")#", "", text))
    assert "currentColor" in text
    assert "DejaVu" not in text


@pytest.mark.parametrize("figure", FIGURES)
def test_is_an_element_without_names_of_others(figure):
    first, second = (
        ElementTree.fromstring(inline_svg(figure(), 'a "b" <c>', prefix)) for prefix in "pq"
    )
    assert first.tag == "svg"  # HTML knows no namespaces
    assert first.attrib["role"] == "img"
    assert first.attrib["aria-label"] == 'a "b" <c>'
    assert {each.tag for each in first.iter()} <= {
        *("svg", "g", "defs", "path", "use", "text", "tspan", "clipPath", "rect", "pattern"),
    }
    ids = [
        {each.attrib["id"] for each in root.iter() if "id" in each.attrib}
        for root in (first, second)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]
    for root, own in zip((first, second), ids, strict=True):
        text = ElementTree.tostring(root, encoding="unicode")
        meant = re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', text)
        assert {one or other for one, other in meant} == own


def test_is_as_wide_as_it_is_told():
    figure = budget_curve({"": curve(COSTS)})
    for width in (WIDE, NARROW, WIDE):
        box = ElementTree.fromstring(inline_svg(figure, "a", "p", width=width)).attrib["viewBox"]
        assert float(box.split()[2]) == pytest.approx(72 * width)


def test_text_stays_text():
    figure = Figure()
    figure.text(0.5, 0.5, "50 % & more")
    texts = [
        each.text for each in ElementTree.fromstring(inline_svg(figure, "a", "p")).iter("text")
    ]
    assert texts == ["50 % & more"]
