"""DeLong's paired test of two AUCs.

## delong

DeLong's test of two correlated AUCs: the default for the AUC.

Formula, with A1 and A2 the AUCs, and I the influence of each sample on A1 less that on A2:

```text
z = (A1 - A2) / √V,  V = M/(M - 1) Σ_positive I² + N/(N - 1) Σ_negative I²                     (1)
```

Algorithm:

1. Compute each sample's placement under both configurations, and the difference of its influences,
   as described for the method `delong`. Over repeats they are averaged.
2. V as in (1); of samples in groups the influences are added up within each (Obuchowski 1997).
3. z is normal; the interval is A1 - A2 ∓ z √V. Where both AUCs are the same p is 1, whatever V;
   where V is 0 and they are not, p is undefined.

Sample weights are refused: `wald` takes them. The AUCs are those of pooled samples, whatever
`--pooling`; `wald` follows it.

Differences: MLstatkit returns p = 0 for identical scores.

Assumptions: independent samples or groups, some tens of each class.

When to use: for two configurations that were named before seeing results. When not: for the winner
of a search; near AUC 1.

Cost: O(N log N).

Source: DeLong, DeLong & Clarke-Pearson 1988, section 3; Obuchowski 1997.
"""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase
from bbccli.comparisons.pairs.needs import Need
from bbccli.comparisons.pairs.normal import z_test
from bbccli.delong import influence, variance_of
from bbccli.selection.units import n_units_of
from bbccli.types import FloatArray, Pooling, PredictionKind, Task


def run(case: PairCase) -> PairAnswer:
    """Return DeLong's test of equation 1."""
    values = case.values  # what is undefined is said first
    positive, negative = (case.matrix.outcome.values == k for k in (1, 0))
    first, second = (_influence(case, place) for place in case.places)
    square = variance_of(first - second, positive, negative, case.matrix.groups)
    error = float("nan") if isnan(square) else sqrt(square)
    unit = "sample" if case.matrix.groups is None else "group"
    return z_test(case, case.gain(values), error, n_units_of(case.matrix), f"one {unit} of a class")


def _influence(case: PairCase, place: int) -> FloatArray:
    """Influence (N,) of each sample on the AUC of one of the columns, averaged over repeats."""
    matrix, column = case.matrix, case.columns[place]
    scores = matrix.as_kind(PredictionKind.SCORE, np.array([column]))[:, :, 0]
    positive, negative = (matrix.outcome.values == k for k in (1, 0))
    found, n_defined = np.zeros(matrix.n_samples), 0
    for repeat, of_repeat in enumerate(scores):
        known = np.ones(matrix.n_samples, bool)
        if matrix.available is not None:
            known = matrix.available[repeat, :, column]
        if matrix.repeated_holdout and not ((known & positive).any() and (known & negative).any()):
            continue  # the AUC is the mean over the repeats that have one
        found += influence(of_repeat, known & positive, known & negative)
        n_defined += 1
    return found / n_defined


TESTS = (
    PairTest(
        name="delong",
        label="rows",
        answer=run,
        summary="DeLong's paired test of two AUCs",
        reference="DeLong et al. 1988; Obuchowski 1997",
        for_tasks=frozenset({Task.BINARY}),
        needs=frozenset({Need.AUC, Need.UNWEIGHTED}),
        pooling=Pooling.POOLED,
        of_influence=True,
    ),
)
