"""Hoeffding races: drop what can't be the best whatever the distribution of the losses.

The mean of n losses in a range of width W is more than eps away from the truth with a probability
of at most 2 exp(-2 n eps^2 / W^2) (Hoeffding 1963, Theorem 2). With m configurations and up to n
looks at each there are n m such means, so all of them are within

    eps = W sqrt((ln(2 n m) - ln(1 - threshold)) / (2 n))

of the truth with probability `threshold`: there 2 n m exp(-2 n eps^2 / W^2) = 1 - threshold. A
configuration goes when it trails the best by more than 2 eps: the two intervals do not meet. At
the size of a cross-validation this drops little.

Samples of a group count once, and weighted samples by their effective number.

Source: Maron & Moore 1993; Hoeffding 1963, Theorem 2.
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, loss_range
from bbccli.dropping.standing import Standing
from bbccli.outcome import effective_size
from bbccli.types import FloatArray


def hoeffding(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations whose interval ends below that of the best.

    References
    ----------
    Maron & Moore 1993; Hoeffding 1963, Theorem 2.
    """
    values = standing.performances
    n_units, n_raced = _effective_size(standing), len(values)
    spread = np.log(2 * n_units * n_raced) - np.log(1 - threshold)
    margin = loss_range(standing) * np.sqrt(spread / (2 * n_units))
    behind = standing.metric.direction.gain(values[standing.best], values)
    return Verdict(np.asarray(behind > 2 * margin))


def _effective_size(standing: Standing) -> float:
    """(sum w)^2 / sum w^2 over samples, or over groups: their number when they weigh alike."""
    outcome, groups = standing.matrix.outcome, standing.matrix.groups
    weights: FloatArray = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    if groups is not None:
        weights = np.bincount(groups, weights).astype(float)
    return effective_size(weights)


RULE = Rule(
    name="hoeffding",
    label="bounds without assumptions",
    run=hoeffding,
    needs=frozenset({Requirement.LOSSES, Requirement.BOUNDED_LOSSES}),
    threshold=0.95,
    min_folds=0,
    reference="Maron & Moore 1993",
)
