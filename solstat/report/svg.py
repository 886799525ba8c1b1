"""Figures as SVG inside an HTML page, in the colours of the page.

Importing this imports matplotlib; do so only where a page is made.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

from matplotlib.figure import Figure

from solstat.report.figures import LOST, OPEN, WON, save

COLOURS = {
    WON.lower(): "var(--won)",
    LOST.lower(): "var(--lost)",
    OPEN.lower(): "var(--open)",
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#e3e3e3": "var(--grid)",
}
"""What the page calls the colours of figures; each look of the page has its own."""

WIDE, NARROW = 7.2, 4.4
"""Widths of a figure, in inches: for a page as it is printed, and for that of a telephone."""

_COLOUR = re.compile("#[0-9a-f]{6}")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_LINK = re.compile(r"#(?=[\w-]+$)|(?<=url\()#")
_FONT = re.compile(r"'DejaVu Sans'(, [\w' -]+)*")
_GEOMETRY = ("d", "x", "y", "width", "height", "transform", "points")


def inline_svg(figure: Figure, alt: str, prefix: str, *, width: float = WIDE) -> str:
    """A figure as an element ``<svg>`` that can stand in a page beside others.

    Parameters
    ----------
    figure : Figure
        Its width is changed.
    alt : str
        What is to be seen, for those who cannot.
    prefix : str
        Begins every id, so that those of several figures in a page differ; letters and digits.
    width : float
        In inches.
    """
    figure.set_size_inches(width, figure.get_size_inches()[1])
    file = io.BytesIO()
    save(figure, file, "svg")
    root = ElementTree.fromstring(file.getvalue())
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = {
            _local(name): _in_page(_local(name), value, prefix)
            for name, value in element.attrib.items()
            if (element.tag, name) != ("g", "id")  # nothing refers to it
        }
        for child in list(element):
            if _local(child.tag) in ("metadata", "style"):
                element.remove(child)
        if element.tag != "text":
            element.text = None
        element.tail = None
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": alt,
        "style": f"max-width: {width:g}in",
    }
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    """A name without its namespace, as HTML has them."""
    return name.rpartition("}")[2]


def _in_page(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name in ("href", "clip-path"):
        return _LINK.sub(f"#{prefix}", value)
    if name in ("style", "fill", "stroke"):
        value = _COLOUR.sub(lambda found: COLOURS.get(found[0], found[0]), value)
        value = _FONT.sub("var(--figure-font)", value)
        return _LINK.sub(f"#{prefix}", value) if "url(" in value else value
    if name in _GEOMETRY:
        return _NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
    return value
