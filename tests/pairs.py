"""Cases for tests of pairs: matrices of given right and wrong samples, or fold performances."""

import numpy as np
from matrices import of_labels

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.comparisons import compare_pairs
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Task

PLAN = Plan(n_resamples=200, seed=5)


def of_table(a, b, c, d):
    """Labels of two: both right, the first alone, the second alone, none."""
    counts = [a, b, c, d]
    return of_labels(np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0))


def of_folds(first, second):
    """A matrix whose two configurations have these performances (R, K) in the folds."""
    both = np.stack([np.atleast_2d(first), np.atleast_2d(second)], axis=-1)
    n_repeats, n_folds, _ = both.shape
    return PredictionMatrix(
        Outcome(Task.SCORE, np.zeros(n_folds), bounds=(0.0, 1.0)),
        both,
        ("c0", "c1"),
        PredictionKind.VALUE,
        folds=np.tile(np.arange(n_folds), (n_repeats, 1)),
        fold_names=tuple(map(str, range(n_folds))),
    )


def ask(test, matrix, metric, pair=(0, 1), plan=PLAN, **options):
    """What a test says of two configurations, or of several at once."""
    names = [matrix.configurations[c] for c in pair]
    ((found,), _) = compare_pairs(matrix, METRICS[metric], plan, [names], [test], **options)
    return found
