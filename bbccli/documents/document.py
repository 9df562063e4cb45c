"""A result as JSON has it, and as the record that it was made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from bbccli.documents.frames import frame_of
from bbccli.documents.rows import COLUMNS, rows_of
from bbccli.documents.values import Json, as_json, public_fields

if TYPE_CHECKING:
    import pandas as pd

Record = TypeVar("Record")


class Document(Json, Generic[Record]):
    """The document of a command: a dictionary of plain JSON values, and a table of them.

    Parameters
    ----------
    values
        What JSON holds.
    kind
        The record that is its schema.

    Examples
    --------
    >>> Document(estimates=[]).to_frame().shape
    (0, 39)
    """

    __slots__ = ("kind",)

    def __init__(
        self,
        values: Mapping[str, Any] | tuple[()] = (),
        /,
        kind: type[Record] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(values, **more)
        self.kind: type[Record] | None = kind or getattr(values, "kind", None)

    @classmethod
    def of(cls, record: Record) -> Document[Record]:
        """Return the document of a record."""
        return Document(as_json(record), type(record))

    @property
    def record(self) -> Record:
        """The record that the values are of: what a report reads.

        A figure that is null is None, also where methods have NaN.
        """
        if self.kind is None:
            raise TypeError("a document of no known kind")
        record: Record = record_of(self.kind, self)
        return record

    def __or__(self, parts: Mapping[str, Any]) -> Document[Record]:  # type: ignore[override]
        """Return the document with other parts, by their names."""
        return Document(super().__or__(dict(parts)), self.kind)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate, with the columns of `--format csv`.

        Numbers that are null are NaN, whole ones `<NA>`.
        """
        return frame_of(rows_of(self), COLUMNS)


def record_of(kind: Any, values: Mapping[str, Any]) -> Any:
    """Return the record of a kind that JSON values are of, as `as_json` makes them.

    What the values lack gets its default, or is None; what the record has no field for is dropped.
    """
    record = object.__new__(kind)
    for name, default, read in _readers(kind):
        value = values.get(name, default)
        object.__setattr__(record, name, value if value is default else read(value))
    return record


@cache
def _readers(kind: Any) -> list[tuple[str, Any, Any]]:
    """Name, default and reader of each field."""
    hints, public = get_type_hints(kind), public_fields(kind)
    return [
        (f.name, _default(f), _reader(hints[f.name]) if f in public else None)
        for f in dataclasses.fields(kind)
    ]


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


def _reader(annotation: Any) -> Any:
    """Return the function that makes a field of its JSON value."""
    parts = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) is tuple:
        item = _reader(parts[0])
        return lambda values: None if values is None else tuple(map(item, values))
    if parts:
        return _reader(parts[0])
    if dataclasses.is_dataclass(annotation):
        return lambda values: None if values is None else record_of(annotation, values)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        members = {member.value: member for member in annotation}
        return lambda value: members.get(value, value)  # a later version may have other words
    return lambda value: value
