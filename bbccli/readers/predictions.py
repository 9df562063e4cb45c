"""A cube -> labels, probabilities, scores or values of C configurations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bbccli.core.notes import listing
from bbccli.core.outcome import Outcome
from bbccli.errors import BbcError, InputError
from bbccli.readers.classes import SUM_TOLERANCE
from bbccli.readers.column import Column, number_of
from bbccli.readers.prediction_array import Cube, text_fault
from bbccli.readers.sheet import CLASS_SEPARATOR
from bbccli.types import BoolArray, FloatArray, PredictionKind, Task


@dataclass(frozen=True, slots=True)
class Values:
    """Predictions of C configurations.

    Attributes
    ----------
    array : (R, N, C) or (R, N, C, K)
        NaN where missing until they are complete. A `ColumnFile` where they stay in their file.
    available : (R, N, C) bool, optional
        Where there is a prediction; None if complete, or before they are completed.
    """

    array: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind
    available: BoolArray | None = None

    @property
    def in_memory(self) -> bool:
        """True if the predictions were read; False if workers read them from their file."""
        return isinstance(self.array, np.ndarray)


def interpret(cube: Cube, outcome: Outcome) -> Values:
    """Tell what the predictions of a task are, and arrange them.

    Parameters
    ----------
    cube
        Predictions as read.
    outcome
        Truth of the N samples, with the names of the classes.

    Raises
    ------
    InputError
        Text where numbers are needed, labels that are not a class, a configuration that lacks a
        class, or numbers that do not predict several classes.
    """
    if not outcome.task.is_classification:
        cube = cube.without_classes()
    elif not cube.by_class:
        labels = _labels(cube, outcome.classes)
        if labels is not None:
            return Values(labels, tuple(cube.places), PredictionKind.LABEL)
    if cube.numbers is None:
        texts = [column for column in cube.texts if column.is_text]
        raise text_fault(_worded(texts[0], texts))
    if outcome.task is Task.BINARY:
        return _binary(cube, cube.numbers, outcome.classes)
    if outcome.task is Task.MULTICLASS:
        return _multiclass(cube, cube.numbers, outcome.classes)
    survival = outcome.task is Task.SURVIVAL
    kind = PredictionKind.SCORE if survival else PredictionKind.VALUE
    return Values(cube.numbers, tuple(cube.places), kind)


def faults_of_each(cube: Cube, outcome: Outcome) -> Iterator[tuple[str, BbcError]]:
    """Yield the fault of every configuration that does not predict this task."""
    for own in cube.places.values():
        try:
            interpret(cube.part(list(own.values())), outcome)
        except BbcError as error:
            yield "predictions", error


def _labels(cube: Cube, classes: Sequence[str]) -> FloatArray | None:
    """(R, N, C) class codes; None when the predictions are not labels."""
    if cube.numbers is None:
        labels_of = (_text_labels(column, classes, cube.texts) for column in cube.texts)
        # row -1, none at all, is the last entry
        return np.stack([np.append(labels, np.nan)[cube.rows] for labels in labels_of], axis=-1)
    values = [number_of(name) for name in classes]
    if np.isnan(values).any() or not cube.all_among(values):
        return None
    labels = np.full(cube.numbers.shape, np.nan)
    for code, value in enumerate(values):
        labels[cube.numbers == value] = code
    return labels


def _text_labels(column: Column, classes: Sequence[str], columns: Sequence[Column]) -> FloatArray:
    """(n_rows,) class code of each text, NaN where missing."""
    codes, names = column.named_codes()
    known = {name: float(code) for code, name in enumerate(classes)}
    labels = np.array([*(known.get(name, -1.0) for name in names), np.nan])[codes]
    strange = np.flatnonzero(labels == -1)
    if not len(strange):
        return labels
    if any(not np.isnan(number_of(name)) for name in names if name not in known):
        raise text_fault(_worded(column, columns))
    if all(name not in known or not np.isnan(number_of(name)) for name in names):
        from bbccli.readers.numerals import doubt

        fault = doubt(column, of="prediction")
        if fault is not None:
            raise fault
    numbered = all(re.search(r"\d", name) for name in names)
    raise column.fault(
        f"prediction is not one of the classes ({listing(classes, 8)})",
        strange,
        hint="labels are spelled as in the truth" + ", and numbers with a decimal point" * numbered,
    )


def _worded(column: Column, columns: Sequence[Column]) -> Column:
    """Return the first of the columns that holds text other than numbers, else the given one."""
    for one in (column, *columns):
        if any(np.isnan(number_of(name)) for name in one.named_codes()[1]):
            return one
    return column


def _binary(cube: Cube, numbers: FloatArray, classes: Sequence[str]) -> Values:
    """Probability or score of the positive class."""
    if cube.by_class:
        _check_classes(cube, classes)
        numbers = numbers[:, :, [own[classes[-1]] for own in cube.places.values()]]
    kind = PredictionKind.PROBABILITY if _in_unit(numbers) else PredictionKind.SCORE
    return Values(numbers, tuple(cube.places), kind)


def _multiclass(cube: Cube, numbers: FloatArray, classes: Sequence[str]) -> Values:
    """(R, N, C, K) probabilities or scores of all classes."""
    if not cube.by_class:
        name = cube.cells[0].name
        raise InputError(
            f"predictions of {len(classes)} classes are neither labels nor one column per class",
            path=cube.path,
            column=name,
            hint=f"name the columns `{name}{CLASS_SEPARATOR}{classes[0]}` and so on, "
            "or give --task regression",
        )
    _check_classes(cube, classes)
    order = [own[name] for own in cube.places.values() for name in classes]
    if order != list(range(len(cube.cells))):
        numbers = numbers[:, :, order]
    array = numbers.reshape(*numbers.shape[:2], len(cube.places), len(classes))
    proper = _in_unit(array) and _sums_to_one(array)
    kind = PredictionKind.PROBABILITY if proper else PredictionKind.SCORE
    return Values(array, tuple(cube.places), kind)


def _check_classes(cube: Cube, classes: Sequence[str]) -> None:
    """Every configuration has exactly one column per class."""
    for configuration, own in cube.places.items():
        missing = [name for name in classes if name not in own]
        unknown = [name for name in own if name not in classes]
        if missing or unknown:
            what = (
                f"no column of class {missing[0]!r}"
                if missing
                else f"a column {cube.cells[own[unknown[0]]].name!r}"
            )
            raise InputError(
                f"configuration {configuration!r} has {what}, "
                f"the classes are {listing(classes, 8)}",
                path=cube.path,
                hint="one column `config::class` for every configuration and class",
            )


def _in_unit(numbers: FloatArray) -> bool:
    """True if all numbers lie in [0, 1]; missing ones are passed over."""
    lowest, highest = np.fmin.reduce(numbers, axis=None), np.fmax.reduce(numbers, axis=None)
    return not bool(lowest < 0 or highest > 1)


def _sums_to_one(array: FloatArray) -> bool:
    """True if the K probabilities of (R, N, C, K) sum to one; missing ones are passed over."""
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(array.sum(axis=-1) - 1) > SUM_TOLERANCE).any())
