"""BBC-632+, with weights by how much the selection overfits. Experimental.

Formula, with w_b the winner in bag b; I, L and P the means over b of its score in the bag, out of
the bag and on all samples; and γ that of its no-information score:

```text
R = (I - L) / (I - γ), kept within 0 and 1        w = 0.632 / (1 - 0.368 R)
estimate = (1 - w) P + w L
```

Algorithm:

1. With the resamples of `bbc`, score the winners in the bag too.
2. Compute γ on all pairs of one sample's truth and another's prediction: for a mean of losses the
   mean over all N² pairs, for the AUC and concordances one half, for correlations 0. With many
   samples, values, times and more than 8 classes are paired in seeded permutations: 65,536 pairs,
   or 8 for each prediction.
3. R is a ratio of means. At R = 0 the estimate is that of `bbc-632`, at R = 1 that of `bbc`.
4. The interval is that of `bbc`, shifted to this estimate.

Departures from the paper: where winners lose out of the bag and are no better in it than without
information, R is 1 (the paper has 0, which would trust the naive figures); I is measured in the
bags; R is clipped instead of L.

Assumptions: those of `bbc-632`, except that the weight of the naive scores is estimated.

Evidence: for [trained classifiers](../benchmarks/validation-tables.md#trained-classifiers) without
signal and 80 samples, all are optimistic: `bbc-632` most (0.041), `bbc-632plus` (0.025) about as
much as `bbc` (0.021).

When to use: instead of `bbc-632`. When not: as the only number.

Cost: that of `bbc`, O(B N), and the metric on max(N K, 65,536) pairs of each distinct winner.

Source: Efron & Tibshirani 1997, section 3; its use for a selection is ours.
"""  # noqa: RUF002

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import UndefinedError
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.methods.bbc import AVERAGED, IN_BAG
from bbccli.metrics.base import Metric, Scorer
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.bbc_samples import in_bag, moved, out_of_bag
from bbccli.stats.case import Answer, Case
from bbccli.stats.resampling import Unit, generator
from bbccli.stats.selection.pooling import AvailableCases
from bbccli.types import Direction, FloatArray, IntArray, Task

MOST_PAIRS = 2**16
"""Pairs up to which every prediction meets every truth."""

LEAST_EACH = 8
"""Truths that each prediction meets, at least, where there are as many."""


