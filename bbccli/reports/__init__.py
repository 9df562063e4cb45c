"""The registry of reports: a document in, text out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import Any

from bbccli.errors import OptionError
from bbccli.reports.base import Report, Style
from bbccli.reports.remarks import remarks

Json = dict[str, Any]

__all__ = [
    "DROP_REPORTS",
    "FOR_PEOPLE",
    "REPORTS",
    "Report",
    "Style",
    "format_of",
    "remarks",
    "render_all",
]


def _lazily(name: str) -> Report:
    """Import the module of a report only when it is asked for: the table alone needs rich."""

    def render(document: Json, style: Style = Style(), /) -> str:
        text: str = _module(name).render(document, style)
        return text

    return render


def _module(name: str) -> Any:
    return import_module(f"bbccli.reports.{name}")


REPORTS: dict[str, Report] = {
    name: _lazily(name) for name in ("table", "json", "jsonl", "csv", "markdown", "junit", "github")
}
"""The name of a report is that of its module."""

FOR_PEOPLE = frozenset({"table", "markdown", "github"})
"""Reports that say what was read and what to doubt; the others leave it to standard error."""

SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
}


PLAIN = ("", ".txt")
"""Suffixes that ask for no form: the file holds what the screen would show."""


def format_of(path: str, forms: Collection[str] = REPORTS.keys()) -> str | None:
    """Return the name of the report that the suffix of a file asks for, if it asks for one.

    Parameters
    ----------
    path
        Of the file; - is the screen.
    forms
        Names of the reports that there are.

    Raises
    ------
    OptionError
        A suffix that stands for none of them.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in PLAIN:
        return None
    known = {end: form for end, form in SUFFIXES.items() if form in forms}
    if suffix not in known:
        raise OptionError(
            f"--output is {path!r}, and {suffix} is not a format that can be written",
            hint=f"a file that ends in {', '.join(known)}; or in .txt, for the table",
        )
    return known[suffix]


def render_all(name: str, documents: Sequence[Json], style: Style = Style()) -> str:
    """Return one text for several documents, such as a CSV with one header.

    One document gives what its report gives; several give an array in JSON.
    """
    if name in ("csv", "junit") or (name == "json" and len(documents) != 1):
        text: str = _module(name).render_all(documents, style)
        return text
    gap = "\n" if name in ("table", "markdown") else ""
    return gap.join(REPORTS[name](document, style) for document in documents)


DROP_REPORTS: dict[str, Report] = {"table": _lazily("drop_table"), "json": _lazily("json")}
"""Forms of what `bbc drop` says."""
