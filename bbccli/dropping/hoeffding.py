"""Hoeffding races: drop what can't be the best whatever the distribution of the losses.

With n samples, m configurations and losses in a range of width W, each mean loss is within

    eps = W sqrt((ln(2 n m) - ln(1 - threshold)) / n)

of the truth. A configuration goes when it trails the best by more than 2 eps: the two intervals do
not meet. At the size of a cross-validation this drops hardly anything.

Samples of a group count once, and weighted samples by their effective number.

Source: Maron & Moore 1993; the form of eps is that of HoeffdingRace in the Python package river.
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, loss_range
from bbccli.methods.elimination import Standing
from bbccli.types import FloatArray


def hoeffding(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations whose interval ends below that of the best.

    References
    ----------
    Maron & Moore 1993.
    """
    values = standing.performances
    n_units, n_raced = _effective_size(standing), len(values)
    spread = np.log(2 * n_units * n_raced) - np.log(1 - threshold)
    margin = loss_range(standing) * np.sqrt(spread / n_units)
    behind = standing.metric.direction.gain(values[standing.best], values)
    return Verdict(np.asarray(behind > 2 * margin))


def _effective_size(standing: Standing) -> float:
    """(sum w)^2 / sum w^2 over samples, or over groups: their number when they weigh alike."""
    outcome, groups = standing.matrix.outcome, standing.matrix.groups
    weights: FloatArray = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    if groups is not None:
        weights = np.bincount(groups, weights).astype(float)
    return float(weights.sum() ** 2 / (weights**2).sum())


RULE = Rule(
    name="hoeffding",
    label="bounds without assumptions",
    run=hoeffding,
    needs=frozenset({Requirement.LOSSES, Requirement.BOUNDED_LOSSES}),
    threshold=0.95,
    min_folds=0,
    reference="Maron & Moore 1993",
)
