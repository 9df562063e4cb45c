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
6. A model that learns in one go writes a log of one line for each fold: iteration, score on the
   training rows, score on the rows that the fold validates. These scores tell whether the folds in
   `folds/` are the ones that were used.
7. Of a regression many learners scale the target, and back: little is lost but the last digit,
   64.99999999999999 for 65. Of a skewed one the logarithm of its distance from the smallest target
   of the training rows is scaled (`X_min_values`), and smaller ones are clipped at it. So the truth
   is the target of a model without scaling, such as the baseline; the others are scored by mljar on
   targets of their own.

The last is not the rule of `sample_columns.differing`: models without scaling write the same
digits, so that not even rounding tells them apart, and the noise of the others grows with what was
added to a target on the way and not with the target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.source import OtherTarget, ReportedScore, Targets, ToolRun
from bbccli.errors import InputError
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs.base import RunReader, left_out, table_of
from bbccli.readers.runs.contents import (
    MIXED,
    check_listed,
    check_name,
    fault_in,
    folds_of,
    matching,
    number_in,
    numbers_of,
    read_json,
    read_positions,
    read_rows,
    read_table,
    records_with,
)
from bbccli.readers.sample_columns import odd_one
from bbccli.readers.table import Table
from bbccli.types import FloatArray, IntArray, Pooling, Task

_TASKS = {
    "binary_classification": Task.BINARY,
    "multiclass_classification": Task.MULTICLASS,
    "regression": Task.REGRESSION,
}
_METRICS = {
    "logloss": "log-loss",
    "average_precision": "average-precision",
    **{name: name for name in ("auc", "f1", "accuracy", "rmse", "mse", "mae", "r2", "mape")},
    **{name: name for name in ("spearman", "pearson")},
}
_BOARD = "leaderboard.csv"
_READ = (
    *("params.json", "data_info.json", _BOARD, "split_validation_indices.npy"),
    *("folds/*_validation_indices.npy", "folds/*_train_indices.npy"),
    *("*/framework.json", "*/ensemble.json", "*/learner_fold_*_training.log"),
)
_WEIGHT = "sample_weight"
_WITHOUT_WEIGHTS = ("spearman", "pearson")
_ENSEMBLE = "Ensemble"
_PROBE = "_RandomFeature"
_SUFFIXES = {
    "_GoldenFeatures": "shared_preprocessing",
    "_KMeansFeatures": "shared_preprocessing",
    "_SelectedFeatures": "shared_preprocessing",
    "_Stacked": "stacked",
}
_STOPPED_EARLY = ("LightGBM", "Xgboost", "CatBoost", "NeuralNetwork")
_OF_A_CLASS = 20
"""Classes with fewer rows, or fewer than there are folds, are topped up with copies."""
_TOLERANCE = 1e-6
"""mljar clips probabilities in 32 bits; everything else agrees to rounding."""
_NOISE = 1e-12
"""What scaling there and back may change, as a share of the largest number on the way."""
_AGAIN = "copy the run again"
_OF_SEVERAL = "the folder mixes models of several runs"


@dataclass(frozen=True, slots=True)
class _Run:
    """What the descriptions of a run say."""

    folder: Path
    task: Task
    metric: str | None
    metric_name: str | None
    models: tuple[str, ...]
    probes: tuple[str, ...]
    split: bool
    n_folds: int
    n_repeats: int
    n_rows: int

    def place(self, name: str) -> Path:
        """File of the predictions of a model."""
        stem = "validation" if self.split else "out_of_folds"
        stem = "ensemble" if name.startswith(_ENSEMBLE) else stem
        return self.folder / name / f"predictions_{stem}.csv"


Columns = dict[str, FloatArray]


def recognises(folder: Path) -> bool:
    """Return True for a folder with the two descriptions that mljar writes."""
    return (folder / "params.json").is_file() and (folder / "data_info.json").is_file()


