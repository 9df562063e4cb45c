"""The folder of AutoGluon's `TabularPredictor`, fitted with bagging or with a hold-out.

1. `models/<name>/utils/oof.pkl` of a bag holds the sum of the predictions over the repeats of the
   cross-validation and, for each sample, the number of repeats that predicted it.
2. `utils/attr/<name>/y_pred_proba_val.pkl` holds the predictions for a hold-out. If there are any,
   AutoGluon scores all models on it, bags too.
3. `utils/data/y.pkl`, or `y_val.pkl` of the hold-out, is a Series of the labels in the same order.
   Rows of rare classes are dropped; the index tells which ones are left. Classes are unsigned
   codes, of two classes 1 is the positive one. Targets of a regression are signed or real.
4. The folder has scores only if the leaderboard was exported into it as `leaderboard.csv`, with
   columns `model`, `score_val` (greater is better) and `eval_metric`: scores of the pooled
   predictions.
5. `models/trainer.pkl` names the models whose fit failed, and the class of the error. They have no
   score, so none could have been chosen: they don't count as candidates.
6. Weights of an ensemble are in pickles that are never loaded, but its out-of-fold prediction tells
   them: it is a mean of those of the models, found by non-negative least squares. A model is tried
   if it was fitted before, and is among the best few of its kind; names begin with the kind. An
   ensemble without a model that an earlier one had tried is that of `fit_extra`, which tries its
   own.

The layout is that of AutoGluon 1.6.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain import source
from bbccli.errors import InputError
from bbccli.metrics import METRICS, meant_by
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs import file_parsing
from bbccli.reading.runs.file_parsing import folders_in, is_file, left_out
from bbccli.reading.sources import file_bytes
from bbccli.tools.pickles import arrays_of, constants_in, entries_by_key, series_of
from bbccli.types import FloatArray, Pooling, PredictionKind, Task

_BOARD = "leaderboard.csv"
_TOLERANCE = 1e-6
"""Predictions are scored and stored in 32 bits; sums over repeats may round."""
_MEANS = ("", "_macro", "_micro", "_weighted")
_OURS = (
    *("accuracy", "balanced_accuracy", "average_precision", "log_loss", "mcc", "roc_auc"),
    *("roc_auc_ovo", "roc_auc_ovr", "r2", "rmse", "mse", "mae", "mape"),
    *(f"{error}_error" for error in ("root_mean_squared", "mean_squared", "mean_absolute")),
    *("median_absolute_error", "mean_absolute_percentage_error"),
    *(f"{metric}{mean}" for metric in ("f1", "precision", "recall") for mean in _MEANS),
)
_METRICS = {  # by name: a custom metric may have the name of one of ours
    "quadratic_kappa": "qwk-classes",
    "roc_auc_ovo_macro": "auc-ovo",
    "roc_auc_ovr_macro": "auc-ovr",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    **{name: meant_by(name.replace("_", "-")) for name in _OURS},
}

_OOF = Path("utils", "oof.pkl")
_HELD_OUT, _VALIDATION = Path("utils", "attr"), "y_pred_proba_val.pkl"
_DATA = Path("utils", "data")
_FOREIGN = "does not hold {} predictions as AutoGluon writes them"
_UNBAGGED = "was fitted without num_bag_folds, and the"
_EXPORT = "export the predictions as Parquet or CSV"
_SUM, _COUNT = "_oof_pred_proba", "_oof_pred_model_repeats"
_LEVEL = re.compile(r"_BAG_L(\d+)")
_CHILD, _ALONE = re.compile(r"S\d+F\d+"), "S1F1"
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
    kept = any(is_file(path / "models" / name / _OOF) for name in _models(path))
    return kept or any(map(is_file, needed)) or bool(_validated(path))


def load(path: Path) -> Predictions:
    """Read the predictions by which AutoGluon compares the models."""
    predictions: dict[str, FloatArray] = {}
    flags: dict[str, tuple[str, ...]] = {}
    excluded: list[source.LeftOut] = []
    validated, y_val = _validated(path), path / _DATA / "y_val.pkl"
    if is_file(y_val) and not validated:
        hint = "fit it with num_bag_folds=5, or without hyperparameter_tune_kwargs"
        raise InputError(f"{_UNBAGGED} predictions for its hold-out were not kept", hint=hint)
    for name in sorted({*_models(path), *validated}):
        folder = path / "models" / name
        if name in validated:
            predictions[name] = _held_out(validated[name])
            flags[name] = _flags(folder, name, np.ones(1), oob=False)
        elif is_file(folder / _OOF) and (not validated or name.startswith(_ENSEMBLE)):
            total, count = _arrays(folder / _OOF)
            if _predicts_its_own_samples(folder, name, count):
                why = "a single model, which predicts its own training samples"
                excluded += left_out([name], why)
            else:
                predictions[name], flags[name] = _mean(total, count), _flags(folder, name, count)
        elif is_file(folder / "model.pkl"):
            which = "validation" if validated else "out-of-fold"
            excluded += left_out([name], f"no {which} predictions")
    excluded += [failure for failure in _failed(path) if failure.name not in predictions]
    if not predictions:
        hint = "give the folder of a fit without save_space=True, not a clone for deployment"
        raise InputError("has no predictions of a validation", hint=hint)
    place = y_val if validated else path / _DATA / "y.pkl"
    roles = _labels(place, held_out=bool(validated))
    first = next(iter(predictions.values()))
    _refuse_quantiles(first, roles)
    why = f"there is no {_BOARD} in the folder: predictor.leaderboard().to_csv(...)"
    run = source.ToolRun(tool="AutoGluon", left_out=tuple(excluded), unchecked=why)
    coded = bool(roles) and roles["truth"].dtype.kind == "u"
    classes = tuple(map(str, range(first.shape[1] if first.ndim == 2 else 2))) if coded else ()
    task = Task.REGRESSION if roles and not coded else None
    about = Metadata(task=task, classes=classes, flags=flags, undefined=0, run=run)
    if (path / _BOARD).is_file():
        about = _with_board(path / _BOARD, about, predictions)
    patterns = (f"models/*/{_OOF}", f"models/*/*/{_OOF}", "version.txt", "metadata.json", _BOARD)
    files = [*file_parsing.files_in(path, *patterns), *validated.values(), *[place] * bool(roles)]
    return Predictions(predictions, roles, files, about)


def _labels(place: Path, *, held_out: bool) -> dict[str, Any]:
    """Return truth and row numbers (N,), as far as known; those of a hold-out are needed."""
    try:
        index, values = series_of(file_bytes(place), str(place))
    except InputError as error:
        if not held_out:  # --labels has them, in the same order
            return {}
        problem = f"{_UNBAGGED} labels of its hold-out can't be read: {error}"
        hint = "fit it without cache_data=False; or with num_bag_folds=5, and give --labels"
        raise InputError(problem, hint=hint) from None
    roles: dict[str, Any] = {"truth": values}
    if index is not None and index.dtype.kind in "iu" and len(np.unique(index)) == len(values):
        roles["row_id"] = index
    return roles | ({"fold": np.zeros(len(values), np.int64)} if held_out else {})


def _refuse_quantiles(values: FloatArray, roles: Mapping[str, Any]) -> None:
    """Refuse several predictions of a row that are not the probabilities of classes.

    All are 0 where each tree of a forest was trained on the row.
    """
    if values.ndim == 1:
        return
    sums = values[np.isfinite(values).all(axis=1) & values.any(axis=1)].sum(axis=1)
    values_known = roles and roles["truth"].dtype.kind != "u"
    if values_known or not np.allclose(sums, 1, atol=0.01):
        problem = "has several predictions of each row, which are no probabilities: quantiles"
        hint = "bbc has no metric for quantiles: fit with problem_type='regression', or write the "
        hint += "predictions of one quantile to a table"
        raise InputError(problem, hint=hint)


def _models(path: Path) -> list[str]:
    """Return folders that may be of a model, by name; tuned models are one level deeper."""
    outer = folders_in(path / "models")
    inner = [child for folder in outer for child in folders_in(folder) if is_file(child / _OOF)]
    return [folder.relative_to(path / "models").as_posix() for folder in outer + inner]


def _validated(path: Path) -> dict[str, Path]:
    """Return the files of predictions for a hold-out, by model."""
    files = file_parsing.files_in(path / _HELD_OUT, f"*/{_VALIDATION}", f"*/*/{_VALIDATION}")
    return {file.parent.relative_to(path / _HELD_OUT).as_posix(): file for file in files}


def _failed(path: Path) -> list[source.LeftOut]:
    """Return the models whose fit failed, and the class of the error."""
    trainer = path / "models" / "trainer.pkl"
    reasons = entries_by_key(file_bytes(trainer), "exc_type") if is_file(trainer) else {}
    return [source.LeftOut(name, f"its fit failed: {reasons[name]}") for name in sorted(reasons)]


def _arrays(path: Path) -> tuple[FloatArray, NDArray[Any]]:
    """Return the sum of the predictions (N,) or (N, K), and the number of repeats (N,)."""
    arrays = arrays_of(file_bytes(path), str(path))
    if isinstance(arrays, dict) and arrays.keys() == {_SUM, _COUNT}:
        total, count = arrays[_SUM], arrays[_COUNT]
        numbers = total.dtype.kind == "f" and count.dtype.kind in "uif"
        fit = total.ndim in (1, 2) and count.shape == total.shape[:1]
        if numbers and fit and (count >= 0).all():
            return total, count
    raise InputError(_FOREIGN.format("out-of-fold"), path=path, hint=_EXPORT)


def _held_out(path: Path) -> FloatArray:
    """Return the predictions (N,) or (N, K) for the hold-out."""
    values = arrays_of(file_bytes(path), str(path))
    if isinstance(values, dict) or values.dtype.kind != "f" or values.ndim not in (1, 2):
        raise InputError(_FOREIGN.format("validation"), path=path, hint=_EXPORT)
    return values


def _mean(total: FloatArray, count: NDArray[Any]) -> FloatArray:
    """Return the mean (N,) or (N, K) over the repeats; NaN if none predicts the sample."""
    mean = np.full_like(total, np.nan)
    with np.errstate(all="ignore"):  # infinite values are refused later, with their place
        np.divide(total.T, count, out=mean.T, where=count > 0, casting="same_kind")
    return mean


def _flags(folder: Path, name: str, count: NDArray[Any], *, oob: bool = True) -> tuple[str, ...]:
    """Return threats to validity shown by the name and the folder; `oob` is False on a hold-out."""
    level = _LEVEL.search(name)
    marks = {
        "ensemble": name.startswith(_ENSEMBLE),
        "stacked": level is not None and int(level[1]) > 1,
        # forests and neighbours by default, if no bag was kept
        "oob": oob and name.startswith(_OUT_OF_BAG) and _children(folder) <= {_ALONE},
        "averaged_over_repeats": bool((count > 1).any()),
        source.STOPPED_EARLY: name.startswith(_STOPPED_EARLY),
    }
    return tuple(flag for flag, holds in marks.items() if holds)


def _children(folder: Path) -> set[str]:
    """Return the models of a bag, each of a repeat and fold, as far as known."""
    return {child.name for child in folders_in(folder) if _CHILD.fullmatch(child.name)}


def _predicts_its_own_samples(folder: Path, name: str, count: NDArray[Any]) -> bool:
    """True for a bag of one model that predicts all samples, none of them held out."""
    alone = _children(folder) == {_ALONE} and bool((count > 0).all())
    return alone and not name.startswith((_ENSEMBLE, *_OUT_OF_BAG))


def _with_board(place: Path, about: Metadata, predictions: Mapping[str, FloatArray]) -> Metadata:
    """Add the scores of a leaderboard; models that were never validated have none."""
    column, hint = "score_val", "write it again: predictor.leaderboard().to_csv(...)"
    rows = file_parsing.records_with(place, "model", column, "eval_metric", hint=hint)
    scores, order = dict[str, float](), dict[str, int]()
    for number, row in enumerate(rows):
        name, score, fitted = row["model"], row[column] or "nan", row.get("fit_order", "")
        scores[name] = file_parsing.number_in(score, place, number, column, hint=hint)
        order |= {name: int(fitted)} if fitted.isdigit() else {}
    metrics = {row["eval_metric"] for row in rows}
    if len(metrics) != 1 or len(scores) < len(rows):
        problem = "holds several runs" if rows else "names no model"
        raise InputError(problem, path=place, hint=hint)
    called, names, run = metrics.pop(), about.flags, about.run
    assert run is not None
    metric = _METRICS.get(called)
    sign = METRICS[metric].direction.sign if metric else 1
    scores = {name: sign * value for name, value in scores.items() if math.isfinite(value)}
    file_parsing.check_listed(place, scores, names, which="has predictions", hint=hint)
    known = {*names, *(left.name for left in run.left_out)}
    lost = [name for name in scores if name not in known]
    rounded = partial(source.ReportedScore.rounded, _TOLERANCE, metric=metric)
    board = [rounded(id=n, value=value) for n, value in scores.items() if n in names and metric]
    made = metric and ensemble_of(scores, order, predictions, names, metric, place.parent)
    run = replace(
        run,
        leaderboard=tuple(board),
        metric=metric,
        metric_name=None if metric else called,
        left_out=run.left_out + left_out(lost, "on the leaderboard, but deleted"),
        unchecked="" if metric else f"bbc does not have the metric {called}",
        ensemble=made or None,
    )
    total = len(names) + len(lost) if lost else None
    return replace(about, selection=Pooling.POOLED, n_candidates_total=total, run=run)


_PROBE = 10_000
"""Rows from which weights are found, before all of them are compared."""
_MADE = frozenset({"ensemble", "stacked"})
"""Flags of models that are made of others."""
_ROUNDS = 25
_CLIP = 2.0**-52
_KINDS = re.compile(
    "LightGBM(Prep)?|CatBoost|XGBoost|RandomForest|ExtraTrees|KNeighbors|LinearModel|NeuralNetTorch"
    "|NeuralNetFastAI|TabM|RealMLP|RealTabPFN|TabPFN|TabICL|TabDPT|Mitra|FTTransformer|EBM"
)
"""AutoGluon's names of its kinds of models, to which settings are appended."""


