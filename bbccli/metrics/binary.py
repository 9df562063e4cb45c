"""Metrics of predicted classes that single out the positive one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import MISSING_CLASS, Metric, Part, of_totals, zeroed
from bbccli.metrics.confusion import f_scores, positive, predicted_positive, present, true_positive
from bbccli.metrics.weighting import (
    EACH_CLASS,
    NEGATIVES,
    POSITIVES,
    PREDICTED_NEGATIVE,
    PREDICTED_POSITIVE,
    Formula,
)
from bbccli.types import (
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    MetricKind,
    PredictionKind,
    Task,
)

POSITIVE_SAMPLES = "without positive samples"
PREDICTED_NONE = "if no sample is predicted positive; scikit-learn gives 0 by default"
NO_POSITIVE = f"{POSITIVE_SAMPLES}; scikit-learn gives 0 by default"


def true_negative(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) negative and predicted to be."""
    return np.asarray(negative(outcome, predicted) & (predicted == 0))


def negative(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, 1) negative."""
    return np.asarray(outcome.values == 0)[:, None]


def predicted_negative(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C) predicted to be negative."""
    return np.asarray(predicted == 0)


def overlap(hits: FloatArray, guessed: FloatArray, actual: FloatArray) -> FloatArray:
    """TP / (TP + FP + FN) of totals (B, C) and (B, 1); NaN without positive samples."""
    return present(hits / (guessed + actual - hits), actual)


_of_classes = partial(
    Metric,
    tasks=frozenset({Task.BINARY}),
    wants=PredictionKind.LABEL,
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
)
"""A metric of binary labels of which 1 is best."""


def _share(parts: tuple[Part, ...], of: Formula, **about: Any) -> Metric:
    """Return a share, which is undefined, or 0 by `bind_zero`, where it is one of nothing."""
    zero = of_totals(parts, zeroed(of), whole=True)
    return _of_classes(bind=of_totals(parts, of), bind_zero=zero, **about)


OVERLAP = (true_positive, predicted_positive, positive)

PRECISION = _share(
    (true_positive, predicted_positive),
    np.divide,
    name="precision",
    kind=MetricKind.CONDITIONAL,
    label="precision",
    summary="share of the samples predicted positive that are positive (positive predictive value)",
    reference="Sokolova & Lapalme 2009",
    rests_on=PREDICTED_POSITIVE,
    formula="TP / (TP + FP)",
    undefined=PREDICTED_NONE,
)

RECALL = _share(
    (true_positive, positive),
    np.divide,
    name="recall",
    kind=MetricKind.CONDITIONAL,
    label="recall",
    summary="share of the positive samples that are predicted positive (sensitivity, true positive "
    "rate)",
    reference="Sokolova & Lapalme 2009",
    rests_on=POSITIVES,
    formula="TP / (TP + FN)",
    undefined=POSITIVE_SAMPLES,
)

SPECIFICITY = _of_classes(
    name="specificity",
    kind=MetricKind.CONDITIONAL,
    label="specificity",
    summary="share of the negative samples that are predicted negative (true negative rate)",
    bind=of_totals((true_negative, negative), np.divide),
    reference="Altman & Bland 1994",
    rests_on=NEGATIVES,
    formula="TN / (TN + FP)",
    undefined="without negative samples",
)

NPV = _of_classes(
    name="npv",
    kind=MetricKind.CONDITIONAL,
    summary="share of the samples predicted negative that are negative (negative predictive value)",
    bind=of_totals((true_negative, predicted_negative), np.divide),
    reference="Altman & Bland 1994",
    rests_on=PREDICTED_NEGATIVE,
    formula="TN / (TN + FN)",
    undefined="if no sample is predicted negative",
    label="NPV",
)

F1 = _share(
    OVERLAP,
    f_scores,
    name="f1",
    summary="harmonic mean of precision and recall",
    reference="van Rijsbergen 1979",
    rests_on=POSITIVES,
    formula="2 TP / (2 TP + FP + FN)",
    undefined=NO_POSITIVE,
    label="F1",
)

F2 = _share(
    OVERLAP,
    partial(f_scores, beta=2.0),
    name="f2",
    summary="mean of precision and recall in which recall counts twice as much",
    reference="van Rijsbergen 1979",
    rests_on=POSITIVES,
    formula="5 TP / (5 TP + FP + 4 FN)",
    undefined=NO_POSITIVE,
    label="F2",
)

F05 = _share(
    OVERLAP,
    partial(f_scores, beta=0.5),
    name="f0.5",
    summary="mean of precision and recall in which precision counts twice as much",
    reference="van Rijsbergen 1979",
    rests_on=POSITIVES,
    formula="1.25 TP / (1.25 TP + FP + 0.25 FN)",
    undefined=NO_POSITIVE,
    label="F0.5",
)

JACCARD = _share(
    OVERLAP,
    overlap,
    name="jaccard",
    summary="samples positive and predicted positive, as a share of those that are either",
    reference="Jaccard 1912",
    rests_on=POSITIVES,
    formula="TP / (TP + FP + FN)",
    undefined=NO_POSITIVE,
    label="Jaccard",
)

YOUDEN = _of_classes(
    name="youden",
    kind=MetricKind.CONDITIONAL,
    summary="Youden's J: recall + specificity - 1",
    bind=of_totals(
        (true_positive, positive, true_negative, negative), lambda tp, p, tn, n: tp / p + tn / n - 1
    ),
    reference="Youden 1950",
    rests_on=EACH_CLASS,
    formula="TP / (TP + FN) + TN / (TN + FP) - 1",
    undefined=MISSING_CLASS,
    label="Youden's J",
    bounds=(-1.0, 1.0),
)

METRICS = (PRECISION, RECALL, SPECIFICITY, NPV, F1, F2, F05, JACCARD, YOUDEN)
