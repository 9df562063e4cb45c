"""The totals behind metrics of predicted classes, class by class.

Classes are those of the samples in the matrix. A class that a resample lacks makes its recall
undefined; a class without any sample is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import (
    MANY_CLASSES,
    Bind,
    Part,
    Predictions,
    Scorer,
    of_totals,
    ones,
    zeroed,
)
from bbccli.metrics.statistic import ROUNDING_TOLERANCE, Statistic, Total
from bbccli.metrics.weighting import Formula, Weighting, finite, scaled
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, Task

NEVER_PREDICTED = "if a class is predicted for no sample"

BYTES = 256
"""Memory for each lane of a sample or class: weights, totals, and what a formula makes of them."""


@dataclass(frozen=True, slots=True)
class Coded:
    """The class that each sample counts for: (N, C) or (N, 1) codes below K, -1 for none."""

    codes: IntArray
    n_classes: int


CodedPart = Callable[[Outcome, Predictions], Coded]
"""``part(outcome, predictions)``: what is added up class by class."""


def actual(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for its class: the total is TP + FN."""
    classes, codes = np.unique(outcome.values, return_inverse=True)
    return Coded(codes.reshape(-1, 1), len(classes))


def guessed(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for the class that is predicted, if that occurs: the total is TP + FP."""
    classes = np.unique(outcome.values)
    codes = np.minimum(np.searchsorted(classes, predicted), len(classes) - 1)
    return Coded(np.where(classes[codes] == predicted, codes, -1), len(classes))


def hits(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for its class where that is predicted: the total is TP."""
    true = actual(outcome, predicted)
    return Coded(np.where(predicted == outcome.values[:, None], true.codes, -1), true.n_classes)


def is_correct(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) True if the predicted class is the true one."""
    return np.asarray(predicted == outcome.values[:, None])


def all_actual(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for its class, of all classes."""
    return Coded(outcome.values.astype(np.int64).reshape(-1, 1), len(outcome.classes))


def all_guessed(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for the class that is predicted, of all classes."""
    return Coded(predicted, len(outcome.classes))


def all_hits(outcome: Outcome, predicted: IntArray) -> Coded:
    """Count a sample for its class where that is predicted, of all classes."""
    right = predicted == outcome.values[:, None]
    return Coded(np.where(right, predicted, -1), len(outcome.classes))


def true_positive(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) positive and predicted to be."""
    return np.asarray(positive(outcome, predicted) & (predicted == 1))


def predicted_positive(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) predicted to be positive."""
    return np.asarray(predicted == 1)


def positive(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, 1) positive."""
    return np.asarray(outcome.values == 1)[:, None]


COUNTS: tuple[Part, ...] = (true_positive, predicted_positive, positive, ones)
"""The counts (B, C) and (B, 1) of binary predictions of which all others are made."""


def _hits(tp: FloatArray, g: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    return _both(n - p - g + tp, tp, n)


def _guessed(tp: FloatArray, g: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    return _both(n - g, g, n)


def _actual(tp: FloatArray, g: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    return _both(n - p, p, n)


def _both(rest: FloatArray, of_positive: FloatArray, n: FloatArray) -> FloatArray:
    """Stack the totals of both classes; of real weights nothing may leave a rest by rounding."""
    totals = np.stack([np.where(rest > ROUNDING_TOLERANCE * n, rest, 0.0), of_positive])
    return np.moveaxis(totals, 0, -1)  # whole arrays are added up faster than pairs of numbers


OF_TWO: dict[Any, Formula] = {
    hits: _hits,
    all_hits: _hits,
    guessed: _guessed,
    all_guessed: _guessed,
    actual: _actual,
    all_actual: _actual,
    is_correct: lambda tp, g, p, n: n - p - g + 2 * tp,
}
"""Totals of two classes, of the counts."""


def totals_by_class(
    parts: Sequence[CodedPart], formula: Formula, *totals: Part, whole: bool = False
) -> Bind:
    """As `of_totals`, with further totals (B, C, K) class by class; never makes an (N, C, K) array.

    parts: what is totalled class by class.
    formula: ``formula(*totals, *parts)``.
    totals: booleans (N, C) that are totalled over all samples.
    """

    def spread(part: CodedPart) -> Part:
        def dense(outcome: Outcome, predictions: Predictions) -> BoolArray:
            coded = part(outcome, predictions)
            return np.asarray(coded.codes[:, :, None] == np.arange(coded.n_classes))

        return dense

    few = of_totals((*totals, *map(spread, parts)), formula, whole=whole)

    counts = tuple(OF_TWO[part] for part in (*totals, *parts))

    def by_counts(*numbers: FloatArray) -> FloatArray:
        """Make the totals of both classes of four counts, and of those of all samples."""
        fours = numbers[:4], numbers[4:]
        return formula(*(count(*four) for four in fours if four for count in counts))

    two = of_totals(COUNTS, by_counts, whole=whole)

    def bind(outcome: Outcome, predictions: Predictions) -> Scorer:
        if outcome.task is Task.BINARY and outcome.class_counts.all():
            return two(outcome, predictions)
        if len(outcome.classes) <= MANY_CLASSES:
            return few(outcome, predictions)
        shares = [Coded(np.where(part(outcome, predictions), 0, -1), 1) for part in totals]
        coded = (*shares, *(part(outcome, predictions) for part in parts))
        by_class = ByClass(coded, len(shares), finite(formula), outcome.weights, whole)
        return Statistic((by_class,), lambda values, *_: values, predictions.shape[1], whole)

    return bind


@dataclass(frozen=True, slots=True, eq=False)
class ByClass(Total):
    """A formula (B, C') of totals of many classes. Time O(B C (N + K)); memory O(N C).

    parts: what is totalled, first those of a single class.
    n_shares: number of parts of a single class, whose totals are (B, C).
    formula: totals to performances.
    sample_weights (N,), optional: sample weights.
    whole: True if the formula also takes the totals of all samples.
    """

    parts: tuple[Coded, ...]
    n_shares: int
    formula: Formula
    sample_weights: FloatArray | None = None
    whole: bool = False

    @property
    def n_samples(self) -> int:  # type: ignore[override]
        """N."""
        return len(self.parts[0].codes)

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> FloatArray:
        """Performance of each configuration under each row of weights."""
        all_rows, n_configurations = (
            weights.weights,
            max(part.codes.shape[1] for part in self.parts),
        )
        chosen = range(n_configurations) if configurations is None else configurations
        values = np.empty((len(all_rows), len(chosen)))
        settled = resources.current()
        cells = max(all_rows.shape[1], *(part.n_classes for part in self.parts))
        step = max(settled.memory // (BYTES * settled.jobs * cells), 1)
        for start in range(0, len(all_rows), step):
            rows = slice(start, start + step)
            some = all_rows[rows]
            if self.whole:
                some = np.vstack([some, np.ones((1, some.shape[1]), some.dtype)])
            masses = scaled(some, self.sample_weights)
            lanes = np.ascontiguousarray(masses.T, np.float64)
            common = [_totals(p, 0, lanes) if p.codes.shape[1] == 1 else None for p in self.parts]
            for position, c in enumerate(chosen):
                pairs = zip(self.parts, common, strict=True)
                sums = [_totals(p, c, lanes) if shared is None else shared for p, shared in pairs]
                shares = [total[:, :, 0] for total in sums[: self.n_shares]]
                totals = (*shares, *sums[self.n_shares :])
                if self.whole:
                    totals = (*(total[:-1] for total in totals), *(total[-1:] for total in totals))
                values[rows, position] = self.formula(*totals)[:, 0]
        return values

    def take(self, rows: Any) -> ByClass:
        """Keep the samples in `rows`; the classes stay, also those that lose all samples."""
        parts = tuple(Coded(part.codes[rows], part.n_classes) for part in self.parts)
        sample_weights = None if self.sample_weights is None else self.sample_weights[rows]
        return ByClass(parts, self.n_shares, self.formula, sample_weights, self.whole)


def _totals(part: Coded, column: int, lanes: FloatArray) -> FloatArray:
    """Totals (L, 1, K) of a column under weights in lanes (N, L), summed sample by sample."""
    from scipy.sparse import csc_array

    codes = part.codes[:, column]
    counted = (codes >= 0).astype(np.float64)
    shape = (part.n_classes, len(codes))
    sums = csc_array((counted, np.maximum(codes, 0), np.arange(len(codes) + 1)), shape) @ lanes
    return np.ascontiguousarray(sums.T)[:, None]


def precisions(hits: FloatArray, guessed: FloatArray, actual: FloatArray) -> FloatArray:
    """TP / (TP + FP) of each class (B, C, K)."""
    return hits / guessed


def recalls(hits: FloatArray, guessed: FloatArray, actual: FloatArray) -> FloatArray:
    """TP / (TP + FN) of each class (B, C, K)."""
    return hits / actual


def f_scores(
    hits: FloatArray, guessed: FloatArray, actual: FloatArray, beta: float = 1.0
) -> FloatArray:
    """(1 + beta^2) TP / (beta^2 (TP + FN) + (TP + FP)) of each class (B, C, K).

    NaN for a class without samples: 0 only for configurations that predict it would rank a wrong
    prediction above a right one.
    """
    return present((1 + beta**2) * hits / (beta**2 * actual + guessed), actual)


def present(values: FloatArray, actual: FloatArray) -> FloatArray:
    """Keep the values of classes that have samples; NaN for the others."""
    return np.where(actual > 0, values, np.nan)


def weighted(values: FloatArray, actual: FloatArray) -> FloatArray:
    """Mean (B, C) over classes by their size; classes without samples don't count."""
    parts = np.where(actual > 0, actual * values, 0.0)
    return np.asarray(parts.sum(axis=-1) / actual.sum(axis=-1))


def averaged(of_class: Formula, *, by_size: bool = False, of_truth: bool = False) -> Bind:
    """Mean over classes, equal or by size, or of the truth alone, as scikit-learn has it: see
    `Metric.bind_zero`.
    """

    def formula(*totals: FloatArray) -> FloatArray:
        values = zeroed(of_class)(*totals)
        if by_size:
            return weighted(values, totals[2])
        met = totals[5] + (0 if of_truth else totals[4]) > 0
        return np.asarray(np.where(met, values, 0.0).sum(axis=-1) / met.sum(axis=-1))

    return totals_by_class((all_hits, all_guessed, all_actual), formula, whole=True)
