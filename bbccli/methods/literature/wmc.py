"""The weighted mean correction, with and without shrinkage.

## wmc

WMC, the weighted mean correction of Bernau, Augustin and Boulesteix.

Formula, with m_kc the score of configuration c in fold k, m̄_c its mean over the F folds and S the
covariances (C, C) of the m_kc over the folds:

```text
X ~ N( m̄, (1/F + n_test / n_train) S ),     w_c = P( X_c is the best ),     estimate = Σ_c w_c m̄_c
```

Algorithm: select the winner by its mean over folds, whatever `--pooling` says. The weights come
from 8,192 draws, whatever the seed (standard error at most 0.006); with repeats, average over them.
Copies of a configuration count once. If another metric selects, it determines the weights.

Assumptions: the noisy means over folds are the true ones, and noise is added again. So it removes
nearly all of the optimism if configurations differ little, and nearly none if one leads.

Evidence: see [`wmcs`](#wmcs).

When to use: to compare with the literature. When not: as the number to report: it has no interval,
and few folds only hint at their covariances.

Cost: O(R F C) for each of the draws.

Source: Bernau, Augustin & Boulesteix 2013; `wmc` of the R package CMA.

## wmcs

WMCS, the weighted mean correction with shrinkage.

Formula: as for [`wmc`](#wmc), with X around shrunken means. With m̄ the mean of the m̄_c over all
configurations, w the winner, and gains signed so that more is better,

```text
b = E( X_w | X_w is the best ) - m̄_w,   s = min( b / (m̄_w - m̄), 1 ),   m̃_c = m̄_c - s (m̄_c - m̄)
estimate = Σ_c P( X_c - m̄_c + m̃_c is the best ) m̄_c
```

Algorithm: with the draws of `wmc`, compute b, the expected optimism (at least 0), shrink all means
towards their mean by s, and take the weights from the shrunken means.

Assumptions: those of `wmc`. Many bad configurations raise the winner's lead over the mean, so less
of it is removed.

Evidence: in the [settings of 2024](../benchmarks/validation-tables.md#the-settings-of-2024), `wmc`
and `wmcs` are too strict by 0.01 and 0.02 on average, 0.07 at most, with an RMSE 0.90 and 0.99
times that of `bbc`; not measured with trained models.

When to use: to compare with the literature. When not: as the number to report; it has no interval.

Cost: twice that of `wmc`.

Source: Bernau, Augustin & Boulesteix 2013; `wmc` of the R package CMA with `shrinkage`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.methods.base import POINT, Method, Need, check_best
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import winner_by_fold
from bbccli.stats.selection.candidates import fold_performances, folds_of
from bbccli.stats.selection.units import on_few_folds, size_ratio
from bbccli.types import Direction, FloatArray, IntArray, Pooling

N_POINTS = 8192
"""Draws that approximate a normal law: half of them, and their opposites."""

CHUNK = 512
"""Draws at a time; fixed, so that sums don't depend on the memory."""

Centre = Callable[[FloatArray, FloatArray], FloatArray]
"""Gains (C,) and the draws' parts (F, C) -> centre of the normal law of the gains."""


def run(case: Case, *, centre: Centre = lambda gains, parts: gains) -> Answer:
    """Return the mean over configurations, each by its probability of being the best.

    Raises UndefinedError: the metric is undefined in some fold, or for a configuration that may be
        the best.
    Raises UnsupportedError: a rule of selection other than the best.
    """
    check_best(case)
    gains = case.selector.direction.sign * case.judged.performances()
    measured = case.measured.performances()
    winner_by_fold(case.matrix, case.selector, case.choice.winner)  # raises where it is undefined
    values = []
    for parts in fold_parts(case):
        best = winners_of_draws(centre(gains, parts), parts)
        values.append(np.mean(measured[best]))
    value = float(np.mean(values))
    if np.isnan(value):
        raise UndefinedError(
            f"{case.metric.label} is undefined for a configuration that may win",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    return Answer(value, notes=on_few_folds(case.matrix))


def fold_parts(case: Case) -> Iterator[FloatArray]:
    """Yield the contributions of each fold to the means (F, C), per repeat; their squares add up to
    a covariance.
    """
    ratio = size_ratio(folds_of(case.matrix))
    for by_fold in fold_performances(case.matrix, case.selector):
        n_folds = len(by_fold)
        spread = np.sqrt((1 / n_folds + ratio) / (n_folds - 1))
        yield spread * (by_fold - by_fold.mean(axis=0))


def winners_of_draws(centre: FloatArray, parts: FloatArray) -> IntArray:
    """Return the best configuration (P,) in each of the draws, the first on ties."""
    best = [Direction.MAXIMIZE.best(drawn) for drawn in draws(centre, parts)]
    return np.concatenate(best)


def draws(centre: FloatArray, parts: FloatArray) -> Iterator[FloatArray]:
    """Yield gains (CHUNK, C) in some of the draws, and then in their opposites."""
    rng = np.random.Generator(np.random.PCG64(0))
    for _ in range(N_POINTS // (2 * CHUNK)):
        moved = rng.standard_normal((CHUNK, len(parts))) @ parts
        yield centre + moved
        yield centre - moved


def shrunken_gains(gains: FloatArray, parts: FloatArray) -> FloatArray:
    """Return the gains (C,) shrunk towards their mean, from the parts (F, C) of the folds."""
    mean, winner = float(np.nanmean(gains)), int(Direction.MAXIMIZE.best(gains))
    lead = gains[winner] - mean
    again = [
        drawn[Direction.MAXIMIZE.best(drawn) == winner, winner] for drawn in draws(gains, parts)
    ]
    won = np.concatenate(again)
    if not len(won) or lead <= 0:
        return np.where(np.isnan(gains), np.nan, mean)
    share = np.clip((won.mean() - gains[winner]) / lead, 0, 1)
    return np.asarray(gains - share * (gains - mean))


_method = partial(
    Method,
    label="weighted mean",
    gives=POINT,
    reference="Bernau, Augustin & Boulesteix 2013",
    needs=frozenset({Need.FOLDS}),
    pooling=Pooling.FOLD_MEAN,
)

METHODS = (
    _method(
        name="wmc",
        answer=run,
        summary="mean of all configurations, weighted by the probability that they are the best",
    ),
    _method(
        name="wmcs",
        answer=partial(run, centre=shrunken_gains),
        summary="wmc with means drawn towards each other by the expected optimism",
    ),
)
