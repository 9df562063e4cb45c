"""Families of learners, from stable to unstable: one fit gives many configurations.

Where all values of a hyperparameter follow from one decomposition, one ordering of neighbours or
one sequence of trees, they are taken from it, so that hundreds of configurations cost seconds.
"""

import warnings
from collections.abc import Sequence
from itertools import product

import numpy as np
from sklearn import config_context
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, enet_path
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.bank.tables import Array
from benchmarks.bank.training import Family, Predicted, Training

NEIGHBOURS = (1, 2, 3, 4, 5, 7, 9, 12, 16, 22, 30, 50)
WIDTHS = (0.03, 0.2, 1.0, 4.0)
RIDGES = (0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.3, 0.6, 1.0, 3.0, 10.0, 30.0, 100.0)
N_TREES, PREFIXES = 10, (1, 3, 10)
N_STAGES, STAGES = 15, (2, 5, 15)
TREES = ((1, 1), (3, 1), (None, 1), (None, 5))
"""Depths, and least samples of a leaf."""


def logistic(given: Training) -> Predicted:
    """Ridge and lasso paths of the logistic regression."""
    for name in ("all", "best"):
        features, asked = given.features[name], given.asked[name]
        for c in (0.01, 0.1, 1.0, 100.0) if name == "all" else (0.1, 10.0):
            model = LogisticRegression(C=c, tol=1e-3, max_iter=100)
            yield f"l2|{name}|{c}", model.fit(features, given.target).predict_proba(asked)
        for c in (0.1, 1.0, 10.0) if name == "all" else ():
            lasso = LogisticRegression(
                C=c, l1_ratio=1, solver="liblinear", tol=1e-2, random_state=0
            )
            model = OneVsRestClassifier(lasso) if given.n_classes > 2 else lasso
            yield f"l1|{name}|{c}", model.fit(features, given.target).predict_proba(asked)


def discriminants(given: Training) -> Predicted:
    """Linear and quadratic discriminants, and the Bayes rule with independent features."""
    for name in ("all", "best"):
        features, asked = given.features[name], given.asked[name]
        for share in (0.02, 0.3, 0.9):
            linear = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=share)
            yield f"lda|{name}|{share}", linear.fit(features, given.target).predict_proba(asked)
        for share in (0.2, 0.8) if name == "all" else ():
            square = QuadraticDiscriminantAnalysis(
                solver="eigen", shrinkage=share, priors=given.onto.mean(axis=0)
            )
            try:
                if np.bincount(given.target).min() < 2:
                    raise np.linalg.LinAlgError
                fitted = square.fit(features, given.target).predict_proba(asked)
            except np.linalg.LinAlgError:  # a class whose rows hardly differ
                fitted = np.broadcast_to(given.onto.mean(axis=0), (len(asked), given.n_classes))
            yield f"qda|{name}|{share}", fitted
        for smoothing in (1e-3, 0.3) if name == "all" else ():
            bayes = GaussianNB(var_smoothing=smoothing)
            yield f"nb|{name}|{smoothing}", bayes.fit(features, given.target).predict_proba(asked)


def linear(given: Training) -> Predicted:
    """Lasso and elastic-net paths of the linear regression."""
    center = given.target.mean()
    scale = max(float(given.target.std()), 1e-9)
    values = (given.target - center) / scale
    for name, share in product(given.features, (1.0, 0.5, 0.05)):
        strengths = np.geomspace(1, 0.003, 10)
        _, found, _ = enet_path(
            given.features[name], values, l1_ratio=share, alphas=strengths, max_iter=200, tol=1e-3
        )
        fitted = center + scale * given.asked[name] @ found
        for column, strength in enumerate(strengths):
            yield f"net{share}|{name}|{strength:.3g}", fitted[:, column]


def neighbours(given: Training) -> Predicted:
    """The k nearest neighbours, alike or weighed by the inverse distance."""
    onto, most = given.onto, min(max(NEIGHBOURS), len(given.target))
    for name in given.features:
        squares = _squares(given.asked[name], given.features[name])
        near = np.argsort(squares, axis=1, kind="stable")[:, :most]
        closeness = 1 / (np.sqrt(np.take_along_axis(squares, near, axis=1)) + 1e-3)
        for how, weights in (("alike", np.ones_like(closeness)), ("close", closeness)):
            sums = np.cumsum(weights[:, :, None] * onto[near], axis=1)
            totals = np.cumsum(weights, axis=1)[:, :, None]
            for k in NEIGHBOURS:
                last = min(k, most) - 1
                fitted = sums[:, last] / totals[:, last]
                yield f"knn {how}|{name}|{k}", given.as_predictions(fitted)


