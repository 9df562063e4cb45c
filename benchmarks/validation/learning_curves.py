"""How far off `ipl` is: classifiers trained in several sizes, on data whose law is known.

A repetition draws N samples of two normal classes in 60 variables, of which 6 differ, or none; and
trains 30 classifiers (ridge on the k variables with the largest t, and nearest neighbours) on 20
random subsets of each of five sizes. Estimates are judged by the performance of the winner,
trained on all N, on 4000 new samples.

    python -m benchmarks.validation.learning_curves          # what is not in the store yet
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bbccli import METHODS, Plan, PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.types import PredictionKind, Task

STORE = Path(__file__).parent / "results" / "learning-curves.parquet"
SETTINGS = tuple((n, gap) for n in (40, 80, 160) for gap in (0.0, 0.5))
"""Samples, and the difference of the class means in each of the variables that differ."""

N_REPETITIONS, N_VARIABLES, N_DIFFERENT, N_SPLITS, N_NEW = 200, 60, 6, 20, 4000
SHARES = (0.4, 0.5, 0.6, 0.75, 0.9)
KEPT, PENALTIES, NEIGHBOURS = (2, 5, 10, 20, 60), (0.1, 10.0, 1000.0), (1, 5, 11)
CANDIDATES = tuple(
    f"{family}-{k}"
    for k in KEPT
    for family in (*(f"ridge-{one:g}" for one in PENALTIES), *(f"knn-{one}" for one in NEIGHBOURS))
)
ESTIMATORS = ("cvt", "bbc", "ipl")


def draw(rng: np.random.Generator, n: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Variables (n, 60) and balanced classes (n,)."""
    classes = rng.permutation(np.arange(n) % 2)
    shift = np.where(np.arange(N_VARIABLES) < N_DIFFERENT, gap, 0)
    return rng.standard_normal((n, N_VARIABLES)) + classes[:, None] * shift, classes


def predicted(x: np.ndarray, classes: np.ndarray, new: np.ndarray) -> np.ndarray:
    """(M, C) classes of new samples (M, 60) by all candidates, trained on these."""
    means = np.array([x[classes == one].mean(axis=0) for one in (0, 1)])
    order = np.argsort(-np.abs(means[1] - means[0]) / x.std(axis=0))
    found = [
        one for k in KEPT for one in _on_variables(x[:, order[:k]], classes, new[:, order[:k]])
    ]
    return np.array(found).T


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


def repetition(n: int, gap: float, number: int) -> list[dict[str, float | int | str]]:
    """A row for each estimator."""
    rng = np.random.default_rng([n, int(100 * gap), number])
    x, classes = draw(rng, n, gap)
    sizes = [2 * round(n * share / 2) for share in SHARES]
    *smaller, largest = (matrix_of_size(rng, x, classes, size) for size in sizes)
    matrix = replace(largest, smaller=tuple(smaller))
    new, truth = draw(rng, N_NEW, gap)
    true = (predicted(x, classes, new) == truth[:, None]).mean(axis=0)
    rows: list[dict[str, float | int | str]] = []
    for name in ESTIMATORS:
        found = METHODS[name].run(matrix, "accuracy", Plan(n_resamples=500, seed=number))
        winner = matrix.configurations.index(found.winner)
        rows.append(
            {
                "n": n,
                "gap": gap,
                "repetition": number,
                "method": name,
                "estimate": found.value,
                "true": float(true[winner]),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=STORE)
    parser.add_argument("--repetitions", type=int, default=N_REPETITIONS)
    options = parser.parse_args()
    rows = pq.read_table(options.out).to_pylist() if options.out.exists() else []
    done = {(row["n"], row["gap"], row["repetition"]) for row in rows}
    for number in range(options.repetitions):
        for n, gap in SETTINGS:
            if (n, gap, number) not in done:
                rows += repetition(n, gap, number)
        if number % 5 == 4 or number == options.repetitions - 1:
            pq.write_table(pa.Table.from_pylist(rows), options.out)


if __name__ == "__main__":
    main()
