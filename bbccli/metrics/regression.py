"""Metrics of how large the errors of predicted values are."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import BothForms, Metric, OfColumn, by_column, mean_of, of_totals, ones
from bbccli.metrics.weighting import EVERY_SAMPLE
from bbccli.types import Direction, FloatArray, IntArray, MetricKind, PredictionKind, Task


def residual(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) truth minus prediction."""
    return np.asarray(outcome.values[:, None] - predictions.astype(np.float64))


SMALLEST_SQUARE = np.finfo(float).tiny / np.finfo(float).eps
"""A square below it has lost digits, or is 0 although the residual isn't."""


def squared_error(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) squared residual; NaN where floats overflow, or all of a column underflow."""
    errors = residual(outcome, predictions)
    with np.errstate(over="ignore"):
        squares = errors**2
    largest = squares.max(axis=0, initial=0)
    if np.isinf(largest).any():
        squares[np.isinf(squares)] = np.nan
    lost = (largest < SMALLEST_SQUARE) & errors.any(axis=0)
    squares[:, lost] = np.nan
    return squares


def absolute_error(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) residual without its sign."""
    return np.abs(residual(outcome, predictions))


def relative_error(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) absolute error as a share of the truth; NaN where that is 0."""
    truth = np.where(outcome.values == 0, np.nan, np.abs(outcome.values))
    return absolute_error(outcome, predictions) / truth[:, None]


def error_as_share(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) absolute error as a share of the truth, of which scikit-learn makes no 0."""
    truth = np.maximum(np.abs(outcome.values), np.finfo(np.float64).eps)
    return absolute_error(outcome, predictions) / truth[:, None]


def unit_deviance(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) Poisson deviance of each sample; NaN for a rate that is not positive."""
    truth, rate = np.broadcast_arrays(outcome.values[:, None], predictions.astype(np.float64))
    possible = (truth >= 0) & (rate > 0)
    counted = possible & (truth > 0)
    logarithm = np.log(np.where(counted, truth, 1.0) / np.where(counted, rate, 1.0))
    deviance = 2 * (np.where(counted, truth * logarithm, 0.0) - truth + rate)
    return np.where(possible, np.maximum(deviance, 0.0), np.nan)


def median_error(outcome: Outcome, predictions: FloatArray) -> BothForms:
    """Sort absolute errors (N, C) to read off the middle of their weight."""
    from bbccli.metrics.kernels.running import Search

    errors = np.ascontiguousarray(absolute_error(outcome, predictions).T)
    order = np.argsort(errors, axis=1)
    ascending = np.take_along_axis(errors, order, axis=1)

    def under(lanes: FloatArray) -> OfColumn:
        half = lanes.sum(axis=0) / 2
        search = Search.of(lanes, len(outcome))

        def of(c: int) -> FloatArray:
            search.arrange(order[c])
            low, high = search.first(np.greater_equal, half), search.first(np.greater, half)
            return np.where(half > 0, (ascending[c][low] + ascending[c][high]) / 2, np.nan)

        return of

    def swept(forms: Any, lanes: FloatArray, chosen: IntArray) -> FloatArray:
        half = lanes.sum(axis=0) / 2
        low, high = np.empty((2, len(chosen), len(half)), np.int64)
        forms.places_of_halves(lanes[None], order, half, chosen, low, high)
        ends = (np.minimum(place, len(outcome) - 1) for place in (low, high))
        first, last = (np.take_along_axis(ascending[chosen], end, axis=1) for end in ends)
        return np.where(half > 0, (first + last) / 2, np.nan)

    return BothForms(under, swept)


_error = partial(
    Metric,
    tasks=frozenset({Task.REGRESSION}),
    wants=PredictionKind.VALUE,
    direction=Direction.MINIMIZE,
    bounds=(0.0, np.inf),
    rests_on=EVERY_SAMPLE,
)
"""A metric of values of which 0 is best."""


RMSE = _error(
    name="rmse",
    label="RMSE",
    summary="root of the mean squared error, in the unit of the outcome",
    bind=of_totals((squared_error, ones), lambda total, n: np.sqrt(total / n)),
    reference="Hyndman & Koehler 2006",
    formula="√((1/N) Σ (yᵢ - ŷᵢ)²)",
)

MSE = _error(
    name="mse",
    kind=MetricKind.MEAN,
    label="MSE",
    summary="mean squared error",
    bind=mean_of(squared_error),
    reference="Hyndman & Koehler 2006",
    formula="(1/N) Σ (yᵢ - ŷᵢ)²",
)

MAE = _error(
    name="mae",
    kind=MetricKind.MEAN,
    label="MAE",
    summary="mean absolute error, in the unit of the outcome",
    bind=mean_of(absolute_error),
    reference="Hyndman & Koehler 2006",
    formula="(1/N) Σ |yᵢ - ŷᵢ|",
)

MEDAE = _error(
    name="medae",
    label="median error",
    summary="median absolute error, in the unit of the outcome",
    bind=by_column(median_error),
    reference="Hyndman & Koehler 2006",
    formula="median of |yᵢ - ŷᵢ|",
    under_weights="the error with half of the weight below and half above it, or the mean of the "
    "two between which half is reached: as if rows were repeated by whole-number weights",
    smooth=False,
)

MAPE = _error(
    name="mape",
    kind=MetricKind.MEAN,
    label="MAPE",
    summary="mean absolute error as a share of the true value; 0.1 is 10%",
    bind=mean_of(relative_error),
    bind_zero=mean_of(error_as_share),
    reference="Hyndman & Koehler 2006",
    formula="(1/N) Σ |yᵢ - ŷᵢ| / |yᵢ|",
    undefined="if a sample has a true value of 0; scikit-learn divides by 2.2e-16 then",
)

POISSON_DEVIANCE = _error(
    name="poisson-deviance",
    kind=MetricKind.MEAN,
    label="Poisson deviance",
    summary="mean deviance of counts from predicted rates",
    bind=mean_of(unit_deviance),
    reference="McCullagh & Nelder 1989",
    formula="(2/N) Σ (yᵢ ln(yᵢ/ŷᵢ) - yᵢ + ŷᵢ), with 0 ln 0 = 0",
    undefined="if a prediction is not positive, or a true value is negative",
)

METRICS = (RMSE, MSE, MAE, MEDAE, MAPE, POISSON_DEVIANCE)
