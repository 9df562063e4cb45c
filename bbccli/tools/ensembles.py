"""Ensembles that tools deploy: the members, and the rule that chose them.

mljar writes members and score to `Ensemble/ensemble.json`. It tries all models saved before, in as
many rounds as there are, and skips those with which a prediction would take longer than allowed.

AutoGluon keeps weights in pickles that are never loaded, but the ensemble's out-of-fold prediction
tells them: it is a mean of those of the models, found by non-negative least squares. A model is
tried if it was fitted before, and is among the best few of its kind; names begin with the kind. An
ensemble without a model that an earlier one had tried is that of `fit_extra`, which tries its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pickletools import genops
from typing import Any

import numpy as np

from bbccli.domain.source import Ensemble, tolerance_of
from bbccli.metrics import METRICS
from bbccli.reading.runs.file_parsing import is_file, read_bytes, read_json
from bbccli.types import FloatArray

_TOLERANCE = 1e-6
_PROBE = 10_000
"""Rows from which weights are found, before all of them are compared."""
_MADE = frozenset({"ensemble", "stacked"})
"""Flags of models that are made of others."""
WITHOUT_WEIGHTS = ("spearman", "pearson")
"""Metrics that mljar computes without the weights of the samples."""
_ROUNDS = 25
_CLIP = 2.0**-52
_KINDS = re.compile(
    "LightGBM(Prep)?|CatBoost|XGBoost|RandomForest|ExtraTrees|KNeighbors|LinearModel|NeuralNetTorch"
    "|NeuralNetFastAI|TabM|RealMLP|RealTabPFN|TabPFN|TabICL|TabDPT|Mitra|FTTransformer|EBM"
)
"""AutoGluon's names of its kinds of models, to which settings are appended."""


def of_mljar(
    folder: Path,
    deployed: object,
    saved: Sequence[str],
    metric: str | None,
    limit: object,
    n_copies: int,
) -> Ensemble | None:
    """Return mljar's ensemble; None if it deploys a single model that the rule did not choose.

    deployed, saved, limit: `best_model`, `saved` and `max_single_prediction_time` in `params.json`.
    n_copies: rows that are copies of others.
    """
    name = "Ensemble"
    if metric is None or not isinstance(deployed, str):
        return None
    if deployed.endswith("_Stacked"):
        return Ensemble(name=deployed, metric=metric, stacked=True)
    place = folder / name / "ensemble.json"
    about: Any = read_json(place) if is_file(place) and name in saved else None
    try:
        times = {one["model"]: float(one["repeat"]) for one in about["selected_models"]}
        score = float(about["final_loss"]) * METRICS[metric].direction.sign * -1
    except (KeyError, TypeError, ValueError):
        return None
    if deployed != name and [*times] != [deployed]:
        return None
    candidates = tuple(one for one in saved[: saved.index(name)] if not one.startswith(name))
    seconds = tuple(_seconds(folder / candidate / "framework.json") for candidate in candidates)
    return Ensemble(
        name=name,
        metric=metric,
        score=score,
        tolerance=_TOLERANCE,
        candidates=candidates,
        weights=tuple(times.get(candidate, 0.0) / sum(times.values()) for candidate in candidates),
        rounds=len(candidates),
        seconds=seconds,
        limit=float(limit) if isinstance(limit, int | float) and limit else np.inf,
        cuts="quantiles" if isinstance(about.get("threshold"), float) else "",
        cut_for="accuracy",
        cut=about.get("threshold"),
        n_copies=n_copies,
        unweighted=metric in WITHOUT_WEIGHTS,
    )


