"""Keys of samples in two files: which entry of the one is which of the other.

Keys of one type are compared as they are. Where the types differ, as of 7 and "7", both are taken
as numbers, else as text; but never so that two keys of a file become one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.readers.arrow import null_mask, to_codes, to_numbers
from bbccli.readers.codes import by_appearance, repeated
from bbccli.readers.column import EXACT_INTEGERS, Column
from bbccli.readers.functions import apply, cast
from bbccli.readers.roles import NAMES
from bbccli.readers.table import Table
from bbccli.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa


def matching(key: Column, row_id: Column) -> IntArray:
    """(n_rows,) entry of `key`, which has each key once, that equals each entry of `row_id`.

    Raises
    ------
    InputError
        A key that is missing, occurs twice in `key` or in one file alone; or keys of two types
        of which two would become one.
    """
    import pyarrow.compute as pc

    key.present("row_id", hint="give every row the key of its sample")
    again = repeated(key.codes()[0])
    if len(again):
        raise key.fault("row_id occurs twice", again, hint="one row per sample")
    ours, theirs = _alike(row_id, key)
    unknown = np.flatnonzero(null_mask(pc.index_in(theirs, ours)))
    if len(unknown):
        hint = _near(key, int(unknown[0]), row_id) or "remove the row"
        raise key.fault("row_id is not among the predictions", unknown, hint=hint)
    found = pc.index_in(ours, theirs)
    missing = np.flatnonzero(null_mask(found))
    if len(missing):
        hint = _near(row_id, int(missing[0]), key) or f"add the sample to {key.path}"
        raise row_id.fault(f"row_id is not in {key.path}", missing, hint=hint)
    return to_codes(found)


def refuse_overlooked(table: Table, shared: Iterable[str], other: str, order: str) -> None:
    """Refuse a column of two files that seems to be their key, where rows would go by position.

    Parameters
    ----------
    table
        One of them.
    shared
        Columns that both have, and that are neither outcome nor fold.
    other
        The other one.
    order
        What else may be done, for the hint.

    Raises
    ------
    InputError
        A column that is called by no role, and whose values tell the rows apart.
    """
    roles = {name for names in NAMES.values() for name in names}
    for name in shared:
        column = table.column(name)
        if name.casefold() in roles or not (column.is_text or column.is_integer):
            continue
        codes, values = column.codes()
        if len(values) == len(codes) > 1:
            raise InputError(
                f"has a column {name!r}, as {other} has: is it the key of the samples?",
                path=table.path,
                hint=f"{parameter('row_id', name)}{order}",
            )


def _alike(ours: Column, theirs: Column) -> tuple[pa.Array, pa.Array]:
    """Keys of two files as one type."""
    import pyarrow as pa

    both = (ours, theirs)
    if ours.values.type == theirs.values.type:
        return ours.values, theirs.values
    if not all(keys.is_text for keys in both) and not any(keys.is_boolean for keys in both):
        for kind in (pa.int64(), pa.float64()):
            try:
                found = [_numbers(keys, kind) for keys in both]
            except pa.ArrowException:
                continue
            for keys, numbers in zip(both, found, strict=True):
                _refuse_merged(keys, numbers)
            return found[0], found[1]
    return cast(ours.values, pa.large_string()), cast(theirs.values, pa.large_string())


def _numbers(keys: Column, kind: pa.DataType) -> pa.Array:
    """Return keys as numbers of a type.

    Raises
    ------
    pa.ArrowException
        They are no such numbers.
    InputError
        Numbers that their own type does not hold exactly.
    """
    import pyarrow as pa

    if keys.is_text:
        cast(keys.values, pa.float64())  # which takes no hexadecimal numbers
    elif pa.types.is_floating(keys.values.type):
        inexact = np.flatnonzero(np.abs(to_numbers(keys.values)) > EXACT_INTEGERS)
        if len(inexact):
            raise keys.fault(
                "row_id has more digits than a float holds, and may stand for several keys",
                inexact,
                hint="store the keys as integers or text",
            )
    return cast(keys.values, kind)


def _refuse_merged(keys: Column, numbers: pa.Array) -> None:
    """Refuse two keys that are one number, such as 1 and 01."""
    codes, _ = keys.codes()
    merged = to_codes(apply("dictionary_encode", numbers).indices)
    _, first = by_appearance(merged)
    earlier = first[merged]
    wrong = np.flatnonzero(codes != codes[earlier])
    if len(wrong):
        other = int(earlier[wrong[0]])
        _, _, row = keys.place(other)
        raise keys.fault(
            f"row_id is the same number as {keys.values[other].as_py()!r} in row {row}",
            wrong,
            hint="store the keys as text in both files",
        )


def _near(keys: Column, entry: int, others: Column) -> str:
    """Say which key of the other file was probably meant; empty where none is close."""
    folded = str(keys.values[entry].as_py()).strip().casefold()
    for other in others.codes()[1].to_pylist():
        if str(other).strip().casefold() == folded:
            return f"{others.path} has {other!r}: keys must be the same to the letter"
    return ""
