"""The rule of selection, the winner on all samples, and its naive figure.

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
from math import isfinite
from typing import Any

import numpy as np

from bbccli.domain.estimate import SelectionShare
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, UnsupportedError, parameter
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import measuring
from bbccli.notes import Note, listing
from bbccli.notes.intervals import majority_rule
from bbccli.notes.methods import (
    one_se_winner,
    single_configuration,
    tied_winners,
    undefined_folds,
    undefined_repeats,
)
from bbccli.notes.of_metadata import failures_best
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection.candidates import (
    Candidates,
    by_repeat,
    candidates,
    fold_performances,
    folds_of,
    holdout_parts,
)
from bbccli.stats.selection.pooling import MeanOverFolds
from bbccli.types import (
    TIE_TOLERANCE,
    Direction,
    FloatArray,
    IntArray,
    Pooling,
    PredictionKind,
    Select,
    distinct,
)

Errors = Callable[[IntArray, IntArray], FloatArray]
"""Weights (B, N) and configurations (B,) -> standard errors (B,) of their performances."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectionRule:
    """A rule of selection.

    direction: which way a performance is better.
    order (C,) int, optional: configurations from the most preferred one, among those within one
        standard error of the best; None to select the best.
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

    Raises UndefinedError: a rule of one standard error without folds.
    Raises UnsupportedError: a rule that combines configurations.
    Raises OptionError: `one-se-simplest` where the metadata lack the complexity of a configuration.
    """
    if plan.makes:
        raise UnsupportedError(
            f"this is about configurations as they are, and {plan.making} makes others of them",
            hint=f"leave it out; bbc correct {plan.making} reports on what is made",
        )
    if plan.select is Select.BEST:
        return SelectionRule(metric.direction)
    if matrix.n_folds in (None, 1):
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
    values = candidates.performances()
    if rule.order is None:
        return int(rule.direction.best(values))
    everything = np.ones((1, candidates.matrix.n_samples), np.uint8)
    return int(rule.select(values[None], everything, candidates.errors).item())


def undefined(metric: Metric) -> UndefinedError:
    """Return the error for samples on which no configuration can be scored."""
    return UndefinedError(
        f"{metric.label} is undefined for every configuration on these samples",
        hint="give another --metric; see bbc metrics",
    )