def no_information(
    matrix: PredictionMatrix, metric: Metric, configurations: IntArray, seed: int
) -> FloatArray:
    """Return the no-information performances of some configurations, in the metric's unit.

    This is the performance of predictions that are independent of the truth: every prediction is
    paired with the truth of every sample, and the metric is scored on all pairs at once. For a mean
    of losses that is exactly Efron & Tibshirani's gamma, (1 / N^2) sum_i sum_j Q(y_i, f_j); for the
    AUC and any concordance it is one half, for a correlation 0.

    A truth with K classes needs N K pairs, weighted by the classes. Any other takes all N^2 pairs
    while they are few; beyond `MOST_PAIRS` (or `LEAST_EACH` per sample) each prediction is paired
    with the truths that follow its own in a seeded random order. Pairs across groups and folds are
    as independent as any. A pair weighs the product of the sample weights of its truth and its
    prediction.

    matrix: out-of-sample predictions; with repeats the result is the mean over repeats.
    configurations (C',) int: which configurations.
    seed: of the order of the truths, where not all pairs are taken.
    Returns (C',) float64: NaN where undefined, such as precision without predicted positives.
    Source: Efron & Tibshirani 1997, section 3.

    Time and memory are those of the metric on max(N K, 2^16) pairs, by blocks of configurations.
    """
    truths, samples, weights = _pairs(matrix.outcome, seed)
    outcome = replace(matrix.outcome.take(truths), weights=None)
    cells = len(truths) * matrix.n_repeats * metric.cell_bytes(len(truths))
    width = max(resources.current().memory // (4 * cells), 1)
    blocks = np.array_split(configurations, -(-len(configurations) // width))
    values = [
        [scorer(weights[None])[0] for scorer in _bind(matrix, metric, outcome, samples, columns)]
        for columns in blocks
    ]
    return np.concatenate([np.mean(of_repeats, axis=0) for of_repeats in values])


def _bind(
    matrix: PredictionMatrix, metric: Metric, outcome: Outcome, samples: IntArray, columns: IntArray
) -> list[Scorer]:
    predictions = matrix.as_kind(metric.wants, columns)[:, samples]
    scorers = [metric.bind(outcome, of_repeat) for of_repeat in predictions]
    if matrix.available is None:
        return scorers
    available = matrix.available[:, samples][:, :, columns]
    return [AvailableCases.of(*part) for part in zip(scorers, available, strict=True)]


def _pairs(outcome: Outcome, seed: int) -> tuple[IntArray, IntArray, NDArray[Any]]:
    """Samples whose truth and whose prediction make each of P pairs, and weights (P,) in [0, 1]."""
    n_samples = len(outcome)
    sample_weights: FloatArray = np.ones(n_samples) if outcome.weights is None else outcome.weights
    n_each = min(n_samples, max(MOST_PAIRS // n_samples, LEAST_EACH))
    if outcome.task.is_classification:
        classes, first, of_sample = np.unique(
            outcome.values, return_index=True, return_inverse=True
        )
        if len(classes) <= n_each:
            masses = np.bincount(of_sample, sample_weights)
            truths = np.repeat(first, n_samples)
            samples = np.tile(np.arange(n_samples), len(classes))
            weights = np.outer(masses, sample_weights).ravel()
            return truths, samples, weights / weights.max()
    order = generator(seed, (Unit.TRUTH,)).permutation(n_samples)
    places = np.arange(n_samples) + np.arange(1, n_each + 1)[:, None]
    truths, samples = order[places % n_samples].ravel(), np.tile(order, n_each)
    weights = sample_weights[truths] * sample_weights[samples]
    return truths, samples, weights / weights.max()


def run(case: Case) -> Answer:
    """Return the mixture of out-of-bag and naive performances by the rate of overfitting.

    Raises UndefinedError: as `bbc`; scores without a truth; or a metric that is undefined for every
        winner in its bag, or without information.
    """
    _ = case.choice
    if case.matrix.task is Task.SCORE:
        raise UndefinedError(
            "bbc-632plus needs a truth, to score predictions that are unrelated to it",
            hint="use bbc, which needs none: --method bbc",
        )
    drawn = out_of_bag(case)
    inside = in_bag(case, len(drawn.values))
    winners, places = np.unique(drawn.winners, return_inverse=True)
    without = no_information(case.matrix, case.metric, winners, case.plan.seed)[places]
    everywhere = case.measured.performances()[drawn.winners]
    overfit = overfitting(inside, drawn.values, without, case.metric.direction)
    if np.isnan(overfit.rate):
        raise UndefinedError(
            f"{case.metric.label} of the winners is undefined in their bags, or without "
            "information",
            hint="use bbc, which does not need it: --method bbc",
        )
    weight, slope = weight_of(overfit.rate)
    mixed = (1 - weight) * everywhere + weight * drawn.values
    # what each resample adds through R: nothing on average, but a part of the Monte-Carlo error
    through = slope * float(np.nanmean(drawn.values - everywhere)) * overfit.influence
    return moved(case, drawn, mixed + through)


@dataclass(frozen=True, slots=True, eq=False)
class Overfitting:
    """The share of the apparent gain of selecting that is lost out of the bag.

    rate: R in [0, 1]; NaN where no resample is defined.
    influence (B,): derivative of R by the weight of each resample, 0 on average; 0 where R is at an
        end, or where the resample is undefined.
    """

    rate: float
    influence: FloatArray


def overfitting(
    inside: FloatArray, outside: FloatArray, without: FloatArray, direction: Direction
) -> Overfitting:
    """Return the relative rate of overfitting, from performances in the bag, out of it and at
    chance.

    inside, outside, without (B,): of the winner of each resample; a resample with a NaN doesn't
        count.
    Source: Efron & Tibshirani 1997, equation 28.

    >>> inside, outside, chance = (np.full(3, x) for x in (0.9, 0.8, 0.5))
    >>> round(overfitting(inside, outside, chance, Direction.MAXIMIZE).rate, 6)
    0.25
    """
    lost, gained = direction.gain(inside, outside), direction.gain(inside, without)
    defined = ~np.isnan(lost + gained)
    none = np.zeros(len(lost))
    if not defined.any():
        return Overfitting(float("nan"), none)
    mean_lost, mean_gained = float(lost[defined].mean()), float(gained[defined].mean())
    if mean_lost <= 0:
        return Overfitting(0.0, none)
    if mean_gained <= mean_lost:
        return Overfitting(1.0, none)
    rate = mean_lost / mean_gained
    return Overfitting(rate, np.where(defined, lost - rate * gained, 0.0) / mean_gained)


def weight_of(rate: float) -> tuple[float, float]:
    """Return the weight of the performances out of the bag, and its derivative by R.

    Source: Efron & Tibshirani 1997, equation 29.

    >>> [round(weight_of(rate)[0], 3) for rate in (0.0, 0.5, 1.0)]
    [0.632, 0.775, 1.0]
    """
    rest = 1 - (1 - IN_BAG) * rate
    return IN_BAG / rest, IN_BAG * (1 - IN_BAG) / rest**2


METHODS = (
    Method(
        name="bbc-632plus",
        label="corrected, .632+",
        answer=run,
        gives=DISTRIBUTION,
        summary="bbc-632 with more weight on BBC, the more the selection overfits",
        reference="Efron & Tibshirani 1997, for the weights",
        done=f"{AVERAGED} that depend on how much the selection overfits",
        experimental=True,
    ),
)
