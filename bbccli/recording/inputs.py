"""Check and normalise what a recorder is given."""

from __future__ import annotations

import functools
import hashlib
import math
import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from importlib import import_module
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError, nearest
from bbccli.metrics import METRICS, canonical
from bbccli.platform.arguments import as_list, check_order
from bbccli.recording.store import Design
from bbccli.types import FloatArray, IntArray, PredictionKind, Task

RESPONSES = ("predict_proba", "decision_function", "predict")
"""Methods of estimators that predict; of several used by a metric, the first is kept."""


def refuse(wrong: object, problem: str, hint: str) -> None:
    """Raise an OptionError if something is wrong."""
    if wrong:
        raise OptionError(problem, hint=hint)


def as_array(given: Any, name: str) -> NDArray[Any]:
    """Return an argument as an array; an OptionError for lists of different lengths, or a mask."""
    refuse(np.ma.is_masked(given), f"{name}: some values are masked", "leave out these samples")
    try:
        return np.asarray(given)
    except ValueError:
        hint = "give as many values in each"
        raise OptionError(f"{name} has lists of different lengths", hint=hint) from None


def of_sklearn(module: str) -> Any:
    """Return a module of scikit-learn, which is not a dependency of bbc."""
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError:
        problem = "a scorer by name and folds by number need scikit-learn"
        hint = "pip install scikit-learn; or give pairs of train and test rows as cv, and call "
        raise OptionError(problem, hint=f"{hint}rec.write() in a loop of your own") from None


def position(given: Any, name: str) -> int:
    """Return a fold or a repeat as an integer from 0, also from numpy's."""
    number = -1
    with suppress(TypeError):
        number = operator.index(given)
    refuse(number < 0, f"{name} is {given!r}", "give integers from 0")
    return number


# The design


def design_of(y: Any, task: str | None, scoring: str) -> Design:
    """Return a design with the truth, and with the task if it was not given."""
    values = as_array(y, "y")
    values = values.ravel() if values.ndim and values.size == len(values) else values
    several = values.ndim != 1 or values.dtype.names or not values.size
    refuse(several, "y is not a single column", "give one label or value per sample")
    if values.dtype.hasobject:
        values = _of_objects(values)
    refuse(values.dtype.kind == "f" and not np.isfinite(values).all(), *_MISSING)
    labels = np.unique(values)
    tasks = (Task.BINARY, Task.MULTICLASS, Task.REGRESSION)
    if task is not None and task not in tasks:
        raise OptionError(f"no task {task!r} can be recorded", hint=nearest(str(task), tasks))
    if (task or _task_of(values, labels, scoring)) == Task.REGRESSION:
        words = values.dtype.kind not in "biuf"
        refuse(words, "y of a regression must be a list of numbers", "check task=")
        return Design(Task.REGRESSION, values.astype(np.float64), ())
    refuse(len(labels) < 2, "y has one class only", "give labels of at least two classes")
    names = class_names(labels.tolist())
    codes = np.searchsorted(labels, values).astype(np.int64)
    of_classes = Task.BINARY if len(labels) == 2 else Task.MULTICLASS
    return Design(of_classes, codes, names, labels=labels)


def class_names(labels: Iterable[Any]) -> tuple[str, ...]:
    """Return class names; a whole number is written as an integer."""
    plain = (int(x) if isinstance(x, float) and x.is_integer() else x for x in labels)
    return tuple(map(str, plain))


def check_index(y: Any, rows: IntArray | None = None, **others: Any) -> None:
    """Refuse pandas objects whose index shows another order than that of y, or of some rows of it;
    an InputError.
    """
    if hasattr(y, "iloc"):
        of_rows = {"y": y} if rows is None else {"y.iloc[rows]": y.iloc[rows]}
        check_order(of_rows | others)


_MOST_CLASSES = 30
"""Different numbers of a float type that may still be classes."""


