"""Results as lines of JSON, so that they can be appended to each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import IO

from bbccli.core.documents import Document, Json
from bbccli.reports.base import Style
from bbccli.schema.correct import ErrorEnvelope, error_document


def render(documents: Sequence[Json], style: Style) -> str:
    """Return a line of compact JSON per document."""
    return "".join(map(_line, documents))


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a document per record, which says what is wrong where there is no result."""
    for record in records:
        document = record.get("document") or error_of(record)
        file.write(_line(document).encode(errors="backslashreplace"))


def error_of(record: Json) -> Document[ErrorEnvelope]:
    """Return the error document of a record without a result."""
    error = record["error"]
    return error_document(record["path"], error["problem"], error["hint"], error["status"])


def _line(document: Json) -> str:
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Some readers take these for ends of lines; JSON allows them raw in a string.
    return text.translate(_ENDS) + "\n"


_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