def load(folder: Path) -> Table:
    """Read the models of a run.

    Raises
    ------
    InputError
        A file that is missing or damaged, or models that are not of the same rows.
    """
    run = _described(folder)
    board = _board(run)
    lost = [name for name in board or () if name not in (*run.models, *run.probes)]
    tables = _tables(run)
    places = _places(run, len(tables[run.models[0]]["target"]))
    keep = places["row_id"] < run.n_rows
    truth, targets = _truth(run, tables, places)
    classes = [] if run.task is Task.REGRESSION else _classes(run, truth)
    n_copies = int((~keep).sum())
    _check_copies(run, truth[keep], truth[~keep], bool(classes))
    weights = _weights(run, tables)
    columns: dict[str, Any] = {**places, "truth": _named(truth, classes)}
    columns |= {} if weights is None else {"weight": weights}
    for name, table in tables.items():
        columns |= _predictions(run, name, table, classes)
    unchecked = "" if board is not None else f"there is no {_BOARD}"
    if n_copies:
        unchecked = f"mljar scored {n_copies} copies of rows of rare classes, which are dropped"
    elif run.metric is None:
        unchecked = "bbc does not have the metric of the run"
    elif weights is not None and run.metric in _WITHOUT_WEIGHTS:
        unchecked = f"mljar scores {run.metric} without the weights"
    return table_of(
        folder,
        matching(folder, *_READ, *(f"*/{run.place(name).name}" for name in run.models)),
        {name: values[keep] for name, values in columns.items()},
        ToolRun(
            tool="mljar",
            left_out=(
                *left_out(run.probes, "a probe with a random feature"),
                *left_out(lost, "on the leaderboard, and not saved"),
            ),
            metric=run.metric,
            metric_name=run.metric_name,
            unchecked=unchecked,
            leaderboard=() if n_copies or board is None else tuple(_scores(run, board)),
            fold_scores=() if n_copies else tuple(_fold_scores(run)),
            scored_alike=tuple(
                name for name in run.models if weights is not None and _WEIGHT not in tables[name]
            ),
            weighted=weights is not None,
            targets=targets,
        ),
        Metadata(
            task=run.task,
            classes=tuple(map(str, classes)),
            flags={name: _flags(run, name) for name in run.models},
            selection=Pooling.POOLED,
            n_candidates_total=len(run.models) + len(lost) if lost else None,
        ),
    )


def _described(folder: Path) -> _Run:
    place, other = folder / "params.json", folder / "data_info.json"
    params, info = read_json(place), read_json(other)
    n_rows = info.get("rows") if isinstance(info, dict) else None
    if type(n_rows) is not int or n_rows < 1:
        raise InputError("does not say how many rows there are", path=other, hint=_AGAIN)
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
            metric="f1-micro" if (task, metric) == (Task.MULTICLASS, "f1") else metric,
            metric_name=None if metric else str(params["eval_metric"]),
            models=tuple(name for name in saved if not name.endswith(_PROBE)),
            probes=tuple(name for name in saved if name.endswith(_PROBE)),
            split=str(validation["validation_type"]) == "split",
            n_folds=int(validation.get("k_folds") or 1),
            n_repeats=int(validation.get("repeats") or 1),
            n_rows=n_rows,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError(
            "is not the description of a finished mljar run",
            path=place,
            hint="let the run finish, or copy its whole folder",
        ) from None
    for name in saved:
        check_name(name, place)
    if not run.models:
        raise InputError("the run has saved no model", path=folder, hint="let it finish")
    return run


def _tables(run: _Run) -> dict[str, Columns]:
    """Columns of each model, all of which have as many rows."""
    tables = {name: numbers_of(read_table(run.place(name))) for name in run.models}
    first = run.models[0]
    for name, table in tables.items():
        if "target" not in table or len(table) < 2:
            problem = "has no column target beside predictions"
            raise InputError(problem, path=run.place(name), hint=_AGAIN)
        size, expected = len(table["target"]), len(tables[first]["target"])
        if size != expected:
            problem = f"has {size} rows, {first} has {expected}"
            raise InputError(problem, path=run.place(name), hint=_OF_SEVERAL)
    return tables


def _places(run: _Run, n_rows: int) -> dict[str, IntArray]:
    """Return which samples the rows are of, and their folds where they have one."""
    if run.split and run.n_repeats == 1:
        place = run.folder / "split_validation_indices.npy"
        positions = np.sort(read_positions(place))
        if len(positions) != n_rows:
            problem = f"has {len(positions)} positions, the predictions have {n_rows} rows"
            raise InputError(problem, path=place, hint=_AGAIN)
        return {"row_id": positions, "fold": np.zeros(n_rows, np.int64)}
    if run.split or run.n_repeats > 1:
        return {"row_id": np.arange(n_rows)}
    within = run.folder / "folds"
    # as many as claimed: the first file that is missing ends it
    parts = [
        read_positions(within / f"fold_{fold}_validation_indices.npy")
        for fold in range(run.n_folds)
    ]
    folds = folds_of(parts, n_rows, within)
    for fold in range(run.n_folds):
        place, others = within / f"fold_{fold}_train_indices.npy", np.flatnonzero(folds != fold)
        if place.is_file() and not np.array_equal(np.unique(read_positions(place)), others):
            problem = "trains on other rows than those that its fold does not validate"
            raise InputError(problem, path=place, hint=MIXED.format("folds"))
    return {"row_id": np.arange(n_rows), "fold": folds}


