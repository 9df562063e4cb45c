"""The standard error of a mean score, clustered where items come in groups.

Formula: m_w ∓ z √(s² / n + (1/n²) Σ_c Σ_(i ≠ j in c) L_i L_j), with L_i the score of item i less
the winner's mean m_w over n items, s² = Σ L_i² / (n - 1), and clusters c.

Algorithm: select the winner and its mean m_w as `cvt` does. Several epochs of an item are averaged,
since repeating an item adds no items. Products of different items of a group are added to the
variance; without groups the error is s / √n. With sample weights or fold means L_i is the item's
influence value. The interval is clipped to the bounds of the metric.

Assumptions: the winner was named beforehand; many items, or groups of them, are drawn from the
population that the result is for. Errors of a judge that gives the scores are not included.

When to use: to compare with the error bars of evaluation frameworks and papers on language models.
When not: for the best of several configurations.

Cost: none.

Source: Miller 2024, sections 2.1 and 2.2.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UnsupportedError
from bbccli.methods.base import INTERVAL, Method
from bbccli.notes.intervals import as_if_chosen_beforehand, no_interval
from bbccli.stats.case import Answer, Case
from bbccli.stats.influence import influence
from bbccli.stats.intervals.ends import interval_by, without_width
from bbccli.stats.selection.units import on_few_groups, units_of
from bbccli.stats.significance import Pivot
from bbccli.types import BoolArray, FloatArray, IntArray, MetricKind


def run(case: Case) -> Answer:
    """Return the naive mean with a normal interval by its clustered standard error.

    Raises UnsupportedError: the metric is not a mean over samples.
    """
    matrix, value, winner = case.matrix, case.choice.naive, case.choice.winner
    if case.metric.kind is not MetricKind.MEAN:
        raise UnsupportedError(
            f"{case.method} is for means over samples, such as a mean score or the accuracy; "
            f"{case.metric.label} is not one",
            hint="influence, for any smooth metric; or bbc",
        )
    scored: BoolArray = np.ones(matrix.n_samples, bool)
    if matrix.available is not None:
        scored = np.asarray(matrix.available[:, :, winner].any(axis=0))
    units = units_of(matrix)[scored]
    if len(np.unique(units)) < 2:
        why, remedy = "the items are of one group", "score items of several groups"
        return Answer(value, notes=(no_interval(case.method, why, remedy),))
    scorer = case.measured.bind(np.array([winner]))
    deviations = influence(scorer, scored.astype(np.int64), np.zeros(1, np.int64))[scored, 0]
    pivot = Pivot(value, clustered_error(deviations, units))
    notes = on_few_groups(matrix) + without_width(pivot.ends, value)
    if matrix.n_configurations > 1:
        notes += (as_if_chosen_beforehand(case.method),)
    return Answer(value, interval_by(pivot.ends, case.bounded, case.plan), notes=notes)


def clustered_error(deviations: FloatArray, clusters: IntArray) -> float:
    """Return the standard error of a mean from its deviations (n,), and the clusters (n,) of the
    items.

    Source: Miller 2024, section 2.2.

    >>> scores = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    >>> apart = clustered_error(scores - 0.5, np.arange(6))
    >>> together = clustered_error(scores - 0.5, np.array([0, 0, 1, 0, 1, 1]))
    >>> round(apart, 6), round(together, 6)
    (0.223607, 0.365148)
    """
    n = len(deviations)
    squares = float((deviations**2).sum())
    of_clusters = float((np.bincount(clusters, deviations) ** 2).sum())
    return float(np.sqrt(squares / (n * (n - 1)) + (of_clusters - squares) / n**2))


METHODS = (
    Method(
        name="clustered",
        label="mean",
        answer=run,
        gives=INTERVAL,
        summary="normal interval of the winner's mean score, clustered by groups of items",
        reference="Miller 2024",
        ignores_selection=True,
    ),
)
