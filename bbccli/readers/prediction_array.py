"""The predictions of a sheet as one array, before their meaning is known: numbers, or text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import is_text, to_numbers
from bbccli.readers.column import Column, text_entries
from bbccli.readers.problems import Problems
from bbccli.readers.sheet import PredictionColumn, Sheet
from bbccli.readers.table import Table
from bbccli.types import BoolArray, FloatArray, IntArray

# Columns copied at a time: wide enough for long writes, small enough to stay in cache.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Cube:
    """Predictions before their meaning is known.

    Parameters
    ----------
    path
        File, for messages.
    cells
        What the last axis holds.
    numbers : (R, N, cells), optional
        Their values, NaN where missing; None when the predictions are text.
    texts : (n_rows,) each
        Their columns when they are text.
    rows : (R, N)
        Row of each sample in each repeat; -1 where there is none, and so no prediction.
    """

    path: str
    cells: tuple[PredictionColumn, ...]
    numbers: FloatArray | None
    texts: tuple[Column, ...]
    rows: IntArray

    @property
    def by_class(self) -> bool:
        """True if a configuration has one column per class."""
        return any(cell.label is not None for cell in self.cells)

    @property
    def places(self) -> dict[str, dict[str, int]]:
        """Position of each class of each configuration; their own names where there are none."""
        places: dict[str, dict[str, int]] = {}
        for position, cell in enumerate(self.cells):
            places.setdefault(cell.configuration, {})[cell.label or cell.name] = position
        return places

    def without_classes(self) -> Cube:
        """Return the same predictions, every column a configuration."""
        cells = tuple(replace(c, configuration=c.name, label=None) for c in self.cells)
        return replace(self, cells=cells)

    def part(self, chosen: Sequence[int]) -> Cube:
        """Return the predictions of some cells, by their positions."""
        numbers = None if self.numbers is None else self.numbers[:, :, chosen]
        texts = tuple(self.texts[i] for i in chosen) if self.texts else ()
        if texts and not any(column.is_text for column in texts):  # an empty column beside text
            numbers, texts = np.full((*self.rows.shape, len(texts)), np.nan), ()
        return replace(
            self, cells=tuple(self.cells[i] for i in chosen), numbers=numbers, texts=texts
        )

    def all_among(self, values: Sequence[float]) -> bool:
        """True if the predictions are numbers, every one of which is among the given values."""
        if self.numbers is None:
            return False
        # A glance at a few samples spares most matrices the full comparison.
        return all(_among(part, values) for part in (self.numbers[:, :8], self.numbers))


def read_cube(sheet: Sheet, rows: IntArray, problems: Problems) -> Cube:
    """Read the predictions of some rows.

    Parameters
    ----------
    sheet
        Where they are.
    rows : (R, N)
        Row of each sample in each repeat, -1 where there is none.
    problems
        What becomes of an infinite value, or of text beside numbers.
    """
    texts = {cell.name for cell in sheet.cells if is_text(sheet.type_of(cell))}
    filled = {cell.name for cell in sheet.cells if _is_filled(sheet, cell)} if texts else texts
    worded = texts & filled
    if worded and worded == filled:
        return Cube(sheet.path, sheet.cells, None, tuple(map(sheet.column, sheet.cells)), rows)
    numbers, sound = _numbers(sheet, rows, texts, worded, problems)
    cube = Cube(sheet.path, sheet.cells, numbers, (), rows)
    if sound.all():
        return cube
    if not sound.any():
        problems.settle()
    return cube.part(np.flatnonzero(sound).tolist())


def check_sources(table: Table, names: Iterable[str], problems: Problems) -> None:
    """Look at columns of predictions by themselves."""
    for name in names:
        column = table.column(name)
        if column.is_text and len(column.nulls) < len(column):
            continue
        with problems.of("predictions"):
            _finite(to_numbers(column.values), column)


def text_fault(column: Column) -> InputError:
    """Build the error about text where numbers are needed."""
    from bbccli.readers.numerals import doubt, strangers

    doubtful = doubt(column, of="prediction")
    if doubtful is not None:
        return doubtful
    among_numbers = strangers(column)
    entries = among_numbers if len(among_numbers) else text_entries(column)
    numbered = re.search(r"\d", column.values[int(entries[0])].as_py()) is not None
    hint = "leave the cell empty if there is no prediction; --exclude a column that has none"
    return column.fault(
        "prediction is text",
        entries,
        hint="store numbers as numbers, with a decimal point; " * numbered + hint,
    )


def _is_filled(sheet: Sheet, cell: PredictionColumn) -> bool:
    return len(sheet.column(cell).nulls) < sheet.n_rows


def _numbers(
    sheet: Sheet, rows: IntArray, texts: Container[str], worded: Container[str], problems: Problems
) -> tuple[FloatArray, BoolArray]:
    """(R, N, cells) values, float32 where all columns are; and (cells,) which can be used."""
    import pyarrow as pa

    cells, flat = sheet.cells, rows.ravel()
    single = all(map(pa.types.is_float32, map(sheet.type_of, cells)))
    out = np.empty((rows.size, len(cells)), dtype=np.float32 if single else np.float64)
    sound = np.ones(len(cells), bool)
    in_order = rows.size == sheet.n_rows and np.array_equal(flat, np.arange(rows.size))
    shared: dict[str, FloatArray] = {}
    for start in range(0, len(cells), _BLOCK):
        block = np.full((len(cells[start : start + _BLOCK]), sheet.n_rows), np.nan, out.dtype)
        for i, cell in enumerate(cells[start : start + _BLOCK]):
            if cell.name not in texts:
                _fill(sheet, cell, shared, block[i])
        infinite = np.asarray(np.isinf(block).any(axis=1))
        for i, cell in enumerate(cells[start : start + _BLOCK]):
            sound[start + i] = cell.name not in worded and not infinite[i]
            with problems.of("predictions"):
                if cell.name in worded:
                    raise text_fault(sheet.column(cell))
                if infinite[i]:
                    _finite(block[i], sheet.column(cell))
        out[:, start : start + _BLOCK] = (block if in_order else block[:, flat]).T
    if rows.min(initial=0) < 0:
        out[flat < 0] = np.nan
    return out.reshape(*rows.shape, len(cells)), sound


def _fill(
    sheet: Sheet, cell: PredictionColumn, shared: dict[str, FloatArray], out: FloatArray
) -> None:
    """Put the predictions of a cell into `out` (n_rows,)."""
    if cell.rows is None:
        to_numbers(sheet.table.data.column(cell.source), out)
    else:
        if cell.source not in shared:
            shared[cell.source] = to_numbers(sheet.table.data.column(cell.source))
        np.take(shared[cell.source], cell.rows, mode="clip", out=out)
        if cell.rows.min(initial=0) < 0:
            out[cell.rows < 0] = np.nan


def _finite(numbers: FloatArray, column: Column) -> None:
    """Refuse infinite values (n,) of a column."""
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise column.fault(
            "prediction is infinite",
            infinite,
            hint="leave the cell empty if there is no prediction",
        )


def _among(numbers: FloatArray, values: Sequence[float]) -> bool:
    """True if every number is missing or one of the values."""
    found = np.isnan(numbers)
    for value in values:
        found |= numbers == value
    return bool(found.all())
