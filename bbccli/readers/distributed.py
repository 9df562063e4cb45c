"""A large Parquet file -> prediction matrix, without reading its predictions in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core import workers
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.errors import InputError, OptionError
from bbccli.readers.arrow import is_number
from bbccli.readers.assembly import assemble
from bbccli.readers.choice import choose
from bbccli.readers.column import number_of
from bbccli.readers.column_file import ColumnFile, pieces
from bbccli.readers.meaning import outcome_of
from bbccli.readers.pipeline import sheet_of
from bbccli.readers.prediction_array import Cube, check_sources
from bbccli.readers.predictions import Values, interpret
from bbccli.readers.problems import RAISE
from bbccli.readers.request import Request
from bbccli.readers.sample_columns import with_sample_columns
from bbccli.readers.scores import task_of
from bbccli.readers.sheet import WIDE, Sheet
from bbccli.readers.sources.files import Paths, expand
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

HINT = (
    "without --runner dask; or one wide Parquet file: a row per sample, a column of numbers per "
    "configuration, no repeats, no weights, no gaps"
)
"""What workers can read."""


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """Where the numbers of each configuration lie: (C,) each.

    Attributes
    ----------
    n_missing
        Samples without a number.
    lowest, highest
        Of the numbers; NaN where there is none.
    among
        Whether every number is one of the values that were asked about.
    """

    n_missing: IntArray
    lowest: FloatArray
    highest: FloatArray
    among: BoolArray

    @property
    def in_unit(self) -> bool:
        """True if all numbers lie in [0, 1]."""
        return not bool((self.lowest < 0).any() or (self.highest > 1).any())


def extent_of(file: ColumnFile, values: tuple[float, ...]) -> Extent:
    """Return the extent of all configurations, and whether they are among some values."""
    found = workers.over_parts(partial(_extent, file, values), len(file.names))
    return Extent(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _extent(file: ColumnFile, values: tuple[float, ...], part: IntArray) -> tuple[np.ndarray, ...]:
    found = []
    for columns in pieces(file, part):
        array = file[:, :, columns][0]
        missing = np.isnan(array)
        among = missing.copy()
        for value in values:
            among |= array == value
        low, high = np.fmin.reduce(array, axis=0), np.fmax.reduce(array, axis=0)
        found.append((missing.sum(axis=0), low, high, among.all(axis=0)))
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))


@dataclass(frozen=True, slots=True)
class LookedUp(Cube):
    """A cube whose numbers stay in their file; all that is asked of them is a pass over it."""

    file: ColumnFile | None = None

    def all_among(self, values: Sequence[float]) -> bool:
        """True if every number is among the given values; a glance at one column comes first."""
        if self.file is None or not np.isin(self.file[:, :, [0]], values).all():
            return False
        return bool(extent_of(self.file, tuple(values)).among.all())


def read_by_parts(paths: Paths, request: Request) -> PredictionMatrix:
    """Read a file as `understand` does, the predictions by the workers in force.

    Raises
    ------
    OptionError
        A file, or predictions, that workers can't read.
    InputError, UndefinedError
        As `bbccli.readers.read`.
    """
    sheet = choose(sheet_of(paths, request, RAISE), request, RAISE)
    file = _file_of(paths, sheet, request)
    sheet = with_sample_columns(sheet, RAISE)
    cube = LookedUp(sheet.path, sheet.cells, None, (), sheet.rows, file)
    outcome = outcome_of(sheet, cube, request)
    predictions = _interpreted(sheet, file, outcome)
    return replace(assemble(sheet, outcome, predictions, request), sample_keys=None)


def _file_of(paths: Paths, sheet: Sheet, request: Request) -> ColumnFile:
    """The predictions of a sheet as columns of their file.

    Raises
    ------
    OptionError
        They are something else.
    """
    import pyarrow as pa

    found = expand(paths)
    path = found[0]
    in_order = np.array_equal(sheet.rows, np.arange(sheet.n_rows)[None])
    kinds = [sheet.type_of(cell) for cell in sheet.cells]
    for wrong, reason in (
        (len(found) > 1, "there are several files"),
        (not _is_parquet(path), "this is no Parquet file"),
        (sheet.layout != WIDE, f"the layout is {sheet.layout}"),
        (sheet.nested, "the cross-validation is nested"),
        (not in_order, "there are repeats, or rows of one sample"),
        ("weight" in sheet.roles, "the samples have weights"),
        (task_of(request, sheet) is Task.SCORE, "the task is score"),
        (sheet.by_class, "there is a column for each class"),
        (not all(map(is_number, kinds)), "some predictions are no numbers"),
    ):
        if wrong:
            raise OptionError(f"--runner dask can't read {sheet.path}: {reason}", hint=HINT)
    place_ = Path(str(path)).resolve()
    names = tuple(cell.source for cell in sheet.cells)
    single = all(pa.types.is_float32(kind) for kind in kinds)
    return ColumnFile(str(place_), place_.stat().st_size, names, sheet.n_rows, single)


def _is_parquet(path: object) -> bool:
    """True if it is a file on a disk whose name says so."""
    return isinstance(path, str | Path) and Path(path).suffix == ".parquet" and Path(path).is_file()


def _interpreted(sheet: Sheet, file: ColumnFile, outcome: Outcome) -> Values:
    """Return what `interpret` makes of a cube: labels, probabilities, scores or values."""
    classes = tuple(map(number_of, outcome.classes))
    labels = () if np.isnan(classes).any() else classes
    extent = extent_of(file, labels)
    _refuse(extent, sheet)
    names, task = tuple(cell.configuration for cell in sheet.cells), outcome.task
    array: Any = file
    if labels and extent.among.all():
        array = replace(file, labels=labels)
        return Values(array, names, PredictionKind.LABEL)
    if task is Task.BINARY:
        proper = extent.in_unit
        kind = PredictionKind.PROBABILITY if proper else PredictionKind.SCORE
        return Values(array, names, kind)
    if task is Task.MULTICLASS:
        empty = np.empty((1, 0, len(names)))
        return interpret(Cube(sheet.path, sheet.cells, empty, (), np.empty((1, 0), int)), outcome)
    kind = PredictionKind.SCORE if task is Task.SURVIVAL else PredictionKind.VALUE
    return Values(array, names, kind)


def _refuse(extent: Extent, sheet: Sheet) -> None:
    """Refuse numbers that are infinite, and gaps.

    Raises
    ------
    InputError, OptionError
        Names the first of them.
    """
    infinite = np.isinf(extent.lowest) | np.isinf(extent.highest)
    if infinite.any():
        check_sources(sheet.table, [sheet.cells[int(np.argmax(infinite))].source], RAISE)
    gaps = np.flatnonzero(extent.n_missing)
    if len(gaps):
        number, name = int(extent.n_missing[gaps[0]]), sheet.cells[gaps[0]].name
        raise InputError(
            f"--runner dask needs every prediction; {number} of {sheet.n_rows} are missing",
            path=sheet.path,
            column=name,
            hint=f"--exclude {name!r}, complete it, or leave out --runner dask",
        )
