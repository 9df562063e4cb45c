"""Leakage: columns that equal the truth, are always right as no other is, or mark answers; and rows
that models were fitted on.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import partial
from itertools import compress
from math import log, sqrt
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.errors import InputError
from bbccli.metrics.kernels.pairs import area, hanley_mcneil_variance
from bbccli.notes import Note, listing, of_data
from bbccli.reading.predictions import Values
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task, distinct

ERRORS = 3
"""Standard errors below 1 from which the best of the others is imperfect beyond chance."""

CORRELATED = 0.95
"""Correlation with the truth below which the best of the others does not come near."""

NEARLY_EQUAL = 0.9999
"""Correlation from which a column is the truth but for a little noise: 1.4% of its spread."""

FEWEST_SAMPLES = 10
"""From this many samples on, a column that equals the truth is not luck or a toy."""

MOST_NAMED = 10
"""Configurations that a hint names one by one."""

WORSE, CELLS = 1.5, 2**21
"""Times by which a fitted model errs more on samples it has not seen; and the numbers looked at."""

FEWEST_IN_PART = 20
"""Fewest samples of a part."""

CLEAR, STEADY = 6, 4
"""Standard errors from which the means of two parts differ; and up to which nothing changes."""

FAR = (2, 10)
"""Times by which most err more in a part of the rows, by probabilities or values, and by labels,
which for training rows are almost always right.
"""

ONE_SIZE, FEWEST_MARKS = 0.4, 50
"""Least share and number of either class where predictions may be marks, as their means tell."""

_GLANCE = 32
"""Rows of each class, or in all, checked before a whole column is compared."""

_TOLERANCE = {4: 1e-6, 8: 1e-9}
"""Relative difference of equal values, by the bytes of a number."""


def equal_to_truth(predictions: Values, outcome: Outcome) -> BoolArray:
    """Return which configurations (C,) predict the truth itself, under whatever labels.

    For classes: one distinct value per class, such as labels, the indicator of a class, or any
    other code. For two classes the value of the positive one must be larger: the inverse of the
    truth is not a copy, but what leave-one-out makes of the mean of the others. For values and
    times: these very values (for a time also its negative, or the event). For class columns: 1 for
    the true class and 0 elsewhere. `predictions` are (R, N, C[, K]), finite.
    """
    array, available = predictions.array, predictions.available
    equal = np.zeros(array.shape[2], bool)
    if len(outcome) < FEWEST_SAMPLES:
        return equal
    truths: list[FloatArray | IntArray] = [outcome.values]
    if outcome.event is not None:
        truths += [-outcome.values, outcome.event.astype(np.int64)]
    truths = [truth for truth in truths if truth.min() < truth.max()]
    same = partial(_equal, rising=outcome.task is Task.BINARY)
    possible = np.ones(array.shape[2], bool)
    if available is None:
        possible = np.any([same(*_glance(array[0], truth)) for truth in truths], axis=0)
    for c in np.flatnonzero(possible):
        there = np.ones(array.shape[:2], bool) if available is None else available[:, :, c]
        _, samples = np.nonzero(there)
        column = array[:, :, [c]][there]
        equal[c] = any(same(column, truth[samples])[0] for truth in truths)
    return equal


def refuse_copies(names: Sequence[str], copies: BoolArray, known: Container[str]) -> None:
    """Refuse configurations that equal the truth, unless they are known to be configurations."""
    refused = [names[c] for c in np.flatnonzero(copies).tolist() if names[c] not in known]
    if refused:
        leave_out = "use " + " ".join(f"--exclude {name!r}" for name in refused)
        if len(refused) > MOST_NAMED:
            leave_out = f"use --exclude for these {len(refused)}, by patterns"
        keep = "use --only '*' if the models really are always right"
        raise InputError(
            f"equal to the truth in every row: {listing(refused)}",
            hint=keep if len(refused) == len(names) else f"{leave_out}; or {keep}",
        )


def _glance(
    array: FloatArray, truth: FloatArray | IntArray
) -> tuple[FloatArray, FloatArray | IntArray]:
    """Return a few rows (N, C) or (N, C, K), and their truth."""
    rows = np.arange(min(_GLANCE, len(truth)))
    if truth.dtype.kind == "i":
        rows = np.concatenate([np.flatnonzero(truth == k)[:_GLANCE] for k in distinct(truth)])
    return array[rows], truth[rows]


def _equal(columns: FloatArray, truth: FloatArray | IntArray, *, rising: bool) -> BoolArray:
    """(C,) True if columns (n, C) or (n, C, K) equal the truth (n,), coded in rising or any
    order.
    """
    if columns.ndim == 3:
        is_class = truth[:, None] == np.arange(columns.shape[2])
        return np.asarray((columns == is_class[:, None, :]).all(axis=(0, 2)))
    if truth.dtype.kind != "i":
        apart = np.abs(columns - truth[:, None])
        largest = np.maximum(np.abs(columns), np.abs(truth[:, None]))
        return np.asarray((apart <= _TOLERANCE[columns.itemsize] * largest).all(axis=0))
    parts = [columns[truth == k] for k in distinct(truth)]
    if len(parts) < 2:
        return np.zeros(columns.shape[1], bool)
    lowest = np.stack([part.min(axis=0) for part in parts])
    highest = np.stack([part.max(axis=0) for part in parts])
    apart = np.diff(lowest if rising else np.sort(lowest, axis=0), axis=0)
    return np.asarray((lowest == highest).all(axis=0) & (apart > 0).all(axis=0))


def ordering_signs(values: Values, outcome: Outcome, folds: IntArray | None = None) -> IntArray:
    """Return 1 for configurations (C,) that order all samples like the truth, -1 for the reverse,
    else 0.

    For labels, which are copies or never right, only -1. Means of the other samples' truth are
    reversed by construction, and get 0. `values` are (R, N, C[, K]), of which the first repeat
    is used.
    """
    array, truth = values.array[0], outcome.values
    signs, labels = np.zeros(array.shape[1], np.int64), values.kind is PredictionKind.LABEL
    untold = outcome.task is Task.SURVIVAL or (labels and outcome.task is not Task.BINARY)
    if untold or not len(truth) or truth.min() == truth.max():
        return signs
    possible = _ordered(*_glance(array, truth), outcome.task)
    for c in np.flatnonzero(possible).tolist():
        signs[c] = _ordered(array[:, [c]], truth, outcome.task)[0]
        others = leaves_one_out(array[:, c], outcome, values.kind, folds)
        if (labels and signs[c] > 0) or (signs[c] < 0 and others):
            signs[c] = 0
    return signs


def leaves_one_out(
    column: FloatArray, outcome: Outcome, kind: PredictionKind, folds: IntArray | None
) -> bool:
    """True if a column (N,) that goes against the truth is no more than the others' mean truth.

    Without sample i the mean is (N m - y_i) / (N - 1): it goes against the truth, though nothing
    was learnt. Each entry is within 1 / (N - 1) times the largest distance from m; rounding and
    smoothing may double that. Labels are the majority class of the others, if the classes are of
    one size and each sample is a fold.
    """
    truth = outcome.values.astype(float)
    if kind is PredictionKind.LABEL:
        alone = folds is None or int(np.bincount(folds[0]).max()) == 1
        even = len(set(outcome.class_counts.tolist())) == 1
        return bool(alone and even and (column != truth).all())
    if column.ndim > 1 or outcome.task is Task.SURVIVAL:
        return False
    most = 2 * np.abs(truth - truth.mean()).max() / max(len(truth) - 1, 1)
    return bool(np.abs(column - truth.mean()).max() <= most)


def on_perfection(
    predictions: Values, outcome: Outcome, in_order: IntArray, copied: BoolArray
) -> Iterator[Note]:
    """Yield notes on configurations that order all samples, depending on the performance of the
    others.

    `ordering_signs` and `copied` are (C,).
    """
    names, measure = predictions.configurations, measure_of(outcome, predictions.kind)
    others = np.flatnonzero(in_order == 0)
    if not (in_order[~copied] != 0).any() or not len(others):
        return
    scored = measure_of_each(predictions, outcome, others)  # possibly in the other direction
    scored = np.maximum(scored, 1 - scored) if measure == "AUC" else np.abs(scored)
    best = int(np.argmax(scored))
    performance = float(scored[best])
    if measure == "AUC":
        n_negative, n_positive = outcome.class_counts
        variance = hanley_mcneil_variance(performance, n_positive, n_negative)
    else:
        variance = performance * (1 - performance) / len(outcome)
    nearest = CORRELATED if measure == "correlation" else 1 - ERRORS * sqrt(variance)
    if performance >= nearest:  # it differs from 1 only by chance
        return
    for way in (1, -1):
        some = [names[c] for c in np.flatnonzero((in_order == way) & ~copied)]
        if some:
            shown = f"{measure} {performance:.3g}"
            yield of_data.perfect_configuration(some, names[others[best]], shown, way=way)


def on_training_rows(values: Values, outcome: Outcome, folds: IntArray | None) -> Iterator[Note]:
    """Yield a note if most configurations err far more in one fold than in any other, and every
    fold is that of some, as of models that predict the rows they were fitted on: a fold that is
    hard is hard for most, and then no other is the hardest. Without folds, if at least half err far
    more, or less, in the first rows than in all later ones; see `_two_parts`.

    Fewer than most are noted if, beyond that fold, each errs less than the best of the others: fits
    that failed in one fold are no better than those elsewhere.

    `folds` are (R, N), of which the first repeat is used.
    """
    array, truth, names = values.array[0], outcome.values, values.configurations
    if values.available is not None or outcome.task is Task.SURVIVAL or not len(truth):
        return
    some = np.linspace(0, len(truth) - 1, min(len(truth), CELLS // len(names)), dtype=np.int64)
    columns, truth = array[some], truth[some]
    labels = columns.ndim == 3 or values.kind is PredictionKind.LABEL
    if columns.ndim == 3:
        columns = columns.argmax(axis=2)
    elif values.kind is PredictionKind.SCORE and outcome.task is Task.BINARY:
        low, high = columns.min(axis=0), columns.max(axis=0)
        columns = (columns - low) / np.maximum(high - low, np.finfo(float).tiny)
    errors = np.abs(columns - truth[:, None]).clip(max=1 if outcome.classes else None)
    parts = folds[0][some] if folds is not None else _two_parts(errors.mean(axis=1), truth)
    inside = parts == np.arange(int(parts.max()) + 1)[:, None]
    sizes, sums = inside.sum(axis=1, keepdims=True), inside.astype(float) @ errors
    fits = len(inside) == 2 if folds is None else 2 < len(inside) <= len(names)
    if not fits or not sizes.all():
        return
    within, beyond = sums / sizes, (errors.sum(axis=0) - sums) / (len(some) - sizes)
    if folds is None:
        worse = within > FAR[labels] * beyond
        part = int(worse.sum(axis=1).argmax())
        samples = f"samples {some[inside[part]][0]} to {some[inside[part]][-1]}"
        if 2 * np.count_nonzero(worse[part]) >= len(names):
            yield of_data.seen_in_training([*compress(names, worse[part])], samples)
        return
    spread = errors.std(axis=0) * np.sqrt(1 / sizes + 1 / (len(some) - sizes))
    worse = within - beyond > (1 + sqrt(2 * log(len(names)))) * spread  # most by chance, and 1
    worse &= within > WORSE * np.partition(within, -2, axis=0)[-2]
    if 2 * np.count_nonzero(worse) <= len(names):
        worse &= beyond < within[:, ~worse.any(axis=0)].min(axis=1).mean()
    counts = worse.sum(axis=1)
    if counts.all() and 2 * counts.max() <= counts.sum():
        yield of_data.seen_in_training([names[c] for c in np.flatnonzero(worse.any(axis=0))])


def _two_parts(errors: FloatArray, truth: FloatArray | IntArray) -> IntArray:
    """(n,) 0 in the first samples, and 1 in all later ones, if errors (n,) differ clearly between
    them and not within them, while the truth (n,) is alike in both; else 0. A series changes again
    and again, and a sorted table with its truth.
    """
    n = len(errors)
    if n < 2 * FEWEST_IN_PART:
        return np.zeros(n, np.int64)
    cuts = np.arange(FEWEST_IN_PART, n - FEWEST_IN_PART + 1)
    cut = int(cuts[np.argmax(_apart(errors, cuts))])
    inner = errors[:cut], errors[cut:]
    same = [_apart(p, np.arange(1 + len(p) // 8, len(p) - len(p) // 8)).max() for p in inner]
    same += [_apart(column, cut) for column in (truth, np.abs(truth - truth.mean()))]
    told = _apart(errors, cut) > CLEAR and max(same) < STEADY
    return np.asarray((np.arange(n) >= cut) & told, np.int64)


def _apart(column: FloatArray | IntArray, cuts: IntArray | int) -> Any:
    """Return by how many standard errors the mean of a column (n,) differs before some samples."""
    with np.errstate(all="ignore"):  # beyond floats nothing is told
        off = np.abs(np.cumsum(column - column.mean())[np.subtract(cuts, 1)])
        return off / (np.sqrt(cuts * (1 - cuts / len(column))) * column.std() + 1e-300)


def on_marks(values: Values, outcome: Outcome) -> Iterator[Note]:
    """Yield a note if predictions are as high, or as low, in either of two classes of about one
    size, those of each configuration: models that know nothing are near the middle, or say the
    larger class throughout.
    """
    array, truth = values.array[0], outcome.values == 1
    sizes = np.array([np.count_nonzero(~truth), np.count_nonzero(truth)])
    fits = outcome.task is Task.BINARY and array.ndim == 2 and min(sizes) >= FEWEST_MARKS
    if not fits or values.kind is PredictionKind.SCORE or min(sizes) < ONE_SIZE * len(truth):
        return
    of_samples = array.mean(axis=1)
    low, high = sorted(float(of_samples[part].mean()) for part in (truth, ~truth))
    each = np.array([array[part].mean(axis=0) for part in (truth, ~truth)])
    error = of_samples.std() * sqrt((1 / sizes).sum())
    far = max(0.5 - ONE_SIZE, 2 * error)
    beyond = each.min() > 0.5 + far or each.max() < 0.5 - far
    if high - low < ERRORS * error and beyond and np.abs(each - 0.5).max() < ONE_SIZE:
        yield of_data.alike_in_classes(low, high)


def _ordered(columns: FloatArray, truth: FloatArray | IntArray, task: Task) -> IntArray:
    """Return 1 for columns (n, C) or (n, C, K) that order the samples as the truth (n,) does, or as
    it would with a little noise, else 0.

    Scores in reverse order get -1. Of class columns, that of the true class must be the largest.
    """
    if columns.ndim == 3:
        return np.asarray((columns.argmax(axis=2) == truth[:, None]).all(axis=0).astype(np.int64))
    if task is Task.BINARY:
        above, below = columns[truth == 1], columns[truth != 1]
        rising = above.min(axis=0) > below.max(axis=0)
        falling = above.max(axis=0) < below.min(axis=0)
        return np.asarray(rising.astype(np.int64) - falling)
    order = np.argsort(truth, kind="stable")
    steps, signs = np.diff(columns[order], axis=0), np.sign(np.diff(truth[order]))[:, None]
    alike = _correlations(columns, truth)
    rising = (np.sign(steps) == signs).all(axis=0) | (alike >= NEARLY_EQUAL)
    falling = (np.sign(steps) == -signs).all(axis=0) | (alike <= -NEARLY_EQUAL)
    return np.asarray(rising.astype(np.int64) - falling)


def measure_of_each(predictions: Values, outcome: Outcome, columns: IntArray) -> FloatArray:
    """Return the measure of configurations (C',) in the first repeat."""
    array, truth = predictions.array[:, :, columns][0], outcome.values
    if outcome.task.is_classification and measure_of(outcome, predictions.kind) == "accuracy":
        labels = array.argmax(axis=2) if array.ndim == 3 else array
        return np.asarray((labels == truth[:, None]).mean(axis=0))
    if outcome.task is Task.BINARY:
        return np.array([area(column, truth == 1) for column in array.T])
    return _correlations(array, truth)


def _correlations(columns: FloatArray, truth: FloatArray | IntArray) -> FloatArray:
    """(C,) Correlations of columns (n, C) with the truth (n,); 0 where they are undefined."""
    centred, values = columns - columns.mean(axis=0), truth - truth.mean()
    with np.errstate(over="ignore", invalid="ignore"):  # squares overflow beyond 1e154
        spread = np.sqrt((centred**2).sum(axis=0) * (values**2).sum())
        products = values @ centred
        correlations = np.divide(products, spread, out=np.zeros_like(products), where=spread > 0)
    return np.asarray(correlations)


def measure_of(outcome: Outcome, kind: PredictionKind) -> str:
    """Return the name of the measure of `measure_of_each`."""
    if outcome.task is Task.BINARY and kind is not PredictionKind.LABEL:
        return "AUC"
    return "accuracy" if outcome.task.is_classification else "correlation"
