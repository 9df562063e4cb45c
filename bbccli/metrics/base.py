"""What a metric is: bound to a matrix once, then scored under any weights.

A bootstrap resample is a row of integer weights, out-of-bag is ``weights == 0``, a fold is a 0/1
row. Four helpers cover nearly all metrics: `mean_of` a loss per sample, `of_totals` of a few
weighted sums, `pair_share` of concordant pairs, and `by_column` for what needs a sorted column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bbccli.arguments import settle
from bbccli.metrics.rests import UNSAID, RestsOn
from bbccli.metrics.weighting import (
    CHUNK,
    Units,
    by_configuration,
    float_type,
    matching,
    paired_sums,
    ratio,
    rest,
    scaled,
    sums_in_parts,
    sums_of_chunk,
    total_weights,
    weighted_sums,
)
from bbccli.outcome import Outcome
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, PredictionKind, Task

AS_REPEATED = "a sample of weight w counts as w equal samples"


MANY_CLASSES = 32
"""Classes up to which what is added up class by class is a matrix product; of more it is sparse."""


class Scorer(Protocol):
    """Performances of C configurations on N samples under weights. NaN where undefined.

    Weights are whole numbers, counted exactly, or real numbers in float64: the performance of a
    distribution on the samples, such as a tilted one.
    """

    @property
    def n_configurations(self) -> int:
        """C."""

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Score weights (B, N), not negative, on C' configurations: (B, C') float64."""

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Score each row of weights (B, N) on its own configuration (B,): (B,) float64."""

    def restrict(self, rows: BoolArray) -> Scorer:
        """Return a scorer of the samples in `rows` (N,) alone.

        Its weights are the restricted columns: ``scorer.restrict(rows)(weights[:, rows])``
        equals ``scorer(weights * rows)``.
        """


class Additive(Scorer, Protocol):
    """A formula of weighted totals, which parts of the samples have each its own of."""

    def totals(self, weights: IntArray, configurations: IntArray | None = None) -> list[FloatArray]:
        """Totals of a chunk of samples under weights (B, n): (B, C', ...) each, or (B, 1, ...).

        Of one configuration they are the same to the last bit whatever is scored beside it.
        """

    def of_totals(self, totals: Sequence[FloatArray]) -> FloatArray:
        """Performances (B, C') by the totals of all samples."""


Predictions = NDArray[Any]
"""Class codes, or floats: in the form that the metric wants."""

Bind = Callable[[Outcome, Predictions], Scorer]


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure of performance, in its natural sign and unit.

    Parameters
    ----------
    name, label
        Name on the command line; name in reports.
    summary
        Meaning in one line.
    tasks
        Tasks it is for.
    wants
        Form in which `bind` receives the predictions: class codes (N, C) int for labels;
        probabilities or scores (N, C), of multiclass tasks (N, C, K); values (N, C).
        `PredictionMatrix.as_kind` makes it of what a file holds.
    direction, bounds
        Which way is better; smallest and largest possible value (may be infinite).
    bind
        ``bind(outcome, predictions) -> Scorer``: sorts or computes losses once, after which
        every performance is one call under weights. Sample weights, where the outcome has
        them, multiply those of each call.
    reference
        Where it is defined.
    cell
        Bytes per prediction while it is bound, about.
    rests_on
        The samples whose number says how sure a performance can be: what the guard of intervals
        counts. Without it, what is safe for the task: the smallest class, the events, all samples.
    bounds_of
        ``bounds_of(outcome)``: the bounds, where they depend on the outcome.
    formula, under_weights, undefined, remarks
        For the documentation: definition; what weights do; when the value is NaN; conventions.
    smooth
        Whether it changes smoothly with the weights, so that a sample has an influence on it; a
        median jumps.
    of_pairs
        Whether it is made of shares of pairs of samples, which can be counted within folds: the
        scorer is a `PairCounter`, or a `Combined` one of such.
    by_class
        Whether a number is kept of each prediction for each class, of few classes.
    by_sample
        Whether what a sample adds depends on that sample alone, so that parts of the samples can be
        bound and added up apart: the scorer is an `Additive` one.
    """

    name: str
    label: str
    summary: str
    tasks: frozenset[Task]
    wants: PredictionKind
    direction: Direction
    bounds: tuple[float, float]
    bind: Bind
    reference: str
    rests_on: RestsOn = UNSAID
    bounds_of: Callable[[Outcome], tuple[float, float]] | None = None
    cell: int = 40
    formula: str = ""
    under_weights: str = AS_REPEATED
    undefined: str = "without samples"
    remarks: str = ""
    of_pairs: bool = False
    smooth: bool = True
    by_class: bool = False
    by_sample: bool = False

    def __post_init__(self) -> None:
        settle(self)

    def within(self, outcome: Outcome) -> Metric:
        """Return the metric with the bounds that it has on an outcome."""
        return replace(self, bounds=self.bounds_of(outcome)) if self.bounds_of else self

    def n_sweeps(self, n_samples: int) -> int:
        """Passes over N samples that one performance takes: of censored pairs one per digit."""
        return n_samples.bit_length() if Task.SURVIVAL in self.tasks else 1

    def cell_bytes(self, n_samples: int, n_classes: int = 0) -> int:
        """Memory per prediction while it is bound, of a matrix of N samples and K classes.

        Of censored pairs each binary digit has its own sorted rows and ranks: at most one half
        of the samples are controls, and one half cases with three numbers each.
        """
        kept_by_digit = 8 * n_samples.bit_length() if Task.SURVIVAL in self.tasks else 0
        few = n_classes if self.by_class and n_classes <= MANY_CLASSES else 0
        return max(self.cell, 10 * few) + kept_by_digit

    def adds_up(self, outcome: Outcome) -> bool:
        """Whether parts of the samples of an outcome can be added up apart: see `by_sample`."""
        return self.by_sample and not (self.by_class and len(outcome.classes) > MANY_CLASSES)


def mean_of(loss: Callable[[Outcome, Predictions], FloatArray | BoolArray]) -> Bind:
    """Weighted mean of a per-sample loss: one matrix product.

    `loss(outcome, predictions)` returns (N, C). Boolean losses are counted exactly. A loss of NaN
    makes the mean undefined wherever its sample has weight.
    """
    return lambda outcome, predictions: MeanScorer.of(loss(outcome, predictions), outcome.weights)


@dataclass(frozen=True, slots=True, eq=False)
class MeanScorer:
    """Weighted mean of losses (N, C). Time O(B N C) at the rate of a matrix product.

    Attributes
    ----------
    losses : (N, C)
        Losses, times the sample weights; very many that are a yes or no stay bool.
    sample_weights : (N,), optional
        Sample weights; without them counts stay exact.
    undefined : (N, C) float32, optional
        1 where a loss is undefined.
    share
        Whether each loss is a yes or no, so that the mean is a share of the samples.
    """

    losses: FloatArray | BoolArray
    sample_weights: FloatArray | None = None
    undefined: FloatArray | None = None
    share: bool = False

    @classmethod
    def of(
        cls, given: FloatArray | BoolArray, sample_weights: FloatArray | None = None
    ) -> MeanScorer:
        """Keep counts in float32, exact for whole numbers below 2**24; the rest in float64.

        Very many counts stay yes or no until they are added up.
        """
        share = given.dtype == np.bool_
        if share and sample_weights is None:
            return cls(given if len(given) > CHUNK else given.astype(np.float32), share=True)
        losses: FloatArray = np.asarray(given, np.float64)
        gaps = np.isnan(losses)
        undefined = gaps.astype(np.float32) if gaps.any() else None
        losses = losses if undefined is None else np.where(gaps, 0.0, losses)
        losses = losses if sample_weights is None else losses * sample_weights[:, None]
        return cls(losses, sample_weights, undefined, share)

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.losses.shape[1])

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean loss of each configuration under each row of weights."""
        chosen = slice(None) if configurations is None else configurations
        totals = total_weights(weights, self.sample_weights)
        with np.errstate(invalid="ignore", over="ignore"):  # infinite losses: NaN, as undefined
            sums = weighted_sums(weights, self.losses[:, chosen], totals)
        means = ratio(sums, totals[:, None])
        if self.undefined is not None:
            means[weighted_sums(weights > 0, self.undefined[:, chosen]) > 0] = np.nan
        return means

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean loss of one configuration per row of weights."""
        if len(self.losses) > CHUNK:
            return by_configuration(self, weights, configurations)
        totals = total_weights(weights, self.sample_weights)
        floats = matching(weights, float_type(self.losses), totals)
        sums = paired_sums(floats, self.losses, configurations)
        means = ratio(sums, totals)
        if self.undefined is not None:
            means[((weights > 0) & (self.undefined.T[configurations] > 0)).any(axis=1)] = np.nan
        return means

    def totals(self, weights: IntArray, configurations: IntArray | None = None) -> list[FloatArray]:
        """Sums of losses (B, C'), NaN where one is undefined, and of weights (B, 1), of a chunk."""
        chosen = slice(None) if configurations is None else configurations
        totals = total_weights(weights)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = sums_of_chunk(weights, self.losses[:, chosen], totals).astype(np.float64)
        if self.undefined is not None:
            sums[sums_of_chunk(weights > 0, self.undefined[:, chosen], totals) > 0] = np.nan
        return [sums, totals[:, None]]

    def of_totals(self, totals: Sequence[FloatArray]) -> FloatArray:
        """Mean losses (B, C')."""
        return ratio(*totals)

    def restrict(self, rows: BoolArray) -> MeanScorer:
        """Keep the samples in `rows`."""
        sample_weights, undefined = (
            None if array is None else array[rows]
            for array in (self.sample_weights, self.undefined)
        )
        return MeanScorer(self.losses[rows], sample_weights, undefined, self.share)

    @property
    def steady(self) -> bool:
        """Whether each figure is the same to the last bit whatever is scored beside it."""
        return self.sample_weights is None

    def in_parts(self, members: Sequence[IntArray]) -> FloatArray:
        """Mean loss (F, C) of each configuration on the samples of each of F parts."""
        given = self.sample_weights
        totals = [len(rows) if given is None else given[rows].sum() for rows in members]
        sums = sums_in_parts(self.losses, members)
        sums[np.isfinite(sums) & ~np.isfinite(sums).all(axis=0)] = np.nan
        means = ratio(sums, np.array(totals, float)[:, None])
        if self.undefined is not None:
            means[sums_in_parts(self.undefined, members) > 0] = np.nan
        return means

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Mean loss of each configuration without each of the units, under weights (N,): (U, C').

        A difference of totals: time O(N C').
        """
        chosen = slice(None) if configurations is None else configurations
        masses = np.asarray(scaled(weights, self.sample_weights), np.float64)
        totals = rest(masses, units)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = rest(self.losses[:, chosen] * weights[:, None].astype(np.float64), units)
        means = ratio(np.where(np.isfinite(sums), sums, np.nan), totals[:, None])
        if self.undefined is not None:
            gaps = self.undefined[:, chosen] * (weights > 0)[:, None]
            means[rest(gaps, units) > 0] = np.nan
        return means
