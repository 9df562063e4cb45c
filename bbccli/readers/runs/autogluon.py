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
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.source import ReportedScore, ToolRun, tolerance_of
from bbccli.errors import InputError
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs.base import APART, RunReader, columns_of, left_out, table_of
from bbccli.readers.runs.contents import (
    check_listed,
    folders_in,
    is_file,
    matching,
    number_in,
    records_with,
)
from bbccli.readers.runs.pickles import arrays_of
from bbccli.readers.sources.files import file_bytes
from bbccli.readers.table import Table
from bbccli.types import FloatArray, Pooling

_BOARD = "leaderboard.csv"
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
    """Return True for the folder of a predictor of AutoGluon."""
    if not folders_in(path / "models"):
        return False
    known = (path / "predictor.pkl", path / "models" / "trainer.pkl")
    return any(map(is_file, known)) or any(is_file(one / _OOF) for one in _folders(path))


def load(path: Path) -> Table:
    """Read the out-of-fold predictions of all models.

    Raises
    ------
    InputError
        No model has such, a file is damaged, models predict different numbers of samples, or a
        leaderboard does not list one.
    """
    predictions: dict[str, FloatArray] = {}
    flags: dict[str, tuple[str, ...]] = {}
    excluded: dict[str, str] = {}
    for folder in _folders(path):
        name = folder.relative_to(path / "models").as_posix()
        if not is_file(folder / _OOF):
            if is_file(folder / "model.pkl"):
                excluded[name] = "no out-of-fold predictions"
            continue
        total, count = _arrays(folder / _OOF)
        if _predicts_its_own_samples(folder, name, count):
            excluded[name] = "one model, which predicts the samples that trained it"
            continue
        predictions[name], flags[name] = _mean(total, count), _flags(folder, name, count)
    if not predictions:
        raise InputError("has no out-of-fold predictions", path=str(path), hint=_NO_BAGGING)
    _check_sizes(predictions, path)
    columns: dict[str, Any] = {}
    for name, values in predictions.items():
        columns |= columns_of(name, values, range(values.shape[-1]))
    run = ToolRun(
        tool="AutoGluon",
        left_out=tuple(one for name, why in excluded.items() for one in left_out([name], why)),
        classes_in_order=next(iter(predictions.values())).ndim == 2,
        unchecked=f"there is no {_BOARD} in the folder: predictor.leaderboard().to_csv(...)",
    )
    about = Metadata(flags=flags)
    if (path / _BOARD).is_file():
        run, about = _with_leaderboard(path / _BOARD, run, about)
    patterns = (f"models/*/{_OOF}", f"models/*/*/{_OOF}", "version.txt", "metadata.json", _BOARD)
    return table_of(path, matching(path, *patterns), columns, run, about)


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


def _mean(total: FloatArray, count: NDArray[Any]) -> FloatArray:
    """Mean (N,) or (N, K) over the repeats; NaN where none predicts the sample."""
    repeats = count[:, None] if total.ndim == 2 else count
    mean = np.full_like(total, np.nan)
    with np.errstate(all="ignore"):  # what is not finite is refused with its place
        np.divide(total, repeats, out=mean, where=repeats > 0, casting="same_kind")
    return mean


def _flags(folder: Path, name: str, count: NDArray[Any]) -> tuple[str, ...]:
    """Threats to validity that the name and the folder tell."""
    level = _LEVEL.search(name)
    marks = {
        "ensemble": name.startswith(_ENSEMBLE),
        "stacked": level is not None and int(level[1]) > 1,
        # forests and neighbours, unless told not to: the default where a bag was not kept
        "oob": name.startswith(_OUT_OF_BAG) and _children(folder) <= {(1, 1)},
        "averaged_over_repeats": bool((count > 1).any()),
        "early_stopping_on_fold": name.startswith(_BOOSTED + _NETWORKS),
    }
    return tuple(flag for flag, holds in marks.items() if holds)


def _children(folder: Path) -> set[tuple[int, int]]:
    """Repeat and fold of each model of a bag, as far as they were kept."""
    found = (_CHILD.fullmatch(one.name) for one in folders_in(folder))
    return {(int(one[1]), int(one[2])) for one in found if one is not None}


def _predicts_its_own_samples(folder: Path, name: str, count: NDArray[Any]) -> bool:
    """Whether a bag of one model has predictions of all samples, none of them held out."""
    return (
        _children(folder) == {(1, 1)}
        and not name.startswith((_ENSEMBLE, *_OUT_OF_BAG))
        and bool((count > 0).all())
    )


def _check_sizes(predictions: Mapping[str, FloatArray], path: Path) -> None:
    """All models must predict the same samples and classes."""
    first = next(iter(predictions))
    for name, values in predictions.items():
        if values.shape != predictions[first].shape:
            raise InputError(
                f"predictions of {name} are of shape {values.shape}, those of {first} of shape "
                f"{predictions[first].shape}",
                path=str(path),
                hint="the models were not fitted on the same data; fit them anew",
            )


def _unknown(path: Path) -> InputError:
    return InputError(
        "does not hold out-of-fold predictions as AutoGluon writes them",
        path=str(path),
        hint="export the predictions as Parquet or CSV",
    )


def _with_leaderboard(place: Path, run: ToolRun, about: Metadata) -> tuple[ToolRun, Metadata]:
    """What a leaderboard adds; models that were never validated have no score there."""
    rows = records_with(place, "model", "score_val", "eval_metric", hint=_HINT)
    scores = {
        row["model"]: number_in(row["score_val"] or "nan", place, number, "score_val", hint=_HINT)
        for number, row in enumerate(rows)
    }
    metrics = {row["eval_metric"] for row in rows}
    if len(metrics) != 1 or len(scores) < len(rows):
        problem = "holds several runs" if rows else "names no model"
        raise InputError(problem, path=str(place), hint=_HINT)
    called, names = metrics.pop(), about.flags
    metric, sign = _METRICS.get(called) or _LOSSES.get(called), -1 if called in _LOSSES else 1
    scores = {name: sign * value for name, value in scores.items() if math.isfinite(value)}
    check_listed(place, scores, names, which="has predictions", hint=_HINT)
    known = {*names, *(one.name for one in run.left_out)}
    lost = [name for name in scores if name not in known]
    board = tuple(
        ReportedScore(
            id=name,
            metric=metric or "",
            value=value,
            tolerance=tolerance_of(_TOLERANCE, value),
        )
        for name, value in scores.items()
        if name in names and metric
    )
    run = replace(
        run,
        leaderboard=board,
        metric=metric,
        metric_name=None if metric else called,
        left_out=run.left_out + left_out(lost, "on the leaderboard, and gone"),
        unchecked="" if metric else f"bbc does not have the metric {called}",
    )
    total = len(names) + len(lost) if lost else None
    return run, replace(about, selection=Pooling.POOLED, n_candidates_total=total)


RUNS = (RunReader("AutoGluon", "`models/*/utils/oof.pkl`", recognises, load, labels=APART),)
