"""A result as JSON has it: plain values, the record that they are of, and a table of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bbccli.core.documents.rows import COLUMNS, frame_of, rows_of
from bbccli.core.documents.values import Json, as_json, record_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Document", "Json", "as_json"]

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
    (0, 40)
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
