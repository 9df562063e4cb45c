"""The rule of selection: the best configuration, or the first within one standard error of it.

`best` takes the configuration with the best performance, the first column on ties.

`one-se` is Breiman's rule: of all configurations whose performance is within one standard error of
the best one's, take the first column; `one-se-simplest` takes the least complex one, by the
`complexity` that the metadata give (the first column on ties). The standard error is that of the
best configuration's performance over folds, s / sqrt(F); with repeats, its mean over repeats.

A rule is applied to the weights of a resample as it is to the data, so what is bootstrapped is
what was done.

Source: Breiman, Friedman, Olshen & Stone 1984, section 3.4.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.notes import listing
from bbccli.core.plan import Plan
from bbccli.errors import OptionError, UndefinedError, parameter
from bbccli.metrics.base import Metric
from bbccli.stats.selection.candidates import Candidates, candidates, fold_performances
from bbccli.stats.selection.pooling import mean_of_defined
from bbccli.types import TIE_TOLERANCE, Direction, FloatArray, IntArray, Pooling, Select

Errors = Callable[[IntArray, IntArray], FloatArray]
"""Weights (B, N) and configurations (B,) -> standard errors (B,) of their performances."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectionRule:
    """A rule of selection.

    Attributes
    ----------
    direction
        Which way a performance is better.
    order : (C,) int, optional
        Configurations from the most preferred one, among those within one standard error of the
        best; None to select the best.
    """

    direction: Direction
    order: IntArray | None = None

    def select(self, values: FloatArray, weights: IntArray, errors: Errors) -> IntArray:
        """Return the winner (B,) of performances (B, C) under weights (B, N); -1 where none."""
        best = self.direction.best(values)
        if self.order is None:
            return best
        tops = values[np.arange(len(best)), best]
        limits = self.limits(tops, errors(weights, best))
        within = self.within(values, limits)[:, self.order]
        return np.asarray(np.where(best < 0, -1, self.order[np.argmax(within, axis=1)]))

    def limits(self, tops: FloatArray, errors: FloatArray) -> FloatArray:
        """Return the worst performance (B,) within one standard error of the best.

        Where the error is unknown, because fewer than two folds are scored, only ties are within.
        """
        return np.asarray(tops - self.direction.sign * np.nan_to_num(errors, nan=0.0))

    def within(self, values: FloatArray, limits: FloatArray) -> Any:
        """Mark performances (B, C) that reach the limits (B,), up to rounding; never a NaN."""
        slack = TIE_TOLERANCE * np.abs(limits)
        return self.direction.gain(values, limits[:, None]) >= -slack[:, None]


def rule_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> SelectionRule:
    """Return the rule of the plan for the configurations of a matrix.

    Raises
    ------
    UndefinedError
        A rule of one standard error without folds.
    OptionError
        `one-se-simplest` where the metadata lack the complexity of a configuration.
    """
    if plan.select is Select.BEST:
        return SelectionRule(metric.direction)
    if matrix.folds is None or (matrix.n_folds or 0) < 2:
        raise UndefinedError(
            f"{parameter('select', plan.select)} needs two folds or more: the standard error is "
            "over folds",
            hint=f"add a fold column (--fold NAME), or {parameter('select', Select.BEST)}",
        )
    if plan.select is Select.ONE_SE:
        return SelectionRule(metric.direction, np.arange(matrix.n_configurations))
    return SelectionRule(metric.direction, np.argsort(complexities(matrix), kind="stable"))


def winners_of(candidates: Candidates, rule: SelectionRule, weights: IntArray) -> IntArray:
    """Select under each row of weights (B, N): (B,), -1 where nothing can be scored."""
    return rule.select(candidates.score(weights), weights, candidates.errors)


def winner_of(candidates: Candidates, rule: SelectionRule) -> int:
    """Select on all samples: -1 where nothing can be scored."""
    everything = np.ones((1, candidates.matrix.n_samples), np.uint8)
    return int(rule.select(candidates.performances()[None], everything, candidates.errors)[0])


def winner_over_folds(matrix: PredictionMatrix, metric: Metric, rule: SelectionRule) -> int:
    """Select on all samples by the mean over folds: -1 where nothing can be scored.

    Raises
    ------
    UndefinedError
        As `fold_performances`.
    """
    if rule.order is not None:
        return winner_of(candidates(matrix, metric, Pooling.FOLD_MEAN), rule)
    of_repeats = [mean_of_defined(list(folds)) for folds in fold_performances(matrix, metric)]
    return int(rule.direction.best(np.mean(of_repeats, axis=0)))


def undefined(metric: Metric) -> UndefinedError:
    """Return the error for samples on which no configuration can be scored."""
    return UndefinedError(
        f"{metric.label} is undefined for every configuration on these samples",
        hint="another --metric; see bbc metrics",
    )


def complexities(matrix: PredictionMatrix) -> FloatArray:
    """Return the complexity of each configuration (C,), from the metadata.

    Raises
    ------
    OptionError
        They lack it of some.
    """
    entries = matrix.source.configurations.items()
    known = {name: entry["complexity"] for name, entry in entries if "complexity" in entry}
    lacking = [name for name in matrix.configurations if not _is_number(known.get(name))]
    if lacking:
        raise OptionError(
            f"{parameter('select', Select.ONE_SE_SIMPLEST)}: the metadata give no complexity "
            f"of {listing(lacking)}",
            hint='a number "complexity" in each entry of "configs"; or order the columns from the '
            f"simplest and use {parameter('select', Select.ONE_SE)}",
        )
    return np.array([float(known[name]) for name in matrix.configurations])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
