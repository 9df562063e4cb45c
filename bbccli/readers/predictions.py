"""Read the predictions of a sheet, and tell labels, probabilities, scores and values apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, TypeVar, cast

import numpy as np

from bbccli.core import workers
from bbccli.core.notes import listing
from bbccli.core.outcome import Outcome
from bbccli.errors import BbcError, InputError
from bbccli.readers.arrow import to_numbers, to_rows
from bbccli.readers.classes import SUM_TOLERANCE
from bbccli.readers.column import Column, number_of, text_entries
from bbccli.readers.column_file import ColumnFile
from bbccli.readers.problems import Problems
from bbccli.readers.sheet import Sheet
from bbccli.readers.table import CLASS_SEPARATOR, PredictionColumn, Table
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

# Columns copied at a time: wide enough for long writes, small enough to stay in cache.
_BLOCK = 64

CELLS = 2**23
"""Predictions that a worker looks at together, about: 32 MB of float32."""

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Values:
    """Predictions of the cells of a sheet, and once they are interpreted, of C configurations.

    Attributes
    ----------
    array : (R, N, cells), then (R, N, C) or (R, N, C, K)
        NaN where missing until they are complete. A `ColumnFile` where they stay in their file.
    configurations
        Names along the third axis: of cells those of their columns.
    kind
        Values, unless they were interpreted.
    available : (R, N, C) bool, optional
        Where there is a prediction; None if complete, or before they are completed.
    words
        Text of the predictions, before they are interpreted: `array` holds int64 positions among
        them, -1 where missing. Empty where they are numbers.
    """

    array: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind = PredictionKind.VALUE
    available: BoolArray | None = None
    words: tuple[str, ...] = ()

    @property
    def in_memory(self) -> bool:
        """True if the predictions were read; False if workers read them from their file."""
        return isinstance(self.array, np.ndarray)

    def all_among(self, values: Sequence[float]) -> bool:
        """True if the predictions are numbers, each of which is missing or among the values."""
        if self.words:
            return False
        # A glance at a few samples, or at one configuration, spares most a full comparison.
        if self.in_memory:
            return _among(self.array[:, :8], values) and _among(self.array, values)
        array: Any = self.array
        return _among(array[:, :, [0]], values) and _file_among(array, tuple(sorted(values)))


def read_values(sheet: Sheet, problems: Problems, file: Any = None) -> tuple[Sheet, Values]:
    """Read the predictions of the samples that can be used, or of all rows where it is nested.

    Parameters
    ----------
    sheet
        Its rows are placed, and its samples chosen.
    problems
        Takes infinite values, and text beside numbers.
    file
        A `ColumnFile` where workers read the predictions.

    Returns
    -------
    sheet
        Of the cells without a problem.
    values
        Predictions of its cells.
    """
    if file is not None:
        return sheet, Values(file, tuple(cell.name for cell in sheet.cells))
    # of a nested cross-validation all rows are read at once, so that all mean the same
    rows = np.arange(sheet.n_rows)[None] if sheet.nested else sheet.rows[:, sheet.usable]
    texts = {cell.name for cell in sheet.cells if cell.source in sheet.table.texts}
    every = sheet.cells if texts else ()
    filled = {one.name for one in every if len(sheet.column(one).nulls) < sheet.n_rows}
    worded = texts & filled
    if worded and worded == filled:
        return sheet, _read_words(sheet, rows)
    numbers, sound = _numbers(sheet, rows, texts, worded, problems)
    if not sound.all():
        if not sound.any():
            problems.settle()
        cells = tuple(cell for cell, keep in zip(sheet.cells, sound, strict=True) if keep)
        sheet, numbers = replace(sheet, cells=cells), numbers[:, :, sound]
    return sheet, Values(numbers, tuple(cell.name for cell in sheet.cells))


def _read_words(sheet: Sheet, rows: IntArray) -> Values:
    """Read text as positions among all different words."""
    places: dict[str, int] = {}
    array = np.empty((*rows.shape, len(sheet.cells)), np.int64)
    for c, cell in enumerate(sheet.cells):
        codes, names = sheet.column(cell).named_codes()
        own = np.array([*(places.setdefault(name, len(places)) for name in names), -1])
        array[:, :, c] = np.where(rows < 0, -1, own[codes[rows]])
    return Values(array, tuple(cell.name for cell in sheet.cells), words=tuple(places))


def interpret(sheet: Sheet, values: Values, outcome: Outcome) -> Values:
    """Tell what the predictions of a task are, and arrange them.

    Parameters
    ----------
    sheet
        Its cells are those of the values.
    values
        Predictions as they were read.
    outcome
        Truth of the N samples, with the names of the classes.

    Raises
    ------
    InputError
        Text where numbers are needed, labels that are not a class, a configuration that lacks a
        class, or numbers that do not predict several classes.
    """
    task, names = outcome.task, tuple(sheet.configurations)
    if task.is_classification and not sheet.by_class:
        labels = _labels(sheet, values, outcome.classes)
        if labels is not None:
            return Values(labels, names, PredictionKind.LABEL)
    if values.words:
        raise text_fault(_worded([column for column in _columns(sheet) if column.is_text]))
    if task is Task.BINARY:
        return _binary(sheet, values, outcome.classes)
    if task is Task.MULTICLASS:
        return _multiclass(sheet, values, outcome.classes)
    return replace(values, kind=PredictionKind.SCORE) if task is Task.SURVIVAL else values


def faults_of_each(
    sheet: Sheet, values: Values, outcome: Outcome
) -> Iterator[tuple[str, BbcError]]:
    """Yield the fault of every configuration that does not predict this task."""
    for own in _places(sheet).values():
        chosen = list(own.values())
        some = replace(sheet, cells=tuple(sheet.cells[i] for i in chosen))
        names = tuple(cell.name for cell in some.cells)
        part = replace(values, array=values.array[:, :, chosen], configurations=names)
        if values.words and not any(cell.source in some.table.texts for cell in some.cells):
            part = Values(np.full(part.array.shape, np.nan), names)  # empty columns beside text
        try:
            interpret(some, part, outcome)
        except BbcError as error:
            yield "predictions", error


def _labels(sheet: Sheet, values: Values, classes: Sequence[str]) -> FloatArray | None:
    """(R, N, C) class codes; None when the predictions are not labels."""
    if values.words:
        known = {name: float(code) for code, name in enumerate(classes)}
        if any(name not in known for name in values.words):
            columns = _columns(sheet)
            for column in columns:
                _refuse_strange(column, classes, columns)
        codes = np.array([*(known.get(name, np.nan) for name in values.words), np.nan])
        return np.asarray(codes[values.array])
    numbers = [number_of(name) for name in classes]
    if np.isnan(numbers).any() or not values.all_among(numbers):
        return None
    if not values.in_memory:
        file: Any = values.array
        return cast("FloatArray", replace(file, labels=tuple(numbers)))
    if numbers == list(range(len(numbers))):  # they are the codes; -0.0 is 0.0
        return np.asarray(values.array + 0.0, np.float64)
    labels = np.full(values.array.shape, np.nan)
    for code, value in enumerate(numbers):
        labels[values.array == value] = code
    return labels


def _refuse_strange(column: Column, classes: Sequence[str], columns: Sequence[Column]) -> None:
    """Refuse text that is no class."""
    codes, names = column.named_codes()
    strange = [name not in classes for name in names]
    if not any(strange):
        return
    numbered = [not np.isnan(number_of(name)) for name in names]
    if any(np.logical_and(strange, numbered)):
        raise text_fault(_worded([column, *columns]))
    if all(np.logical_or(strange, numbered)):
        from bbccli.readers.numerals import doubt

        fault = doubt(column, of="prediction")
        if fault is not None:
            raise fault
    with_digits = all(re.search(r"\d", name) for name in names)
    raise column.fault(
        f"prediction is not one of the classes ({listing(classes, 8)})",
        np.flatnonzero(np.array([*strange, False])[codes]),
        hint="labels are spelled as in the truth"
        + ", and numbers with a decimal point" * with_digits,
    )


def _worded(columns: Sequence[Column]) -> Column:
    """Return the first of the columns that holds text other than numbers, else the first."""
    of_words = (one for one in columns if np.isnan([*map(number_of, one.named_codes()[1])]).any())
    return next(of_words, columns[0])


def _columns(sheet: Sheet) -> list[Column]:
    return [sheet.column(cell) for cell in sheet.cells]


def _places(sheet: Sheet) -> dict[str, dict[str, int]]:
    """Position of each class of each configuration; of the configuration itself without classes."""
    places: dict[str, dict[str, int]] = {}
    for position, cell in enumerate(sheet.cells):
        places.setdefault(cell.configuration, {})[cell.label or cell.name] = position
    return places


def _binary(sheet: Sheet, values: Values, classes: Sequence[str]) -> Values:
    """Probability or score of the positive class."""
    array: Any = values.array
    if sheet.by_class:
        places = _checked_places(sheet, classes)
        positive = [own[classes[-1]] for own in places.values()]
        array = array[:, :, positive] if values.in_memory else array.of(positive)
    kind = PredictionKind.PROBABILITY if _in_unit(array) else PredictionKind.SCORE
    return Values(array, tuple(sheet.configurations), kind)


def _multiclass(sheet: Sheet, values: Values, classes: Sequence[str]) -> Values:
    """(R, N, C, K) probabilities or scores of all classes."""
    if not sheet.by_class:
        name = sheet.cells[0].name
        raise InputError(
            f"predictions of {len(classes)} classes are neither labels nor one column per class",
            path=sheet.path,
            column=name,
            hint=f"name the columns `{name}{CLASS_SEPARATOR}{classes[0]}` and so on, "
            "or give --task regression",
        )
    places, array = _checked_places(sheet, classes), values.array
    order = [own[name] for own in places.values() for name in classes]
    if order != list(range(len(sheet.cells))):
        array = array[:, :, order]
    array = array.reshape(*array.shape[:2], len(places), len(classes))
    proper = _in_unit(array) and _sums_to_one(array)
    kind = PredictionKind.PROBABILITY if proper else PredictionKind.SCORE
    return Values(array, tuple(places), kind)


def _checked_places(sheet: Sheet, classes: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return `_places` where every configuration has exactly one column per class."""
    places = _places(sheet)
    for configuration, own in places.items():
        missing = [name for name in classes if name not in own]
        unknown = [name for name in own if name not in classes]
        if missing or unknown:
            what = (
                f"no column of class {missing[0]!r}"
                if missing
                else f"a column {sheet.cells[own[unknown[0]]].name!r}"
            )
            raise InputError(
                f"configuration {configuration!r} has {what}, "
                f"the classes are {listing(classes, 8)}",
                path=sheet.path,
                hint="one column `config::class` for every configuration and class",
            )
    return places


