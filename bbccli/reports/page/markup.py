"""HTML put together from parts: text is escaped unless it is markup already.

The style has the fonts of the system, is light or dark, and fits paper and a telephone. The page is
written to be read without it, for some servers allow no style in a page.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from bbccli.core.text import redacted, visible
from bbccli.reports.figures.base import name_of
from bbccli.version import __version__

LONGEST = 3_000
"""Characters of a text on a page."""

LONG_CELL, LONG_NAME = 30, 12
"""Characters from which on a cell, and the name of a row, may take several lines."""

NO_FIGURE = frozenset({"none", "undefined", "unknown"})
"""What stands where a figure is missing."""


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def text(value: str, longest: int = LONGEST) -> Markup:
    """Return a text from anywhere as HTML: without secrets, on one line, not too long.

    Examples
    --------
    >>> print(text("<b>a</b> & 'c'"))
    &lt;b&gt;a&lt;/b&gt; &amp; &#x27;c&#x27;
    """
    return Markup(_SHARE.sub("\\1&nbsp;%", html.escape(name_of(value, longest))))


_SHARE = re.compile(r"(\d) %")


def tag(name: str, *content: str, **attributes: str) -> Markup:
    """Return an element; `class_` and the like are spelled with a line at the end.

    Examples
    --------
    >>> print(tag("p", "a < b", class_="note"))
    <p class="note">a &lt; b</p>
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value, 1000)}"'
        for key, value in attributes.items()
    )
    inside = "".join(part if isinstance(part, Markup) else text(part) for part in content)
    return Markup(f"<{name}{told}>{inside}</{name}>")


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return a table whose first column names its rows, in a box that can scroll."""
    listed = [list(row) for row in rows]
    kinds = ["text" if any(map(_is_word, cells)) else "" for cells in zip(*listed, strict=True)]
    kinds = kinds or [""] * len(columns)
    named = zip(columns, kinds, strict=True)
    head = tag("tr", *(_cell("th", name, kind, scope="col") for name, kind in named))
    body = [
        tag(
            "tr",
            _cell("th", first, _long(first, LONG_NAME), scope="row"),
            *(
                _cell("td", cell, f"{kind} {_long(cell, LONG_CELL)}".strip())
                for cell, kind in zip(cells, kinds[1:], strict=True)
            ),
        )
        for first, *cells in listed
    ]
    inside = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))
    return tag("div", inside, class_="scroll", role="group", aria_label=caption, tabindex="0")


def _cell(name: str, cell: str, kind: str, **attributes: str) -> Markup:
    """A cell, of some classes if there are any."""
    return tag(name, cell, **attributes, **({"class_": kind} if kind else {}))


def _long(cell: str, longest: int) -> str:
    """The classes of what takes several lines where there is not the room."""
    if len(cell) <= longest:
        return ""
    return "long unbroken" if max(map(len, cell.split()), default=0) > LONG_CELL else "long"


def _is_word(cell: str) -> bool:
    """Whether a cell has words where others have figures."""
    return cell[:1].isalpha() and cell not in NO_FIGURE


def words(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return a table whose cells are sentences."""
    return tag("div", table(caption, columns, rows), class_="words")


def listing(items: Iterable[str]) -> Markup:
    """Return a list with dots."""
    return tag("ul", *(tag("li", item) for item in items))


def section(title: str, ident: str, *content: str) -> Markup:
    """Return a part of the page under a heading of its own; nothing without content."""
    if not content:
        return Markup()
    heading = tag("h2", title, id=ident)
    return tag("section", heading, *content, aria_labelledby=ident)


def details(summary: str, *content: str) -> Markup:
    """Return what is folded away until it is asked for; on paper it is always open."""
    return tag("details", tag("summary", summary), *content)


def code(content: str) -> Markup:
    """Return several lines as they stand, to be copied."""
    lines = [html.escape(visible(redacted(line))) for line in content.split("\n")]
    inside = tag("code", Markup("\n".join(lines)))
    return tag("pre", inside, tabindex="0")


def resource(name: str) -> str:
    """Return the text of a file that lies beside this module."""
    return files("bbccli.reports.page").joinpath(name).read_text("utf-8").rstrip()


def whole(title: str, about: str, parts: Sequence[Markup]) -> str:
    """Return a page around its parts; its own policy allows the one style, and nothing else."""
    style = resource("style.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    head = "\n".join(
        [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta name="generator" content="bbc {__version__}">',
            f"<title>{text(title)}</title>",
            f"<style>{style}</style>",
        ]
    )
    header = tag("header", tag("h1", title), tag("p", about, class_="about"))
    footer = tag("footer", tag("p", f"Made by bbc {__version__}. Nothing was trained again."))
    body = "\n".join([header, tag("main", *(Markup(part + "\n") for part in parts)), footer])
    inside = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{inside}\n</html>\n'
