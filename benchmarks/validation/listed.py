"""Lists of configurations that no score guided, in the order in which people try them."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from bbccli.domain.matrix import PredictionMatrix
from bbccli.reading.arrays import matrix_of
from benchmarks.validation.searched import N_FOLDS, auc, drawn, redrawn

Fitted = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Features and classes to train on, new features -> probabilities (N, C)."""


def stages(depths: Sequence[int], n_stages: int, by_stage: bool = False, leaf: int = 1) -> Fitted:
    """Boosting after each stage; of several depths one after the other, or side by side."""

    def fit(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import GradientBoostingClassifier as Boosting

        models = [
            Boosting(n_estimators=n_stages, learning_rate=0.05, max_depth=d, min_samples_leaf=leaf)
            for d in depths
        ]
        every = np.array([[p[:, 1] for p in m.fit(x, y).staged_predict_proba(new)] for m in models])
        return (every.swapaxes(0, 1) if by_stage else every).reshape(-1, len(new)).T

    return fit


def penalties(down: bool) -> Fitted:
    """Ridge regressions along their penalty."""

    def fit(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        centre = x.mean(axis=0)
        u, s, v = np.linalg.svd(x - centre, full_matrices=False)
        along = np.geomspace(0.01, 1e5, 80)[:: -1 if down else 1]
        slopes = np.array([v.T @ (s / (s**2 + one) * (u.T @ (y - y.mean()))) for one in along])
        return y.mean() + (new - centre) @ slopes.T

    return fit


def best_features(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Ridge regressions on the k features that correlate most within the fold, k = 1, 2, ..."""
    z = x - x.mean(axis=0)
    order = np.argsort(-np.abs(z.T @ (y - y.mean())))
    columns = []
    for k in range(1, len(order) + 1):
        used = z[:, order[:k]]
        slopes = np.linalg.solve(used.T @ used + 20 * np.eye(k), used.T @ (y - y.mean()))
        columns.append(y.mean() + (new - x.mean(axis=0))[:, order[:k]] @ slopes)
    return np.array(columns).T


def neighbours(features: Sequence[int], ks: Sequence[int]) -> Fitted:
    """k nearest neighbours in the first so many features."""

    def fit(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        columns = []
        for m in features:
            apart = ((new[:, None, :m] - x[None, :, :m]) ** 2).sum(axis=2)
            nearest = y[apart.argsort(axis=1)]
            columns += [nearest[:, :k].mean(axis=1) for k in ks]
        return np.array(columns).T

    return fit


def epochs(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """A network of 16 units after each of 90 epochs."""
    rng = np.random.default_rng(1)
    inner, outer = rng.normal(0, 0.3, (x.shape[1], 16)), rng.normal(0, 0.3, 16)
    columns = []
    for _ in range(90):
        for batch in np.array_split(rng.permutation(len(x)), len(x) // 16):
            hidden = np.tanh(x[batch] @ inner)
            off = (1 / (1 + np.exp(-hidden @ outer)) - y[batch]) / len(batch)
            back = x[batch].T @ (off[:, None] * outer * (1 - hidden**2))
            outer, inner = outer - 0.2 * hidden.T @ off, inner - 0.2 * back
        columns.append(1 / (1 + np.exp(-np.tanh(new @ inner) @ outer)))
    return np.array(columns).T


def svm_grid(costs: Sequence[float], widths: Sequence[float]) -> Fitted:
    def fit(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        from sklearn.svm import SVC

        models = [SVC(C=c, gamma=g).fit(x, y) for c in costs for g in widths]
        return np.array([1 / (1 + np.exp(-model.decision_function(new))) for model in models]).T

    return fit


def tree_grid(depths: Sequence[int], leaves: Sequence[int]) -> Fitted:
    def fit(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
        from sklearn.tree import DecisionTreeClassifier as Tree

        models = [Tree(max_depth=d, min_samples_leaf=n) for d in depths for n in leaves]
        return np.array([m.fit(x, y).predict_proba(new)[:, 1] for m in models]).T

    return fit


def sizes_grid(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Ridge regressions on the first so many samples, with five penalties each."""
    columns = []
    for n in np.linspace(12, len(x), 16).astype(int):
        z, off = x[:n] - x[:n].mean(axis=0), y[:n] - y[:n].mean()
        for penalty in np.geomspace(1000, 0.1, 5):
            slopes = np.linalg.solve(z.T @ z + penalty * np.eye(z.shape[1]), z.T @ off)
            columns.append(y[:n].mean() + (new - x[:n].mean(axis=0)) @ slopes)
    return np.array(columns).T


COSTS, WIDTHS = np.geomspace(0.01, 100, 10).tolist(), np.geomspace(1e-3, 1, 7).tolist()

AXES: dict[str, tuple[int, Fitted]] = {
    "stages of boosting": (10, stages([2], 100)),
    "ridge, penalty up": (40, penalties(down=False)),
    "ridge, penalty down": (40, penalties(down=True)),
    "k best features": (80, best_features),
    "k neighbours up": (8, neighbours([8], range(1, 80))),
    "k neighbours down": (8, neighbours([8], range(79, 0, -1))),
    "epochs of a network": (10, epochs),
}
GRIDS: dict[str, tuple[int, Fitted]] = {
    "SVM, C x gamma": (8, svm_grid(COSTS, WIDTHS)),
    "SVM, C x gamma, down": (8, svm_grid(COSTS, WIDTHS[::-1])),
    "trees, depth x leaf": (8, tree_grid(range(1, 11), range(1, 41, 4))),
    "boosting, depth x stage": (10, stages([1, 2, 4], 40)),
    "boosting, stage x depth": (10, stages([1, 2, 4], 40, by_stage=True)),
    "neighbours, features x k": (16, neighbours(range(1, 17), [1, 3, 7, 15, 31])),
    "ridge, samples x penalty": (20, sizes_grid),
}
"""Each: how many features there are, and what is fitted."""


def listed(rng: Generator, p: int, fit: Fitted, by_accuracy: bool) -> tuple[PredictionMatrix, str]:
    """Out of the folds, in the order of the list; 100 to 300 samples."""
    n = int(rng.choice([100, 200, 300]))
    x, y = drawn(rng, n, p, 1.0)
    folds = rng.permutation(np.arange(n) % N_FOLDS)
    parts = [fit(x[folds != f], y[folds != f], x[folds == f]) for f in range(N_FOLDS)]
    predicted = np.empty((n, parts[0].shape[1]))
    for f, part in enumerate(parts):
        predicted[folds == f] = part
    if by_accuracy:
        right = ((predicted > 0.5) == y[:, None]).astype(float)
        return matrix_of(right, task="score"), "mean-score"
    return matrix_of(predicted, y), "auc"


def halving(rng: Generator, by_accuracy: bool) -> tuple[PredictionMatrix, str]:
    """81 ridge regressions on random features; the best third goes on, on more samples."""
    n, p = 240, 30
    x, y = drawn(rng, n, p, 1.0)
    folds = rng.permutation(np.arange(n) % N_FOLDS)
    alive, columns = [rng.random(p) < 0.5 for _ in range(81)], []
    for size in (24, 48, 96, 192):
        found = []
        for used in alive:
            predicted = np.empty(n)
            for f in range(N_FOLDS):
                rows = np.flatnonzero(folds != f)[:size]
                z = x[rows][:, used] - x[rows][:, used].mean(axis=0)
                off = y[rows] - y[rows].mean()
                slopes = np.linalg.solve(z.T @ z + 20 * np.eye(z.shape[1]), z.T @ off)
                at = folds == f
                predicted[at] = 0.5 + (x[at][:, used] - x[rows][:, used].mean(axis=0)) @ slopes
            columns.append(predicted)
            found.append(auc(y, predicted))
        alive = [alive[k] for k in np.argsort(found)[::-1][: len(alive) // 3]]
    table = np.array(columns).T
    if by_accuracy:
        right = ((table > 0.5) == y[:, None]).astype(float)
        return matrix_of(right, task="score"), "mean-score"
    return matrix_of(table, y), "auc"


def tree_of_prompts(rng: Generator, by_accuracy: bool) -> tuple[PredictionMatrix, str]:
    """Each made from any one before it."""
    found = redrawn(rng, "any", 200, 100, 0.1)
    return found.matrix, found.metric
