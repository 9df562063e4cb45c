"""Predictions and folds exported from H2O, a pair of files per model.

1. `<model>.cv_holdout_predictions.csv`: `predict`, and one column per class, rows in the order of
   the training frame. `predict` is cut at a different threshold in each fold: used only for
   numbers.
2. `<model>.cv_fold_assignment.csv`: the fold of each row.
3. `leaderboard.csv` names the models of the run; files of others are left out. Without it all pairs
   are models of the run.
4. Class names that are numbers have a "p" in front, which is removed.

No file has labels: use `--labels` with the training frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.source import STOPPED_EARLY, Ensemble, ReportedScore, ToolRun
from bbccli.errors import InputError
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs import file_parsing
from bbccli.reading.runs.file_parsing import left_out, table_numbers
from bbccli.reading.table import check_column_names
from bbccli.types import FloatArray, IntArray, Pooling, Task

_Names = dict[str, str]
_Board = dict[str, dict[str, str]]
"""Rows of the leaderboard by model, best first; empty without one."""

_PREDICT = "predict"
_PREDICTIONS = ".cv_holdout_predictions.csv"
_FOLDS = ".cv_fold_assignment.csv"
_BOARD = "leaderboard.csv"
_ASSIGNMENT = "fold_assignment"
_MOST_FOLDS = 2**53
_NUMBERED = re.compile(r"p[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_AGAIN, _FOLDS_AGAIN = "export it from H2O again", "export the folds again"
_STACKED = "StackedEnsemble"

_CLASS_ERROR = "mean_per_class_error"
"""1 - the balanced accuracy of the most likely class."""
_DEVIANCE = "mean_residual_deviance"
"""The mean squared error, for a normal response."""
_TOLERANCE = 1e-4
"""H2O rounds predictions to 8 decimals and computes the AUC from 400 thresholds."""


def recognises(folder: Path) -> bool:
    """True for a folder with predictions exported from H2O."""
    return any(folder.glob(f"[!.]*{_PREDICTIONS}"))


def load(folder: Path) -> Predictions:
    """Read the models of a run."""
    files = sorted(folder.glob(f"[!.]*{_PREDICTIONS}"))
    names = [path.name.removesuffix(_PREDICTIONS) for path in files]
    board = _board(folder / _BOARD)
    unlisted = [name for name in names if board and name not in board]
    models = [name for name in names if name not in unlisted]
    if not models:
        raise InputError(f"no model of {_BOARD} has predictions", hint="export the predictions")
    predictions = {name: _predictions(folder / f"{name}{_PREDICTIONS}") for name in models}
    columns = [*predictions[models[0]]]
    for name, others in predictions.items():
        if [*others] != columns:
            theirs, ours = ", ".join(others), ", ".join(columns)
            problem = f"has the columns {theirs}, but {models[0]} has {ours}"
            hint = "keep the models of one run in one folder, with leaderboard.csv"
            raise InputError(problem, path=folder / f"{name}{_PREDICTIONS}", hint=hint)
    classes = () if columns == [_PREDICT] else tuple(columns)
    short = _short(models)
    stacked = [name for name in board if name not in names and name.startswith(_STACKED)]
    lost = [name for name in board if name not in (*names, *stacked)]
    metric, metric_name = _metric(board, classes)
    left = left_out(unlisted, "not on the leaderboard") + left_out(stacked, "stacked; not exported")
    run = ToolRun(
        tool="H2O",
        left_out=left + left_out(lost, "not exported"),
        leaderboard=tuple(_scores(folder / _BOARD, board, short, _known(classes))),
        metric=metric,
        metric_name=metric_name,
        unchecked="" if board else f"there is no {_BOARD}",
        ensemble=Ensemble(name=leader, metric=metric or "", stacked=True)
        if (leader := next(iter(board), "")) in stacked
        else None,
    )
    return Predictions(
        {
            short[name]: np.column_stack([*parts.values()]) if classes else parts[_PREDICT]
            for name, parts in predictions.items()
        },
        _folds(folder, models, len(predictions[models[0]][columns[0]])),
        file_parsing.files_in(folder, f"[!.]*{_PREDICTIONS}", f"[!.]*{_FOLDS}", _BOARD),
        Metadata(
            task=None if len(classes) < 3 else Task.MULTICLASS,
            classes=classes,
            flags={short[name]: _flags(name) for name in models},
            selection=Pooling.POOLED,
            n_candidates_total=len(models) + len(lost) if lost else None,
            run=run,
        ),
    )


def _board(place: Path) -> _Board:
    """Return the rows of a leaderboard; an InputError if it lists no models, or one twice."""
    if not place.is_file():
        return {}
    rows = file_parsing.records_with(place, "model_id", hint=_AGAIN)
    board = {row.pop("model_id"): row for row in rows}
    if len(board) < max(len(rows), 1):
        problem = "lists a model twice" if board else "lists no models"
        raise InputError(problem, path=place, hint=_AGAIN)
    return board


def _predictions(place: Path) -> dict[str, FloatArray]:
    """Return columns of a model: by class, or the values under the name `predict`."""
    frame = file_parsing.parsed(place)
    if not all(name.strip() for name in frame.names):
        problem = "has a class without a name, for which H2O took missing targets"
        hint = "make them NA, or remove the rows without a target, and run it again"
        raise InputError(problem, path=place, hint=hint)
    if _PREDICT not in frame.names:
        raise InputError("has no column predict", path=place, hint=_AGAIN)
    first = frame.data.column_names.index(_PREDICT)
    of_class = frame.data.column_names.count(_PREDICT) == 2  # the second one
    if of_class:
        others = [i for i in range(len(frame.data.column_names)) if i != first]
        frame = replace(frame, data=frame.data.select(others))
    names = [name for name in frame.names if name != _PREDICT or of_class] or [_PREDICT]
    check_column_names(frame)
    prefixed = all(map(_NUMBERED.fullmatch, names))
    columns = table_numbers(frame, names)
    return {name[1:]: values for name, values in columns.items()} if prefixed else columns


def _folds(folder: Path, models: list[str], n_rows: int) -> dict[str, Any]:
    """Return the folds if all models have the same."""
    places = [folder / f"{name}{_FOLDS}" for name in models]
    folds: list[IntArray] = []
    for place in places if all(place.is_file() for place in places) else ():
        fault = partial(InputError, path=place, hint=_FOLDS_AGAIN)
        frame = file_parsing.parse_table(place)
        names = frame.data.column_names
        name = _ASSIGNMENT if _ASSIGNMENT in names else names[0]
        if name != _ASSIGNMENT and len(names) > 1:
            raise fault(f"has no column {_ASSIGNMENT}")
        values = table_numbers(frame, [name])[name]
        broken = np.flatnonzero((values % 1 != 0) | (np.abs(values) > _MOST_FOLDS))
        if len(broken):
            raise frame.column(name).fault("fold is not an integer", broken, hint=_FOLDS_AGAIN)
        if len(values) != n_rows:
            raise fault(f"has {len(values)} rows, but the predictions have {n_rows}")
        folds.append(values.astype(np.int64))
    return {"fold": folds[0]} if folds and all((fold == folds[0]).all() for fold in folds) else {}


def _short(models: list[str]) -> _Names:
    """Strip the common end of all names: `GBM_2_AutoML_1_20261120_165007` is `GBM_2`."""
    parts = {name: name.partition("_AutoML_") for name in models}
    starts, ends = {part[0] for part in parts.values()}, {part[1:] for part in parts.values()}
    alike = len(ends) == 1 and len(starts) == len(models)
    return {name: start if alike else name for name, (start, *_) in parts.items()}


def _flags(name: str) -> tuple[str, ...]:
    flags: tuple[str, ...] = ("stacked",) if name.startswith(_STACKED) else ()
    if "AutoML" in name and not name.startswith(("GLM", "DRF", "XRT")):
        flags += (STOPPED_EARLY,)
    return (*flags, "rounded") if "AutoML" in name else flags


def _known(classes: tuple[str, ...]) -> _Names:
    """Return scores of the leaderboard that `bbc` has: an RMSE of probabilities is not one."""
    if not classes:
        return {name: name for name in ("rmse", "mse", "mae")}
    return {"logloss": "log-loss"} | ({"auc": "auc"} if len(classes) == 2 else {})


def _metric(board: _Board, classes: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the metric that the leaderboard is sorted by, its first score.

    It is named as in `bbc`, possibly after a metric with the same order; and as in H2O if that
    differs.
    """
    first = next(iter(next(iter(board.values()), {})), None)
    if first in _known(classes):
        return _known(classes)[first], None
    if first == _CLASS_ERROR and len(classes) > 2:  # with two classes H2O cuts at the largest F1
        return "balanced-accuracy", first
    same = first == _DEVIANCE and all(row[_DEVIANCE] == row.get("mse") for row in board.values())
    return "mse" if same and not classes else None, first


def _scores(place: Path, board: _Board, short: _Names, known: _Names) -> Iterator[ReportedScore]:
    """Yield the first score of each model that `bbc` can compute."""
    for number, (name, row) in enumerate(board.items()):
        key = next((name for name in row if name in known), None)
        if name in short and key:
            value = file_parsing.number_in(row[key], place, number, key, hint=_AGAIN)
            yield ReportedScore.rounded(_TOLERANCE, id=short[name], metric=known[key], value=value)


RUNS = (RunReader("H2O", "`*.cv_holdout_predictions.csv`", recognises, load, labels="`--labels`"),)
