"""What a metric is: bound to a matrix once, then scored under any weights.

A bootstrap resample is a row of integer weights, out-of-bag is ``weights == 0``, a fold is a 0/1
row. Three helpers cover nearly all metrics: `mean_of` a loss per sample, `of_totals` of a few
weighted sums, and `pair_share` of concordant pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bbccli.kernels import Pairs, concordant_weight
from bbccli.matrix import Outcome
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, PredictionKind, Task, distinct


class Scorer(Protocol):
    """Performances of C configurations on N samples under weights. NaN where undefined."""

    @property
    def n_configurations(self) -> int:
        """C."""

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Score weights (B, N), non-negative integers, on C' configurations: (B, C') float64."""

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Score each row of weights (B, N) on its own configuration (B,): (B,) float64."""

    def restrict(self, rows: BoolArray) -> Scorer:
        """Return a scorer of the samples in `rows` (N,) alone.

        Its weights are the restricted columns: ``scorer.restrict(rows)(weights[:, rows])``
        equals ``scorer(weights * rows)``.
        """


Bind = Callable[[Outcome, FloatArray], Scorer]


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure of performance, in its natural sign and unit.

    Parameters
    ----------
    name, label
        Name on the command line; name in reports.
    summary
        Meaning in one line.
    tasks, kinds
        Tasks it is for, and kinds of prediction that it can score.
    direction, bounds
        Which way is better; smallest and largest possible value (may be infinite).
    bind
        ``bind(outcome, predictions (N, C) or (N, C, K)) -> Scorer``: sorts or computes losses
        once, after which every performance is one call under weights.
    reference
        Where it is defined.
    """

    name: str
    label: str
    summary: str
    tasks: frozenset[Task]
    kinds: frozenset[PredictionKind]
    direction: Direction
    bounds: tuple[float, float]
    bind: Bind
    reference: str


def mean_of(loss: Callable[[Outcome, FloatArray], FloatArray | BoolArray]) -> Bind:
    """Weighted mean of a per-sample loss: one matrix product.

    `loss(outcome, predictions)` returns (N, C); boolean losses are counted exactly.
    """
    return lambda outcome, predictions: MeanScorer.of(loss(outcome, predictions))


@dataclass(frozen=True, slots=True, eq=False)
class MeanScorer:
    """Weighted mean of losses (N, C). Time O(B N C) at the rate of a matrix product."""

    losses: FloatArray

    @classmethod
    def of(cls, losses: FloatArray | BoolArray) -> MeanScorer:
        """Keep counts in float32, exact for whole numbers below 2**24; the rest in float64."""
        counted = losses.dtype == np.bool_ and len(losses) < 2**24
        return cls(np.asarray(losses, np.float32 if counted else np.float64))

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.losses.shape[1])

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean loss of each configuration under each row of weights."""
        losses = self.losses if configurations is None else self.losses[:, configurations]
        return _ratio(weights.astype(self.losses.dtype) @ losses, _totals(weights)[:, None])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean loss of one configuration per row of weights."""
        losses = self.losses.T[configurations]
        return _ratio(np.einsum("bn,bn->b", weights.astype(losses.dtype), losses), _totals(weights))

    def restrict(self, rows: BoolArray) -> MeanScorer:
        """Keep the samples in `rows`."""
        return MeanScorer(self.losses[rows])


def pair_share(
    cases: Callable[[Outcome], BoolArray], controls: Callable[[Outcome], BoolArray]
) -> Bind:
    """Weighted share of (case, control) pairs in which the case scores higher; ties one half."""
    return lambda outcome, scores: PairScorer.of(scores, cases(outcome), controls(outcome))


@dataclass(frozen=True, slots=True, eq=False)
class PairScorer:
    """Weighted share of concordant pairs. Time O(B N C) after sorting once."""

    scores: FloatArray
    cases: BoolArray
    controls: BoolArray
    pairs: Pairs

    @classmethod
    def of(cls, scores: FloatArray, cases: BoolArray, controls: BoolArray) -> PairScorer:
        """Prepare scores (N, C)."""
        return cls(scores, cases, controls, Pairs.of(scores, cases, controls))

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.scores.shape[1])

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Share of each configuration under each row of weights."""
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        counts = concordant_weight(self.pairs, weights, chosen)
        return _ratio(counts, 2.0 * self._pair_weight(weights)[:, None])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Share of one configuration per row of weights."""
        counts = np.empty(len(weights), np.int64)
        for c in distinct(configurations):
            rows = configurations == c
            counts[rows] = concordant_weight(self.pairs, weights[rows], np.array([c]))[:, 0]
        return _ratio(counts, 2.0 * self._pair_weight(weights))

    def restrict(self, rows: BoolArray) -> PairScorer:
        """Keep the samples in `rows`."""
        return PairScorer.of(self.scores[rows], self.cases[rows], self.controls[rows])

    def _pair_weight(self, weights: IntArray) -> FloatArray:
        """(B,) weight of all (case, control) pairs."""
        return np.multiply(_totals(weights[:, self.cases]), _totals(weights[:, self.controls]))


def _totals(weights: IntArray) -> FloatArray:
    return np.asarray(weights.sum(axis=1, dtype=np.int64), np.float64)


def _ratio(numerator: IntArray | FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient that is NaN, silently, where there is nothing to divide by."""
    defined = np.where(denominator > 0, denominator, np.nan)
    return np.asarray(numerator / defined, np.float64)
