"""Records as plain JSON values and back; `rows` makes a table of them."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas as pd


Record = TypeVar("Record")
Json = dict[str, Any]
"""An object of JSON."""

NEVER_NULL = frozenset(
    {"apart", "clip", "level", "limit", "score", "share", "threshold", "tolerance"}
)
"""Numbers that are always defined; any other is null where it is infinite or undefined."""


def as_json(value: Any) -> Any:
    """Convert records and arrays, with their contents, to JSON; NaN and infinities become None.

    >>> as_json({"level": 0.95, "bounds": (0, float("inf"))})
    {'level': 0.95, 'bounds': [0, None]}
    """
    return _plain(value, as_json)


def unfolded(value: Any) -> Any:
    """Return a settled record, or a mapping, as values that `json.dumps` walks: its `default`.

    >>> from types import MappingProxyType
    >>> json.dumps(MappingProxyType({"level": 0.95}), default=unfolded)
    '{"level": 0.95}'
    """
    return _plain(
        value, lambda part: None if isinstance(part, float) and not math.isfinite(part) else part
    )


def settled(value: Record) -> Record:
    """Return a record as its JSON gives it back: without what JSON leaves out, with None for NaN
    and infinities, tuples for arrays.
    """
    kind: Any = type(value)
    held: Any = value
    if kind is float:
        held = held if math.isfinite(held) else None
    elif names := _names(kind):
        held = object.__new__(kind)
        for name, default in _defaults(kind).items():
            part = getattr(value, name) if name in names else default
            plain = name not in names or type(part) in _AS_THEY_ARE
            object.__setattr__(held, name, part if plain else settled(part))
    elif not isinstance(value, Enum):
        held = _plain(value, settled)
        held = tuple(held) if isinstance(held, list) else held
    return cast("Record", held)


def _plain(value: Any, part: Callable[[Any], Any]) -> Any:
    """Convert a value by a function of its parts."""
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if names := _names(kind):
        value = {name: getattr(value, name) for name in names}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [item if type(item) in _AS_THEY_ARE else part(item) for item in value]
    if names or isinstance(value, Mapping):
        return {
            name: item if type(item) in _AS_THEY_ARE else part(item) for name, item in value.items()
        }
    if hasattr(value, "tolist"):  # of numpy
        value = part(value.tolist())
    return value.value if isinstance(value, Enum) else value


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


@cache
def _names(kind: Any) -> dict[str, None]:
    """Names of the fields in the JSON; none for a type that is not a record."""
    return {f.name: None for f in public_fields(kind)} if dataclasses.is_dataclass(kind) else {}


DESCRIBED = re.compile(r"^(\w+): (.+(?:\n    .+)*)\n?", re.MULTILINE)
"""A line `name: what` of a docstring; it goes on where the next is indented."""


@cache
def described(record: Any) -> dict[str, str]:
    """Return what each field of a record is, by the lines `name: what` of its docstring.

    >>> @dataclasses.dataclass
    ... class Cut:
    ...     '''A cut.
    ...
    ...     at: the threshold
    ...     '''
    ...     at: float
    >>> described(Cut)
    {'at': 'the threshold'}
    """
    texts = [cleandoc(vars(base).get("__doc__") or "") for base in record.__mro__[::-1]]
    found = {name: what for text in texts for name, what in DESCRIBED.findall(text)}
    names = [f.name for f in dataclasses.fields(record) if f.name in found]
    return {name: " ".join(found[name].split()) for name in names}


def public_fields(record: Any) -> list[dataclasses.Field[Any]]:
    """Return the fields of a record that JSON has."""
    return [f for f in dataclasses.fields(record) if f.metadata.get("json", True)]


class MismatchError(Exception):
    """A value is not of its type."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.key = ""

    def __str__(self) -> str:
        return f"{self.key.removeprefix('.') or 'the result'} {self.args[0]}"


def record_of(kind: type[Record], values: Mapping[str, Any], *, strict: bool = False) -> Record:
    """Return the record of a kind that JSON values are of, as `as_json` makes them.

    Keys that the record has no field for are ignored.

    strict: check every value, and add defaults to `values` where they lack them; else a missing
        value is its default or None, and a word of a later version is kept as text.
    Raises MismatchError: a value that is missing or of another type, by its key; only if `strict`.
    """
    if strict and not isinstance(values, dict):
        raise MismatchError("is not an object")
    record = object.__new__(kind)
    for name, default, required, read in _fields(cast("Any", kind)):
        value = default
        try:
            if read is not None and name in values:
                value = read(values[name], strict)
            elif strict and required:
                raise MismatchError("is missing")
            elif strict and read is not None:
                values[name] = as_json(default)  # type: ignore[index]
        except MismatchError as error:
            error.key = f".{name}{error.key}"
            raise
        object.__setattr__(record, name, value)
    return record