def ensemble_of(
    scores: Mapping[str, float],
    order: Mapping[str, int],
    predictions: Mapping[str, FloatArray],
    flags: Mapping[str, Sequence[str]],
    metric: str,
    folder: Path,
) -> source.Ensemble | None:
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
    name = min(top, key=lambda model: ("ensemble" not in flags[model], order.get(model, 0)))
    if "stacked" in flags[name] or re.search(r"_L([3-9]|\d\d)$", name):
        return source.Ensemble(name=name, metric=metric, stacked=True)
    if "ensemble" not in flags[name]:
        return None
    before = order.get(name, np.inf)
    # models on the leaderboard whose predictions are lost took part too
    every = [m for m in scores if not _MADE & {*flags.get(m, ())} and m[:8] != name[:8]]
    candidates = sorted(every, key=lambda model: order.get(model, 0))
    candidates = [model for model in candidates if order.get(model, 0) < before]
    mean = predictions[name]
    weights = _weights(mean, [*map(predictions.get, candidates)])
    # that of `fit_extra` is made of the models that it fitted, after an ensemble of earlier ones
    earlier = [at for model, at in order.items() if model[:8] == name[:8] and at < before]
    n_old = sum(order.get(candidate, 0) < max(earlier, default=0) for candidate in candidates)
    if n_old < len(candidates) and not any(weights[:n_old]):
        candidates, weights = candidates[n_old:], weights[n_old:]
    kinds = (_KINDS.match(candidate) for candidate in candidates)
    of_labels = mean.ndim == 1 and METRICS[metric].wants is PredictionKind.LABEL
    return source.Ensemble(
        name=name,
        metric=metric,
        score=scores[name],
        tolerance=source.tolerance_of(_TOLERANCE, scores[name]),
        candidates=tuple(candidates),
        weights=weights,
        rounds=_ROUNDS,
        clip=_CLIP,
        kinds=tuple(kind[0] if kind else m for kind, m in zip(kinds, candidates, strict=True)),
        rounded=True,
        cuts="grid" if of_labels and len(mean) >= _TUNED_FROM.get(metric, _TUNED) else "",
        cut_for=metric,
        cut=_number_in(folder / "predictor.pkl", "_decision_threshold"),
        temperature=_number_in(folder / "models" / name / "model.pkl", "_temperature_scalar"),
    )


