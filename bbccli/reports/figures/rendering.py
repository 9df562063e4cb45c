"""From a Vega-Lite dictionary to SVG, PNG, PDF or JSON: the only place that knows vl-convert.

Nothing is ever fetched: data stand in the specification, and no address is allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

from bbccli.errors import OptionError
from bbccli.reports.figures.base import Drawn, themed

INSTALL = 'pip install "bbccli[report]"'
INK, PAPER = "#222222", "#ffffff"
SCALE = 2.0
"""Pixels of a PNG for each of the figure."""

ENLARGED = 1.2
"""Size of a figure in a page that has the room, against its own."""

SVG = "http://www.w3.org/2000/svg"
_NEEDLESS = re.compile(r"(role|class|pointer-events|aria-.*|xml:space|version)$")


def can_render() -> bool:
    """Whether the package is there that draws."""
    return find_spec("vl_convert") is not None


def inline_svg(drawn: Drawn, prefix: str) -> str:
    """Return a figure to stand in a page: its ink is that of the text, its ids are its own.

    Parameters
    ----------
    prefix
        Of the ids in it, which must differ between the figures of a page.
    """
    root = ElementTree.fromstring(_converted("vegalite_to_svg", themed(drawn.spec)))
    for element in root.iter():
        _tidy(element, prefix)
    for parent in list(root.iter()):
        for child in [one for one in parent if _is_nothing(one)]:
            parent.remove(child)
    for side in ("width", "height"):
        root.set(side, f"{float(root.get(side, '0')) * ENLARGED:g}")
    root.set("role", "img")
    root.set("aria-label", f"{drawn.title}. {drawn.reading}")
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def exported(drawn: Drawn, form: str) -> bytes:
    """Return a figure as a file: svg, png, pdf or vl.json, the last of which needs no package.

    Raises
    ------
    OptionError
        The package that draws is not installed.
    """
    spec = themed(drawn.spec, INK, PAPER) | {"title": None, "description": drawn.reading}
    if form == "vl.json":
        return (json.dumps(spec, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode()
    if form == "svg":
        return str(_converted("vegalite_to_svg", spec)).encode()
    scale: dict[str, Any] = {"scale": SCALE} if form == "png" else {}
    data: bytes = _converted(f"vegalite_to_{form}", spec, **scale)
    return data


def check_can_render() -> None:
    """Refuse to draw without the package that does.

    Raises
    ------
    OptionError
        It is not installed.
    """
    if not can_render():
        raise OptionError(
            "figures are drawn by vl-convert-python, which is not installed",
            hint=f"{INSTALL}; or a file that ends in .vl.json, which needs nothing",
        )


def _converted(name: str, spec: dict[str, Any], **more: Any) -> Any:
    check_can_render()
    import vl_convert

    convert: Callable[..., Any] = getattr(vl_convert, name)
    return convert(json.dumps(spec, allow_nan=False), allowed_base_urls=[], **more)


def _tidy(element: ElementTree.Element, prefix: str) -> None:
    """Drop what a picture with one label needs not, and make its ids its own."""
    for key, value in list(element.attrib.items()):
        if _NEEDLESS.match(key):
            del element.attrib[key]
        elif key == "id":
            element.set(key, f"{prefix}-{value}")
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{prefix}-"))


def _is_nothing(element: ElementTree.Element) -> bool:
    path = element.get("d")
    return element.tag == f"{{{SVG}}}path" and path in ("", "M0,0h0v0h0Z")