def kernels(given: Training) -> Predicted:
    """Ridge regressions on Gaussian kernels, and linear ones."""
    center = given.onto.mean(axis=0)
    for name in given.features:
        features, asked = given.features[name], given.asked[name]
        n_features = features.shape[1]
        inside, outside = _squares(features, features), _squares(asked, features)
        pairs = {
            f"{width}": (
                np.exp(-width * inside / n_features),
                np.exp(-width * outside / n_features),
            )
            for width in WIDTHS
        }
        pairs["linear"] = features @ features.T / n_features, asked @ features.T / n_features
        for width, (own, other) in pairs.items():
            values, vectors = np.linalg.eigh(own)
            turned = vectors.T @ (given.onto - center)
            back = other @ vectors
            for ridge in RIDGES:
                fitted = center + back @ (turned / (np.maximum(values, 0) + ridge)[:, None])
                yield f"kernel {width}|{name}|{ridge}", given.as_predictions(fitted)


def trees(given: Training) -> Predicted:
    """Single trees from stumps to pure leaves."""
    kind = DecisionTreeClassifier if given.n_classes else DecisionTreeRegressor
    for name, depth, leaf in ((name, *leaves) for name in ("all", "best") for leaves in TREES):
        tree = kind(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        tree.fit(given.features[name], given.target)
        yield f"tree {leaf}|{name}|{depth}", _said(tree, given.asked[name])


def forests(given: Training) -> Predicted:
    """Means over the first trees of a random forest."""
    kind = DecisionTreeClassifier if given.n_classes else DecisionTreeRegressor
    features, asked = given.features["all"], given.asked["all"]
    features, asked = np.asarray(features, np.float32), np.asarray(asked, np.float32)
    n_samples, rng = len(features), np.random.default_rng(0)
    total = np.zeros(1)
    for n_trees in range(1, N_TREES + 1):
        weights = np.bincount(rng.integers(n_samples, size=n_samples), minlength=n_samples)
        tree = kind(max_features="sqrt", random_state=n_trees)
        total = total + _said(tree.fit(features, given.target, weights * 1.0), asked)
        if n_trees in PREFIXES:
            yield f"forest|all|{n_trees}", total / n_trees


def boosting(given: Training) -> Predicted:
    """The first stages of gradient boosting."""
    for depth in (1, 3):
        kind = GradientBoostingClassifier if given.n_classes else GradientBoostingRegressor
        model = kind(n_estimators=N_STAGES, max_depth=depth, learning_rate=0.3, random_state=0)
        model.fit(given.features["all"], given.target)
        asked = given.asked["all"]
        staged = (
            model.staged_predict_proba(asked) if given.n_classes else model.staged_predict(asked)
        )
        for stage, said in enumerate(staged, start=1):
            if stage in STAGES:
                yield f"boosting {depth}|all|{stage}", said.copy()


def networks(given: Training) -> Predicted:
    """Small neural networks, hardly and strongly regularised."""
    center, scale = 0.0, 1.0
    target = given.target
    if not given.n_classes:
        center, scale = float(target.mean()), max(float(target.std()), 1e-9)
        target = (target - center) / scale
    kind = MLPClassifier if given.n_classes else MLPRegressor
    for width, strength in ((4, 1.0), (16, 0.01)):
        net = kind(
            hidden_layer_sizes=(width,), solver="lbfgs", alpha=strength, max_iter=25, random_state=0
        )
        said = _said(net.fit(given.features["all"], target), given.asked["all"])
        yield f"network {width}|all|{strength}", center + scale * said


FOR_CLASSES: tuple[Family, ...] = (
    logistic,
    discriminants,
    neighbours,
    kernels,
    trees,
    forests,
    boosting,
    networks,
)
FOR_VALUES: tuple[Family, ...] = (linear, neighbours, kernels, trees, forests, boosting, networks)


def predictions(given: Training) -> dict[str, Array]:
    """Predictions (m, K) or (m,) of every configuration, by name."""
    return fitted_by(FOR_CLASSES if given.n_classes else FOR_VALUES, given)


def fitted_by(families: Sequence[Family], given: Training) -> dict[str, Array]:
    """The same of the configurations of some families."""
    quick = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), quick:
        warnings.simplefilter("ignore")  # that a path did not converge is part of a configuration
        return {name: said for family in families for name, said in family(given)}


def _squares(rows: Array, others: Array) -> Array:
    """Squared distances (m, n)."""
    own = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.maximum(own - 2 * rows @ others.T, 0)


def _said(model: object, asked: Array) -> Array:
    """Probabilities (m, K) or values (m,)."""
    ask = getattr(model, "predict_proba", None) or model.predict  # type: ignore[attr-defined]
    return np.asarray(ask(asked))