def _task_of(values: NDArray[Any], labels: NDArray[Any], scoring: str) -> Task:
    """Classes, unless numbers have decimals or the metric is for values; binary or not is left
    open.
    """
    metric = METRICS.get(canonical(scoring, METRICS))
    if values.dtype.kind in "biuf" and metric and Task.REGRESSION in metric.tasks:
        return Task.REGRESSION
    if values.dtype.kind not in "iuf" or (values.dtype.kind != "f" and len(labels) <= 2):
        return Task.BINARY
    if len(labels) > 2 and (values % 1 != 0).any():
        return Task.REGRESSION
    if metric is not None:
        return Task.BINARY
    # regressions often have whole numbers of a float type; classes are numbered from 0
    many = values.dtype.kind == "f" and len(labels) > _MOST_CLASSES
    numbered = values.dtype.kind != "f" and np.array_equal(labels, np.arange(len(labels)))
    told = many or (numbered and 2 * len(labels) <= len(values))
    problem = f"y has {len(labels)} different integers: classes or values?"
    hint = 'give task="multiclass" or task="regression"'
    refuse(len(labels) > 2 and not told, problem, hint)
    return Task.REGRESSION if many else Task.BINARY


_MISSING = ("y has missing values", "leave out samples without a truth")


def _of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return texts, numbers or booleans as an array of their own type."""
    objects = values.tolist()
    refuse(any(map(_is_missing, objects)), *_MISSING)
    with suppress(ValueError):
        values = np.array(objects)
    mixed = values.dtype.kind == "U" and not all(isinstance(value, str) for value in objects)
    mixed = mixed or values.ndim != 1 or values.dtype.hasobject
    refuse(mixed, "y mixes texts and numbers", "give labels of one type")
    return values


def _is_missing(value: Any) -> bool:
    unknown = value is None or type(value).__name__ in ("NAType", "NaTType")
    return unknown or (isinstance(value, float) and bool(np.isnan(value)))


def codes_of_groups(groups: Any, n_samples: int) -> IntArray:
    """Return the code of each group; an OptionError for a wrong shape or missing values."""
    values = as_array(groups, "groups")
    other = values.shape != (n_samples,)
    refuse(other, f"groups have shape {values.shape}, not ({n_samples},)", "give one per sample")
    unknown = any(map(_is_missing, values.tolist()))
    refuse(unknown, "groups have missing values", "give single samples a group of their own")
    values = values.astype(str) if values.dtype.hasobject else values
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def weights_of(sample_weight: Any, n_samples: int) -> FloatArray | None:
    """Return the weights, one per sample; a sample of weight 0 does not count."""
    if sample_weight is None:
        return None
    weights = np.empty(0)
    with suppress(TypeError, ValueError):
        weights = np.asarray(sample_weight, np.float64)
    other = weights.shape != (n_samples,)
    refuse(other, "sample_weight must be a list of numbers", "give one per sample")
    wrong = not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any()
    hint = "give 0 for a sample that does not count; some must be positive"
    refuse(wrong, "sample_weight holds negative or infinite numbers, or zeros alone", hint)
    return weights


def check_length(features: Any, n_samples: int) -> None:
    """Refuse features whose number of rows differs from the number of samples."""
    n_rows = n_samples if features is None else None
    with suppress(TypeError, IndexError):  # a number, or a 0-d array
        n_rows = features.shape[0] if hasattr(features, "shape") else len(features)
    refuse(n_rows != n_samples, "X and y have different lengths", "give one row of X per label")


def taken(data: Any, rows: IntArray) -> Any:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if isinstance(data, list | tuple):
        return [data[row] for row in rows]
    return np.asarray(data)[rows] if not hasattr(data, "shape") else data[rows]


# Splits and rows

Split = tuple[IntArray, IntArray]


def frozen(
    cv: Any, features: Any, truth: Any, groups: Any, classifies: bool, among: IntArray | None = None
) -> list[Split]:
    """Return train and test rows of every split; an OptionError if they overlap or are invalid.

    `cv` is a splitter of scikit-learn, a number of folds (stratified if `classifies`), None for
    five, or pairs of train and test rows: positions, or booleans (N,). `features` may be None.
    `among` are the rows that are not sealed: a splitter splits these, and pairs lose the others.
    """
    n_samples, splits = len(truth), list[Split]()
    rule = f"positions from 0 to {n_samples - 1}, each once, at least one"
    drawn = cv is None or isinstance(cv, Integral) or hasattr(cv, "split")
    if among is not None and drawn:
        part = [data if data is None else taken(data, among) for data in (features, truth, groups)]
        pairs = [[among[rows] for rows in pair] for pair in _pairs(cv, classifies, *part)]
    else:
        pairs = _pairs(cv, classifies, features, truth, groups)
    for split, pair in enumerate(pairs):
        train, test = (_rows(as_array(rows, f"split {split}"), n_samples) for rows in pair)
        if among is not None and train is not None and test is not None:
            train, test = (rows[np.isin(rows, among)] for rows in (train, test))
        wrong = any(rows is None or len(np.unique(rows)) < len(rows) for rows in (train, test))
        refuse(wrong, f"split {split} is not a list of rows", rule)
        splits.append((np.asarray(train), np.asarray(test)))
    refuse(not splits, "cv has no splits", "give at least two folds")
    for split, (train, test) in enumerate(splits):
        hint = "give disjoint rows: predictions of training rows are not out of sample"
        refuse(np.isin(test, train).any(), f"split {split} tests on training rows", hint)
    return splits


def splitter_of(cv: Any, truth: Any, classifies: bool) -> Any:
    """Return the splitter for a number of folds, or None; anything else as it is."""
    if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
        check_cv = of_sklearn("model_selection").check_cv
        return check_cv(cv, np.asarray(truth), classifier=classifies)
    return cv


def _pairs(cv: Any, classifies: bool, features: Any, truth: Any, groups: Any) -> list[Any]:
    """Return train and test rows as given, or as drawn by a splitter."""
    try:
        cv = splitter_of(cv, truth, classifies)
        if hasattr(cv, "split") and not isinstance(cv, str):
            seen = np.zeros((len(truth), 1)) if features is None else features
            return list(cv.split(seen, truth, groups))
        return [(train, test) for train, test in cv]
    except (TypeError, ValueError) as error:
        hint = "give a scikit-learn splitter, a number of folds, or pairs of train and test rows"
        raise OptionError(f"cv gives no splits: {error}", hint=hint) from error


def positions(rows: Any, n_samples: int) -> IntArray:
    """Return rows as positions, each once."""
    at = _rows(as_array(rows, "rows"), n_samples)
    if at is None:
        raise OptionError("rows must be positions", hint=f"give integers from 0 to {n_samples - 1}")
    twice = len(np.unique(at)) < len(at)
    refuse(twice, "rows contain a sample twice", "give one prediction per sample and fold")
    return at


def _rows(rows: NDArray[Any], n_samples: int) -> IntArray | None:
    """Return positions (n,) or booleans (N,) as positions; None for anything else."""
    if rows.dtype == bool and rows.shape == (n_samples,):
        rows = np.flatnonzero(rows)
    right = rows.ndim == 1 and rows.size and rows.dtype.kind in "iu"
    right = right and rows.min() >= 0 and rows.max() < n_samples
    return rows.astype(np.int64) if right else None


def split_of(
    rows: IntArray, design: Design, repeat: int | None, fold: int | None
) -> tuple[int | None, IntArray, IntArray | None]:
    """Return the split with these test rows, its rows, and the order that maps the given ones to
    it.

    Without splits in the design: None, the rows, None. An OptionError if the rows are the test set
    of no split, of several, or not of the given repeat and fold.
    """
    if not design.tests:
        return None, rows, None
    in_order = np.sort(rows)
    equal = []
    for split, (place, tests) in enumerate(zip(design.places, design.tests, strict=True)):
        if repeat in (None, place[0]) and fold in (None, place[1]):
            equal += [split] if np.array_equal(np.sort(tests), in_order) else []
    if len(equal) != 1:
        named = {"repeat": repeat, "fold": fold}.items()
        words = "".join(f" {word} {number}" for word, number in named if number is not None)
        problem = "several test sets" if equal else f"no test set of cv{words and ','}{words}"
        raise OptionError(f"the rows are {problem}", hint="give the test rows of one of its folds")
    tests = design.tests[equal[0]]
    return equal[0], tests, np.argsort(rows)[np.argsort(np.argsort(tests))]


# Predictions


def predictions_of(given: Any, n: int, design: Design) -> tuple[NDArray[Any], PredictionKind]:
    """Return predictions (n,) or (n, K) and their kind; an OptionError if they don't fit.

    Columns that are named as the classes may come in any order.
    """
    array, columns = as_array(given, "predictions"), class_names(getattr(given, "columns", ()))
    if array.ndim == 2 and columns and sorted(columns) == sorted(design.classes):
        array = array[:, [columns.index(name) for name in design.classes]]
    if array.dtype.hasobject:
        array = as_array(array.tolist(), "predictions")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    other = array.ndim not in (1, 2) or len(array) != n
    shape = f"predictions have shape {array.shape} for {n} rows"
    refuse(other, shape, "give one row per sample")
    gaps = "leave out samples without a prediction"
    mixed = array.dtype.hasobject
    refuse(mixed, "predictions are neither all numbers nor all labels", gaps)
    infinite = array.dtype.kind == "f" and not np.isfinite(array).all()
    refuse(infinite, "predictions are not finite", gaps)
    if design.labels is None:
        other = array.ndim != 1 or array.dtype.kind not in "biuf"
        hint = "give as many predictions as y has values"
        refuse(other, "a regression needs one number per row", hint)
        return array.astype(np.result_type(array, np.float32)), PredictionKind.VALUE
    if array.ndim != 1 or (array.dtype.kind == "f" and len(design.labels) == 2):
        return _numbers(array, len(design.labels))
    try:
        return codes_of_labels(array, design.labels), PredictionKind.LABEL
    except UnfitError as error:
        hint = "give labels as in y, or floats for scores"
        raise OptionError(f"a configuration {error}", hint=hint) from None


def _numbers(array: NDArray[Any], n_classes: int) -> tuple[NDArray[Any], PredictionKind]:
    """Return numbers as probabilities if possible, else as scores."""
    columns = array.shape[1] if array.ndim == 2 else n_classes
    problem = f"predictions have {columns} columns for {n_classes} classes"
    refuse(columns != n_classes, problem, "give a column for each class, in sorted order")
    problem = "predictions have several columns that are not numbers"
    refuse(array.dtype.kind not in "biuf", problem, "give labels in one column")
    array = array if array.dtype.kind == "f" else array.astype(np.float64)
    inside = bool(((array >= 0) & (array <= 1)).all())
    sums = array.ndim == 1 or bool((np.abs(array.sum(axis=1) - 1) <= 1e-3).all())
    kind = PredictionKind.PROBABILITY if inside and sums else PredictionKind.SCORE
    return array[:, 1] if array.ndim == 2 and n_classes == 2 else array, kind


class UnfitError(ValueError):
    """Predictions that can't be kept."""


