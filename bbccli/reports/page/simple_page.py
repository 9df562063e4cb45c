"""The page of the blocks of one result: of a comparison, a plan, what to drop, a leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from bbccli.platform.text import redacted
from bbccli.reports import Style
from bbccli.reports.blocks import Block, Heading
from bbccli.reports.content import blocks_of
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import Absent, Drawn, draw
from bbccli.reports.figures.base import name_of
from bbccli.reports.page.markup import Markup, whole
from bbccli.reports.page.sections import made_from, sections

TITLES = {
    "compare": "Compared",
    "plan": "Sample size",
    "drop": "Dropping",
    "leaderboard": "Leaderboard",
}
"""First words of the title of a page, by the command."""


def render(documents: Sequence[Any], style: Style) -> str:
    """Return the page of the one document."""
    (document,) = documents
    exhibit = Exhibit(document)
    figures = [draw("rows", exhibit)] if document.command == "plan" else []
    return page_of_blocks(exhibit, blocks_of(document), figures=figures)


def page_of_blocks(
    exhibit: Exhibit,
    blocks: Iterable[Block],
    title: str = "",
    figures: Sequence[Drawn | Absent] = (),
    more: Sequence[Markup] = (),
) -> str:
    """Return the page of one result.

    title: of the page; else it says what it shows.
    more: sections above that on its making.
    """
    head, *rest = blocks
    about, name = "", ""
    if isinstance(head, Heading):
        name = name_of(PurePath(redacted(head.text)).name)
        about = ". ".join([head.more, *head.lines])
    parts = [*sections(rest, figures), *more, made_from(exhibit)]
    return whole(title or f"{TITLES[exhibit.document.command]}: {name}", about, parts)
