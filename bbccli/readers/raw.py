"""Configuration columns before their meaning is known: numbers, or text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import is_text, to_numbers
from bbccli.readers.frame import Column, Frame, number_of, text_entries
from bbccli.types import FloatArray, IntArray

# Columns copied at a time: wide enough for long writes, small enough to stay in cache.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class RawPredictions:
    """Configuration columns before their meaning is known.

    Parameters
    ----------
    path
        File, for messages.
    names
        Names of the columns.
    numbers : (R, N, columns), optional
        Their values, NaN where missing; None when the columns are text.
    texts
        The columns themselves when they are text.
    rows : (R, N)
        Row of each sample in each repeat; -1 where there is none, and so no prediction.
    """

    path: str
    names: tuple[str, ...]
    numbers: FloatArray | None
    texts: tuple[Column, ...]
    rows: IntArray

    def all_among(self, values: Sequence[float]) -> bool:
        """Whether the columns are numbers, every one of which is among the given values."""
        if self.numbers is None:
            return False
        # A glance at a few samples spares most matrices the full comparison.
        return all(_among(part, values) for part in (self.numbers[:, :8], self.numbers))


def read_predictions(frame: Frame, names: tuple[str, ...], rows: IntArray) -> RawPredictions:
    """Read the configuration columns of the samples that every repeat holds.

    Raises
    ------
    InputError
        An infinite value, or text in some columns and numbers in others.
    """
    texts = [name for name in names if is_text(frame.type_of(name))]
    filled = {n for n in names if frame.table.column(n).null_count < frame.n_rows} if texts else ()
    worded = [name for name in texts if name in filled]
    if worded:
        if len(filled) > len(worded):
            raise text_fault(frame.column(worded[0]))
        columns = tuple(frame.column(name) for name in names)
        return RawPredictions(frame.path, names, None, columns, rows)
    return RawPredictions(frame.path, names, _numbers(frame, names, rows), (), rows)


def text_fault(column: Column) -> InputError:
    """Build the error about text where numbers are needed."""
    entries = text_entries(column)
    value = column.values[int(entries[0])].as_py()
    comma = not np.isnan(number_of(value.replace(",", ".")))
    hint = "leave the cell empty if there is no prediction; --exclude a column that has none"
    return column.fault(
        "prediction is text",
        entries,
        hint="store numbers as numbers, with a decimal point" if comma else hint,
    )


def _numbers(frame: Frame, names: Sequence[str], rows: IntArray) -> FloatArray:
    """(R, N, columns) values; float32 where all columns are."""
    import pyarrow as pa

    single = all(pa.types.is_float32(frame.type_of(name)) for name in names)
    out = np.empty((rows.size, len(names)), dtype=np.float32 if single else np.float64)
    in_order = rows.size == frame.n_rows and np.array_equal(rows.ravel(), np.arange(rows.size))
    for start in range(0, len(names), _BLOCK):
        some = names[start : start + _BLOCK]
        block = np.stack([to_numbers(frame.table.column(name)) for name in some])
        _refuse_infinite(block, frame, some)
        out[:, start : start + _BLOCK] = (block if in_order else block[:, rows.ravel()]).T
    if rows.min(initial=0) < 0:
        out[rows.ravel() < 0] = np.nan
    return out.reshape(*rows.shape, len(names))


def _refuse_infinite(block: FloatArray, frame: Frame, names: Sequence[str]) -> None:
    """Refuse infinite values in a block (columns, n_rows)."""
    infinite = np.isinf(block)
    if not infinite.any():
        return
    column = int(np.argmax(infinite.any(axis=1)))
    raise frame.column(names[column]).fault(
        "prediction is infinite",
        np.flatnonzero(infinite[column]),
        hint="leave the cell empty if there is no prediction",
    )


def _among(numbers: FloatArray, values: Sequence[float]) -> bool:
    """Whether every number is missing or one of the values."""
    found = np.isnan(numbers)
    for value in values:
        found |= numbers == value
    return bool(found.all())
