"""Checks of a prediction matrix: shapes that do not match, names, values, a single class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.core.outcome import Outcome
from bbccli.errors import InputError, UndefinedError
from bbccli.types import FloatArray

Shape = tuple[int, ...]


def check_shapes(predictions: FloatArray, path: str, **shapes: Shape | None) -> None:
    """Refuse predictions without content, and arrays that do not have the shape they need.

    Parameters
    ----------
    predictions : (R, N, C) or (R, N, C, K)
        Of the matrix.
    path
        Of the file, for messages.
    **shapes
        Shape of each array that belongs to the predictions, by its name; None where there is none.

    Raises
    ------
    InputError
        A shape that does not match.
    """
    _check_axes(predictions, path)
    n_repeats, n_samples, n_configurations = predictions.shape[:3]
    needed = {
        "outcome": (n_samples,),
        "configurations": (n_configurations,),
        "folds": (n_repeats, n_samples),
        "groups": (n_samples,),
        "sample_keys": (n_samples,),
        "available": predictions.shape[:3],
    }
    for name, found in shapes.items():
        if found is not None and found != needed[name]:
            raise InputError(
                f"{name} have shape {found}, the predictions need {needed[name]}",
                path=path,
                hint="give as many as the predictions have",
            )


def _check_axes(predictions: FloatArray, path: str) -> None:
    shape = predictions.shape
    if predictions.ndim not in (3, 4):
        raise InputError(
            f"predictions have shape {shape}, not (R, N, C) or (R, N, C, K)",
            path=path,
            hint="repeats, samples, configurations and perhaps classes, in this order",
        )
    n_repeats, n_samples, n_configurations = shape[:3]
    if n_configurations == 0:
        raise InputError("no configuration column", path=path, hint="one column per configuration")
    if n_samples == 0 or n_repeats == 0:
        raise InputError("no samples", path=path, hint="one row per sample")


def check_names(configurations: Sequence[str], path: str) -> None:
    """Refuse configurations without a name, and names that occur twice."""
    seen: set[str] = set()
    for position, name in enumerate(configurations):
        if not name.strip():
            raise InputError(
                f"configuration {position} has no name",
                path=path,
                hint="give every configuration column a name",
            )
        if name in seen:
            raise InputError(
                "configuration name occurs twice",
                path=path,
                column=name,
                hint="rename one of the two columns",
            )
        seen.add(name)


def check_finite(predictions: FloatArray, configurations: Sequence[str], path: str) -> None:
    """Refuse NaN and infinite predictions: name the first of them."""
    finite = np.isfinite(predictions)
    if finite.all():
        return
    place = tuple(int(i) for i in np.argwhere(~finite)[0])
    raise InputError(
        "prediction is not a finite number",
        path=path,
        row=place[1],
        column=configurations[place[2]],
        value=float(predictions[place]),
        hint="leave the cell empty where there is no prediction",
    )


def check_classes(outcome: Outcome) -> None:
    """Refuse the samples of a classification that are all of one class."""
    if not outcome.task.is_classification:
        return
    present = [c for c, n in zip(outcome.classes, outcome.class_counts, strict=True) if n]
    if len(present) < 2:
        raise UndefinedError(
            f"the outcome has one class only ({', '.join(present)})",
            hint="a performance over classes needs samples of at least two",
        )
