"""Predictions in any readable layout -> a wide or a long table, and its metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import InputError
from bbccli.matrix import PredictionMatrix
from bbccli.readers.arrow import as_arrow, as_arrow_or_null, is_text, to_numbers
from bbccli.readers.assemble import Parts, assemble, shaped_of
from bbccli.readers.dialects.base import PREDICTION, PROBABILITY
from bbccli.readers.dialects.long import CONFIGURATION
from bbccli.readers.load import Paths, Request, load
from bbccli.readers.metadata import MAJOR_VERSION, SPEC
from bbccli.readers.roles import NAMES
from bbccli.types import PredictionKind, TableLayout, Task

if TYPE_CHECKING:
    import pyarrow as pa

ORDER = ("row_id", "repeat", "outer_fold", "fold", "truth", "time", "event", "group", "weight")
"""Order in which roles are written."""

SCORE = "score"


@dataclass(frozen=True, slots=True)
class Converted:
    """A table of predictions, the metadata that go with it, and the matrix that it holds."""

    table: pa.Table
    metadata: Mapping[str, Any]
    matrix: PredictionMatrix


def convert(paths: Paths, request: Request, layout: TableLayout) -> Converted:
    """Read files and lay their predictions out anew; nothing is dropped, gaps are kept.

    Raises
    ------
    InputError, OptionError, UndefinedError
        Whatever `read` raises; names of configurations that a wide table can't have.
    """
    parts = load(paths, request)
    matrix = assemble(parts, task=request.task, positive=request.positive, missing=request.missing)
    table = wide_table(parts) if layout is TableLayout.WIDE else long_table(parts, matrix)
    return Converted(table, _metadata(parts, matrix, layout), matrix)


def wide_table(parts: Parts) -> pa.Table:
    """Return one row per repeat and sample, one column per configuration (and class).

    Raises
    ------
    InputError
        A configuration with the name of a role, or two columns of one name.
    """
    import pyarrow as pa

    roles = _roles(parts)
    names = parts.assignment.configurations
    written = {known[0] for known in NAMES.values()}
    ids = set(shaped_of(parts))
    clash = [n for n in names if n.casefold() in written or n in ids]
    if clash:
        raise InputError(
            f"configuration {clash[0]!r} cannot be the name of a column in the wide layout",
            path=parts.frame.path,
            hint="--layout long",
        )
    columns = [parts.frame.column(name).values for name in names]
    return pa.table([*roles.values(), *columns], names=[*roles, *names])


def long_table(parts: Parts, matrix: PredictionMatrix) -> pa.Table:
    """Return one row per configuration, repeat and sample."""
    import pyarrow as pa

    roles = _roles(parts)
    if "row_id" not in roles:
        roles = {"row_id": as_arrow(parts.alignment.samples)} | roles
    shaped = shaped_of(parts)
    names = tuple(shaped) or parts.assignment.configurations
    n_rows = parts.frame.n_rows
    again = as_arrow(np.tile(np.arange(n_rows), len(names)))
    owners = as_arrow(np.repeat(np.arange(len(names)), n_rows))
    columns = {role: values.take(again) for role, values in roles.items()}
    columns[CONFIGURATION] = pa.array(names, pa.string()).take(owners)
    if shaped:
        for own in next(iter(shaped.values())):
            of_class = [shaped[name][own] for name in names]
            columns[f"{PROBABILITY}{own}"] = _under_one_another(parts, of_class)
    else:
        scores = matrix.kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
        columns[SCORE if scores else PREDICTION] = _under_one_another(parts, names)
    return pa.table(columns)


def _roles(parts: Parts) -> dict[str, pa.Array]:
    """Columns of the roles, in the order in which they are written."""
    columns = dict(parts.columns)
    if parts.nested is not None:
        columns |= {"outer_fold": parts.nested.outer_fold, "fold": parts.nested.fold}
    return {role: columns[role].values for role in ORDER if role in columns}


def _under_one_another(parts: Parts, names: tuple[str, ...] | list[str]) -> pa.Array:
    """(C n_rows,) columns of predictions as one: text, or numbers as wide as the widest."""
    import pyarrow as pa

    columns = [parts.frame.column(name).values for name in names]
    if any(is_text(values.type) and values.null_count < len(values) for values in columns):
        return pa.concat_arrays([values.cast(pa.string()) for values in columns])
    numbers = np.concatenate([to_numbers(values) for values in columns])
    values = pa.Array.from_buffers(
        pa.float32() if numbers.dtype == np.float32 else pa.float64(),
        len(numbers),
        [None, pa.py_buffer(np.ascontiguousarray(numbers))],
    )
    there = np.where(np.isnan(numbers), -1, np.arange(len(numbers)))
    return values.take(as_arrow_or_null(there)) if np.isnan(numbers).any() else values


def _metadata(parts: Parts, matrix: PredictionMatrix, layout: TableLayout) -> dict[str, Any]:
    """What the metadata said, and what was understood."""
    raw = parts.metadata.raw
    names = tuple(shaped_of(parts)) or parts.assignment.configurations
    known = {one["id"]: one for one in raw.get("configs") or []}
    metadata: dict[str, Any] = {"spec": SPEC, "version": MAJOR_VERSION}
    metadata |= {**raw, "layout": str(layout), "task": str(matrix.task)}
    if matrix.task.is_classification:
        metadata["classes"] = list(matrix.outcome.classes)
    if matrix.task is Task.BINARY:
        metadata["positive_class"] = matrix.outcome.classes[-1]
    metadata["configs"] = [known.get(name, {"id": name}) for name in names]
    return metadata
