"""The folder of AutoGluon's `TabularPredictor`, fitted with bagging.

`models/<name>/utils/oof.pkl` holds the sum of the predictions over the repeats of the
cross-validation and, for each sample, the number of repeats that predicted it. Samples stand in
the order of the training data. The folder tells neither labels nor folds in a form that can be
read safely, and scores only where the leaderboard was exported into it as `leaderboard.csv`, with
columns `model`, `score_val`, of which the greater is the better, and `eval_metric`: scores of the
pooled out-of-fold predictions. The layout is that of AutoGluon 1.6.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.source import tolerance_of
from bbccli.errors import InputError
from bbccli.readers.runs.base import APART, RunReader, RunTable, Score
from bbccli.readers.runs.contents import number_in, read_records
from bbccli.readers.runs.pickles import arrays_of
from bbccli.readers.runs.stored import StoredConfiguration, StoredRun, as_table, folders_in, is_file
from bbccli.readers.sources.files import file_bytes
from bbccli.types import FloatArray

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


TOOL = "AutoGluon"

_OOF = Path("utils", "oof.pkl")
_SUM, _COUNT = "_oof_pred_proba", "_oof_pred_model_repeats"
_LEVEL = re.compile(r"_BAG_L(\d+)")
_CHILD = re.compile(r"S(\d+)F(\d+)")
_ENSEMBLE = "WeightedEnsemble"
_OUT_OF_BAG = ("RandomForest", "ExtraTrees", "KNeighbors")
_BOOSTED = ("LightGBM", "CatBoost", "XGBoost")
_NETWORKS = ("NeuralNet", "TabM", "RealMLP", "ModernNCA", "FTTransformer")
_NO_BAGGING = "fit with num_bag_folds=5 (or presets='high'), which keeps out-of-fold predictions"


def recognises(path: Path) -> bool:
    """Whether a folder is that of a predictor of AutoGluon."""
    if not folders_in(path / "models"):
        return False
    known = (path / "predictor.pkl", path / "models" / "trainer.pkl")
    return any(map(is_file, known)) or any(is_file(one / _OOF) for one in _folders(path))


def load(path: Path) -> StoredRun:
    """Read the out-of-fold predictions of all models.

    Raises
    ------
    InputError
        No model has such, a file is damaged, or models predict different numbers of samples.
    """
    configurations, excluded = [], []
    for folder in _folders(path):
        name = folder.relative_to(path / "models").as_posix()
        if not is_file(folder / _OOF):
            if is_file(folder / "model.pkl"):
                excluded.append((name, "no out-of-fold predictions"))
            continue
        total, count = _arrays(folder / _OOF)
        if _predicts_its_own_samples(folder, name, count):
            excluded.append((name, "one model, which predicts the samples that trained it"))
        else:
            configurations.append(_configuration(folder, name, total, count))
    if not configurations:
        raise InputError("has no out-of-fold predictions", path=str(path), hint=_NO_BAGGING)
    _check_sizes(configurations, path)
    return StoredRun(TOOL, tuple(configurations), tuple(excluded))


def _folders(path: Path) -> list[Path]:
    """Folders that may be of a model; tuned ones lie one deeper."""
    outer = folders_in(path / "models")
    inner = [one for folder in outer for one in folders_in(folder) if is_file(one / _OOF)]
    return sorted(outer + inner)


def _arrays(path: Path) -> tuple[FloatArray, NDArray[Any]]:
    """Sum of the predictions (N,) or (N, K), and number of repeats (N,)."""
    found = arrays_of(file_bytes(path), str(path))
    if not isinstance(found, dict) or set(found) != {_SUM, _COUNT}:
        raise _unknown(path)
    total, count = found[_SUM], found[_COUNT]
    if (
        total.dtype.kind != "f"
        or total.ndim not in (1, 2)
        or count.dtype.kind not in "uif"
        or count.shape != total.shape[:1]
        or not (count >= 0).all()
    ):
        raise _unknown(path)
    return total, count


def _configuration(
    folder: Path, name: str, total: FloatArray, count: NDArray[Any]
) -> StoredConfiguration:
    """Mean over the repeats, and what the name and the folder tell."""
    repeats = count[:, None] if total.ndim == 2 else count
    mean = np.full_like(total, np.nan)
    with np.errstate(all="ignore"):  # what is not finite is refused with its place
        np.divide(total, repeats, out=mean, where=repeats > 0, casting="same_kind")
    mean.flags.writeable = False
    children = _children(folder)
    level = _LEVEL.search(name)
    marks = {
        "ensemble": name.startswith(_ENSEMBLE),
        "stacked": level is not None and int(level[1]) > 1,
        "oob": _is_out_of_bag(name, children),
        "averaged_over_repeats": bool((count > 1).any()),
        "early_stopping_on_fold": name.startswith(_BOOSTED + _NETWORKS),
    }
    flags = tuple(flag for flag, holds in marks.items() if holds)
    return StoredConfiguration(name, mean, flags)


def _children(folder: Path) -> set[tuple[int, int]]:
    """Repeat and fold of each model of a bag, as far as they were kept."""
    found = (_CHILD.fullmatch(one.name) for one in folders_in(folder))
    return {(int(one[1]), int(one[2])) for one in found if one is not None}


def _is_out_of_bag(name: str, children: set[tuple[int, int]]) -> bool:
    """Whether a model predicts out of its own bag, as forests and neighbours do unless told not to.

    Where the models of a bag were not kept, the default counts.
    """
    return name.startswith(_OUT_OF_BAG) and children <= {(1, 1)}


def _predicts_its_own_samples(folder: Path, name: str, count: NDArray[Any]) -> bool:
    """Whether a bag of one model has predictions of all samples, none of them held out."""
    return (
        _children(folder) == {(1, 1)}
        and not name.startswith((_ENSEMBLE, *_OUT_OF_BAG))
        and bool((count > 0).all())
    )


def _check_sizes(configurations: list[StoredConfiguration], path: Path) -> None:
    """All models must predict the same samples and classes."""
    first = configurations[0]
    for one in configurations[1:]:
        if one.predictions.shape != first.predictions.shape:
            raise InputError(
                f"predictions of {one.name} are of shape {one.predictions.shape}, those of "
                f"{first.name} of shape {first.predictions.shape}",
                path=str(path),
                hint="the models were not fitted on the same data; fit them anew",
            )


def _unknown(path: Path) -> InputError:
    return InputError(
        "does not hold out-of-fold predictions as AutoGluon writes them",
        path=str(path),
        hint="export the predictions as Parquet or CSV",
    )


def _load(folder: Path) -> RunTable:
    """The models as a table, with the scores of the leaderboard where there is one."""
    run, board = load(folder), board_of(folder)
    read = (f"models/*/{_OOF}", f"models/*/*/{_OOF}", "version.txt", "metadata.json", BOARD)
    names = [one.name for one in run.configurations]
    check_listed(folder, board, names)
    table = as_table(run, folder, *read)
    if board is None:
        reason = f"there is no {BOARD} in the folder: predictor.leaderboard().to_csv(...)"
        return replace(table, unchecked=reason)
    said = {name for name, _ in run.excluded}
    lost = [name for name in board.lost(names) if name not in said]
    return replace(
        table,
        leaderboard=board.listed(names),
        metric=board.own_metric,
        metric_name=None if board.own_metric else board.metric,
        selection="pooled",
        left_out=(*run.excluded, *((name, "on the leaderboard, and gone") for name in lost)),
        n_candidates_total=len(names) + len(lost) if lost else None,
        unchecked="" if board.own_metric else f"bbc does not have the metric {board.metric}",
    )


RUNS = (RunReader(TOOL, "`models/*/utils/oof.pkl`", recognises, _load, labels=APART),)
