"""Normal tests of a difference from the influence of the samples on it.

## delong

DeLong's test of two correlated AUCs: the default for the AUC.

Formula, with A1 and A2 the AUCs, and I the influence of each sample on A1 less that on A2:

```text
z = (A1 - A2) / √V,  V = M/(M - 1) Σ_positive I² + N/(N - 1) Σ_negative I²
```

Algorithm: take the placements of the method `delong`, averaged over repeats and added up within
groups, and compare z with a normal distribution; the interval is A1 - A2 ∓ z √V. If both AUCs are
equal p is 1; if V is 0 and they are not, p is undefined (MLstatkit returns 0). Sample weights are
refused: `wald` takes them. AUCs are pooled, whatever `--pooling`; `wald` follows it.

Assumptions: independent samples or groups, some tens of each class.

When to use: for two configurations that were named before seeing results. When not: near AUC 1.

Source: DeLong, DeLong & Clarke-Pearson 1988, section 3; Obuchowski 1997.

## wald

The normal test of a difference, for every metric that changes smoothly with its samples.

It is the default if neither `mcnemar` nor `delong` applies.

Formula, with L_i the influence of sample i on the difference, strata h of n_h samples, and S_h² the
variance of L in each:

```text
z = (m1 - m2) / √(Σ_h S_h² / n_h)
```

Algorithm: L_i = (n_h - 1)(m - m_(-i)) of each configuration. Strata are the classes for metrics of
pairs, the folds for means over folds or pairs within folds, or both; with groups or repeats there
is one stratum, and whole groups are left out. For the AUC this is DeLong's test, for a mean loss
the paired t test's statistic. If a small joint change of the weights is not the sum of the single
ones, the metric is not smooth, like a median, and p is undefined.

Assumptions: independent samples or groups, some tens of them.

When to use: for F1, log-loss, Brier score, R², concordance and the like, with weights, groups and
repeats. When not: for medians, use `bootstrap` or `permutation`.

Source: Efron & Tibshirani 1993, chapter 11; Davison & Hinkley 1997, section 2.7.
"""

from __future__ import annotations

from math import isnan

import numpy as np

from bbccli.comparisons.pairs.base import PairCase, PairNeed, PairTest
from bbccli.comparisons.records import Comparison
from bbccli.stats.influence import auc_influence_in, auc_variance, influence, standard_error
from bbccli.stats.intervals.ends import interval_by
from bbccli.stats.selection.units import n_units_of, units_of
from bbccli.stats.significance import Pivot
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling, Task

COPIES = 1000
"""M, weight of every sample before some are raised by 1: a small step in whole numbers."""

FEW = 100
"""Units up to which each is made to count a little more."""

ALIKE = 0.5
"""Share by which a unit left out and one that counts a little more differ where units are few."""

ROUGH = 0.25
"""Share by which the change of a smooth metric does not differ from the sum of the changes."""

ROUNDING_TOLERANCE = 1e-10
"""Share of the performances below which a standard error is rounding."""


def z_test(
    case: PairCase, difference: float, error: float, n_units: int, too_few: str
) -> Comparison:
    """Return the normal test of a difference from its standard error.

    Without a difference p is 1, even if the error is 0. Undefined if the error is NaN because there
    are too few units (`too_few` names them), or 0 beside a difference.
    """
    equal = abs(difference) <= case.rounding
    if isnan(error):
        why = f"{too_few} has no variance; two are the least"
        return case.undefined(why, "more samples", n_units=n_units)
    if error <= ROUNDING_TOLERANCE * float(abs(case.values).max()):
        if not equal:
            why = f"the difference, {difference:.3g}, has no variance"
            return case.undefined(why, "more samples", n_units=n_units)
        return case.result(statistic=0.0, p=1.0, n_units=n_units)
    interval = interval_by(Pivot(difference, error).ends, case.bounded, case.plan)
    pivot = Pivot(0.0 if equal else difference, error)
    return case.result(statistic=pivot.statistic, p=pivot.p, interval=interval, n_units=n_units)


