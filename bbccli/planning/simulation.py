"""Prediction matrices whose configurations have known true performances.

1. Given the true performance of each of C configurations (drawn from a Beta law in the papers),
   fix how many samples each class has, and deal the samples to folds, stratified by class.
2. Draw the predictions of each configuration so that its performance on new samples is exactly
   the given one.

No model is trained: the true performances do not depend on the samples, so that bias and
inclusion of an estimate are those of the selection alone.

With `correlation` r > 0 the configurations err on the same samples: the normal variable behind
each prediction is sqrt(r) times one of the sample plus sqrt(1 - r) times one of its own. What one
configuration does alone is not changed.

All of them take `n_samples`, N; `rng`, the source of all randomness; `n_folds`, or for a rare class
with fewer samples as many as it has; `correlation`, of the normal variables behind the errors of
two configurations, in [0, 1); and those of two classes `balance`, the share of class 0, of which
there are round(balance N) samples.

The true performances of a `Study` are drawn from a Beta law; those of an error, which is better
when small, are 1 less such a number.

Source: section 5.1 of Tsamardinos, Greasidou & Borboudakis 2018 (accuracies from Be(9, 6),
Be(14, 6) and Be(24, 6), uncorrelated); section 4 of Paraschakis, Castellani, Borboudakis &
Tsamardinos 2024 (areas under the ROC curve from Be(9, 6) and Be(24, 6), balance 0.1 and 0.5, 10
folds or as many as the rare class has samples).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import coerce_fields, entry
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

__all__ = [
    "LAWS",
    "Draw",
    "Simulated",
    "Study",
    "binormal",
    "multinormal",
    "nested",
    "noisy",
    "right_or_wrong",
]


def checked(performances: FloatArray, correlation: float) -> FloatArray:
    """(C,) true performances that are all between 0 and 1; the correlation is checked with them."""
    performances = np.atleast_1d(np.asarray(performances, np.float64))
    if not ((performances > 0) & (performances < 1)).all():
        raise OptionError("a true performance is not between 0 and 1", hint="for example 0.7")
    if not 0 <= correlation < 1:
        raise OptionError(
            f"{parameter('correlation')} is {correlation:g}", hint="from 0 to below 1"
        )
    return performances


def classes_of(n_samples: int, balance: float) -> IntArray:
    """(N,) round(balance N) samples of class 0, then those of class 1."""
    if not 0 <= balance <= 1:
        raise OptionError(f"{parameter('balance')} is {balance:g}", hint="a share, such as 0.5")
    n_zeros = round(balance * n_samples)
    if min(n_zeros, n_samples - n_zeros) < 2:
        raise OptionError(
            f"{n_zeros} of {n_samples} samples are of class 0",
            hint="each class needs at least 2: more samples, or a balance nearer to 0.5",
        )
    return np.repeat([0, 1], [n_zeros, n_samples - n_zeros])


def distance(aucs: FloatArray) -> FloatArray:
    """Distance between two normal variables of variance 1, one of which is larger with chance
    `aucs`.
    """
    from scipy.special import ndtri

    return np.asarray(np.sqrt(2) * ndtri(aucs))


def normals(
    rng: Generator, n_samples: int, n_configurations: int, correlation: float, *rest: int
) -> FloatArray:
    """(N, C, ...) standard normal variables; those of a sample are correlated across C."""
    individual = rng.normal(size=(n_samples, n_configurations, *rest))
    if not correlation:
        return individual
    shared = rng.normal(size=(n_samples, 1, *rest))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * individual)


Draw = Callable[[Generator], FloatArray]
"""Draws predictions (N, C) or (N, C, K) of the same configurations on the same samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """A prediction matrix with its truth.

    Attributes
    ----------
    matrix
        Out-of-sample predictions in one repeat, with folds.
    performances : (C,)
        True performance of each configuration, in the unit of `metric`.
    metric
        Name of the metric that `performances` are values of.
    draw
        Draws other predictions by the same law.
    """

    matrix: PredictionMatrix
    performances: FloatArray
    metric: str
    draw: Draw

    def truth(self, configuration: str) -> float:
        """Return the true performance of a configuration."""
        return float(self.performances[self.matrix.configurations.index(configuration)])


