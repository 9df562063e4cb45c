"""The figures of single samples: what a metric says of each alone."""

from __future__ import annotations

from math import isqrt

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.metrics.base import Metric, Scorer
from bbccli.stats.selection.candidates import Candidates, cached
from bbccli.types import FloatArray, Pooling, readonly

LEAST_TOGETHER = 64
"""Samples scored at once, at least: as many rows of as many weights."""


def of_samples(matrix: PredictionMatrix, metric: Metric, configuration: int) -> FloatArray:
    """Return the figure (N,) of each sample alone: of a mean of losses, the losses.

    With repeats it is the mean over them; NaN where one sample is not enough, or has no prediction.

    Notes
    -----
    Time and memory O(N sqrt(N)).
    """
    key = ("single", metric, configuration)
    return cached(matrix, key, lambda: readonly(_score(matrix, metric, configuration)))


def worst_sample(matrix: PredictionMatrix, metric: Metric, configuration: int) -> float | None:
    """Return the worst figure of a single sample; None where none is defined."""
    figures = of_samples(matrix, metric, configuration)
    gains = metric.direction.sign * figures[np.isfinite(figures)]
    return metric.direction.sign * float(gains.min()) if len(gains) else None


def _score(matrix: PredictionMatrix, metric: Metric, configuration: int) -> FloatArray:
    scorer = Candidates(matrix, metric, Pooling.POOLED).bind(np.array([configuration]))
    return figures_of(scorer, matrix.n_samples)


def figures_of(scorer: Scorer, n_samples: int) -> FloatArray:
    """Return the figure (N,) of each sample alone, of a scorer of one configuration."""
    figures = np.empty(n_samples)
    step = max(isqrt(n_samples), LEAST_TOGETHER)
    for start in range(0, n_samples, step):
        rows = np.zeros(n_samples, bool)
        rows[start : start + step] = True
        alone = np.eye(int(rows.sum()), dtype=np.uint8)
        figures[rows] = scorer.restrict(rows)(alone)[:, 0]
    return figures
