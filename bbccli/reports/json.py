"""Results as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bbccli.core.documents import Json, as_json
from bbccli.reports.base import Style


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
