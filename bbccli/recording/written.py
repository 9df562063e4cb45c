"""Predictions that a loop hands over: checked, and brought into the form of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.arguments import as_list
from bbccli.errors import OptionError
from bbccli.recorded.design import Design
from bbccli.recording.given import as_array
from bbccli.recording.parameters import plain
from bbccli.recording.responses import UnfitError, codes_of
from bbccli.recording.truth import Truth
from bbccli.types import IntArray, PredictionKind


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
        raise OptionError("params are no dict", hint="the value of each parameter by its name")
    return {str(key): plain(value) for key, value in (params or {}).items()}


def positions(rows: Any, n_samples: int) -> IntArray:
    """Return the positions of rows.

    Raises
    ------
    OptionError
        Rows that there are not, or one twice.
    """
    given = as_array(rows, "rows")
    if given.dtype == bool and given.shape == (n_samples,):
        given = np.flatnonzero(given)
    right = given.ndim == 1 and given.size and given.dtype.kind in "iu"
    if not right or given.min() < 0 or given.max() >= n_samples:
        raise OptionError("rows are no positions", hint=f"whole numbers from 0 to {n_samples - 1}")
    if len(np.unique(given)) < len(given):
        raise OptionError("rows hold a sample twice", hint="one prediction per sample and fold")
    return given.astype(np.int64)


def split_of(
    rows: IntArray,
    design: Design,
    places: Sequence[tuple[int, int]],
    repeat: int | None,
    fold: int | None,
) -> tuple[int | None, IntArray, IntArray | None]:
    """Return the split that rows are the test set of, its rows, and the order that makes them so.

    Without splits in the design: None, the rows, None.

    Raises
    ------
    OptionError
        The rows are the test set of no split, of several, or of another one than was said.
    """
    if not places:
        return None, rows, None
    wanted = np.sort(rows)
    equal = [
        split
        for split, (own, tests) in enumerate(zip(places, design.tests, strict=True))
        if repeat in (None, own[0])
        and fold in (None, own[1])
        and len(tests) == len(rows)
        and np.array_equal(np.sort(tests), wanted)
    ]
    if len(equal) != 1:
        said = "".join(
            f" {word} {number}"
            for word, number in (("repeat", repeat), ("fold", fold))
            if number is not None
        )
        problem = "several test sets" if equal else f"no test set of cv{said and ','}{said}"
        raise OptionError(f"the rows are {problem}", hint="the test rows of one of rec.cv")
    tests = design.tests[equal[0]]
    return equal[0], tests, np.argsort(rows)[np.argsort(np.argsort(tests))]


def predictions_of(given: Any, n: int, truth: Truth) -> tuple[NDArray[Any], PredictionKind]:
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
    if truth.labels is None:
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise OptionError("predictions of a regression are one number per row", hint="see y")
        return array.astype(np.result_type(array, np.float32)), PredictionKind.VALUE
    if array.ndim == 1 and (array.dtype.kind != "f" or len(truth.labels) > 2):
        return _labels(array, truth), PredictionKind.LABEL
    return _numbers(array, truth)


def _labels(array: NDArray[Any], truth: Truth) -> IntArray:
    assert truth.labels is not None
    try:
        return codes_of(array, truth.labels)
    except UnfitError as error:
        raise OptionError(
            f"a configuration {error}", hint="labels as in y; or floats that are scores"
        ) from None


def _numbers(array: NDArray[Any], truth: Truth) -> tuple[NDArray[Any], PredictionKind]:
    """Probabilities where they can be such, else scores."""
    n_classes = len(truth.names)
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
