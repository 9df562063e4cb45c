"""Tests of the differences in the folds.

## k-fold-t

The paired t test over folds, which is too liberal: a note says so.

Formula, with d the mean and s the standard deviation of the J differences in the folds of all
repeats:

```text
t = d / (s / √J),  df = J - 1
```

Algorithm: score both in each fold, and compute t, its two-sided p-value, d ∓ t_(J-1) s/√J, and
Cohen's d of paired differences, d/s. If all differences are equal p is undefined, or 1 if they are
0. Three folds or more are needed.

Assumptions: independent folds. They are not: their models share training samples.

When to use: to check a published figure. When not: otherwise; `corrected-t` costs the same.

Source: Student 1908; Dietterich 1998, section 3.3.

## corrected-t

The t test with the variance of Nadeau and Bengio.

Formula:

```text
t = d / (s √(1/J + n_test/n_train)),  df = J - 1
```

Algorithm: as for `k-fold-t`, with this standard error. n_test/n_train is the mean over the folds,
1/(K - 1) for K equal ones; in repeated hold-out the held-out parts are the folds.

Assumptions: the correlation of two folds is n_test/(n_test + n_train), a rule of thumb.

When to use: if there are only scores in folds, above all with repeats. When not: if the metric is
smooth and there are predictions, use `wald`.

Source: Nadeau & Bengio 2003; with repeats Bouckaert & Frank 2004.

## five-by-two-t

Dietterich's 5x2cv paired t test.

Formula, with d_ij the difference in fold j of repeat i, d_i their mean, and s_i² = (d_i1 - d_i)² +
(d_i2 - d_i)²:

```text
t = d_11 / √(Σ s_i² / 5),  df = 5
```

Algorithm: score both in the ten folds of exactly five repeats of two. The numerator is the first
fold of the first repeat alone, so p depends on which comes first; the difference shown is the mean
of all ten. If all s_i are 0, p is 1 if no fold differs, and undefined otherwise.

When to use: to check a published figure. When not: otherwise; `five-by-two-f` uses all ten.

Source: Dietterich 1998, section 3.5.

## five-by-two-f

Alpaydin's combined 5x2cv F test.

Formula:

```text
F = Σ_i Σ_j d_ij² / (2 Σ s_i²),  df = 10, 5
```

Algorithm: as for `five-by-two-t`, with this statistic, which does not depend on the order of the
folds.

When to use: for a learner with five repeats of two folds. When not: with other designs, for which
there is `corrected-t`.

Source: Alpaydin 1999.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from bbccli.comparisons.pairs.base import PairCase, PairNeed, PairTest
from bbccli.comparisons.records import Comparison, Effect
from bbccli.errors import UndefinedError
from bbccli.notes.comparisons import too_liberal
from bbccli.platform.dataclass import dataclass
from bbccli.stats.intervals.ends import interval_by
from bbccli.stats.selection.candidates import by_repeat, fold_performances, folds_of, holdout_parts
from bbccli.stats.selection.pooling import MeanOverFolds
from bbccli.stats.selection.units import size_ratio
from bbccli.stats.significance import Pivot, Significance, f_ratio
from bbccli.types import FloatArray, Pooling

FEWEST = 3
"""Folds, of all repeats, under which a standard deviation says nothing."""

ROUNDING_TOLERANCE = 1e-12
"""Share of the performances below which differences, and their spread, are rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Differences in J folds, of all repeats.

    values (J, 2): performances of the two in each fold.
    gains (J,): how much better the first is in each, repeat by repeat.
    ratio: n_test / n_train, the mean over the folds.
    """

    values: FloatArray
    gains: FloatArray
    ratio: float

    @classmethod
    def of(cls, case: PairCase) -> Folds:
        """Score the two of a case in its folds, or in the parts that repeats hold out.

        Raises UndefinedError: the metric is undefined in some fold for either.
        """
        values, ratio = _in_folds(case)
        undefined = np.isnan(values)
        if undefined.any():
            name = case.names[int(np.flatnonzero(undefined.any(axis=0))[0])]
            raise UndefinedError(
                f"{case.metric.label} of {name} is undefined in "
                f"{int(undefined.any(axis=1).sum())} of {len(values)} folds",
                hint="wald or permutation, over samples; or stratified folds that hold every class",
            )
        gains = np.asarray(case.metric.direction.gain(values[:, 0], values[:, 1]))
        folds = cls(values, gains, ratio)
        return replace(folds, gains=np.where(np.abs(gains) <= folds.rounding, 0.0, gains))

    @property
    def rounding(self) -> float:
        """Spread up to this is rounding."""
        return ROUNDING_TOLERANCE * float(np.abs(self.values).max())

    @property
    def spread(self) -> float:
        """Standard deviation of the differences; exactly 0 where they differ by rounding."""
        spread = float(np.std(self.gains, ddof=1)) if len(self.gains) > 1 else 0.0
        return 0.0 if spread <= self.rounding else spread

    @property
    def rests_on(self) -> dict[str, Any]:
        """Fields of every comparison of these folds."""
        return {"n_units": len(self.gains), "values": self.values.mean(axis=0)}

    @property
    def effect(self) -> Effect | None:
        """Cohen's d of paired differences: mean / standard deviation; None without spread."""
        return Effect("cohens-d", float(self.gains.mean()) / self.spread) if self.spread else None

    @property
    def undefined(self) -> str:
        """Say why there is no Student's t of them; an empty text where there is."""
        if len(self.gains) < FEWEST:
            return f"{len(self.gains)} folds are too few for a standard deviation"
        if not self.spread:
            same = float(self.gains.mean()) + 0.0
            return f"the difference is {same:.3g} in every fold: there is no variance"
        return ""


