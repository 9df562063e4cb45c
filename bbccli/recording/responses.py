"""Collect the answers of estimators, and bring them into the form of a part."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.types import IntArray, PredictionKind, Task

RESPONSES = ("predict_proba", "decision_function", "predict")
"""Methods of estimators that predict; where a metric used several, the first of these is kept."""

Kept = tuple[NDArray[Any], PredictionKind]


class UnfitError(ValueError):
    """Predictions that can't be kept."""


@contextmanager
def listening(estimator: Any, features: Any) -> Iterator[dict[str, Any]]:
    """Yield the answers of an estimator for these rows within the `with` statement, by method.

    The metric and the recording then share one prediction, which may take longer than the fit.
    """
    heard: dict[str, Any] = {}
    within: list[str] = []
    own: dict[str, Any] = getattr(estimator, "__dict__", {})
    added = []
    for name in RESPONSES:
        method = getattr(estimator, name, None)
        if callable(method) and name not in own:
            own[name] = _overheard(method, name, features, heard, within)
            added.append(name)
    try:
        yield heard
    finally:
        for name in added:
            own.pop(name, None)


def answer_of(estimator: Any, features: Any, method: str = "") -> dict[str, Any]:
    """Return the answer of one method, by its name: of the first that the estimator has.

    Raises
    ------
    UnfitError
        It has none.
    """
    for name in (method,) if method else RESPONSES:
        if callable(getattr(estimator, name, None)):
            return {name: getattr(estimator, name)(features)}
    raise UnfitError(f"no {method or 'predict'}()")


def kept(heard: dict[str, Any], estimator: Any, labels: NDArray[Any] | None, task: Task) -> Kept:
    """Return the best of the answers, in the form of a part.

    Parameters
    ----------
    heard
        Answers by method.
    labels : (K,)
        The classes in sorted order; None in a regression.

    Returns
    -------
    predictions : (n,) or (n, K)
        Class codes, values, probabilities or scores; of two classes those of the last.
    kind
        Their form.

    Raises
    ------
    UnfitError
        Other classes, or another number of columns.
    """
    name = next((one for one in RESPONSES if one in heard), "")
    answer = np.asarray(heard.get(name))
    if labels is None or task is Task.REGRESSION:
        if name != "predict" or answer.size != len(answer):
            raise UnfitError(f"{name or 'no method'} did not return a list of values")
        return answer.reshape(-1), PredictionKind.VALUE
    if name == "predict":
        return codes_of(answer.reshape(-1), labels), PredictionKind.LABEL
    if name == "decision_function":
        if len(labels) == 2 and answer.size == len(answer):
            return answer.reshape(-1), PredictionKind.SCORE
        pairs = getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        if pairs or len(_columns(answer, estimator, labels)) != len(labels):
            raise UnfitError("decision_function has no column for each class")
        return answer[:, 1] if len(labels) == 2 else answer, PredictionKind.SCORE
    columns = _columns(answer, estimator, labels)
    if len(columns) < len(labels):
        whole = np.zeros((len(answer), len(labels)), answer.dtype)
        whole[:, columns] = answer
        answer = whole
    return answer[:, 1] if len(labels) == 2 else answer, PredictionKind.PROBABILITY


def codes_of(values: NDArray[Any], labels: NDArray[Any]) -> IntArray:
    """Return the position of each value among the sorted classes.

    Raises
    ------
    UnfitError
        A value that is none of them.
    """
    values = np.asarray(values)
    if values.dtype.kind in "US" and labels.dtype.kind not in "USO":
        raise UnfitError("predicts texts; the classes are numbers")
    try:
        codes = np.searchsorted(labels, values).clip(0, len(labels) - 1)
    except TypeError:
        raise UnfitError(f"predicts {values.dtype}; the classes are {labels.dtype}") from None
    wrong = labels[codes] != values
    if wrong.any():
        raise UnfitError(f"predicts {values[wrong].tolist()[0]!r}, which is none of the classes")
    return np.asarray(codes, np.int16 if len(labels) < 2**15 else np.int64)


def _overheard(
    method: Any, name: str, features: Any, heard: dict[str, Any], within: list[str]
) -> Any:
    @functools.wraps(method)
    def answering(data: Any, *args: Any, **kwargs: Any) -> Any:
        within.append(name)
        try:
            answer = method(data, *args, **kwargs)
        finally:
            within.pop()
        if data is features and not within:  # what the metric asked for, not how it is answered
            heard.setdefault(name, answer)
        return answer

    return answering


def _columns(answer: NDArray[Any], estimator: Any, labels: NDArray[Any]) -> IntArray:
    """Return the class of each column: a fold may lack one in training."""
    own = getattr(estimator, "classes_", labels)
    if answer.ndim != 2 or len(own) != answer.shape[1]:
        raise UnfitError(f"predictions of shape {answer.shape} for {len(labels)} classes")
    return codes_of(np.asarray(own), labels)