VALUES = "a value between classes"


def codes_of_labels(values: NDArray[Any], labels: NDArray[Any], *, strict: bool = True) -> IntArray:
    """Return the position of each value among the K sorted classes; for another label, such as
    "abstain", K, or an UnfitError if `strict`.
    """
    values = np.asarray(values)
    if values.dtype.kind in "US" and labels.dtype.kind not in "USO":
        raise UnfitError("predicts texts; the classes are numbers")
    try:
        codes = np.searchsorted(labels, values).clip(0, len(labels) - 1)
    except TypeError:
        raise UnfitError(f"predicts {values.dtype}; the classes are {labels.dtype}") from None
    wrong = labels[codes] != values
    if wrong.any() and (strict or values.dtype.kind == "f"):
        fractions = values.dtype.kind == "f" and bool((values % 1 != 0).any())
        what = VALUES if fractions else "which is not one of the classes"
        raise UnfitError(f"predicts {values[wrong].tolist()[0]!r}, {what}")
    codes = np.where(wrong, len(labels), codes)
    return np.asarray(codes, np.int16 if len(labels) < 2**15 else np.int64)


# Names, flags and parameters: as JSON, equal text for equal parameters in any process


def checked_name(configuration: Any) -> str:
    """Return the name of a configuration; an OptionError if it is empty."""
    name = str(configuration)
    refuse(not name.strip(), "a configuration has no name", "give it a unique name")
    return name


