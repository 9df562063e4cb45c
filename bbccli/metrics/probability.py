"""Metrics of predicted probabilities."""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import CLASSES, Metric, mean_of
from bbccli.metrics.capped import MeanSurprise
from bbccli.metrics.weighting import EVERY_SAMPLE
from bbccli.types import Direction, FloatArray, MetricKind, PredictionKind, Task


def quadratic_loss(outcome: Outcome, chances: FloatArray) -> FloatArray:
    """(N, C) squared distance to the truth: of the positive class alone, or over all classes."""
    if chances.ndim == 2:
        return np.asarray((chances.astype(np.float64) - outcome.values[:, None]) ** 2)
    samples, codes = np.arange(len(outcome)), outcome.values.astype(np.intp)
    losses = np.empty(chances.shape[:2])
    for c in range(chances.shape[1]):  # one copy (N, K) at a time: there may be many classes
        beside = chances[:, c].astype(np.float64)
        beside[samples, codes] -= 1
        losses[:, c] = np.square(beside, out=beside).sum(axis=1)
    return losses


_of_chances = partial(
    Metric,
    kind=MetricKind.MEAN,
    tasks=CLASSES,
    wants=PredictionKind.PROBABILITY,
    direction=Direction.MINIMIZE,
    rests_on=EVERY_SAMPLE,
)
"""A mean loss of probabilities."""

LOG_LOSS = _of_chances(
    name="log-loss",
    label="log-loss",
    summary="mean negative logarithm of the probability given to the true class",
    bounds=(0.0, np.inf),
    bind=MeanSurprise(),
    reference="Good 1952",
    formula="-(1/N) Σ ln pᵢ(yᵢ)",
    remarks=(
        "pᵢ(yᵢ) counts as ε at least, so that one mistake made with certainty costs 16 and not "
        "infinity. ε is 2⁻²³ = 1.2e-7 (--clip), the precision of 32 bits near 1, whatever type "
        "the file has; scikit-learn's is that of the type, 2.2e-16 in 64 bits."
    ),
)

BRIER = _of_chances(
    name="brier",
    label="Brier score",
    summary="mean squared distance of the probabilities from the truth",
    bounds=(0.0, 2.0),
    bind=mean_of(quadratic_loss),
    reference="Brier 1950",
    bounds_of=lambda outcome: (0.0, 1.0 if outcome.task is Task.BINARY else 2.0),
    formula="(1/N) Σ (pᵢ - [yᵢ positive])² for two classes, (1/N) Σ Σₖ (pᵢₖ - [yᵢ = k])² for more",
    remarks="For two classes it goes from 0 to 1, half of the sum over both, as in scikit-learn.",
)

METRICS = (LOG_LOSS, BRIER)
