"""Tables of a few rows for the bank of studies."""

import numpy as np

from bbccli.types import Task
from benchmarks.bank.tables import Rows


def table(kind=Task.BINARY, n=240):
    """Rows with some signal: classes in groups of four, values, or times."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(n, 6))
    value = features[:, 0] + features[:, 1] ** 2 + rng.normal(size=n)
    groups = np.arange(n) // 4
    if kind is Task.REGRESSION:
        return Rows(features, value)
    if kind is Task.SURVIVAL:
        return Rows(features, np.exp(-value) + 0.01, rng.random(n) < 0.6)
    n_classes = 3 if kind is Task.MULTICLASS else 2
    return Rows(features, np.argsort(np.argsort(value)) * n_classes // n, groups=groups)