def _in_unit(array: Any) -> bool:
    """True if all numbers lie in [0, 1]; missing ones are passed over."""
    if isinstance(array, ColumnFile):
        return array.in_unit
    lowest, highest = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)
    return not bool(lowest < 0 or highest > 1)


def _sums_to_one(array: FloatArray) -> bool:
    """True if the K probabilities of (R, N, C, K) sum to one; missing ones are passed over."""
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(array.sum(axis=-1) - 1) > SUM_TOLERANCE).any())


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


def _numbers(
    sheet: Sheet, rows: IntArray, texts: Container[str], worded: Container[str], problems: Problems
) -> tuple[FloatArray, BoolArray]:
    """(R, N, cells) values, float32 where all columns are; and (cells,) which can be used."""
    import pyarrow as pa

    cells, flat = sheet.cells, rows.ravel()
    single = all(kind == pa.float32() for kind in map(sheet.type_of, cells))
    out = np.empty((rows.size, len(cells)), dtype=np.float32 if single else np.float64)
    sound = np.ones(len(cells), bool)
    in_order = rows.size == sheet.n_rows and np.array_equal(flat, np.arange(rows.size))
    shared: dict[str, FloatArray] = {}
    for start in range(0, len(cells), _BLOCK):
        own = cells[start : start + _BLOCK]
        block = _block(sheet, own, texts, shared, out.dtype)
        infinite = np.asarray(np.isinf(block).any(axis=1))
        for i, cell in enumerate(own):
            if infinite[i] or cell.name in worded:
                sound[start + i] = False
                with problems.of("predictions"):
                    if cell.name in worded:
                        raise text_fault(sheet.column(cell))
                    _finite(block[i], sheet.column(cell))
        out[:, start : start + _BLOCK] = (block if in_order else block[:, flat]).T
    if rows.min(initial=0) < 0:
        out[flat < 0] = np.nan
    return out.reshape(*rows.shape, len(cells)), sound


