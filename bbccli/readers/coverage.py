"""Which samples every repeat holds, and repeated hold-out, whose repeats each hold some."""

from __future__ import annotations

import numpy as np

from bbccli.core.notes import Note, repeated_holdout
from bbccli.errors import InputError
from bbccli.readers.place import Places
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, IntArray


def samples_to_use(sheet: Sheet, places: Places) -> IntArray:
    """Samples that every repeat holds, or that any does in repeated hold-out.

    Raises
    ------
    InputError
        No sample is in all repeats.
    """
    if held_out(sheet, places) is not None:
        return np.arange(places.n_samples)
    samples = np.flatnonzero(places.in_every_repeat)
    if not len(samples):
        raise InputError(
            f"no sample is in all {places.n_repeats} repeats",
            path=sheet.path,
            hint="a sample has the same row_id in every repeat; folds of one cross-validation are "
            "a column `fold`; repeated hold-out has no folds within a repeat",
        )
    return samples


def held_out(sheet: Sheet, places: Places) -> BoolArray | None:
    """Return where a repeat holds a sample (R, N); None where repeats are cross-validations.

    It is repeated hold-out (Monte-Carlo cross-validation) when no repeat holds every sample and
    none is split into folds. Repeats with folds, or beside one that holds every sample, are
    cross-validations of which something is missing; and where no sample is in two repeats, the
    repeats are folds, or the keys are wrong.
    """
    there = np.asarray(places.rows >= 0)
    if there.all(axis=1).any() or not (there.sum(axis=0) > 1).any():
        return None
    fold = sheet.roles.get("fold")
    if fold is not None:
        codes, _ = fold.named_codes()
        if any(len(np.unique(codes[row[row >= 0]])) > 1 for row in places.rows):
            return None
    return there


def note_on(there: BoolArray) -> Note:
    """Return the note on a repeated hold-out (R, N)."""
    sizes = there.sum(axis=1)
    n_repeats, n_samples = there.shape
    return repeated_holdout(n_repeats, n_samples, int(sizes.min()), int(sizes.max()))
