"""The record of a metric: bound to a matrix once, then scored under any weights.

A bootstrap resample is a row of integer weights, out-of-bag is ``weights == 0``, a fold is a 0/1
row. Four helpers cover nearly all metrics: `mean_of` a loss per sample, `of_totals` of a few
weighted sums, `pair_share` of concordant pairs, and `by_column` for what needs a sorted column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.outcome import Outcome
from bbccli.metrics import kernels
from bbccli.metrics.statistic import AllPairs, Concordant, Statistic, Sum, Total, Weight
from bbccli.metrics.weighting import (
    BY_TASK,
    Formula,
    SampleSize,
    Weighting,
    finite,
    ratio,
    scaled,
    share_of_pairs,
)
from bbccli.platform import resources
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Engine
from bbccli.types import (
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    MetricKind,
    PredictionKind,
    Task,
)

AS_REPEATED = "a sample of weight w counts as w equal samples"
MISSING_CLASS = "if a class has no sample"

CLASSES = frozenset({Task.BINARY, Task.MULTICLASS})

MANY_CLASSES = 32
"""Classes up to which what is added up class by class is a matrix product; of more it is sparse."""


class Scorer(Protocol):
    """Performances of C configurations on N samples under weights; NaN where undefined.

    Whole-number weights are counted exactly. Real weights are in float64: they score a distribution
    on the samples, such as a tilted one.
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


Predictions = NDArray[Any]
"""Class codes, or floats: in the form that the metric wants."""

Bind = Callable[[Outcome, Predictions], Scorer]

Part = Callable[[Outcome, Predictions], FloatArray | BoolArray]
"""``part(outcome, predictions)``: what is added up, (N, C) or (N, C, K); axis C may be 1."""


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
        Whether higher or lower is better; smallest and largest possible value (may be infinite).
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
        True if it changes smoothly with the weights, so that a sample has an influence on it; a
        median jumps.
    by_class
        True if a number is kept of each prediction for each class, if there are few classes.
    bind_zero
        `bind`, but what is undefined on all samples that are bound counts as in scikit-learn: a
        share of nothing is 0, and a class that neither truth nor predictions hold does not count.
    kind
        Its form. A metric of another kind than a mean, pairs or conditional means has a size bias:
        its expectation is different on few samples, and `bbc` corrects for that.
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
    rests_on: SampleSize = BY_TASK
    bounds_of: Callable[[Outcome], tuple[float, float]] | None = None
    cell: int = 40
    formula: str = ""
    under_weights: str = AS_REPEATED
    undefined: str = "without samples"
    remarks: str = ""
    kind: MetricKind = MetricKind.OTHER
    smooth: bool = True
    by_class: bool = False
    bind_zero: Bind | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)

    def __hash__(self) -> int:
        return hash(self.name)  # as a key of what is kept, asked for again and again

    @property
    def zeroed(self) -> Metric:
        """The metric bound by `bind_zero`; itself if there is no such form."""
        if self.bind_zero is None:
            return self
        return replace(self, bind=self.bind_zero, bind_zero=None)

    @property
    def of_pairs(self) -> bool:
        """True if it is made of shares of pairs of samples, which can be counted within folds."""
        return self.kind is MetricKind.PAIRS

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
        of_digits = 8 * n_samples.bit_length() if Task.SURVIVAL in self.tasks else 0
        few = n_classes if self.by_class and n_classes <= MANY_CLASSES else 0
        return max(self.cell, 10 * few) + of_digits


def mean_of(loss: Callable[[Outcome, Predictions], FloatArray | BoolArray]) -> Bind:
    """Weighted mean of a per-sample loss: one matrix product.

    `loss(outcome, predictions)` returns (N, C). Boolean losses are counted exactly. A loss of NaN
    makes the mean undefined wherever its sample has weight.
    """
    return lambda outcome, predictions: MeanScorer.of(loss(outcome, predictions), outcome.weights)


@dataclass(frozen=True, eq=False)
class MeanScorer(Statistic):
    """Weighted mean of losses (N, C). Time O(B N C) at the rate of a matrix product.

    share: True if each loss is a yes or no, so that the mean is a share of the samples.
    """

    share: bool = False

    @classmethod
    def of(
        cls, losses: FloatArray | BoolArray, sample_weights: FloatArray | None = None
    ) -> MeanScorer:
        """Bind losses (N, C), which are undefined where they are NaN, and sample weights (N,)."""
        ones = np.ones((len(losses), 1), bool)
        parts = (Sum.bound(losses, sample_weights), Weight.bound(ones, sample_weights))
        return cls(parts, ratio, losses.shape[1], share=losses.dtype == np.bool_)

    @property
    def _of_losses(self) -> Sum:
        return cast(Sum, self.parts[0])

    @property
    def losses(self) -> FloatArray | BoolArray:
        """Losses (N, C), times the sample weights."""
        return self._of_losses.terms

    @property
    def undefined(self) -> FloatArray | None:
        """1 where a loss (N, C) is undefined; None where all are defined."""
        return self._of_losses.undefined

    @property
    def weighted(self) -> bool:
        """True if samples have weights."""
        return not cast(Weight, self.parts[1]).exact


def ones(outcome: Outcome, predictions: Predictions) -> BoolArray:
    """(N, 1) the part whose total is the weight of all samples."""
    return np.ones((len(outcome), 1), bool)


