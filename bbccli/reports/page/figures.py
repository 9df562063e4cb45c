"""Figures in a page: each with a sentence, a caption, and a table of its data."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures import KINDS, Absent, Drawn, draw
from bbccli.reports.figures.rendering import can_render, inline_svg, obstacle
from bbccli.reports.page.markup import Markup, details, listing, section, table, tag

MOST_ROWS = 200
"""Rows of a table of data; the rest are counted."""


def figures(exhibit: Exhibit, prefix: str = "") -> Markup:
    """Return a section for each figure that can be drawn, and one that names the others.

    Parameters
    ----------
    prefix
        Of all ids, where a page has several results.
    """
    found = [draw(kind, exhibit) for kind in KINDS]
    drawn = [one for one in found if isinstance(one, Drawn)]
    absent = [one for one in found if isinstance(one, Absent)]
    parts = [figure_section(one, f"{prefix}{one.kind}") for one in drawn]
    return Markup("".join([*parts, absent_section(absent, prefix)]))


def figure_section(drawn: Drawn, ident: str) -> Markup:
    """Return one figure under its heading."""
    picture = Markup(inline_svg(drawn, ident)) if can_render() else Markup()
    return section(
        drawn.title,
        ident,
        tag("p", drawn.reading, class_="reading"),
        tag("figure", picture, tag("figcaption", Markup(tag("span", drawn.caption)))),
        details("The same as a table", listed(f"Data: {drawn.title}", drawn.columns, drawn.rows)),
    )


def listed(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], most: int = MOST_ROWS
) -> Markup:
    """Return a table of the first rows, and how many more there are."""
    more = len(rows) - most
    rest = tag("p", f"{more} more are not listed.", class_="quiet") if more > 0 else ""
    return Markup(table(caption, columns, rows[:most]) + rest)


def absent_section(absent: list[Absent], prefix: str) -> Markup:
    """Return the names of figures that can't be drawn, and why."""
    items = [f"{one.title}: {one.reason}." for one in absent]
    if not can_render():
        items.insert(0, f"All pictures: {'; hint: '.join(obstacle())}")
    if not items:
        return Markup()
    return section("Not shown", f"{prefix}absent", listing(items))
