"""What a result rests on: samples, groups, folds; and losses so large that they decide it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

import numpy as np

from bbccli.domain.estimate import Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.metrics import METRICS
from bbccli.metrics.base import Metric, Scorer
from bbccli.metrics.capped import POWERS, Capped, MeanSurprise, cap_of, chance_of_truth, with_clip
from bbccli.notes import Note
from bbccli.notes.intervals import (
    capped_errors,
    clipped_probabilities,
    large_losses,
    unbounded_loss,
)
from bbccli.notes.methods import few_folds
from bbccli.notes.of_data import few_groups
from bbccli.stats.selection.candidates import Candidates, cached
from bbccli.types import FloatArray, IntArray, Pooling, PredictionKind, readonly

FEW_FOLDS = 5
FEW_GROUPS = 20


def units_of(matrix: PredictionMatrix) -> IntArray:
    """Return the unit (N,) of each sample, from 0 on: itself, or its group."""
    if matrix.groups is None:
        return np.arange(matrix.n_samples)
    return np.unique(matrix.groups, return_inverse=True)[1]


def n_units_of(matrix: PredictionMatrix) -> int:
    """Return the number of samples, or of the groups that they come in."""
    return matrix.n_samples if matrix.n_groups is None else matrix.n_groups


def rests_on(matrix: PredictionMatrix, metric: Metric, winner: int) -> float:
    """Return the number of samples, or groups, that a performance of the winner rests on.

    The metric names them, such as the samples of the smallest class; with repeats the smallest
    number counts. Weighted samples count as Kish's effective number.
    """
    predictions = matrix.as_kind(metric.wants, slice(winner, winner + 1))[:, :, 0]
    available = [None] * len(predictions)
    if matrix.available is not None:
        available = list(matrix.available[:, :, winner])
    return min(
        metric.rests_on.n_units(matrix.outcome, of_repeat, groups=matrix.groups, available=there)
        for of_repeat, there in zip(predictions, available, strict=True)
    )


def on_few_folds(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over folds rests on a handful of them."""
    n_folds = matrix.n_folds
    return (few_folds(n_folds),) if n_folds and n_folds < FEW_FOLDS else ()


