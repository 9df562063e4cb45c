"""Arrays -> prediction matrix, with the checks and results of a file with the same content.

Roles of columns and layout are known, so they are not guessed. All later steps are those of files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import check_names
from bbccli.errors import InputError, OptionError, naming
from bbccli.notes import Note, identities, of_metadata
from bbccli.platform.arguments import check_order
from bbccli.reading import understand_sheet
from bbccli.reading.arrow import pa
from bbccli.reading.classes import in_order, sorted_names, spelled
from bbccli.reading.column import Column, name_of
from bbccli.reading.columns.classes import sum_to_one
from bbccli.reading.columns.glance import may_be_classes
from bbccli.reading.metadata import MAJOR_VERSION, SPEC, Metadata, parse_metadata
from bbccli.reading.outcome import refuse_truth, task_of
from bbccli.reading.roles import Request, Roles
from bbccli.reading.sample_index import place
from bbccli.reading.sheet import RAISE, Sheet
from bbccli.reading.sources.memory import ARRAYS as NAME
from bbccli.reading.sources.memory import (
    arrow_array,
    columns_of_role,
    name_in_messages,
    names_of_columns,
    plain_array,
)
from bbccli.reading.table import PredictionColumn, Table, cells_of
from bbccli.types import BoolArray, Missing, Task


@naming(NAME)
def matrix_of(
    predictions: ArrayLike,
    outcome: ArrayLike | None = None,
    *,
    event: ArrayLike | None = None,
    configurations: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    folds: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    row_id: ArrayLike | None = None,
    task: Task | str | None = None,
    positive: str | int | None = None,
    missing: Missing | str | None = None,
    metadata: Mapping[str, Any] | None = None,
    bounds: tuple[float, float] | None = None,
) -> PredictionMatrix:
    """Make a matrix of out-of-sample predictions that are in memory.

    Parameters
    ----------
    predictions : (N, C), (N, C, K) or (R, N, C[, K])
        Out-of-sample predictions of C configurations on N samples, in R repeats: probabilities,
        scores, values or labels, or a number for each of K classes. NaN if a prediction is missing;
        in repeated hold-out, where no repeat predicts all samples, NaN for all configurations marks
        the samples that a repeat leaves out. Three axes are (N, C, K) if the first is as long as
        the outcome and the second is not, or if `classes` are named; else (R, N, C). But a last
        axis that sums to 1 in every row, of a truth with classes, holds these: then (N, K) is one
        configuration, and (C, N, K), such as a list of what `predict_proba` returns, C of them.
    outcome : (N,), optional
        True labels or values; for a survival task the times. None for scores without a truth.
    event : (N,), optional
        For a survival task: 1 if the event was observed, 0 if the sample is censored.
    configurations
        C names; by default those of a data frame's columns, else "0", "1", ...
    classes
        Names of the classes along the last axis; by default the sorted values of the outcome.
    folds : (N,) or (R, N), optional
        Fold of each sample, in each repeat.
    groups, weights, row_id : (N,), optional
        Cluster, weight and key of each sample.
    task, positive, missing
        As for `read`.
    metadata
        What a file may say in its [metadata](formats.md#metadata); `spec` and `version` may be
        left out.
    bounds
        As for `read`, for scores without a truth.

    Returns
    -------
    PredictionMatrix
        As `read` makes it of a file.

    Raises
    ------
    InputError, UndefinedError, OptionError
        Shapes that don't fit, and whatever `read` raises.

    Examples
    --------
    >>> matrix = matrix_of([[0.1, 0.2], [0.8, 0.9]], ["a", "b"], configurations=["knn", "svm"])
    >>> matrix.task, matrix.predictions.shape
    (<Task.BINARY: 'binary'>, (1, 2, 2))
    """
    check_order(
        {"predictions": predictions, "outcome": outcome, "event": event, "folds": folds}
        | {"groups": groups, "weights": weights, "row_id": row_id}
    )
    if configurations is None:
        configurations = _columns_of(predictions)
    array = plain_array(predictions)
    truth = None if outcome is None else _axis(outcome, "outcome")
    n_samples = (*array.shape, 0, 0)[max(array.ndim - 2, 0)] if truth is None else len(truth)
    may_vary = event is not None or str(task) in (Task.REGRESSION, Task.SCORE)
    by_class = None if may_vary else _by_class(array, truth, configurations)
    named = classes is not None or by_class is not None
    array = _four_axes(array if by_class is None else by_class, n_samples, named)
    n_repeats, names = len(array), _names(configurations, array.shape[2])
    about = Metadata()
    if metadata is not None:
        whole = {"spec": SPEC, "version": MAJOR_VERSION, **metadata}
        about = parse_metadata(json.dumps(whole, default=str), NAME)
    outcome_role = "truth" if event is None else "time"
    of_samples: dict[str, ArrayLike | None] = {outcome_role: truth, "event": event}
    of_samples |= {"group": groups, "weight": weights, "row_id": row_id}
    held_out = folds is None and n_repeats > 1 and _holds_out(array)
    if held_out and row_id is None:
        of_samples["row_id"] = np.arange(n_samples)
    roles = _roles(of_samples, folds, n_repeats, n_samples)
    labels = _classes(classes, roles, array.shape[3])
    table, cells = _cells(array, names, labels)
    notes = _notes_on_classes(labels, classes is not None, len(names) * (by_class is not None))
    sheet = Sheet(table, "arrays", table.n_rows, roles, cells, about, notes=notes)
    if held_out:
        sheet = sheet.of_rows(np.flatnonzero(_predicted(array).reshape(-1)))
    sheet = place(sheet, RAISE)
    how: dict[str, Any] = {"task": task, "positive": positive, "missing": missing}
    by_hand = Roles(weight=None if weights is None else "weight")
    request = Request(by_hand, **how, bounds=bounds)  # converts words to its types
    settled = task_of(request, sheet)
    refuse_truth(request, settled)
    if (truth is None) is not (settled is Task.SCORE):
        problem = "there is no outcome" if truth is None else "scores have no outcome"
        raise InputError(
            problem, hint=("use task=Task.SCORE for scores; all other tasks need an outcome")
        )
    return understand_sheet(sheet, request)[1]


def _columns_of(frame: object) -> list[str] | None:
    """Return the column names of a data frame, all of which are configurations."""
    for role in ("truth", "fold", "repeat", "group", "weight"):
        for name in columns_of_role(frame, role):
            raise InputError(
                f"column {name} has the name of a {role}, but all columns are configurations",
                path=name_in_messages(frame),
                hint="drop the column, or use bbccli.read, which assigns roles to columns",
            )
    return names_of_columns(frame)


def _roles(
    of_samples: Mapping[str, ArrayLike | None],
    folds: ArrayLike | None,
    n_repeats: int,
    n_samples: int,
) -> dict[str, Column]:
    """Return the columns of the roles, with repeats stacked."""
    arrays = {}
    for role, values in of_samples.items():
        if values is None:
            continue
        array = _axis(values, role)
        if len(array) != n_samples:
            raise InputError(
                f"{role} has {len(array)} values, but the predictions have {n_samples} samples",
                hint="give one value per sample",
            )
        arrays[role] = np.tile(array, n_repeats)
    if folds is not None:
        array = plain_array(folds)
        array = array[None] if array.ndim == 1 and n_repeats == 1 else array
        if array.shape != (n_repeats, n_samples):
            raise InputError(
                f"folds have shape {array.shape}, but need {(n_repeats, n_samples)}",
                hint="give the fold of each sample in each repeat",
            )
        arrays["fold"] = array.reshape(-1)
    if n_repeats > 1:
        arrays["repeat"] = np.repeat(np.arange(n_repeats), n_samples)
    return {
        role: Column(NAME, role, arrow_array(values, role), np.arange(len(values)))
        for role, values in arrays.items()
    }


def _axis(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return one value per sample (N,)."""
    array = plain_array(values)
    if array.ndim != 1:
        problem = f"{name} has shape {array.shape}, not (N,)"
        raise InputError(problem, hint="give one value per sample")
    return array


def _by_class(
    array: NDArray[Any], truth: NDArray[Any] | None, names: Sequence[str] | None
) -> NDArray[Any] | None:
    """Return (N, K) of one model, or (C, N, K), as (N, C, K) if it sums to 1 in every row.

    None otherwise; so say names of configurations along the last axis, and a truth of values.
    """
    n_columns = array.shape[-1] if array.ndim in (2, 3) and array.dtype.kind == "f" else 0
    if truth is None or n_columns < 2 or array.shape[-2] != len(truth):
        return None
    stacked = array if array.ndim == 3 else array[None]
    by_hand = names is not None and len(names) == n_columns != len(stacked)
    column = Column(NAME, "truth", arrow_array(truth, "truth"), np.arange(len(truth)))
    if len(stacked) == len(truth) or by_hand or not may_be_classes(column):
        return None
    proper = sum_to_one(stacked.reshape(-1, n_columns), labelled=False)
    return np.moveaxis(stacked, 0, 1) if proper else None


def _four_axes(array: NDArray[Any], n_samples: int, named: bool) -> NDArray[Any]:
    """Return predictions (R, N, C, K), with K = 1 for a single prediction per sample."""
    shape = array.shape
    if array.ndim == 2:
        array = array[None, :, :, None]
    elif array.ndim == 3:
        by_class = shape[0] == n_samples and (named or shape[1] != n_samples)
        array = array[None] if by_class else array[..., None]
    if array.ndim != 4 or not array.size or array.shape[1] != n_samples:
        raise InputError(
            f"predictions have shape {shape}, but the outcome has {n_samples} values",
            hint="give (N, C), (N, C, K), (R, N, C) or (R, N, C, K): repeats, samples, "
            "configurations and classes, in this order",
        )
    return array


def _predicted(array: NDArray[Any]) -> BoolArray:
    """(R, N) True where some configuration of (R, N, C, K) has a prediction."""
    present = np.ones(array.shape, bool)
    if array.dtype.kind == "f":
        present = ~np.isnan(array)
    elif array.dtype.hasobject:  # only NaN differs from itself
        listed = [v is not None and v == v for v in array.ravel().tolist()]  # noqa: PLR0124
        present = np.reshape(listed, array.shape)
    return np.asarray(present.any(axis=(2, 3)))


def _holds_out(array: NDArray[Any]) -> bool:
    """True if no repeat predicts all samples, but some sample is in several repeats."""
    there = _predicted(array)
    return bool(not there.all(axis=1).any() and (there.sum(axis=0) > 1).any())


def _names(given: Sequence[str] | None, n_configurations: int) -> list[str]:
    names = [str(i) for i in range(n_configurations)] if given is None else list(map(str, given))
    if len(names) != n_configurations:
        raise InputError(
            f"there are {len(names)} names of configurations, but the predictions have "
            f"{n_configurations}",
            hint="give one name per configuration",
        )
    check_names(names, NAME)
    return names


def _classes(
    given: Sequence[Any] | None, roles: Mapping[str, Column], n_columns: int
) -> tuple[str, ...]:
    """Return the class names of the last axis; empty if it is not an axis of classes."""
    if n_columns == 1:
        return ()
    if "truth" not in roles:
        raise OptionError("a survival task has no classes", hint="give (N, C) or (R, N, C)")
    present = in_order(roles["truth"])
    named = present if given is None else given
    classes = [spelled(name_of(value), present) for value in named]
    if len(set(classes)) != n_columns or len(classes) != n_columns:
        raise InputError(
            f"the last axis has {n_columns} columns, but there are {len(classes)} classes",
            hint="name the classes of this axis: classes=[...]",
        )
    return tuple(classes)


def _notes_on_classes(
    classes: Sequence[str], named: bool, n_configurations: int
) -> tuple[Note, ...]:
    """Return notes on classes of an axis that was told by its sums, or on those sorted as text."""
    if n_configurations:
        return (identities.classes_of_axis(classes, n_configurations),)
    by_spelling = not named and list(classes) != sorted_names(classes)
    return (of_metadata.classes_in_order(classes, spelling=True),) if by_spelling else ()


def _cells(
    array: NDArray[Any], names: Sequence[str], classes: Sequence[str]
) -> tuple[Table, tuple[PredictionColumn, ...]]:
    """Return the columns of the predictions (R N,), with configuration and class."""
    rows = array.reshape(-1, len(names) * array.shape[3])
    cells = cells_of(product(names, classes or (None,)))
    columns = [arrow_array(rows[:, i], cell.source) for i, cell in enumerate(cells)]
    return Table(NAME, pa.table(columns, [cell.source for cell in cells])), cells
