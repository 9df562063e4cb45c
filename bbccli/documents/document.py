"""A result as JSON has it: what every report is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from bbccli.documents.frames import frame_of
from bbccli.documents.parts import (
    EstimateJson,
    GateJson,
    InputJson,
    NoteJson,
    PlanJson,
    SearchCostJson,
)
from bbccli.documents.rows import COLUMNS, rows_of
from bbccli.documents.values import Json

if TYPE_CHECKING:
    import pandas as pd


class Document(Json):
    """The document of a command: a dictionary of plain JSON values, and a table of them.

    Examples
    --------
    >>> Document(estimates=[]).to_frame().shape
    (0, 39)
    """

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["input"], /) -> InputJson: ...
        @overload
        def __getitem__(self, key: Literal["plan"], /) -> PlanJson: ...
        @overload
        def __getitem__(self, key: Literal["estimates"], /) -> list[EstimateJson]: ...
        @overload
        def __getitem__(self, key: Literal["notes"], /) -> list[NoteJson]: ...
        @overload
        def __getitem__(self, key: Literal["gate"], /) -> GateJson | None: ...
        @overload
        def __getitem__(self, key: Literal["search_cost"], /) -> SearchCostJson | None: ...
        @overload
        def __getitem__(self, key: Literal["version", "command"], /) -> str: ...
        @overload
        def __getitem__(self, key: str, /) -> Any: ...
        def __getitem__(self, key: str, /) -> Any: ...

    def __or__(self, parts: Mapping[str, Any]) -> Document:  # type: ignore[override]
        """Return the document with other parts, by their names."""
        return Document(super().__or__(dict(parts)))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate, with the columns of `--format csv`.

        Numbers that are null are NaN, whole ones `<NA>`.
        """
        return frame_of(rows_of(self), COLUMNS)
