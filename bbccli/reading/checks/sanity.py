"""Sanity checks of predictions: of each configuration, part by part, then of all together.

Some columns are unlikely to be configurations: a seed, an age, a fold, a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from hashlib import blake2b

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.notes import Note, of_data
from bbccli.reading.arrow import SUM_TOLERANCE
from bbccli.reading.checks.direction import check_polarity, on_turned, ranks_of, z_of_each
from bbccli.reading.checks.leakage import on_perfection, ordering_signs
from bbccli.reading.predictions import Values
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task, distinct

_GLANCE = 64
"""Rows checked before a whole configuration."""

_MOST_CELLS = 1_000_000
"""Cells used for a median; larger matrices give evenly spaced samples."""

_CELLS = 2**16
"""Cells checked together."""

_FEWEST_SAMPLES = 20
"""From this many samples on, a sequence of integers is not an accident."""

_FEWEST_APART = 5
"""From this many samples on, a value of the truth far from all others is no accident."""

_FEWEST_PER_FOLD = 3
"""From this many samples per fold on, one value per fold is not an accident."""

_PREFIX = 16
"""Rows whose predictions tell most configurations apart."""


def notes_on(
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    known: Container[str],
    copied: BoolArray,
    keys: Iterable[bytes],
) -> Iterator[Note]:
    """Yield notes on columns unlikely to be predictions, on polarity and on duplicates.

    `known` are configurations named by hand; `copied` (C,) those that are `equal_to_truth`; `keys`
    are `keys_of_predictions` all.
    """
    names, ranks = values.configurations, ranks_of(values, outcome)
    named = np.array([name in known for name in names])
    constant = np.zeros_like(named)
    if values.kind is not PredictionKind.LABEL:
        constant = _checked(values.array, _constant, ~named)
    by_fold = _by_fold(values, outcome, folds, ~(named | constant))
    for note, which in (
        (of_data.equals_truth, copied),
        (of_data.constant_predictions, constant),
        (of_data.fold_like, by_fold),
    ):
        if which.any():
            yield note([names[c] for c in np.flatnonzero(which)])
    off, scale = _outside(values, outcome)
    off = off & ~(named | constant | by_fold)
    if off.any():
        first: FloatArray = values.array[:, :, [int(np.argmax(off))]]
        extent = f"{float(first.min()):.6g} to {float(first.max()):.6g}"
        yield of_data.off_scale([names[c] for c in np.flatnonzero(off)], extent, scale)
    yield from _on_apart(outcome)
    ordered = ordering_signs(values, outcome, folds)
    perfect = tuple(on_perfection(values, outcome, ordered, copied))
    reversed_ = tuple(check_polarity(values, outcome, ranks))
    yield from (*perfect, *reversed_)
    if not reversed_:
        standing = z_of_each(values, outcome, folds, ranks)
        standing[(ordered < 0) & bool(perfect)] = np.nan  # already told
        yield from on_turned(values, outcome, standing, folds)
    yield from duplicates(names, keys)


def duplicates(names: tuple[str, ...], keys: Iterable[bytes]) -> Iterator[Note]:
    """Yield a note if some keys, and so the predictions of these configurations, are equal."""
    pairs = earlier_equals(keys)
    if pairs:
        later = min(pairs, key=lambda pair: (pairs[pair], pair))
        yield of_data.duplicate_configurations(len(pairs), (names[pairs[later]], names[later]))


def earlier_equals(keys: Iterable[bytes]) -> dict[int, int]:
    """Return the position of each repeated key, and that of its first occurrence."""
    seen: dict[bytes, int] = {}
    first = [seen.setdefault(key, position) for position, key in enumerate(keys)]
    return {later: earlier for later, earlier in enumerate(first) if earlier != later}


def keys_of_predictions(array: FloatArray) -> list[bytes]:
    """Return keys of the configurations of (R, N, C[, K]): equal for equal predictions."""
    starts = [rows.tobytes() for rows in np.moveaxis(array[:, :_PREFIX], 2, 0)]
    often = Counter(starts)
    return [
        start if often[start] == 1 else blake2b(array[:, :, c].tobytes(), digest_size=16).digest()
        for c, start in enumerate(starts)
    ]


def _checked(
    array: FloatArray, test: Callable[[FloatArray], BoolArray], among: BoolArray
) -> BoolArray:
    """(C,) True for configurations that pass a test of columns (n, C'), which a glance can fail."""
    flat = array.reshape(-1, *array.shape[2:])
    passed = among & test(flat[:: max(1, len(flat) // _GLANCE)])
    columns, step = np.flatnonzero(passed), max(_CELLS // max(len(flat), 1), 1)
    for start in range(0, len(columns), step):
        chosen = columns[start : start + step]
        passed[chosen] = test(flat[:, chosen])
    return passed


def _constant(columns: FloatArray) -> BoolArray:
    """(C,) True if all entries of columns (n, C) or (n, C, K) equal those of the first row."""
    same = np.asarray((columns == columns[:1]).all(axis=0))
    return np.asarray(same.all(axis=1)) if same.ndim == 2 else same


def _by_fold(
    predictions: Values, outcome: Outcome, folds: IntArray | None, among: BoolArray
) -> BoolArray:
    """(C,) True for configurations that hold a number of the fold or of the row."""
    array = predictions.array
    suspect = np.zeros(array.shape[2], bool)
    labels = predictions.kind is PredictionKind.LABEL and outcome.task is Task.BINARY
    if array.ndim == 4 or labels:
        return suspect
    if folds is not None and array.shape[1] >= _FEWEST_PER_FOLD * (int(folds.max()) + 1):
        suspect = _constant_in_folds(predictions, outcome, folds, among)
    if array.shape[1] >= _FEWEST_SAMPLES:
        suspect |= _checked(array[:1], _in_order, among & ~suspect)
    return suspect


def _constant_in_folds(
    predictions: Values, outcome: Outcome, folds: IntArray, among: BoolArray
) -> BoolArray:
    """(C,) True if constant within each fold of each repeat, unless it is a plain baseline.

    Baselines are the prevalence, the mean and the median of the other folds. For labels, each fold
    must have its own value.
    """
    array = predictions.array
    first = np.flatnonzero(folds[0] == folds[0, 0])[:_GLANCE]
    constant = among & _constant(array[0, first])
    if not constant.any():
        return constant
    cells = np.arange(len(folds))[:, None] * (int(folds.max()) + 1) + folds
    parts = [cells == cell for cell in distinct(cells)]
    for c in np.flatnonzero(constant):
        column = array[:, :, c]
        values = np.array([column[part][0] for part in parts])
        steady = all((column[part] == v).all() for part, v in zip(parts, values, strict=True))
        n_values = len(np.unique(values))
        labelled = predictions.kind is PredictionKind.LABEL and n_values < max(3, len(parts))
        by_fold = steady and n_values > 1 and not labelled
        constant[c] = by_fold and not _baseline(values, parts, outcome)
    return constant


def _baseline(values: FloatArray, parts: list[BoolArray], outcome: Outcome) -> bool:
    """True for one value per fold that summarises the outcome of the other folds."""
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
    """(C,) True if columns (n, C) are three or more integers that only rise or only fall."""
    steps = np.diff(columns, axis=0)
    ordered = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
    whole = (columns == np.rint(columns)).all(axis=0)
    return np.asarray(whole & ordered & ((steps != 0).sum(axis=0) >= 2))


def _on_apart(outcome: Outcome) -> Iterator[Note]:
    """Yield a note on a value of the truth (N,) that recurs, farther from all others than these are
    from each other: -999 for a missing one.
    """
    values = outcome.values if outcome.task is Task.REGRESSION else np.zeros(1)
    for end in (values.min(), values.max()):
        others = values[values != end]
        if len(values) - len(others) >= _FEWEST_APART and len(distinct(others)) >= _FEWEST_SAMPLES:
            low, high = others.min(), others.max()
            if max(low - end, end - high) > high - low:
                span = f"{low:.6g} to {high:.6g}"
                yield of_data.truth_apart(f"{end:.6g}", len(values) - len(others), span)


def _outside(predictions: Values, outcome: Outcome) -> tuple[BoolArray, str]:
    """(C,) True for configurations outside the range of the truth, or that are no probabilities if
    most are; and that range.
    """
    array, kind = predictions.array, predictions.kind
    if outcome.task is Task.REGRESSION:
        medians = np.median(array[0, :: -(-array[0].size // _MOST_CELLS)], axis=0)
        low, high = outcome.values.min(), outcome.values.max()
        outside = ((medians < low) | (medians > high)) & (low < high)
        return np.asarray(outside), f"the truth is {low:.6g} to {high:.6g}"
    if kind is not PredictionKind.SCORE or not outcome.task.is_classification:
        return np.zeros(array.shape[2], bool), ""
    axes = (0, 1) if array.ndim == 3 else (0, 1, 3)
    proper = (array.min(axis=axes) >= 0) & (array.max(axis=axes) <= 1)
    if array.ndim == 4:
        proper &= (np.abs(array.sum(axis=3) - 1) <= SUM_TOLERANCE).all(axis=(0, 1))
    n_proper = int(proper.sum())
    few = 2 * n_proper >= len(proper)
    text = f"{n_proper} configurations are probabilities; now all count as scores"
    return np.asarray(~proper & few), text
