"""Intervals of the proportion correct, or wrong: binomial, for the winner alone.

## wald

The normal interval of a proportion.

Like the next three, for metrics that are the mean of a yes or no per sample: accuracy, error, and
the micro-averaged metrics that equal the accuracy.

Formula: p ∓ z √(p (1 - p) / N), with the naive proportion p of the winner and the normal quantile
z, clipped to 0 and 1.

Algorithm: select the winner and p as `cvt` does. Repeats don't add samples: p is the mean over
them. With sample weights N is Kish's effective sample size (Σ w)² / Σ w². With groups there is no
interval, and the note [no-interval](notes.md#no-interval) says so.

Assumptions: independent samples; many right and many wrong ones.

When to use: to see what many reports do. When not: near 0 or 1, where it covers far too seldom; at
0 or 1 it has [no width](notes.md#no-variance).

Cost: none.

Source: Brown, Cai & DasGupta 2001.

## wilson

The score interval of a proportion.

Formula: (p + z²/2N ∓ z √(p (1 - p)/N + z²/4N²)) / (1 + z²/N).

Algorithm: as for `wald`, with this formula: the proportions that a score test doesn't reject.

Assumptions: independent samples.

When to use: for a single configuration, at any p. When not: for a selected winner.

Cost: none.

Source: Wilson 1927; Brown, Cai & DasGupta 2001.

## clopper-pearson

The exact binomial interval of a proportion.

Formula: from the a/2 quantile of beta(k, N - k + 1) to the 1 - a/2 quantile of beta(k + 1, N - k),
with k = N p, which need not be whole; 0 where k = 0 and 1 where k = N.

Algorithm: as for `wald`, with this formula: the proportions that an exact binomial test doesn't
reject.

Assumptions: independent samples.

When to use: if the level must be kept. When not: if a short interval matters.

Cost: none.

Source: Clopper & Pearson 1934.

## jeffreys

The beta interval of a proportion.

Formula: from the a/2 to the 1 - a/2 quantile of beta(k + ½, N - k + ½), with k = N p; 0 where k = 0
and 1 where k = N.

Algorithm: as for `wald`, with this formula: the posterior from Jeffreys' prior.

Assumptions: independent samples.

When to use: like `wilson`; it is a little shorter near 0 and 1. When not: for a selected winner.

Cost: none.

Source: Brown, Cai & DasGupta 2001.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import effective_size
from bbccli.errors import UnsupportedError
from bbccli.methods.base import INTERVAL, Method
from bbccli.notes.intervals import no_interval
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals.ends import (
    Formula,
    clopper_pearson,
    interval_by,
    jeffreys,
    wald,
    wilson,
    without_width,
)
from bbccli.stats.selection.candidates import by_repeat
from bbccli.stats.selection.pooling import mean_behind


def run(case: Case, *, formula: Formula) -> Answer:
    """Return the winner's naive proportion with the interval of a formula.

    Raises UnsupportedError: the metric is not the mean of a yes or no per sample.
    """
    p = case.choice.naive
    means = map(mean_behind, by_repeat(case.matrix, case.metric, np.array([case.choice.winner])))
    if not all(mean is not None and mean.share for mean in means):
        raise UnsupportedError(
            f"{case.method} is for proportions of samples, such as accuracy and error; "
            f"{case.metric.label} is not one of them",
            hint="bbc; or naive and influence, which ignore the selection as well",
        )
    if case.matrix.groups is not None:
        why = "the samples come in groups, and its formula is for independent samples"
        note = no_interval(case.method, why, "use bbc or naive, which resample whole groups")
        return Answer(p, notes=(note,))
    n = _effective_size(case.matrix, case.choice.winner)

    def ends(outside: float) -> tuple[float, float]:
        return formula(p, n, outside)

    return Answer(p, interval_by(ends, case.bounded, case.plan), notes=without_width(ends, p))


def _effective_size(matrix: PredictionMatrix, winner: int) -> float:
    """Samples that the winner predicts, or Kish's effective size of weighted ones."""
    weights = matrix.outcome.weights
    masses = np.ones(matrix.n_samples) if weights is None else np.asarray(weights)
    counted = True if matrix.available is None else matrix.available[:, :, winner]
    return float(np.mean([effective_size(row) for row in np.atleast_2d(masses * counted)]))


def _method(name: str, formula: Formula, kind: str, reference: str) -> Method:
    return Method(
        name=name,
        label="share",
        answer=partial(run, formula=formula),
        gives=INTERVAL,
        summary=f"{kind} interval of the winner's proportion correct",
        reference=reference,
        ignores_selection=True,
    )


METHODS = (
    _method("wald", wald, "normal", "Brown, Cai & DasGupta 2001"),
    _method("wilson", wilson, "score", "Wilson 1927"),
    _method("clopper-pearson", clopper_pearson, "exact binomial", "Clopper & Pearson 1934"),
    _method("jeffreys", jeffreys, "beta", "Brown, Cai & DasGupta 2001"),
)