def _in_folds(case: PairCase) -> tuple[FloatArray, float]:
    matrix, pair = case.matrix, np.array(case.configurations)
    parts = holdout_parts(matrix)
    if parts is None:
        of_repeats = fold_performances(matrix, case.metric)
        return np.vstack([of_one[:, pair] for of_one in of_repeats]), size_ratio(folds_of(matrix))
    held_out = MeanOverFolds.of_parts(by_repeat(matrix, case.metric, case.columns), parts)
    values = [
        scorer(np.ones((1, len(rows)), np.uint8))[:, case.places]
        for scorer, rows in zip(held_out.scorers, held_out.members, strict=True)
    ]
    sizes = parts.sum(axis=1)
    return np.vstack(values), float(np.mean(sizes / np.maximum(matrix.n_samples - sizes, 1)))


def student(case: PairCase, *, corrected: bool) -> Comparison:
    """Return the t test of equation 1, or of equation 2."""
    folds = Folds.of(case)
    if folds.undefined and (len(folds.gains) < FEWEST or folds.gains.any()):
        few = len(folds.gains) < FEWEST
        remedy = "more folds, or wald" if few else "wald or permutation"
        return case.undefined(folds.undefined, remedy, **folds.rests_on)
    pivot = Pivot.of_parts(folds.gains, folds.ratio if corrected else 0.0)
    interval = interval_by(pivot.ends, case.bounded, case.plan) if pivot.error else None
    return case.result(
        statistic=pivot.statistic,
        df=(pivot.df,),
        p=pivot.p,
        interval=interval,
        effect=folds.effect,
        notes=() if corrected else (too_liberal(case.test),),
        **folds.rests_on,
    )


def five_by_two(case: PairCase, *, combined: bool) -> Comparison:
    """Return Dietterich's t test, or Alpaydin's F test."""
    folds = Folds.of(case)
    gains = folds.gains.reshape(5, 2)
    squares = float(((gains - gains.mean(axis=1, keepdims=True)) ** 2).sum())
    result = partial(case.result, **folds.rests_on)
    if squares <= folds.rounding**2:
        if gains.any():
            why = "both folds of each repeat differ by the same amount, so there is no variance"
            return case.undefined(why, "wald or permutation", **folds.rests_on)
        return result(statistic=0.0, df=(10.0, 5.0) if combined else (5.0,), p=1.0)
    if combined:
        tested = f_ratio(float((gains**2).sum()) / (2 * squares), 10, 5)
    else:
        pivot = Pivot(float(gains[0, 0]), sqrt(squares / 5), 5.0)
        tested = Significance(pivot.statistic, (5.0,), pivot.p)
    return result(**tested._asdict(), effect=folds.effect)


_test = partial(PairTest, needs=frozenset({PairNeed.FOLDS}), pooling=Pooling.FOLD_MEAN)
_five_by_two = partial(_test, needs=frozenset({PairNeed.FOLDS, PairNeed.FIVE_BY_TWO}))

TESTS = (
    _test("k-fold-t", partial(student, corrected=False), "Student 1908; Dietterich 1998"),
    _test(
        "corrected-t",
        partial(student, corrected=True),
        "Nadeau & Bengio 2003; Bouckaert & Frank 2004",
    ),
    _five_by_two("five-by-two-t", partial(five_by_two, combined=False), "Dietterich 1998"),
    _five_by_two("five-by-two-f", partial(five_by_two, combined=True), "Alpaydin 1999"),
)
