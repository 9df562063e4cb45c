"""Errors of estimates of what is made of the configurations: ensembles, cuts and calibrations.

A repetition draws N samples of a population, trains 13 models in 5 folds on them, and asks for an
ensemble, for the F1 score at a tuned cut, or for a calibration. The truth is that of the models of
single folds on 4000 new samples: their predictions with the weights and the calibration, or at the
cut, that all samples chose. Beside it stands what the corrected best single configuration says of
the same. The second study also has the narrower intervals: `--tight`, and those of bbc of the kind
`calibrated`.
"""

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from bbccli import METHODS, METRICS, Plan, PredictionMatrix
from bbccli.domain.estimate import Estimate
from bbccli.domain.outcome import Outcome
from bbccli.stats.making.interface import Given
from bbccli.stats.making.rules import CALIBRATIONS
from bbccli.stats.selection import SelectionRule
from bbccli.types import IntervalKind, Models, Pooling, PredictionKind, Task
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.summary import Figure, mean_of

SIZES = (60, 150, 400)
N_NEW, N_FOLDS, N_RESAMPLES = 4000, 5, 200
Drawn = tuple[np.ndarray, np.ndarray]


def linear(rng: np.random.Generator, n: int) -> Drawn:
    """Twelve variables, of which four tell the classes apart."""
    x = rng.standard_normal((n, 12))
    return x, _classes(rng, 0.9 * x[:, :4].sum(axis=1))


def products(rng: np.random.Generator, n: int) -> Drawn:
    """Ten variables that matter by two products."""
    x = rng.standard_normal((n, 10))
    return x, _classes(rng, 1.8 * x[:, 0] * x[:, 1] + 1.2 * x[:, 2] * x[:, 3] + 0.5 * x[:, 4])


def rings(rng: np.random.Generator, n: int) -> Drawn:
    """Eight variables that matter by the distance from the centre, and a slope."""
    x = rng.standard_normal((n, 8))
    return x, _classes(rng, 1.5 * ((x[:, :3] ** 2).sum(axis=1) - 3) / 2 + 0.7 * x[:, 5])


def rare(rng: np.random.Generator, n: int) -> Drawn:
    """One class in seven, known by four of twelve variables."""
    x = rng.standard_normal((n, 12))
    return x, _classes(rng, 1.1 * x[:, :4].sum(axis=1) - 2.9)


def noise(rng: np.random.Generator, n: int) -> Drawn:
    """Ten variables without any signal."""
    return rng.standard_normal((n, 10)), rng.integers(0, 2, n)


def digits(rng: np.random.Generator, n: int) -> Drawn:
    """Even and odd handwritten digits of scikit-learn, one label in seven wrong, drawn again."""
    x, even = _digits()
    rows = rng.integers(0, len(x), n)
    blurred = x[rows] + rng.normal(0, 4, (n, x.shape[1]))
    return blurred, np.where(rng.random(n) < 1 / 7, 1 - even[rows], even[rows])


@cache
def _digits() -> Drawn:
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.data, (data.target % 2 == 0).astype(int)


def friedman(rng: np.random.Generator, n: int) -> Drawn:
    """Friedman's first function with noise."""
    x = rng.random((n, 8))
    y = (
        10 * np.sin(np.pi * x[:, 0] * x[:, 1])
        + 20 * (x[:, 2] - 0.5) ** 2
        + 10 * x[:, 3]
        + 5 * x[:, 4]
    )
    return x, y + rng.normal(0, 2, n)


