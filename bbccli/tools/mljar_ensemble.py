"""The ensemble that mljar deploys: its members, and the rule that chose them.

`Ensemble/ensemble.json` has members and score. mljar tries all models saved before, in as many
rounds as there are, and skips those with which a prediction would take longer than allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.source import Ensemble
from bbccli.metrics import METRICS
from bbccli.reading.runs.file_parsing import is_file, read_json

_TOLERANCE = 1e-6
WITHOUT_WEIGHTS = ("spearman", "pearson")
"""Metrics that mljar computes without the weights of the samples."""


def ensemble_of(
    folder: Path, params: Mapping[str, Any], saved: Sequence[str], metric: str | None, n_copies: int
) -> Ensemble | None:
    """Return mljar's ensemble; None if it deploys a single model that the rule did not choose.

    params: `params.json`.
    saved: models, in the order of their training.
    n_copies: rows that are copies of others.
    """
    deployed, limit = params.get("best_model"), params.get("max_single_prediction_time")
    name = "Ensemble"
    if metric is None or not isinstance(deployed, str):
        return None
    if deployed.endswith("_Stacked"):
        return Ensemble(name=deployed, metric=metric, stacked=True)
    place = folder / name / "ensemble.json"
    about: Any = read_json(place) if is_file(place) and name in saved else None
    try:
        times = {member["model"]: float(member["repeat"]) for member in about["selected_models"]}
        score = float(about["final_loss"]) * METRICS[metric].direction.sign * -1
    except (KeyError, TypeError, ValueError):
        return None
    if not sum(times.values()) or (deployed != name and [*times] != [deployed]):
        return None
    candidates = tuple(model for model in saved[: saved.index(name)] if not model.startswith(name))
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
