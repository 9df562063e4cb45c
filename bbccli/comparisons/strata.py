"""Strata of units: classes, where a metric is made of pairs of samples of two of them."""

from __future__ import annotations

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.types import IntArray


def strata_of(matrix: PredictionMatrix, metric: Metric, members: IntArray) -> tuple[IntArray, int]:
    """Return the stratum of each of U units, and the units with a sample of the rarest class.

    Parameters
    ----------
    members : (N,) int
        Unit of each sample, from 0 to U - 1.

    Examples
    --------
    >>> from bbccli import METRICS, read
    >>> matrix = read("sample_data/progression.parquet")
    >>> strata, rarest = strata_of(matrix, METRICS["auc"], np.arange(matrix.n_samples))
    >>> np.bincount(strata).tolist(), rarest
    ([40, 40], 40)
    """
    n_units = int(members.max()) + 1
    alone: IntArray = np.zeros(n_units, np.int64)
    if not (metric.of_pairs and matrix.task.is_classification):
        return alone, n_units
    classes = np.unique(matrix.outcome.values, return_inverse=True)[1]
    held = np.zeros((n_units, int(classes.max()) + 1), bool)
    held[members, classes] = True
    pure = bool((held.sum(axis=1) == 1).all())
    return (held.argmax(axis=1) if pure else alone), int(held.sum(axis=0).min())
