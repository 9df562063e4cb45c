"""The JSON Schema of documents, read off the records that they are made of."""

from __future__ import annotations

import dataclasses
import types
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from bbccli.documents.correct import SCHEMA_VERSION
from bbccli.platform.records import Json, described, public_fields
from bbccli.reports import OF_ERROR, RECORDS, imported

__all__ = ["json_schema"]


def json_schema() -> Json:
    """Return the JSON Schema (draft 2020-12) of a document; `$defs` has those of other commands."""
    definitions: dict[str, Json] = {}
    *kinds, inspection = map(imported, RECORDS.values())
    roots = (*kinds, imported(OF_ERROR), inspection)
    root, *_ = [_schema_of(root, definitions) for root in roots]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA_VERSION,
        **root,
        "$defs": definitions,
    }


def _schema_of(annotation: Any, definitions: dict[str, Json]) -> Json:
    if dataclasses.is_dataclass(annotation):
        return _record(annotation, definitions)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"type": "string", "enum": [member.value for member in annotation]}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema_of(part, definitions) for part in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _schema_of(arguments[0], definitions)}
    return dict(_PLAIN[annotation])


def _record(record: Any, definitions: dict[str, Json]) -> Json:
    name = record.__name__
    name = _NAMES.get(name, name.replace("Envelope", "Document"))
    if name not in definitions:
        definitions[name] = {}
        hints, fields, told = get_type_hints(record), public_fields(record), described(record)
        properties = {
            f.name: {
                "description": told.get(f.name, ""),
                **_schema_of(hints[f.name], definitions),
            }
            for f in fields
        }
        definitions[name] = {
            "type": "object",
            "description": (record.__doc__ or "").split("\n")[0],
            "properties": properties,
            # what came after 1.0 is lacking in documents that were written before it
            "required": [f.name for f in fields if "since" not in f.metadata],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


_NAMES = {"Inspection": "InspectionDocument", "RequiredVerdict": "Requirement"}
"""Names of records that are not their own, with Document for Envelope."""

# A float is null where it is infinite or undefined: JSON has no other word for it.
_PLAIN: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": ["number", "null"]},
    type(None): {"type": "null"},
}
