"""Check what a recorder is given, and bring it into the form in which it is kept."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.arguments import as_list
from bbccli.errors import OptionError, nearest
from bbccli.recording.design import Design
from bbccli.recording.parameters import plain
from bbccli.recording.responses import RESPONSES, UnfitError, codes_of
from bbccli.types import FloatArray, IntArray, PredictionKind, Task


def as_array(given: Any, name: str) -> NDArray[Any]:
    """Return an argument as an array.

    Raises
    ------
    OptionError
        Lists of different lengths.
    """
    try:
        return np.asarray(given)
    except ValueError:
        raise OptionError(
            f"{name}: lists of different lengths are not an array", hint="as many values in each"
        ) from None


def position(given: Any, name: str) -> int:
    """Return a fold or a repeat as an integer; those of numpy are such too.

    Raises
    ------
    OptionError
        Something else, or a negative number.
    """
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise OptionError(f"{name} is {given!r}", hint="folds and repeats are whole numbers from 0")
    return number


def design_of(y: Any, task: str | None, scoring: Any) -> Design:
    """Return a design with the truth, and the task where it was not given.

    Raises
    ------
    OptionError
        No single column, missing values, or whole numbers that may be classes or values.
    """
    values = as_array(y, "y")
    values = values.reshape(-1) if values.ndim and values.size == len(values) else values
    if values.ndim != 1 or values.dtype.names or not values.size:
        raise OptionError("y is not a single column", hint="one label or value per sample")
    if values.dtype.hasobject:
        values = _of_objects(values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise OptionError("y has missing values", hint="leave out the samples without a truth")
    labels = np.unique(values)
    tasks = (Task.BINARY, Task.MULTICLASS, Task.REGRESSION)
    if task is not None and task not in tasks:
        raise OptionError(f"no task {task!r} can be recorded", hint=nearest(str(task), tasks))
    if (task or _task_of(values, labels, scoring)) == Task.REGRESSION:
        if values.dtype.kind not in "biuf":
            raise OptionError("y of a regression must be a list of numbers", hint="check task=")
        return Design(Task.REGRESSION, values.astype(np.float64), ())
    if len(labels) < 2:
        raise OptionError("y has one class only", hint="classification needs at least two")
    names = tuple(
        str(int(one) if isinstance(one, float) and one.is_integer() else one)
        for one in labels.tolist()
    )
    codes = np.searchsorted(labels, values).astype(np.int64)
    of_classes = Task.BINARY if len(labels) == 2 else Task.MULTICLASS
    return Design(of_classes, codes, names, labels=labels)


def codes_of_groups(groups: Any, n_samples: int) -> IntArray:
    """Return the code of each group.

    Raises
    ------
    OptionError
        Another number of groups than samples, or samples without one.
    """
    values = as_array(groups, "groups")
    if values.shape != (n_samples,):
        raise OptionError(
            f"groups have shape {values.shape}, not ({n_samples},)", hint="one per sample"
        )
    if any(map(_is_missing, values.tolist())):
        raise OptionError("groups have missing values", hint="a group of its own is one too")
    if values.dtype.hasobject:
        values = values.astype(str)
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def _task_of(values: NDArray[Any], labels: NDArray[Any], scoring: Any) -> Task:
    """Classes, unless the numbers have decimals or the metric is one of values.

    Which of the two tasks with classes is not decided here.
    """
    if values.dtype.kind not in "iuf" or (values.dtype.kind != "f" and len(labels) <= 2):
        return Task.BINARY
    if len(labels) > 2 and (values % 1 != 0).any():
        return Task.REGRESSION
    if isinstance(scoring, str):
        from bbccli.metrics import METRICS, canonical

        metric = METRICS.get(canonical(scoring, METRICS))
        if metric is not None:
            return Task.REGRESSION if Task.REGRESSION in metric.tasks else Task.BINARY
    if len(labels) <= 2:
        return Task.BINARY
    raise OptionError(
        f"y has {len(labels)} different whole numbers: classes or values?",
        hint='task="multiclass" or task="regression"',
    )


def _of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return texts, numbers or booleans in their own type."""
    objects = values.tolist()
    if any(map(_is_missing, objects)):
        raise OptionError("y has missing values", hint="leave out the samples without a truth")
    with suppress(ValueError):
        values = np.array(objects)
    mixed = values.dtype.kind == "U" and not all(isinstance(one, str) for one in objects)
    if values.ndim != 1 or values.dtype.hasobject or mixed:
        raise OptionError("y mixes texts and numbers", hint="labels of one type")
    return values


