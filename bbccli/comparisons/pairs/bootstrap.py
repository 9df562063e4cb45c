"""A paired bootstrap of the difference.

## bootstrap

The paired bootstrap: the percentiles of the difference over resamples of the samples.

Formula, with d_b the difference on resample b of B:

```text
p = min(1, 2 min(1 + #{d_b ≤ 0}, 1 + #{d_b ≥ 0}) / (1 + B))                                   (1)
```

Algorithm:

1. B times: draw N of the N samples (G of the G groups) with replacement, by the very draws of the
   method `naive`, and score both on them. A resample where either has no value is drawn again.
2. The interval is made of the percentiles of the differences.
3. p as in (1): the smallest level at which such an interval leaves 0 out. Differences within
   rounding of 0 count on both sides. The error is its Monte-Carlo standard error.

Where the two predict the same p is 1. Where all resamples give the same difference, the interval
has no width, and a note says so.

Differences: MLstatkit counts d_b ≤ 0 on one side and d_b > 0 on the other, and returns p = 0 for
identical predictions.

Assumptions: independent samples or groups, some tens of them.

When to use: for any metric, above all where `wald` is undefined. When not: for the winner of a
search; with few samples, where `permutation` is exact.

Cost: time O(B N).

Source: Efron & Tibshirani 1993, chapter 13; Davison & Hinkley 1997, section 4.4.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from bbccli.bootstrap.out_of_bag import Selections
from bbccli.bootstrap.out_of_bag import bootstrap as collected
from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, positive, undefined
from bbccli.comparisons.pairs.drawing import n_draws
from bbccli.intervals import Basis, interval_of
from bbccli.notes import Note, redrawn_resamples, resamples_alike
from bbccli.resampling import Resamples, any_draw, draws_of
from bbccli.results import Distribution
from bbccli.selection.units import n_units_of, on_few_groups
from bbccli.types import FloatArray, IntArray, IntervalKind


def run(case: PairCase) -> PairAnswer:
    """Return the paired bootstrap of the difference."""
    difference, n_units = case.difference, n_units_of(case.matrix)
    if n_units < 2:
        return undefined(case, "a single one can't be resampled", "more samples", n_units=n_units)
    drawn = _differences(case)
    values, n = drawn.values, len(drawn.values)
    fewer = 1 + min(int((values <= 0).sum()), int((values >= 0).sum()))
    share = fewer / (1 + n)
    plan = replace(case.plan, interval=IntervalKind.PERCENTILE, guard=False)
    basis = Basis(difference, n_units, n_units)
    interval, _, notes = interval_of(drawn, case.bounded, plan, basis)
    notes += on_few_groups(case.matrix) + _on_draws(case, drawn)
    return PairAnswer(
        statistic=difference,
        p=positive(2 * share),
        interval=interval,
        error=2 * sqrt(share * (1 - share) / n),
        n_units=n_units,
        notes=notes,
    )


def _differences(case: PairCase) -> Distribution:
    """Differences of the two on resamples of the samples."""
    draws = draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed, any_draw)
    sweeps = 2 * case.metric.n_sweeps(case.matrix.n_samples)

    def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
        found = case.gains(case.score(drawn.in_bag))
        return np.zeros(len(found), np.int64), found

    return collected(
        Selections(), n_draws(case.plan), draws, score, n_sweeps=sweeps, progress=case.progress
    )


def _on_draws(case: PairCase, drawn: Distribution) -> tuple[Note, ...]:
    notes: tuple[Note, ...] = ()
    if drawn.n_redrawn:
        notes = (redrawn_resamples(drawn.n_redrawn, len(drawn.values), case.metric.label),)
    if np.ptp(drawn.values) <= case.rounding and not case.identical:
        notes += (resamples_alike(case.test, float(drawn.values[0])),)
    return notes


TESTS = (
    PairTest(
        name="bootstrap",
        label="rows resampled",
        answer=run,
        summary="percentiles of the difference over resamples, for any metric",
        reference="Efron & Tibshirani 1993; Davison & Hinkley 1997",
    ),
)
