"""The results folder of mljar-supervised: a folder per model, the folds in `folds/`.

1. `params.json` names the saved models, task and metric; `data_info.json` the number of rows.
2. Predictions of a model: `target`, and one column, or one per class. Targets are codes;
   `framework.json` has the classes if they are text.
3. Folds: the positions of the rows that each fold validates. Of repeats the predictions are means,
   so that a row has no fold; of a split, and of folds of the user's own, which may lack rows, they
   are in the order of the sorted positions.
4. Weights are in a column `sample_weight`; a model without it is scored without.
5. mljar appends copies to classes with few rows, possibly in several folds: dropped.
6. A model that learns in one go logs its score in each fold: so it is known whether the folds in
   `folds/` were the ones used.
7. In a regression many learners scale the target, and back: little is lost but the last digit,
   64.99999999999999 for 65. For a skewed target, the logarithm of its distance from the smallest
   target of the training rows (`X_min_values`) is scaled, and smaller ones are clipped at it. So
   the truth is the target of a model without scaling, such as the baseline; mljar scores the others
   on targets of their own.

A line of a log: iteration, score on the training rows, score on the validation rows. Models with
several iterations keep the best one, and so stop on the fold that scores them. The network logs no
score on the validation rows: it stops on a part of the training rows.

For scaled targets, the rule of `sample_columns.differing` does not work: models without scaling
write the same digits, and the noise of the others grows with what was added to a target on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain import source
from bbccli.errors import InputError
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs import file_parsing as files
from bbccli.reading.runs.file_parsing import MIXED, left_out, parse_table, read_json, read_positions
from bbccli.reading.sample_columns import odd_one
from bbccli.tools.mljar_ensemble import WITHOUT_WEIGHTS, ensemble_of
from bbccli.types import FloatArray, IntArray, Pooling, Task

_TASKS = {
    "binary_classification": Task.BINARY,
    "multiclass_classification": Task.MULTICLASS,
    "regression": Task.REGRESSION,
}
_METRICS = {"logloss": "log-loss", "average_precision": "average-precision"}
_METRICS |= {name: name for name in ("auc", "f1", "accuracy", "rmse", "mse", "mae", "r2", "mape")}
_METRICS |= {name: name for name in WITHOUT_WEIGHTS}
_BOARD = "leaderboard.csv"
_LOG = "learner_fold_{}_training.log"
_READ = (
    *("params.json", "data_info.json", _BOARD, "split*_validation_indices.npy"),
    *("folds/*_validation_indices.npy", "folds/*_train_indices.npy"),
    *("*/framework.json", "*/ensemble.json", f"*/{_LOG.format('*')}"),
)
_WEIGHT = "sample_weight"
_ENSEMBLE = "Ensemble"
_PROBE = "_RandomFeature"
_MARKS = {
    "ensemble": (_ENSEMBLE,),
    "shared_preprocessing": ("_GoldenFeatures", "_KMeansFeatures", "_SelectedFeatures"),
    "stacked": ("_Stacked",),
    "averaged_over_repeats": (),
    source.STOPPED_EARLY: ("LightGBM", "Xgboost", "CatBoost"),
}
"""Parts of names that tell a flag; the last where there are no logs."""
_OF_A_CLASS = 20
"""Classes with fewer rows, or fewer than there are folds, are topped up with copies."""
_TOLERANCE = 1e-6
"""mljar clips probabilities in 32 bits; everything else agrees up to rounding."""
_NOISE_TOLERANCE = 1e-12
"""Rounding by scaling there and back, relative to the largest number on the way."""
_NOT_SAVED = "on the leaderboard, but not saved"
_AGAIN = "copy the run again"
_OF_SEVERAL = "the folder mixes models of several runs"


Columns = dict[str, FloatArray]
Board = dict[str, tuple[int, str]]
"""Row and score of each model on the leaderboard."""


class MljarRun:
    """Content of the descriptions of a run, and of the logs of its models.

    `saved` has the models, of which `models` predict every row, `partial` lack a fold, and `probes`
    have a random feature.
    """

    def __init__(self, folder: Path) -> None:
        place, other = folder / "params.json", folder / "data_info.json"
        self.folder, info = folder, read_json(other)
        self.params = params = read_json(place)
        self.n_rows: Any = info.get("rows") if isinstance(info, dict) else None
        if type(self.n_rows) is not int or self.n_rows < 1:
            raise InputError("lacks the number of rows", path=other, hint=_AGAIN)
        try:
            if not isinstance(params["saved"], list):
                raise TypeError
            self.task, called = _TASKS[params["ml_task"]], str(params["eval_metric"])
            validation = params["validation_strategy"]
            names = list(dict.fromkeys(map(str, params["saved"])))
            self.split = str(validation["validation_type"]) == "split"
            k_folds, n_repeats = validation.get("k_folds"), int(validation.get("repeats") or 1)
            found = [*folder.glob(f"{'split' if self.split else 'folds/'}*_validation_indices.npy")]
            self.n_folds = int(k_folds or len(found))
            # as many as claimed: the first missing file ends it
            folds = (folder / f"folds/fold_{n}_validation_indices.npy" for n in range(self.n_folds))
            self.tests = [*map(read_positions, found if self.split or n_repeats > 1 else folds)]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            problem = "is not the description of a finished mljar run"
            hint = "let the run finish, or copy its whole folder"
            raise InputError(problem, path=place, hint=hint) from None
        tested = np.concatenate([*self.tests, np.zeros(0, np.int64)])
        # of a split, and of folds of the user's own, which may lack rows, or have them repeatedly
        self.rows = None if k_folds else np.unique(tested)
        self.averaged = n_repeats > 1 or (self.rows is not None and len(self.rows) < len(tested))
        metric = _METRICS.get(called)
        self.metric = "f1-micro" if (self.task, metric) == (Task.MULTICLASS, "f1") else metric
        self.metric_name = None if metric else called
        for name in names:
            files.check_name(name, place)
        self.probes = [name for name in names if name.endswith(_PROBE)]
        self.saved = [name for name in names if name not in self.probes]
        if not self.saved:
            raise InputError("the run has not saved any model", hint="let it finish")
        # those at the end were stopped before they were written, unless their folders are gone
        there = [self.place(name).exists() or not (folder / name).is_dir() for name in self.saved]
        models = self.saved[: 1 + max((at for at, known in enumerate(there) if known), default=0)]
        self.partial = [name for name in models if self._lacks_folds(name)]
        self.models = [name for name in models if name not in self.partial]
        if not self.models:
            problem = "each model has a fold without a score, and mljar keeps no predictions there"
            raise InputError(problem, hint="run it with another eval_metric")

    def place(self, name: str) -> Path:
        """Return the file of a model's predictions."""
        stem = "out_of_folds" if self.rows is None else "validation"
        stem = "ensemble" if name.startswith(_ENSEMBLE) else stem
        return self.folder / name / f"predictions_{stem}.csv"

    def fault(
        self, name: str, column: str, problem: str, rows: IntArray, hint: str = _OF_SEVERAL
    ) -> InputError:
        """Return the error about some rows of a model's predictions."""
        return parse_table(self.place(name)).column(column).fault(problem, rows, hint=hint)

    def curves(self, name: str) -> list[tuple[float, ...]]:
        """Return the scores of a model in each fold, at each iteration; none if a log is missing,
        or rows have no fold of their own: with repeats or a split.
        """
        n_folds = 0 if self.split or self.averaged else self.n_folds
        logs = [self.folder / name / _LOG.format(fold) for fold in range(n_folds)]
        curves = [_curve(log) for log in logs if log.is_file()]
        return curves if len(curves) == n_folds and all(curves) else []

    def stopping_curves(self) -> Iterator[source.FoldCurves]:
        """Yield the curves of the models that have several iterations, if their metric is known."""
        for name in self.models if self.metric else ():
            curves = tuple(self.curves(name))
            if max(map(len, curves), default=0) > 1:
                yield source.FoldCurves(id=name, metric=self.metric or "", folds=curves)

    def in_folds(self, name: str) -> list[float]:
        """Return the scores of a model that learns in one go, in the folds."""
        curves = self.curves(name)
        return [score for (score,) in curves] if {*map(len, curves)} == {1} else []

    def _lacks_folds(self, name: str) -> bool:
        """True if a model has too few rows, and in some fold no score, such as Pearson's r of equal
        predictions: mljar keeps predictions that improve its score.
        """
        undefined = self.n_folds <= self.n_rows and np.isnan(self.in_folds(name)).any()
        return bool(undefined) and parse_table(self.place(name)).n_rows < self.n_rows

    def flags(self, name: str) -> tuple[str, ...]:
        """Return threats to validity shown by the name of a model, or by its logs."""
        holds = {flag: any(mark in name for mark in marks) for flag, marks in _MARKS.items()}
        holds["averaged_over_repeats"] = self.averaged
        if logs := [*(self.folder / name).glob(_LOG.format("*"))]:
            holds[source.STOPPED_EARLY] = any(len(_curve(log)) > 1 for log in logs)
        return tuple(flag for flag, held in holds.items() if held)


