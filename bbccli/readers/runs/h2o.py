"""Predictions and folds that were exported from H2O, a pair of files per model.

1. `<model>.cv_holdout_predictions.csv`: `predict`, and one column per class, rows in the order of
   the training frame. `predict` is cut at a threshold of each fold's own: used for numbers only.
2. `<model>.cv_fold_assignment.csv`: the fold of each row.
3. `leaderboard.csv` names the models of the run; files of others are left out. Where it is missing
   all pairs are models of the run.
4. Class names that are numbers have a "p" in front, which is taken off.
Labels are in none of the files: `--labels` with the training frame.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.source import ReportedScore, ToolRun
from bbccli.errors import InputError
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs.base import APART, RunReader, left_out, table_of
from bbccli.readers.runs.contents import matching, number_in, numbers_of, read_table, records_with
from bbccli.readers.table import Table
from bbccli.types import FloatArray, Pooling, Task

_PREDICTIONS = ".cv_holdout_predictions.csv"
_FOLDS = ".cv_fold_assignment.csv"
_BOARD = "leaderboard.csv"
_ASSIGNMENT = "fold_assignment"
_MOST_FOLDS = 2**53
_AGAIN = "export it from H2O again"
_STACKED = "StackedEnsemble"

_SCORES = {"auc": "auc", "logloss": "log-loss", "rmse": "rmse", "mse": "mse", "mae": "mae"}
_OF_NUMBERS = ("rmse", "mse", "mae")
_CLASS_ERROR = "mean_per_class_error"
"""1 - the balanced accuracy, where the likeliest class is predicted."""
_DEVIANCE = "mean_residual_deviance"
"""The mean squared error, where the response is normal."""
_TOLERANCE = 1e-4
"""H2O rounds predictions to 8 decimals and takes the AUC from 400 thresholds."""


def recognises(folder: Path) -> bool:
    """Return True for a folder with predictions that H2O exported."""
    return any(folder.glob(f"*{_PREDICTIONS}"))


def load(folder: Path) -> Table:
    """Read the models of a run.

    Raises
    ------
    InputError
        A file that is damaged, or models of different rows or classes.
    """
    found = [
        path.name.removesuffix(_PREDICTIONS) for path in sorted(folder.glob(f"*{_PREDICTIONS}"))
    ]
    board = _board(folder / _BOARD)
    models = [name for name in found if not board or name in board]
    if not models:
        raise InputError(
            f"no model of {_BOARD} has predictions", path=str(folder), hint="export them"
        )
    predictions = {name: _predictions(folder / f"{name}{_PREDICTIONS}") for name in models}
    _check_same_shape(predictions, folder)
    first = predictions[models[0]]
    classes = () if list(first) == ["predict"] else tuple(first)
    short = _short(models)
    columns = _folds(folder, models, len(next(iter(first.values()))))
    for name, parts in predictions.items():
        columns |= {
            f"{short[name]}::{one}" if classes else short[name]: parts[one] for one in parts
        }
    gone = [name for name in board if name not in found]
    stacked = [name for name in gone if name.startswith(_STACKED)]
    lost = [name for name in gone if name not in stacked]
    metric, metric_name = _metric(board, classes)
    return table_of(
        folder,
        matching(folder, f"*{_PREDICTIONS}", f"*{_FOLDS}", _BOARD),
        columns,
        ToolRun(
            tool="H2O",
            left_out=(
                *left_out((name for name in found if name not in models), "not on the leaderboard"),
                *left_out(stacked, "stacked, and not exported"),
                *left_out(lost, "not exported"),
            ),
            leaderboard=_scores(folder / _BOARD, board, short, classes),
            metric=metric,
            metric_name=metric_name,
            unchecked="" if board else f"there is no {_BOARD}",
        ),
        Metadata(
            task=None if len(classes) < 3 else Task.MULTICLASS,
            classes=classes,
            flags={short[name]: _flags(name) for name in models},
            selection=Pooling.POOLED,
            n_candidates_total=len(models) + len(lost) if lost else None,
        ),
    )


def _board(place: Path) -> dict[str, dict[str, str]]:
    """Rows of the leaderboard by model, best first; empty where there is no such file."""
    if not place.is_file():
        return {}
    rows = records_with(place, "model_id", hint=_AGAIN)
    board = {row.pop("model_id"): row for row in rows}
    if len(board) < max(len(rows), 1):
        problem = "names a model twice" if board else "names no model"
        raise InputError(problem, path=str(place), hint=_AGAIN)
    return board


def _predictions(place: Path) -> dict[str, FloatArray]:
    """Columns of a model: by class, or the values under the name `predict`."""
    table = read_table(place)
    if "predict" not in table:
        raise InputError("has no column predict", path=str(place), hint=_AGAIN)
    names = [name for name in table if name != "predict"] or ["predict"]
    prefixed = all(name[:1] == "p" and _is_number(name[1:]) for name in names)
    return {name[1:] if prefixed else name: numbers_of(table[name], place, name) for name in names}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_same_shape(predictions: dict[str, dict[str, FloatArray]], folder: Path) -> None:
    first = next(iter(predictions))
    shapes = {name: (list(p), len(next(iter(p.values())))) for name, p in predictions.items()}
    for name, (columns, n_rows) in shapes.items():
        if (columns, n_rows) != shapes[first]:
            raise InputError(
                f"has {n_rows} rows and the columns {', '.join(columns)}; "
                f"{first} has {shapes[first][1]} and {', '.join(shapes[first][0])}",
                path=str(folder / f"{name}{_PREDICTIONS}"),
                hint="keep the models of one run in one folder, with leaderboard.csv",
            )


def _folds(folder: Path, models: list[str], n_rows: int) -> dict[str, Any]:
    """The folds, where all models have the same; else none."""
    places = [folder / f"{name}{_FOLDS}" for name in models]
    if not all(place.is_file() for place in places):
        return {}
    found = []
    for place in places:
        table = read_table(place)
        name = _ASSIGNMENT if _ASSIGNMENT in table else next(iter(table))
        if name != _ASSIGNMENT and len(table) > 1:
            problem = f"has no column {_ASSIGNMENT}"
            raise InputError(problem, path=str(place), hint="export the folds again")
        values = numbers_of(table[name], place, name)
        broken = np.flatnonzero((values % 1 != 0) | (np.abs(values) > _MOST_FOLDS))
        if len(broken):
            row, value = int(broken[0]), float(values[broken[0]])
            raise InputError(
                "fold is no whole number",
                path=str(place),
                row=row,
                column=name,
                value=value,
                hint="export the folds again",
            )
        if len(values) != n_rows:
            problem = f"has {len(values)} rows, the predictions have {n_rows}"
            raise InputError(problem, path=str(place), hint="export the folds again")
        found.append(values.astype(np.int64))
    return {"fold": found[0]} if all((one == found[0]).all() for one in found) else {}


def _short(models: list[str]) -> dict[str, str]:
    """Names without the end that all have: `GBM_2_AutoML_1_20261120_165007` is `GBM_2`."""
    parts = [name.split("_AutoML_", 1) for name in models]
    if len({tuple(part[1:]) for part in parts}) == 1 and len({part[0] for part in parts}) == len(
        models
    ):
        return {name: part[0] for name, part in zip(models, parts, strict=True)}
    return {name: name for name in models}


def _flags(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ("stacked",) if name.startswith(_STACKED) else ()
    if "AutoML" in name and not name.startswith(("GLM", "DRF", "XRT")):
        found += ("early_stopping_on_fold",)
    return (*found, "rounded") if "AutoML" in name else found


def _known(classes: tuple[str, ...]) -> list[str]:
    """Scores of the leaderboard that are those of `bbc`: an RMSE of probabilities is not."""
    if not classes:
        return list(_OF_NUMBERS)
    return ["auc", "logloss"] if len(classes) == 2 else ["logloss"]


def _metric(
    board: dict[str, dict[str, str]], classes: tuple[str, ...]
) -> tuple[str | None, str | None]:
    """What the leaderboard is sorted by, its first score.

    By the name that `bbc` has for it, or for what sorts the models in the same order; and the name
    of H2O where that is another metric.
    """
    first = next(iter(next(iter(board.values()), {})), None)
    if first in _known(classes):
        return _SCORES[first], None
    if first == _CLASS_ERROR and len(classes) > 2:  # of two classes H2O cuts where F1 is largest
        return "balanced-accuracy", first
    same = first == _DEVIANCE and all(row[_DEVIANCE] == row.get("mse") for row in board.values())
    return "mse" if same and not classes else None, first


def _scores(
    place: Path, board: dict[str, dict[str, str]], short: dict[str, str], classes: tuple[str, ...]
) -> tuple[ReportedScore, ...]:
    """The first score of each model that `bbc` can compute."""
    scores = []
    for number, (name, row) in enumerate(board.items()):
        key = next((one for one in row if one in _known(classes)), None)
        if name in short and key:
            scores.append(
                ReportedScore(
                    id=short[name],
                    metric=_SCORES[key],
                    value=number_in(row[key], place, number, key, hint=_AGAIN),
                    tolerance=_TOLERANCE,
                )
            )
    return tuple(scores)


RUNS = (RunReader("H2O", "`*.cv_holdout_predictions.csv`", recognises, load, labels=APART),)
