"""A page put together: of one result, or of many with a table of all on top."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import IO

from bbccli.core.documents import Document, Json
from bbccli.core.rounding import count
from bbccli.core.text import redacted
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.batch import error_of
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import name_of
from bbccli.reports.page import verdict
from bbccli.reports.page.assumptions import checklist
from bbccli.reports.page.experiments import overview
from bbccli.reports.page.figures import figures
from bbccli.reports.page.markup import Markup, tag, text
from bbccli.reports.page.provenance import made_from, methods_paragraph
from bbccli.reports.page.style import STYLE
from bbccli.schema.correct import Envelope, ErrorEnvelope
from bbccli.version import __version__

ABOUT_MANY = "The best configuration of each experiment: what it scored, and what to expect of it."

MOST_WHOLE = 4
"""Results of a page that are each shown with all their figures."""


def render(results: Sequence[Envelope | ErrorEnvelope], style: Style) -> str:
    """Return one page, with the figures that documents alone can give."""
    exhibits = [Exhibit(one) for one in results if isinstance(one, Envelope)]
    return page(exhibits, [one for one in results if isinstance(one, ErrorEnvelope)])


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a page with a line per record."""
    results = [
        Document(one["document"], Envelope).record if "document" in one else error_of(one).record
        for one in records
    ]
    file.write(render(results, Style()).encode(errors="backslashreplace"))


def page(
    exhibits: Sequence[Exhibit], failures: Sequence[ErrorEnvelope] = (), title: str = ""
) -> str:
    """Return a page of results.

    Parameters
    ----------
    failures
        Errors of files without a result.
    title
        Of the page; else it says what it shows.
    """
    if len(exhibits) == 1 and not failures:
        return _of_one(exhibits[0], title)
    n_all = len(exhibits) + len(failures)
    title = title or f"What to expect: {count(n_all, 'experiment')}"
    parts = [overview(exhibits, failures)]
    if len(exhibits) <= MOST_WHOLE:
        for position, exhibit in enumerate(exhibits, 1):
            parts.append(_part(exhibit, position))
    return whole(title, ABOUT_MANY, parts)


def _of_one(exhibit: Exhibit, title: str) -> str:
    document = exhibit.document
    read = document.input
    parts = [
        verdict.verdict(document),
        verdict.to_quote(document),
        verdict.notes(document),
        figures(exhibit),
        verdict.estimates(document),
        checklist(document),
        methods_paragraph(document),
        made_from(exhibit),
    ]
    title = title or f"What to expect: {name_of(PurePath(redacted(read.path)).name)}"
    about = [phrases.understood(document), *phrases.lines_on_run(document)]
    return whole(title, ". ".join(about), parts)


def _part(exhibit: Exhibit, position: int) -> Markup:
    """One of several results: the verdict and its figures; the page says the rest once."""
    document, prefix = exhibit.document, f"r{position}-"
    heading = tag("h2", f"{position}. {name_of(document.input.path)}", id=f"{prefix}top")
    return Markup(
        heading
        + tag("p", phrases.understood(document), class_="about")
        + verdict.verdict(document)
        + figures(exhibit, prefix)
    )


def whole(title: str, about: str, parts: Sequence[Markup]) -> str:
    """Return a page around its parts; its own policy allows the one style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    head = "\n".join(
        [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta name="generator" content="bbc {__version__}">',
            f"<title>{text(title)}</title>",
            f"<style>{STYLE}</style>",
        ]
    )
    header = tag("header", tag("h1", title), tag("p", text(about), class_="about"))
    footer = tag("footer", tag("p", f"Made by bbc {__version__}. Nothing was trained again."))
    body = "\n".join([header, tag("main", *(Markup(part + "\n") for part in parts)), footer])
    inside = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{inside}\n</html>\n'