def _is_missing(value: Any) -> bool:
    unknown = value is None or type(value).__name__ in ("NAType", "NaTType")
    return unknown or (isinstance(value, float) and bool(np.isnan(value)))


Split = tuple[IntArray, IntArray]


def frozen(cv: Any, features: Any, truth: Any, groups: Any, classifies: bool) -> list[Split]:
    """Return train and test rows of every split.

    Parameters
    ----------
    cv
        A splitter of scikit-learn, a number of folds, None for five, or pairs of train and test
        rows: positions, or booleans (N,).
    features, truth, groups
        Arguments of the splitter; `features` may be None.
    classifies
        True if a number of folds means stratified ones.

    Raises
    ------
    OptionError
        No splits, rows that there are not, or a split that tests what it trains on.
    """
    n_samples, splits = len(truth), []
    for position, pair in enumerate(_pairs(cv, features, truth, groups, classifies)):
        train, test = (_rows(as_array(rows, f"split {position}"), n_samples) for rows in pair)
        if any(rows is None or len(np.unique(rows)) < len(rows) for rows in (train, test)):
            raise OptionError(
                f"split {position} is not a list of rows",
                hint=f"positions from 0 to {n_samples - 1}, each once, at least one",
            )
        splits.append((np.asarray(train), np.asarray(test)))
    if not splits:
        raise OptionError("cv has no splits", hint="at least two folds")
    for position, (train, test) in enumerate(splits):
        if np.isin(test, train).any():
            raise OptionError(
                f"split {position} tests rows that it trains on",
                hint="predictions of training rows are not out of sample; give disjoint rows",
            )
    return splits


def _pairs(cv: Any, features: Any, truth: Any, groups: Any, classifies: bool) -> list[Any]:
    """Return train and test rows as they were given, or as a splitter draws them."""
    try:
        if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
            from sklearn.model_selection import check_cv

            cv = check_cv(cv, np.asarray(truth), classifier=classifies)
        if hasattr(cv, "split") and not isinstance(cv, str):
            seen = np.zeros((len(truth), 1)) if features is None else features
            return list(cv.split(seen, truth, groups))
        return [(train, test) for train, test in cv]
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"cv gives no splits: {error}",
            hint="a splitter of scikit-learn, a number of folds, or pairs of train and test rows",
        ) from error


def name_of(configuration: Any) -> str:
    """Return the name of a configuration.

    Raises
    ------
    OptionError
        It is empty.
    """
    name = str(configuration).strip()
    if not name:
        raise OptionError("a configuration has no name", hint="a text that is its own")
    return name


def flags_of(flags: Sequence[str] | None) -> tuple[str, ...]:
    """Return flags; a single one may be a text."""
    return tuple(str(flag) for flag in as_list(flags))


