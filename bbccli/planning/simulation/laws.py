"""Laws of predictions whose true performances are known, by name, and studies drawn by them.

The true performances are drawn from a Beta law; those of an error, which is better when small, are
1 less such a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bbccli.core.arguments import entry, settle
from bbccli.core.outcome import Outcome
from bbccli.errors import OptionError, parameter
from bbccli.planning.simulation.drawing import (
    Simulated,
    checked,
    classes_of,
    distance,
    normals,
    simulated_from,
)
from bbccli.types import FloatArray, PredictionKind, Task

EDGE = 1e-9
"""True performances keep this distance from 0 and 1."""


def right_or_wrong(
    accuracies: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    balance: float = 0.5,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return class labels that are right with the probabilities `accuracies` (C,), in (0, 1).

    Other parameters: see `bbccli.planning.simulation`.

    Raises
    ------
    OptionError
        An accuracy, balance, correlation or number of folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> simulated = right_or_wrong(rng.beta(9, 6, 100), 40, rng)
    >>> simulated.matrix.predictions.shape, simulated.matrix.outcome.class_counts
    ((1, 40, 100), array([20, 20]))
    """
    from scipy.special import ndtri

    accuracies = checked(accuracies, correlation)
    truth = classes_of(n_samples, balance)
    cut = ndtri(accuracies)

    def draw(rng: Generator) -> FloatArray:
        size = n_samples, len(accuracies)
        drawn = normals(rng, *size, correlation) if correlation else rng.random(size)
        right = drawn < (cut if correlation else accuracies)
        return np.where(right, truth[:, None], 1 - truth[:, None]).astype(np.float32)

    outcome, kind = Outcome(Task.BINARY, truth, ("0", "1")), PredictionKind.LABEL
    return simulated_from(outcome, accuracies, "accuracy", kind, n_folds, draw, rng)