def complexities(matrix: PredictionMatrix) -> FloatArray:
    """Return the complexity (C,) of each configuration, from the metadata.

    Raises OptionError: it is missing for some.
    """
    entries = matrix.source.configurations.items()
    values = {name: entry["complexity"] for name, entry in entries if "complexity" in entry}
    missing = [name for name in matrix.configurations if not _is_finite(values.get(name))]
    if missing:
        raise OptionError(
            f"{parameter('select', Select.ONE_SE_SIMPLEST)}: the metadata give no complexity "
            f"of {listing(missing)}",
            hint='a number "complexity" in each entry of "configs"; or order the columns from the '
            f"simplest and use {parameter('select', Select.ONE_SE)}",
        )
    return np.array([float(values[name]) for name in matrix.configurations])


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A selected configuration, its performance on the data that chose it, and notes.

    over_folds: the figure by which a tool chose it, where `naive` is over pooled rows instead.
    """

    winner: int
    naive: float
    notes: tuple[Note, ...] = ()
    over_folds: float | None = None


def on_single(matrix: PredictionMatrix, *, made: bool = False) -> tuple[Note, ...]:
    """Return a note that nothing is selected here, and whether a selection may have preceded; what
    is `made` of one configuration, such as a cut, is corrected.
    """
    if matrix.n_configurations > 1:
        return ()
    on_request = made or not {"configurations-left-out", "best-alone"}.isdisjoint(
        note.code for note in matrix.notes
    )
    return (single_configuration(matrix.source.n_tried, on_request=on_request),)


def choose(matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan) -> Choice:
    """Return the winner by `selector`, and its performance in `metric` on the same samples.

    Raises UndefinedError: the metric is undefined on the data, or in a fold for fold means.
    """
    every = candidates(matrix, selector, plan.pooling)
    values = every.performances()
    winner = winner_of(every, rule_of(matrix, selector, plan))
    if winner < 0 and plan.pooling is Pooling.WITHIN_FOLDS:
        raise UndefinedError(
            f"no fold holds two samples that {selector.label} can compare",
            hint="use --pooling pooled, or larger folds",
        )
    if winner < 0:
        raise undefined(selector)
    pooling = measuring(metric, plan)
    naive = candidates(matrix, metric, pooling).figure(winner)
    if np.isnan(naive):
        raise UndefinedError(
            f"{metric.label} of the winner is undefined on these samples",
            hint="give another --metric; see bbc metrics",
        )
    notes = _on_others(matrix, values, winner, selector, plan)
    notes += _on_majority(matrix, winner, selector) + _on_failures(matrix, selector)
    notes += _undefined_folds(matrix, selector, winner, plan)
    notes += _undefined_repeats(matrix, metric, np.array([winner]))
    apart = pooling is not plan.pooling and metric is selector
    return Choice(winner, naive, notes, float(values[winner]) if apart else None)


def ranked(direction: Direction, values: FloatArray) -> tuple[IntArray, IntArray]:
    """Return configurations (C,) best first, and their ranks (C,) by column; 0 has no value.

    >>> order, ranks = ranked(Direction.MAXIMIZE, np.array([0.7, np.nan, 0.9, 0.7]))
    >>> order.tolist(), ranks.tolist()
    ([2, 0, 3, 1], [2, 0, 1, 2])
    """
    order = np.argsort(-direction.sign * values, kind="stable")  # NaN comes last
    ranks = np.zeros(len(values), np.int64)
    start, n_defined = 0, int((~np.isnan(values)).sum())
    while start < n_defined:
        lead = values[order[start]]
        behind = direction.gain(lead, values[order[start:n_defined]])
        end = start + int((behind <= TIE_TOLERANCE * abs(lead)).sum())
        order[start:end].sort()
        ranks[order[start:end]] = start + 1
        start = end
    return order, ranks


def winner_by_fold(matrix: PredictionMatrix, metric: Metric, winner: int) -> tuple[FloatArray, ...]:
    """Return the performances (F,) of the winner in the folds of each repeat.

    Raises UndefinedError: the metric is undefined in some fold.
    """
    performances = tuple(values[:, winner] for values in fold_performances(matrix, metric))
    for values, folds in zip(performances, folds_of(matrix), strict=True):
        codes = distinct(folds)[np.isnan(values)]
        if len(codes):
            names = listing([matrix.fold_names[code] for code in codes])
            raise UndefinedError(
                f"{metric.label} is undefined in fold{'s' if len(codes) > 1 else ''} {names} "
                f"for the winner, {matrix.configurations[winner]}",
                hint="use a method over samples, such as bbc",
            )
    return performances


MOST_SHARES = 10
"""Configurations whose selection frequency is reported by default."""


def selection_shares(matrix: PredictionMatrix, shares: FloatArray) -> tuple[SelectionShare, ...]:
    """Return the configurations that were ever selected, the most frequent first; shares (C,)."""
    order = np.argsort(-shares, kind="stable")
    return tuple(
        SelectionShare(matrix.configurations[c], float(shares[c])) for c in order if shares[c] > 0
    )


def _on_others(
    matrix: PredictionMatrix, values: FloatArray, winner: int, metric: Metric, plan: Plan
) -> tuple[Note, ...]:
    """Return notes on other configurations that are as good, or better."""
    name = matrix.configurations[winner]
    if plan.select is not Select.BEST:
        best = int(metric.direction.best(values))
        figures = float(values[winner]), float(values[best])
        return (
            one_se_winner(name, matrix.configurations[best], *figures, metric.label, metric.bounds),
        )
    n_tied = int(metric.direction.ties(values).sum())
    return (tied_winners(name, n_tied, plan.pooling),) if n_tied > 1 else ()


def _on_majority(matrix: PredictionMatrix, winner: int, selector: Metric) -> tuple[Note, ...]:
    """Return a note where the winner predicts one class for every sample."""
    if selector.wants is not PredictionKind.LABEL or not matrix.task.is_classification:
        return ()
    labels = matrix.as_kind(PredictionKind.LABEL, np.array([winner]))[..., 0]
    if matrix.available is not None:
        labels = labels[matrix.available[:, :, winner]]
    code = int(labels.max())
    if labels.min() != code:
        return ()
    share = float(matrix.outcome.class_counts[code] / matrix.n_samples)
    predicted = str(matrix.outcome.classes[code])
    return (majority_rule(matrix.configurations[winner], selector.label, predicted, share),)


def _on_failures(matrix: PredictionMatrix, selector: Metric) -> tuple[Note, ...]:
    """Return a note where failed requests have scores and a lower score is better."""
    evaluation = matrix.source.run.evaluation if matrix.source.run else None
    if evaluation is None or selector.direction is Direction.MAXIMIZE:
        return ()
    n_failed = evaluation.n_scored_errors
    return (failures_best(n_failed),) if n_failed else ()


def _undefined_folds(
    matrix: PredictionMatrix, metric: Metric, winner: int, plan: Plan
) -> tuple[Note, ...]:
    """Return a note where the winner was selected by fewer folds than there are."""
    if plan.pooling is not Pooling.FOLD_MEAN:
        return ()
    values = np.concatenate([folds[:, winner] for folds in fold_performances(matrix, metric)])
    n_undefined, name = int(np.isnan(values).sum()), matrix.configurations[winner]
    if not n_undefined:
        return ()
    return (undefined_folds(name, n_undefined, len(values), metric.label),)


def _undefined_repeats(
    matrix: PredictionMatrix, metric: Metric, winner: IntArray
) -> tuple[Note, ...]:
    """Return a note where the winner has no performance in some repeats of a hold-out."""
    parts = holdout_parts(matrix)
    if parts is None:
        return ()
    scorer = MeanOverFolds.of_parts(by_repeat(matrix, metric, winner), parts)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    n_undefined = int(scorer.n_undefined(everything, np.zeros(1, int)).item())
    return (undefined_repeats(n_undefined, len(parts), metric.label),) if n_undefined else ()