def _curve(log: Path) -> tuple[float, ...]:
    """Return the scores on the validation rows; none in a log of another form, or without them."""
    try:
        return tuple(float(score) for _, _, score in files.read_rows(log))
    except ValueError:
        return ()


def recognises(folder: Path) -> bool:
    """True for a folder with the two descriptions written by mljar."""
    return (folder / "params.json").is_file() and (folder / "data_info.json").is_file()


def load(folder: Path) -> Predictions:
    """Read the models of a run."""
    run = MljarRun(folder)
    board = _board(run)
    listed = [*run.saved, *(board or ())]
    begun = sorted(log.parent.name for log in folder.glob(f"*/{_LOG.format('*')}"))
    tried, there = dict.fromkeys([*listed, *begun]), {*run.models, *run.probes}
    lost = [name for name in tried if name not in there]
    tables = _tables(run)
    places = _places(run, len(tables[run.models[0]]["target"]))
    keep = places["row_id"] < run.n_rows
    truth, targets = _truth(run, tables, places)
    classes = [] if run.task is Task.REGRESSION else _classes(run, truth)
    n_copies = int((~keep).sum())
    _check_copies(run, truth[keep], truth[~keep], bool(classes))
    weights = _weights(run, tables)
    bare = run.metric in WITHOUT_WEIGHTS
    unweighted = tuple(name for name in run.models if bare or _WEIGHT not in tables[name])
    codes = truth.astype(np.int64) if classes else truth
    named = classes and isinstance(classes[0], str)
    roles: dict[str, Any] = {**places, "truth": np.array(classes)[codes] if named else codes}
    roles |= {} if weights is None else {"weight": weights}
    predictions = {name: _predictions(run, name, table, classes) for name, table in tables.items()}
    reasons = {
        f"mljar scored {n_copies} copies of rows of rare classes, which are dropped": n_copies,
        "bbc does not have the metric of the run": run.metric is None,
        f"there is no {_BOARD}": board is None,
    }
    scores = [] if n_copies else [*_scores(run, board, truth, targets)]
    report = source.ToolRun(
        tool="mljar",
        left_out=(
            *left_out(run.probes, "a probe with a random feature"),
            *left_out(run.partial, "mljar keeps no predictions of a fold without a score"),
            *left_out([name for name in lost if name not in listed], "not finished"),
            *left_out([n for n in lost if n in listed and n not in run.partial], _NOT_SAVED),
        ),
        metric=run.metric,
        metric_name=run.metric_name,
        unchecked=next((why for why, holds in reasons.items() if holds), ""),
        leaderboard=tuple(score for score in scores if score.fold is None),
        fold_scores=tuple(score for score in scores if score.fold is not None),
        curves=tuple(run.stopping_curves()),
        scored_alike=() if weights is None else unweighted,
        weighted=weights is not None,
        targets=targets,
        ensemble=ensemble_of(folder, run.params, run.saved, run.metric, n_copies),
    )
    return Predictions(
        {name: values[keep] for name, values in predictions.items()},
        {role: values[keep] for role, values in roles.items()},
        files.files_in(folder, *_READ, *(f"*/{run.place(name).name}" for name in run.models)),
        Metadata(
            task=run.task,
            classes=tuple(map(str, classes)),
            flags={name: run.flags(name) for name in run.models},
            selection=Pooling.POOLED,
            n_candidates_total=len(run.models) + len(lost) if lost else None,
            run=report,
        ),
    )


