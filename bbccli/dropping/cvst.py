"""CVST: a sequential test on how often a configuration is among the top ones.

1. In each fold, order the configurations by their mean loss. The top ones are the longest run from
   the best whose losses per sample do not differ significantly, at the level
   (1 - threshold) / (C - 1): Cochran's Q where losses are right or wrong, else Friedman's test.
2. The trace of a configuration has a 1 for each fold in which it is among the top ones.
3. Wald's sequential test: drop it when the sum of its trace after s folds is at most
   0.651 s - 1.777. So 0, 0, 0 goes after the third fold.

CVST lets the training set grow from step to step; here the steps are the folds, in the order in
which they were trained, and the trace is that of the configurations that are still in. The lines
of Wald's test are those of CVST's defaults: 10 steps, alpha 0.01, beta 0.1, pi0 0.5.

Source: Krueger, Panknin & Braun 2015; the R package CVST.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, losses
from bbccli.dropping.friedman import rank_sums
from bbccli.dropping.standing import Standing
from bbccli.types import BoolArray, FloatArray, distinct

SLOPE, INTERCEPT = 0.651, 1.777
"""Of the line under which a trace is given up."""


def cvst(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations that were among the top ones too seldom.

    References
    ----------
    Krueger, Panknin & Braun 2015.
    """
    level = (1 - threshold) / max(standing.matrix.n_configurations - 1, 1)
    tops = [
        top_ones(of_repeat[own == fold], level)
        for of_repeat, own in zip(losses(standing), standing.folds, strict=True)
        for fold in distinct(own)
    ]
    worse = np.sum(tops, axis=0) <= SLOPE * len(tops) - INTERCEPT
    worse[standing.best] = False
    return Verdict(worse)


def top_ones(gains: FloatArray, level: float) -> BoolArray:
    """Mark (C,) the longest run from the best of gains (n, C) without a significant difference."""
    order = np.argsort(-gains.mean(axis=0), kind="stable")
    ordered = gains[:, order]
    p_values = _cochran if np.isin(np.abs(ordered), (0.0, 1.0)).all() else _friedman
    n_top = 1
    for p_value in p_values(ordered):
        if p_value < level:
            break
        n_top += 1
    top = np.zeros(len(order), bool)
    top[order[:n_top]] = True
    return top


def _cochran(gains: FloatArray) -> Iterator[float]:
    """P of Cochran's Q among the first 2, 3, ..., C columns of gains (n, C), each 0 or +-1."""
    from scipy.special import chdtrc

    right = np.abs(gains)
    k = np.arange(1, right.shape[1] + 1)
    totals = right.sum(axis=0)
    rows = np.cumsum(right, axis=1)
    every = np.cumsum(totals)
    over = (k - 1) * (k * np.cumsum(totals**2) - every**2)
    under = k * every - (rows**2).sum(axis=0)
    # where no sample tells the configurations apart there is nothing to test
    statistic = np.divide(over, under, out=np.zeros(len(k)), where=under > 0)
    yield from chdtrc(k[1:] - 1, statistic[1:]).tolist()


def _friedman(gains: FloatArray) -> Iterator[float]:
    """P of Friedman's test among the first 2, 3, ..., C columns of gains (n, C)."""
    for k in range(2, gains.shape[1] + 1):
        yield rank_sums(gains[:, :k]).p_value


RULE = Rule(
    name="cvst",
    label="sequential test of traces",
    run=cvst,
    needs=frozenset({Requirement.FOLDS, Requirement.LOSSES}),
    threshold=0.95,
    min_folds=2,
    reference="Krueger, Panknin & Braun 2015",
)
