"""Checks of a prediction matrix: shapes, names, values, classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.errors import InputError, UndefinedError
from bbccli.types import FloatArray

Shape = tuple[int, ...]


def check_shapes(predictions: FloatArray, path: str, **shapes: Shape | None) -> None:
    """Refuse empty predictions and arrays, named with their shape, that do not match them."""
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
    for name, shape in shapes.items():
        if shape is not None and shape != needed[name]:
            raise InputError(
                f"{name} have shape {shape}, but the predictions need {needed[name]}",
                path=path,
                hint="match the shape of the predictions",
            )


def _check_axes(predictions: FloatArray, path: str) -> None:
    shape = predictions.shape
    if predictions.ndim not in (3, 4):
        raise InputError(
            f"predictions have shape {shape}, not (R, N, C) or (R, N, C, K)",
            path=path,
            hint="give repeats, samples, configurations and possibly classes, in this order",
        )
    n_repeats, n_samples, n_configurations = shape[:3]
    if n_configurations == 0:
        raise InputError("no configuration column", path=path, hint="one column per configuration")
    if n_samples == 0 or n_repeats == 0:
        raise InputError("no samples", path=path, hint="one row per sample")


def check_names(configurations: Sequence[str], path: str) -> None:
    """Refuse empty and duplicate names of configurations."""
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
                "two configurations have the same name",
                path=path,
                column=name,
                hint="rename one of the two columns",
            )
        seen.add(name)


def check_finite(predictions: FloatArray, configurations: Sequence[str], path: str) -> None:
    """Refuse NaN and infinite predictions, naming the first."""
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
    """Refuse the outcome of a classification with a single class."""
    if not outcome.task.is_classification:
        return
    present = [c for c, n in zip(outcome.classes, outcome.class_counts, strict=True) if n]
    if len(present) < 2:
        raise UndefinedError(
            f"the outcome has only one class ({', '.join(present)})",
            hint="give samples of at least two classes",
        )
