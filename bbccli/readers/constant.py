"""Values of a sample that are the same wherever it stands, up to rounding."""

from __future__ import annotations

import numpy as np

from bbccli.readers.arrow import to_numbers
from bbccli.readers.column import Column
from bbccli.types import IntArray

ROUNDING = 1e-9
"""Relative difference up to which two numbers are one that was written with other digits."""


def check_constant(column: Column, reference: IntArray, problem: str, hint: str) -> float:
    """Refuse values that differ from another one.

    Parameters
    ----------
    column : (n,)
        Values, none missing.
    reference : (n,)
        Entry that each one should equal.
    problem, hint
        What to say where one does not.

    Returns
    -------
    float
        Largest relative difference that counts as rounding; 0 where all are equal.

    Raises
    ------
    InputError
        The first entry that differs; names both values.
    """
    varies, rounding = _differing(column, reference)
    if not len(varies):
        return rounding
    other = int(reference[varies[0]])
    path, _, row = column.place(other)
    there = f"row {row} of {path} has {column.values[other].as_py()!r} for the same key"
    raise column.fault(problem, varies, hint=f"{there}: {hint}")


def _differing(column: Column, reference: IntArray) -> tuple[IntArray, float]:
    """Return the entries that differ from another one, and how far others are but rounded."""
    import pyarrow as pa

    codes, _ = column.codes()
    varies = np.flatnonzero(codes != codes[reference])
    if not len(varies) or not pa.types.is_floating(column.values.type):
        return varies, 0.0
    numbers = to_numbers(column.values).astype(np.float64)
    ours, theirs = numbers[varies], numbers[reference[varies]]
    with np.errstate(invalid="ignore"):  # infinite values are refused elsewhere
        apart = np.abs(ours - theirs) / np.maximum(np.abs(ours), np.abs(theirs))
    small = apart <= ROUNDING
    return varies[~small], float(apart[small].max(initial=0.0))
