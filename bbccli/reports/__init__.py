"""The registry of reports: a document in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from bbccli.reports import csv, github, json, jsonl, markdown
from bbccli.reports.base import Report, Style
from bbccli.reports.remarks import remarks

__all__ = ["FOR_PEOPLE", "REPORTS", "Report", "Style", "format_of", "remarks", "render_all"]


def _table(document: dict[str, Any], style: Style = Style(), /) -> str:
    """Import rich only for those who look at a table."""
    from bbccli.reports.table import render

    return render(document, style)


def _junit(document: dict[str, Any], style: Style = Style(), /) -> str:
    """Import the XML of the standard library only for those who write it."""
    from bbccli.reports.junit import render

    return render(document, style)


REPORTS: dict[str, Report] = {
    "table": _table,
    "json": json.render,
    "jsonl": jsonl.render,
    "csv": csv.render,
    "markdown": markdown.render,
    "junit": _junit,
    "github": github.render,
}

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


def format_of(path: str) -> str | None:
    """Return the name of the report that the suffix of a file asks for, if it asks for one."""
    return SUFFIXES.get(PurePath(path).suffix.lower())


def render_all(name: str, documents: Sequence[dict[str, Any]], style: Style = Style()) -> str:
    """Return one text for several documents, such as a CSV with one header.

    One document gives what its report gives; several give an array in JSON.
    """
    if name == "csv":
        return csv.render_all(documents, style)
    if name == "junit":
        from bbccli.reports import junit

        return junit.render_all(documents, style)
    if name == "json" and len(documents) != 1:
        return json.render_all(documents, style)
    gap = "\n" if name in ("table", "markdown") else ""
    return gap.join(REPORTS[name](document, style) for document in documents)
