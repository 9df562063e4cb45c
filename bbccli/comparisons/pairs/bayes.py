"""Beliefs in a difference: worse, as good as none, or better.

## bayes-t

The Bayesian correlated t test.

Formula: the posterior of the difference is Student's t with

```text
df = J - 1,  mean d,  scale s √(1/J + n_test/n_train)
```

Algorithm: with mean d and spread s of the differences in the folds as for `corrected-t`, return the
posterior probabilities of a difference under -rope, between -rope and rope, and over rope. With
`--rope 0` these are one-sided p-values of `corrected-t`. Without variance, or with fewer than three
folds, the posterior is undefined (baycomp is certain then).

Assumptions: those of `corrected-t`, and a flat prior.

When to use: for the probability that two configurations are equally good; choose the rope (the
differences that count as none) before seeing results. When not: for the winner of a search.

Source: Corani & Benavoli 2015; Benavoli, Corani, Demšar & Zaffalon 2017, section 4.1.

## bayes-bootstrap

The Bayesian bootstrap of the difference, for any metric.

Formula: the posterior of the difference is that of m1(w) - m2(w), with weights w of the samples
drawn from Dirichlet(1, ..., 1).

Algorithm: score both under B draws of weights of the samples, or groups, and return the shares of
differences under -rope, between -rope and rope, and over rope; their percentiles make the interval.

Assumptions: independent samples or groups; no outcomes other than those observed.

When to use: like `bayes-t`, for any metric, on samples instead of folds. When not: with few
samples.

Source: Rubin 1981.
"""

from __future__ import annotations

import numpy as np

from bbccli.comparisons.pairs.base import PairCase, PairNeed, PairTest
from bbccli.comparisons.pairs.over_folds import Folds
from bbccli.comparisons.pairs.permutation_and_bootstrap import over_blocks, percentiles
from bbccli.comparisons.records import Beliefs, Comparison
from bbccli.domain.estimate import Distribution
from bbccli.domain.plan import n_draws
from bbccli.stats.intervals.ends import interval_by
from bbccli.stats.resampling import Unit, generator
from bbccli.stats.selection.units import n_units_of, units_of
from bbccli.stats.significance import Pivot
from bbccli.types import FloatArray, Pooling


def run_t(case: PairCase) -> Comparison:
    """Return the posterior of equation 1."""
    folds = Folds.of(case)
    if folds.undefined:
        return case.undefined(folds.undefined, "bayes-bootstrap, over samples", **folds.rests_on)
    posterior = Pivot.of_parts(folds.gains, folds.ratio)
    return case.result(
        df=(posterior.df,),
        interval=interval_by(posterior.ends, case.bounded, case.plan),
        effect=folds.effect,
        beliefs=beliefs_of(posterior, case.rope),
        **folds.rests_on,
    )


def beliefs_of(posterior: Pivot, rope: float) -> Beliefs:
    """Return the beliefs of Student's posterior.

    >>> beliefs_of(Pivot(0.0, 1.0, 9), 0.0)
    Beliefs(rope=0.0, worse=0.5, equal=0.0, better=0.5)
    """
    from scipy.special import stdtr

    worse = float(stdtr(posterior.df, (-rope - posterior.value) / posterior.error))
    better = float(stdtr(posterior.df, (posterior.value - rope) / posterior.error))
    return Beliefs(rope, worse, max(1 - worse - better, 0.0) if rope else 0.0, better)


def run_bootstrap(case: PairCase) -> Comparison:
    """Return the posterior of equation 2."""
    difference, n_units, rope = case.difference, n_units_of(case.matrix), case.rope
    drawn = case.gains(_scored(case))
    drawn = drawn[~np.isnan(drawn)]
    if n_units < 2 or len(drawn) == 0 or np.ptp(drawn) <= case.rounding:
        why = f"the difference is {difference:.3g} whatever the samples weigh"
        return case.undefined(why, "compare configurations that differ", n_units=n_units)
    interval, notes = percentiles(case, Distribution(drawn, np.zeros(len(drawn), np.int64)))
    parts = (drawn < -rope, np.abs(drawn) <= rope, drawn > rope)
    beliefs = Beliefs(rope, *(float(part.mean()) for part in parts))
    return case.result(interval=interval, beliefs=beliefs, n_units=n_units, notes=notes)


def _scored(case: PairCase) -> FloatArray:
    members, n_samples = units_of(case.matrix), case.matrix.n_samples
    n_units, n = n_units_of(case.matrix), n_draws(case.plan)

    def score(block: int, start: int, stop: int) -> FloatArray:
        rng = generator(case.plan.seed, (Unit.BELIEFS, block))
        drawn = rng.standard_exponential((stop - start, n_units))
        weights = drawn / drawn.mean(axis=1, keepdims=True)
        return case.score(weights[:, members])

    return over_blocks(n, score, 2 * n * n_samples * case.metric.n_sweeps(n_samples))


TESTS = (
    PairTest(
        name="bayes-t",
        answer=run_t,
        reference="Corani & Benavoli 2015",
        needs=frozenset({PairNeed.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
        bayesian=True,
    ),
    PairTest(
        name="bayes-bootstrap",
        answer=run_bootstrap,
        reference="Rubin 1981",
        bayesian=True,
    ),
)
