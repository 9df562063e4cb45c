"""Complexity of a configuration: a rough count of effective degrees of freedom.

The numbers order configurations from rigid to flexible, within a family and across families, so
that a rule such as "the simplest configuration within one standard error" has something to use.
They come from formulas on the tuning parameters, the number of training samples `n` and the number
of features `p` that reach the learner; nothing is measured on fitted learners.

- linear learners: 1 + p w / (w + penalty), the ridge count for standardised features, with w = n
  times the curvature of the loss (1/4 logistic, 1 squared error); lasso penalties likewise
- discriminant analysis and naive Bayes: free coefficients of the boundary, less the part that
  shrinkage or smoothing takes
- nearest neighbours: n / neighbours (Hastie, Tibshirani and Friedman 2009, section 2.3)
- radial kernels: 1 + n (1 - exp(-2 gamma p)) C / (1 + C), the share of samples with their own
  bump, as standardised samples lie at a squared distance of about 2 p
- trees: leaves; forests: twice the leaves of one tree, as averaging refines the boundary
- boosting: 1 + trees x rate x (leaves - 1)
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Params = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TrainingSize:
    """Training samples in a fold and features that reach the learner."""

    n_samples: int
    n_features: int


Complexity = Callable[[TrainingSize, Params], float]


def logistic(size: TrainingSize, params: Params) -> float:
    """Ridge count with the curvature of the logistic loss; `C` is one over the penalty."""
    return _linear(size, 0.25 * size.n_samples, 1 / params["C"])


def linear_svm(size: TrainingSize, params: Params) -> float:
    """Ridge count with curvature one; `C` is one over the penalty."""
    return _linear(size, size.n_samples, 1 / params["C"])


def ridge(size: TrainingSize, params: Params) -> float:
    """Ridge count; `alpha` is the penalty on the sum of squared errors."""
    return _linear(size, size.n_samples, params["alpha"])


def penalised_mean_loss(size: TrainingSize, params: Params) -> float:
    """Ridge count; the penalty is relative to the mean loss, as in lasso and Cox regression."""
    return _linear(size, 1.0, params["alpha"])


def coxnet(size: TrainingSize, params: Mapping[str, Any]) -> float:
    """The same for a path of one penalty, `alphas`."""
    return penalised_mean_loss(size, {"alpha": params["alphas"][0]})


def lda(size: TrainingSize, params: Params) -> float:
    """Linear boundary; full shrinkage of the covariance keeps about half of the freedom."""
    return 1 + size.n_features * (1 - params["shrinkage"] / 2)


def qda(size: TrainingSize, params: Params) -> float:
    """Quadratic boundary; shrinkage removes the quadratic terms."""
    p = size.n_features
    return 1 + p + (1 - params["shrinkage"]) * p * (p + 1) / 2


def naive_bayes(size: TrainingSize, params: Params) -> float:
    """Quadratic boundary without cross terms; smoothing removes the quadratic terms."""
    return 1 + size.n_features * (1 + 1 / (1 + params["var_smoothing"]))


def neighbours(size: TrainingSize, params: Params) -> float:
    """Number of neighbourhoods that share no sample."""
    return size.n_samples / params["n_neighbors"]


def radial_svm(size: TrainingSize, params: Params) -> float:
    """Share of samples with a bump of their own, damped by the penalty."""
    bumps = size.n_samples * (1 - math.exp(-2 * params["gamma"] * size.n_features))
    return 1 + bumps * params["C"] / (1 + params["C"])


def tree(size: TrainingSize, params: Params) -> float:
    """Largest number of leaves that depth and leaf size allow."""
    leaves = size.n_samples / params.get("min_samples_leaf", 1)
    depth = params.get("max_depth")
    return leaves if depth is None else min(2.0**depth, leaves)


def forest(size: TrainingSize, params: Params) -> float:
    """Twice the leaves of one tree."""
    return 2 * tree(size, params)


def boosting(size: TrainingSize, params: Params) -> float:
    """Trees x rate x splits of one tree."""
    return 1 + params["n_estimators"] * params["learning_rate"] * (tree(size, params) - 1)


def componentwise_boosting(_size: TrainingSize, params: Params) -> float:
    """Steps x rate: each step moves one coefficient."""
    return 1 + params["n_estimators"] * params["learning_rate"]


def _linear(size: TrainingSize, information: float, penalty: float) -> float:
    """Intercept plus the ridge degrees of freedom of standardised, uncorrelated features."""
    return 1 + size.n_features * information / (information + penalty)
