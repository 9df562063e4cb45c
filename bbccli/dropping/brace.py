"""BRACE: a blocked race, by the differences to the best in the same samples.

What a sample adds to the difference of two configurations has the difficulty of the sample taken
out. With d_i the loss of a configuration in sample i less that of the best so far, d its mean over
n samples and s its standard deviation, the mean that more samples would give lies, where nothing
was known before, like Student's t with n - 1 degrees of freedom around d. So the probability that
the configuration is worse is

    P = T(d sqrt(n) / s),    T the distribution function of t

1. The best is the configuration that leads so far.
2. Compute P for each of the others.
3. Drop those with P above the threshold.

It is for means of losses what `bbcd` is for any metric, without resamples. The original compares
all pairs, and drops one of two that are nearly equal; here each is compared with the best, and
none is dropped for being like another.

Samples of a group count once, by the sum of their differences, and weights weigh. Losses of
repeats are averaged.

Source: Moore & Lee 1994.
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, losses
from bbccli.dropping.standing import Standing
from bbccli.types import Direction, FloatArray


def brace(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations that are worse than the best with too high a probability.

    References
    ----------
    Moore & Lee 1994.
    """
    from scipy.special import stdtr

    gains = np.mean(losses(standing), axis=0)
    means, errors, n_units = differences(standing, gains[:, [standing.best]] - gains)
    best = float(standing.metric.direction.sign * standing.performances[standing.best])
    behind = Direction.MAXIMIZE.leads(np.array(best), best - means)
    if n_units < 2:
        return Verdict(np.zeros(len(means), bool))
    scaled = np.divide(means, errors, out=np.full(len(means), np.inf), where=errors > 0)
    probability = np.where(behind, stdtr(n_units - 1, scaled), 0.0)
    return Verdict(probability > threshold, probability=probability)


def differences(standing: Standing, values: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Return means (C,) and standard errors (C,) of values (N, C) of samples, and how many count.

    Those of a group are added up.
    """
    outcome, groups = standing.matrix.outcome, standing.matrix.groups
    weights = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    means = weights @ values / weights.sum()
    parts = weights[:, None] * (values - means) / weights.sum()
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        parts = np.stack([np.bincount(codes, column) for column in parts.T], axis=1)
    n_units = len(parts)
    errors = np.sqrt((parts**2).sum(axis=0) * n_units / max(n_units - 1, 1))
    return means, errors, n_units


RULE = Rule(
    name="brace",
    label="differences in the same samples",
    run=brace,
    needs=frozenset({Requirement.LOSSES}),
    threshold=0.99,
    min_folds=0,
    reference="Moore & Lee 1994",
)
