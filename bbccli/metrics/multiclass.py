"""Precision, recall and F1 over all classes: by class, by sample, or by size of class."""

from __future__ import annotations

from functools import partial

from bbccli.metrics.base import CLASSES, MISSING_CLASS, Metric, mean_of
from bbccli.metrics.confusion import (
    NEVER_PREDICTED,
    actual,
    averaged,
    f_scores,
    guessed,
    hits,
    is_correct,
    precisions,
    recalls,
    totals_by_class,
    weighted,
)
from bbccli.metrics.weighting import EACH_CLASS, EACH_CLASS_PREDICTED, EVERY_SAMPLE
from bbccli.types import Direction, MetricKind, PredictionKind

_averaged = partial(
    Metric,
    tasks=CLASSES,
    wants=PredictionKind.LABEL,
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
    reference="Sokolova & Lapalme 2009",
    by_class=True,
)
"""A metric of predicted classes of which 1 is best."""

_as_accuracy = partial(
    _averaged, kind=MetricKind.MEAN, bind=mean_of(is_correct), by_class=False, rests_on=EVERY_SAMPLE
)
"""One that is the accuracy under another name."""


PRECISION_MACRO = _averaged(
    name="precision-macro",
    kind=MetricKind.CONDITIONAL,
    label="macro precision",
    summary="mean over classes of the precision",
    bind=totals_by_class((hits, guessed), lambda tp, predicted: (tp / predicted).mean(axis=-1)),
    bind_zero=averaged(precisions),
    rests_on=EACH_CLASS_PREDICTED,
    formula="(1/K) Σₖ TPₖ / (TPₖ + FPₖ)",
    undefined=NEVER_PREDICTED + "; scikit-learn counts its precision as 0",
)

PRECISION_MICRO = _as_accuracy(
    name="precision-micro",
    label="micro precision",
    summary="precision of all classes' counts added up: the accuracy",
    formula="Σₖ TPₖ / Σₖ (TPₖ + FPₖ)",
)

PRECISION_WEIGHTED = _averaged(
    name="precision-weighted",
    label="weighted precision",
    summary="mean over classes, weighted by their size, of the precision",
    bind=totals_by_class(
        (hits, guessed, actual), lambda tp, predicted, true: weighted(tp / predicted, true)
    ),
    bind_zero=averaged(precisions, by_size=True),
    rests_on=EVERY_SAMPLE,
    formula="Σₖ (tₖ/N) TPₖ / (TPₖ + FPₖ), with tₖ samples of class k",
    undefined="if a class of samples is never predicted; scikit-learn counts its precision as 0",
)

RECALL_MACRO = _averaged(
    name="recall-macro",
    kind=MetricKind.CONDITIONAL,
    label="macro recall",
    summary="mean over classes of the recall: the balanced accuracy",
    bind=totals_by_class((hits, actual), lambda tp, true: (tp / true).mean(axis=-1)),
    bind_zero=averaged(recalls),
    rests_on=EACH_CLASS,
    formula="(1/K) Σₖ TPₖ / (TPₖ + FNₖ)",
    undefined=MISSING_CLASS,
)

RECALL_MICRO = _as_accuracy(
    name="recall-micro",
    label="micro recall",
    summary="recall of all classes' counts added up: the accuracy",
    formula="Σₖ TPₖ / Σₖ (TPₖ + FNₖ)",
)

RECALL_WEIGHTED = _as_accuracy(
    name="recall-weighted",
    label="weighted recall",
    summary="mean over classes, weighted by their size, of the recall: the accuracy",
    formula="Σₖ (tₖ/N) TPₖ / (TPₖ + FNₖ), with tₖ samples of class k",
)

F1_MACRO = _averaged(
    name="f1-macro",
    label="macro F1",
    summary="mean over classes of F1",
    bind=totals_by_class((hits, guessed, actual), lambda *totals: f_scores(*totals).mean(axis=-1)),
    bind_zero=averaged(f_scores),
    rests_on=EACH_CLASS,
    formula="(1/K) Σₖ 2 TPₖ / (2 TPₖ + FPₖ + FNₖ)",
    undefined=MISSING_CLASS,
)

F1_MICRO = _as_accuracy(
    name="f1-micro",
    label="micro F1",
    summary="F1 of all classes' counts added up: the accuracy",
    formula="2 Σₖ TPₖ / Σₖ (2 TPₖ + FPₖ + FNₖ)",
)

F1_WEIGHTED = _averaged(
    name="f1-weighted",
    label="weighted F1",
    summary="mean over classes, weighted by their size, of F1",
    bind=totals_by_class(
        (hits, guessed, actual),
        lambda tp, predicted, true: weighted(f_scores(tp, predicted, true), true),
    ),
    bind_zero=averaged(f_scores, by_size=True),
    rests_on=EVERY_SAMPLE,
    formula="Σₖ (tₖ/N) 2 TPₖ / (2 TPₖ + FPₖ + FNₖ), with tₖ samples of class k",
)

METRICS = (
    PRECISION_MACRO,
    PRECISION_MICRO,
    PRECISION_WEIGHTED,
    RECALL_MACRO,
    RECALL_MICRO,
    RECALL_WEIGHTED,
    F1_MACRO,
    F1_MICRO,
    F1_WEIGHTED,
)
