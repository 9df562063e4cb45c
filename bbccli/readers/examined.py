"""What the predictions of a large file tell: each part of the configurations by itself, joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from bbccli.core import elsewhere
from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.checks.copies import equal_to_truth, refuse_copies
from bbccli.readers.checks.direction import standings
from bbccli.readers.checks.doubts import on_order
from bbccli.readers.checks.perfection import in_order, performances
from bbccli.readers.checks.strays import Marks, marks, on_marks
from bbccli.readers.column_file import ColumnFile
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind

CELLS = 2**23
"""Predictions that a worker looks at together, about: 32 MB of float32."""

Digests = list[bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """Where the numbers of each configuration lie: (C,) each.

    Attributes
    ----------
    n_missing
        Samples without a number.
    lowest, highest
        Of the numbers; NaN where there is none.
    among
        Whether every number is one of the values that were asked about.
    """

    n_missing: IntArray
    lowest: FloatArray
    highest: FloatArray
    among: BoolArray

    @property
    def in_unit(self) -> bool:
        """Whether all numbers lie in [0, 1]."""
        return not bool((self.lowest < 0).any() or (self.highest > 1).any())


def extent_of(file: ColumnFile, values: tuple[float, ...]) -> Extent:
    """Return the extent of all configurations, and whether they are among some values."""
    found = elsewhere.over_parts(partial(_extent, file, values), len(file.names))
    return Extent(*(np.concatenate(column) for column in zip(*map(_columns, found), strict=True)))


def look(
    names: frozenset[str],
    path: str,
    predictions: Predictions,
    outcome: Outcome,
    folds: IntArray | None,
) -> Iterator[Note]:
    """Yield what `doubts` would of predictions in memory, in its order.

    Parameters
    ----------
    names
        Configurations that are known to be what they look like.
    path
        File, for messages.

    Raises
    ------
    InputError
        A configuration that is the truth.
    """
    file: Any = predictions.array
    seen = partial(_examine, file, predictions.kind, predictions.configurations, outcome, folds)
    parts = elsewhere.over_parts(partial(seen, names), file.shape[2])
    copied, marked, ordered, found, digests = zip(*parts, strict=True)
    copies = np.flatnonzero(np.concatenate(copied))
    refuse_copies(predictions.configurations, copies, names, path)
    if len(copies):
        yield remarks.equals_truth([predictions.configurations[c] for c in copies])
    joined = Marks(*(np.concatenate(column) for column in zip(*map(_columns, marked), strict=True)))
    yield from on_marks(predictions, outcome, joined, names)
    score, known = partial(_performances, predictions, outcome), frozenset(copies.tolist())
    in_all, standing = np.concatenate(ordered), np.concatenate(found)
    yield from on_order(predictions, outcome, folds, in_all, standing, score, known)
    pairs = _pairs([digest for part in digests for digest in part])
    if pairs:
        earlier, later = (predictions.configurations[c] for c in pairs[0])
        yield remarks.duplicate_configurations(len(pairs), (earlier, later))


def _columns(record: Extent | Marks) -> tuple[BoolArray, ...]:
    return tuple(getattr(record, field.name) for field in fields(record))


def _pieces(file: ColumnFile, columns: IntArray) -> list[IntArray]:
    """The columns of a part, as many at a time as are looked at together."""
    width = max(CELLS // max(file.n_rows, 1), 1)
    return [columns[start : start + width] for start in range(0, len(columns), width)]


def _extent(file: ColumnFile, values: tuple[float, ...], part: IntArray) -> Extent:
    found = []
    for columns in _pieces(file, part):
        array = file[:, :, columns][0]
        missing = np.isnan(array)
        among = missing.copy()
        for value in values:
            among |= array == value
        low, high = np.fmin.reduce(array, axis=0), np.fmax.reduce(array, axis=0)
        found.append((missing.sum(axis=0), low, high, among.all(axis=0)))
    return Extent(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _examine(
    file: ColumnFile,
    kind: PredictionKind,
    names: tuple[str, ...],
    outcome: Outcome,
    folds: IntArray | None,
    known: frozenset[str],
    part: IntArray,
) -> tuple[BoolArray, Marks, IntArray, FloatArray, Digests]:
    """Which of some configurations are the truth, are marked or in order; and what they hold.

    The numbers are those of `in_order` and `standings`.
    """
    found, digests, n_cells = [], [], file.n_rows * len(file.names)
    for columns in _pieces(file, part):
        own = Predictions(file[:, :, columns], tuple(names[c] for c in columns), kind)
        copied = np.zeros(len(columns), bool)
        copied[equal_to_truth(own, outcome)] = True
        marked = marks(own, outcome, folds, known, n_cells)
        found.append(
            (
                copied,
                *_columns(marked),
                in_order(own, outcome, folds),
                standings(own, outcome, folds, n_cells),
            )
        )
        digests += [blake2b(column.tobytes(), digest_size=16).digest() for column in own.array[0].T]
    joined = (np.concatenate(column) for column in zip(*found, strict=True))
    copied, *marked_by, ordered, standing = joined
    return copied, Marks(*marked_by), ordered, standing, digests


def _performances(predictions: Predictions, outcome: Outcome, columns: IntArray) -> FloatArray:
    """What `performances` returns of some configurations, a part on each worker."""
    file: Any = predictions.array

    def of(part: IntArray) -> FloatArray:
        pieces = _pieces(file, columns[part])
        return np.concatenate([performances(predictions, outcome, piece) for piece in pieces])

    return np.concatenate(elsewhere.over_parts(of, len(columns)))


def _pairs(digests: Digests) -> list[tuple[int, int]]:
    """Pairs (earlier, later) of configurations with the same predictions."""
    seen: dict[bytes, int] = {}
    pairs = []
    for position, digest in enumerate(digests):
        earlier = seen.setdefault(digest, position)
        if earlier != position:
            pairs.append((earlier, position))
    return sorted(pairs)
