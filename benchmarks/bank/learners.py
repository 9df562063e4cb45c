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


def logistic(training: Training) -> Predicted:
    """Ridge and lasso paths of the logistic regression."""
    for name in ("all", "best"):
        features, new = training.features[name], training.new[name]
        for c in (0.01, 0.1, 1.0, 100.0) if name == "all" else (0.1, 10.0):
            model = LogisticRegression(C=c, tol=1e-3, max_iter=100)
            yield f"l2|{name}|{c}", model.fit(features, training.target).predict_proba(new)
        for c in (0.1, 1.0, 10.0) if name == "all" else ():
            lasso = LogisticRegression(
                C=c, l1_ratio=1, solver="liblinear", tol=1e-2, random_state=0
            )
            model = OneVsRestClassifier(lasso) if training.n_classes > 2 else lasso
            yield f"l1|{name}|{c}", model.fit(features, training.target).predict_proba(new)


def discriminants(training: Training) -> Predicted:
    """Linear and quadratic discriminants, and the Bayes rule with independent features."""
    for name in ("all", "best"):
        features, new = training.features[name], training.new[name]
        for share in (0.02, 0.3, 0.9):
            linear = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=share)
            yield f"lda|{name}|{share}", linear.fit(features, training.target).predict_proba(new)
        for share in (0.2, 0.8) if name == "all" else ():
            square = QuadraticDiscriminantAnalysis(
                solver="eigen", shrinkage=share, priors=training.responses.mean(axis=0)
            )
            try:
                if np.bincount(training.target).min() < 2:
                    raise np.linalg.LinAlgError
                fitted = square.fit(features, training.target).predict_proba(new)
            except np.linalg.LinAlgError:  # a class whose rows hardly differ
                fitted = np.broadcast_to(
                    training.responses.mean(axis=0), (len(new), training.n_classes)
                )
            yield f"qda|{name}|{share}", fitted
        for smoothing in (1e-3, 0.3) if name == "all" else ():
            bayes = GaussianNB(var_smoothing=smoothing)
            yield f"nb|{name}|{smoothing}", bayes.fit(features, training.target).predict_proba(new)


def linear(training: Training) -> Predicted:
    """Lasso and elastic-net paths of the linear regression."""
    center = training.target.mean()
    scale = max(float(training.target.std()), 1e-9)
    values = (training.target - center) / scale
    for name, share in product(training.features, (1.0, 0.5, 0.05)):
        strengths = np.geomspace(1, 0.003, 10)
        _, slopes, _ = enet_path(
            training.features[name],
            values,
            l1_ratio=share,
            alphas=strengths,
            max_iter=200,
            tol=1e-3,
        )
        fitted = center + scale * training.new[name] @ slopes
        for column, strength in enumerate(strengths):
            yield f"net{share}|{name}|{strength:.3g}", fitted[:, column]


def neighbours(training: Training) -> Predicted:
    """The k nearest neighbours, alike or weighed by the inverse distance."""
    responses, most = training.responses, min(max(NEIGHBOURS), len(training.target))
    for name in training.features:
        squares = _squares(training.new[name], training.features[name])
        near = np.argsort(squares, axis=1, kind="stable")[:, :most]
        closeness = 1 / (np.sqrt(np.take_along_axis(squares, near, axis=1)) + 1e-3)
        for how, weights in (("alike", np.ones_like(closeness)), ("close", closeness)):
            sums = np.cumsum(weights[:, :, None] * responses[near], axis=1)
            totals = np.cumsum(weights, axis=1)[:, :, None]
            for k in NEIGHBOURS:
                last = min(k, most) - 1
                fitted = sums[:, last] / totals[:, last]
                yield f"knn {how}|{name}|{k}", training.as_predictions(fitted)


