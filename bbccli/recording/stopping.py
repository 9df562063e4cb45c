"""Whether a fitted estimator was stopped by the samples that score it, told by values.

1. Scores of the iterations that the estimator keeps, as LightGBM, XGBoost, CatBoost, the histogram
   boosting of scikit-learn and Keras do: one before the last is the score of its predictions for
   the test set. Shares of samples agree by chance, so those of fewer iterations must agree too.
2. An evaluation set that holds the rows of the test set: given to the fit of a search, or kept by
   the estimator (`eval_set`, `validation_data`, `X_val`, `eval_X`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.metrics import fitting
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection.candidates import candidates
from bbccli.types import FloatArray, Pooling, PredictionKind, Task

_SHARES = ("auc", "accuracy", "average-precision")
_STOP_BY = ("log-loss", "mse", "rmse", "mae", *_SHARES)
_TOLERANCE = 1e-5
_FRAMES = 8
"""Calls between the fit of a search and its scorer, at most."""
_STAGES: Mapping[str, Any] = {
    "lightgbm": lambda k: {"num_iteration": k},
    "xgboost": lambda k: {"iteration_range": (0, k)},
    "catboost": lambda k: {"ntree_end": k},
}
"""How predictions of the first k iterations are asked for."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A model that saw its test set: whether it stopped early by it, and the scores there at each
    iteration with their metric, if known.
    """

    stopped: bool = True
    metric: str = ""
    curve: tuple[float, ...] = ()


def watched(
    estimator: Any, features: Any, truth: Any, outcome: Outcome, score: float
) -> Watched | None:
    """Return how a fitted estimator saw a test set; None if it did not, as far as known.

    features, truth: the test set, as given to the scorer.
    outcome: its truth, with the classes of all samples.
    score: by the search, NaN without; of several curves, the one with this score counts.
    """
    model, inner = estimator, features
    while hasattr(model, "steps") or hasattr(model, "best_estimator_"):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
            continue
        for _, step in model.steps[:-1]:
            inner = inner if step in (None, "passthrough") else step.transform(inner)
        model = model.steps[-1][1]
    if _runs_to_its_end(model):
        return None
    short = _number(model, "n_iter_") < _number(model, "max_iter")
    agreeing = [*_agreeing(model, inner, outcome)]
    if agreeing:
        off = [abs(abs(curve[kept]) - abs(score)) for _, curve, kept in agreeing]
        metric, curve, kept = agreeing[int(np.argmin(off))]
        return Watched(kept < len(curve) - 1 or short, metric, tuple(curve.tolist()))
    kept_by_model = vars(model) if hasattr(model, "__dict__") else {}
    sets = [*_sets({name.strip("_"): v for name, v in kept_by_model.items()}), *_given_sets()]
    held = any(_holds(given, part, truth) for given in sets for part in (features, inner))
    return Watched() if held else None


def _number(model: Any, name: str) -> float:
    value = getattr(model, name, None)
    return float(value) if isinstance(value, int | float | np.number) else 0.0


def _tool(model: Any) -> str:
    return type(model).__module__.partition(".")[0]


def _runs_to_its_end(model: Any) -> bool:
    """True for a booster that was not told to stop early."""
    best = getattr(model, "best_iteration_", getattr(model, "best_iteration", None))
    tool = _tool(model)
    return tool in _STAGES and (best is None or (tool == "lightgbm" and best <= 0))


def _curves(model: Any) -> Iterator[FloatArray]:
    """Yield the scores of the iterations that a model keeps, on whatever samples."""
    waiting = [getattr(model, name, None) for name in ("validation_score_", "history_")]
    waiting.append(getattr(model, "evals_result_", None))
    if callable(getattr(model, "evals_result", None)):
        waiting.append(model.evals_result())
    while waiting:
        held = waiting.pop()
        if isinstance(held, Mapping):
            waiting += held.values()
        elif isinstance(held, list | tuple | np.ndarray) and len(held) > 1:
            with suppress(TypeError, ValueError):
                curve = np.asarray(held, np.float64)
                if curve.ndim == 1 and np.isfinite(curve).all():
                    yield curve


def _agreeing(model: Any, features: Any, outcome: Outcome) -> Iterator[tuple[str, FloatArray, int]]:
    """Yield metric and scores of the iterations on the test set, and the iteration that is kept."""
    curves = list(_curves(model))
    stages, scores = _STAGES.get(_tool(model)), _scores(model, features, outcome) if curves else {}
    for metric, value in scores.items():
        # losses with another sign, errors, and halves of squared errors
        for curve in [form for c in curves for form in (c, -c, 1 - c, -2 * c)]:
            near = np.flatnonzero(np.isclose(curve, value, _TOLERANCE, _TOLERANCE))
            if not len(near):
                continue
            kept = int(near[0])
            # a booster may be cut off behind what it keeps, and first trees tie by rounding
            if metric in _SHARES:
                if stages is None or not kept:
                    continue
                some = {1 + kept // 2, 1 + 3 * kept // 4, kept}
                of = [(k, _scores(model, features, outcome, **stages(k))[metric]) for k in some]
                if any(abs(curve[k - 1] - score) > _TOLERANCE for k, score in of):
                    continue
            yield metric, curve, kept


def _scores(model: Any, features: Any, outcome: Outcome, **stage: Any) -> dict[str, float]:
    """Return the scores of a model, or of its first iterations, by metrics that stop training."""
    if outcome.task is Task.REGRESSION:
        predictions, kind = model.predict(features, **stage), PredictionKind.VALUE
    elif not hasattr(model, "predict_proba"):
        return {}
    else:
        predictions, kind = model.predict_proba(features, **stage), PredictionKind.PROBABILITY
    values = np.asarray(predictions, np.float64)
    if outcome.classes and values.shape != (len(outcome.values), len(outcome.classes)):
        return {}
    values = values[:, 1] if outcome.task is Task.BINARY else values
    matrix = PredictionMatrix(outcome, values[None, :, None], ("model",), kind)
    known = [metric for metric in fitting(matrix) if metric.name in _STOP_BY]
    scores = {m.name: candidates(matrix, m, Pooling.POOLED).performances()[0] for m in known}
    return {name: float(score) for name, score in scores.items() if np.isfinite(score)}


def _given_sets() -> Iterator[Any]:
    """Yield the evaluation sets that a search of scikit-learn gave to the fit."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        given = frame.f_locals.get("fit_params")
        if frame.f_code.co_name == "_fit_and_score" and isinstance(given, Mapping):
            yield from _sets({name.rpartition("__")[2]: value for name, value in given.items()})
        if frame.f_back is None:
            return
        frame = frame.f_back


def _sets(given: Mapping[str, Any]) -> Iterator[Any]:
    for name in ("eval_set", "validation_data"):
        pairs = given.get(name)
        yield from pairs if isinstance(pairs, list) else () if pairs is None else [pairs]
    for features, truth in (("X_val", "y_val"), ("eval_X", "eval_y")):
        if given.get(features) is not None:
            yield given[features], given.get(truth)


def _holds(evaluation_set: Any, features: Any, truth: Any) -> bool:
    """True if an evaluation set has all the rows of a test set."""
    if not isinstance(evaluation_set, tuple | list) or len(evaluation_set) < 2:
        return False
    with suppress(TypeError, ValueError):
        return {*_rows(features, truth)} <= {*_rows(evaluation_set[0], evaluation_set[1])}
    return False


def _rows(features: Any, truth: Any) -> list[bytes]:
    """Return the content of each row, with its truth."""
    table = features.toarray() if hasattr(features, "toarray") else np.asarray(features)
    rows = [table.reshape(len(table), -1), np.asarray(truth).reshape(len(table), -1)]
    return [repr(row).encode() for row in zip(*(row.tolist() for row in rows), strict=True)]
