"""Agreement of ratings: Cohen's kappa with quadratic weights, of classes in order or of numbers.

With weights (i - j)^2 the sums over the table of true and predicted ratings are sums over samples,

    Σᵢⱼ wᵢⱼ Oᵢⱼ = Σ (y - ŷ)²    and    Σᵢⱼ wᵢⱼ Eᵢⱼ = Σ y² + Σ ŷ² - 2 (Σ y) (Σ ŷ) / N

so that the metric is a formula of totals. Source: Cohen 1968.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import CLASSES, Metric, Predictions, of_totals, ones
from bbccli.metrics.statistic import ROUNDING_TOLERANCE
from bbccli.metrics.weighting import BESIDE_THE_LARGEST, EVERY_SAMPLE
from bbccli.types import Direction, FloatArray, PredictionKind, Task


def true_ratings(outcome: Outcome, _predictions: Predictions) -> FloatArray:
    """(N, 1) positions of the true classes, or true values as whole numbers."""
    return np.rint(outcome.values[:, None].astype(np.float64))


def ratings(outcome: Outcome, predictions: Predictions) -> FloatArray:
    """(N, C) the same of predictions."""
    return np.rint(predictions.astype(np.float64))


def squares_of_both(outcome: Outcome, predictions: Predictions) -> FloatArray:
    """(N, C) squares of the true and of the predicted rating, added up."""
    return true_ratings(outcome, predictions) ** 2 + ratings(outcome, predictions) ** 2


def squared_distance(outcome: Outcome, predictions: Predictions) -> FloatArray:
    """(N, C) squared difference of the ratings."""
    return np.asarray((true_ratings(outcome, predictions) - ratings(outcome, predictions)) ** 2)


def quadratic_kappa(
    apart: FloatArray, squares: FloatArray, true: FloatArray, said: FloatArray, n: FloatArray
) -> FloatArray:
    """Kappa of totals (B, C) or (B, 1); NaN where all ratings, true and predicted, are the same."""
    by_chance = n * squares - 2 * true * said
    defined = by_chance > ROUNDING_TOLERANCE * n * squares
    return np.asarray(1 - n * apart / np.where(defined, by_chance, np.nan))


_kappa = partial(
    Metric,
    direction=Direction.MAXIMIZE,
    bounds=(-1.0, 1.0),
    bind=of_totals(
        (squared_distance, squares_of_both, true_ratings, ratings, ones), quadratic_kappa
    ),
    reference="Cohen 1968",
    formula="1 - N Σ (yᵢ - ŷᵢ)² / (N Σ (yᵢ² + ŷᵢ²) - 2 Σ yᵢ Σ ŷᵢ)",
    undefined="if all samples have the same rating, and are predicted to have it",
)

QWK = _kappa(
    name="qwk",
    label="QWK",
    summary="quadratic weighted kappa: agreement of ratings beyond chance, numbers rounded",
    tasks=frozenset({Task.REGRESSION}),
    wants=PredictionKind.VALUE,
    rests_on=EVERY_SAMPLE,
    remarks="Truth and predictions are rounded to whole numbers. Of classes the name stands for "
    "`qwk-classes`.",
)

QWK_OF_CLASSES = _kappa(
    name="qwk-classes",
    label="QWK of classes",
    summary="quadratic weighted kappa: agreement of classes in order beyond chance",
    tasks=CLASSES,
    wants=PredictionKind.LABEL,
    rests_on=BESIDE_THE_LARGEST,
    remarks="Classes are ordered by number, or else by name, and numbered one by one.",
)

METRICS = (QWK, QWK_OF_CLASSES)