def simulated_from(
    outcome: Outcome,
    performances: FloatArray,
    metric: str,
    kind: PredictionKind,
    n_folds: int,
    draw: Draw,
    rng: Generator,
) -> Simulated:
    """Draw the predictions, and put the matrix together.

    Folds are dealt in turn to samples ordered by class. Samples of a class are exchangeable, so
    shuffling would change nothing.
    """
    if not 2 <= n_folds <= len(outcome):
        hint = "from 2 to as many folds as samples, such as 10 for 100"
        raise OptionError(f"{n_folds} folds for {len(outcome)} samples", hint=hint)
    classes = outcome.class_counts if outcome.task.is_classification else [len(outcome)]
    n_folds = min(n_folds, *map(int, classes))
    matrix = PredictionMatrix(
        outcome,
        draw(rng)[None],
        tuple(f"c{c}" for c in range(len(performances))),
        kind,
        folds=np.arange(len(outcome))[None] % n_folds,
        fold_names=tuple(map(str, range(n_folds))),
    )
    return Simulated(matrix, performances, metric, draw)


def nested(simulated: Simulated, rng: Generator) -> Iterator[tuple[PredictionMatrix, BoolArray]]:
    """Yield the data of nested cross-validation in each outer fold.

    An inner cross-validation of the samples outside an outer fold trains other models, so their
    predictions are drawn anew; those of the samples in it are the ones of the matrix, from models
    trained on all others. Without training the new draws follow the same law, so selecting on the
    old ones (`nested-selection`) gives the same mean: in this simulation nesting can make no other
    difference.

    Yields
    ------
    matrix, test : (N,) bool
        The predictions, and the samples of the outer fold.
    """
    matrix = simulated.matrix
    if matrix.folds is None:
        raise OptionError("nested cross-validation needs folds", hint="simulate with folds")
    for fold in range(len(matrix.fold_names)):
        test = matrix.folds[0] == fold
        predictions = simulated.draw(rng)
        predictions[test] = matrix.predictions[0, test]
        yield replace(matrix, predictions=predictions[None]), test


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

    draw: one of the functions of `bbccli.planning.simulation`.
    options: which of `balance` and `n_classes` it takes.
    errors: True if its performances are errors.
    """

    draw: Callable[..., Simulated]
    options: frozenset[str]
    errors: bool = False


LAWS: Mapping[str, Law] = {
    "right-or-wrong": Law(right_or_wrong, frozenset({"balance"})),
    "binormal": Law(binormal, frozenset({"balance"})),
    "multinormal": Law(multinormal, frozenset({"n_classes"})),
    "noisy": Law(noisy, frozenset(), errors=True),
}


@dataclass(frozen=True, slots=True)
class Study:
    """The parameters of a simulated study; `beta` is the law of the true performances.

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
        entry(LAWS, self.law, "scenario")
        coerce_fields(self)
        if self.seed < 0:
            raise OptionError(f"{parameter('seed')} is {self.seed}", hint="an integer, 0 or more")
        if not all(0 < part < np.inf for part in self.beta):
            raise OptionError(
                f"{parameter('beta')} is {self.beta[0]:g},{self.beta[1]:g}",
                hint="two numbers above 0: 9,6",
            )
        for name in ("n_samples", "n_configurations"):
            if (number := getattr(self, name)) < 1:
                raise OptionError(f"{parameter(name)} is {number}", hint="an integer from 1")
        for name in {"balance", "n_classes"} - LAWS[self.law].options:
            if getattr(self, name) is not None:
                fits = [law for law, simulated in LAWS.items() if name in simulated.options]
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
        options = {name: getattr(self, name) for name in law.options}
        options = {name: value for name, value in options.items() if value is not None}
        options |= {"n_folds": self.n_folds, "correlation": self.correlation}
        return law.draw(1 - true if law.errors else true, self.n_samples, rng, **options)
