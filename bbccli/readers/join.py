"""Outcome and folds from files of their own, joined to the rows of the predictions."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.readers.arrow import as_arrow, null_mask, to_codes, to_numbers
from bbccli.readers.codes import repeated
from bbccli.readers.column import Column
from bbccli.readers.place import Places
from bbccli.readers.problems import Raise
from bbccli.readers.request import Request, is_given
from bbccli.readers.roles import NAMES, Roles, column_of, named
from bbccli.readers.row_numbers import refuse_disorder
from bbccli.readers.sheet import Sheet
from bbccli.readers.sources.memory import ArrowStream
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table, check_names
from bbccli.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa


def join(sheet: Sheet, places: Places, request: Request, problems: Raise) -> Sheet:
    """Add the outcome and the folds that lie in files of their own.

    Raises
    ------
    InputError
        A file that does not fit the predictions; see `read_labels` and `read_folds`.
    """
    roles, row_id = dict(sheet.roles), sheet.roles.get("row_id")
    for check, path, read in (
        ("labels file", request.labels, read_labels),
        ("folds file", request.folds, read_folds),
    ):
        if is_given(path):
            how = (path, request.roles, places, row_id)
            roles |= problems.attempt(check, read, *how, otherwise={})
            problems.done(check, path)
    return replace(sheet, roles=roles)


def read_labels(
    path: str | Path | ArrowStream, roles: Roles, places: Places, row_id: Column | None
) -> dict[str, Column]:
    """Return the columns `truth`, or `time` and `event`, of a labels file.

    Parameters
    ----------
    path
        File with one column, or with a key to join on.
    roles
        Names set by hand.
    places, row_id
        Rows and keys of the predictions.

    Returns
    -------
    dict
        Columns of one entry per row of the predictions, by role.

    Raises
    ------
    InputError
        No column, or more than one, that could be the outcome; keys or row counts that do not
        match the predictions.
    """
    frame = read_table(path).asked_for(astuple(roles))
    check_names(frame)
    key = named(frame, "row_id") if roles.row_id is None else _if_there(frame, roles.row_id)
    chosen = _outcome_names(frame, roles, key)
    entries = _entries(frame, key, places, row_id)
    return {role: frame.column(name).take(entries) for role, name in chosen.items()}


def read_folds(
    path: str | Path | ArrowStream, roles: Roles, places: Places, row_id: Column | None
) -> dict[str, Column]:
    """Return the column `fold` of a folds file, one entry per row of the predictions.

    The file has one column, or a key to join on; or it is ragged: one row per fold, with the
    0-based positions of its samples, padded with empty cells.

    Raises
    ------
    InputError
        No column, or more than one, that could be the fold; keys, positions or row counts that do
        not match the predictions.
    """
    frame = read_table(path).asked_for(astuple(roles))
    if _is_ragged(frame, roles):
        return {"fold": _ragged(frame, places)}
    check_names(frame)
    key = named(frame, "row_id") if roles.row_id is None else _if_there(frame, roles.row_id)
    name = _single(frame, "fold", roles.fold, {key})
    if key is not None and row_id is not None and places.n_repeats > 1:
        raise InputError(
            f"folds by row_id cannot tell {places.n_repeats} repeats apart",
            path=frame.path,
            hint="put the fold into the predictions file, or give one row per row of that file",
        )
    return {"fold": frame.column(name).take(_entries(frame, key, places, row_id))}


def _if_there(frame: Table, name: str) -> str | None:
    return name if name in frame.names else named(frame, "row_id")


def _outcome_names(frame: Table, roles: Roles, key: str | None) -> dict[str, str]:
    """Column of the truth, or of time and event."""
    time = roles.time or named(frame, "time")
    event = roles.event or named(frame, "event")
    if time and event and roles.truth is None and named(frame, "truth") is None:
        pair = {"time": column_of(frame, time, "--time")}
        return pair | {"event": column_of(frame, event, "--event")}
    return {"truth": _single(frame, "truth", roles.truth, {key})}


def _single(frame: Table, role: str, by_hand: str | None, keys: set[str | None]) -> str:
    """Return the one column that plays a role: by hand, by name, or as the only one there is."""
    if by_hand is not None and by_hand in frame.names:
        return by_hand
    rest = [name for name in frame.names if name not in keys]
    by_name = named(frame, role)
    if by_name in rest:
        return by_name
    if len(rest) == 1:
        return rest[0]
    if by_hand is not None:
        return column_of(frame, by_hand, f"--{role}")
    raise InputError(
        f"no single column is the {role}: {listing(frame.names, 8)}",
        path=frame.path,
        hint=f"name it `{role}`, or give --{role} NAME",
    )


def _entries(frame: Table, key: str | None, places: Places, row_id: Column | None) -> IntArray:
    """(n_rows,) row of the separate file for each row of the predictions."""
    if key is not None and row_id is not None:
        return _joined(frame.column(key), row_id)
    refuse_disorder([frame], beside_another=True)
    n_rows = len(places.samples)
    if frame.n_rows == n_rows:
        return np.arange(n_rows)
    if frame.n_rows == places.n_samples:
        return places.samples
    raise InputError(
        f"has {frame.n_rows} rows, the predictions have {n_rows}",
        path=frame.path,
        hint="one row per sample under a header line, or a column `row_id` in both files",
    )


def _joined(key: Column, row_id: Column) -> IntArray:
    """(n_rows,) entry of `key` that equals each entry of `row_id`."""
    import pyarrow.compute as pc

    key.present("row_id", hint="give every row the key of its sample")
    codes, _ = key.codes()
    again = repeated(codes)
    if len(again):
        raise key.fault("row_id occurs twice", int(again[0]), hint="one row per sample")
    ours, theirs = _comparable(row_id.values, key.values)
    unknown = np.flatnonzero(null_mask(pc.index_in(theirs, ours)))
    if len(unknown):
        raise key.fault(
            "row_id is not among the predictions", int(unknown[0]), hint="remove the row"
        )
    found = pc.index_in(ours, theirs)
    missing = np.flatnonzero(null_mask(found))
    if len(missing):
        raise row_id.fault(
            f"row_id is not in {key.path}", int(missing[0]), hint=f"add the sample to {key.path}"
        )
    return to_codes(found)


def _comparable(ours: pa.Array, theirs: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Cast keys of two files to one type: whole numbers where both are, else text."""
    import pyarrow as pa

    try:
        return ours.cast(pa.int64()), theirs.cast(pa.int64())
    except pa.ArrowException:
        return ours.cast(pa.string()), theirs.cast(pa.string())


