"""Tests of a difference from draws: samples that swap the two, and samples drawn again.

## permutation

The sign-flip test: the difference when the two configurations are interchangeable.

Formula, with d the observed difference, and d_s that after the samples in s have swapped the
predictions of the two:

```text
p = #{s: |d_s| ≥ |d|} / 2^n  of all,  (1 + #{s: |d_s| ≥ |d|}) / (1 + B)  of B drawn
```

Algorithm: let each of the n samples, or groups, on which the two differ swap or not; enumerate all
swaps where n ≤ 20 and the work is small, else draw B. Predictions of metrics of order alone, such
as the AUC, are replaced by their ranks first (Venkatraman & Begg 1996). A swap without a value
counts as |d_s| ≥ |d|, with a note. There is no interval.

Assumptions: under the null hypothesis the two are exchangeable within a sample, not merely equal in
score.

When to use: with few samples, or metrics that no formula covers, such as medians. When not: for an
interval, which `wald` and `bootstrap` give.

Source: Pitman 1937; Phipson & Smyth 2010; Venkatraman & Begg 1996 (ranks).

## bootstrap

The paired bootstrap: the percentiles of the difference over resamples of the samples.

Formula, with d_b the difference on resample b of B:

```text
p = min(1, 2 min(1 + #{d_b ≤ 0}, 1 + #{d_b ≥ 0}) / (1 + B))
```

Algorithm: score both on the resamples of the method `naive`; the percentiles of the differences
make the interval, and p is the smallest level at which it excludes 0. If the two predict the same p
is 1 (MLstatkit returns 0). If all resamples give one difference, the interval has no width, and a
note says so.

Assumptions: independent samples or groups, some tens of them.

When to use: for any metric, above all where `wald` is undefined. When not: with few samples, where
`permutation` is exact.

Source: Efron & Tibshirani 1993, chapter 13; Davison & Hinkley 1997, section 4.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import sqrt

import numpy as np

from bbccli.comparisons.pairs.base import PairCase, PairTest
from bbccli.comparisons.records import Comparison
from bbccli.domain.estimate import Distribution
from bbccli.domain.plan import n_draws
from bbccli.metrics import kernels
from bbccli.metrics.base import MeanScorer, Predictions, Scorer
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import Note
from bbccli.notes.comparisons import undefined_swaps
from bbccli.notes.intervals import resamples_alike
from bbccli.notes.methods import redrawn_resamples
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import ordered_map
from bbccli.stats.bootstrap import collected
from bbccli.stats.bootstrap.in_process import Selections
from bbccli.stats.intervals import Basis, interval_of
from bbccli.stats.resampling import BLOCK, Resamples, Unit, draws_of, generator
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.selection.units import n_units_of, on_few_groups, units_of
from bbccli.stats.significance import positive_p
from bbccli.types import FloatArray, IntArray, Interval, IntervalKind, PredictionKind

MOST_UNITS = 20
"""Samples that differ, up to which all swaps are enumerated: 2^20 of them."""

MOST_CELLS = 2**28
"""Swaps times samples up to which they are, of a mean; of other metrics a 32nd of it."""

MANY = 512
"""Swaps that are enumerated at once."""


def over_blocks(
    n_rows: int, score: Callable[[int, int, int], FloatArray], n_cells: int, *, block: int = BLOCK
) -> FloatArray:
    """Apply a function to blocks of rows, each with its number, first row and end: (B,) or (B, M).

    The result of a block must depend on its number and rows alone, so that threads don't matter.

    n_cells: weights times sweeps, a measure of the work, for the choice of the kernels.
    block: rows of each.
    """
    starts = range(0, n_rows, block)
    with resources.use(kernels.decide(n_cells)) as settled:
        parts = ordered_map(
            lambda start: score(start // block, start, min(start + block, n_rows)),
            starts,
            settled.jobs,
        )
        return np.concatenate(list(parts))


def percentiles(case: PairCase, drawn: Distribution) -> tuple[Interval, tuple[Note, ...]]:
    """Return the interval of percentiles of drawn differences."""
    plan = replace(case.plan, interval=IntervalKind.PERCENTILE, guard=False)
    n_units = n_units_of(case.matrix)
    basis = Basis(case.difference, n_units, n_units)
    interval, _, notes = interval_of(drawn, case.bounded, plan, basis)
    return interval, notes + on_few_groups(case.matrix)


def permutation(case: PairCase) -> Comparison:
    """Return the permutation test of equation 1."""
    swaps, n_units = Swaps(case), n_units_of(case.matrix)
    observed, n = abs(case.difference), swaps.n_differing
    if n == 0:
        return case.result(statistic=0.0, p=1.0, n_units=n_units)
    exact = n <= MOST_UNITS and 2**n * swaps.cost <= MOST_CELLS
    # swapping all others instead changes only the sign: half of the swaps are enough
    differences = swaps.enumerated() if exact else swaps.drawn()
    undefined = np.isnan(differences)
    slack = max(case.rounding, 1e-12 * observed)
    n_as_far = int((undefined | (np.abs(differences) >= observed - slack)).sum())
    p = n_as_far / len(differences) if exact else (1 + n_as_far) / (1 + len(differences))
    notes: tuple[Note, ...] = ()
    if undefined.any():
        notes = (undefined_swaps(int(undefined.sum()), len(differences), case.metric.label),)
    return case.result(
        statistic=case.difference,
        p=positive_p(p),
        error=None if exact else sqrt(p * (1 - p) / len(differences)),
        n_units=n_units,
        notes=notes,
    )


@dataclass(frozen=True, eq=False)
class Swaps:
    """Differences of two configurations that swap the predictions of some units."""

    case: PairCase

    @cached_property
    def place(self) -> IntArray:
        """(N,) place of each sample's unit among those that differ; -1 where it doesn't."""
        units = units_of(self.case.matrix)
        differs = np.bincount(units, self._differs()) > 0
        return np.where(differs, np.cumsum(differs) - 1, -1)[units]

    @property
    def n_differing(self) -> int:
        """Units in which the two predict differently anywhere."""
        return int(self.place.max()) + 1

    @cached_property
    def both(self) -> FloatArray:
        """(R, N, 2) or (R, N, 2, K) predictions of the two; ranks where only order counts."""
        predictions = self.case.matrix.predictions[:, :, np.array(self.case.configurations)]
        ordered = self.case.metric.of_pairs and self.case.matrix.kind is not PredictionKind.LABEL
        if not ordered:
            return predictions
        ranks = mean_ranks(predictions.swapaxes(1, -1)).swapaxes(1, -1)
        return np.asarray(ranks / (self.case.matrix.n_samples + 1))

    @cached_property
    def scorer(self) -> Scorer:
        """Scores 2N samples of one configuration: those of the first, then of the second."""
        matrix, pair = self.case.matrix, np.array(self.case.configurations)
        there = matrix.available
        if there is not None:
            there = np.concatenate([there[:, :, [c]] for c in pair], axis=1)
        alone = replace(matrix.of_configurations(pair[:1]), groups=None, sample_keys=None)
        doubled = replace(
            alone.of_samples(np.tile(np.arange(matrix.n_samples), 2)),
            predictions=np.concatenate([self.both[:, :, [c]] for c in (0, 1)], axis=1),
            available=there,
        )
        return candidates(doubled, self.case.metric, self.case.plan.pooling).bind(np.array([0]))

    @property
    def cost(self) -> int:
        """Return the work of a swap: samples of all repeats, times that of each."""
        matrix, sweeps = self.case.matrix, self.case.metric.n_sweeps(self.case.matrix.n_samples)
        each = 1 if isinstance(self.scorer, MeanScorer) else 32 * sweeps
        return matrix.n_samples * matrix.n_repeats * each

    def enumerated(self) -> FloatArray:
        """Return the differences after all swaps in which the last unit keeps its own."""
        n = self.n_differing - 1

        def swapped(start: int, stop: int) -> IntArray:
            numbers = np.arange(start, stop)[:, None]
            return np.hstack([(numbers >> np.arange(n)) & 1, np.zeros_like(numbers)])

        def score(_: int, start: int, stop: int) -> FloatArray:
            return self.after(swapped(start, stop))

        return over_blocks(2**n, score, self._work(2**n), block=MANY)

    def drawn(self) -> FloatArray:
        """Return the differences after the plan's number of random swaps."""
        seed, n, n_swaps = self.case.plan.seed, self.n_differing, n_draws(self.case.plan)

        def score(block: int, start: int, stop: int) -> FloatArray:
            rng = generator(seed, (Unit.SWAPS, block))
            return self.after(rng.integers(0, 2, (stop - start, n), np.uint8))

        return over_blocks(n_swaps, score, self._work(n_swaps))

    def after(self, swapped: IntArray) -> FloatArray:
        """Return the differences (B,) after swaps (B, n) of the units that differ."""
        # where the two predict the same a swap changes nothing: -1 is any column
        of_samples = swapped[:, self.place].astype(np.uint8)
        first = np.hstack([1 - of_samples, of_samples])
        column = np.array([0])
        values = [self.scorer(weights, column)[:, 0] for weights in (first, 1 - first)]
        return np.asarray(self.case.metric.direction.gain(*values))

    def _differs(self) -> FloatArray:
        """(N,) 1 for samples that the two predict differently in any repeat."""
        matrix, pair = self.case.matrix, np.array(self.case.configurations)
        predictions: Predictions = self.both
        if self.case.metric.wants is PredictionKind.LABEL:
            predictions = matrix.as_kind(PredictionKind.LABEL, pair)
        other = predictions[:, :, 0] != predictions[:, :, 1]
        other = other.any(axis=-1) if other.ndim == 3 else other
        if matrix.available is not None:
            there = matrix.available[:, :, pair]
            other = (other & there.any(axis=2)) | (there[:, :, 0] != there[:, :, 1])
        return np.asarray(other.any(axis=0), np.float64)

    def _work(self, n_swaps: int) -> int:
        sweeps = self.case.metric.n_sweeps(2 * self.case.matrix.n_samples)
        return 4 * n_swaps * sweeps * self.case.matrix.n_samples


