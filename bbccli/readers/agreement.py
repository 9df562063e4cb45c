"""Whether a sample has the same value wherever it stands, up to rounding."""

from __future__ import annotations

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import to_numbers
from bbccli.readers.frame import Column
from bbccli.types import IntArray

ROUNDING = 1e-9
"""Relative difference up to which two numbers are one that was written with other digits."""


def differing(column: Column, reference: IntArray) -> tuple[IntArray, float]:
    """Return the entries that differ from another one, and how far others are but rounded.

    Parameters
    ----------
    column : (n,)
        Values, none missing.
    reference : (n,)
        Entry that each one should equal.

    Returns
    -------
    differing
        Entries that differ.
    rounding
        Largest relative difference that counts as none; 0 where all others are equal.
    """
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


def disagreement(
    column: Column, entries: IntArray, reference: IntArray, problem: str, hint: str
) -> InputError:
    """Build the error about the first of some entries that differ: it names both values."""
    other = int(reference[entries[0]])
    path, _, row = column.place(other)
    there = f"row {row} of {path} has {column.values[other].as_py()!r} for the same key"
    return column.fault(problem, entries, hint=f"{there}: {hint}")
