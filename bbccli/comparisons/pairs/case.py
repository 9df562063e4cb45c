"""A case in, an answer out: what a test of fixed configurations is given, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bbccli.comparisons.records import Beliefs, Effect
from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import Note, undefined_test
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.selection.candidates import candidates
from bbccli.types import TIE_TOLERANCE, Direction, FloatArray, IntArray, Interval

SMALLEST_P = float(np.finfo(float).tiny)
"""A p-value under this can't be told from 0, which none is: 2.2e-308."""


@dataclass(frozen=True, eq=False)
class PairCase:
    """What a test is asked about M configurations, two of them unless it compares several.

    Attributes
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric, plan
        Measures; level, side, pooling, resamples and seed.
    configurations
        M columns of the matrix, all different.
    rope
        Differences up to this count as none, >= 0; for Bayesian tests.
    test
        Name of the test that is asked, for its messages.
    progress
        Called with the draws done and wanted.
    """

    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    configurations: tuple[int, ...]
    rope: float = 0.0
    test: str = ""
    progress: Progress = silent

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the M configurations."""
        return tuple(self.matrix.configurations[c] for c in self.configurations)

    @property
    def columns(self) -> IntArray:
        """Columns to bind, each once and ascending: the first ones of a matrix are then views."""
        return np.unique(self.configurations)

    @property
    def places(self) -> IntArray:
        """(M,) place of each configuration among `columns`."""
        return np.searchsorted(self.columns, np.array(self.configurations))

    @cached_property
    def scorer(self) -> Scorer:
        """Scores the `columns`, under the pooling of the plan."""
        return candidates(self.matrix, self.metric, self.plan.pooling).bind(self.columns)

    def score(self, weights: IntArray | FloatArray) -> FloatArray:
        """Score weights (B, N) on the M configurations, in their order: (B, M).

        A scorer that is given all of its columns takes them in its own order.
        """
        found: FloatArray = self.scorer(weights)[:, self.places]  # type: ignore[arg-type]
        return found

    @cached_property
    def values(self) -> FloatArray:
        """(M,) performances as measured.

        Raises
        ------
        UndefinedError
            One of them is undefined.
        """
        everything = np.ones((1, self.matrix.n_samples), np.uint8)
        found: FloatArray = self.score(everything)[0]
        undefined = np.flatnonzero(np.isnan(found))
        if len(undefined):
            raise UndefinedError(
                f"{self.metric.label} of {self.names[undefined[0]]} is undefined on these samples",
                hint="another --metric; see bbc metrics",
            )
        return found

    @property
    def difference(self) -> float:
        """How much better the first is than the second, as measured."""
        return self.gain(self.values)

    @property
    def rounding(self) -> float:
        """Differences up to this are rounding."""
        return TIE_TOLERANCE * float(np.abs(self.values).max())

    @property
    def bounded(self) -> Metric:
        """A difference as a metric of its own: larger is better, between its smallest and largest.

        Intervals of a difference take their side and their bounds from it.
        """
        low, high = self.metric.within(self.matrix.outcome).bounds
        span = high - low
        return replace(
            self.metric, direction=Direction.MAXIMIZE, bounds=(-span, span), bounds_of=None
        )

    @cached_property
    def identical(self) -> bool:
        """Whether all of them predict the same, wherever they predict."""
        predictions = self.matrix.as_kind(self.metric.wants, self.columns)
        available = self.matrix.available
        there = np.ones(predictions.shape[:3], bool)
        if available is not None:
            there = available[:, :, self.columns]
        if not np.equal(there, there[:, :, :1]).all():
            return False
        same = predictions == predictions[:, :, :1]
        same = same.all(axis=-1) if same.ndim == 4 else same
        return bool((same | ~there).all())

    def gain(self, values: FloatArray) -> float:
        """How much better the first of some performances (M,) is than the second."""
        return float(self.metric.direction.gain(values[0], values[1])) + 0.0

    def gains(self, values: FloatArray) -> FloatArray:
        """The same of performances (B, 2): (B,), 0 where it is rounding."""
        found = np.asarray(self.metric.direction.gain(values[:, 0], values[:, 1]))
        return np.where(np.abs(found) <= self.rounding, 0.0, found)


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """What a test found. The runner makes the `Comparison` of it.

    Attributes
    ----------
    statistic, df, p, interval, error, effect, beliefs, n_units, epsilon, notes
        As in `Comparison`.
    values : optional
        Performances (M,) where they are not those of the case: of the samples in common.
    """

    statistic: float | None = None
    df: tuple[float, ...] = ()
    p: float | None = None
    interval: Interval | None = None
    error: float | None = None
    effect: Effect | None = None
    beliefs: Beliefs | None = None
    n_units: int | None = None
    epsilon: float | None = None
    notes: tuple[Note, ...] = ()
    values: FloatArray | None = None


def undefined(case: PairCase, why: str, remedy: str = "", **found: object) -> PairAnswer:
    """Return an answer without a p-value, and the reason."""
    note = undefined_test(case.test, why, remedy)
    return PairAnswer(notes=(note,), **found)  # type: ignore[arg-type]


def positive(p: float) -> float:
    """Return a p-value that is neither 0, where it is too small for a float, nor above 1."""
    return min(max(float(p), SMALLEST_P), 1.0)


def two_sided_normal(z: float) -> float:
    """Return the probability that a standard normal is as far from 0 as z.

    Examples
    --------
    >>> round(two_sided_normal(-1.959964), 6)
    0.05
    """
    from math import erfc, sqrt

    return positive(erfc(abs(z) / sqrt(2)))


def two_sided_t(t: float, df: float) -> float:
    """Return the probability that Student's t is as far from 0.

    Examples
    --------
    >>> round(two_sided_t(2.262157, 9), 6)
    0.05
    """
    from scipy.special import stdtr

    return positive(2 * stdtr(df, -abs(t)))