def _check_copies(run: MljarRun, kept: FloatArray, copies: FloatArray, classes: bool) -> None:
    """Refuse extra targets that are not copies of rows of rare classes."""
    enough = max(_OF_A_CLASS, run.n_folds)
    if any(not classes or (kept == code).sum() >= enough for code in np.unique(copies)):
        n_rows = f"{len(kept) + len(copies)} rows, but data_info.json says there are {len(kept)}"
        raise InputError(f"the predictions have {n_rows}", hint=MIXED.format("files"))


def _tables(run: MljarRun) -> dict[str, Columns]:
    """Return the columns of each model, all with the same number of rows."""
    tables = {name: files.table_numbers(parse_table(run.place(name))) for name in run.models}
    for name, table in tables.items():
        if "target" not in table or len(table) < 2:
            problem = "has no column target beside predictions"
            raise InputError(problem, path=run.place(name), hint=_AGAIN)
        size, expected = len(table["target"]), len(tables[run.models[0]]["target"])
        if size != expected:
            problem = f"has {size} rows, {run.models[0]} has {expected}"
            raise InputError(problem, path=run.place(name), hint=_OF_SEVERAL)
    return tables


def _places(run: MljarRun, n_rows: int) -> dict[str, IntArray]:
    """Return the samples of the rows, and their folds if known."""
    rows, tests, within = np.arange(n_rows), run.tests, run.folder / "folds"
    if run.rows is not None:
        rows, tests = run.rows, [np.searchsorted(run.rows, test) for test in tests]
    if len(rows) != n_rows:
        raise InputError(f"{len(rows)} rows were validated, but {n_rows} predicted", hint=_AGAIN)
    if run.averaged:
        return {"row_id": rows}
    folds = files.folds_of_rows(tests, n_rows, within)
    for fold in range(run.n_folds) if run.rows is None else ():
        place, others = within / f"fold_{fold}_train_indices.npy", np.flatnonzero(folds != fold)
        if place.is_file() and not np.array_equal(np.unique(read_positions(place)), others):
            problem = "trains on other rows than the complement of its validation fold"
            raise InputError(problem, path=place, hint=MIXED.format("folds"))
    return {"row_id": rows, "fold": folds}


