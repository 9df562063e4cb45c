"""Small matrices for tests: seeded, or worked out by hand."""

from dataclasses import replace

import numpy as np

from bbccli import METRICS, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Task


def binary(
    n_samples=40,
    n_configurations=7,
    n_folds=5,
    n_repeats=1,
    seed=0,
    kind=PredictionKind.PROBABILITY,
):
    """Two classes in every fold; later configurations are better, some predictions tie."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_samples) % 2
    skill = np.linspace(0, 2, n_configurations)
    shape = (n_repeats, n_samples, n_configurations)
    scores = rng.normal(size=shape) + skill * (truth[:, None] - 0.5)
    scores = np.round(scores, 1)
    if kind is PredictionKind.PROBABILITY:
        scores = np.round(1 / (1 + np.exp(-scores)), 2)
    if kind is PredictionKind.LABEL:
        scores = (scores > 0).astype(float)
    return of(Outcome(Task.BINARY, truth, ("no", "yes")), scores, kind, n_folds, seed)


def multiclass(
    n_samples=45,
    n_configurations=5,
    n_folds=5,
    n_repeats=1,
    seed=0,
    kind=PredictionKind.PROBABILITY,
):
    """Three classes: class probabilities, logits, or labels."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_samples) % 3
    skill = np.linspace(0, 2, n_configurations)
    logits = rng.normal(size=(n_repeats, n_samples, n_configurations, 3))
    logits += skill[:, None] * np.eye(3)[truth][:, None, :]
    predictions = {
        PredictionKind.PROBABILITY: np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True),
        PredictionKind.SCORE: logits,
        PredictionKind.LABEL: logits.argmax(axis=-1).astype(float),
    }[kind]
    outcome = Outcome(Task.MULTICLASS, truth, ("a", "b", "c"))
    return of(outcome, predictions, kind, n_folds, seed)


def regression(n_samples=41, n_configurations=6, n_folds=5, n_repeats=1, seed=0):
    """Positive values, some of them tied; later configurations are better."""
    rng = np.random.default_rng(seed)
    truth = np.round(rng.gamma(3.0, 2.0, n_samples) + 0.5, 1)
    noise = rng.normal(size=(n_repeats, n_samples, n_configurations))
    values = truth[:, None] + noise * np.linspace(4, 1, n_configurations)
    values = np.round(np.abs(values) + 0.1, 1)
    outcome = Outcome(Task.REGRESSION, truth)
    return of(outcome, values, PredictionKind.VALUE, n_folds, seed)


def of_labels(right, truth=None, weights=None, configurations=None, **fields):
    """Labels of two classes that are right, (N, C) or (R, N, C), or not."""
    right = np.asarray(right, bool)
    truth = np.arange(right.shape[-2]) % 2 if truth is None else np.asarray(truth)
    labels = np.where(right, truth[:, None], 1 - truth[:, None]).astype(float)
    return PredictionMatrix(
        Outcome(Task.BINARY, truth, ("no", "yes"), weights=weights),
        labels if right.ndim == 3 else labels[None],
        tuple(configurations or (f"c{c}" for c in range(right.shape[-1]))),
        PredictionKind.LABEL,
        **fields,
    )


def of(outcome, predictions, kind, n_folds=5, seed=0):
    """A matrix with stratified random folds."""
    rng = np.random.default_rng(seed)
    n_repeats, n_samples, n_configurations = predictions.shape[:3]
    folds = np.empty((n_repeats, n_samples), int)
    for repeat in range(n_repeats):
        order = np.lexsort((rng.random(n_samples), outcome.values))
        folds[repeat, order] = np.arange(n_samples) % n_folds
    return PredictionMatrix(
        outcome,
        predictions,
        tuple(f"c{c}" for c in range(n_configurations)),
        kind,
        folds=folds,
        fold_names=tuple(str(f) for f in range(n_folds)),
    )


def survival(n_samples=40, n_configurations=6, n_folds=5, n_repeats=1, seed=0):
    """Risks of events, a third of them censored; some times and some risks are tied."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n_samples)
    times = np.round(rng.exponential(np.exp(-risk)) + 0.1, 1)
    event = rng.random(n_samples) < 2 / 3
    noise = rng.normal(size=(n_repeats, n_samples, n_configurations))
    risks = np.round(risk[:, None] + noise * np.linspace(3, 1, n_configurations), 1)
    return of(
        Outcome(Task.SURVIVAL, times, event=event), risks, PredictionKind.SCORE, n_folds, seed
    )


def scores(n_samples=40, n_configurations=6, n_folds=5, n_repeats=1, seed=0):
    """Marks from 1 to 5 without a truth; later configurations are better."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n_samples)[:, None]
    marks = rng.normal(size=(n_repeats, n_samples, n_configurations)) - hard + 3
    marks = np.clip(np.round(marks + np.linspace(-1, 1, n_configurations)), 1, 5)
    outcome = Outcome(Task.SCORE, np.zeros(n_samples), bounds=(1.0, 5.0))
    return of(outcome, marks, PredictionKind.VALUE, n_folds, seed)


MAKERS = {
    Task.BINARY: binary,
    Task.MULTICLASS: multiclass,
    Task.REGRESSION: regression,
    Task.SURVIVAL: survival,
    Task.SCORE: scores,
}


def for_metric(name, task=None, **options):
    """A matrix that the metric can score, of the first of its tasks or the one given."""
    task = task or next(task for task in Task if task in METRICS[name].tasks)
    return MAKERS[task](**options)


def bound(metric, matrix, repeat=0):
    """The metric's scorer on one repeat of a matrix."""
    return metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[repeat])


def in_blocks(width):
    """In place of `Candidates.blocks`: at most so many configurations at a time."""

    def blocks(self, among=None):
        columns = np.arange(self.n_configurations) if among is None else among
        return np.array_split(columns, -(-len(columns) // width))

    return blocks


def changed_source(matrix, metadata):
    """The matrix with other metadata."""
    return replace(matrix, source=replace(matrix.source, metadata=metadata))


def weighing(outcome, seed=0):
    """The outcome with random sample weights."""
    weights = np.random.default_rng(seed).gamma(2.0, size=len(outcome))
    return replace(outcome, weights=weights)


def by_hand():
    """Six samples in three folds of two; AUC and accuracy are easy to count.

    truth 0 1 | 0 1 | 0 1
    a     .1 .9 .2 .8 .6 .7   AUC 1, accuracy 5/6 (0.6 is above the cut)
    b     .9 .1 .2 .8 .3 .7   AUC of pairs: 5 of 9 are right, none ties; accuracy 4/6
    """
    a = [0.1, 0.9, 0.2, 0.8, 0.6, 0.7]
    b = [0.9, 0.1, 0.2, 0.8, 0.3, 0.7]
    return PredictionMatrix(
        Outcome(Task.BINARY, np.array([0, 1, 0, 1, 0, 1]), ("no", "yes")),
        np.column_stack([b, a])[None],
        ("b", "a"),
        PredictionKind.PROBABILITY,
        folds=np.array([[0, 0, 1, 1, 2, 2]]),
        fold_names=("1", "2", "3"),
    )
