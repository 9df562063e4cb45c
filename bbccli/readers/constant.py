"""Values of a sample that are the same wherever it stands, up to how they were written."""

from __future__ import annotations

import numpy as np

from bbccli.readers.arrow import to_numbers
from bbccli.readers.column import Column
from bbccli.types import BoolArray, FloatArray, IntArray

ROUNDING = 1e-9
"""Relative difference up to which two numbers are one that was written with other digits."""

_SINGLE = float(np.finfo(np.float32).eps)
_NOISE = 4 * float(np.finfo(np.float64).eps)
"""Of the mean absolute value of a column: what is left of 0 where it was scaled and scaled back."""


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
        The first sample of which values differ; names the one that most others contradict, else
        the later one, and both values.
    """
    import pyarrow as pa

    codes, _ = column.codes()
    values = codes.astype(np.float64)
    real = pa.types.is_floating(column.values.type) and bool((codes != codes[reference]).any())
    if real:
        values = to_numbers(column.values).astype(np.float64)
    files = np.searchsorted([one.start for one in column.origins], column.rows, "right")
    varies, rounding = differing(values, reference, files if real else None)
    if not len(varies):
        return rounding
    odd, other = odd_one(values, reference, int(varies[0]))
    path, _, row = column.place(other)
    there = f"row {row} of {path} has {column.values[other].as_py()!r} for the same key"
    rest = varies[reference[varies] != reference[odd]]
    raise column.fault(problem, np.append(odd, rest), hint=f"{there}: {hint}")


def differing(
    values: FloatArray, reference: IntArray, files: IntArray | None
) -> tuple[IntArray, float]:
    """Find the values that differ from another one by more than how they were written.

    Numbers are equal if they differ by 1e-9 of the larger one; by the precision of float32, where
    one of the two files holds nothing else; or by the rounding errors of numbers of the column's
    size. Whole numbers that differ are never equal in double precision.

    Parameters
    ----------
    values : (n,)
        Numbers, or codes.
    reference : (n,)
        Entry that each one should equal.
    files : (n,), optional
        File that each one is from; None for codes, which are equal or not.

    Returns
    -------
    entries
        Those that differ.
    rounding
        Largest difference that counts as rounding, relative to the larger value, or to the mean
        absolute value of the column where that is more.
    """
    varies = np.flatnonzero(values != values[reference])
    if not len(varies) or files is None:
        return varies, 0.0
    ours, theirs = values[varies], values[reference[varies]]
    single = _single(values, files)
    either = single[files[varies]] | single[files[reference[varies]]]
    mean = float(np.abs(values[np.isfinite(values)]).mean())
    with np.errstate(invalid="ignore"):  # infinite values are refused elsewhere
        size, apart = np.maximum(np.abs(ours), np.abs(theirs)), np.abs(ours - theirs)
        small = (apart <= np.where(either, _SINGLE, ROUNDING) * size) | (apart <= _NOISE * mean)
        whole = (ours == np.round(ours)) & (theirs == np.round(theirs))
        small &= ~whole | either
        relative = apart / np.maximum(size, mean)
    return varies[~small], float(relative[small].max(initial=0.0))


def _single(values: FloatArray, files: IntArray) -> BoolArray:
    """(F,) whether each file holds nothing but numbers of float32."""
    with np.errstate(over="ignore"):
        exact = values.astype(np.float32) == values
    return np.asarray(np.bincount(files, ~exact, minlength=int(files.max()) + 1) == 0)


def odd_one(values: FloatArray, reference: IntArray, entry: int) -> tuple[int, int]:
    """Return which value of a sample is contradicted by most others, and one of these.

    Parameters
    ----------
    values, reference : (n,)
        As for `differing`.
    entry
        One that differs from its reference.
    """
    there = np.flatnonzero(reference == reference[entry])
    own = values[there]
    near = np.abs(own[:, None] - own) < abs(values[entry] - values[reference[entry]]) / 2
    votes = near.sum(axis=1)
    most = there[int(np.argmax(votes))]
    if votes.max() == votes[there == reference[entry]].max():
        return entry, int(reference[entry])
    far = np.abs(own - values[most]) >= abs(values[entry] - values[reference[entry]]) / 2
    return int(there[far][0]), int(most)
