"""What metrics rest on: the number of samples that says how sure a performance can be."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import for_metric, of

from bbccli.domain.outcome import Outcome
from bbccli.metrics import METRICS
from bbccli.metrics.weighting import BY_TASK
from bbccli.stats.selection.units import rests_on
from bbccli.types import Direction, PredictionKind, Task

# One sample far out can take a correlation anywhere: no share of samples says how far.
CORRELATIONS = {"pearson", "pearson-squared", "spearman", "qwk"}
BOUNDED = [
    (name, task)
    for name, metric in METRICS.items()
    for task in sorted(metric.tasks)
    if np.isfinite(metric.bounds).all() and name not in CORRELATIONS
]
# Of two classes, those that more negative samples tell more of; of several, the largest class.
OF_ALL = {
    "accuracy", "error", "brier", "log-loss", "precision-micro", "precision-weighted",
    "recall-micro", "recall-weighted", "f1-micro", "f1-weighted", "mae-rank",
}  # fmt: skip
OF_NEGATIVES = OF_ALL | {"specificity", "npv"}


def perfect(metric, task, counts):
    """A matrix of one configuration that makes no mistake, with so many samples per class."""
    truth = np.repeat(np.arange(len(counts)), counts)
    classes = tuple("abc"[: len(counts)])
    if task is Task.SURVIVAL:
        # the first samples have events, one after the other; the rest is censored later
        times, event = np.arange(1.0, len(truth) + 1), np.arange(len(truth)) < counts[0]
        outcome = Outcome(task, times, event=event)
        return of(outcome, -times[None, :, None], PredictionKind.SCORE, 3)
    outcome, labels = Outcome(task, truth, classes), metric.wants is PredictionKind.LABEL
    predictions = truth.astype(float) if labels or task is Task.BINARY else np.eye(3)[truth]
    kind = PredictionKind.LABEL if labels else PredictionKind.PROBABILITY
    return of(outcome, predictions[None, :, None], kind, 3)


def spoiled(metric, matrix):
    """How much the worst mistake on a single sample costs."""
    best = max(metric.bounds) if metric.direction is Direction.MAXIMIZE else min(metric.bounds)
    every, costs = np.ones((1, matrix.n_samples), np.uint8), []
    for i in range(matrix.n_samples):
        for other in others(matrix, i):
            predictions = matrix.predictions.copy()
            predictions[0, i, 0] = other
            changed = replace(matrix, predictions=predictions)
            scorer = metric.bind(changed.outcome, changed.as_kind(metric.wants)[0])
            costs.append(abs(best - scorer(every)[0, 0]))
    return np.nanmax(costs)


def others(matrix, i):
    """Wrong predictions of a sample, as wrong as can be."""
    if matrix.task is Task.SURVIVAL:
        return [-1e6, 1e6]
    wrong = [k for k in range(len(matrix.outcome.classes)) if k != matrix.outcome.values[i]]
    return [np.eye(3)[k] for k in wrong] if matrix.predictions.ndim == 4 else [*map(float, wrong)]


def test_every_metric_says_it():
    assert [name for name, metric in METRICS.items() if metric.rests_on is BY_TASK] == []


@pytest.mark.sweep
@pytest.mark.parametrize("counts", [(6, 54), (54, 6), (20, 20)], ids=str)
@pytest.mark.parametrize(("name", "task"), BOUNDED)
def test_one_mistake_costs_no_more_than_one_unit_in_n(name, task, counts):
    """The guard takes one bad unit in N to cost 1 / N of the range; pairs may cost it twice."""
    metric = METRICS[name]
    matrix = perfect(metric, task, (*counts, 15) if task is Task.MULTICLASS else counts)
    low, high = metric.within(matrix.outcome).bounds
    n_units = rests_on(matrix, metric, 0)
    assert n_units * spoiled(metric, matrix) <= 2.05 * (high - low)


@pytest.mark.parametrize(
    ("name", "task"),
    [(n, t) for n in METRICS for t in sorted(METRICS[n].tasks) if t.is_classification],
)
def test_more_samples_of_a_class_that_it_does_not_rest_on_count_for_nothing(name, task):
    metric = METRICS[name]
    few, many = ((54, 6), (540, 6)) if task is Task.BINARY else ((30, 9, 6), (300, 9, 6))
    before, after = (rests_on(perfect(metric, task, counts), metric, 0) for counts in (few, many))
    if name in (OF_NEGATIVES if task is Task.BINARY else OF_ALL):
        assert after > before
    else:
        assert after == before


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall", 10),
        swept("f1", 10),
        swept("specificity", 30),
        swept("auc", 10),
        swept("balanced-accuracy", 10),
        swept("mcc", 10),
        swept("accuracy", 40),
        ("precision", 7),
        swept("npv", 33),
    ],
)
def test_by_hand(name, expected):
    """Ten of 40 samples are positive, five of which and two others are predicted to be."""
    truth = np.repeat([1, 0], [10, 30])
    said = np.isin(np.arange(40), [0, 1, 2, 3, 4, 20, 21]).astype(float)
    outcome = Outcome(Task.BINARY, truth, ("n", "p"))
    matrix = of(outcome, said[None, :, None], PredictionKind.PROBABILITY)
    assert rests_on(matrix, METRICS[name], 0) == expected


def test_groups_that_hold_such_samples_are_counted():
    truth = np.repeat([1, 0], [10, 30])
    matrix = of(
        Outcome(Task.BINARY, truth, ("n", "p")), truth[None, :, None] * 1.0, PredictionKind.LABEL
    )
    groups = np.r_[np.arange(10) // 5, np.arange(30) // 3]
    matrix = replace(matrix, groups=groups)
    assert rests_on(matrix, METRICS["recall"], 0) == 2
    assert rests_on(matrix, METRICS["accuracy"], 0) == 10


def test_samples_without_a_prediction_are_not():
    truth = np.repeat([1, 0], [10, 30])
    available = np.ones((1, 40, 1), bool)
    available[0, :4] = False
    outcome = Outcome(Task.BINARY, truth, ("n", "p"))
    matrix = of(outcome, truth[None, :, None] * 1.0, PredictionKind.LABEL)
    matrix = replace(matrix, available=available)
    assert rests_on(matrix, METRICS["recall"], 0) == 6


def test_of_repeats_the_one_with_the_fewest():
    truth = np.repeat([1, 0], [10, 30])
    said = np.stack([truth, np.arange(40) < 4])[:, :, None].astype(float)
    matrix = of(Outcome(Task.BINARY, truth, ("n", "p")), said, PredictionKind.LABEL)
    assert rests_on(matrix, METRICS["precision"], 0) == 4


@pytest.mark.parametrize(
    ("name", "expected"), [("accuracy", 15), ("concordance", None), ("pearson", 41)]
)
def test_a_metric_that_does_not_say_gets_what_is_safe(name, expected):
    matrix = for_metric(name, Task.MULTICLASS if name == "accuracy" else None)
    expected = expected or int(matrix.outcome.event.sum())
    by_task = replace(METRICS[name], rests_on=BY_TASK)
    assert rests_on(matrix, by_task, 0) == expected
