"""The results of a batch as rows of one table: a record at a time, for there may be a million."""

from __future__ import annotations

from bbccli.core.documents import Document, Json
from bbccli.core.documents.rows import rows_of
from bbccli.schema.correct import ErrorEnvelope, error_document
from bbccli.version import __version__


def error_of(record: Json) -> Document[ErrorEnvelope]:
    """Return the error document of a record without a result."""
    error = record["error"]
    return error_document(record["path"], error["problem"], error["hint"], error["status"])


def rows_of_record(record: Json) -> list[Json]:
    """Return one row per estimate, or one with the error."""
    if "error" in record:
        error = record["error"]
        held = {"path": record["path"], "version": __version__}
        return [
            held | {"error": error["problem"], "hint": error["hint"], "status": error["status"]}
        ]
    return rows_of(Document(record["document"]))