def _classes(run: MljarRun, target: FloatArray) -> list[Any]:
    """Return the classes in the order of their codes: text, or the codes themselves."""
    if len(broken := np.flatnonzero(target % 1)):
        problem = f"{run.models[0]} has a target that is not the code of a class"
        raise run.fault(run.models[0], "target", problem, broken, hint=_AGAIN)
    present = [int(code) for code in np.unique(target)]
    for name in run.models:
        place, fits = _preprocessing(run.folder / name, "framework.json", "ensemble.json")
        codes = fits[0].get("categorical_y") if fits else None
        if isinstance(codes, dict) and codes:
            values = list(codes.values())
            whole = all(type(value) is int for value in values)
            fit = whole and sorted(values) == [*range(len(values))] and set(present) <= set(values)
            if not fit or (run.task is Task.BINARY and len(values) != 2):
                shown, expected = (", ".join(map(str, some)) for some in (values, present))
                problem = f"codes the classes as {shown}, but the targets are {expected}"
                raise InputError(problem, path=place, hint=MIXED.format("models"))
            return sorted(codes, key=lambda label: int(codes[label]))
    return present


def _preprocessing(model: Path, *files: str) -> tuple[Path, list[dict[str, Any]]]:
    """Return the preprocessing of each fit, from the first of some files, and that file."""
    place = next((model / file for file in files if (model / file).is_file()), None)
    about = None if place is None else read_json(place)
    parts = about.get("preprocessing") if isinstance(about, dict) else None
    fits = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return place or model, fits