def bootstrap(case: PairCase) -> Comparison:
    """Return the paired bootstrap of the difference."""
    difference, n_units = case.difference, n_units_of(case.matrix)
    if n_units < 2:
        why = "a single sample or group can't be resampled"
        return case.undefined(why, "more samples", n_units=n_units)
    drawn = _resampled(case)
    values, n = drawn.values, len(drawn.values)
    fewer = 1 + min(int((values <= 0).sum()), int((values >= 0).sum()))
    share = fewer / (1 + n)
    interval, notes = percentiles(case, drawn)
    if drawn.n_redrawn:
        classes = case.matrix.task.is_classification
        notes += (redrawn_resamples(drawn.n_redrawn, n, case.metric.label, classes=classes),)
    if np.ptp(values) <= case.rounding and not case.identical:
        notes += (resamples_alike(case.test, float(values[0])),)
    return case.result(
        statistic=difference,
        p=positive_p(2 * share),
        interval=interval,
        error=2 * sqrt(share * (1 - share) / n),
        n_units=n_units,
        notes=notes,
    )


def _resampled(case: PairCase) -> Distribution:
    draws = draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed, leaving_out=False)
    sweeps = 2 * case.metric.n_sweeps(case.matrix.n_samples)

    def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
        gains = case.gains(case.score(drawn.in_bag))
        return np.zeros(len(gains), np.int64), gains

    return collected(
        Selections(), n_draws(case.plan), draws, score, n_sweeps=sweeps, progress=case.progress
    )


TESTS = (
    PairTest(
        name="permutation",
        answer=permutation,
        reference="Pitman 1937; Phipson & Smyth 2010",
    ),
    PairTest(
        name="bootstrap",
        answer=bootstrap,
        reference="Efron & Tibshirani 1993; Davison & Hinkley 1997",
    ),
)
