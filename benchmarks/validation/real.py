"""Real data with a held-out truth: the sample data's makers, on one study sample after another.

1. Draw a study of N samples from a data set, stratified; the others are held out.
2. Cross-validate every configuration on the study, 10 folds.
3. The truth of a configuration: its performance on the held-out samples, trained on the study.

The truth is measured with an error, which makes intervals look worse than they are; and it is that
of a model trained on all of the study, not on nine tenths, which makes them look better.

Matrices are kept on disk, as training takes far longer than all methods together.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.metrics import METRICS
from bbccli.planning.simulation import Simulated
from bbccli.types import PredictionKind, Task
from benchmarks.validation.settings import Part, Setting

SAMPLE_DATA = Path(__file__).resolve().parents[2] / "sample_data"
N_FOLDS = 10
SLOW = ("forest", "extra-trees", "boosting")
"""Families that take most of the time to train."""


@dataclass(frozen=True, slots=True)
class RealStudy:
    """A data set of `sample_data/studies.py`, and how studies are drawn from it."""

    data: str
    task: Task
    n_samples: int
    metric: str
    brief: bool
    everything: bool = False
    step: int = 1
    n_repetitions: int = 100

    @property
    def key(self) -> str:
        """Names the samples and configurations: studies that differ by the metric share them."""
        every = "all" if self.everything else f"every{self.step}"
        return f"{self.data}-N{self.n_samples}-{every}"


STUDIES = (
    RealStudy("breast_cancer", Task.BINARY, 60, "auc", brief=True, step=2),
    RealStudy("progression", Task.BINARY, 80, "auc", brief=True, step=2),
    RealStudy("diabetes", Task.REGRESSION, 100, "mse", brief=True),
    RealStudy("breast_cancer", Task.BINARY, 60, "accuracy", brief=True, step=2),
    RealStudy("progression", Task.BINARY, 80, "accuracy", brief=True, step=2),
    RealStudy("digits", Task.MULTICLASS, 100, "auc-ovr", brief=False),
    RealStudy("breast_cancer", Task.BINARY, 100, "auc", False, everything=True, n_repetitions=30),
    RealStudy("progression", Task.BINARY, 80, "auc", False, everything=True, n_repetitions=30),
)


def real_settings(folder: Path) -> list[Setting]:
    """Studies whose matrices are kept in `folder`."""
    return [
        Setting(
            Part.REAL,
            f"{one.key}-{one.metric}",
            one.metric,
            partial(_draw, one, folder),
            {"data": one.data, "N": one.n_samples, "C": _choice(one), "metric": one.metric},
            one.brief,
            one.n_repetitions,
            stream=one.key,
        )
        for one in STUDIES
    ]


def _choice(study: RealStudy) -> str:
    """Which configurations of the sample data there are, for a table."""
    quick = {1: "quick configurations", 2: "every 2nd quick configuration"}
    return "all configurations" if study.everything else quick[study.step]


def _draw(study: RealStudy, folder: Path, rng: Generator) -> Simulated:
    """Read the matrix of this seed, or train and keep it."""
    seed = int(rng.integers(2**31))
    path = folder / study.key / f"{seed}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial_path = path.with_suffix(f".{os.getpid()}.npz")
        np.savez_compressed(partial_path, **_trained(study, seed))
        partial_path.replace(path)
    with np.load(path) as kept:
        matrix = _matrix(study.task, kept["outcome"], kept["predictions"], kept["folds"])
        return Simulated(matrix, kept[study.metric], study.metric, _no_law)


def _trained(study: RealStudy, seed: int) -> dict[str, Any]:
    """Outcome, predictions (N, C) or (N, C, K), folds; held-out performances (C,) by metric."""
    if str(SAMPLE_DATA) not in sys.path:
        sys.path.insert(0, str(SAMPLE_DATA))  # its modules import each other by plain names
    import studies
    from cross_validation import fold_numbers

    whole = getattr(studies, study.data)()
    classes = np.unique(whole.outcome) if study.task.is_classification else None
    drawn, held_out = _split(whole, study.n_samples, seed, stratified=classes is not None)
    folds = fold_numbers(drawn.outcome, N_FOLDS, seed, stratified=classes is not None)
    pairs = _predictions(_pipelines(study, drawn), drawn, held_out, folds, _predict(classes))
    inside, outside = (np.stack(part, axis=1) for part in zip(*pairs, strict=True))
    codes, held_out_codes = (
        one.outcome if classes is None else np.searchsorted(classes, one.outcome)
        for one in (drawn, held_out)
    )
    return {
        "outcome": codes,
        "predictions": inside.astype(np.float32),
        "folds": folds[0],
        **_performances(study.task, held_out_codes, outside),
    }


def _split(whole: Any, n_samples: int, seed: int, *, stratified: bool) -> list[Any]:
    """A study sample and the rest."""
    if stratified:
        return list(whole.draw(n_samples, seed))
    order = np.random.default_rng(seed).permutation(len(whole.outcome))
    parts = np.sort(order[:n_samples]), np.sort(order[n_samples:])
    return [replace(whole, features=whole.features[p], outcome=whole.outcome[p]) for p in parts]


def _predict(classes: Any) -> Callable[..., Any]:
    """How the sample data predict a task with these classes, None for values."""
    import cross_validation as cv

    if classes is None:
        return cv.value
    return cv.positive_probability(str(classes[1])) if len(classes) == 2 else cv.class_probabilities


def _predictions(
    pipelines: Sequence[Any], drawn: Any, held_out: Any, folds: Any, predict: Callable[..., Any]
) -> Iterator[tuple[Any, Any]]:
    """Of each configuration: out-of-sample predictions of the study, and those held out."""
    from cross_validation import out_of_sample_predictions

    study = drawn.features, drawn.outcome
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pipeline in pipelines:
            inside = out_of_sample_predictions(pipeline, *study, folds, predict)
            yield inside, predict(pipeline.fit(*study), held_out.features)


def _pipelines(study: RealStudy, drawn: Any) -> Sequence[Any]:
    """Configurations of the sample data; unless `everything`, without the slow families."""
    import configurations

    make: Callable[..., Any] = getattr(configurations, str(study.task))
    every = make(drawn.training_size(N_FOLDS))
    if not study.everything:
        every = [one for one in every if one.family not in SLOW][:: study.step]
    return [one.pipeline for one in every]


def _performances(task: Task, outcome: Any, predictions: Any) -> dict[str, np.ndarray]:
    """Performances (C,) on the held-out samples, by metric."""
    matrix = _matrix(task, outcome, predictions.astype(np.float32), None)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    metrics = [METRICS[name] for name in {s.metric: 0 for s in STUDIES if s.task is task}]
    return {
        one.name: one.bind(matrix.outcome, matrix.as_kind(one.wants)[0])(everything)[0]
        for one in metrics
    }


def _matrix(task: Task, outcome: Any, predictions: Any, folds: Any) -> PredictionMatrix:
    regression = task is Task.REGRESSION
    classes = () if regression else tuple(str(k) for k in np.unique(outcome))
    return PredictionMatrix(
        Outcome(task, outcome, classes),
        predictions[None],
        tuple(f"c{c}" for c in range(predictions.shape[1])),
        PredictionKind.VALUE if regression else PredictionKind.PROBABILITY,
        folds=None if folds is None else folds[None],
        fold_names=() if folds is None else tuple(str(f) for f in range(N_FOLDS)),
    )


def _no_law(rng: Generator) -> np.ndarray:
    raise NotImplementedError("real predictions have no law to draw from")
