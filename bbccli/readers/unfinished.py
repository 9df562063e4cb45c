"""A cross-validation in progress: later folds are missing, losers have no later predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.core.matrix import Unfinished
from bbccli.core.notes import Note, remarks
from bbccli.errors import InputError
from bbccli.readers.classes import check_classes_told
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, IntArray

EXPECTED = frozenset({"samples-left-out", "candidates-missing"})
"""Notes about what is not there: in a cross-validation in progress nothing to remark on."""

GAPS_WITHIN_FOLDS = "gaps-within-folds"
"""Code of the note that comes last."""


def narrow(sheet: Sheet) -> Sheet:
    """Keep the samples predicted so far and the configurations still in.

    A sample counts when some configuration predicts it. A configuration that lacks predictions
    which another has was dropped earlier. Of the repeats, the first counts from its first fold,
    each other one when all samples of the file are predicted in it.

    Raises
    ------
    InputError
        No prediction at all, or no configuration that has them all.
    """
    check_classes_told(sheet)
    names = tuple(sheet.configurations)
    predicted = _predicted(sheet)
    anyone = np.asarray(predicted.any(axis=2))
    counted = _counted_repeats(anyone, sheet.path)
    left = np.asarray(~(anyone[:, :, None] & ~predicted).any(axis=(0, 1)))
    if not left.any():
        raise InputError(
            "every configuration lacks predictions that another has",
            path=sheet.path,
            hint="those still in have predictions in all folds so far; complete one at least",
        )
    folds = _fold_of_each(sheet)
    stays = {name for name, stay in zip(names, left, strict=True) if stay}
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration in stays),
        rows=sheet.rows[counted],
        roles={role: column for role, column in sheet.roles.items() if role != "inner_fold"},
        notes=(*sheet.notes, *_remarks(folds, predicted, names, left)),
        unfinished=_progress(sheet, folds, predicted, names, left),
    )


def _predicted(sheet: Sheet) -> BoolArray:
    """(R, N, C) where there is a prediction, of all classes where there are several."""
    predicted = np.ones((sheet.n_rows, len(sheet.configurations)), bool)
    for c, own in enumerate(sheet.configurations.values()):
        for cell in own:
            predicted[sheet.column(cell).nulls, c] = False
    return np.asarray(predicted[sheet.rows] & (sheet.rows >= 0)[:, :, None])


def _counted_repeats(anyone: BoolArray, path: str) -> IntArray:
    """Repeats that count, given where (R, N) someone has a prediction."""
    started = np.flatnonzero(anyone.any(axis=1))
    if not len(started):
        raise InputError(
            "there is no prediction yet", path=path, hint="run the first fold before asking"
        )
    return np.asarray([r for r in started if r == started[0] or anyone[r].all()])


def _fold_of_each(sheet: Sheet) -> IntArray | None:
    """(R, N) number of the fold, of all repeats, that each sample is in; None when unknown."""
    rows, fold = sheet.rows, sheet.roles.get("fold")
    if fold is None or np.isin(rows[rows >= 0], fold.nulls).any():
        return None
    codes, names = fold.named_codes()
    return np.asarray(np.arange(len(rows))[:, None] * len(names) + codes[rows])


def _progress(
    sheet: Sheet,
    folds: IntArray | None,
    predicted: BoolArray,
    names: tuple[str, ...],
    left: BoolArray,
) -> Unfinished:
    """What was trained so far, counted in folds of all repeats."""
    gone = np.flatnonzero(~left)
    dropped = tuple(names[c] for c in gone)
    if folds is None:
        return Unfinished(dropped, (0,) * len(gone), names=names)
    n_models = len(np.unique(folds[predicted.any(axis=2)]))
    n_folds = len(np.unique(folds[sheet.rows >= 0]))
    return Unfinished(
        dropped,
        tuple(len(np.unique(folds[predicted[:, :, c]])) for c in gone),
        n_models=n_models,
        n_to_come=n_folds - n_models or None,
        names=names,
    )


def _remarks(
    folds: IntArray | None, predicted: BoolArray, names: tuple[str, ...], left: BoolArray
) -> tuple[Note, ...]:
    """A note on configurations that were not dropped between folds but have gaps within them."""
    if folds is None:
        return ()
    anyone = np.asarray(predicted.any(axis=2))
    gaps = anyone[:, :, None] & ~predicted
    torn = [
        names[c]
        for c in np.flatnonzero(~left)
        if len(np.intersect1d(folds[gaps[:, :, c]], folds[predicted[:, :, c]]))
    ]
    return (remarks.gaps_within_folds(torn),) if torn else ()
