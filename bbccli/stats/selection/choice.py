"""The winner on all samples, and its naive figure: where every method begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.notes import (
    Note,
    listing,
    majority_rule,
    one_se_winner,
    single_configuration,
    tied_winners,
    undefined_repeats,
)
from bbccli.core.plan import Plan
from bbccli.core.results import SelectionShare
from bbccli.errors import UndefinedError
from bbccli.metrics.base import Metric
from bbccli.stats.selection.candidates import (
    by_repeat,
    candidates,
    fold_performances,
    folds_of,
    parts_of,
)
from bbccli.stats.selection.pooling import MeanOverFolds
from bbccli.stats.selection.rule import rule_of, undefined, winner_of
from bbccli.types import FloatArray, IntArray, Pooling, PredictionKind, Select, distinct


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A selected configuration, its performance on the data that chose it, and what to know."""

    winner: int
    naive: float
    notes: tuple[Note, ...] = ()


def on_single(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Say that nothing is selected here, and whether something may have been before."""
    if matrix.n_configurations > 1:
        return ()
    asked = any(note.code == "configurations-left-out" for note in matrix.notes)
    return (single_configuration(matrix.source.n_tried, asked=asked),)


def choose(matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan) -> Choice:
    """Return the winner by `selector`, and its performance in `metric` on the same samples.

    Raises
    ------
    UndefinedError
        The metric is undefined on the data, or in a fold when fold means are asked for.
    """
    every = candidates(matrix, selector, plan.pooling)
    values = every.performances()
    winner = winner_of(every, rule_of(matrix, selector, plan))
    if winner < 0 and plan.pooling is Pooling.WITHIN_FOLDS:
        raise UndefinedError(
            f"no fold holds two samples that {selector.label} can compare",
            hint="--pooling pooled; or larger folds",
        )
    if winner < 0:
        raise undefined(selector)
    naive = candidates(matrix, metric, plan.pooling).figure(winner)
    if np.isnan(naive):
        raise UndefinedError(
            f"{metric.label} of the winner is undefined on these samples",
            hint="another --metric; see bbc metrics",
        )
    notes = _on_others(matrix, values, winner, selector, plan)
    notes += _on_majority(matrix, winner, selector)
    return Choice(winner, naive, notes + _undefined_repeats(matrix, metric, np.array([winner])))


def winner_by_fold(matrix: PredictionMatrix, metric: Metric, winner: int) -> tuple[FloatArray, ...]:
    """Return the performances (F,) of the winner in the folds of each repeat.

    Raises
    ------
    UndefinedError
        The metric is undefined in some fold.
    """
    found = tuple(values[:, winner] for values in fold_performances(matrix, metric))
    for values, folds in zip(found, folds_of(matrix), strict=True):
        codes = distinct(folds)[np.isnan(values)]
        if len(codes):
            names = listing([matrix.fold_names[code] for code in codes])
            raise UndefinedError(
                f"{metric.label} is undefined in fold{'s' if len(codes) > 1 else ''} {names} "
                f"for the winner, {matrix.configurations[winner]}",
                hint="use a method over samples, such as bbc",
            )
    return found


def selection_shares(matrix: PredictionMatrix, shares: FloatArray) -> tuple[SelectionShare, ...]:
    """Return the configurations that were ever selected, the most frequent first; shares (C,)."""
    order = np.argsort(-shares, kind="stable")
    return tuple(
        SelectionShare(matrix.configurations[c], float(shares[c])) for c in order if shares[c] > 0
    )


def _on_others(
    matrix: PredictionMatrix, values: FloatArray, winner: int, metric: Metric, plan: Plan
) -> tuple[Note, ...]:
    """Return which others are as good, or which one is better."""
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
    """A note where the winner predicts one class for every sample."""
    if selector.wants is not PredictionKind.LABEL or not matrix.task.is_classification:
        return ()
    labels = matrix.as_kind(PredictionKind.LABEL, np.array([winner]))[..., 0]
    if matrix.available is not None:
        labels = labels[matrix.available[:, :, winner]]
    code = int(labels.flat[0])
    if (labels != code).any():
        return ()
    share = float(matrix.outcome.class_counts[code] / matrix.n_samples)
    predicted = str(matrix.outcome.classes[code])
    return (majority_rule(matrix.configurations[winner], selector.label, predicted, share),)


def _undefined_repeats(
    matrix: PredictionMatrix, metric: Metric, winner: IntArray
) -> tuple[Note, ...]:
    """A note where the winner has no performance in some repeats of a repeated hold-out."""
    parts = parts_of(matrix)
    if parts is None:
        return ()
    scorer = MeanOverFolds.of_parts(by_repeat(matrix, metric, winner), parts)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    n_undefined = int(scorer.n_undefined(everything, np.array([0]))[0])
    return (undefined_repeats(n_undefined, len(parts), metric.label),) if n_undefined else ()
