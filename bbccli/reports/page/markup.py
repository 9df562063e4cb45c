"""HTML put together from parts: text is escaped unless it is already markup.

The style uses system fonts, is light or dark, and fits paper and a telephone. The page also reads
well without it, because some servers allow no style in a page.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from bbccli.platform.arguments import day
from bbccli.platform.text import redacted, visible
from bbccli.reports.figures.base import in_prose
from bbccli.version import __version__

LONGEST = 3_000
"""Characters of a text on a page."""

LONG_CELL, LONG_NAME = 24, 12
"""Characters from which a cell, and the name of a row, may take several lines."""

LONG_PART = 30
"""Characters from which a name is broken anywhere: it has no joint where a line could end."""

NO_FIGURE = frozenset({"none", "undefined", "unknown"})
"""Sign for a missing figure."""


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def text(value: str, longest: int = LONGEST) -> Markup:
    """Return a text from anywhere as HTML: without secrets, on one line, not too long.

    >>> print(text("<b>a</b> & 'c'"))
    &lt;b&gt;a&lt;/b&gt; &amp; &#x27;c&#x27;
    """
    return Markup(html.escape(in_prose(value, longest)))


_UNBROKEN = re.compile(r"\S{21,}")
"""Text that may be wider than a line, or a column, of a phone."""

_JOINT = re.compile(r"(?<=[_,/(|=])(?=\S)")
"""Joints of a long name: lines may end there, and otherwise only between words."""


_OPTION = re.compile(r"--[a-z][a-z-]*")

_RTL = re.compile("[{0}](?:[{0} ]*[{0}])?".format("\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"))
"""Words of scripts that are written from right to left."""


def flowing(value: str) -> Markup:
    """Return a text as HTML, in which lines may end at the joints of long names.

    >>> print(flowing("Boosting(rate=0.1,max_depth=3)"))
    Boosting(<wbr>rate=<wbr>0.1,<wbr>max_<wbr>depth=<wbr>3)
    """
    return _flowing(text(value))


def _flowing(escaped: str) -> Markup:
    """Mark where lines may end, options, which none may end in, and words from right to left.

    Figures beside these words would else change places with them.
    """
    joined = _UNBROKEN.sub(lambda match: _JOINT.sub("<wbr>", match[0]), escaped)
    isolated = _RTL.sub(r"<bdi>\g<0></bdi>", joined)
    return Markup(_OPTION.sub(r'<span class="whole">\g<0></span>', isolated))


def tag(name: str, *content: str, **attributes: str) -> Markup:
    """Return an element; `class_` and the like are spelled with a line at the end.

    >>> print(tag("p", "a < b", class_="note"))
    <p class="note">a &lt; b</p>
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value, 1000)}"'
        for key, value in attributes.items()
    )
    inside = "".join(part if isinstance(part, Markup) else flowing(part) for part in content)
    return Markup(f"<{name}{given}>{inside}</{name}>")


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], marked: int | None = None
) -> Markup:
    """Return a table whose first column names its rows, in a box that can scroll.

    marked: position of the row that the answer is about, which is bold.
    """
    listed = [list(row) for row in rows]
    kinds = ["text" if _is_text(cells) else "" for cells in zip(*listed, strict=True)]
    kinds = kinds or [""] * len(columns)
    named = zip(columns, kinds, strict=True)
    head = tag("tr", *(_cell("th", name, kind, scope="col") for name, kind in named))
    body = []
    for position, (first, *cells) in enumerate(listed):
        strong = position == marked
        scope = {"scope": "row"} if first else {}  # of nothing, there is no heading
        kind_of_first = "th" if first else "td"
        row = [_cell(kind_of_first, first, _long(first, LONG_NAME), strong=strong, **scope)]
        row += [
            _cell("td", cell, f"{kind} {_long(cell, LONG_CELL)}".strip(), strong=strong)
            for cell, kind in zip(cells, kinds[1:], strict=True)
        ]
        body.append(tag("tr", *row))
    inside = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))
    return tag("div", inside, class_="scroll", role="group", aria_label=caption, tabindex="0")


def _cell(name: str, cell: str, kind: str, *, strong: bool = False, **attributes: str) -> Markup:
    """Return a cell, of some classes if there are any."""
    content = tag("strong", cell) if strong and cell else cell
    return tag(name, content, **attributes, **({"class_": kind} if kind else {}))


def _long(cell: str, longest: int) -> str:
    """Classes of a cell that wraps where there is little room."""
    if len(cell) <= longest:
        return ""
    parts = [part for word in cell.split() for part in _JOINT.split(word)]
    return "long unbroken" if max(map(len, parts), default=0) > LONG_PART else "long"


def _is_text(cells: Sequence[str]) -> bool:
    """True if most cells have words where others have figures."""
    known = [cell[:1].isalpha() for cell in cells if cell not in NO_FIGURE]
    return 2 * sum(known) > len(known)


def words(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return a table whose cells are sentences."""
    return tag("div", table(caption, columns, rows), class_="words")


def facts_table(caption: str, rows: Iterable[Sequence[str]]) -> Markup:
    """Return names and what is said of each; a style hides the caption and the heads."""
    return tag("div", table(caption, ("what", "value"), rows), class_="words facts")


def dotted_list(items: Iterable[str]) -> Markup:
    """Return a list with dots."""
    return tag("ul", *(tag("li", item) for item in items))


def section(title: str, ident: str, *content: str, landmark: bool = True) -> Markup:
    """Return a part of the page under a heading of its own; nothing without content.

    landmark: false where the page has several parts with this title.
    """
    if not content:
        return Markup()
    heading = tag("h2", title, id=ident)
    return tag("section", heading, *content, **({"aria_labelledby": ident} if landmark else {}))


def details(summary: str, *content: str) -> Markup:
    """Return a part that is folded until opened, also on paper."""
    return tag("details", tag("summary", summary), *content)


def code(content: str) -> Markup:
    """Return several lines to be copied."""
    lines = [_flowing(html.escape(visible(redacted(line)))) for line in content.split("\n")]
    inside = tag("code", Markup("\n".join(lines)))
    return tag("pre", inside, tabindex="0")


def resource(name: str) -> str:
    """Return the text of a file next to this module."""
    return files("bbccli.reports.page").joinpath(name).read_text("utf-8").rstrip()


def whole_page(title: str, about: str, parts: Sequence[Markup]) -> str:
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
    today = day()
    time = tag("time", f"{today.day} {today:%B %Y}", datetime=today.isoformat())
    made = tag("p", "Page made on ", time, f" by bbc {__version__}", class_="about")
    header = tag(
        "header", tag("h1", title), *([tag("p", about, class_="about")] if about else []), made
    )
    footer = tag("footer", tag("p", f"Made by bbc {__version__}. Nothing was trained again."))
    body = "\n".join([header, tag("main", *(Markup(part + "\n") for part in parts)), footer])
    inside = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{inside}\n</html>\n'
