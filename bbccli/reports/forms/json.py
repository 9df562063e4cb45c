"""Results as JSON, and as lines of JSON, which can be appended to each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

from bbccli.documents.correct import Envelope, ErrorEnvelope, error_envelope
from bbccli.platform.records import Json, as_json, record_of
from bbccli.reports import Style


def render(documents: Sequence[Json], style: Style) -> str:
    """Return one document as an object, several as an array; the same ones give the same bytes."""
    return text_of(documents[0] if len(documents) == 1 else documents)


def text_of(value: object) -> str:
    """Return indented JSON."""
    return json.dumps(as_json(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def distribution(columns: Mapping[str, Sequence[object]]) -> bytes:
    """Return an object per resample, and a line per value.

    As `indent=0` would write it, of which the fast encoder knows nothing.
    """
    encode = json.JSONEncoder(separators=(",\n", ": ")).encode
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    text = ",\n".join(f"{{\n{encode(row)[1:-1]}\n}}" for row in rows)
    return (f"[\n{text}\n]\n" if text else "[]\n").encode()


def render_lines(documents: Sequence[Json], style: Style) -> str:
    """Return a line of compact JSON per document."""
    return "".join([_line(as_json(document)) for document in documents])


def write_lines(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a document per record; one without a result says what is wrong."""
    for record in records:
        document = record.get("document") or record_from(record)
        file.write(_line(document).encode(errors="backslashreplace"))


def record_from(entry: Json) -> Envelope | ErrorEnvelope:
    """Return what a line of a batch holds: its result, or why there is none."""
    if "document" in entry:
        return record_of(Envelope, entry["document"])
    error = entry["error"]
    return error_envelope(entry["path"], error["problem"], error["hint"], error["status"])


def _line(document: object) -> str:
    # Some readers take these for ends of lines; JSON allows them raw in a string.
    return _COMPACT.encode(document).translate(_ENDS) + "\n"


_COMPACT = json.JSONEncoder(
    default=as_json, ensure_ascii=False, allow_nan=False, separators=(",", ":")
)
_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