def kernels(training: Training) -> Predicted:
    """Ridge regressions on Gaussian kernels, and linear ones."""
    center = training.responses.mean(axis=0)
    for name in training.features:
        features, new = training.features[name], training.new[name]
        n_features = features.shape[1]
        inside, outside = _squares(features, features), _squares(new, features)
        pairs = {
            f"{width}": (
                np.exp(-width * inside / n_features),
                np.exp(-width * outside / n_features),
            )
            for width in WIDTHS
        }
        pairs["linear"] = features @ features.T / n_features, new @ features.T / n_features
        for width, (among, other) in pairs.items():
            values, vectors = np.linalg.eigh(among)
            turned = vectors.T @ (training.responses - center)
            back = other @ vectors
            for ridge in RIDGES:
                fitted = center + back @ (turned / (np.maximum(values, 0) + ridge)[:, None])
                yield f"kernel {width}|{name}|{ridge}", training.as_predictions(fitted)


def trees(training: Training) -> Predicted:
    """Single trees from stumps to pure leaves."""
    kind = DecisionTreeClassifier if training.n_classes else DecisionTreeRegressor
    for name, depth, leaf in ((name, *leaves) for name in ("all", "best") for leaves in TREES):
        tree = kind(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        tree.fit(training.features[name], training.target)
        yield f"tree {leaf}|{name}|{depth}", _predict(tree, training.new[name])


def forests(training: Training) -> Predicted:
    """Means over the first trees of a random forest."""
    kind = DecisionTreeClassifier if training.n_classes else DecisionTreeRegressor
    features, new = training.features["all"], training.new["all"]
    features, new = np.asarray(features, np.float32), np.asarray(new, np.float32)
    n_samples, rng = len(features), np.random.default_rng(0)
    total = np.zeros(1)
    for n_trees in range(1, N_TREES + 1):
        weights = np.bincount(rng.integers(n_samples, size=n_samples), minlength=n_samples)
        tree = kind(max_features="sqrt", random_state=n_trees)
        total = total + _predict(tree.fit(features, training.target, weights * 1.0), new)
        if n_trees in PREFIXES:
            yield f"forest|all|{n_trees}", total / n_trees


def boosting(training: Training) -> Predicted:
    """The first stages of gradient boosting."""
    for depth in (1, 3):
        kind = GradientBoostingClassifier if training.n_classes else GradientBoostingRegressor
        model = kind(n_estimators=N_STAGES, max_depth=depth, learning_rate=0.3, random_state=0)
        model.fit(training.features["all"], training.target)
        new = training.new["all"]
        staged = (
            model.staged_predict_proba(new) if training.n_classes else model.staged_predict(new)
        )
        for stage, predicted in enumerate(staged, start=1):
            if stage in STAGES:
                yield f"boosting {depth}|all|{stage}", predicted.copy()


def networks(training: Training) -> Predicted:
    """Small neural networks, hardly and strongly regularised."""
    center, scale = 0.0, 1.0
    target = training.target
    if not training.n_classes:
        center, scale = float(target.mean()), max(float(target.std()), 1e-9)
        target = (target - center) / scale
    kind = MLPClassifier if training.n_classes else MLPRegressor
    for width, strength in ((4, 1.0), (16, 0.01)):
        net = kind(
            hidden_layer_sizes=(width,), solver="lbfgs", alpha=strength, max_iter=25, random_state=0
        )
        predicted = _predict(net.fit(training.features["all"], target), training.new["all"])
        yield f"network {width}|all|{strength}", center + scale * predicted


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


def predictions(training: Training) -> dict[str, Array]:
    """Predictions (m, K) or (m,) of every configuration, by name."""
    return fitted_by(FOR_CLASSES if training.n_classes else FOR_VALUES, training)


def fitted_by(families: Sequence[Family], training: Training) -> dict[str, Array]:
    """The same of the configurations of some families."""
    quick = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), quick:
        warnings.simplefilter("ignore")  # that a path did not converge is part of a configuration
        return {name: predicted for family in families for name, predicted in family(training)}


def _squares(rows: Array, others: Array) -> Array:
    """Squared distances (m, n)."""
    norms = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.maximum(norms - 2 * rows @ others.T, 0)


def _predict(model: object, new: Array) -> Array:
    """Probabilities (m, K) or values (m,)."""
    predict = getattr(model, "predict_proba", None) or model.predict  # type: ignore[attr-defined]
    return np.asarray(predict(new))
