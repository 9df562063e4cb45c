"""Metrics of predicted classes that are the same for two classes and for several."""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import CLASSES, MISSING_CLASS, Metric, mean_of, zeroed
from bbccli.metrics.confusion import (
    actual,
    all_actual,
    all_guessed,
    averaged,
    hits,
    is_correct,
    recalls,
    totals_by_class,
)
from bbccli.metrics.statistic import ROUNDING_TOLERANCE
from bbccli.metrics.weighting import BESIDE_THE_LARGEST, EACH_CLASS, EVERY_SAMPLE
from bbccli.types import (
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    MetricKind,
    PredictionKind,
    Task,
)


def is_wrong(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) True if the predicted class is not the true one."""
    return np.asarray(predicted != outcome.values[:, None])


def correlation_of_classes(
    correct: FloatArray, true: FloatArray, predicted: FloatArray
) -> FloatArray:
    """MCC of totals (B, C), (B, 1, K) and (B, C, K); 0 where one class is predicted."""
    n = true.sum(axis=-1)
    agreement = correct * n - (true * predicted).sum(axis=-1)
    spread_true, spread_predicted = (n**2 - (part**2).sum(axis=-1) for part in (true, predicted))
    values = np.clip(agreement / np.sqrt(spread_true * spread_predicted), -1.0, 1.0)
    values = np.where(spread_predicted > ROUNDING_TOLERANCE * n**2, values, 0.0)
    return np.where(spread_true > ROUNDING_TOLERANCE * n**2, values, np.nan)


def agreement_beyond_chance(
    correct: FloatArray, true: FloatArray, predicted: FloatArray
) -> FloatArray:
    """Cohen's kappa of totals (B, C), (B, 1, K) and (B, C, K); NaN where one class is true."""
    n = true.sum(axis=-1)
    by_chance = (true * predicted).sum(axis=-1)
    varies = n**2 - (true**2).sum(axis=-1) > ROUNDING_TOLERANCE * n**2
    return np.where(varies, (correct * n - by_chance) / (n**2 - by_chance), np.nan)


def rank_distance(outcome: Outcome, predicted: IntArray) -> FloatArray:
    """(N, C) number of classes between the predicted and the true one, plus one."""
    return np.asarray(np.abs(predicted - outcome.values[:, None]), np.float64)


_of_labels = partial(
    Metric,
    tasks=CLASSES,
    wants=PredictionKind.LABEL,
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
)
"""A metric of labels, of which 1 is best unless it is told otherwise."""

ACCURACY = _of_labels(
    name="accuracy",
    kind=MetricKind.MEAN,
    label="accuracy",
    summary="share of samples whose class is predicted correctly",
    bind=mean_of(is_correct),
    reference="Raschka 2018",
    cell=12,
    rests_on=EVERY_SAMPLE,
    formula="(1/N) Σ [ŷᵢ = yᵢ]",
)

ERROR = _of_labels(
    name="error",
    kind=MetricKind.MEAN,
    label="error",
    summary="share of samples whose class is predicted wrongly: 1 - accuracy",
    direction=Direction.MINIMIZE,
    bind=mean_of(is_wrong),
    cell=12,
    reference="Raschka 2018",
    rests_on=EVERY_SAMPLE,
    formula="(1/N) Σ [ŷᵢ ≠ yᵢ]",
)

BALANCED_ACCURACY = _of_labels(
    name="balanced-accuracy",
    kind=MetricKind.CONDITIONAL,
    label="balanced accuracy",
    summary="mean over classes of the share of their samples predicted correctly",
    bind=totals_by_class((hits, actual), lambda tp, true: (tp / true).mean(axis=-1)),
    bind_zero=averaged(recalls, of_truth=True),
    by_class=True,
    reference="Brodersen et al. 2010",
    rests_on=EACH_CLASS,
    formula="(1/K) Σₖ TPₖ / (TPₖ + FNₖ)",
    undefined=MISSING_CLASS,
)

MCC = _of_labels(
    name="mcc",
    label="MCC",
    summary="Matthews correlation of predicted and true classes",
    bounds=(-1.0, 1.0),
    bind=totals_by_class((all_actual, all_guessed), correlation_of_classes, is_correct),
    bind_zero=totals_by_class(
        (all_actual, all_guessed), zeroed(correlation_of_classes), is_correct, whole=True
    ),
    by_class=True,
    reference="Gorodkin 2004",
    rests_on=BESIDE_THE_LARGEST,
    formula="(c N - Σₖ tₖ pₖ) / √((N² - Σₖ tₖ²) (N² - Σₖ pₖ²)), with c samples predicted "
    "correctly, tₖ of class k and pₖ predicted to be",
    undefined="if all samples are of one class",
    remarks="If one class is predicted for all samples the value is 0, the limit of nearly "
    "constant predictions, as in scikit-learn; kappa is 0 too.",
)

KAPPA = _of_labels(
    name="kappa",
    label="kappa",
    summary="Cohen's kappa: agreement of predicted and true classes beyond chance",
    bounds=(-1.0, 1.0),
    bind=totals_by_class((all_actual, all_guessed), agreement_beyond_chance, is_correct),
    by_class=True,
    reference="Cohen 1960",
    rests_on=BESIDE_THE_LARGEST,
    formula="(c N - Σₖ tₖ pₖ) / (N² - Σₖ tₖ pₖ), with the terms of mcc",
    undefined="if all samples are of one class",
)

MAE_RANK = _of_labels(
    name="mae-rank",
    kind=MetricKind.MEAN,
    label="rank error",
    summary="mean absolute difference of class ranks, for classes in order",
    tasks=frozenset({Task.MULTICLASS}),
    direction=Direction.MINIMIZE,
    bounds=(0.0, np.inf),
    bind=mean_of(rank_distance),
    reference="Baccianella et al. 2009",
    rests_on=EVERY_SAMPLE,
    formula="(1/N) Σ |r(ŷᵢ) - r(yᵢ)|, with the rank r of a class",
    remarks="Classes are ordered by number, or else by name.",
)

METRICS = (ACCURACY, ERROR, BALANCED_ACCURACY, MCC, KAPPA, MAE_RANK)
