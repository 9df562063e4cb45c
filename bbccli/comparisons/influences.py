"""Scores and influences: the variances of differences between configurations.

L_ij is the influence of unit i on the score m_j of configuration j: for a mean the loss less the
mean, for an AUC the placement less the AUC, for any other metric the jackknife value; over folds,
within them; over repeats, averaged. Units are samples, or groups of them. For a metric of pairs
they are in strata by class, unless groups hold several classes. The variance of a linear
combination of the m_j is the sum over strata of the variance of the same combination of the L_ij
(ddof 1) over n_h; for two AUCs that is DeLong's. For means over folds of n samples it is larger by
n / (n - 1), which errs on the safe side.

Source: Efron & Tibshirani 1993, chapter 11; DeLong, DeLong & Clarke-Pearson 1988.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.metrics.capped import measuring, with_plan
from bbccli.notes import Note
from bbccli.notes.comparisons import no_influence
from bbccli.platform.dataclass import dataclass
from bbccli.stats.influence import influence
from bbccli.stats.selection.candidates import Candidates, cached, candidates
from bbccli.stats.selection.units import units_of
from bbccli.types import BoolArray, FloatArray, IntArray, readonly

ROUNDING_TOLERANCE = 1e-12
"""A difference with less than this share of two performances' variances is rounding."""

LAST_BITS = 1e-14
"""Share of a performance below which its standard error is rounding."""


