"""Wald's test of the difference of any smooth metric, from influence values.

## wald

The normal test of a difference, for every metric that changes smoothly with its samples: the
default where neither `mcnemar` nor `delong` fits.

Formula, with L_i the influence of sample i on the performance of the first less that on the second,
strata h of n_h samples, and S_h² the variance of L in each:

```text
z = (m1 - m2) / √(Σ_h S_h² / n_h)                                                             (1)
```

Algorithm:

1. Score both without each sample in turn: L_i = (n_h - 1)(m - m_(-i)), and their difference.
2. Strata are the classes for metrics of pairs, and the folds for means over folds or pairs within
   folds, in a single repeat; both where both apply. Whole groups are left out where samples come in
   groups, in one stratum.
3. Compute z, which is normal, and m1 - m2 ∓ z √V. For the AUC this is DeLong's test; for a mean
   loss the paired t test's statistic; for the accuracy McNemar's z with the variance at the
   difference.
4. Let all samples that raise the difference count a thousandth more at once, and then all that
   lower it. Where the change is not that of one by one the metric is not smooth, as a median, and p
   is undefined.

Assumptions: independent samples or groups, some tens of them.

When to use: for F1, log-loss, Brier score, R², concordance and the like, with weights, groups and
repeats. When not: for the winner of a search; for medians, where `bootstrap` and `permutation` do.

Cost: one evaluation of the metric per sample, or group; O(N) and O(N log N) for means and the AUC.

Source: Efron & Tibshirani 1993, chapter 11; Davison & Hinkley 1997, section 2.7.
"""

from __future__ import annotations

import numpy as np

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, undefined
from bbccli.comparisons.pairs.normal import z_test
from bbccli.influence import influence, standard_error
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling

COPIES = 1000
"""M, weight of every sample before some are raised by 1: a small step in whole numbers."""

ROUGH = 0.25
"""Share by which the change of a smooth metric does not differ from the sum of the changes."""


def run(case: PairCase) -> PairAnswer:
    """Return Wald's test of equation 1."""
    difference = case.difference  # what is undefined is said first
    weights, members = _present(case), _members(case)
    strata = _strata(case) if members is None else None
    values = influence(case.scorer, weights, strata=strata, members=members)
    first, second = values[:, case.places].T
    found = np.asarray(case.metric.direction.gain(first, second))
    units = np.arange(len(weights)) if members is None else members
    kept = np.bincount(units, weights) > 0
    if np.isnan(found[kept]).any():
        why = f"without one {_word(case)} the {case.metric.label} of either has no value"
        return undefined(case, why, "more samples", n_units=int(kept.sum()))
    strata = np.zeros(len(found), np.int64) if strata is None else strata
    if not _adds_up(case, units, np.where(kept, found, 0.0), _sizes(strata, kept)):
        why = f"the {case.metric.label} jumps when a {_word(case)} counts a little more"
        return undefined(case, why, "bootstrap or permutation", n_units=int(kept.sum()))
    error = standard_error(found[kept], strata[kept])
    lacking = f"one {_word(case)} of a class or a fold"
    return z_test(case, difference, error, int(kept.sum()), lacking)


def _word(case: PairCase) -> str:
    return "sample" if case.matrix.groups is None else "group"


def _present(case: PairCase) -> IntArray:
    """(N,) 1 for the samples that any of the two predicts in any repeat."""
    available = case.matrix.available
    if available is None:
        return np.ones(case.matrix.n_samples, np.uint8)
    return np.asarray(available[:, :, case.columns].any(axis=(0, 2)), np.uint8)


def _members(case: PairCase) -> IntArray | None:
    """(N,) group of each sample, from 0 on."""
    groups = case.matrix.groups
    return None if groups is None else np.unique(groups, return_inverse=True)[1]


def _strata(case: PairCase) -> IntArray:
    """(N,) class of each sample for metrics of pairs, and its fold where folds are scored."""
    matrix = case.matrix
    strata: IntArray = np.zeros(matrix.n_samples, np.int64)
    if case.metric.of_pairs and matrix.task.is_classification:
        strata = strata + matrix.outcome.values.astype(np.int64)
    by_fold = case.plan.pooling is not Pooling.POOLED and matrix.n_repeats == 1
    if by_fold and matrix.folds is not None:
        strata = strata + (strata.max() + 1) * matrix.folds[0]
    return np.unique(strata, return_inverse=True)[1]


def _sizes(strata: IntArray, kept: BoolArray) -> IntArray:
    """(U,) number of kept units in the stratum of each."""
    return np.maximum(np.bincount(strata, kept)[strata], 1)


def _adds_up(case: PairCase, units: IntArray, found: FloatArray, sizes: IntArray) -> bool:
    """Whether what changes one by one changes as much all together: the metric is smooth."""
    derivatives = found / sizes
    sides = np.stack([found > 0, found < 0])
    base = np.full((1, len(units)), COPIES, np.uint16)
    weights = np.vstack([base, base + sides[:, units]])
    scored = case.metric.direction.gain(*case.score(weights).T)
    together = COPIES * (scored[1:] - scored[0])
    slack = ROUGH * float(np.abs(derivatives).sum()) + COPIES * case.rounding
    return bool((np.abs(together - sides @ derivatives) <= slack).all())


TESTS = (
    PairTest(
        name="wald",
        label="rows",
        answer=run,
        summary="normal test of a difference from the samples' influence on it",
        reference="Efron & Tibshirani 1993; Davison & Hinkley 1997",
        of_influence=True,
    ),
)
