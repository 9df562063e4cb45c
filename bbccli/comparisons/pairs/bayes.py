"""Beliefs in a difference: worse, as good as none, or better.

## bayes-t

The Bayesian correlated t test.

Formula: the posterior of the difference is Student's t with

```text
df = J - 1,  mean d,  scale s √(1/J + n_test/n_train)                                         (1)
```

Algorithm:

1. Take the differences in the folds as for `corrected-t`, with the mean d and the spread s.
2. Return the posterior probabilities of a difference under -rope, between -rope and rope, and over
   rope. With `--rope 0` the middle one is 0, and the others are one-sided p-values of
   `corrected-t`.
3. The interval is the central one of the posterior. Without variance, or with fewer than three
   folds, the posterior is undefined.

Differences: baycomp takes 1/(K - 1) for n_test/n_train; here it is that of the folds as they are,
the same for equal ones. Without variance baycomp is certain: one repeated difference of 0.03 gives
probability 1.

Assumptions: those of `corrected-t`, and a flat prior.

When to use: to say how probably two configurations are as good as each other; choose the rope
before seeing results. When not: for the winner of a search, which the posterior does not know of.

Cost: the performances in the folds.

Source: Corani & Benavoli 2015; Benavoli, Corani, Demšar & Zaffalon 2017, section 4.1.

## bayes-bootstrap

The Bayesian bootstrap of the difference, for any metric.

Formula: the posterior of the difference is that of m1(w) - m2(w), with weights w of the samples
drawn from Dirichlet(1, ..., 1).
(2)

Algorithm:

1. B times: draw weights of the N samples, or of the G groups, and score both under them.
2. Return the shares of differences under -rope, between -rope and rope, and over rope; the interval
   is made of percentiles.
3. Where all draws give one difference, the posterior is undefined.

Assumptions: independent samples or groups; no outcome that was not seen.

When to use: as `bayes-t`, for any metric, resting on samples instead of folds. When not: for the
winner of a search; with few samples.

Cost: time O(B N).

Source: Rubin 1981.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, undefined
from bbccli.comparisons.pairs.drawing import n_draws, over_blocks
from bbccli.comparisons.pairs.folds import FEWEST, fold_differences
from bbccli.comparisons.pairs.needs import Need
from bbccli.comparisons.records import Beliefs
from bbccli.intervals import Basis, interval_of
from bbccli.intervals.ends import interval_by
from bbccli.resampling import Unit, generator
from bbccli.results import Distribution
from bbccli.selection.units import n_units_of, on_few_groups
from bbccli.types import FloatArray, IntervalKind, Pooling


def run_t(case: PairCase) -> PairAnswer:
    """Return the posterior of equation 1."""
    folds = fold_differences(case)
    n, mean, values = len(folds.gains), folds.mean, folds.values.mean(axis=0)
    if n < FEWEST:
        why = f"{n} folds are too few for a standard deviation"
        return undefined(case, why, "bayes-bootstrap, over samples", n_units=n, values=values)
    if not folds.spread:
        why = f"the difference is {mean:.3g} in every fold: there is no variance"
        return undefined(case, why, "bayes-bootstrap, over samples", n_units=n, values=values)
    scale = folds.spread * sqrt(1 / n + folds.ratio)

    def ends(outside: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        reach = -float(stdtrit(n - 1, outside)) * scale
        return mean - reach, mean + reach

    return PairAnswer(
        df=(float(n - 1),),
        interval=interval_by(ends, case.bounded, case.plan),
        effect=folds.effect,
        beliefs=student_beliefs(mean, scale, n - 1, case.rope),
        n_units=n,
        values=values,
    )


def student_beliefs(mean: float, scale: float, df: int, rope: float) -> Beliefs:
    """Return the beliefs of Student's posterior.

    Examples
    --------
    >>> student_beliefs(0.0, 1.0, 9, 0.0)
    Beliefs(rope=0.0, worse=0.5, equal=0.0, better=0.5)
    """
    from scipy.special import stdtr

    worse = float(stdtr(df, (-rope - mean) / scale))
    better = float(stdtr(df, (mean - rope) / scale))
    return Beliefs(rope, worse, max(1 - worse - better, 0.0) if rope else 0.0, better)


def run_bootstrap(case: PairCase) -> PairAnswer:
    """Return the posterior of equation 2."""
    difference, n_units = case.difference, n_units_of(case.matrix)
    drawn = case.gains(_scored(case))
    drawn = drawn[~np.isnan(drawn)]
    if n_units < 2 or len(drawn) == 0 or np.ptp(drawn) <= case.rounding:
        why = f"the difference is {difference:.3g} whatever the samples weigh"
        return undefined(case, why, "compare configurations that differ", n_units=n_units)
    rope = case.rope
    shares = [float(np.mean(part)) for part in (drawn < -rope, drawn > rope)]
    plan = replace(case.plan, interval=IntervalKind.PERCENTILE, guard=False)
    distribution = Distribution(drawn, np.zeros(len(drawn), np.int64))
    interval, _, notes = interval_of(
        distribution, case.bounded, plan, Basis(difference, n_units, n_units)
    )
    equal = float(np.mean(np.abs(drawn) <= rope))
    return PairAnswer(
        interval=interval,
        beliefs=Beliefs(rope, shares[0], equal, shares[1]),
        n_units=n_units,
        notes=notes + on_few_groups(case.matrix),
    )


def _scored(case: PairCase) -> FloatArray:
    """Performances (B, 2) under Dirichlet weights of the units."""
    groups, n_samples = case.matrix.groups, case.matrix.n_samples
    members = np.arange(n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units, n = int(members.max()) + 1, n_draws(case.plan)

    def score(block: int, start: int, stop: int) -> FloatArray:
        rng = generator(case.plan.seed, (Unit.BELIEFS, block))
        drawn = rng.standard_exponential((stop - start, n_units))
        weights = drawn / drawn.mean(axis=1, keepdims=True)
        return case.score(weights[:, members])

    return over_blocks(n, score, 2 * n * n_samples * case.metric.n_sweeps(n_samples))


TESTS = (
    PairTest(
        name="bayes-t",
        label="folds, beliefs",
        answer=run_t,
        summary="Bayesian correlated t test: worse, as good as none, or better",
        reference="Corani & Benavoli 2015",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
        bayesian=True,
    ),
    PairTest(
        name="bayes-bootstrap",
        label="rows, beliefs",
        answer=run_bootstrap,
        summary="Bayesian bootstrap: worse, as good as none, or better, for any metric",
        reference="Rubin 1981",
        bayesian=True,
    ),
)