def _classes(rng: np.random.Generator, logit: np.ndarray) -> np.ndarray:
    return (rng.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(int)


POPULATIONS = (linear, products, rings, rare, noise, digits, friedman)
ASKED = {
    "greedy auc": ("auc", Plan(n_resamples=N_RESAMPLES, select="greedy:15")),
    "greedy log-loss": ("log-loss", Plan(n_resamples=N_RESAMPLES, select="greedy:15")),
    "mean auc": ("auc", Plan(n_resamples=N_RESAMPLES, select="mean:5")),
    "cut f1": ("f1", Plan(n_resamples=N_RESAMPLES, cut="tuned")),
}
OF_VALUES = {"greedy rmse": ("rmse", Plan(n_resamples=N_RESAMPLES, select="greedy:15"))}
"""Questions: metric and plan."""

STEPS = {
    "stack brier": ("brier", Plan(n_resamples=N_RESAMPLES, select="stack")),
    "platt log-loss": ("log-loss", Plan(n_resamples=N_RESAMPLES, calibrate="platt")),
    "temperature log-loss": ("log-loss", Plan(n_resamples=N_RESAMPLES, calibrate="temperature")),
    "isotonic brier": ("brier", Plan(n_resamples=N_RESAMPLES, calibrate="isotonic")),
}
STEPS_OF_VALUES = {"stack rmse": ("rmse", Plan(n_resamples=N_RESAMPLES, select="stack"))}
QUESTIONS = (*STEPS, *STEPS_OF_VALUES)
NARROW = {name: ASKED[name] for name in ("greedy auc", "cut f1")} | STEPS
"""Those whose narrower intervals are judged."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Samples of a population."""

    population: Callable[[np.random.Generator, int], Drawn]
    n: int
    n_repetitions: int = 40

    @property
    def values(self) -> bool:
        """True if its outcomes are numbers."""
        return self.population is friedman

    @property
    def key(self) -> str:
        """Its name."""
        return f"{self.population.__name__} N={self.n}"


def settings() -> list[Draw]:
    """Every population in three sizes."""
    return [Draw(one, n) for n in SIZES for one in POPULATIONS]


def models(values: bool, seed: int) -> list[Any]:
    """Thirteen models of scikit-learn: linear, forests, neighbours, boosted and single trees."""
    from sklearn import (
        ensemble,
        linear_model,
        naive_bayes,
        neighbors,
        pipeline,
        preprocessing,
        tree,
    )

    def scaled(model: Any) -> Any:
        return pipeline.make_pipeline(preprocessing.StandardScaler(), model)

    kind = "Regressor" if values else "Classifier"
    linear_ones = (
        [linear_model.Ridge(one) for one in (0.1, 10, 100, 1000)]
        if values
        else [linear_model.LogisticRegression(C=one) for one in (0.01, 0.1, 1, 10)]
    )
    forest, boosting = (
        getattr(ensemble, name + kind) for name in ("RandomForest", "GradientBoosting")
    )
    leaves = (1, 5, 15)
    return [
        *map(scaled, linear_ones),
        *(forest(25, min_samples_leaf=one, random_state=seed) for one in leaves),
        *(scaled(getattr(neighbors, f"KNeighbors{kind}")(one)) for one in (3, 9, 25)),
        boosting(n_estimators=25, random_state=seed),
        getattr(tree, f"DecisionTree{kind}")(min_samples_leaf=8, random_state=seed),
        linear_model.BayesianRidge() if values else naive_bayes.GaussianNB(),
    ]


def trained(setting: Draw, number: int) -> tuple[PredictionMatrix, np.ndarray, np.ndarray]:
    """Predictions out of the folds, and those (F, M, C) of the folds' models for new samples."""
    from sklearn.model_selection import KFold, StratifiedKFold

    rng = np.random.default_rng([POPULATIONS.index(setting.population), setting.n, number])
    values = setting.values
    x, y = setting.population(rng, setting.n)
    new, truth = setting.population(rng, N_NEW)
    folds = (KFold if values else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=number)
    every = models(values, number)
    out, of_folds = np.zeros((len(y), len(every))), np.zeros((N_FOLDS, N_NEW, len(every)))
    fold = np.zeros(len(y), int)
    for f, (train, test) in enumerate(folds.split(x, y)):
        fold[test] = f
        for c, model in enumerate(every):
            model.fit(x[train], y[train])
            predict = model.predict if values else lambda z, m=model: m.predict_proba(z)[:, 1]
            out[test, c], of_folds[f, :, c] = predict(x[test]), predict(new)
    task, classes = (Task.REGRESSION, ()) if values else (Task.BINARY, ("0", "1"))
    kind = PredictionKind.VALUE if values else PredictionKind.PROBABILITY
    names = tuple(f"model {c}" for c in range(len(every)))
    matrix = PredictionMatrix(
        outcome=Outcome(task, y, classes),
        predictions=out[None],
        configurations=names,
        kind=kind,
        folds=fold[None],
    )
    return matrix, of_folds, truth


def score(metric: str, truth: np.ndarray, predicted: np.ndarray, cut: float | None) -> float:
    """The metric by scikit-learn."""
    from sklearn import metrics

    match metric:
        case "auc":
            return float(metrics.roc_auc_score(truth, predicted))
        case "log-loss":
            return float(metrics.log_loss(truth, np.clip(predicted, 2**-23, 1 - 2**-23)))
        case "f1":
            return float(metrics.f1_score(truth, predicted > (0.5 if cut is None else cut)))
        case "brier":
            return float(np.mean((truth - predicted) ** 2))
        case _:
            return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def weights_of(estimate: Estimate, names: tuple[str, ...]) -> np.ndarray:
    """Weights (C,) of what all samples chose."""
    if estimate.made is None or not estimate.made.ensemble:
        return np.array([float(name == estimate.winner) for name in names])
    given = {one.configuration: one.weight for one in estimate.made.members}
    return np.array([given.get(name, 0.0) for name in names])


def of_new(
    matrix: PredictionMatrix,
    of_folds: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    plan: Plan,
) -> np.ndarray:
    """Predictions (F, M) of the folds' models for new samples, calibrated as all samples are.

    The new samples follow the others, with a weight of 0.
    """
    new = of_folds @ weights
    if plan.calibrate is None:
        return np.asarray(new)
    made = np.concatenate([matrix.predictions[0] @ weights, new.ravel()])[None, :, None]
    outcome = np.concatenate([matrix.outcome.values, np.tile(truth, len(new))])
    every = PredictionMatrix(
        outcome=replace(matrix.outcome, values=outcome),
        predictions=made,
        configurations=("made",),
        kind=matrix.kind,
    )
    metric = METRICS["brier"]
    given = Given(every, metric, Pooling.POOLED, SelectionRule(metric.direction))
    rows = (np.arange(len(outcome)) < matrix.n_samples).astype(np.uint8)
    calibrated = CALIBRATIONS[plan.calibrate](given)(rows[None], made)
    return np.asarray(calibrated[0, matrix.n_samples :, 0]).reshape(new.shape)


def narrow(matrix: PredictionMatrix, metric: str, plan: Plan) -> dict[str, Any]:
    """Answers with narrower intervals: of `--tight`, and of bbc of the kind `calibrated`."""
    found = {}
    for name, method, kind in (
        ("tight", "bbc-632", IntervalKind.SHARP),
        ("calibrated", "bbc", IntervalKind.CALIBRATED),
    ):
        asked = METHODS["bbc"].case(matrix, metric, replace(plan, models=Models.TRAINED))
        case = replace(asked, plan=replace(asked.plan, interval=kind), method=method)
        found[name] = METHODS[method].answer(case)
    return found


def repetition(setting: Draw, number: int) -> Result:
    """Return the errors and inclusions of each question, too good is positive."""
    return asked_of(setting, number, OF_VALUES if setting.values else ASKED)


def of_steps(setting: Draw, number: int) -> Result:
    """Return the same of stacks and calibrations, with narrower intervals."""
    return asked_of(setting, number, STEPS_OF_VALUES if setting.values else NARROW, NARROW)


def asked_of(
    setting: Draw,
    number: int,
    asked: Mapping[str, tuple[str, Plan]],
    judged: Collection[str] = (),
) -> Result:
    """Return the errors and inclusions; `judged` have narrower intervals too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix, of_folds, truth = trained(setting, number)
        result: dict[str, Any] = {}
        for name, (metric, plan) in asked.items():
            sign = METRICS[metric].direction.sign
            made = METHODS["bbc"].run(matrix, metric, plan)
            single = METHODS["bbc"].run(matrix, metric, Plan(n_resamples=N_RESAMPLES))
            true = []
            for one in (made, single):
                cut = one.made.cut if one.made else None
                weights = weights_of(one, matrix.configurations)
                new = of_new(matrix, of_folds, truth, weights, one.plan)
                true.append(float(np.mean([score(metric, truth, p, cut) for p in new])))
            answers = {"made": made, "single": single}
            answers |= narrow(matrix, metric, plan) if name in judged else {}
            result[f"{name} naive"] = sign * (made.naive - true[0])
            result[f"{name} gain"] = sign * (true[0] - true[1])
            for key, answer in answers.items():
                ends, of_made = answer.interval, key == "made"
                result[f"{name} {key}"] = sign * (answer.value - true[0])
                result[f"{name} in" if of_made else f"{name} {key} in"] = bool(
                    ends.lower <= true[0] <= ends.upper
                )
                result[f"{name} width" if of_made else f"{name} {key} width"] = (
                    ends.upper - ends.lower
                )
    return result


COLUMNS = {
    "naive": "naive",
    "repeated": "made",
    "best single": "single",
    "inclusion": "in",
    "of best single": "single in",
    "true gain": "gain",
}
"""Columns of the table, and what each states."""


def over_populations(by_population: list[list[float]]) -> Figure:
    """Mean of the populations' means; its error has the population as its unit."""
    return mean_of([float(np.mean(one)) for one in by_population])


def means_of(
    store: Kept, settings: Iterable[Any], name: str, had: str, columns: Mapping[str, str]
) -> Row:
    """Numbers of populations and studies that have a result, and the means of each column.

    had, columns: keys of results, after the `name` of what was studied.
    """
    kept = [
        [one for one in store.results(setting.key).values() if one.get(f"{name} {had}") is not None]
        for setting in settings
    ]
    found = [one for one in kept if one]
    row: Row = {"populations": len(found), "studies": sum(map(len, found))}
    for column, key in columns.items() if found else ():
        values = [[float(one[f"{name} {key}"]) for one in every] for every in found]
        row[column] = f"{over_populations(values)}"
    return row


def rows_of(store: Kept, names: Collection[str], columns: Mapping[str, str]) -> list[Row]:
    """A row per question and size, with the means over the populations."""
    return [
        {"asked": name, "N": n}
        | means_of(store, (one for one in settings() if one.n == n), name, "made", columns)
        for name in names
        for n in SIZES
    ]


KEYS = ("asked", "N", "populations", "studies")


def block(store: Kept, names: Collection[str] = (*ASKED, *OF_VALUES)) -> str:
    """Bias, inclusion and gain of each question, over the populations."""
    what = "Stacks and calibrations" if names is QUESTIONS else "Ensembles and tuned cuts"
    title = f"{what}: too good by, and inclusion of 95% intervals"
    return table(title, KEYS, rows_of(store, names, COLUMNS))


def narrow_block(store: Kept) -> str:
    """Bias, inclusion and width of narrower intervals, beside those of bbc."""
    columns = {
        "bbc": "made",
        "inclusion": "in",
        "width": "width",
        **{
            f"{column}{kind}": f"{kind}{key}"
            for kind in ("tight", "calibrated")
            for column, key in (("", ""), ("inclusion, ", " in"), ("width, ", " width"))
        },
    }
    title = "Narrower intervals of what is made: too good by, inclusion and width"
    return table(title, KEYS, rows_of(store, NARROW, columns))


STUDY = Study("made", settings, repetition)
OF_STEPS = Study("made-steps", settings, of_steps)