_TUNED, _TUNED_FROM = 50, {"accuracy": 10_000, "precision": np.inf}
"""Numbers of samples from which AutoGluon tunes the cut for a metric of labels by itself."""


def _number_in(place: Path, name: str) -> float | None:
    """Return the number after a name in a pickle, which is not loaded; None without one."""
    constants = constants_in(file_bytes(place)) if is_file(place) else ()
    pairs = pairwise(value for _, value in constants)
    return next((value for key, value in pairs if key == name and isinstance(value, float)), None)


def _weights(mean: FloatArray, given: Sequence[FloatArray | None]) -> tuple[float, ...]:
    """Return the weights by which given columns make up the mean; empty if they don't."""
    from scipy.optimize import nnls

    columns = [values for values in given if values is not None]
    alike = {values.shape for values in columns} == {mean.shape}
    if len(columns) < len(given) or not alike:
        return ()
    n_rows = len(mean)
    some = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _PROBE)).astype(np.int64))
    target, *others = (np.ravel(values[some]).astype(np.float64) for values in (mean, *columns))
    parts = np.stack(others, axis=1)
    valid = np.isfinite(parts).all(axis=1) & np.isfinite(target)
    weights, _ = nnls(parts[valid], target[valid])
    if not weights.sum():
        return ()
    weights = np.where(weights < 1e-4, 0.0, weights)
    weights /= weights.sum()
    made = sum(w * values for w, values in zip(weights, columns, strict=True) if w)
    slack = 1e-5 * max(float(np.nanmax(np.abs(mean))), 1e-30)
    return tuple(weights.tolist()) if np.nanmax(np.abs(made - mean)) <= slack else ()


RUNS = (
    RunReader(
        *("AutoGluon", "`models/*/utils/oof.pkl`", recognises, load),
        labels="in the folder as codes, which `--labels` names",
    ),
)
