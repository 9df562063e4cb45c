"""Sample weights: whose column they are, and what they do to the number of samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.notes import Note
from bbccli.outcome import Outcome, effective_size
from bbccli.readers import remarks
from bbccli.readers.layout.dialects.caret import DIALECT as CARET
from bbccli.readers.request import Request
from bbccli.readers.roles import NAMES
from bbccli.readers.sheet import Sheet
from bbccli.types import IntArray, distinct

FAR_BELOW = 1 / 3
"""Share of the samples, of each class, below which their effective number is far below it.

Within classes: weights that only balance the classes leave each of them as even as it was.
"""


def column_of_weights(sheet: Sheet) -> str | None:
    """Return the name, in the file, of the column of weights."""
    column = sheet.roles.get("weight")
    return column.place(0)[1] if column is not None and len(column) else None


def notes_on_weights(
    sheet: Sheet, request: Request, outcome: Outcome, groups: IntArray | None
) -> Iterator[Note]:
    """Yield notes on weights that nobody asked for, and on weights that leave few samples."""
    column = column_of_weights(sheet)
    if column is None:
        return
    meant = request.roles.weight is not None or sheet.metadata.weight is not None
    if not meant and sheet.layout != CARET.name and column.casefold() in NAMES["weight"]:
        yield remarks.weight_by_name(column)
    yield from _uneven(outcome, groups)


def _uneven(outcome: Outcome, groups: IntArray | None) -> Iterator[Note]:
    """The first class, or all samples, that a few heavy ones decide."""
    weights, codes = outcome.weights, np.zeros(len(outcome), np.int64)
    if weights is None:
        return
    if outcome.task.is_classification:
        codes = outcome.values.astype(np.int64)
    for code in distinct(codes).tolist():
        own = codes == code
        members = None if groups is None else groups[own]
        n_units = int(own.sum()) if members is None else len(distinct(members))
        n_effective = effective_size(weights[own], members)
        if n_effective < FAR_BELOW * n_units:
            unit = "sample" if groups is None else "group"
            of_class = f" of class {outcome.classes[code]}" if outcome.classes else ""
            yield remarks.uneven_weights(n_effective, n_units, unit, of_class)
            return