def binormal(
    aucs: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    balance: float = 0.5,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return scores of two normal classes whose areas under the ROC curve are `aucs`.

    Scores of class 0 are N(0, 1), of class 1 N(sqrt(2) Phi^-1(AUC), 1). Parameters other than
    `aucs` (C,), in (0, 1): see `bbccli.planning.simulation`.

    Raises
    ------
    OptionError
        An area, balance, correlation or number of folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> simulated = binormal(rng.beta(24, 6, 100), 50, rng, balance=0.1)
    >>> simulated.matrix.outcome.class_counts, simulated.matrix.n_folds
    (array([ 5, 45]), 5)
    """
    aucs = checked(aucs, correlation)
    truth = classes_of(n_samples, balance)
    shift = distance(aucs)

    def draw(rng: Generator) -> FloatArray:
        noise = normals(rng, n_samples, len(aucs), correlation)
        return noise + truth[:, None] * shift

    outcome, kind = Outcome(Task.BINARY, truth, ("0", "1")), PredictionKind.SCORE
    return simulated_from(outcome, aucs, "auc", kind, n_folds, draw, rng)


def multinormal(
    aucs: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    n_classes: int = 3,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return scores of K equal classes, each of which has the area `aucs` against the rest.

    The score of a sample's own class is N(sqrt(2) Phi^-1(AUC), 1), of the others N(0, 1): the areas
    of all classes, one against the rest and in pairs, equal AUC. Other parameters: see
    `bbccli.planning.simulation`.

    Raises
    ------
    OptionError
        An area, correlation or number of classes or folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> multinormal(rng.beta(9, 6, 20), 60, rng, n_classes=4).matrix.predictions.shape
    (1, 60, 20, 4)
    """
    aucs = checked(aucs, correlation)
    if not 2 < n_classes <= n_samples // 2:
        raise OptionError(
            f"{n_classes} classes for {n_samples} samples",
            hint="at least 3 classes, and 2 samples of each",
        )
    truth, names = np.sort(np.arange(n_samples) % n_classes), tuple(map(str, range(n_classes)))
    shift = distance(aucs)[:, None] * np.eye(n_classes)[truth][:, None, :]

    def draw(rng: Generator) -> FloatArray:
        return normals(rng, n_samples, len(aucs), correlation, n_classes) + shift

    outcome, kind = Outcome(Task.MULTICLASS, truth, names), PredictionKind.SCORE
    return simulated_from(outcome, aucs, "auc-ovr", kind, n_folds, draw, rng)


def noisy(
    errors: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return predicted values whose mean squared errors are `errors`.

    The outcome is N(0, 1), a prediction the outcome plus N(0, error). Parameters other than
    `errors` (C,), in (0, 1): see `bbccli.planning.simulation`.

    Raises
    ------
    OptionError
        An error, correlation or number of folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noisy(1 - rng.beta(9, 6, 20), 60, rng).metric
    'mse'
    """
    errors = checked(errors, correlation)
    values = rng.normal(size=n_samples)
    spread = np.sqrt(errors)

    def draw(rng: Generator) -> FloatArray:
        return values[:, None] + spread * normals(rng, n_samples, len(errors), correlation)

    outcome, kind = Outcome(Task.REGRESSION, values), PredictionKind.VALUE
    return simulated_from(outcome, errors, "mse", kind, n_folds, draw, rng)


@dataclass(frozen=True, slots=True)
class Law:
    """A law of predictions.

    Attributes
    ----------
    draw
        One of the functions of `bbccli.planning.simulation`.
    summary
        What it draws, in a few words.
    options
        Which of `balance` and `n_classes` it takes.
    errors
        Whether its performances are errors.
    """

    draw: Callable[..., Simulated]
    summary: str
    options: frozenset[str]
    errors: bool = False


LAWS: Mapping[str, Law] = {
    "right-or-wrong": Law(
        right_or_wrong, "two classes, labels with known accuracies", frozenset({"balance"})
    ),
    "binormal": Law(binormal, "two classes, scores with known AUCs", frozenset({"balance"})),
    "multinormal": Law(
        multinormal, "several classes, scores with known AUCs", frozenset({"n_classes"})
    ),
    "noisy": Law(noisy, "values with known mean squared errors", frozenset(), errors=True),
}


@dataclass(frozen=True, slots=True)
class Study:
    """What a simulated study is like; `beta` is the law of the true performances.

    Raises
    ------
    OptionError
        An unknown law, a count below 1, parameters of the Beta law that are not positive, or an
        option that the law does not take.
    """

    law: str
    n_samples: int = 100
    n_configurations: int = 100
    n_folds: int = 10
    correlation: float = 0.0
    beta: tuple[float, float] = (9.0, 6.0)
    seed: int = 0
    balance: float | None = None
    n_classes: int | None = None

    def __post_init__(self) -> None:
        entry(LAWS, self.law, "law")
        settle(self)
        if self.seed < 0:
            raise OptionError(
                f"{parameter('seed')} is {self.seed}", hint="a whole number, 0 or more"
            )
        if not all(0 < part < np.inf for part in self.beta):
            raise OptionError(
                f"{parameter('beta')} is {self.beta[0]:g},{self.beta[1]:g}",
                hint="two numbers above 0: 9,6",
            )
        for name in ("n_samples", "n_configurations"):
            if (number := getattr(self, name)) < 1:
                raise OptionError(f"{parameter(name)} is {number}", hint="a whole number from 1")
        for name in {"balance", "n_classes"} - LAWS[self.law].options:
            if getattr(self, name) is not None:
                fits = [law for law, one in LAWS.items() if name in one.options]
                raise OptionError(
                    f"{parameter(name)} does not go with {self.law}",
                    hint=f"it is for {', '.join(fits)}",
                )

    def drawn(self, position: int = 0) -> Simulated:
        """Return a simulated file; `position` counts the files of one seed, from 0.

        Raises
        ------
        OptionError
            A balance, correlation, or number of classes or folds that is out of range.

        Examples
        --------
        >>> study = Study("noisy", n_samples=20, n_configurations=3)
        >>> study.drawn().performances.round(2)
        array([0.36, 0.41, 0.3 ])
        """
        law, entropy = LAWS[self.law], np.random.SeedSequence(self.seed, spawn_key=(position,))
        rng = np.random.default_rng(entropy)
        true = np.clip(rng.beta(*self.beta, self.n_configurations), EDGE, 1 - EDGE)
        given = {name: getattr(self, name) for name in law.options}
        given = {name: value for name, value in given.items() if value is not None}
        given |= {"n_folds": self.n_folds, "correlation": self.correlation}
        return law.draw(1 - true if law.errors else true, self.n_samples, rng, **given)
