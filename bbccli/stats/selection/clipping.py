"""Whether the least probability in logarithms changes the figures that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.notes import Note, clipped_probabilities
from bbccli.core.plan import Plan
from bbccli.core.results import Estimate
from bbccli.metrics.base import Metric
from bbccli.metrics.probability import chance_of_truth, with_clip
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import PredictionKind

SMALLEST = float(np.finfo(np.float64).tiny)
"""Clips nothing but 0 itself."""

ROUNDING = 5e-4
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
            column = np.array([matrix.configurations.index(winner)])
            clipped, bare = (_performance(matrix, m, column, plan) for m in (metric, unclipped))
            if bare - clipped > ROUNDING * clipped:
                chances = _chances_of_truth(matrix, column)
                limit = np.inf if (chances == 0).any() else bare
                n_below = int((chances < plan.clip).sum())
                yield clipped_probabilities(
                    winner, metric.label, n_below, chances.size, plan.clip, clipped, limit
                )


def _performance(matrix: PredictionMatrix, metric: Metric, column: np.ndarray, plan: Plan) -> float:
    everything = np.ones((1, matrix.n_samples), np.uint8)
    return float(Candidates(matrix, metric, plan.pooling).bind(column)(everything)[0, 0])


def _chances_of_truth(matrix: PredictionMatrix, column: np.ndarray) -> np.ndarray:
    """Probabilities of the true class, where there are predictions, of all repeats."""
    chances = np.stack(
        [
            chance_of_truth(matrix.outcome, np.asarray(one, np.float64))[:, 0]
            for one in matrix.as_kind(PredictionKind.PROBABILITY, column)
        ]
    )
    return chances if matrix.available is None else chances[matrix.available[:, :, column[0]]]
