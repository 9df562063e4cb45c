"""A cross-validation in progress: later folds are missing, losers have no later predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.errors import InputError
from bbccli.matrix import PredictionMatrix, Unfinished
from bbccli.notes import Note
from bbccli.readers import remarks
from bbccli.readers.assemble import Parts, assemble, shaped_of
from bbccli.types import BoolArray, IntArray, Missing, Task

EXPECTED = frozenset({"samples-left-out", "candidates-missing"})
"""Notes about what is not there: in a cross-validation in progress nothing to remark on."""


def assemble_unfinished(
    parts: Parts, *, task: Task | None, positive: str | None
) -> PredictionMatrix:
    """Make the matrix of the samples predicted so far and of the configurations still in.

    A sample counts when some configuration predicts it. A configuration that lacks predictions
    which another has was dropped earlier. Of the repeats, the first counts from its first fold,
    each other one when all samples of the file are predicted in it.

    Raises
    ------
    InputError
        No prediction at all, or no configuration that has them all; else as `assemble`.
    """
    columns = _columns(parts)
    names = tuple(columns)
    predicted = _predicted(parts, columns)
    anyone = np.asarray(predicted.any(axis=2))
    counted = _counted_repeats(anyone, parts.frame.path)
    left = np.asarray(~(anyone[:, :, None] & ~predicted).any(axis=(0, 1)))
    if not left.any():
        raise InputError(
            "every configuration lacks predictions that another has",
            path=parts.frame.path,
            hint="those still in have predictions in all folds so far; complete one at least",
        )
    cells = _cells(parts)
    kept = tuple(c for name, stays in zip(names, left, strict=True) if stays for c in columns[name])
    matrix = assemble(
        replace(
            parts,
            assignment=replace(parts.assignment, configurations=kept),
            placed=replace(parts.alignment, rows=parts.alignment.rows[counted]),
            nested=None,
        ),
        task=task,
        positive=positive,
        missing=Missing.DROP,
        unfinished=_progress(parts, cells, predicted, names, left),
    )
    notes = [note for note in matrix.notes if note.code not in EXPECTED]
    return replace(matrix, notes=(*notes, *_remarks(cells, predicted, names, left)))


def _columns(parts: Parts) -> dict[str, tuple[str, ...]]:
    """Columns of each configuration: one, or one per class."""
    shaped = shaped_of(parts)
    if shaped:
        return {name: tuple(own.values()) for name, own in shaped.items()}
    return {name: (name,) for name in parts.assignment.configurations}


def _predicted(parts: Parts, columns: dict[str, tuple[str, ...]]) -> BoolArray:
    """(R, N, C) where there is a prediction, of all classes where there are several."""
    rows = parts.alignment.rows
    predicted = np.ones((parts.frame.n_rows, len(columns)), bool)
    for c, own in enumerate(columns.values()):
        for name in own:
            predicted[parts.frame.column(name).nulls, c] = False
    return np.asarray(predicted[rows] & (rows >= 0)[:, :, None])


def _counted_repeats(anyone: BoolArray, path: str) -> IntArray:
    """Repeats that count, given where (R, N) someone has a prediction."""
    started = np.flatnonzero(anyone.any(axis=1))
    if not len(started):
        raise InputError(
            "there is no prediction yet", path=path, hint="run the first fold before asking"
        )
    return np.asarray([r for r in started if r == started[0] or anyone[r].all()])


def _cells(parts: Parts) -> IntArray | None:
    """(R, N) number of the fold, of all repeats, that each sample is in; None when unknown."""
    rows, fold = parts.alignment.rows, parts.columns.get("fold")
    if fold is None or np.isin(rows[rows >= 0], fold.nulls).any():
        return None
    codes, folds = fold.named_codes()
    return np.asarray(np.arange(len(rows))[:, None] * len(folds) + codes[rows])


def _progress(
    parts: Parts,
    cells: IntArray | None,
    predicted: BoolArray,
    names: tuple[str, ...],
    left: BoolArray,
) -> Unfinished:
    """What was trained so far, counted in folds of all repeats."""
    gone = np.flatnonzero(~left)
    dropped = tuple(names[c] for c in gone)
    if cells is None:
        return Unfinished(dropped, (0,) * len(gone), names=names)
    n_models = len(np.unique(cells[predicted.any(axis=2)]))
    n_cells = len(np.unique(cells[parts.alignment.rows >= 0]))
    return Unfinished(
        dropped,
        tuple(len(np.unique(cells[predicted[:, :, c]])) for c in gone),
        n_models=n_models,
        n_to_come=n_cells - n_models or None,
        names=names,
    )


def _remarks(
    cells: IntArray | None, predicted: BoolArray, names: tuple[str, ...], left: BoolArray
) -> tuple[Note, ...]:
    """A note on configurations that were not dropped between folds but have gaps within them."""
    if cells is None:
        return ()
    anyone = np.asarray(predicted.any(axis=2))
    gaps = anyone[:, :, None] & ~predicted
    torn = [
        names[c]
        for c in np.flatnonzero(~left)
        if len(np.intersect1d(cells[gaps[:, :, c]], cells[predicted[:, :, c]]))
    ]
    return (remarks.gaps_within_folds(torn),) if torn else ()
