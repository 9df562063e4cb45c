"""The leaderboard of AutoGluon, where it was exported into the folder as `leaderboard.csv`.

Columns: `model`, `score_val`, of which the greater is the better, and `eval_metric`. Scores are of
the pooled out-of-fold predictions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bbccli.core.source import tolerance_of
from bbccli.errors import InputError
from bbccli.readers.runs.base import Score
from bbccli.readers.runs.contents import number_in, read_records

BOARD = "leaderboard.csv"

_TOLERANCE = 1e-6
"""Predictions are kept in 32 bits, as they were scored; sums over repeats may round."""

_METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced-accuracy",
    "mcc": "mcc",
    "roc_auc": "auc",
    **{f"roc_auc_{way}{mean}": f"auc-{way}" for way in ("ovo", "ovr") for mean in ("", "_macro")},
    "average_precision": "average-precision",
    **{name: name for name in ("f1", "precision", "recall", "r2")},
    **{
        f"{name}_{mean}": f"{name}-{mean}"
        for name in ("f1", "precision", "recall")
        for mean in ("macro", "micro", "weighted")
    },
    "pearsonr": "pearson",
    "spearmanr": "spearman",
}
_LOSSES = {
    "log_loss": "log-loss",
    "root_mean_squared_error": "rmse",
    "mean_squared_error": "mse",
    "mean_absolute_error": "mae",
    "median_absolute_error": "medae",
    "mean_absolute_percentage_error": "mape",
    **{name: name for name in ("rmse", "mse", "mae", "mape")},
}
_HINT = "write it again: predictor.leaderboard().to_csv(...)"


@dataclass(frozen=True, slots=True)
class Board:
    """What the leaderboard says.

    Parameters
    ----------
    scores
        By model, in the order of the file; without those that were never validated.
    metric
        Name that AutoGluon has for the metric.
    """

    scores: dict[str, float]
    metric: str

    @property
    def own_metric(self) -> str | None:
        """Name that bbc has for the metric; None where it has none."""
        return _METRICS.get(self.metric) or _LOSSES.get(self.metric)

    def listed(self, names: Collection[str]) -> tuple[Score, ...]:
        """Return the scores of these models, with the sign of bbc."""
        metric, sign = self.own_metric, -1.0 if self.metric in _LOSSES else 1.0
        if metric is None:
            return ()
        return tuple(
            Score(name, metric, sign * value, "pooled", tolerance_of(_TOLERANCE, value))
            for name, value in self.scores.items()
            if name in names
        )

    def lost(self, names: Collection[str]) -> list[str]:
        """Return the models that were validated and are none of these."""
        return [name for name in self.scores if name not in names]


def board_of(folder: Path) -> Board | None:
    """Return the leaderboard of a predictor; None where it was not exported.

    Raises
    ------
    InputError
        It can't be read, lacks a column, or holds what is no score.
    """
    place = folder / BOARD
    if not place.is_file():
        return None
    rows = read_records(place)
    if not rows or not {"model", "score_val", "eval_metric"} <= rows[0].keys():
        problem = "has no columns model, score_val and eval_metric"
        raise InputError(problem, path=str(place), hint=_HINT)
    metrics = {row["eval_metric"] for row in rows}
    scores = {
        row["model"]: number_in(row["score_val"] or "nan", place, number, "score_val", hint=_HINT)
        for number, row in enumerate(rows)
    }
    if len(metrics) > 1 or len(scores) < len(rows):
        raise InputError("holds several runs", path=str(place), hint=_HINT)
    known = {name: value for name, value in scores.items() if math.isfinite(value)}
    return Board(known, metrics.pop())


def check_listed(folder: Path, board: Board | None, names: Sequence[str]) -> None:
    """Refuse models with predictions that the leaderboard does not have.

    Raises
    ------
    InputError
        There is such a model.
    """
    unlisted = [name for name in names if board is not None and name not in board.scores]
    if unlisted:
        raise InputError(
            f"does not list {unlisted[0]}, which has predictions",
            path=str(folder / BOARD),
            hint=f"{_HINT}; without {BOARD} the run is read, and no score is checked",
            further=len(unlisted) - 1,
        )
