"""Errors of estimates where models are trained: `ipl`, BBC and its variants.

A repetition draws N samples of two normal classes in 60 variables, of which 6 differ, or none; and
trains 30 classifiers (ridge on the k variables with the largest t, and nearest neighbours) on 20
random subsets of each of five sizes. Estimates are judged by the accuracy of the winner, trained on
all N, on 4000 new samples.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bbccli import METHODS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Task
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.summary import mean_of, rmse_of

N_VARIABLES, N_DIFFERENT, N_SPLITS, N_NEW = 60, 6, 20, 4000
SHARES = (0.4, 0.5, 0.6, 0.75, 0.9)
KEPT, PENALTIES, NEIGHBOURS = (2, 5, 10, 20, 60), (0.1, 10.0, 1000.0), (1, 5, 11)
CANDIDATES = tuple(
    f"{family}-{k}"
    for k in KEPT
    for family in (*(f"ridge-{one:g}" for one in PENALTIES), *(f"knn-{one}" for one in NEIGHBOURS))
)
ESTIMATORS = ("cvt", "ipl", "bbc", "bbc-632", "bbc-632plus")


@dataclass(frozen=True, slots=True)
class Curves:
    """Samples, and the difference of the class means in each of the variables that differ."""

    n: int
    gap: float
    n_repetitions: int = 200

    @property
    def key(self) -> str:
        """Its name."""
        return f"N={self.n} gap={self.gap:g}"


def settings() -> list[Curves]:
    """Three sizes, without a signal and with a weak one."""
    return [Curves(n, gap) for n in (40, 80, 160) for gap in (0.0, 0.5)]


def draw(rng: np.random.Generator, n: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Variables (n, 60) and balanced classes (n,)."""
    classes = rng.permutation(np.arange(n) % 2)
    shift = np.where(np.arange(N_VARIABLES) < N_DIFFERENT, gap, 0)
    return rng.standard_normal((n, N_VARIABLES)) + classes[:, None] * shift, classes


def predicted(x: np.ndarray, classes: np.ndarray, new: np.ndarray) -> np.ndarray:
    """(M, C) classes of new samples (M, 60) by all candidates, trained on these."""
    means = np.array([x[classes == one].mean(axis=0) for one in (0, 1)])
    order = np.argsort(-np.abs(means[1] - means[0]) / x.std(axis=0))
    classes_by = [
        one for k in KEPT for one in _on_variables(x[:, order[:k]], classes, new[:, order[:k]])
    ]
    return np.array(classes_by).T


def _on_variables(x: np.ndarray, classes: np.ndarray, new: np.ndarray) -> Iterator[np.ndarray]:
    """Classes (M,) by ridge regression of -1 and 1, and by the majority of neighbours."""
    centre, signs = x.mean(axis=0), 2 * classes - 1
    products = (x - centre).T @ (x - centre)
    moments = (x - centre).T @ (signs - signs.mean())
    for penalty in PENALTIES:
        slopes = np.linalg.solve(products + penalty * np.eye(len(products)), moments)
        yield (new - centre) @ slopes + signs.mean() > 0
    distances = (x**2).sum(axis=1) - 2 * new @ x.T  # but for what a new sample adds to all
    nearest = np.argsort(distances, axis=1)[:, : max(NEIGHBOURS)]
    for k in NEIGHBOURS:
        yield signs[nearest[:, :k]].sum(axis=1) > 0


def matrix_of_size(
    rng: np.random.Generator, x: np.ndarray, classes: np.ndarray, size: int
) -> PredictionMatrix:
    """Models trained on random subsets of a size, half of it of either class, and their tests."""
    n = len(classes)
    predictions = np.zeros((N_SPLITS, n, len(CANDIDATES)))
    available = np.zeros(predictions.shape, bool)
    for split in range(N_SPLITS):
        parts = [rng.permutation(np.flatnonzero(classes == one)) for one in (0, 1)]
        trained = np.concatenate([part[: size // 2] for part in parts])
        tested = np.setdiff1d(np.arange(n), trained)
        predictions[split, tested] = predicted(x[trained], classes[trained], x[tested])
        available[split, tested] = True
    return PredictionMatrix(
        outcome=Outcome(Task.BINARY, classes, ("0", "1")),
        predictions=predictions,
        configurations=CANDIDATES,
        kind=PredictionKind.LABEL,
        available=available,
        repeated_holdout=True,
        train_size=size,
    )


def repetition(setting: Curves, number: int) -> Result:
    """Return the error of each estimator."""
    n, gap = setting.n, setting.gap
    rng = np.random.default_rng([n, int(100 * gap), number])
    x, classes = draw(rng, n, gap)
    sizes = [2 * round(n * share / 2) for share in SHARES]
    *smaller, largest = (matrix_of_size(rng, x, classes, size) for size in sizes)
    matrix = replace(largest, smaller=tuple(smaller))
    new, truth = draw(rng, N_NEW, gap)
    true = (predicted(x, classes, new) == truth[:, None]).mean(axis=0)
    errors = {}
    for name in ESTIMATORS:
        estimate = METHODS[name].run(matrix, "accuracy", Plan(n_resamples=500, seed=number))
        errors[name] = estimate.value - float(true[matrix.configurations.index(estimate.winner)])
    return errors


def block(store: Kept) -> str:
    """Bias and RMSE of each estimator."""
    rows: list[Row] = []
    for setting in settings():
        results = list(store.results(setting.key).values())
        row: Row = {"N": setting.n, "gap": setting.gap, "n": len(results)}
        for name in ESTIMATORS if results else ():
            errors = [one[name] for one in results]
            row[name] = f"{mean_of(errors)}, {rmse_of(errors)}"
        rows.append(row)
    return table("Trained classifiers: bias and RMSE of the accuracy", ("N", "gap", "n"), rows)


STUDY = Study("learning-curves", settings, repetition)
