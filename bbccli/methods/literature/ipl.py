"""IPL, the inverse power law: learning curves smooth the errors that decide the choice.
Experimental.

Needs predictions of models trained on at least three numbers of samples, in a column
[`train_size`](formats.md#training-sizes).

Formula, with e_c(n) the error of configuration c trained on n samples, or the negative of a metric
that is maximised:

```text
e_c(n) ≈ a_c n^(-b_c) + d_c,   a_c ≥ 0,   b_c > 0,        estimate = min_c a_c N^(-b_c) + d_c
```

Algorithm: score each configuration at each training size, fit its curve by least squares (b between
0.01 and 5; d no better than the metric's best value), and take the smallest fitted value at N, the
size that the final model is trained on. The named winner and its naive figure are those of `cvt` at
the largest size.

Assumptions: errors that fall with the training size like a power law. The selection is corrected
only as far as fitting smooths the errors.

Evidence: for [trained classifiers](../benchmarks/validation-tables.md#trained-classifiers) in five
sizes it removed 2 to 15% of the naive score's bias, less than `bbc` in every setting. The paper
found it better than nested cross-validation, `wmc` and `tt`.

When to use: to compare with the literature. When not: as the number to report; it has no interval.

Cost: one evaluation of all configurations per training size.

Source: Ding et al. 2014; curves: Mukherjee et al. 2003. Metrics other than the error and the search
for b are ours; the R package MLbias was not compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UndefinedError
from bbccli.methods.base import POINT, Method, Need, check_best
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection.candidates import candidates
from bbccli.types import FloatArray, Pooling

EXPONENTS = (0.01, 5.0)
"""Smallest and largest b."""

N_EXPONENTS = 128
"""Exponents that are tried at first, on a logarithmic scale; each zoom tries as many between the
neighbours of the best."""

N_ZOOMS = 3

CHUNK = 1024
"""Configurations that are fitted together."""


def run(case: Case) -> Answer:
    """Return a point.

    Raises UndefinedError: a configuration without a performance at some training size, or a
        training size that is not smaller than the number of samples.
    Raises UnsupportedError: a rule of selection other than the best.
    """
    check_best(case)
    matrix = case.matrix
    sizes = (*matrix.smaller, matrix)
    n_samples = max(size.n_samples for size in sizes)
    if (matrix.train_size or 0) >= n_samples:
        raise UndefinedError(
            f"ipl predicts the error of models trained on all {n_samples} samples; the largest "
            f"train_size, {matrix.train_size}, is not smaller",
            hint="give the samples that trained a model, without those that it predicts; ipl is "
            "not for models trained on other data",
        )
    shares = np.array([size.train_size for size in sizes], float) / n_samples
    fitted = _fitted(case, case.selector, case.plan.pooling, shares)
    best = int(case.selector.direction.best(fitted))
    if not case.one_scale:
        fitted = _fitted(case, case.metric, case.measuring, shares)
    return Answer(float(fitted[best]), notes=tuple(_notes_on_smaller(matrix)))


def _fitted(case: Case, metric: Metric, pooling: Pooling, shares: FloatArray) -> FloatArray:
    """(C,) performances on the curves at the full size; NaN of a configuration that can't win."""
    bounded = metric.within(case.matrix.outcome)
    largest = candidates(case.matrix, metric, pooling).performances()
    smaller = [_aligned(matrix, case.matrix, metric, pooling) for matrix in case.matrix.smaller]
    values = np.array([*smaller, largest])
    lacking = np.isnan(values) & ~np.isnan(largest)
    if lacking.any():
        size, configuration = np.argwhere(lacking)[0]
        raise UndefinedError(
            f"ipl needs every configuration at every training size; "
            f"{case.matrix.configurations[configuration]!r} has no {metric.label} at "
            f"{case.matrix.smaller[size].train_size}",
            hint="complete the predictions, or --exclude the configuration",
        )
    sign = metric.direction.sign
    least = -max(sign * bound for bound in bounded.bounds)
    return -sign * curves_at_full_size(shares, -sign * values, least)


def _aligned(
    smaller: PredictionMatrix, matrix: PredictionMatrix, metric: Metric, pooling: Pooling
) -> FloatArray:
    """(C,) performances of the configurations of a matrix at a smaller size; NaN where none."""
    values = candidates(smaller, metric, pooling).performances()
    of_name = dict(zip(smaller.configurations, values, strict=True))
    return np.array([of_name.get(name, np.nan) for name in matrix.configurations])


def curves_at_full_size(shares: FloatArray, losses: FloatArray, least: float) -> FloatArray:
    """Return a + d of the least-squares curves d + a share^(-b).

    shares (S,): training sizes as shares of the full one, in (0, 1).
    losses (S, C): values to fit.
    least: smallest d; may be -inf.
    Returns (C,): NaN where a loss is NaN.
    """
    starts = range(0, losses.shape[1], CHUNK)
    return np.hstack([_fit(shares, losses[:, start : start + CHUNK], least) for start in starts])


def _fit(shares: FloatArray, losses: FloatArray, least: float) -> FloatArray:
    low, high = (np.full(losses.shape[1], np.log(end)) for end in EXPONENTS)
    steps = np.linspace(0, 1, N_EXPONENTS)[:, None]
    every = np.arange(losses.shape[1])
    fitted = np.empty(losses.shape[1])
    for _ in range(1 + N_ZOOMS):
        tried = low + steps * (high - low)
        values, squares = _given_exponents(shares, losses, np.exp(tried), least)
        best = np.argmin(squares, axis=0)
        fitted = values[best, every]
        low = tried[np.maximum(best - 1, 0), every]
        high = tried[np.minimum(best + 1, N_EXPONENTS - 1), every]
    return fitted


def _given_exponents(
    shares: FloatArray, losses: FloatArray, exponents: FloatArray, least: float
) -> tuple[FloatArray, FloatArray]:
    """Return a + d and the sum of squares (G, C) of the best a ≥ 0 and d ≥ least for each b (G, C).

    Of a convex function of two parameters with a bound each, the least is inside, or the better
    one of those on the two bounds.
    """
    x = shares[:, None, None] ** -exponents
    y = np.broadcast_to(losses[:, None], x.shape)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    a = ((x - x_mean) * (y - y_mean)).sum(axis=0) / ((x - x_mean) ** 2).sum(axis=0)
    d = y_mean - a * x_mean
    value, squares = a + d, ((a * x + d - y) ** 2).sum(axis=0)
    outside = (a < 0) | (d < least)
    flat = ((y_mean - y) ** 2).sum(axis=0)
    value, squares = np.where(outside, y_mean, value), np.where(outside, flat, squares)
    if np.isfinite(least):
        slope = (x * (y - least)).sum(axis=0) / (x**2).sum(axis=0)
        on_bound = ((slope * x + least - y) ** 2).sum(axis=0)
        nearer = outside & (on_bound < squares)
        value, squares = np.where(nearer, slope + least, value), np.where(nearer, on_bound, squares)
    return value, squares


def _notes_on_smaller(matrix: PredictionMatrix) -> Iterator[Note]:
    """Yield notes on the smaller sizes alone, each kind once."""
    seen = {note.code for note in matrix.notes}
    for note in (note for of_size in matrix.smaller for note in of_size.notes):
        if note.code not in seen:
            seen.add(note.code)
            yield note


METHODS = (
    Method(
        name="ipl",
        label="learning curves",
        answer=run,
        gives=POINT,
        summary="smallest error on learning curves, of models trained in several sizes",
        reference="Ding et al. 2014",
        needs=frozenset({Need.SIZES}),
        experimental=True,
    ),
)
