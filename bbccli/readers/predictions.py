"""Configuration columns -> labels, probabilities, scores or values of C configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.outcome import Outcome
from bbccli.readers.frame import Column, number_of
from bbccli.readers.raw import RawPredictions, text_fault
from bbccli.types import FloatArray, PredictionKind, Task

CLASS_SEPARATOR = "::"
SUM_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions (R, N, C) or (R, N, C, K), NaN where missing, of C configurations."""

    array: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind


def interpret(
    raw: RawPredictions, outcome: Outcome, shaped: Mapping[str, Mapping[str, str]]
) -> Predictions:
    """Tell what the predictions of a task are, and arrange them.

    Parameters
    ----------
    raw
        Columns as read.
    outcome
        Truth of the N samples, with the names of the classes.
    shaped
        Column of each class of each configuration; empty when a configuration is one column.

    Raises
    ------
    InputError
        Text where numbers are needed, labels that are no class, a configuration that lacks a
        class, or numbers that are no prediction of several classes.
    """
    if outcome.task.is_classification and not shaped:
        labels = _labels(raw, outcome.classes)
        if labels is not None:
            return Predictions(labels, raw.names, PredictionKind.LABEL)
    if raw.numbers is None:
        texts = [column for column in raw.texts if column.is_text]
        raise text_fault(_worded(texts[0], texts))
    if outcome.task is Task.BINARY:
        return _binary(raw.numbers, raw, outcome.classes, shaped)
    if outcome.task is Task.MULTICLASS:
        return _multiclass(raw.numbers, raw, outcome.classes, shaped)
    survival = outcome.task is Task.SURVIVAL
    kind = PredictionKind.SCORE if survival else PredictionKind.VALUE
    return Predictions(raw.numbers, raw.names, kind)


def _labels(raw: RawPredictions, classes: Sequence[str]) -> FloatArray | None:
    """(R, N, C) class codes; None when the predictions are no labels."""
    if raw.numbers is None:
        labels_of = (_text_labels(column, classes, raw.texts) for column in raw.texts)
        # row -1, none at all, is the last entry
        return np.stack([np.append(labels, np.nan)[raw.rows] for labels in labels_of], axis=-1)
    values = [number_of(name) for name in classes]
    if np.isnan(values).any() or not raw.all_among(values):
        return None
    labels = np.full(raw.numbers.shape, np.nan)
    for code, value in enumerate(values):
        labels[raw.numbers == value] = code
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
    raise column.fault(
        f"prediction is none of the classes ({listing(classes, 8)})",
        strange,
        hint="labels are spelled as in the truth",
    )


def _worded(column: Column, columns: Sequence[Column]) -> Column:
    """Return the first of the columns that holds text other than numbers, else the given one."""
    for one in (column, *columns):
        if any(np.isnan(number_of(name)) for name in one.named_codes()[1]):
            return one
    return column


def _binary(
    numbers: FloatArray,
    raw: RawPredictions,
    classes: Sequence[str],
    shaped: Mapping[str, Mapping[str, str]],
) -> Predictions:
    """Probability or score of the positive class."""
    configurations = raw.names
    if shaped:
        _check_classes(shaped, classes, raw.path)
        position = {name: i for i, name in enumerate(raw.names)}
        numbers = numbers[:, :, [position[own[classes[-1]]] for own in shaped.values()]]
        configurations = tuple(shaped)
    kind = PredictionKind.PROBABILITY if _in_unit(numbers) else PredictionKind.SCORE
    return Predictions(numbers, configurations, kind)


def _multiclass(
    numbers: FloatArray,
    raw: RawPredictions,
    classes: Sequence[str],
    shaped: Mapping[str, Mapping[str, str]],
) -> Predictions:
    """(R, N, C, K) probabilities or scores of all classes."""
    if not shaped:
        raise InputError(
            f"predictions of {len(classes)} classes are neither labels nor one column per class",
            path=raw.path,
            column=raw.names[0],
            hint=f"name the columns `{raw.names[0]}{CLASS_SEPARATOR}{classes[0]}` and so on, "
            "or give --task regression",
        )
    _check_classes(shaped, classes, raw.path)
    order = [own[name] for own in shaped.values() for name in classes]
    if tuple(order) != raw.names:
        position = {name: i for i, name in enumerate(raw.names)}
        numbers = numbers[:, :, [position[name] for name in order]]
    array = numbers.reshape(*numbers.shape[:2], len(shaped), len(classes))
    proper = _in_unit(array) and _sums_to_one(array)
    kind = PredictionKind.PROBABILITY if proper else PredictionKind.SCORE
    return Predictions(array, tuple(shaped), kind)


def _check_classes(
    shaped: Mapping[str, Mapping[str, str]], classes: Sequence[str], path: str
) -> None:
    """Every configuration has exactly one column per class."""
    for configuration, own in shaped.items():
        missing = [name for name in classes if name not in own]
        unknown = [name for name in own if name not in classes]
        if missing or unknown:
            what = (
                f"no column of class {missing[0]!r}" if missing else f"a column {own[unknown[0]]!r}"
            )
            raise InputError(
                f"configuration {configuration!r} has {what}, "
                f"the classes are {listing(classes, 8)}",
                path=path,
                hint="one column `config::class` for every configuration and class",
            )


def _in_unit(numbers: FloatArray) -> bool:
    """Whether all numbers lie in [0, 1]; missing ones are passed over."""
    lowest, highest = np.fmin.reduce(numbers, axis=None), np.fmax.reduce(numbers, axis=None)
    return not bool(lowest < 0 or highest > 1)


def _sums_to_one(array: FloatArray) -> bool:
    """Whether the K probabilities of (R, N, C, K) sum to one; missing ones are passed over."""
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(array.sum(axis=-1) - 1) > SUM_TOLERANCE).any())
