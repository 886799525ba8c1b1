"""Pages that step through a line, as a browser shows them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from solstat.cards import card_text, parse_card
from solstat.deals import Deal
from solstat.games import SmallDeck, parse_rules, rules
from solstat.report.lines import DealLine, given, solved
from solstat.report.show import page
from solstat.report.steps import Step, steps
from solstat.solver import deal_many

NARROW, MIDDLE, WIDE = 360, 540, 1280
PRESETS = ("wasp", "scorpion", "will-o-the-wisp", "spiderette", "wave-motion", "flow")
GAMES = (*PRESETS, "will-o-the-wisp(finished_runs=return)", "wave-motion(columns=12,reserves=12)")
HOSTILE = "</title><img src=x onerror=\"document.title='owned'\"></script><script>alert(1)</script>"

# The table as the page has it, the piles in the order of its data.
READ = """
const held = list => [...list.children].map(c => c.dataset.card).join("");
const name = list => list.closest(".pile").querySelector("h3").textContent;
const all = kind => [...document.querySelectorAll(`[data-${kind}]`)];
const byName = Object.fromEntries(all("pile").map(list => [list.dataset.pile, {
  cards: held(list), down: list.querySelectorAll(".down").length, name: name(list)}]));
const stock = document.getElementById("stock");
return {piles: byName, stock: stock && held(stock), finished: all("suit").map(held),
  at: document.getElementById("at").textContent,
  words: document.getElementById("words").textContent,
  moved: [...document.querySelectorAll(".moved")].map(c => c.dataset.card),
  current: [...document.querySelectorAll("[aria-current]")].map(a => a.textContent)};
