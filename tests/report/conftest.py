"""A browser for pages: headless Chromium, which tools/setup.sh sees to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

WIDE = 1000

# What is seen of each element with text of its own: its colour, and that behind it.
SEEN = """
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (!own || !element.checkVisibility()) continue;
  let behind = element;
  const background = e => getComputedStyle(e).backgroundColor;
  while (behind.parentElement && background(behind) === "rgba(0, 0, 0, 0)")
    behind = behind.parentElement;
  const style = getComputedStyle(element);
  const svg = element instanceof SVGElement;
  found.push([element.textContent.trim(), svg ? style.fill : style.color, background(behind)]);
}
return found;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One for each module: other tests look at, and kill, all processes of this one."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    assert program, "no chromium here: tools/setup.sh browser"
    assert driver, "no chromedriver here: tools/setup.sh browser"
    options = Options()
    options.binary_location = program
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(driver)
    chrome = Chrome(options, service)
    yield chrome
    # Asked to leave, Chromium at times does not, and its driver waits for it.
    programs = psutil.Process(service.process.pid)
    for each in (*programs.children(recursive=True), programs):
        with suppress(psutil.NoSuchProcess):
            each.kill()
    service.process.wait()


class Viewer(NamedTuple):
    """Opens pages, and measures what is seen of them."""

    browser: Chrome

    def open(
        self, page: Path, width: int = WIDE, scheme: str = "light", media: str = "", at: str = ""
    ) -> list[dict[str, Any]]:
        """Open a page; what the browser did for it, as its log of performance has it."""
        self.browser.get_log("performance")
        look = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < WIDE}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", look)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        media_and_features = {"media": media, "features": features}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media_and_features)
        self.browser.get(page.as_uri() + at)
        log = self.browser.get_log("performance")
        return [json.loads(entry["message"])["message"] for entry in log]

    def addresses(self, page: Path) -> list[str]:
        """Open a page; what the browser asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.open(page)
            if event["method"] == "Network.requestWillBeSent"
        ]

    def widths(self) -> tuple[int, int]:
        """How wide the page is, and how much of that is seen."""
        whole, seen = self.browser.execute_script(
            "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
        )
        return whole, seen

    def texts(self) -> list[tuple[str, float]]:
        """Each text that is seen, and its contrast to what is behind it."""
        seen = self.browser.execute_script(SEEN)
        return [(text, self.contrast(ink, behind)) for text, ink, behind in seen]

    @staticmethod
    def luminance(colour: str) -> float:
        """Relative luminance of a colour as a browser writes it, WCAG 2.2."""
        assert colour.startswith("rgb("), colour
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    @classmethod
    def contrast(cls, one: str, other: str) -> float:
        """The ratio of two colours, WCAG 2.2."""
        dark, light = sorted(map(cls.luminance, (one, other)))
        return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def viewer(browser: Chrome) -> Viewer:
    return Viewer(browser)
