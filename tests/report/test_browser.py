"""Reports as a browser shows them."""

from __future__ import annotations

import base64
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium.webdriver import Chrome

from solstat.cli.app import solstat

WIDE, NARROW = 1000, 360
HOSTILE = "<img src=x onerror=\"document.title='owned'\"> & " + "long" * 40


def solve(place: Path, *arguments: object) -> None:
    words = ["run", *arguments, "--workers", 1, "-o", place]
    assert CliRunner().invoke(solstat, list(map(str, words))).exit_code == 0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two games, one in a directory whose name means something in HTML."""
    place = tmp_path_factory.mktemp("runs")
    solve(place / "wasp", "-g", "wasp", "--deals", "0:300", "--budget", "300")
    solve(place / HOSTILE, "-g", "scorpion", "--deals", "0:100", "--budget", "3k")
    return place


CLAIMS = Path(__file__).parents[2] / "configs/claims"


@pytest.fixture(scope="module", params=["wasp", HOSTILE, "."], ids=["one", "hostile", "several"])
def page(runs: Path, request: pytest.FixtureRequest) -> Path:
    """A report on one run, on the one with the hostile name, and on both."""
    out = runs / f"{'report' if request.param == '.' else len(request.param)}.html"
    words = ["report", str(runs / request.param), "--claims", str(CLAIMS), "-o", str(out)]
    result = CliRunner().invoke(solstat, words)
    assert result.exit_code == 0, result.output
    return out


def test_needs_nothing_and_complains_of_nothing(browser, viewer, page):
    asked = viewer.addresses(page)
    assert asked[0] == page.as_uri()
    assert all(url.startswith("data:") for url in asked[1:])
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.compatMode") == "CSS1Compat"


def test_what_is_typed_is_text(browser, viewer, page):
    viewer.open(page)
    title = browser.title
    assert title.startswith("How many deals ")
    assert browser.execute_script("return document.querySelectorAll('img, script').length") == 0
    if "wasp" not in title:
        assert HOSTILE in browser.execute_script(
            "return document.querySelector('footer').innerText"
        )


@pytest.mark.parametrize("width", [NARROW, 540, WIDE])
def test_does_not_scroll_sideways(browser, viewer, page, width):
    viewer.open(page, width)
    whole, seen = viewer.widths()
    assert whole == seen
    assert width - seen <= 20  # of a scroll bar down the page
    # Tables scroll in boxes of their own, which the keyboard reaches.
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.scroll, pre')]"
        ".map(e => [e.scrollWidth > e.clientWidth, e.tabIndex])"
    )
    assert all(tab == 0 for _, tab in boxes)
    if width == NARROW:
        assert any(scrolls for scrolls, _ in boxes)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_one_of_each_figure_is_seen_and_can_be_read(browser, viewer, page, width):
    viewer.open(page, width)
    figures = browser.execute_script(
        "return [...document.querySelectorAll('figure')].map(f => [...f.querySelectorAll('svg')]"
        ".filter(s => s.checkVisibility()).map(s => [s.getAttribute('role'),"
        " s.getAttribute('aria-label').length, s.getBoundingClientRect().width,"
        " Math.min(...[...s.querySelectorAll('text')].map(t =>"
        " t.getBoundingClientRect().height))]))"
    )
    assert len(figures) >= 3  # curve, claims, histogram
    for (role, label, wide, text), *more in figures:
        assert not more
        assert role == "img"
        assert label > 50
        assert wide > 0.75 * min(width, 700)
        assert text >= 9


def colours(browser: Chrome) -> tuple[str, str]:
    """Those of ink and paper."""
    return tuple(
        browser.execute_script(
            "return [getComputedStyle(document.body).color,"
            " getComputedStyle(document.documentElement).backgroundColor]"
        )
    )


def test_light_and_dark_can_both_be_read(browser, viewer, page):
    papers = []
    for scheme in ("light", "dark"):
        viewer.open(page, scheme=scheme)
        found = viewer.texts()
        assert len(found) > 100
        for text, contrast in found:
            assert contrast >= 4.5, f"{scheme}: {text}"
        _, paper = colours(browser)
        papers.append(paper)
        # What is drawn is told from the paper, and no ink of figures stays as it was.
        for name in ("won", "lost", "open"):
            probe = (
                "const e = document.createElement('i'); e.style.color = arguments[0];"
                "document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c"
            )
            ink = browser.execute_script(probe, f"var(--{name})")
            assert viewer.contrast(ink, paper) >= 3
    light, dark = map(viewer.luminance, papers)
    assert light > 0.9
    assert dark < 0.05


def test_prints_dark_on_light_whatever_the_screen_is(browser, viewer, page):
    viewer.open(page, scheme="light")
    on_screen = colours(browser)
    viewer.open(page, scheme="dark", media="print")
    assert colours(browser) == on_screen
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    content = base64.b64decode(printed["data"])
    assert content.startswith(b"%PDF-")
    assert len(content) > 20_000


def test_headings_and_tables_say_what_they_are(browser, viewer, page):
    viewer.open(page)
    levels = browser.execute_script(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1])"
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    bare = browser.execute_script(
        "return [...document.querySelectorAll('th:not([scope]), table:not([aria-label])')].length"
    )
    assert bare == 0
    assert browser.execute_script("return document.documentElement.lang") == "en"