def flags_of(flags: Sequence[str] | None) -> tuple[str, ...]:
    """Return flags as a tuple; a single one may be text."""
    return tuple(str(flag) for flag in as_list(flags))


def params_of(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return parameters as JSON; an OptionError if they have no names."""
    hint = "give the value of each parameter by its name"
    refuse(not isinstance(params, Mapping | None), "params must be a dict", hint)
    return {str(key): in_json(value) for key, value in (params or {}).items()}


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return all parameters of an estimator and its parts; empty if it has none."""
    if not hasattr(estimator, "get_params"):
        return {}
    params = estimator.get_params(deep=True)
    # nested estimators list their own parameters too, under longer names
    listed = frozenset(id(value) for value in params.values() if _is_estimator(value))
    return {name: in_json(value, listed) for name, value in params.items()}


def of_candidate(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a search sets, with those of nested estimators."""
    nested = {name: parameters_of(value) for name, value in params.items() if _is_estimator(value)}
    within = {f"{name}__{key}": v for name, inner in nested.items() for key, v in inner.items()}
    listed = frozenset(map(id, params.values()))
    return within | {name: in_json(value, listed) for name, value in params.items()}


def class_name(value: Any) -> str:
    """Return the full name of a class, a function, or the class of a value."""
    given = value if hasattr(value, "__qualname__") else type(value)
    return f"{given.__module__}.{given.__qualname__}"


def in_json(value: Any, listed: Set[int] = frozenset()) -> Any:
    """Return the JSON value for a parameter; for the estimators `listed`, by id, only the class."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [in_json(item, listed) for item in value]
    if isinstance(value, dict):
        return {str(key): in_json(item, listed) for key, item in value.items()}
    if _is_estimator(value):
        about = {} if id(value) in listed else {"params": parameters_of(value)}
        return {"class": class_name(value)} | about
    return _of_code(value)


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _of_code(value: Any) -> Any:
    """Return the form of any other object: a digest, its name, its code, or its `repr`."""
    if isinstance(value, np.ndarray):
        return {"array": list(value.shape), "digest": _digest(repr(value.tolist()))}
    if isinstance(value, functools.partial):
        return {"partial": in_json(value.func), "given": in_json([value.args, value.keywords])}
    code = getattr(value, "__code__", None)
    if code is not None:
        closure = [cell.cell_contents for cell in value.__closure__ or ()]
        content = (code.co_code, code.co_consts, code.co_names, value.__defaults__, closure)
        local = "<" in value.__qualname__  # lambdas share a name
        return {"class": class_name(value)} | ({"digest": _digest(_text(content))} if local else {})
    random = isinstance(value, np.random.RandomState | np.random.Generator)
    if hasattr(value, "__qualname__") or random:
        return {"class": class_name(value)}
    return _text(value)


def _text(value: Any) -> str:
    text = repr(value)
    return text if " at 0x" not in text else class_name(value)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
