"""Columns taken for configurations that are unlikely to be: a seed, an age, a fold, a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.classes import SUM_TOLERANCE
from bbccli.readers.predictions import Values
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task, distinct

_GLANCE = 64
"""Rows that are looked at before a configuration is looked at as a whole."""

_MOST_CELLS = 1_000_000
"""Cells that a median is taken of; of larger matrices, evenly spaced samples."""

_CELLS = 2**16
"""Cells that are looked at together."""

_FEWEST_SAMPLES = 20
"""Samples from which on an order of whole numbers is not an accident."""

_FEWEST_PER_FOLD = 3
"""Samples per fold from which on one value per fold is not an accident."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What makes configurations strange, each by itself: (C,) bool; one is marked once at most.

    Attributes
    ----------
    constant, by_fold
        One value for all samples; a number of the fold or of the row.
    outside
        Elsewhere than the truth, or no probability; whatever the others are.
    """

    constant: BoolArray
    by_fold: BoolArray
    outside: BoolArray


def marks(
    predictions: Values,
    outcome: Outcome,
    folds: IntArray | None,
    named: frozenset[str],
    n_cells: int,
) -> Marks:
    """Return what makes some configurations strange; a repeat has so many cells in all."""
    known = _known(predictions, named)
    constant = np.zeros_like(known)
    if predictions.kind is not PredictionKind.LABEL:
        constant = _checked(predictions.array, _constant, ~known)
    by_fold = _by_fold(predictions, outcome, folds, ~(known | constant))
    return Marks(constant, by_fold, _outside(predictions, outcome, n_cells))


def on_marks(
    predictions: Values, outcome: Outcome, found: Marks, named: frozenset[str]
) -> Iterator[Note]:
    """Yield a note for each kind of mark that the configurations have."""
    names = predictions.configurations
    if found.constant.any():
        yield remarks.constant_predictions(_some(names, found.constant))
    if found.by_fold.any():
        yield remarks.fold_like(_some(names, found.by_fold))
    off, scale = _off_scale(found.outside, outcome)
    off &= ~(_known(predictions, named) | found.constant | found.by_fold)
    if off.any():
        low, high = _range(predictions.array[:, :, [int(np.argmax(off))]])
        yield remarks.off_scale(_some(names, off), f"{low:.6g} to {high:.6g}", scale)


def _known(predictions: Values, named: frozenset[str]) -> BoolArray:
    return np.array([name in named for name in predictions.configurations])


def _some(names: tuple[str, ...], chosen: BoolArray) -> list[str]:
    return [name for name, there in zip(names, chosen, strict=True) if there]


def _checked(
    array: FloatArray, test: Callable[[FloatArray], BoolArray], among: BoolArray
) -> BoolArray:
    """(C,) which configurations pass a test of columns (n, C'), that a glance can fail."""
    flat = array.reshape(-1, *array.shape[2:])
    passed = among & test(flat[:: max(1, len(flat) // _GLANCE)])
    columns, step = np.flatnonzero(passed), max(_CELLS // max(len(flat), 1), 1)
    for start in range(0, len(columns), step):
        chosen = columns[start : start + step]
        passed[chosen] = test(flat[:, chosen])
    return passed


def _constant(columns: FloatArray) -> BoolArray:
    """(C,) whether all entries of columns (n, C) or (n, C, K) are those of the first row."""
    same = np.asarray((columns == columns[:1]).all(axis=0))
    return np.asarray(same.all(axis=1)) if same.ndim == 2 else same


def _by_fold(
    predictions: Values, outcome: Outcome, folds: IntArray | None, among: BoolArray
) -> BoolArray:
    """(C,) which configurations hold a number of the fold or of the row."""
    array = predictions.array
    if array.ndim == 4:
        return np.zeros(array.shape[2], bool)
    found = np.zeros(array.shape[2], bool)
    if folds is not None and array.shape[1] >= _FEWEST_PER_FOLD * (int(folds.max()) + 1):
        found = _constant_in_folds(predictions, outcome, folds, among)
    if array.shape[1] >= _FEWEST_SAMPLES:
        found |= _checked(array[:1], _in_order, among & ~found)
        whole = np.flatnonzero(_checked(array[:1], _whole, among & ~found))
        again = array[0, 1 : array.shape[1] // 2 + 1, whole] == array[0, :1, whole]
        # values that come again at once, as labels do, have no period
        apart = array[0, 1, whole] != array[0, 2, whole]
        for c in whole[again.any(axis=1) & (again.argmax(axis=1) > 1) & apart]:
            found[c] = _periodic(array[0, :, c])
    return found


def _constant_in_folds(
    predictions: Values, outcome: Outcome, folds: IntArray, among: BoolArray
) -> BoolArray:
    """(C,) which have one value in each fold of each repeat, and not that of a plain baseline.

    The baselines are the share of the positive class, the mean and the median of the other folds.
    Of labels, each fold has its own.
    """
    array = predictions.array
    first = np.flatnonzero(folds[0] == folds[0, 0])[:_GLANCE]
    found = among & _constant(array[0, first])
    if not found.any():
        return found
    cells = np.arange(len(folds))[:, None] * (int(folds.max()) + 1) + folds
    parts = [cells == cell for cell in distinct(cells)]
    for c in np.flatnonzero(found):
        column = array[:, :, [c]]
        values = np.array([column[part][0, 0] for part in parts])
        steady = all(bool(_constant(column[part])[0]) for part in parts)
        n_values = len(np.unique(values))
        labelled = predictions.kind is PredictionKind.LABEL and n_values < max(3, len(parts))
        found[c] = (
            steady and n_values > 1 and not labelled and not _baseline(values, parts, outcome)
        )
    return found


def _baseline(values: FloatArray, parts: list[BoolArray], outcome: Outcome) -> bool:
    """True if there is one value per fold, and it summarises the outcome of the other folds."""
    if outcome.event is not None:
        return False
    truth = outcome.values.astype(float)
    others = [~part.any(axis=0) for part in parts]
    for summary in (np.mean, np.median):
        expected = [summary(truth[rows]) if rows.any() else np.nan for rows in others]
        if np.allclose(values, expected, rtol=1e-3, atol=0):
            return True
    return False


def _in_order(columns: FloatArray) -> BoolArray:
    """(C,) whether columns (n, C) are three whole numbers or more that only rise or only fall."""
    steps = np.diff(columns, axis=0)
    ordered = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
    return np.asarray(_whole(columns) & ordered & ((steps != 0).sum(axis=0) >= 2))


def _whole(columns: FloatArray) -> BoolArray:
    """(C,) whether all entries of columns (n, C) are whole numbers."""
    return np.asarray((columns == np.rint(columns)).all(axis=0))


def _periodic(column: FloatArray) -> bool:
    """True if three or more different numbers of a column (n,) come again and again, as 0 1 2 0."""
    again = np.flatnonzero(column == column[0])
    period = int(again[1]) if len(again) > 1 else len(column)
    if period < 3 or 2 * period > len(column) or len(np.unique(column[:period])) < period:
        return False
    return bool((column[period:] == column[:-period]).all())


def _outside(predictions: Values, outcome: Outcome, n_cells: int) -> BoolArray:
    """(C,) which configurations lie elsewhere than the truth, or are no probabilities."""
    array, kind = predictions.array, predictions.kind
    if outcome.task is Task.REGRESSION:
        step = -(-n_cells // _MOST_CELLS)
        medians = np.median(array[0, ::step], axis=0)
        low, high = outcome.values.min(), outcome.values.max()
        return np.asarray(((medians < low) | (medians > high)) & (low < high))
    if kind is not PredictionKind.SCORE or not outcome.task.is_classification:
        return np.zeros(array.shape[2], bool)
    axes = (0, 1) if array.ndim == 3 else (0, 1, 3)
    proper = (array.min(axis=axes) >= 0) & (array.max(axis=axes) <= 1)
    if array.ndim == 4:
        proper &= (np.abs(array.sum(axis=3) - 1) <= SUM_TOLERANCE).all(axis=(0, 1))
    return np.asarray(~proper)


def _off_scale(outside: BoolArray, outcome: Outcome) -> tuple[BoolArray, str]:
    """(C,) which configurations lie elsewhere than the others or the truth; and where these lie."""
    if outcome.task is Task.REGRESSION:
        low, high = outcome.values.min(), outcome.values.max()
        return outside.copy(), f"the truth is {low:.6g} to {high:.6g}"
    n_outside = int(outside.sum())
    n_proper = len(outside) - n_outside
    if n_proper < n_outside:
        return np.zeros_like(outside), ""
    return outside.copy(), f"{n_proper} configurations are probabilities; now all count as scores"


def _range(column: Any) -> tuple[float, float]:
    return float(column.min()), float(column.max())