@dataclass(frozen=True, eq=False)
class Influences:
    """Performances of C configurations, and how each of U units influences them.

    names: of the configurations.
    gains (C,) float64: performances, signed so that larger is better; NaN where undefined.
    influence (U, C) float64: influence values in the same sign, with mean 0 within strata; 0 where
        undefined.
    strata (U,) int: stratum of each unit, from 0 to H - 1.
    df (H,) int: units of each stratum less 1; where groups hold several classes, those with a
        sample of the rarest one less 1.
    shares: True if performances are shares of the units, such as accuracy, each counted once.
    defined (C,) bool: True where a performance is defined on all units, and without any one of
        them.
    metric: with its bounds on these samples.
    """

    names: tuple[str, ...]
    gains: FloatArray
    influence: FloatArray
    strata: IntArray
    df: IntArray
    shares: bool
    defined: BoolArray
    metric: Metric

    @property
    def n_units(self) -> int:
        """U."""
        return len(self.strata)

    @property
    def n_configurations(self) -> int:
        """C."""
        return len(self.names)

    @cached_property
    def sizes(self) -> IntArray:
        """(H,) units of each stratum."""
        return np.bincount(self.strata)

    @cached_property
    def scale(self) -> FloatArray:
        """(U,) 1 / sqrt(n_h (n_h - 1)): squares of scaled influences add up to a variance."""
        sizes = self.sizes[self.strata].astype(np.float64)
        return np.asarray(1 / np.sqrt(sizes * (sizes - 1)))

    @cached_property
    def variances(self) -> FloatArray:
        """(C,) variances of the performances."""
        squares = np.einsum("u,uc,uc->c", self.scale**2, self.influence, self.influence)
        squares[squares <= (LAST_BITS * self.gains) ** 2] = 0.0
        return np.asarray(squares)

    @property
    def undefined(self) -> tuple[Note, ...]:
        """A note that names the configurations without influence values, if there are any."""
        names = [self.names[c] for c in np.flatnonzero(~self.defined)]
        return (no_influence(names, self.metric.label),) if names else ()

    def errors(self) -> FloatArray:
        """Return the standard errors (C,) of the performances; NaN where undefined."""
        return np.where(self.defined, np.sqrt(self.variances), np.nan)

    def errors_against(self, other: int) -> FloatArray:
        """Return the standard errors (C,) of the differences to one configuration.

        0 where the difference is the same on every unit, up to rounding; NaN where undefined.
        """
        squares = np.empty(self.n_configurations)
        column = self.influence[:, other : other + 1]
        step = max(2**22 // max(self.n_units, 1), 1)
        for start in range(0, self.n_configurations, step):
            part = slice(start, start + step)
            scaled = (self.influence[:, part] - column) * self.scale[:, None]
            squares[part] = np.einsum("uc,uc->c", scaled, scaled)
        everything = np.arange(self.n_configurations)
        squares[squares <= self._least(everything, np.array([other]))[:, 0]] = 0.0
        return np.where(self.defined & self.defined[other], np.sqrt(squares), np.nan)

    def variances_between(self, columns: IntArray, others: IntArray) -> FloatArray:
        """Return the variances (C', J) of differences between configurations, by matrix products.

        0 where the difference is the same on every unit, up to rounding.
        """
        ours, theirs = (self.influence[:, part] * self.scale[:, None] for part in (columns, others))
        variances = ours.T @ theirs
        variances *= -2
        variances += self.variances[columns, None] + self.variances[others]
        variances[~(variances > self._least(columns, others))] = 0.0
        return variances

    def weights(self, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return the share (H,) of each stratum in the summed variances of combinations.

        The sum is used because a few samples tell little about a single combination.

        of: from the influences (U, C') of distinct configurations to those of the combinations.
        """
        if len(self.df) == 1:
            return np.ones(1)
        values = of(self.influence[:, self._distinct])
        inside = [np.flatnonzero(self.strata == stratum) for stratum in range(len(self.df))]
        scaled = [values[rows] * self.scale[rows, None] for rows in inside]
        parts = np.array([np.vdot(part, part) for part in scaled])
        total = parts.sum()
        return np.asarray(parts / total if total > 0 else np.full(len(parts), 1 / len(parts)))

    def df_of(self, weights: FloatArray) -> float:
        """Return Welch and Satterthwaite's degrees of freedom for shares (H,) of strata."""
        return float(1 / np.sum(weights**2 / self.df))

    @cached_property
    def _distinct(self) -> IntArray:
        """Defined configurations, without repetitions."""
        first: dict[bytes, int] = {}
        for c in np.flatnonzero(self.defined):
            first.setdefault(self.influence[:, c].tobytes(), int(c))
        return np.array(list(first.values()), np.int64)

    def _least(self, columns: IntArray, others: IntArray) -> FloatArray:
        """Largest variances (C', J) of differences that are rounding errors."""
        least = self.variances[columns, None] + self.variances[others]
        least *= ROUNDING_TOLERANCE
        sizes = np.abs(np.nan_to_num(self.gains))
        bits = sizes[columns, None] + sizes[others]
        bits *= LAST_BITS
        bits *= bits
        least += bits
        return least

    def take(self, columns: IntArray) -> Influences:
        """Return the evidence of some configurations, in the order of `columns` (C',)."""
        return replace(
            self,
            names=tuple(self.names[c] for c in columns),
            gains=self.gains[columns],
            influence=self.influence[:, columns],
            defined=self.defined[columns],
        )


def evidence_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Influences:
    """Return the performances and influences of all configurations of a matrix.

    Raises UnsupportedError: a metric that jumps when a sample counts a little more or less, such as
        a median, and so has no influence values.
    Raises UndefinedError: a class, or all of the samples, with a single unit; means over folds with
        an undefined one.

    Kept with the matrix. Time O(N C log N) for means, formulas of totals and shares of pairs, else
    O(N^2 C); memory O(U C).
    """
    if not metric.smooth:
        raise UnsupportedError(
            f"{metric.label} jumps when a sample counts a little more or less: no variance follows "
            "from influence values",
            hint="another metric, such as mae; or the paired bootstrap of two configurations",
        )
    metric = with_plan(metric, plan)
    pooling = measuring(metric, plan)
    every = candidates(matrix, metric, pooling)
    evidence: Influences = cached(
        matrix, ("evidence", metric, pooling), lambda: _evidence(matrix, metric, every)
    )
    return evidence


def _evidence(matrix: PredictionMatrix, metric: Metric, every: Candidates) -> Influences:
    members = units_of(matrix)
    strata, rarest = strata_of(matrix, metric, members)
    smallest = min(int(np.bincount(strata).min()), rarest)
    if smallest < 2:
        unit = "sample" if matrix.groups is None else "group"
        where = "class" if metric.of_pairs else "file"
        raise UndefinedError(
            f"a {where} has a single {unit}, so the variance of differences in {metric.label} is "
            "unknown",
            hint=f"collect more {unit}s",
        )
    everything = np.ones(matrix.n_samples, np.uint8)
    sign, sizes = metric.direction.sign, np.bincount(strata)
    values: FloatArray = np.empty((len(strata), matrix.n_configurations))
    for columns in every.blocks():
        scorer = every.bind(columns)
        values[:, columns] = sign * influence(scorer, everything, strata=strata, members=members)
    gains = sign * every.performances()
    defined = np.isfinite(values).all(axis=0) & np.isfinite(gains)
    values[:, ~defined] = 0.0
    for stratum in range(len(sizes)):
        inside = strata == stratum
        values[inside] -= values[inside].mean(axis=0)
    scorers = (every.bind(columns) for columns in every.blocks())
    of_shares = all(isinstance(scorer, MeanScorer) and scorer.share for scorer in scorers)
    return Influences(
        names=matrix.configurations,
        gains=readonly(gains),
        influence=readonly(values),
        strata=strata,
        df=sizes - 1 if len(sizes) > 1 else np.array([smallest - 1]),
        shares=len(strata) == matrix.n_samples and of_shares,
        defined=defined,
        metric=metric.within(matrix.outcome),
    )


def strata_of(matrix: PredictionMatrix, metric: Metric, members: IntArray) -> tuple[IntArray, int]:
    """Return the stratum of each of U units, and the units with a sample of the rarest class.

    members (N,) int: unit of each sample, from 0 to U - 1.

    >>> from bbccli import METRICS, read
    >>> matrix = read("sample_data/progression.parquet")
    >>> strata, rarest = strata_of(matrix, METRICS["auc"], np.arange(matrix.n_samples))
    >>> np.bincount(strata).tolist(), rarest
    ([40, 40], 40)
    """
    n_units = int(members.max()) + 1
    alone: IntArray = np.zeros(n_units, np.int64)
    if not (metric.of_pairs and matrix.task.is_classification):
        return alone, n_units
    classes = np.unique(matrix.outcome.values, return_inverse=True)[1]
    present = np.zeros((n_units, int(classes.max()) + 1), bool)
    present[members, classes] = True
    pure = bool((present.sum(axis=1) == 1).all())
    return (present.argmax(axis=1) if pure else alone), int(present.sum(axis=0).min())


def same(differences: Any, scale: Any) -> Any:
    """Mark differences of performances that are 0 up to rounding, beside performances `scale`."""
    return np.abs(differences) <= ROUNDING_TOLERANCE * np.maximum(np.abs(scale), 1e-300)