"""


def deal(seed: int) -> Deal:
    return Deal(str(seed), tuple(deal_many("solstat", [seed])[0].tolist()))


def first_won(game: str) -> DealLine:
    rules = parse_rules(game)
    found = (solved(rules, deal(seed), "solstat", 100_000) for seed in range(100))
    return next(told for told in found if told.line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def written(folder: Path, told: DealLine, name: str) -> Path:
    path = folder / f"{name}.html"
    path.write_text(page(told))
    return path


@pytest.fixture(scope="module")
def wasp(folder: Path) -> Path:
    return written(folder, solved(parse_rules("wasp"), deal(24), "solstat", 10_000), "wasp-24")


def text(cards: tuple[int, ...]) -> str:
    return "".join(map(card_text, cards))


def check(seen: dict, step: Step, number: int, last: int) -> None:
    """What a page shows is a step of the line."""
    for pile in step.piles:
        there = seen["piles"][pile.name]
        assert (there["cards"], there["down"]) == (text(pile.cards), pile.down), number
        count = f": {len(pile.cards)} card{'s' * (len(pile.cards) != 1)}"
        assert there["name"].endswith(count + (f", {pile.down} face down" if pile.down else "")), (
            there["name"]
        )
    assert len(seen["piles"]) == len(step.piles)
    assert seen["stock"] == (None if step.stock is None else text(step.stock))
    assert seen["finished"] == list(map(text, step.finished))
    assert seen["words"] == step.words
    assert seen["at"] == (f"Move {number} of {last}" if number else "The deal")
    assert sorted(seen["moved"]) == sorted(map(card_text, step.moved))
    assert seen["current"] == [step.move or "start"]


def press(browser, *keys: str) -> None:
    body = browser.find_element(By.TAG_NAME, "body")
    for key in keys:
        body.send_keys(key)


def walk(browser, viewer, path: Path, told: DealLine) -> list[Step]:
    """Open a page and go through all its steps, which are those of the rules."""
    viewer.open(path)
    found = steps(told.rules, told.deal.cards, told.line)
    for number, step in enumerate(found):
        check(browser.execute_script(READ), step, number, len(found) - 1)
        press(browser, Keys.ARROW_RIGHT)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_reached_by_keys(browser, viewer, folder, game):
    told = first_won(game)
    found = walk(browser, viewer, written(folder, told, re.sub(r"\W", "-", game)), told)
    last = len(found) - 1
    seen = browser.execute_script(READ)
    check(seen, found[-1], last, last)  # there is no step beyond
    left = [pile["cards"] for name, pile in seen["piles"].items() if not name.startswith("c")]
    assert not any(left)
    in_columns = sum(len(pile["cards"]) for pile in seen["piles"].values()) / 2
    assert in_columns + sum(map(len, seen["finished"])) / 2 == 52
    for key, number in (
        (Keys.ARROW_LEFT, last - 1),
        (Keys.HOME, 0),
        (Keys.ARROW_LEFT, 0),
        (Keys.END, last),
    ):
        press(browser, key)
        check(browser.execute_script(READ), found[number], number, last)
    assert browser.get_log("browser") == []


def test_cards_come_back_from_foundations(browser, viewer, folder):
    small = SmallDeck(ranks=2, suits=2, piles=2, depth=1)
    made = rules("will-o-the-wisp", finished_runs="return", small=small)
    cards = tuple(map(parse_card, ["2C", "AC", "2S", "AS"]))
    line = "AC>1 off:C back:AC>2 back:2C>1 deal"
    told = given(made, Deal("small", cards), None, line)
    found = walk(browser, viewer, written(folder, told, "small"), told)
    assert [len(step.finished[0]) for step in found] == [0, 0, 2, 1, 0, 0]


def place(browser) -> int:
    """The number of the step that is shown."""
    return int((re.findall("[0-9]+", browser.find_element(By.ID, "at").text) or [0])[0])


def test_buttons_slider_and_links(browser, viewer, wasp):
    viewer.open(wasp)
    button = {name: browser.find_element(By.ID, name) for name in ("first", "back", "next", "last")}
    assert not button["first"].is_enabled()
    assert not button["back"].is_enabled()
    seen = []
    for name in ("next", "next", "back", "last", "back", "first"):
        button[name].click()
        seen.append(place(browser))
    assert seen == [1, 2, 1, 62, 61, 0]
    slider = browser.find_element(By.ID, "slider")
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert place(browser) == 2  # once for each, though the page has keys too
    assert slider.get_attribute("aria-valuetext") == "2 of 62 moves"
    slider.send_keys(Keys.END)
    assert place(browser) == 62
    assert not button["next"].is_enabled()
    browser.find_element(By.CSS_SELECTOR, "a[href='#12']").click()
    assert place(browser) == 12
    assert slider.get_attribute("value") == "12"
    press(browser, Keys.ARROW_RIGHT)
    browser.find_element(By.CSS_SELECTOR, "a[href='#12']").click()
    assert place(browser) == 12
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("at", "number"), [("#12", 12), ("#0", 0), ("#999", 62), ("#-3", 0), ("#x", 0), ("", 0)]
)
def test_an_address_may_name_a_step(browser, viewer, wasp, at, number):
    browser.get("about:blank")
    viewer.open(wasp, at=at)
    assert place(browser) == number


def test_plays_by_itself(browser, viewer, folder):
    told = given(parse_rules("wasp"), deal(24), "solstat", "AC>5 8S>7 2D>2")
    viewer.open(written(folder, told, "three"))
    words = browser.find_element(By.ID, "words")
    button = browser.find_element(By.ID, "auto")
    assert words.get_attribute("aria-live") == "polite"
    Select(browser.find_element(By.ID, "speed")).select_by_visible_text("fast")
    press(browser, " ")
    assert button.get_attribute("aria-label") == "Pause"
    assert words.get_attribute("aria-live") == "off"
    WebDriverWait(browser, 60).until(lambda b: place(b) == 3)
    WebDriverWait(browser, 60).until(lambda _: button.get_attribute("aria-label") == "Play")
    assert words.get_attribute("aria-live") == "polite"
    button.click()  # from the start again
    assert place(browser) < 3
    press(browser, Keys.HOME)
    assert place(browser) == 0
    assert button.get_attribute("aria-label") == "Play"


def test_face_down_cards_are_read_on_request_only(browser, viewer, wasp):
    viewer.open(wasp)
    card = browser.find_element(By.CSS_SELECTOR, "[data-pile='1'] .down")
    rank = card.find_element(By.CSS_SELECTOR, ".corner")
    assert not rank.is_displayed()
    assert "face-down card" in names(browser)
    assert len(cards_named(browser)) == 52 - 12 - 3
    press(browser, "f")
    assert rank.is_displayed()
    assert len(cards_named(browser)) == 52
    face = card.find_element(By.CSS_SELECTOR, ".face").value_of_css_property("background-color")
    other = browser.find_element(By.CSS_SELECTOR, "[data-pile='1'] .card:not(.down) .face")
    assert face != other.value_of_css_property("background-color")  # they are still told apart
    press(browser, "f")
    assert not rank.is_displayed()


def tree(browser) -> list[dict]:
    """What a screen reader is told of."""
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [node for node in nodes if not node["ignored"]]


def names(browser) -> list[str]:
    return [node.get("name", {}).get("value", "") for node in tree(browser)]


def cards_named(browser) -> set[str]:
    return {name for name in names(browser) if re.fullmatch("[a-z]+ of [a-z]+", name)}


def test_a_screen_reader_is_told_of_all(browser, viewer, wasp):
    viewer.open(wasp)
    roles: dict[str, list[str]] = {}
    for node in tree(browser):
        roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    assert roles["button"] == ["First", "Back", "Play", "Next", "Last"]
    assert roles["slider"] == ["Step"]
    assert roles["checkbox"] == ["Show face-down cards"]
    assert roles["combobox"] == ["Speed"]
    assert {"Stock: 3 cards", "Run of hearts: 0 cards", "Piles", "Steps"} <= set(roles["group"])
    assert {"Pile 1: 7 cards, 3 face down", "Pile 7: 7 cards"} <= set(roles["group"])
    assert len(roles["status"]) == 1
    assert all(name for role in ("link", "heading") for name in roles[role])
    assert roles["group"].count("") == 1  # the text that is folded away
    levels = browser.execute_script(
        "return [...document.querySelectorAll('h1, h2, h3')].map(h => +h.tagName[1])"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("kind", ["won", "lost", "hostile"])
def test_needs_nothing_and_complains_of_nothing(browser, viewer, folder, wasp, kind):
    if kind == "won":
        path = wasp
    elif kind == "lost":
        path = written(folder, solved(parse_rules("wasp"), deal(1), "solstat", 99), "lost")
    else:
        told = solved(parse_rules("wasp"), deal(24), "solstat", 10_000)
        told = replace(
            told,
            deal=replace(told.deal, id=HOSTILE),
            scheme=HOSTILE,
            outcome=HOSTILE,
            verdict=HOSTILE,
            source=HOSTILE,
        )
        path = written(folder, told, "hostile")
    asked = viewer.addresses(path)
    assert asked[0] == path.as_uri()
    assert all(url.startswith("data:") for url in asked[1:])
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.compatMode") == "CSS1Compat"
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    scripts = browser.execute_script("return document.scripts.length")
    assert scripts == (0 if kind == "lost" else 2)
    if kind == "hostile":
        assert browser.title == f"wasp, deal {HOSTILE}"
        assert browser.execute_script("return document.body.innerText").count(HOSTILE) == 3
        press(browser, Keys.END)
        assert place(browser) == 62


def test_its_policy_forbids_what_others_would_add(browser, viewer, wasp, folder):
    text = wasp.read_text()
    assert "unsafe" not in re.findall('Content-Security-Policy" content="(.*?)"', text)[0]
    added = "<script>document.title = 'owned'</script><i style='color: red'>x</i>"
    path = folder / "added.html"
    path.write_text(text.replace("<footer>", f"{added}<footer>"))
    viewer.open(path)
    assert browser.title == "wasp, deal 24"
    complaints = json.dumps(browser.get_log("browser"))
    assert "script-src" in complaints
    assert "style-src" in complaints


def test_without_scripts_the_deal_is_there(browser, viewer, wasp):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        viewer.open(wasp)
        assert not browser.find_element(By.ID, "player").is_displayed()
        assert len(browser.find_elements(By.CSS_SELECTOR, "[data-pile] .card")) == 49
        assert "needs scripts" in browser.find_element(By.TAG_NAME, "noscript").text
        browser.find_element(By.ID, "reveal").click()
        down = browser.find_element(By.CSS_SELECTOR, ".down .corner")
        assert down.is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("width", [NARROW, MIDDLE, WIDE])
@pytest.mark.parametrize("game", ["will-o-the-wisp", GAMES[-1], "wave-motion(columns=52)"])
def test_does_not_scroll_sideways(browser, viewer, folder, game, width):
    told = first_won(game)
    path = written(folder, told, re.sub(r"\W", "-", game))
    last = len(told.line.split())
    for at in (0, last // 2, last):
        browser.get("about:blank")
        viewer.open(path, width, at=f"#{at}")
        if browser.find_elements(By.ID, "reveal"):
            press(browser, "f")
        whole, seen = viewer.widths()
        assert whole == seen
        # Of a covered card its corner is seen whole: the card on it begins below.
        overlaps = browser.execute_script("""