def of_totals(parts: Sequence[Part], formula: Formula, *, whole: bool = False) -> Bind:
    """Performance as a formula of the weighted totals of some parts.

    Totals of boolean parts are exact counts. Values that are not finite become NaN. If `whole`, the
    formula also takes the totals of all samples that are bound.

    Examples
    --------
    The root of the mean squared error::

        of_totals((squared_error, ones), lambda total, n: np.sqrt(total / n))
    """

    def bind(outcome: Outcome, predictions: Predictions) -> Statistic:
        terms = (part(outcome, predictions) for part in parts)
        sums = tuple(Sum.bound(term, outcome.weights) for term in terms)
        return Statistic(sums, finite(formula), predictions.shape[1], whole)

    return bind


def pairs_and_all(
    scores: FloatArray, cases: BoolArray, controls: BoolArray, weights: FloatArray | None = None
) -> tuple[Total, Total]:
    """Return the totals in a share of pairs, from scores (N, C): concordant ones, and all."""
    every = AllPairs.bound(np.stack([cases, controls], axis=1)[:, None], weights)
    return Concordant(scores, cases, controls, weights), every


def pair_share(
    cases: Callable[[Outcome], BoolArray], controls: Callable[[Outcome], BoolArray]
) -> Bind:
    """Weighted share of (case, control) pairs in which the case scores higher; ties one half."""

    def bind(outcome: Outcome, scores: Predictions) -> Statistic:
        parts = pairs_and_all(scores, cases(outcome), controls(outcome), outcome.weights)
        return Statistic(parts, share_of_pairs, scores.shape[1])

    return bind


OfColumn = Callable[[int], FloatArray]
"""Configuration c -> its performance (L,) in each lane of weights."""

UnderWeights = Callable[[FloatArray], OfColumn]
"""Weights in lanes (N + 1, L) float64, the last row 0 -> what scores a configuration."""

Prepare = Callable[[Outcome, Predictions], UnderWeights]
"""Outcome and predictions (N, C) -> the same, sorted once."""


@dataclass(frozen=True, slots=True, eq=False)
class BothForms:
    """What scores configurations under weights in lanes, and its compiled form.

    compiled: compiled forms, lanes (N + 1, L) as many as they take, and configurations (C',) ->
        the performances (C', L).
    """

    in_numpy: UnderWeights
    compiled: Callable[[Any, FloatArray, IntArray], FloatArray]

    def __call__(self, lanes: FloatArray) -> OfColumn:
        """Return what scores a configuration in numpy."""
        return self.in_numpy(lanes)


def zeroed(of_class: Formula) -> Formula:
    """Return a formula of totals, and of those of all samples, with 0 where it is undefined on
    these.
    """

    def of(*totals: FloatArray) -> FloatArray:
        half = len(totals) // 2
        values, everywhere = of_class(*totals[:half]), of_class(*totals[half:])
        return np.where(np.isnan(values) & np.isnan(everywhere), 0.0, values)

    return of


def by_column(
    prepare: Prepare, formula: Formula = lambda values: values, *, whole: bool = False
) -> Bind:
    """Score one configuration after the other, each under many weightings side by side.

    ``prepare(outcome, predictions)(lanes)(c)`` is the performance (L,) of configuration c, which
    may go through a formula, as in `of_totals`.
    Running totals down the lanes are cheap by `kernels.running`.
    """

    def bind(outcome: Outcome, predictions: Predictions) -> Statistic:
        columns = Columns(outcome, predictions, prepare, prepare(outcome, predictions))
        return Statistic((columns,), formula, predictions.shape[1], whole)

    return bind


@dataclass(frozen=True, slots=True, eq=False)
class Columns(Total):
    """Performances (B, C') by sorted columns. Time O(B N C) after sorting once."""

    outcome: Outcome
    predictions: Predictions
    prepare: Prepare
    under: UnderWeights

    @property
    def n_samples(self) -> int:  # type: ignore[override]
        """N."""
        return len(self.outcome)

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> FloatArray:
        """Performance of each configuration under each row of weights."""
        from bbccli.metrics.kernels.running import lanes_at_once, side_by_side

        rows, under = weights.weights, self.under
        everything = np.arange(self.predictions.shape[1])
        chosen = everything if configurations is None else configurations
        values = np.empty((len(rows), len(chosen)))
        forms = kernels.compiled_forms() if self._by_compiled() else None
        step = forms.LANES if forms else lanes_at_once(rows.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            masses = scaled(rows[part], self.outcome.weights)
            lanes = side_by_side(masses, np.float64, step if forms else 0)
            if forms and isinstance(under, BothForms):
                values[part] = under.compiled(forms, lanes, chosen)[:, : len(masses)].T
                continue
            of = under(lanes)
            for position, c in enumerate(chosen):
                values[part, position] = of(c)
        return values

    def _by_compiled(self) -> bool:
        # however few rows: the forms add up in other orders, and no digit depends on the chunks
        return resources.current().engine is Engine.NUMBA and isinstance(self.under, BothForms)

    def take(self, rows: Any) -> Columns:
        """Keep the samples in `rows`."""
        outcome, predictions = self.outcome.take(rows), self.predictions[rows]
        return Columns(outcome, predictions, self.prepare, self.prepare(outcome, predictions))
