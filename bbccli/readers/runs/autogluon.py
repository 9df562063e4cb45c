"""The folder of AutoGluon's `TabularPredictor`, fitted with bagging.

`models/<name>/utils/oof.pkl` holds the sum of the predictions over the repeats of the
cross-validation and, for each sample, the number of repeats that predicted it. Samples are in the
order of the training data. The folder has neither labels nor folds in a form that can be read
safely, and scores only if the leaderboard was exported into it as `leaderboard.csv`, with columns
`model`, `score_val` (greater is better) and `eval_metric`: scores of the pooled out-of-fold
predictions. The layout is that of AutoGluon 1.6.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.source import LeftOut, ReportedScore, ToolRun, tolerance_of
from bbccli.errors import InputError
from bbccli.metrics import METRICS
from bbccli.readers.interface import Predictions, RunReader
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs import contents
from bbccli.readers.runs.contents import folders_in, is_file, left_out
from bbccli.readers.runs.pickles import arrays_of
from bbccli.readers.sources.files import file_bytes
from bbccli.types import FloatArray, Pooling

_BOARD = "leaderboard.csv"
_TOLERANCE = 1e-6
"""Predictions are scored and stored in 32 bits; sums over repeats may round."""
_METRICS = {  # by name: a custom metric may have the name of one of ours
    "roc_auc": "auc",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    "root_mean_squared_error": "rmse",
    "mean_squared_error": "mse",
    "mean_absolute_error": "mae",
    "median_absolute_error": "medae",
    "mean_absolute_percentage_error": "mape",
    **{f"roc_auc_{way}{mean}": f"auc-{way}" for way in ("ovo", "ovr") for mean in ("", "_macro")},
    **{
        f"{name}{mean}": f"{name}{mean}".replace("_", "-")
        for name in ("f1", "precision", "recall")
        for mean in ("", "_macro", "_micro", "_weighted")
    },
    **{
        name: name.replace("_", "-")
        for name in ("accuracy", "balanced_accuracy", "average_precision", "log_loss")
    },
    **{name: name for name in ("mcc", "r2", "rmse", "mse", "mae", "mape")},
}
_HINT = "write it again: predictor.leaderboard().to_csv(...)"

_OOF = Path("utils", "oof.pkl")
_SUM, _COUNT = "_oof_pred_proba", "_oof_pred_model_repeats"
_LEVEL = re.compile(r"_BAG_L(\d+)")
_CHILD = re.compile(r"S(\d+)F(\d+)")
_ENSEMBLE = "WeightedEnsemble"
_OUT_OF_BAG = ("RandomForest", "ExtraTrees", "KNeighbors")
_STOPPED_EARLY = (
    *("LightGBM", "CatBoost", "XGBoost"),
    *("NeuralNet", "TabM", "RealMLP", "ModernNCA", "FTTransformer"),
)


def recognises(path: Path) -> bool:
    """True for the folder of a predictor of AutoGluon."""
    if not folders_in(path / "models"):
        return False
    needed = (path / "predictor.pkl", path / "models" / "trainer.pkl")
    return any(map(is_file, needed)) or any(is_file(one / _OOF) for one in _folders(path))


def load(path: Path) -> Predictions:
    """Read the out-of-fold predictions of all models."""
    predictions: dict[str, FloatArray] = {}
    flags: dict[str, tuple[str, ...]] = {}
    excluded: list[LeftOut] = []
    for folder in _folders(path):
        name = folder.relative_to(path / "models").as_posix()
        if is_file(folder / _OOF):
            total, count = _arrays(folder / _OOF)
            if _predicts_its_own_samples(folder, name, count):
                why = "a single model, which predicts its own training samples"
                excluded += left_out([name], why)
            else:
                predictions[name], flags[name] = _mean(total, count), _flags(folder, name, count)
        elif is_file(folder / "model.pkl"):
            excluded += left_out([name], "no out-of-fold predictions")
    if not predictions:
        hint = "fit with num_bag_folds=5 (or presets='high'), which keeps out-of-fold predictions"
        raise InputError("has no out-of-fold predictions", path=path, hint=hint)
    first = next(iter(predictions))
    shape = predictions[first].shape
    for name, values in predictions.items():
        if values.shape != shape:
            raise InputError(
                f"predictions of {name} have shape {values.shape}, those of {first} have shape "
                f"{shape}",
                path=path,
                hint="fit all models on the same data",
            )
    run = ToolRun(
        tool="AutoGluon",
        left_out=tuple(excluded),
        unchecked=f"there is no {_BOARD} in the folder: predictor.leaderboard().to_csv(...)",
    )
    about = Metadata(flags=flags, undefined=0, run=run)
    if (path / _BOARD).is_file():
        about = _with_leaderboard(path / _BOARD, run, about)
    patterns = (f"models/*/{_OOF}", f"models/*/*/{_OOF}", "version.txt", "metadata.json", _BOARD)
    return Predictions(predictions, {}, contents.matching(path, *patterns), about)


def _folders(path: Path) -> list[Path]:
    """Return folders that may be of a model; tuned models are one level deeper."""
    outer = folders_in(path / "models")
    inner = [one for folder in outer for one in folders_in(folder) if is_file(one / _OOF)]
    return sorted(outer + inner)


def _arrays(path: Path) -> tuple[FloatArray, NDArray[Any]]:
    """Return the sum of the predictions (N,) or (N, K), and the number of repeats (N,)."""
    arrays = arrays_of(file_bytes(path), str(path))
    if isinstance(arrays, dict) and arrays.keys() == {_SUM, _COUNT}:
        total, count = arrays[_SUM], arrays[_COUNT]
        numbers = total.dtype.kind == "f" and count.dtype.kind in "uif"
        fit = total.ndim in (1, 2) and count.shape == total.shape[:1]
        if numbers and fit and (count >= 0).all():
            return total, count
    raise InputError(
        "does not hold out-of-fold predictions as AutoGluon writes them",
        path=path,
        hint="export the predictions as Parquet or CSV",
    )


def _mean(total: FloatArray, count: NDArray[Any]) -> FloatArray:
    """Return the mean (N,) or (N, K) over the repeats; NaN if none predicts the sample."""
    repeats = count[:, None] if total.ndim == 2 else count
    mean = np.full_like(total, np.nan)
    with np.errstate(all="ignore"):  # infinite values are refused later, with their place
        np.divide(total, repeats, out=mean, where=repeats > 0, casting="same_kind")
    return mean


def _flags(folder: Path, name: str, count: NDArray[Any]) -> tuple[str, ...]:
    """Return threats to validity shown by the name and the folder."""
    level = _LEVEL.search(name)
    marks = {
        "ensemble": name.startswith(_ENSEMBLE),
        "stacked": level is not None and int(level[1]) > 1,
        # forests and neighbours by default, if no bag was kept
        "oob": name.startswith(_OUT_OF_BAG) and _children(folder) <= {(1, 1)},
        "averaged_over_repeats": bool((count > 1).any()),
        "early_stopping_on_fold": name.startswith(_STOPPED_EARLY),
    }
    return tuple(flag for flag, holds in marks.items() if holds)


def _children(folder: Path) -> set[tuple[int, int]]:
    """Return the repeat and fold of each model of a bag, as far as known."""
    matches = (_CHILD.fullmatch(one.name) for one in folders_in(folder))
    return {(int(one[1]), int(one[2])) for one in matches if one is not None}


def _predicts_its_own_samples(folder: Path, name: str, count: NDArray[Any]) -> bool:
    """True for a bag of one model that predicts all samples, none of them held out."""
    alone = _children(folder) == {(1, 1)} and bool((count > 0).all())
    return alone and not name.startswith((_ENSEMBLE, *_OUT_OF_BAG))


def _with_leaderboard(place: Path, run: ToolRun, about: Metadata) -> Metadata:
    """Add the scores of a leaderboard; models that were never validated have none."""
    column = "score_val"
    rows = contents.records_with(place, "model", column, "eval_metric", hint=_HINT)
    scores = {
        row["model"]: contents.number_in(row[column] or "nan", place, number, column, hint=_HINT)
        for number, row in enumerate(rows)
    }
    metrics = {row["eval_metric"] for row in rows}
    if len(metrics) != 1 or len(scores) < len(rows):
        problem = "holds several runs" if rows else "names no model"
        raise InputError(problem, path=place, hint=_HINT)
    called, names = metrics.pop(), about.flags
    metric = _METRICS.get(called)
    sign = METRICS[metric].direction.sign if metric else 1
    scores = {name: sign * value for name, value in scores.items() if math.isfinite(value)}
    contents.check_listed(place, scores, names, which="has predictions", hint=_HINT)
    known = {*names, *(one.name for one in run.left_out)}
    lost = [name for name in scores if name not in known]
    board = tuple(
        ReportedScore(
            id=name, metric=metric, value=value, tolerance=tolerance_of(_TOLERANCE, value)
        )
        for name, value in scores.items()
        if name in names and metric
    )
    run = replace(
        run,
        leaderboard=board,
        metric=metric,
        metric_name=None if metric else called,
        left_out=run.left_out + left_out(lost, "on the leaderboard, but deleted"),
        unchecked="" if metric else f"bbc does not have the metric {called}",
    )
    total = len(names) + len(lost) if lost else None
    return replace(about, selection=Pooling.POOLED, n_candidates_total=total, run=run)


RUNS = (RunReader("AutoGluon", "`models/*/utils/oof.pkl`", recognises, load, labels="`--labels`"),)