def params_of(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return parameters as JSON.

    Raises
    ------
    OptionError
        They have no names.
    """
    if not isinstance(params, Mapping | None):
        raise OptionError("params must be a dict", hint="the value of each parameter by its name")
    return {str(key): plain(value) for key, value in (params or {}).items()}


def positions(rows: Any, n_samples: int) -> IntArray:
    """Return the positions of rows.

    Raises
    ------
    OptionError
        Rows that there are not, or one twice.
    """
    found = _rows(as_array(rows, "rows"), n_samples)
    if found is None:
        raise OptionError("rows must be positions", hint=f"whole numbers from 0 to {n_samples - 1}")
    if len(np.unique(found)) < len(found):
        raise OptionError("rows hold a sample twice", hint="one prediction per sample and fold")
    return found


def _rows(rows: NDArray[Any], n_samples: int) -> IntArray | None:
    """Positions (n,) of rows, given as such or as booleans (N,); None where they are neither."""
    if rows.dtype == bool and rows.shape == (n_samples,):
        rows = np.flatnonzero(rows)
    right = rows.ndim == 1 and rows.size and rows.dtype.kind in "iu"
    right = right and rows.min() >= 0 and rows.max() < n_samples
    return rows.astype(np.int64) if right else None


def split_of(
    rows: IntArray, design: Design, repeat: int | None, fold: int | None
) -> tuple[int | None, IntArray, IntArray | None]:
    """Return the split that rows are the test set of, its rows, and the order that makes them so.

    Without splits in the design: None, the rows, None.

    Raises
    ------
    OptionError
        The rows are the test set of no split, of several, or of another one than was said.
    """
    if not design.tests:
        return None, rows, None
    wanted = np.sort(rows)
    equal = [
        split
        for split, (place, tests) in enumerate(zip(design.places, design.tests, strict=True))
        if repeat in (None, place[0])
        and fold in (None, place[1])
        and np.array_equal(np.sort(tests), wanted)
    ]
    if len(equal) != 1:
        named = {"repeat": repeat, "fold": fold}.items()
        words = "".join(f" {word} {number}" for word, number in named if number is not None)
        problem = "several test sets" if equal else f"no test set of cv{words and ','}{words}"
        raise OptionError(f"the rows are {problem}", hint="the test rows of one of rec.cv")
    tests = design.tests[equal[0]]
    return equal[0], tests, np.argsort(rows)[np.argsort(np.argsort(tests))]


def predictions_of(given: Any, n: int, design: Design) -> tuple[NDArray[Any], PredictionKind]:
    """Return predictions (n,) or (n, K) and what they are.

    Raises
    ------
    OptionError
        Another length, other classes, or numbers that are not finite.
    """
    array = as_array(given, "predictions")
    if array.dtype.hasobject:
        array = as_array(array.tolist(), "predictions")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or len(array) != n:
        raise OptionError(
            f"predictions have shape {array.shape} for {n} rows", hint="one row of them per sample"
        )
    if array.dtype.hasobject:
        raise OptionError(
            "predictions are neither all numbers nor all labels",
            hint="leave out what has no prediction",
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise OptionError("predictions are not finite", hint="leave out what has no prediction")
    if design.labels is None:
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise OptionError("predictions of a regression are one number per row", hint="see y")
        return array.astype(np.result_type(array, np.float32)), PredictionKind.VALUE
    if array.ndim != 1 or (array.dtype.kind == "f" and len(design.labels) == 2):
        return _numbers(array, len(design.labels))
    try:
        return codes_of(array, design.labels), PredictionKind.LABEL
    except UnfitError as error:
        raise OptionError(
            f"a configuration {error}", hint="labels as in y; or floats that are scores"
        ) from None


def _numbers(array: NDArray[Any], n_classes: int) -> tuple[NDArray[Any], PredictionKind]:
    """Return probabilities where they can be such, else scores."""
    if array.ndim == 2 and array.shape[1] != n_classes:
        raise OptionError(
            f"predictions have {array.shape[1]} columns for {n_classes} classes",
            hint="a column for each class, in sorted order",
        )
    if array.dtype.kind not in "biuf":
        raise OptionError(
            "predictions have several columns that are no numbers", hint="labels in one column"
        )
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    inside = bool(((array >= 0) & (array <= 1)).all())
    sums = array.ndim == 1 or bool((np.abs(array.sum(axis=1) - 1) <= 1e-3).all())
    kind = PredictionKind.PROBABILITY if inside and sums else PredictionKind.SCORE
    return array[:, 1] if array.ndim == 2 and n_classes == 2 else array, kind


def check_response(response: str) -> None:
    """Refuse a response that no estimator has.

    Raises
    ------
    OptionError
        Another one than those that predict.
    """
    if response and response not in RESPONSES:
        raise OptionError(f"response is {response!r}", hint=f"one of: {', '.join(RESPONSES)}")


def check_length(features: Any, n_samples: int) -> None:
    """Refuse features of another number of rows than there are samples.

    Raises
    ------
    OptionError
        There are more, or fewer.
    """
    if features is None:
        return
    try:
        n_rows = features.shape[0] if hasattr(features, "shape") else len(features)
    except (TypeError, IndexError):  # a number, or an array of no axis
        n_rows = None
    if n_rows != n_samples:
        raise OptionError("X and y have different lengths", hint="one row of X per label")


def weights_of(sample_weight: Any, n_samples: int) -> FloatArray | None:
    """Return the weights as numbers.

    Raises
    ------
    OptionError
        Not one positive number per sample.
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (n_samples,) or not (np.isfinite(weights) & (weights > 0)).all():
        raise OptionError("sample_weight must be positive numbers", hint="one per sample")
    return weights
