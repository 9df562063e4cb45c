"""Estimates as rows of CSV (RFC 4180), for spreadsheets and data frames."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO, TextIOWrapper
from itertools import chain
from typing import IO, TextIO

from bbccli.core.documents import Document, Json
from bbccli.core.documents.rows import COLUMNS, OF_BATCH, rows_of
from bbccli.core.text import visible
from bbccli.reports.base import Style
from bbccli.version import __version__

_FORMULA = ("=", "+", "-", "@")


def render(documents: Sequence[Json], style: Style) -> str:
    """Return one row per estimate under one header; numbers in full, nothing for null."""
    return as_text(COLUMNS, chain.from_iterable(map(rows_of, documents)))


def as_text(columns: Sequence[str], rows: Iterable[Json]) -> str:
    """Return rows under a header of these columns; what a row lacks is empty."""
    buffer = StringIO(newline="")
    write_rows(rows, columns, buffer)
    return buffer.getvalue()


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write one row per estimate, or one with the error."""
    text = TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    write_rows(chain.from_iterable(map(rows_of_record, records)), OF_BATCH, text)
    text.flush()
    text.detach()


def rows_of_record(record: Json) -> list[Json]:
    """Return one row per estimate, or one with the error."""
    if "error" in record:
        error = record["error"]
        held = {"path": record["path"], "version": __version__}
        return [
            held | {"error": error["problem"], "hint": error["hint"], "status": error["status"]}
        ]
    return rows_of(Document(record["document"]))


def write_rows(rows: Iterable[Json], columns: Sequence[str], file: TextIO) -> None:
    """Write rows under a header of these columns; what a row lacks is empty."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(guarded(row.get(name)) for name in columns)


def guarded(value: object) -> object:
    """Keep text on one line, and a spreadsheet from taking it for a formula: a quote marks it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