def _seconds(place: Path) -> float:
    """Return the time that a model takes for a prediction; 0 if unknown."""
    about = read_json(place) if is_file(place) else None
    seconds = about.get("single_prediction_time") if isinstance(about, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def of_autogluon(
    scores: Mapping[str, float],
    order: Mapping[str, int],
    predictions: Mapping[str, FloatArray],
    flags: Mapping[str, Sequence[str]],
    metric: str,
    folder: Path,
) -> Ensemble | None:
    """Return AutoGluon's ensemble; None if it deploys a single model.

    scores, order: with the sign of bbc, and when a model was fitted, by the leaderboard.
    predictions, flags: of the models that have any.
    """
    direction = METRICS[metric].direction
    known = [name for name in predictions if name in scores]
    if not known:
        return None
    best = max(direction.sign * scores[name] for name in known)
    top = [name for name in known if direction.sign * scores[name] == best]
    # a tie is an ensemble of one model
    name = min(top, key=lambda one: ("ensemble" not in flags[one], order.get(one, 0)))
    stacked = "stacked" in flags[name] or re.search(r"_L([3-9]|\d\d)$", name) is not None
    if stacked:
        return Ensemble(name=name, metric=metric, stacked=True)
    if "ensemble" not in flags[name]:
        return None
    before = order.get(name, np.inf)
    # models on the leaderboard whose predictions are lost took part too
    every = [
        score for score in scores if not _MADE & {*flags.get(score, ())} and score[:8] != name[:8]
    ]
    candidates = sorted(
        (one for one in every if order.get(one, 0) < before), key=lambda one: order.get(one, 0)
    )
    mean = predictions[name]
    weights = _weights(mean, [*map(predictions.get, candidates)])
    # that of `fit_extra` is made of the models that it fitted, after an ensemble of earlier ones
    earlier = [at for one, at in order.items() if one[:8] == name[:8] and at < before]
    n_old = sum(order.get(one, 0) < max(earlier, default=0) for one in candidates)
    if n_old < len(candidates) and not any(weights[:n_old]):
        candidates, weights = candidates[n_old:], weights[n_old:]
    kinds = (_KINDS.match(candidate) for candidate in candidates)
    return Ensemble(
        name=name,
        metric=metric,
        score=scores[name],
        tolerance=tolerance_of(_TOLERANCE, scores[name]),
        candidates=tuple(candidates),
        weights=weights,
        rounds=_ROUNDS,
        clip=_CLIP,
        kinds=tuple(kind[0] if kind else one for kind, one in zip(kinds, candidates, strict=True)),
        rounded=True,
        cuts="grid" if len(mean) >= _TUNED_FROM.get(metric, _TUNED) else "",
        cut_for=metric,
        cut=_cut_in(folder / "predictor.pkl"),
    )


_TUNED, _TUNED_FROM = 50, {"accuracy": 10_000, "precision": np.inf}
"""Numbers of samples from which AutoGluon tunes the cut for a metric of labels by itself."""


def _cut_in(place: Path) -> float | None:
    """Return the cut in a pickle, which is not loaded: the number after its name."""
    if not is_file(place):
        return None
    named = False
    with suppress(ValueError):
        for opcode, value, _ in genops(read_bytes(place)):
            if named and isinstance(value, float):
                return value
            named = value == "_decision_threshold" or (named and opcode.name == "MEMOIZE")
    return None


def _weights(mean: FloatArray, given: Sequence[FloatArray | None]) -> tuple[float, ...]:
    """Return the weights of columns whose weighted mean is given; empty if it is none."""
    from scipy.optimize import nnls

    columns = [one for one in given if one is not None]
    if len(columns) < len(given) or not columns:
        return ()
    n_rows = len(mean)
    some = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _PROBE)).astype(np.int64))
    target, *others = (np.ravel(one[some]).astype(np.float64) for one in (mean, *columns))
    parts = np.stack(others, axis=1)
    valid = np.isfinite(parts).all(axis=1) & np.isfinite(target)
    weights, _ = nnls(parts[valid], target[valid])
    if not weights.sum():
        return ()
    weights = np.where(weights < 1e-4, 0.0, weights)
    weights /= weights.sum()
    made = sum(w * one for w, one in zip(weights, columns, strict=True) if w)
    slack = 1e-5 * max(float(np.nanmax(np.abs(mean))), 1e-30)
    return tuple(weights.tolist()) if np.nanmax(np.abs(made - mean)) <= slack else ()