def _is_ragged(frame: Table, roles: Roles) -> bool:
    """Several columns, none of which is called fold or key, and nothing but numbers."""
    by_hand = {roles.fold, roles.row_id} & set(frame.names)
    by_name = {*NAMES["fold"], *NAMES["row_id"]} & {name.casefold() for name in frame.names}
    if len(frame.names) < 2 or by_hand or by_name:
        return False
    return not any(_is_other(kind) for kind in frame.shown.schema.types)


def _is_other(kind: pa.DataType) -> bool:
    """Whether a plain type is neither numeric nor empty."""
    import pyarrow as pa

    types = pa.types
    return not (types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind))


def _ragged(frame: Table, places: Places) -> Column:
    """Fold of each row, from a table with one row per fold."""
    cells = np.column_stack([to_numbers(column) for column in frame.shown.columns])
    fold, place = np.nonzero(~np.isnan(cells))
    positions = cells[fold, place]
    n_samples = places.n_samples
    if len(positions) != n_samples or places.n_repeats > 1:
        wanted = f"{n_samples} samples in {places.n_repeats} repeat(s)"
        raise InputError(
            f"has {len(positions)} sample positions, the predictions have {wanted}",
            path=frame.path,
            hint="one row per fold with the positions of its samples, each sample once; "
            "or one column named `fold`",
        )
    wrong = ~np.isin(positions, np.arange(n_samples))
    _, first = np.unique(positions, return_index=True)
    twice = np.ones(n_samples, dtype=bool)
    twice[first] = False
    for problem, marked in (("no sample position", wrong), ("a sample position twice", twice)):
        if marked.any():
            at = int(np.argmax(marked))
            raise InputError(
                f"cell is {problem}",
                path=frame.path,
                row=int(fold[at]),
                column=frame.names[place[at]],
                value=float(positions[at]),
                hint=f"positions run from 0 to {n_samples - 1}, each in one fold",
            )
    order = np.argsort(positions)
    folds = fold[order][places.samples]
    return Column(frame.path, "fold", as_arrow(folds), folds)
