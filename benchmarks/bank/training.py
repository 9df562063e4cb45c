"""Input of learners: a training set in three sets of features, and rows to predict."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.bank.tables import Array

BEST = 5
"""Features in the small set, at most half of all."""

Predicted = Iterator[tuple[str, Array]]
"""Names of configurations, and their predictions (m, K) or (m,)."""

Family = Callable[["Training"], Predicted]


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A training set and the rows to predict, standardised by the training set.

    Attributes
    ----------
    features, new
        By set of features: `all`, the `best` by their association with the target in the training
        set, and a `half` drawn by lot, the same in all studies: (n, p') and (m, p').
    target : (n,)
        Codes of classes, or values.
    n_classes
        K; 0 for values.
    """

    features: dict[str, Array]
    new: dict[str, Array]
    target: Array
    n_classes: int

    @property
    def responses(self) -> Array:
        """Targets of a regression: (n, K) indicators of the classes, or (n, 1) values."""
        if self.n_classes:
            return np.eye(self.n_classes)[self.target]
        return np.asarray(self.target, float)[:, None]

    def as_predictions(self, fitted: Array) -> Array:
        """Fitted values (m, K) as probabilities, away from 0 and 1; or values (m,)."""
        if not self.n_classes:
            return fitted[:, 0]
        bounded = np.clip(fitted, 0.005, 0.995)
        return np.asarray(bounded / bounded.sum(axis=1, keepdims=True))


def training(features: Array, target: Array, new: Array, n_classes: int) -> Training:
    """Standardise by the training rows, and choose the sets of features in them."""
    spread = features.std(axis=0)
    center, scale = features.mean(axis=0), np.where(spread > 1e-9, spread, np.inf)
    inside, outside = ((one - center) / scale for one in (features, new))
    outside = np.clip(outside, -10, 10)
    n_features = features.shape[1]
    ranked = np.argsort(-_association(inside, target, n_classes), kind="stable")
    lot = np.random.default_rng(n_features).permutation(n_features)
    sets = {
        "all": np.arange(n_features),
        "best": ranked[: max(1, min(BEST, n_features // 2))],
        "half": np.sort(lot[: max(1, n_features // 2)]),
    }
    return Training(
        {name: inside[:, columns] for name, columns in sets.items()},
        {name: outside[:, columns] for name, columns in sets.items()},
        target,
        n_classes,
    )


def _association(features: Array, target: Array, n_classes: int) -> Array:
    """Share of each standardised feature's variance (p,) between classes, or shared with values."""
    if not n_classes:
        values = target - target.mean()
        return np.abs(features.T @ values)
    responses = np.eye(n_classes)[target]
    sizes = np.maximum(responses.sum(axis=0), 1)
    return np.asarray(((responses.T @ features) ** 2 / sizes[:, None]).sum(axis=0))
