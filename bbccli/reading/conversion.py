"""Predictions in any readable layout -> a wide or a long table, and its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UnsupportedError
from bbccli.notes.intervals import vault_left
from bbccli.reading import Paths, Request, understand
from bbccli.reading.arrow import as_arrow, is_text, pa, to_numbers
from bbccli.reading.layout.dialects import CONFIGURATION
from bbccli.reading.layout.dialects.base import PREDICTION, PROBABILITY
from bbccli.reading.metadata import MAJOR_VERSION, SPEC
from bbccli.reading.roles import NAMES
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import CLASS_SEPARATOR, PredictionColumn, cells_of
from bbccli.types import PredictionKind, TableLayout, Task

ORDER = (
    *("row_id", "train_size", "repeat", "outer_fold", "fold"),
    *("truth", "time", "event", "group", "weight"),
)
"""Order in which roles are written."""

SCORE = "score"


def convert(
    paths: Paths, request: Request, layout: TableLayout
) -> tuple[pa.Table, dict[str, Any], PredictionMatrix]:
    """Return the predictions of files as a table in another layout, its metadata and the matrix in
    it; nothing is dropped, gaps are kept.
    """
    sheet, matrix = understand(paths, request)
    if matrix.smaller:
        raise UnsupportedError(
            f"{sheet.path}: predictions at several training sizes can't be converted",
            hint="keep the rows of one train_size",
        )
    if matrix.vault is not None:
        matrix = replace(matrix, notes=(*matrix.notes, vault_left()))
    metadata = _metadata(sheet, matrix, layout)
    if layout is TableLayout.LONG:
        return long_table(sheet, matrix.kind), metadata, matrix
    table, metadata["columns"] = wide_table(sheet)
    return table, metadata, matrix


def wide_table(sheet: Sheet) -> tuple[pa.Table, dict[str, dict[str, str]]]:
    """Return one row per repeat and sample, one column per configuration (and class); and what each
    column is, whatever its name.
    """
    columns = _roles(sheet)
    meant = {role: {"role": role} for role in columns}
    written = cells_of([(cell.configuration, cell.label) for cell in sheet.cells], columns)
    for cell, column in zip(sheet.cells, written, strict=True):
        columns[column.name] = sheet.column(cell).values
        of_class = {} if cell.label is None else {"class": cell.label}
        meant[column.name] = {"config": cell.configuration, **of_class}
    return pa.table(columns), meant


def long_table(sheet: Sheet, kind: PredictionKind) -> pa.Table:
    """Return one row per configuration, repeat and sample."""
    roles = _roles(sheet)
    if "row_id" not in roles:
        roles = {"row_id": as_arrow(sheet.samples)} | roles
    names, n_rows = tuple(sheet.configurations), sheet.n_rows
    again = as_arrow(np.tile(np.arange(n_rows), len(names)))
    owners = as_arrow(np.repeat(np.arange(len(names)), n_rows))
    columns = {role: values.take(again) for role, values in roles.items()}
    columns[CONFIGURATION] = pa.array(names, pa.string()).take(owners)
    if sheet.by_class:
        by_class = [{c.label: c for c in cells} for cells in sheet.configurations.values()]
        for label in by_class[0]:
            of_class = [cells[label] for cells in by_class]
            columns[f"{PROBABILITY}{label}"] = _under_one_another(sheet, of_class)
    else:
        scores = kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
        columns[SCORE if scores else PREDICTION] = _under_one_another(sheet, sheet.cells)
    return pa.table(columns)


def table_of(matrix: PredictionMatrix) -> tuple[pa.Table, dict[str, Any]]:
    """Return the wide table of a complete matrix of one repeat with folds, and its metadata.

    Reading it gives the same matrix.
    """
    names = list(matrix.configurations)
    truth, (predictions,) = matrix.outcome.values, matrix.predictions
    labels = matrix.kind is PredictionKind.LABEL
    if predictions.ndim == 3:
        classes = matrix.outcome.classes
        names = [f"{name}{CLASS_SEPARATOR}{label}" for name in names for label in classes]
        predictions = predictions.reshape(len(predictions), -1)
    columns = {"row_id": as_arrow(np.arange(matrix.n_samples))}
    if matrix.folds is not None:
        columns["fold"] = as_arrow(np.asarray(matrix.folds[0], np.int64))
    columns["truth"] = pa.array(truth)
    columns |= {
        name: pa.array(column.astype(np.int64) if labels else column)
        for name, column in zip(names, np.ascontiguousarray(predictions.T), strict=True)
    }
    configs = [{"id": name} for name in matrix.configurations]
    return pa.table(columns), _OURS | _task(matrix) | {"configs": configs}


_OURS = {"spec": SPEC, "version": MAJOR_VERSION}


def _task(matrix: PredictionMatrix) -> dict[str, Any]:
    """Return the metadata of the task."""
    about: dict[str, Any] = {"task": str(matrix.task)}
    if matrix.task.is_classification:
        about["classes"] = list(matrix.outcome.classes)
    if matrix.task is Task.BINARY:
        about["positive_class"] = matrix.outcome.classes[-1]
    return about


def _roles(sheet: Sheet) -> dict[str, pa.Array]:
    """Return the columns of the roles, in the order of writing."""
    columns = dict(sheet.roles)
    if sheet.nested:
        columns |= {"outer_fold": columns["fold"], "fold": columns["inner_fold"]}
    return {role: columns[role].values for role in ORDER if role in columns}


def _under_one_another(sheet: Sheet, cells: Sequence[PredictionColumn]) -> pa.Array:
    """Return columns of predictions stacked as one (C n_rows,): text, or the widest number type."""
    columns = [sheet.column(cell).values for cell in cells]
    if any(is_text(values.type) and values.null_count < len(values) for values in columns):
        return pa.concat_arrays([values.cast(pa.string()) for values in columns])
    numbers = np.concatenate([to_numbers(values) for values in columns])
    return as_arrow(numbers, ~np.isnan(numbers))


def _metadata(sheet: Sheet, matrix: PredictionMatrix, layout: TableLayout) -> dict[str, Any]:
    """Return the metadata of the input with everything inferred."""
    configurations = matrix.source.configurations
    metadata = {**_OURS, **matrix.source.metadata, "layout": str(layout)} | _task(matrix)
    if matrix.outcome.bounds is not None:
        metadata["bounds"] = list(matrix.outcome.bounds)
    metadata.pop("weight", None)
    if "weight" in sheet.roles:
        metadata["weight"] = NAMES["weight"][0]
    metadata["configs"] = [configurations.get(name, {"id": name}) for name in sheet.configurations]
    return metadata