def _check_copies(run: _Run, kept: FloatArray, copies: FloatArray, classes: bool) -> None:
    """Refuse targets beyond the rows of the data that are no copies of rows of rare classes."""
    enough = max(_OF_A_CLASS, run.n_folds)
    if any(not classes or (kept == code).sum() >= enough for code in np.unique(copies)):
        raise InputError(
            f"the predictions have {len(kept) + len(copies)} rows, data_info.json says that there "
            f"are {len(kept)}",
            path=run.folder,
            hint=MIXED.format("files"),
        )


def _classes(run: _Run, target: FloatArray) -> list[Any]:
    """Return the classes in the order of their codes: texts, or the codes themselves."""
    broken = np.flatnonzero(target % 1)
    if len(broken):
        problem = f"{run.models[0]} has a target that is no code of a class"
        raise fault_in(problem, run.folder, broken, target, hint=_AGAIN)
    found = [int(code) for code in np.unique(target)]
    for name in run.models:
        place, fits = _preprocessing(run.folder / name, "framework.json", "ensemble.json")
        codes = fits[0].get("categorical_y") if fits else None
        if isinstance(codes, dict) and codes:
            values = list(codes.values())
            whole = all(type(value) is int for value in values)
            fit = whole and sorted(values) == [*range(len(values))] and set(found) <= set(values)
            if not fit or (run.task is Task.BINARY and len(values) != 2):
                shown, expected = (", ".join(map(str, some)) for some in (values, found))
                problem = f"codes the classes as {shown}; the targets are {expected}"
                raise InputError(problem, path=place, hint=MIXED.format("models"))
            return sorted(codes, key=lambda label: int(codes[label]))
    return found


