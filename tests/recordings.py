"""Data, recorders and searches for tests of recordings."""

# ruff: noqa: N803 - X is what scikit-learn calls it

import itertools
import json
import warnings

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from bbccli import read
from bbccli.platform import arrays
from bbccli.recording import Recorder

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
THREE = RNG.integers(0, 3, N)
VALUES = 3 * X[:, 0] + RNG.normal(size=N)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
KNN = {"n_neighbors": [1, 3, 7]}
DRAWS = itertools.count(1)


class Chances(ClassifierMixin, BaseEstimator):
    """Chances from the first feature; `seedless` ones are others after each fit.

    Fits fail where the first feature has a larger sum than `fails`.
    """

    def __init__(self, power=1, seedless=False, fails=None):
        self.power = power
        self.seedless = seedless
        self.fails = fails

    def fit(self, X, y):
        if self.fails is not None and np.asarray(X)[:, 0].sum() > self.fails:
            raise RuntimeError("no luck")
        self.classes_ = np.unique(y)
        self.draw_ = next(DRAWS) if self.seedless else 0
        return self

    def predict_proba(self, X):
        score = np.asarray(X, np.float64)[:, 0] ** self.power
        score = score + np.random.default_rng(self.draw_).normal(size=len(score)) * (self.draw_ > 0)
        chances = 1 / (1 + np.exp(-score))
        return np.stack([1 - chances, chances], axis=1)

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


class Counting(Chances):
    """Counts how often it predicts."""

    calls = 0

    def predict_proba(self, X):
        type(self).calls += 1
        return super().predict_proba(X)


def recorder(place, y=Y, cv=FOLDS, scoring="roc_auc", X=X, **how):
    return Recorder(place / "run", X, y, cv=cv, scoring=scoring, **how)


def search(rec, estimator=None, grid=KNN, X=X, y=Y, fit=(), **options):
    estimator = KNeighborsClassifier() if estimator is None else estimator
    made = GridSearchCV(estimator, grid, cv=rec.cv, scoring=rec.scorer, **options)
    with warnings.catch_warnings():
        for kind in (FitFailedWarning, UserWarning):  # of workers that take long to start
            warnings.simplefilter("ignore", kind)
        return made.fit(X, y, **dict(fit))


def by_hand(estimator, splits, X=X, y=Y, method="predict_proba"):
    """Predictions of each split's test rows, made without the recorder."""
    for train, test in splits:
        fitted = sklearn.clone(estimator).fit(X[train], y[train])
        yield test, getattr(fitted, method)(X[test])


def scored(rec, scorer, estimator, folds=slice(None), X=X, y=Y, weights=None):
    """Fit and score in some folds, as a search does of one candidate."""
    for train, test in rec.cv[folds]:
        own = {} if weights is None else {"sample_weight": weights[test]}
        scorer(sklearn.clone(estimator).fit(X[train], y[train]), X[test], y[test], **own)


def kept(folder):
    """Names of all that was recorded, what is incomplete too."""
    return tuple(read(folder).source.configurations)


def parts_of(folder):
    """The files of the predictions, in their order."""
    return sorted((folder / "parts").glob("[0-9]*.npz"))


def about(path):
    """What a part says of itself."""
    return json.loads(arrays.arrays_in_npz(path.read_bytes())["about"].tobytes())


def tampered(path, said=(), **held):
    """Change what a part holds: of its description some entries, or whole arrays."""
    content = arrays.arrays_in_npz(path.read_bytes())
    if said:
        content["about"] = np.frombuffer(json.dumps(about(path) | dict(said)).encode(), np.uint8)
    content |= {name: make(content) if callable(make) else make for name, make in held.items()}
    kept = {name: array for name, array in content.items() if array is not None}
    path.write_bytes(arrays.packed(kept))