def _block(
    sheet: Sheet,
    cells: Sequence[PredictionColumn],
    texts: Container[str],
    shared: dict[str, FloatArray],
    kind: np.dtype[Any],
) -> FloatArray:
    """(cells, n_rows) predictions of some cells, NaN of those that are text."""
    import pyarrow as pa

    data = sheet.table.data
    if isinstance(data, pa.Table) and all(c.rows is None and c.name not in texts for c in cells):
        return to_rows(data.select([cell.source for cell in cells]), kind)
    block = np.full((len(cells), sheet.n_rows), np.nan, kind)
    for cell, out in zip(cells, block, strict=True):
        if cell.name in texts:
            continue
        if cell.rows is None:
            to_numbers(data.column(cell.source), out)
            continue
        if cell.source not in shared:
            shared[cell.source] = to_numbers(data.column(cell.source))
        np.take(shared[cell.source], cell.rows, mode="clip", out=out)
        if cell.rows.min(initial=0) < 0:
            out[cell.rows < 0] = np.nan
    return block


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


@lru_cache(maxsize=2)  # asked for the task, and for the kind of predictions
def _file_among(file: ColumnFile, values: tuple[float, ...]) -> bool:
    return all(over_columns(file, partial(_columns_among, file, values)))


def _columns_among(file: ColumnFile, values: tuple[float, ...], columns: Any) -> bool:
    return _among(file[:, :, columns], values)


def over_columns(
    array: Any, function: Callable[[IntArray | slice], Made], columns: IntArray | None = None
) -> list[Made]:
    """Return what a function makes of some columns of an array, or of all.

    An array in memory is one part. Of a file, workers take parts of the columns, if there are any,
    and a few columns at a time.
    """
    if isinstance(array, np.ndarray):
        return [function(slice(None) if columns is None else columns)]
    columns = np.arange(array.shape[2]) if columns is None else columns
    parts = workers.over_parts(
        partial(_piece_by_piece, array.shape[1], function, columns), len(columns)
    )
    return list(chain.from_iterable(parts))


def _piece_by_piece(
    n_rows: int, function: Callable[[IntArray], Made], columns: IntArray, part: IntArray
) -> list[Made]:
    width, columns = max(CELLS // max(n_rows, 1), 1), columns[part]
    return [function(columns[start : start + width]) for start in range(0, len(columns), width)]