def on_few_groups(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over groups rests on a handful of them."""
    n_groups = matrix.n_groups
    return (few_groups(n_groups),) if n_groups is not None and n_groups < FEW_GROUPS else ()


def size_ratio(folds: IntArray) -> float:
    """Return n_test / n_train of folds (R, N), the mean over all folds.

    >>> size_ratio(np.array([[0, 0, 1, 1, 2, 2]]))
    0.5
    """
    sizes = [np.bincount(row) for row in folds]
    ratios = [n / (row.sum() - n) for row in sizes for n in row if n]
    return float(np.mean(ratios))


def single_classes(outcome: Outcome, groups: IntArray | None) -> IntArray:
    """Return the codes of the classes with one sample, or with samples in one group (N,) only."""
    codes = outcome.values.astype(np.int64)
    if groups is not None:
        codes = np.unique(np.stack([codes, groups]), axis=1)[0]
    return np.flatnonzero(np.bincount(codes) == 1)


LEAST_TOGETHER = 64
"""Samples scored at once, at least: as many rows of as many weights."""


def of_samples(matrix: PredictionMatrix, metric: Metric, configuration: int) -> FloatArray:
    """Return the figure (N,) of each sample by itself: its loss, for a mean of losses.

    It is averaged over repeats; NaN where one sample is not enough, or has no prediction. Time and
    memory O(N sqrt(N)).
    """
    key = ("single", metric, configuration)

    def score() -> FloatArray:
        scorer = Candidates(matrix, metric, Pooling.POOLED).bind(np.array([configuration]))
        figures: FloatArray = readonly(figures_of_samples(scorer, matrix.n_samples))
        return figures

    return cached(matrix, key, score)


def worst_sample(matrix: PredictionMatrix, metric: Metric, configuration: int) -> float | None:
    """Return the worst figure of a single sample; None where none is defined."""
    figures = of_samples(matrix, metric, configuration)
    gains = metric.direction.sign * figures[np.isfinite(figures)]
    return metric.direction.sign * float(gains.min()) if len(gains) else None


def figures_of_samples(scorer: Scorer, n_samples: int) -> FloatArray:
    """Return the figure (N,) of each sample alone, from a scorer of one configuration."""
    figures = np.empty(n_samples)
    step = max(isqrt(n_samples), LEAST_TOGETHER)
    for start in range(0, n_samples, step):
        rows = np.zeros(n_samples, bool)
        rows[start : start + step] = True
        alone = np.eye(int(rows.sum()), dtype=np.uint8)
        figures[rows] = scorer.restrict(rows)(alone).ravel()
    return figures


SMALLEST = float(np.finfo(np.float64).tiny)
"""Clips nothing but 0 itself."""

ROUNDING_TOLERANCE = 5e-4
"""A change of less than this share of a figure is lost in three significant digits."""


def on_clipping(
    matrix: PredictionMatrix, metrics: Sequence[Metric], estimates: Sequence[Estimate], plan: Plan
) -> Iterator[Note]:
    """Yield a note for each winner whose performance is another without clipping."""
    for metric in metrics:
        unclipped = with_clip(metric, SMALLEST)
        if unclipped is metric:
            continue
        for winner in dict.fromkeys(e.winner for e in estimates if e.metric == metric.name):
            column = matrix.configurations.index(winner)
            clipped, bare = (
                Candidates(matrix, m, plan.pooling).figure(column) for m in (metric, unclipped)
            )
            if bare - clipped > ROUNDING_TOLERANCE * clipped:
                chances = _chances_of_truth(matrix, np.array([column]))
                limit = np.inf if (chances == 0).any() else bare
                n_below = int((chances < plan.clip).sum())
                yield clipped_probabilities(
                    winner, metric.label, n_below, chances.size, plan.clip, clipped, limit
                )


def _chances_of_truth(matrix: PredictionMatrix, column: np.ndarray) -> np.ndarray:
    """Probabilities of the true class, where there are predictions, of all repeats."""
    chances = np.stack(
        [
            chance_of_truth(matrix.outcome, np.asarray(of_repeat, np.float64))[:, 0]
            for of_repeat in matrix.as_kind(PredictionKind.PROBABILITY, column)
        ]
    )
    return chances if matrix.available is None else chances[matrix.available[:, :, column[0]]]


SEEN = {"mse": "34 to 95%", "rmse": "36 to 94%", "mae": "83 to 97%", "log-loss": "23 to 100%"}
"""Studies of the bank, least and most of a population, in which 95% intervals of `bbc` covered."""

LEAST_TOP = 5
"""Values that a tail index rests on, at least; else a tenth of all."""

LARGE = 6.9
"""Log-loss of a sample whose truth was given a chance of one in a thousand."""

SURE = 1e-4
"""A chance of a class below which a single mistake would decide the mean."""


def on_tails(
    matrix: PredictionMatrix, metrics: Sequence[Metric], estimates: Sequence[Estimate]
) -> Iterator[Note]:
    """Yield a note for each metric whose interval is capped or sensitive to large losses.

    Errors of values always get one, since no sample shows its missing tail; the log-loss gets one
    if the winner gives some truth a chance below 1 in 1,000, or any class one below 1 in 10,000.
    """
    for metric in metrics:
        with_interval = [e for e in estimates if e.metric == metric.name and e.interval is not None]
        if with_interval or isinstance(metric.bind, Capped):
            winner = matrix.configurations.index(with_interval[0].winner) if with_interval else 0
            yield from on_losses(matrix, metric, winner)


def on_losses(matrix: PredictionMatrix, metric: Metric, winner: int) -> tuple[Note, ...]:
    """Return a note where large losses may break an interval of a metric, or are capped."""
    if isinstance(metric.bind, Capped):
        cap = cap_of(matrix.outcome, metric.bind.share)
        return (capped_errors(metric.label, cap, metric.bind.share),)
    if metric.name in POWERS:
        truth = matrix.outcome.values
        loss = METRICS["mae" if metric.name == "mae" else "mse"]
        of_outcome = tail_index(np.abs(truth - np.median(truth)))
        of_losses = tail_index(of_samples(matrix, loss, winner))
        return (unbounded_loss(metric.label, SEEN[metric.name], of_outcome, of_losses),)
    if not isinstance(metric.bind, MeanSurprise):
        return ()
    losses = of_samples(matrix, metric, winner)
    n_large = int((losses > LARGE).sum())
    least = np.maximum(least_chances(matrix, winner), metric.bind.clip)
    n_sure = int((least < SURE).sum())
    if not n_large and not n_sure:
        return ()
    return (large_losses(metric.label, SEEN["log-loss"], n_large, n_sure, tail_index(losses)),)


def least_chances(matrix: PredictionMatrix, configuration: int) -> FloatArray:
    """Return the smallest probability that a configuration gives to any class of each sample (N,).

    The least of all repeats; NaN where there is no prediction.
    """
    column = np.array([configuration])
    chances = matrix.as_kind(PredictionKind.PROBABILITY, column)[:, :, 0].astype(np.float64)
    if chances.ndim == 2:
        chances = np.stack([chances, 1 - chances], axis=2)
    return np.asarray(np.fmin.reduce(chances.min(axis=2), axis=0))


def tail_index(values: FloatArray) -> float:
    """Return Hill's estimate of the tail index: mean log ratio of the top k values to the next one.

    k is a tenth of the values, and at least 5. A larger index means a heavier tail: from 0.5 on the
    variance does not exist, from 1 on not even the mean.

    values (N,): not negative; NaNs don't count.
    Returns float: NaN unless more than k values are positive.
    Source: Hill 1975.

    >>> round(tail_index(np.array([1, 1, 1, 2, 2, 2, 2, 2])), 4)
    0.6931
    """
    descending = np.sort(values[np.isfinite(values) & (values > 0)])[::-1]
    k = max(LEAST_TOP, int(np.isfinite(values).sum()) // 10)
    return (
        float(np.log(descending[:k] / descending[k]).mean())
        if len(descending) > k
        else float("nan")
    )
