"""One long table -> the wide table of the same predictions, by index arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers import remarks
from bbccli.readers.agreement import differing, disagreement
from bbccli.readers.alignment import repeat_codes, split_caret
from bbccli.readers.columns import Assignment
from bbccli.readers.dialects.base import PREDICTION, PROBABILITY, joint
from bbccli.readers.dialects.long import CONFIGURATION
from bbccli.readers.frame import Column, Frame
from bbccli.readers.pivoted import Pivoted, PivotedColumns
from bbccli.readers.predictions import CLASS_SEPARATOR
from bbccli.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_CELLS = 50_000_000
"""Cells of a pivoted table that may be empty for the most part."""

_CONSTANT = ("truth", "time", "event", "group", "weight")


def pivot(table: Frame, *, spare: tuple[str, ...] = ()) -> Pivoted:
    """Give every configuration a column.

    Parameters
    ----------
    table
        Long table with the written names, as `stack` makes it.
    spare
        Columns that were set aside.

    Raises
    ------
    InputError
        A key that is missing, or occurs twice for a configuration; a truth, group or weight that
        differs between configurations of one sample; no key and configurations of unequal size.
    """
    columns = _roles(table)
    configurations, names = _configurations(table)
    keys, first = _keys(table, columns, configurations)
    rows = _cells(table, columns, configurations, keys, (len(names), len(first)))
    notes = [remarks.columns_set_aside(spare)] if spare else []
    for role in _CONSTANT:
        apart = _check_constant(columns[role], role, first[keys]) if role in columns else 0.0
        notes += [remarks.truth_rounded(role, apart)] if apart else []
    if "fold" in columns and _varies(columns["fold"], keys, first).any():
        del columns["fold"]
        notes.append(remarks.folds_differ())
    sources, shaped = _sources(table, names)
    wide = PivotedColumns(sources, rows, _schema(sources))
    return Pivoted(
        Frame(table.path, wide, table.sha256, table.metadata, table.origins, wide.place),
        {role: column.take(first) for role, column in columns.items()},
        Assignment({role: role for role in columns}, tuple(sources), (), shaped),
        tuple(notes),
    )


def pivot_faults(table: Frame) -> Iterator[InputError]:
    """Yield every error that `pivot` could raise: those of keys first, then of each role."""
    columns = _roles(table)
    found = [_caught(_configurations, table)]
    for role in ("row_id", "repeat", "outer_fold"):
        if role in columns:
            found.append(_caught(columns[role].present, role, hint=f"fill in the {role}"))
    faults = [fault for fault in found if fault is not None]
    yield from faults
    if faults:
        return
    configurations, names = _configurations(table)
    fault = _caught(_keys, table, columns, configurations)
    if fault is not None:
        yield fault
        return
    keys, first = _keys(table, columns, configurations)
    shape = (len(names), len(first))
    found = [_caught(_cells, table, columns, configurations, keys, shape), _caught(pivot, table)]
    found += [
        _caught(_check_constant, columns[role], role, first[keys])
        for role in _CONSTANT
        if role in columns
    ]
    yield from {str(fault): fault for fault in found if fault is not None}.values()


def _caught(function: Callable[..., object], *args: Any, **options: Any) -> InputError | None:
    """Return the error that a call raises, if it raises one."""
    try:
        function(*args, **options)
    except InputError as error:
        return error
    return None


def _roles(table: Frame) -> dict[str, Column]:
    """Columns that are neither configurations nor predictions, folds and repeats apart."""
    columns = {
        name: table.column(name)
        for name in table.names
        if name not in (CONFIGURATION, PREDICTION) and not name.startswith(PROBABILITY)
    }
    return columns | split_caret(columns)


def _configurations(table: Frame) -> tuple[IntArray, tuple[str, ...]]:
    """(n_rows,) code of the configuration of each row, and the C names."""
    column = table.column(CONFIGURATION)
    return column.present("configuration", hint="name the configuration of every row").named_codes()


def _keys(
    table: Frame, columns: Mapping[str, Column], configurations: IntArray
) -> tuple[IntArray, IntArray]:
    """(n_rows,) key of each row, in order of first appearance; and the first row of each."""
    passes = [repeat_codes(table.n_rows, columns.get("repeat"))]
    if "outer_fold" in columns:
        hint = "say for every row which outer fold it belongs to"
        passes.append(columns["outer_fold"].present("outer_fold", hint=hint).codes()[0])
    if "row_id" in columns:
        hint = "give every row the key of its sample"
        samples, _ = columns["row_id"].present("row_id", hint=hint).codes()
    else:
        samples = _positions(table, joint([*passes, configurations]))
    _, first, keys = np.unique(joint([*passes, samples]), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[keys], first[order]


def _positions(table: Frame, blocks: IntArray) -> IntArray:
    """(n_rows,) position of each row within its configuration and repeat."""
    counts = np.bincount(blocks)
    if len(set(counts.tolist())) > 1:
        raise InputError(
            f"configurations have {counts.min()} to {counts.max()} rows and there is no row_id",
            path=table.path,
            hint="add a column `row_id` with the key of the sample",
        )
    order = np.argsort(blocks, kind="stable")
    positions = np.empty(len(blocks), np.int64)
    positions[order] = np.arange(len(blocks)) % counts[0]
    return positions


def _cells(
    table: Frame,
    columns: Mapping[str, Column],
    configurations: IntArray,
    keys: IntArray,
    shape: tuple[int, int],
) -> IntArray:
    """(C, n_keys) row of each cell, -1 where there is none."""
    if shape[0] * shape[1] > max(_MOST_CELLS, 100 * table.n_rows):
        raise InputError(
            f"{shape[0]} configurations on {shape[1]} samples have {table.n_rows} rows in all: "
            "hardly any sample is predicted by more than one",
            path=table.path,
            hint="check the columns of the configuration and of the key",
        )
    cells = configurations * shape[1] + keys
    _, first = np.unique(cells, return_index=True)
    if len(first) < len(cells):
        again = np.setdiff1d(np.arange(len(cells)), first)
        raise columns["row_id"].fault(
            "row_id occurs twice for one configuration"
            + (" in one repeat" if "repeat" in columns else ""),
            again,
            hint="one row per configuration, repeat and sample: "
            + ("remove a row" if "repeat" in columns else "add a column `repeat`, or remove a row")
            + "; resamples that overlap, such as bootstraps, cannot be used",
        )
    rows = np.full(shape[0] * shape[1], -1)
    rows[cells] = np.arange(table.n_rows)
    return rows.reshape(shape)


def _varies(column: Column, keys: IntArray, first: IntArray) -> Any:
    """(n_rows,) where an entry differs from the first one of its key."""
    codes, _ = column.codes()
    return codes != codes[first][keys]


def _check_constant(column: Column, role: str, earlier: IntArray) -> float:
    """Refuse a role that differs between configurations of one sample; return the rounding."""
    varies, apart = differing(column, earlier)
    if not len(varies):
        return apart
    raise disagreement(
        column,
        varies,
        earlier,
        f"{role} differs between configurations of one sample",
        "check that the rows are of the same samples",
    )


def _sources(
    table: Frame, names: tuple[str, ...]
) -> tuple[dict[str, tuple[Column, int]], dict[str, dict[str, str]]]:
    """Column and configuration behind each wide column; and these by class, if there are such."""
    if PREDICTION in table.names:
        column = table.column(PREDICTION)
        return {name: (column, position) for position, name in enumerate(names)}, {}
    classes = {
        name.removeprefix(PROBABILITY): table.column(name)
        for name in table.names
        if name.startswith(PROBABILITY)
    }
    shaped = {name: {k: f"{name}{CLASS_SEPARATOR}{k}" for k in classes} for name in names}
    sources = {
        shaped[name][k]: (column, position)
        for position, name in enumerate(names)
        for k, column in classes.items()
    }
    if len(sources) < len(names) * len(classes):
        raise InputError(
            f"configurations and classes share names with {CLASS_SEPARATOR!r} in them",
            path=table.path,
            hint=f"leave {CLASS_SEPARATOR!r} out of the names",
        )
    return sources, shaped


def _schema(sources: Mapping[str, tuple[Column, int]]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, column.values.type) for name, (column, _) in sources.items()])
