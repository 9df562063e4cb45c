"""The results folder of mljar-supervised: a folder per model, the folds in `folds/`.

1. `params.json` names the models that were saved, the task and the metric; `data_info.json` the
   number of rows.
2. Predictions of a model: `target`, and one column, or one for each class. Targets are codes;
   `framework.json` has the classes where they are texts.
3. Folds: the positions of the rows that each fold validates. Of repeats the predictions are means,
   so that a row has no fold; of a split they stand in the order of the sorted positions.
4. Weights are in a column `sample_weight`. A model without it, whose fit had weights of its own,
   is scored without.
5. Of classes with few rows mljar appends copies, which may stand in several folds: dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs.base import FoldScore, RunReader, RunTable
from bbccli.readers.runs.contents import (
    check_name,
    folds_of,
    matching,
    numbers_of,
    read_json,
    read_positions,
    read_table,
)
from bbccli.readers.runs.mljar_targets import (
    BOARD,
    ENSEMBLE,
    RunTarget,
    board_of,
    check_listed,
    fold_scores,
    leaderboard,
    truth_of,
)
from bbccli.types import BoolArray, FloatArray, IntArray

_OF_A_CLASS = 20
"""Classes with fewer rows, or fewer than there are folds, are topped up with copies."""


def placed(
    folder: Path, split: bool, n_folds: int, n_repeats: int, n_rows: int
) -> dict[str, IntArray]:
    """Return which samples the rows are of, and their folds where they have one.

    Parameters
    ----------
    folder
        The run.
    split
        Whether one part of the rows was held out, in place of a cross-validation.
    n_folds, n_repeats
        Of the validation.
    n_rows
        Rows of the predictions.

    Raises
    ------
    InputError
        Files that are missing, damaged, or contradict each other.
    """
    if split:
        place = folder / "split_validation_indices.npy"
        if n_repeats == 1:
            row_id = _as_many(np.sort(read_positions(place)), n_rows, place)
            return {"row_id": row_id, "fold": np.zeros(n_rows, np.int64)}
        return {"row_id": np.arange(n_rows)}
    row_id = np.arange(n_rows)
    if n_repeats > 1:
        return {"row_id": row_id}
    within = folder / "folds"
    parts = []
    for fold in range(n_folds):  # as claimed: the first file that is missing ends it
        parts.append(read_positions(within / f"fold_{fold}_validation_indices.npy"))
    folds = folds_of(parts, n_rows, within)
    for fold in range(n_folds):
        _check_complement(folds != fold, within / f"fold_{fold}_train_indices.npy")
    return {"row_id": row_id, "fold": folds}


def check_copies(
    kept: FloatArray, copies: FloatArray, n_folds: int, classes: bool, folder: Path
) -> None:
    """Refuse targets beyond the rows of the data that are no copies of rows of rare classes.

    Raises
    ------
    InputError
        There are such targets.
    """
    enough = max(_OF_A_CLASS, n_folds)
    if any(not classes or (kept == code).sum() >= enough for code in np.unique(copies)):
        raise InputError(
            f"the predictions have {len(kept) + len(copies)} rows, data_info.json says that there "
            f"are {len(kept)}",
            path=str(folder),
            hint="the folder mixes files of several runs, or is damaged",
        )


def _check_complement(wanted: BoolArray, place: Path) -> None:
    """The rows that a fold trains on are all that it does not validate."""
    if not place.is_file():
        return
    trained = np.unique(read_positions(place))
    if not np.array_equal(trained, np.flatnonzero(wanted)):
        raise InputError(
            "trains on other rows than those that its fold does not validate",
            path=str(place),
            hint="the folder mixes folds of several runs, or is damaged",
        )


def _as_many(positions: IntArray, n_rows: int, place: Path) -> IntArray:
    if len(positions) != n_rows:
        problem = f"has {len(positions)} positions, the predictions have {n_rows} rows"
        raise InputError(problem, path=str(place), hint="copy the run again")
    return positions


_TWO = 2


def classes_of(folder: Path, models: Sequence[str], target: FloatArray, binary: bool) -> list[Any]:
    """Return the classes in the order of their codes: texts, or the codes themselves.

    Parameters
    ----------
    folder, models
        The run, and the names of its models.
    target : (n,)
        Codes.
    binary
        Whether there are two classes.

    Raises
    ------
    InputError
        Targets that are no codes, or names of classes that have other codes.
    """
    broken = np.flatnonzero(target % 1)
    if len(broken):
        raise InputError(
            f"{models[0]} has a target that is no code of a class",
            path=str(folder),
            row=int(broken[0]),
            value=float(target[broken[0]]),
            hint="copy the run again",
            further=len(broken) - 1,
        )
    found = [int(code) for code in np.unique(target)]
    for name in models:
        codes = _codes(folder / name)
        if codes:
            _check(codes, found, binary, folder / name / "framework.json")
            return sorted(codes, key=lambda label: int(codes[label]))
    return found


def named(target: FloatArray, classes: Sequence[Any]) -> Any:
    """Return targets (n,) as values, as whole numbers or by the names of their classes."""
    if not classes:
        return target
    if not isinstance(classes[0], str):
        return target.astype(np.int64)
    return np.array(classes)[target.astype(np.int64)]


def _codes(model: Path) -> dict[str, Any]:
    """Code of each class, where the targets were texts."""
    for file in ("framework.json", "ensemble.json"):
        if (model / file).is_file():
            about = read_json(model / file)
            parts = about.get("preprocessing") if isinstance(about, dict) else None
            first = parts[0] if isinstance(parts, list) and parts else None
            codes = first.get("categorical_y") if isinstance(first, dict) else None
            return codes if isinstance(codes, dict) else {}
    return {}


def _check(codes: dict[str, Any], found: Sequence[int], binary: bool, place: Path) -> None:
    values = list(codes.values())
    fits = all(type(value) is int for value in values) and sorted(values) == [*range(len(values))]
    if not fits or not set(found) <= set(values) or (binary and len(values) != _TWO):
        raise InputError(
            f"codes the classes as {', '.join(map(str, values))}; the targets are "
            f"{', '.join(map(str, found))}",
            path=str(place),
            hint="the folder mixes models of several runs, or is damaged",
        )


_TASKS = {
    "binary_classification": "binary",
    "multiclass_classification": "multiclass",
    "regression": "regression",
}
_METRICS = {
    "logloss": "log-loss",
    "average_precision": "average-precision",
    **{name: name for name in ("auc", "f1", "accuracy", "rmse", "mse", "mae", "r2", "mape")},
    **{name: name for name in ("spearman", "pearson")},
}
_READ = (
    *("params.json", "data_info.json", BOARD, "split_validation_indices.npy"),
    *("folds/*_validation_indices.npy", "folds/*_train_indices.npy"),
    *("*/framework.json", "*/ensemble.json", "*/learner_fold_*_training.log"),
)
_WEIGHT = "sample_weight"
_WITHOUT_WEIGHTS = ("spearman", "pearson")
_PROBE = "_RandomFeature"
_SUFFIXES = {
    "_GoldenFeatures": "shared_preprocessing",
    "_KMeansFeatures": "shared_preprocessing",
    "_SelectedFeatures": "shared_preprocessing",
    "_Stacked": "stacked",
}
_STOPPED_EARLY = ("LightGBM", "Xgboost", "CatBoost", "NeuralNetwork")


@dataclass(frozen=True, slots=True)
class _Run:
    """What the descriptions of a run say."""

    folder: Path
    task: str
    metric: str | None
    metric_name: str | None
    models: tuple[str, ...]
    probes: tuple[str, ...]
    kind: str
    n_folds: int
    n_repeats: int
    n_rows: int

    @property
    def split(self) -> bool:
        """Whether one part of the rows was held out."""
        return self.kind == "split"


def recognises(folder: Path) -> bool:
    """Whether a folder has the two descriptions that mljar writes."""
    return (folder / "params.json").is_file() and (folder / "data_info.json").is_file()


def load(folder: Path) -> RunTable:
    """Read the models of a run.

    Raises
    ------
    InputError
        A file that is missing or damaged, or models that are not of the same rows.
    """
    run, board = _described(folder), board_of(folder)
    check_listed(folder, board, run.models)
    lost = [name for name in board or () if name not in (*run.models, *run.probes)]
    tables = {name: _numbers(run, name) for name in run.models}
    n_rows = _rows_of(run, tables)
    places = placed(run.folder, run.split, run.n_folds, run.n_repeats, n_rows)
    truth = _target(run, tables, places.get("fold"))
    target, classes = truth.values, []
    if run.task != "regression":
        classes = classes_of(folder, run.models, target, run.task == "binary")
    keep = places["row_id"] < run.n_rows
    check_copies(target[keep], target[~keep], run.n_folds, bool(classes), folder)
    columns: dict[str, Any] = {name: values[keep] for name, values in places.items()}
    columns["truth"] = named(target, classes)[keep]
    weights = _weights(run, tables)
    if weights is not None:
        columns["weight"] = weights[keep]
    for name, table in tables.items():
        columns |= {
            key: values[keep] for key, values in _predictions(run, name, table, classes).items()
        }
    n_copies = len(target) - len(columns["truth"])
    alike = () if weights is None else [name for name in run.models if _WEIGHT not in tables[name]]
    return RunTable(
        tool="mljar",
        columns=columns,
        files=matching(folder, *_READ, *(f"*/{_place(run, name).name}" for name in run.models)),
        task=run.task,
        classes=tuple(map(str, classes)),
        flags={name: _flags(run, name) for name in run.models},
        leaderboard=() if n_copies else leaderboard(folder, board, run.models, run.metric),
        fold_scores=() if n_copies else _fold_scores(run),
        metric=run.metric,
        metric_name=run.metric_name,
        selection="pooled",
        left_out=(
            *((name, "a probe with a random feature") for name in run.probes),
            *((name, "on the leaderboard, and not saved") for name in lost),
        ),
        n_candidates_total=len(run.models) + len(lost) if lost else None,
        unchecked=_unchecked(run, n_copies, board, weights is not None),
        weighted=weights is not None,
        named={"scored_alike": tuple(alike)},
        targets=truth.about(places["row_id"]),
    )


def _described(folder: Path) -> _Run:
    params, n_rows = read_json(folder / "params.json"), _n_rows(folder / "data_info.json")
    try:
        if not isinstance(params["saved"], list):
            raise TypeError
        task = _TASKS[params["ml_task"]]
        validation = params["validation_strategy"]
        saved = list(dict.fromkeys(map(str, params["saved"])))
        metric = _METRICS.get(str(params["eval_metric"]))
        run = _Run(
            folder=folder,
            task=task,
            metric="f1-micro" if (task, metric) == ("multiclass", "f1") else metric,
            metric_name=None if metric else str(params["eval_metric"]),
            models=tuple(name for name in saved if not name.endswith(_PROBE)),
            probes=tuple(name for name in saved if name.endswith(_PROBE)),
            kind=str(validation["validation_type"]),
            n_folds=int(validation.get("k_folds") or 1),
            n_repeats=int(validation.get("repeats") or 1),
            n_rows=n_rows,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError(
            "is not the description of a finished mljar run",
            path=str(folder / "params.json"),
            hint="let the run finish, or copy its whole folder",
        ) from None
    for name in (*run.models, *run.probes):
        check_name(name, folder / "params.json")
    if not run.models:
        raise InputError("the run has saved no model", path=str(folder), hint="let it finish")
    return run


def _n_rows(place: Path) -> int:
    about = read_json(place)
    rows = about.get("rows") if isinstance(about, dict) else None
    if type(rows) is not int or rows < 1:
        raise InputError(
            "does not say how many rows there are", path=str(place), hint="copy the run again"
        )
    return rows


def _place(run: _Run, name: str) -> Path:
    """Predictions of a model."""
    stem = "ensemble" if name.startswith(ENSEMBLE) else "out_of_folds"
    if run.split and stem != "ensemble":
        stem = "validation"
    return run.folder / name / f"predictions_{stem}.csv"


def _numbers(run: _Run, name: str) -> dict[str, FloatArray]:
    place = _place(run, name)
    found = {key: numbers_of(column, place, key) for key, column in read_table(place).items()}
    if "target" not in found or len(found) < 2:
        raise InputError(
            "has no column target beside predictions", path=str(place), hint="copy the run again"
        )
    return found


def _rows_of(run: _Run, tables: dict[str, dict[str, FloatArray]]) -> int:
    """Rows of the predictions, of which all models have as many."""
    first = next(iter(tables))
    n_rows = len(tables[first]["target"])
    for name, table in tables.items():
        if len(table["target"]) != n_rows:
            raise InputError(
                f"has {len(table['target'])} rows, {first} has {n_rows}",
                path=str(_place(run, name)),
                hint="the folder mixes models of several runs",
            )
    return n_rows


def _target(
    run: _Run, tables: dict[str, dict[str, FloatArray]], fold: IntArray | None
) -> RunTarget:
    """The target, which all models have in the same rows."""
    targets = {name: (_place(run, name), table["target"]) for name, table in tables.items()}
    return truth_of(run.folder, targets, fold)


def _weights(run: _Run, tables: dict[str, dict[str, FloatArray]]) -> FloatArray | None:
    """The weights of the samples, which all models have that were scored with them."""
    given = {name: table[_WEIGHT] for name, table in tables.items() if _WEIGHT in table}
    for name, values in given.items():
        first, reference = next(iter(given.items()))
        differ = np.flatnonzero(values != reference)
        if len(differ):
            raise InputError(
                f"the weight differs from that of {first}, {reference[differ[0]].item()!r}",
                path=str(_place(run, name)),
                column=_WEIGHT,
                row=int(differ[0]),
                value=values[differ[0]].item(),
                hint="the folder mixes models of several runs",
                further=len(differ) - 1,
            )
    return next(iter(given.values()), None)


def _predictions(
    run: _Run, name: str, table: dict[str, FloatArray], classes: list[Any]
) -> dict[str, FloatArray]:
    """Columns of a model in the wide layout."""
    found = {key: values for key, values in table.items() if key.startswith("prediction")}
    if run.task != "multiclass":
        if len(found) != 1:
            raise _strange(run, name, found)
        return {name: next(iter(found.values()))}
    if set(found) != {f"prediction_{one}" for one in classes}:
        raise _strange(run, name, found)
    return {f"{name}::{one}": found[f"prediction_{one}"] for one in classes}


def _strange(run: _Run, name: str, found: dict[str, FloatArray]) -> InputError:
    return InputError(
        f"has the prediction columns {', '.join(found) or 'none'}, which do not fit the classes",
        path=str(_place(run, name)),
        hint="copy the run again",
    )


def _flags(run: _Run, name: str) -> tuple[str, ...]:
    found = {"ensemble": name.startswith(ENSEMBLE)}
    found |= {flag: True for suffix, flag in _SUFFIXES.items() if suffix in name}
    found["averaged_over_repeats"] = run.n_repeats > 1
    found["early_stopping_on_fold"] = any(kind in name for kind in _STOPPED_EARLY)
    return tuple(flag for flag, holds in found.items() if holds)


def _fold_scores(run: _Run) -> tuple[FoldScore, ...]:
    """What is logged of the folds; nothing where repeats or a split leave a row no fold."""
    if run.split or run.n_repeats > 1:
        return ()
    return fold_scores(run.folder, run.models, run.metric, run.n_folds)


def _unchecked(run: _Run, n_copies: int, board: dict[str, str] | None, weighted: bool) -> str:
    if n_copies:
        return f"mljar scored {n_copies} copies of rows of rare classes, which are dropped"
    if run.metric is None:
        return "bbc does not have the metric of the run"
    if weighted and run.metric in _WITHOUT_WEIGHTS:
        return f"mljar scores {run.metric} without the weights"
    return "" if board is not None else f"there is no {BOARD}"


RUNS = (RunReader("mljar", "`params.json` and `data_info.json`", recognises, load),)
