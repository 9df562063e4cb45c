"""A cross-validation in progress: later folds are missing, losers have no later predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.core.matrix import Unfinished
from bbccli.core.notes import remarks
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
    started = np.flatnonzero(anyone.any(axis=1))
    if not len(started):
        raise InputError(
            "there is no prediction yet", path=sheet.path, hint="run the first fold before asking"
        )
    counted = [r for r in started if r == started[0] or anyone[r].all()]
    dropped = np.flatnonzero((anyone[:, :, None] & ~predicted).any(axis=(0, 1))).tolist()
    if len(dropped) == len(names):
        raise InputError(
            "every configuration lacks predictions that another has",
            path=sheet.path,
            hint="those still in have predictions in all folds so far; complete one at least",
        )
    gone = tuple(names[c] for c in dropped)
    unfinished, notes = Unfinished(gone, (0,) * len(gone), names=names), sheet.notes
    folds = _fold_of_each(sheet)
    if folds is not None:
        trained = [np.unique(folds[predicted[:, :, c]]) for c in dropped]
        n_models = len(np.unique(folds[anyone]))
        n_to_come = len(np.unique(folds[sheet.rows >= 0])) - n_models or None
        n_trained = tuple(map(len, trained))
        unfinished = Unfinished(gone, n_trained, n_models, n_to_come, names)
        torn = [
            names[c]
            for c, one in zip(dropped, trained, strict=True)
            if np.isin(folds[anyone & ~predicted[:, :, c]], one).any()
        ]
        if torn:
            notes = (*notes, remarks.gaps_within_folds(torn))
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in gone),
        rows=sheet.rows[counted],
        roles={role: column for role, column in sheet.roles.items() if role != "inner_fold"},
        notes=notes,
        unfinished=unfinished,
    )


def _predicted(sheet: Sheet) -> BoolArray:
    """(R, N, C) True where there is a prediction, of all classes where there are several."""
    predicted = np.ones((sheet.n_rows, len(sheet.configurations)), bool)
    for c, cells in enumerate(sheet.configurations.values()):
        for cell in cells:
            predicted[sheet.column(cell).nulls, c] = False
    return np.asarray(predicted[sheet.rows] & (sheet.rows >= 0)[:, :, None])


def _fold_of_each(sheet: Sheet) -> IntArray | None:
    """(R, N) number of the fold, of all repeats, that each sample is in; None when unknown."""
    rows, fold = sheet.rows, sheet.roles.get("fold")
    if fold is None or np.isin(rows[rows >= 0], fold.nulls).any():
        return None
    codes, names = fold.named_codes()
    return np.asarray(np.arange(len(rows))[:, None] * len(names) + codes[rows])
