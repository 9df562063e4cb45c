"""Columns that are not predictions but the truth itself, under whatever labels."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial

import numpy as np

from bbccli.core.notes import listing
from bbccli.core.outcome import Outcome
from bbccli.errors import InputError
from bbccli.readers.predictions import Values
from bbccli.types import BoolArray, FloatArray, IntArray, Task, distinct

FEWEST_SAMPLES = 10
"""Samples from which on a column that equals the truth is neither luck nor a toy."""

MOST_NAMED = 10
"""Configurations that a hint names, each by an option."""

_GLANCE = 32
"""Rows of each class, or of all, that are looked at before a column is compared as a whole."""

_TOLERANCE = {4: 1e-6, 8: 1e-9}
"""Relative difference of values that are the same, by the bytes of a number."""


def equal_to_truth(predictions: Values, outcome: Outcome) -> IntArray:
    """Return the configurations whose predictions are the truth.

    Of classes, these have one value per class, and another for each: labels, the indicator of a
    class, or any other code. Of two classes that of the positive one is the larger: the inverse of
    the truth is no copy, and what leaves one out and predicts the share of the others is just that.
    Of values and times they are these very values (of a time also its
    negative, or the event); of class columns they are 1 for the true class and 0 elsewhere.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), finite.
    outcome
        Truth of the N samples.
    """
    array, available = predictions.array, predictions.available
    if len(outcome) < FEWEST_SAMPLES:
        return np.zeros(0, np.int64)
    truths = [truth for truth in _truths(outcome) if truth.min() < truth.max()]
    same = partial(_equal, rising=outcome.task is Task.BINARY)
    possible = np.ones(array.shape[2], bool)
    if available is None:
        possible = np.any([same(*glance(array[0], truth)) for truth in truths], axis=0)
    found = []
    for c in np.flatnonzero(possible):
        there = np.ones(array.shape[:2], bool) if available is None else available[:, :, c]
        _, samples = np.nonzero(there)
        column = array[:, :, [c]][there]
        if any(same(column, truth[samples])[0] for truth in truths):
            found.append(c)
    return np.array(found, np.int64)


def refuse_copies(names: Sequence[str], copies: IntArray, known: Container[str], path: str) -> None:
    """Refuse configurations that are the truth, unless they are known to be such.

    Raises
    ------
    InputError
        Says how to keep them.
    """
    refused = [names[c] for c in copies.tolist() if names[c] not in known]
    if refused:
        leave_out = " ".join(f"--exclude {name!r}" for name in refused)
        if len(refused) > MOST_NAMED:
            leave_out = f"--exclude, which takes patterns, for these {len(refused)}"
        keep = "--only '*' if models are always right"
        raise InputError(
            f"equal to the truth in every row: {listing(refused)}",
            path=path,
            hint=keep if len(refused) == len(names) else f"{leave_out}; or {keep}",
        )


def _truths(outcome: Outcome) -> list[FloatArray | IntArray]:
    """(N,) codes of classes, or values: all that a column could be a copy of."""
    if outcome.event is None:
        return [outcome.values]
    return [outcome.values, -outcome.values, outcome.event.astype(np.int64)]


def glance(
    array: FloatArray, truth: FloatArray | IntArray
) -> tuple[FloatArray, FloatArray | IntArray]:
    """A few of the rows (N, C) or (N, C, K), and the truth of them."""
    rows = np.arange(min(_GLANCE, len(truth)))
    if _is_coded(truth):
        rows = np.concatenate([np.flatnonzero(truth == k)[:_GLANCE] for k in _classes(truth)])
    return array[rows], truth[rows]


def _equal(columns: FloatArray, truth: FloatArray | IntArray, *, rising: bool) -> BoolArray:
    """(C,) whether columns (n, C) or (n, C, K) are the truth (n,), codes in rising order or any."""
    if columns.ndim == 3:
        own = truth[:, None] == np.arange(columns.shape[2])
        return np.asarray((columns == own[:, None, :]).all(axis=(0, 2)))
    if not _is_coded(truth):
        apart = np.abs(columns - truth[:, None])
        largest = np.maximum(np.abs(columns), np.abs(truth[:, None]))
        return np.asarray((apart <= _TOLERANCE[columns.itemsize] * largest).all(axis=0))
    parts = [columns[truth == k] for k in _classes(truth)]
    if len(parts) < 2:
        return np.zeros(columns.shape[1], bool)
    lowest = np.stack([part.min(axis=0) for part in parts])
    highest = np.stack([part.max(axis=0) for part in parts])
    apart = np.diff(lowest if rising else np.sort(lowest, axis=0), axis=0)
    return np.asarray((lowest == highest).all(axis=0) & (apart > 0).all(axis=0))


def _classes(truth: FloatArray | IntArray) -> list[int]:
    """Codes that occur."""
    return [int(k) for k in distinct(truth.astype(np.int64))]


def _is_coded(truth: FloatArray | IntArray) -> bool:
    """True if the truth is a class rather than a value."""
    return truth.dtype.kind == "i"