def run_delong(case: PairCase) -> Comparison:
    """Return DeLong's test of two AUCs."""
    difference, matrix = case.difference, case.matrix  # raises where it is undefined
    rows = np.ones(matrix.n_samples, bool)
    first, second = (auc_influence_in(matrix, c, rows) for c in case.configurations)
    positive, negative = (matrix.outcome.values == k for k in (1, 0))
    square = auc_variance(first - second, positive, negative, matrix.groups)
    too_few, n_units = f"one {case.unit} of a class", n_units_of(matrix)
    return z_test(case, difference, float(np.sqrt(square)), n_units, too_few)


def run_wald(case: PairCase) -> Comparison:
    """Return Wald's test of the difference of any smooth metric."""
    difference, matrix, unit = case.difference, case.matrix, case.unit
    weights: IntArray = np.ones(matrix.n_samples, np.uint8)
    if matrix.available is not None:  # 1 for the samples that either predicts in any repeat
        weights = np.asarray(matrix.available[:, :, case.columns].any(axis=(0, 2)), np.uint8)
    units = units_of(matrix)
    present = np.bincount(units, weights) > 0
    strata = np.zeros(len(present), np.int64) if matrix.groups is not None else _strata(case)
    values = influence(case.scorer, weights, strata=strata, members=units)[:, case.places]
    gains = np.asarray(case.metric.direction.gain(values[:, 0], values[:, 1]))
    n_units, label = int(present.sum()), case.metric.label
    if np.isnan(gains[present]).any():
        why = f"without one {unit} the {label} of either has no value"
        return case.undefined(why, "more samples", n_units=n_units)
    derivatives = np.zeros(len(present))
    derivatives[present] = gains[present] / np.bincount(strata[present])[strata[present]]
    if not _adds_up(case, units, derivatives):
        why = f"the {label} jumps when a {unit} counts a little more"
        return case.undefined(why, "bootstrap or permutation", n_units=n_units)
    error = standard_error(gains[present], strata[present])
    return z_test(case, difference, error, n_units, f"one {unit} of a class or a fold")


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


def _adds_up(case: PairCase, units: IntArray, derivatives: FloatArray) -> bool:
    """True if what changes one by one changes as much all together: the metric is smooth.

    What a unit does when it is left out is no derivative where units are few: there each is made to
    count a little more.
    """
    base = np.full((1, len(units)), COPIES, np.uint16)

    def little_more(rows: BoolArray) -> FloatArray:
        weights = np.vstack([base, base + rows[:, units]])
        scored = case.metric.direction.gain(*case.score(weights).T)
        return np.asarray(COPIES * (scored[1:] - scored[0]))

    def is_sum(each: FloatArray) -> bool:
        sides = np.stack([derivatives > 0, derivatives < 0])
        slack = ROUGH * float(np.abs(each).sum()) + COPIES * case.rounding
        return bool((np.abs(little_more(sides) - sides @ each) <= slack).all())

    if is_sum(derivatives):
        return True
    if len(derivatives) > FEW:
        return False
    each = little_more(np.eye(len(derivatives), dtype=bool))
    alike = np.abs(each - derivatives).sum() <= ALIKE * np.abs(derivatives).sum()
    return bool(alike) and is_sum(each)


TESTS = (
    PairTest(
        name="delong",
        answer=run_delong,
        reference="DeLong et al. 1988; Obuchowski 1997",
        for_tasks=frozenset({Task.BINARY}),
        needs=frozenset({PairNeed.AUC, PairNeed.UNWEIGHTED}),
        pooling=Pooling.POOLED,
        of_influence=True,
    ),
    PairTest(
        name="wald",
        answer=run_wald,
        reference="Efron & Tibshirani 1993; Davison & Hinkley 1997",
        of_influence=True,
    ),
)