def _preprocessing(model: Path, *files: str) -> tuple[Path, list[dict[str, Any]]]:
    """What the first of some files that is there says of each fit, and that file."""
    place = next((model / one for one in files if (model / one).is_file()), None)
    about = None if place is None else read_json(place)
    parts = about.get("preprocessing") if isinstance(about, dict) else None
    fits = [one for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    return place or model, fits


def _named(target: FloatArray, classes: Sequence[Any]) -> Any:
    """Return targets (n,) as values, as whole numbers or by the names of their classes."""
    if not classes:
        return target
    codes = target.astype(np.int64)
    return np.array(classes)[codes] if isinstance(classes[0], str) else codes


def _weights(run: _Run, tables: Mapping[str, Columns]) -> FloatArray | None:
    """The weights of the samples, which all models have that were scored with them."""
    given = {name: table[_WEIGHT] for name, table in tables.items() if _WEIGHT in table}
    first = next(iter(given), "")
    for name, values in given.items():
        differ = np.flatnonzero(values != given[first])
        if len(differ):
            one = given[first][differ[0]].item()
            problem = f"the weight differs from that of {first}, {one!r}"
            place = run.place(name)
            raise fault_in(problem, place, differ, values, column=_WEIGHT, hint=_OF_SEVERAL)
    return given.get(first)


def _predictions(run: _Run, name: str, table: Columns, classes: list[Any]) -> Columns:
    """Columns of a model in the wide layout."""
    found = {key: values for key, values in table.items() if key.startswith("prediction")}
    wanted = {f"prediction_{one}": f"{name}::{one}" for one in classes}
    if run.task is not Task.MULTICLASS:
        wanted = dict.fromkeys([*found][:1] or [""], name)
    if found.keys() != wanted.keys():
        columns = ", ".join(found) or "none"
        problem = f"has the prediction columns {columns}, which do not fit the classes"
        raise InputError(problem, path=run.place(name), hint=_AGAIN)
    return {column: found[key] for key, column in wanted.items()}


def _flags(run: _Run, name: str) -> tuple[str, ...]:
    found = {"ensemble": name.startswith(_ENSEMBLE)}
    found |= {flag: True for suffix, flag in _SUFFIXES.items() if suffix in name}
    found["averaged_over_repeats"] = run.n_repeats > 1
    found["early_stopping_on_fold"] = any(kind in name for kind in _STOPPED_EARLY)
    return tuple(flag for flag, holds in found.items() if holds)


def _board(run: _Run) -> dict[str, str] | None:
    """The score of each model of the leaderboard, as it stands there; None without one."""
    place = run.folder / _BOARD
    if not place.is_file():
        return None
    rows = records_with(place, "name", "metric_value", hint=_AGAIN)
    board = {row["name"]: row["metric_value"] for row in rows if row["name"]}
    for name in board:
        check_name(name, place)
    which = "params.json names as saved"
    check_listed(place, board, run.models, which=which, hint=MIXED.format("files"))
    return board


def _scores(run: _Run, board: dict[str, str]) -> Iterator[ReportedScore]:
    place, rows = run.folder / _BOARD, list(board)
    for name in run.models if run.metric else ():
        value = number_in(board[name], place, rows.index(name), "metric_value", hint=_AGAIN)
        yield ReportedScore(id=name, metric=run.metric or "", value=value, tolerance=_TOLERANCE)


def _fold_scores(run: _Run) -> Iterator[ReportedScore]:
    """Yield what the logs say of models that learn in one go.

    Nothing where repeats or a split leave a row no fold; nor of a model with a log that is missing
    or of another form.
    """
    if run.metric is None or run.split or run.n_repeats > 1:
        return
    for name in run.models:
        model, folds = run.folder / name, range(run.n_folds)
        logs = [model / f"learner_fold_{fold}_training.log" for fold in folds]
        cells = [read_rows(log) for log in logs] if all(log.is_file() for log in logs) else []
        try:
            values = [float(score) for ((_, _, score),) in cells]
        except ValueError:
            continue
        for fold, value in enumerate(values):
            yield ReportedScore(
                id=name, metric=run.metric, fold=fold, value=value, tolerance=_TOLERANCE
            )


def _scaling(model: Path, fold: IntArray | None) -> tuple[float, FloatArray]:
    """Return the largest number that a model adds to a target on the way, 0 where it scales none.

    And the smallest targets of its training rows, at which others are clipped, none where they are
    not: (1, n) of the fold of each row where that is known, else (L, 1) of each fit.
    """
    place, fits = _preprocessing(model, "framework.json")
    found = [one["scale_y"] for one in fits if one.get("scale_y")]
    try:
        if not any("log" in one["scale_method"] for one in found):
            sizes = [abs(float(one[key][0])) for one in found for key in ("mean", "scale")]
            return max(sizes, default=0.0), np.empty((0, 1))
        limits = np.array([float(one["X_min_values"][0]) for one in found])
    except (KeyError, TypeError, ValueError, IndexError):
        problem = "does not say how targets were scaled"
        raise InputError(problem, path=place, hint=_AGAIN) from None
    known = fold is not None and len(limits) == fold.max() + 1
    return 1 + float(np.abs(limits).max()), limits[fold][None] if known else limits[:, None]


def _truth(
    run: _Run, tables: Mapping[str, Columns], places: Mapping[str, IntArray]
) -> tuple[FloatArray, Targets | None]:
    """Return the target of all models (n,), and what models that scale have in its place.

    Raises
    ------
    InputError
        A target that differs from that of another model by more than scaling explains.
    """
    targets = {name: table["target"] for name, table in tables.items()}
    ensembles = [name for name in targets if name.startswith(_ENSEMBLE)]
    scalings = {name: _scaling(run.folder / name, places.get("fold")) for name in targets}
    scaled = tuple(
        name for name, (offset, _) in scalings.items() if offset and name not in ensembles
    )
    limits = np.unique(np.concatenate([limits.ravel() for _, limits in scalings.values()]))
    every = max(offset for offset, _ in scalings.values()), limits[:, None]
    scalings |= dict.fromkeys(ensembles, every)  # which have the target of one of their models
    of = min(scalings, key=lambda name: (scalings[name][0] > 0, name in ensembles))
    truth, clipped, apart = targets[of], [], 0.0
    for name, target in targets.items():
        offset, limits = scalings[name]
        possible = np.vstack([truth, np.maximum(truth, limits)])
        expected = possible[np.argmin(np.abs(possible - target), axis=0), np.arange(len(truth))]
        noise = _NOISE * (np.abs(truth) + offset) if offset else 0.0
        differ = np.flatnonzero(~(np.abs(target - expected) <= noise))
        if len(differ):
            raise _other_target(run, targets, (name, of), differ, scaled=offset > 0)
        rows = np.flatnonzero(expected != truth)
        if len(rows):
            keys, values = places["row_id"][rows].tolist(), expected[rows].tolist()
            clipped.append(OtherTarget(name, tuple(keys), tuple(values)))
            apart = max(apart, float(np.max(expected[rows] - truth[rows])))
    if not scaled:
        return truth, None
    offset, limits = scalings[of]
    unsure = (np.abs(truth - limits) <= _NOISE * (np.abs(truth) + offset)).any(axis=0)
    return truth, Targets(of, scaled, int(unsure.sum()), apart, tuple(clipped))


def _other_target(
    run: _Run, targets: Columns, pair: tuple[str, str], differ: IntArray, *, scaled: bool
) -> InputError:
    """Build the error about two models of other targets: names the one that most contradict."""
    names, row = list(targets), differ[0]
    own = np.array([target[row] for target in targets.values()])
    entry, other = map(names.index, pair)
    odd, kept = odd_one(own, np.full(len(own), other), entry)
    more = ", by more than its scaling explains" if scaled else ""
    problem = f"target differs from that of {names[kept]}, {own[kept].item()!r}{more}"
    place, values = run.place(names[odd]), targets[names[odd]]
    return fault_in(problem, place, differ, values, column="target", hint=_OF_SEVERAL)


RUNS = (RunReader("mljar", "`params.json` and `data_info.json`", recognises, load),)
