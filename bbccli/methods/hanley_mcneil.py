"""Hanley and McNeil's interval of the AUC of held-out samples, without and with preselection.

## hanley-mcneil

HM: the AUC of samples that took no part in the selection, with the interval of Hanley and McNeil.

A [split method](#split-methods), for the AUC of two classes only; not in the default set.

Formula, with A the AUC of M positive and N negative evaluation samples, Q1 = A / (2 - A) and Q2 = 2
A² / (1 + A):

```text
variance = (A (1 - A) + (M - 1) (Q1 - A²) + (N - 1) (Q2 - A²)) / (M N)
```

Algorithm:

1. Split the samples, and select the winner on those of the selection.
2. Compute A on the evaluation samples, and its variance from A and the counts alone.
3. The estimate is A. The interval is A ± z √variance, clipped to [0, 1].

Assumptions: those above; exponential distributions of the scores, which give Q1 and Q2 and fit many
others well; a normal distribution of the AUC. Groups and sample weights are refused: the formula
counts independent samples.

When to use: to compare with the literature, or where only an AUC and two counts are known. When
not: otherwise; see `delong` for how often it holds the truth.

The code of Paraschakis et al. 2024 computes something else under this name: the counts of right and
wrong predictions in the place of M and N, M + 1 in that of M - 1, and as wrong all samples of the
file but those rightly predicted in the evaluation. Its published inclusion for HM (0.84 on average,
0.34 with preselection) is that of the other formula.

Cost: one evaluation of the metric per configuration.

Source: Hanley & McNeil 1982, equation 1; Paraschakis et al. 2024.

## hanley-mcneil-10p

HM with preselection.

Not in the default set.

Formula: as for `hanley-mcneil`, with z at Šidák's level, level^(1/m).

Algorithm: that of `delong-10p`, with the variance of `hanley-mcneil`.

Assumptions: those of `hanley-mcneil`.

When to use: to compare with the literature. When not: as a result; see `delong`.

Cost: that of `hanley-mcneil`.

Source: Paraschakis et al. 2024; Šidák 1967.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.areas import hanley_mcneil_variance
from bbccli.case import Answer, Case
from bbccli.errors import UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import INTERVAL, Method
from bbccli.metrics.ranking import AUC
from bbccli.splitting.auc_interval import auc_answer
from bbccli.splitting.split import performance
from bbccli.types import BoolArray, Pooling


def run(case: Case, *, preselect: bool = False) -> Answer:
    """Return the AUC on the evaluation samples; as `auc_answer`, and samples in groups raise."""
    if case.matrix.groups is not None:
        raise UnsupportedError(
            f"{case.method} is for independent samples; these come in groups",
            hint="use delong, whose variance takes groups, or bbc: --method bbc",
        )
    return auc_answer(case, _variance, preselect=preselect)


def _variance(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> float:
    """Variance of a configuration's AUC on some samples (N,)."""
    auc = performance(matrix, AUC, Pooling.POOLED, configuration, rows)
    known = rows[None]
    if matrix.available is not None:
        known = rows & matrix.available[:, :, configuration]
    # of the samples that a configuration predicts, where repeats differ in that: the mean
    counts = [float(np.mean((known & (matrix.outcome.values == k)).sum(axis=1))) for k in (1, 0)]
    return hanley_mcneil_variance(auc, *counts)


METHODS = (
    Method(
        name="hanley-mcneil",
        label="split",
        answer=run,
        gives=INTERVAL,
        summary="AUC on held-out samples, with Hanley and McNeil's interval",
        reference="Hanley & McNeil 1982; Paraschakis et al. 2024",
        splits=True,
    ),
    Method(
        name="hanley-mcneil-10p",
        label="split, best of 10 %",
        answer=partial(run, preselect=True),
        gives=INTERVAL,
        summary="as hanley-mcneil, for the best of preselected configurations, at Šidák's level",
        reference="Hanley & McNeil 1982; Paraschakis et al. 2024",
        splits=True,
    ),
)