def _weights(run: MljarRun, tables: Mapping[str, Columns]) -> FloatArray | None:
    """Return the sample weights, shared by all models that were scored with them."""
    weights = {name: table[_WEIGHT] for name, table in tables.items() if _WEIGHT in table}
    first = next(iter(weights), "")
    for name, values in weights.items():
        differ = np.flatnonzero(values != weights[first])
        if len(differ):
            weight = weights[first][differ[0]].item()
            problem = f"the weight differs from that of {first}, {weight!r}"
            raise run.fault(name, _WEIGHT, problem, differ)
    return weights.get(first)


def _predictions(run: MljarRun, name: str, table: Columns, classes: list[Any]) -> FloatArray:
    """Return the predictions (n,) or (n, K) of a model."""
    by_name = {key: values for key, values in table.items() if key.startswith("prediction")}
    by_class = run.task is Task.MULTICLASS
    # the names of columns are read without blanks at their ends
    names = [f"prediction_{label}".rstrip() for label in classes] if by_class else [*by_name][:1]
    if not names or by_name.keys() != {*names}:
        columns = ", ".join(by_name) or "none"
        problem = f"has the prediction columns {columns}, which do not fit the classes"
        raise InputError(problem, path=run.place(name), hint=_AGAIN)
    return np.column_stack([by_name[key] for key in names]) if by_class else by_name[names[0]]


def _board(run: MljarRun) -> Board | None:
    """Return the row and the score of each model on the leaderboard; None without one."""
    place = run.folder / _BOARD
    if not place.is_file():
        return None
    rows = files.records_with(place, "name", "metric_value", hint=_AGAIN)
    board = {row["name"]: (at, row["metric_value"]) for at, row in enumerate(rows) if row["name"]}
    for name in board:
        files.check_name(name, place)
    which = "is saved according to params.json"
    files.check_listed(place, board, run.models, which=which, hint=MIXED.format("files"))
    return board


def _scores(
    run: MljarRun, board: Board | None, truth: FloatArray, targets: source.Targets | None
) -> Iterator[source.ReportedScore]:
    """Yield the scores on the leaderboard, and in the folds of models that learn in one go."""
    reported = partial(source.ReportedScore.rounded, _TOLERANCE, metric=run.metric or "")
    place, noisy = run.folder / _BOARD, targets.scaled if targets is not None else ()
    # equal targets, scaled and back, have ranks of their own
    alike = run.metric != "spearman" or len(np.unique(truth)) == len(truth)
    for name in [model for model in run.models if run.metric and (alike or model not in noisy)]:
        if board is not None:
            row, text = board[name]
            score = files.number_in(text, place, row, "metric_value", hint=_AGAIN)
            yield reported(id=name, value=score)
        for fold, value in enumerate(run.in_folds(name)):
            yield reported(id=name, value=value, fold=fold)


