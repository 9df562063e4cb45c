"""The subjects of measurement: metrics, each with its counterpart elsewhere; engines; matrices.

A metric joins all tables by one line in `RIVALS`, the table of families by one in `FAMILIES`.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import stats
from sklearn import metrics as sklearn_metrics

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS, Metric
from bbccli.metrics.base import MeanScorer, Scorer
from bbccli.platform.resources import Engine, Resources, use
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind, Task

Rival = Callable[[np.ndarray, np.ndarray], float]


def _auc_multiclass(truth: np.ndarray, predictions: np.ndarray) -> float:
    return sklearn_metrics.roc_auc_score(truth, predictions, multi_class="ovr")


def _on_labels(score: Rival) -> Rival:
    return lambda truth, predictions: score(truth, predictions > 0.5)


def _concordance(truth: np.ndarray, predictions: np.ndarray) -> float:
    from sksurv.metrics import concordance_index_censored

    return concordance_index_censored(truth["event"], truth["time"], predictions)[0]


def _spearman(truth: np.ndarray, predictions: np.ndarray) -> float:
    return stats.spearmanr(truth, predictions)[0]


RIVALS: dict[str, Rival] = {
    "auc": sklearn_metrics.roc_auc_score,
    "accuracy": _on_labels(sklearn_metrics.accuracy_score),
    "mse": sklearn_metrics.mean_squared_error,
    "auc-ovr": _auc_multiclass,
}
"""Counterparts in scikit-learn of the metrics in all tables."""

FAMILIES: dict[str, Rival] = {
    "f1": _on_labels(sklearn_metrics.f1_score),
    "balanced-accuracy": _on_labels(sklearn_metrics.balanced_accuracy_score),
    "average-precision": sklearn_metrics.average_precision_score,
    "rmse": sklearn_metrics.root_mean_squared_error,
    "r2": sklearn_metrics.r2_score,
    "medae": sklearn_metrics.median_absolute_error,
    "spearman": _spearman,
    "concordance": _concordance,
}
"""Counterparts in scikit-learn, scipy and scikit-survival of what shows the other families."""

N_FOLDS = 10
N_CLASSES = 3
"""Of multiclass matrices."""

EVENTS = 0.7
"""Share of samples whose event is seen."""


def measured() -> list[Metric]:
    """The metrics of the registry that have a rival here."""
    return [METRICS[name] for name in RIVALS if name in METRICS]


SORTED = ("average-precision", "spearman", "medae")


def engines(metric: Metric) -> list[Engine]:
    """Engines that differ for the metric."""
    if not has_forms(metric) or find_spec("numba") is None:
        return [Engine.NUMPY]
    return [Engine.NUMPY, Engine.NUMBA]


def is_product(metric: Metric) -> bool:
    """True if the metric is one matrix product."""
    return isinstance(bound(metric, matrix_for(metric, 60, 2)), MeanScorer)


def has_forms(metric: Metric) -> bool:
    """True if a kernel of the metric is compiled: pairs, and three metrics of sorted columns."""
    return metric.of_pairs or metric.name in SORTED


def bound(metric: Metric, matrix: PredictionMatrix) -> Scorer:
    return metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])


def matrix_for(metric: Metric, n_samples: int, n_configurations: int) -> PredictionMatrix:
    """A matrix that the metric can score, without ties between predictions."""
    tasks = (Task.BINARY, Task.MULTICLASS, Task.REGRESSION, Task.SURVIVAL, Task.SCORE)
    task = next(task for task in tasks if task in metric.tasks)
    return matrix_of(task, n_samples, n_configurations)


def n_predictions(metric: Metric, n_samples: int, n_configurations: int) -> int:
    """Numbers in the matrix that `matrix_for` makes."""
    n_columns = matrix_for(metric, 60, 1).predictions[0, 0].size
    return n_samples * n_configurations * n_columns


@lru_cache(maxsize=4)
def matrix_of(task: Task, n_samples: int, n_configurations: int) -> PredictionMatrix:
    """A seeded matrix: later configurations are better, folds are balanced."""
    rng = np.random.default_rng(0)
    skill = np.linspace(0, 1, n_configurations)
    shape = (n_samples, n_configurations)
    folds = np.arange(n_samples) // N_CLASSES // 2 % N_FOLDS
    if task is Task.SCORE:
        outcome, kind = Outcome(task, np.zeros(n_samples)), PredictionKind.VALUE
        predictions = rng.normal(size=shape) + skill
    elif task is Task.REGRESSION:
        outcome, kind = Outcome(task, rng.normal(size=n_samples)), PredictionKind.VALUE
        predictions = rng.normal(size=shape) + skill * outcome.values[:, None]
    elif task is Task.BINARY:
        truth = np.arange(n_samples) % 2
        outcome, kind = Outcome(task, truth, ("no", "yes")), PredictionKind.PROBABILITY
        predictions = _logistic(rng.normal(size=shape) + skill * (truth[:, None] - 0.5))
    elif task is Task.SURVIVAL:
        time, seen = rng.exponential(size=n_samples), rng.random(n_samples) < EVENTS
        outcome, kind = Outcome(task, time, event=seen), PredictionKind.SCORE
        predictions = rng.normal(size=shape) - skill * np.log(time)[:, None]
    else:
        truth = np.arange(n_samples) % N_CLASSES
        outcome, kind = Outcome(task, truth, ("a", "b", "c")), PredictionKind.PROBABILITY
        logits = rng.normal(size=(*shape, N_CLASSES))
        logits += skill[:, None] * np.eye(N_CLASSES)[truth][:, None]
        chances = np.exp(logits)
        predictions = chances / chances.sum(axis=-1, keepdims=True)
    return PredictionMatrix(
        outcome,
        predictions[None],
        tuple(f"c{c}" for c in range(n_configurations)),
        kind,
        folds=folds[None],
        fold_names=tuple(str(fold) for fold in range(N_FOLDS)),
    )


def weights_of(matrix: PredictionMatrix, n_blocks: int) -> np.ndarray:
    """In-bag weights (B, N) of the first blocks of resamples that BBC draws."""
    return draws_of(matrix.n_samples, None, seed=0).batch(0, n_blocks).in_bag


def whole_run(
    metric: Metric,
    matrix: PredictionMatrix,
    n_resamples: int,
    engine: Engine,
    jobs: int = 1,
    method: str = "bbc",
    **plan: Any,
) -> Callable[[], Callable[[], object]]:
    """A maker of a whole run: binding, draws, selection, performance out of the bag, interval.

    What is bound to a matrix is kept with it, so each run gets a matrix of its own.
    """

    def run(fresh: PredictionMatrix) -> None:
        with use(Resources(jobs=jobs, engine=engine)):
            METHODS[method].run(fresh, metric, Plan(n_resamples, **plan))

    return lambda: partial(run, replace(matrix))


def warm(metric: Metric, engine: Engine) -> None:
    """Run once, so that what is imported or compiled at first use is not measured."""
    whole_run(metric, matrix_for(metric, 600, 2), 64, engine)()()


def scoring(
    scorer: Scorer, weights: np.ndarray, engine: Engine, rows: int = 1024
) -> Callable[[], object]:
    """The scorer alone, on batches of resamples as large as BBC scores at once."""

    def run() -> None:
        with use(Resources(jobs=1, engine=engine)):
            for start in range(0, len(weights), rows):
                scorer(weights[start : start + rows])

    return run


def has_rival(metric: Metric) -> bool:
    """True if the other program is installed; scikit-survival is not one of the test tools."""
    return Task.SURVIVAL not in metric.tasks or find_spec("sksurv") is not None


def rival_loop(
    metric: Metric, matrix: PredictionMatrix, n_evaluations: int
) -> Callable[[], object]:
    """A few turns of the loop over resamples and configurations that other programs take."""
    rng = np.random.default_rng(0)
    truth, predictions = _truth(matrix.outcome), matrix.predictions[0]
    rival = (RIVALS | FAMILIES)[metric.name]
    columns = np.resize(np.arange(matrix.n_configurations), n_evaluations)
    drawn = rng.integers(0, len(truth), size=len(truth))

    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for c in columns:
                rival(truth[drawn], predictions[drawn, c])

    return run


def _truth(outcome: Outcome) -> np.ndarray:
    """Outcomes (N,), with two fields if they are times and events."""
    if outcome.event is None:
        return outcome.values
    times = np.empty(len(outcome), [("event", bool), ("time", float)])
    times["event"], times["time"] = outcome.event, outcome.values
    return times


def _logistic(scores: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-scores))