return [...document.querySelectorAll("[data-pile] .card + .card")].map(card => {
  const corner = card.previousElementSibling.querySelector(".corner");
  return corner.getBoundingClientRect().bottom - card.getBoundingClientRect().top;
})""")
        assert all(overlap <= 1 for overlap in overlaps)
        fits = browser.execute_script("""
return [...document.querySelectorAll(".corner")].filter(c => c.checkVisibility())
  .map(c => c.scrollWidth - c.clientWidth)""")
        assert len(fits) >= 4
        assert max(fits) <= 0
        player = browser.find_element(By.ID, "player").rect
        assert player["y"] + player["height"] <= 800 + 1  # at hand without scrolling


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_read(browser, viewer, wasp, scheme):
    viewer.open(wasp, scheme=scheme, at="#30")
    press(browser, "f")
    found = viewer.texts()
    assert len(found) > 150
    for text, contrast in found:
        assert contrast >= 4.5, f"{scheme}: {text}"
    paper = browser.execute_script(
        "return getComputedStyle(document.documentElement).backgroundColor"
    )
    assert (viewer.luminance(paper) > 0.9) == (scheme == "light")


def test_still_where_motion_is_not_wanted(browser, viewer, wasp):
    running = "return document.getAnimations().length"
    viewer.open(wasp)
    press(browser, Keys.ARROW_RIGHT)
    moving = browser.execute_script("document.getElementById('next').click();" + running)
    assert moving > 0
    viewer.open(wasp)
    features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    assert browser.execute_script("document.getElementById('next').click();" + running) == 0