def _scaling(model: Path, fold: IntArray | None) -> tuple[float, FloatArray]:
    """Return the largest number that a model adds to a target on the way, 0 if it scales none.

    And the smallest targets of its training rows, at which others are clipped, None if they aren't:
    (1, n) for the fold of each row if known, else (L, 1) for each fit.
    """
    place, fits = _preprocessing(model, "framework.json")
    scalings = [fit["scale_y"] for fit in fits if fit.get("scale_y")]
    try:
        if not any("log" in scaling["scale_method"] for scaling in scalings):
            added = (scaling[key][0] for scaling in scalings for key in ("mean", "scale"))
            return max((abs(float(number)) for number in added), default=0.0), np.empty((0, 1))
        limits = np.array([float(scaling["X_min_values"][0]) for scaling in scalings])
    except (KeyError, TypeError, ValueError, IndexError):
        problem = "does not say how targets were scaled"
        raise InputError(problem, path=place, hint=_AGAIN) from None
    per_fold = fold is not None and len(limits) == fold.max() + 1
    return 1 + float(np.abs(limits).max()), limits[fold][None] if per_fold else limits[:, None]


def _truth(
    run: MljarRun, tables: Mapping[str, Columns], places: Mapping[str, IntArray]
) -> tuple[FloatArray, source.Targets | None]:
    """Return the target of all models (n,), and those of models that scale."""
    targets = {name: table["target"] for name, table in tables.items()}
    ensembles = [name for name in targets if name.startswith(_ENSEMBLE)]
    scalings = {name: _scaling(run.folder / name, places.get("fold")) for name in targets}
    models = [name for name in targets if name not in ensembles]
    scaled = tuple(name for name in models if scalings[name][0])
    limits = np.unique(np.concatenate([limits.ravel() for _, limits in scalings.values()]))
    every = max(offset for offset, _ in scalings.values()), limits[:, None]
    scalings |= dict.fromkeys(ensembles, every)  # they have the target of one of their models
    of = min(scalings, key=lambda name: (scalings[name][0] > 0, name in ensembles))
    truth, clipped, apart = targets[of], [], 0.0
    for name, target in targets.items():
        offset, limits = scalings[name]
        possible = np.vstack([truth, np.maximum(truth, limits)])
        expected = possible[np.argmin(np.abs(possible - target), axis=0), np.arange(len(truth))]
        noise = _NOISE_TOLERANCE * (np.abs(truth) + offset) if offset else 0.0
        differ = np.flatnonzero(~(np.abs(target - expected) <= noise))
        if len(differ):
            raise _other_target(run, targets, (name, of), differ, scaled=offset > 0)
        rows = np.flatnonzero(expected != truth)
        if len(rows):
            keys = map(str, places["row_id"][rows].tolist())
            clipped.append(source.OtherTarget(name, tuple(keys), tuple(expected[rows].tolist())))
            apart = max(apart, float(np.max(expected[rows] - truth[rows])))
    if not scaled:
        return truth, None
    offset, limits = scalings[of]
    unsure = (np.abs(truth - limits) <= _NOISE_TOLERANCE * (np.abs(truth) + offset)).any(axis=0)
    return truth, source.Targets(of, scaled, int(unsure.sum()), apart, tuple(clipped))


def _other_target(
    run: MljarRun, targets: Columns, pair: tuple[str, str], differ: IntArray, *, scaled: bool
) -> InputError:
    """Return the error about two models with different targets, naming the one that most
    contradict.
    """
    names, row = list(targets), differ[0]
    of_row = np.array([target[row] for target in targets.values()])
    entry, other = map(names.index, pair)
    odd, kept = odd_one(of_row, np.full(len(of_row), other), entry)
    more = ", by more than its scaling explains" if scaled else ""
    problem = f"target differs from that of {names[kept]}, {of_row[kept].item()!r}{more}"
    return run.fault(names[odd], "target", problem, differ)


RUNS = (RunReader("mljar", "`params.json` and `data_info.json`", recognises, load),)
