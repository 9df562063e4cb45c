"""Records and arrays as plain JSON values: turned here and nowhere else."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""


def as_json(value: Any) -> Any:
    """Turn records, arrays and what they hold into JSON values; NaN and infinities become None.

    Examples
    --------
    >>> as_json({"level": 0.95, "bounds": (0, float("inf"))})
    {'level': 0.95, 'bounds': [0, None]}
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in public_fields(type(value))}
    if isinstance(value, Mapping):
        return {name: as_json(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return as_json(value.tolist()) if hasattr(value, "tolist") else value  # of numpy


@cache
def public_fields(record: Any) -> list[dataclasses.Field[Any]]:
    """Return the fields of a record that JSON has."""
    return [f for f in dataclasses.fields(record) if f.metadata.get("json", True)]


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})
