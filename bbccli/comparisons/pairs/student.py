"""Student's t of the differences in the folds, plain and corrected.

## k-fold-t

The paired t test over folds. It is too liberal, and says so in a note.

Formula, with d the mean and s the standard deviation of the J differences in the folds of all
repeats:

```text
t = d / (s / √J),  df = J - 1                                                                 (1)
```

Algorithm:

1. Score both in each fold, and take the differences.
2. Compute t, its two-sided p-value, and d ∓ t_(J-1) s/√J. The effect is Cohen's d of paired
   differences, d/s.
3. Where all differences are the same p is undefined, unless all are 0: then it is 1. With fewer
   than three folds it is undefined.

Assumptions: independent folds. They are not: their models share training samples, and those of
several repeats share test samples.

When to use: to check a published figure. When not: otherwise; `corrected-t` costs the same.

Cost: the performances in the folds.

Source: Student 1908; Dietterich 1998, section 3.3.

## corrected-t

The t test with the variance of Nadeau and Bengio.

Formula:

```text
t = d / (s √(1/J + n_test/n_train)),  df = J - 1                                              (2)
```

Algorithm: as for `k-fold-t`, with this standard error. n_test/n_train is the mean over the folds as
they are, 1/(K - 1) for K equal ones. In repeated hold-out the parts that are held out are the
folds.

Assumptions: the correlation of two folds is n_test/(n_test + n_train), a rule of thumb.

When to use: where all there is are performances in folds, above all with repeats. When not: where
predictions of the samples are there and the metric is smooth: `wald` rests on N samples, not on J
folds; for the winner of a search.

Cost: the performances in the folds.

Source: Nadeau & Bengio 2003; with repeats Bouckaert & Frank 2004.
"""

from __future__ import annotations

from functools import partial
from math import sqrt

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, two_sided_t, undefined
from bbccli.comparisons.pairs.folds import FEWEST, fold_differences
from bbccli.comparisons.pairs.needs import Need
from bbccli.intervals.ends import interval_by
from bbccli.notes import Note, too_liberal
from bbccli.types import Pooling


def run(case: PairCase, *, corrected: bool) -> PairAnswer:
    """Return the t test of equation 1, or of equation 2."""
    folds = fold_differences(case)
    n, mean = len(folds.gains), folds.mean
    notes: tuple[Note, ...] = () if corrected else (too_liberal(case.test),)
    values = folds.values.mean(axis=0)
    if n < FEWEST:
        why = f"{n} folds are too few for a standard deviation"
        return undefined(case, why, "more folds, or wald", n_units=n, values=values)
    if not folds.spread and mean:
        why = f"the difference is {mean:.3g} in every fold: there is no variance"
        return undefined(case, why, "wald or permutation", n_units=n, values=values)
    error = folds.spread * sqrt(1 / n + (folds.ratio if corrected else 0.0))
    t = mean / error if error else 0.0

    def ends(outside: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        reach = -float(stdtrit(n - 1, outside)) * error
        return mean - reach, mean + reach

    return PairAnswer(
        statistic=t,
        df=(float(n - 1),),
        p=two_sided_t(t, n - 1) if error else 1.0,
        interval=interval_by(ends, case.bounded, case.plan) if error else None,
        effect=folds.effect,
        n_units=n,
        notes=notes,
        values=values,
    )


TESTS = (
    PairTest(
        name="k-fold-t",
        label="folds, too liberal",
        answer=partial(run, corrected=False),
        summary="paired t test over folds, which it takes for independent",
        reference="Student 1908; Dietterich 1998",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
    ),
    PairTest(
        name="corrected-t",
        label="folds",
        answer=partial(run, corrected=True),
        summary="t test over folds, its variance corrected for shared training samples",
        reference="Nadeau & Bengio 2003; Bouckaert & Frank 2004",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
    ),
)
