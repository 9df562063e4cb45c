"""Documents read back from the JSON, JSONL or Parquet that they were saved as."""

from __future__ import annotations

import dataclasses
import json
import sys
import types
from enum import Enum
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from bbccli.compare_schema import CompareEnvelope
from bbccli.documents import Document, Json, as_json
from bbccli.documents.values import public_fields
from bbccli.errors import InputError
from bbccli.local import bytes_of
from bbccli.readers.sources.files import stdin_bytes
from bbccli.saved_rows import is_table, read_rows
from bbccli.schema import ERROR_SCHEMA, SCHEMA_VERSION, Envelope, ErrorEnvelope

__all__ = ["read_comparison", "read_documents"]

NEVER_NULL = frozenset({"clip", "level", "share", "threshold"})
"""Numbers that are always defined."""

WITHOUT_ESTIMATES = ("compare", "drop", "plan")
"""Commands whose documents are of another kind."""

HINT_OF_COMPARISON = "a file that `bbc compare --format json` wrote"
HINT = "a file that `bbc correct --format json` or `--format jsonl` wrote"


def read_documents(path: str) -> list[Document[Any]]:
    """Return the documents of a file: one, an array of them, or one on each line.

    Each is checked against the schema; what a document of an earlier version lacks gets its
    default, and what a later one has beyond it is kept. A file of a batch that has no result is an
    error document. The table of a batch gives documents with as much as a gate needs.

    Parameters
    ----------
    path
        Of a .json, .jsonl or .parquet file; - is standard input, in JSON.

    Raises
    ------
    InputError
        A file that can't be read, or that holds anything else; names the line and the key.
    """
    name = "<stdin>" if path == "-" else path
    if is_table(path):
        return read_rows(path)
    found = _values(_text(path, name), name)
    if not found:
        raise InputError("holds no result", path=name, hint=HINT)
    return [_checked_document(value, where, name) for value, where in found]


def read_comparison(path: str) -> Document[CompareEnvelope]:
    """Return the one document that `bbc compare --format json` wrote.

    Raises
    ------
    InputError
        A file that can't be read, or that holds anything else.
    """
    name = "<stdin>" if path == "-" else path
    found = _values(_text(path, name), name)
    if len(found) != 1 or not is_comparison(found[0][0]):
        raise InputError("not one result of bbc compare", path=name, hint=HINT_OF_COMPARISON)
    return _checked_comparison(*found[0], name)


def read_results(path: str) -> list[Document[Any]]:
    """Return the documents of a file as `read_documents`, or the one of `bbc compare` in it.

    Raises
    ------
    InputError
        As both of them.
    """
    name = "<stdin>" if path == "-" else path
    found = _values(_text(path, name), name)
    if not found:
        raise InputError("holds no result", path=name, hint=HINT)
    return [
        _checked_comparison(value, where, name)
        if is_comparison(value)
        else _checked_document(value, where, name)
        for value, where in found
    ]


def is_comparison(value: Any) -> bool:
    """Whether a value claims to be what `bbc compare` says."""
    return (
        isinstance(value, dict)
        and value.get("command") == "compare"
        and value.get("schema") == SCHEMA_VERSION
    )


def _text(path: str, name: str) -> str:
    try:
        content = stdin_bytes() if path == "-" else bytes_of(path)
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError("no such file", path=name, hint=HINT) from error
    except OSError as error:
        raise InputError(error.strerror or "can't be read", path=name, hint=HINT) from error
    except UnicodeDecodeError as error:
        raise InputError("is not text in UTF-8", path=name, hint=HINT) from error


def _values(text: str, name: str) -> list[tuple[Any, str]]:
    """Values, each with the words for its place."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_json(lines[0][1]):
        return [(_parsed(line, name, number), f"line {number}: ") for number, line in lines]
    if not lines:
        return []
    value = _parsed(text, name)
    if isinstance(value, list):
        return [(item, f"result {position}: ") for position, item in enumerate(value)]
    return [(value, "")]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(text: str, name: str, line: int | None = None) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise InputError("is nested too deeply", path=name, hint=HINT) from error
    except ValueError as error:  # also a number of more digits than Python reads
        number = line or getattr(error, "lineno", 1)
        raise InputError(f"line {number} is not JSON", path=name, hint=HINT) from error


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _checked_document(value: Any, where: str, name: str) -> Document[Any]:
    marks = {SCHEMA_VERSION: Envelope, ERROR_SCHEMA: ErrorEnvelope}
    mark = value.get("schema") if isinstance(value, dict) else SCHEMA_VERSION
    if not isinstance(mark, str) or mark not in marks:
        raise InputError(f"{where}not a result of bbc ({SCHEMA_VERSION})", path=name, hint=HINT)
    command = value.get("command") if isinstance(value, dict) else None
    if command in WITHOUT_ESTIMATES:
        raise InputError(f"{where}a result of bbc {command}, not an estimate", path=name, hint=HINT)
    try:
        return Document(_checked(value, marks[mark], ""), marks[mark])
    except _MismatchError as error:
        raise InputError(f"{where}{error}", path=name, hint=HINT) from error


def _checked_comparison(value: Any, where: str, name: str) -> Document[Any]:
    try:
        return Document(_checked(value, CompareEnvelope, ""), CompareEnvelope)
    except _MismatchError as error:
        raise InputError(f"{where}{error}", path=name, hint=HINT_OF_COMPARISON) from error


class _MismatchError(Exception):
    """A value is not of the schema."""


def _checked(value: Any, annotation: Any, key: str) -> Any:
    """Return a JSON value that is of this type, completed by defaults."""
    if dataclasses.is_dataclass(annotation):
        return _checked_record(value, annotation, key)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        (kind,) = (part for part in arguments if part is not type(None))
        return None if value is None else _checked(value, kind, key)
    if origin is tuple:
        if not isinstance(value, list):
            raise _MismatchError(f"{key} is not an array")
        return [_checked(item, arguments[0], f"{key}[{i}]") for i, item in enumerate(value)]
    if not _fits(value, annotation) or (value is None and key.rpartition(".")[2] in NEVER_NULL):
        raise _MismatchError(f"{key} is {_shown(value)}")
    return value


def _checked_record(value: Any, record: Any, key: str) -> Json:
    if not isinstance(value, dict):
        raise _MismatchError(f"{key or 'the result'} is not an object")
    hints, complete = get_type_hints(record), dict(value)
    for field in public_fields(record):
        place = f"{key}.{field.name}".lstrip(".")
        if field.name in value:
            complete[field.name] = _checked(value[field.name], hints[field.name], place)
        elif field.default is not dataclasses.MISSING:
            complete[field.name] = as_json(field.default)
        else:
            raise _MismatchError(f"{place} is missing")
    return complete


def _fits(value: Any, annotation: Any) -> bool:
    if annotation is float:  # null where it was infinite or undefined
        return value is None or (_is_number(value) and abs(value) <= sys.float_info.max)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return value in [member.value for member in annotation]
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, annotation)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