def understood(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record in JSON values that people may have written: of each list the
    items that are as they should be.
    """
    fields: dict[str, Any] = {}
    for name, _, _, read in _fields(kind):
        given = values.get(name)
        for part in [[value] for value in given] if isinstance(given, list | tuple) else [given]:
            with suppress(MismatchError):
                if read is not None:
                    value = read(json.loads(json.dumps(part, default=str)), True)
                    several = isinstance(value, tuple)
                    fields[name] = fields.get(name, ()) + value if several else value
    return fields


Reader = Callable[[Any, bool], Any]


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """Default of each field, by name; None where there is none."""
    missing = dataclasses.MISSING
    return {
        f.name: f.default_factory()
        if f.default_factory is not missing
        else (None if f.default is missing else f.default)
        for f in dataclasses.fields(kind)
    }


@cache
def _fields(kind: Any) -> list[tuple[str, Any, bool, Reader | None]]:
    """Name, default and reader of each field, and whether JSON must have it."""
    hints, public, defaults = get_type_hints(kind), public_fields(kind), _defaults(kind)
    fields = []
    for f in dataclasses.fields(kind):
        null = f.metadata.get("null", f.name not in NEVER_NULL)
        read = _reader(hints[f.name], null=null) if f in public else None
        needed = f in public and f.default is dataclasses.MISSING
        fields.append((f.name, defaults[f.name], needed, read))
    return fields


def _reader(annotation: Any, *, null: bool = True) -> Reader:
    """Return the function that checks a field's JSON value and converts it."""
    parts = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) is tuple:
        return _tuple_reader(_reader(parts[0]))
    if parts:
        read = _reader(parts[0])
        return lambda value, strict: None if value is None else read(value, strict)
    if dataclasses.is_dataclass(annotation):
        kind: Any = annotation
        return lambda value, strict: (
            None if value is None and not strict else record_of(kind, value, strict=strict)
        )
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _word_reader({member.value: member for member in annotation})

    def read_plain(value: Any, strict: bool) -> Any:
        if strict and not (_fits(value, annotation) or (value is None and null and is_float)):
            raise MismatchError(f"is {_shown(value)}")
        return value

    is_float = annotation is float
    return read_plain


def _tuple_reader(read: Reader) -> Reader:
    def read_tuple(values: Any, strict: bool) -> Any:
        if not strict:
            return None if values is None else tuple(read(value, strict) for value in values)
        if not isinstance(values, list):
            raise MismatchError("is not an array")
        items = []
        for position, value in enumerate(values):
            try:
                items.append(read(value, strict))
            except MismatchError as error:
                error.key = f"[{position}]{error.key}"
                raise
        return tuple(items)

    return read_tuple


def _word_reader(members: Mapping[str, Enum]) -> Reader:
    def read_word(value: Any, strict: bool) -> Any:
        if strict and not (isinstance(value, str) and value in members):
            raise MismatchError(f"is {_shown(value)}")
        return members.get(value, value)

    return read_word


def _fits(value: Any, annotation: Any) -> bool:
    if annotation is float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and abs(value) <= sys.float_info.max
    return isinstance(value, annotation) and (annotation is bool or not isinstance(value, bool))


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


class Document(Json, Generic[Record]):
    """The document of a command: a dictionary of plain JSON values, and a table of them.

    values: what JSON holds.
    kind: the record that is its schema.

    >>> Document(estimates=[]).to_frame().shape
    (0, 46)
    """

    __slots__ = ("kind",)

    def __init__(self, values: Any = (), /, kind: type[Record] | None = None, **more: Any) -> None:
        super().__init__(values, **more)
        self.kind: type[Record] | None = kind or getattr(values, "kind", None)

    @classmethod
    def of(cls, record: Record) -> Document[Record]:
        """Return the document of a record."""
        return Document(as_json(record), type(record))

    @property
    def record(self) -> Record:
        """The record behind the values, which reports read.

        A figure that is null is None, also where methods have NaN.
        """
        if self.kind is None:
            raise TypeError("a document of no known kind")
        return record_of(self.kind, self)

    def __or__(self, parts: Mapping[str, Any]) -> Document[Record]:  # type: ignore[override]
        """Return the document with other parts, by their names."""
        return Document(super().__or__(dict(parts)), self.kind)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate, with the columns of `--format csv`.

        Numbers that are null are NaN, whole ones `<NA>`.
        """
        from bbccli.platform.records.rows import COLUMNS, frame_of, rows_of

        return frame_of(rows_of(self), COLUMNS)


__all__ = ["Document", "Json", "as_json"]
