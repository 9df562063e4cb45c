"""The note on polarity: seldom of noise, always of predictions that are the wrong way round."""

import numpy as np
import pytest

from bbccli.core.outcome import Outcome
from bbccli.readers.checks.sanity import examine, notes_on
from bbccli.readers.predictions import Values
from bbccli.types import PredictionKind, Task

N_FILES = 600


def is_noted(scores, truth):
    names = tuple(f"c{i}" for i in range(scores.shape[1]))
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    values = Values(scores[None], names, PredictionKind.SCORE)
    examined = examine(values, outcome, None, frozenset())
    found = notes_on(values, outcome, None, frozenset(), examined)
    return "polarity" in [note.code for note in found]


def drawn(rng, n_samples=60, n_configurations=8, shared=0.9, shift=0.0):
    """Scores of configurations that share most of what they say."""
    truth = rng.permutation(np.arange(n_samples) % 3 == 0).astype(int)
    common, own = rng.normal(size=(n_samples, 1)), rng.normal(size=(n_samples, n_configurations))
    scores = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    return scores + shift * truth[:, None], truth


def trained(rng, n_samples=60, n_features=20, n_folds=5, shift=0.0):
    """Nearest centroids on some of the features, trained on the other folds."""
    truth = rng.permutation(np.arange(n_samples) % 3 == 0).astype(int)
    features = rng.normal(size=(n_samples, n_features)) + shift * truth[:, None]
    folds = rng.permutation(np.arange(n_samples) % n_folds)
    scores = np.empty((n_samples, 8))
    for fold in range(n_folds):
        train, test = folds != fold, folds == fold
        own = features[train]
        direction = own[truth[train] == 1].mean(axis=0) - own[truth[train] == 0].mean(axis=0)
        for c in range(8):
            some = slice(0, (c + 1) * n_features // 8)
            scores[test, c] = features[test, some] @ direction[some]
    return scores, truth


@pytest.mark.sweep
@pytest.mark.one_in(3)
@pytest.mark.parametrize("shared", [0.0, 0.9, 1.0])
def test_noise_is_hardly_ever_noted(shared):
    rng = np.random.default_rng(1)
    noted = sum(is_noted(*drawn(rng, shared=shared)) for _ in range(N_FILES))
    assert noted <= N_FILES / 100


@pytest.mark.sweep
def test_models_trained_on_noise_are_hardly_ever_noted():
    rng = np.random.default_rng(2)
    noted = sum(is_noted(*trained(rng)) for _ in range(N_FILES))
    assert noted <= N_FILES / 100


def test_predictions_of_the_other_class_are_noted():
    rng = np.random.default_rng(3)
    assert all(is_noted(*drawn(rng, n_samples=150, shift=-1.5)) for _ in range(60))
    turned = [trained(rng, n_samples=150, shift=0.7) for _ in range(60)]
    assert all(is_noted(-scores, truth) for scores, truth in turned)
    assert not any(is_noted(*one) for one in turned)
