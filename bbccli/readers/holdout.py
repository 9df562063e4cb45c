"""Repeated hold-out: every repeat predicts a part of the samples, and another one each time."""

from __future__ import annotations

import numpy as np

from bbccli.notes import Note
from bbccli.readers import remarks
from bbccli.readers.alignment import Alignment
from bbccli.readers.frame import Column
from bbccli.types import BoolArray


def held_out(alignment: Alignment, fold: Column | None) -> BoolArray | None:
    """Return where a repeat holds a sample (R, N); None where repeats are cross-validations.

    It is repeated hold-out (Monte-Carlo cross-validation) when no repeat holds every sample and
    none is split into folds. Repeats with folds, or beside one that holds every sample, are
    cross-validations of which something is missing; and where no sample is in two repeats, the
    repeats are folds, or the keys are wrong.
    """
    there = np.asarray(alignment.rows >= 0)
    if there.all(axis=1).any() or not (there.sum(axis=0) > 1).any():
        return None
    if fold is not None:
        codes, _ = fold.named_codes()
        if any(len(np.unique(codes[row[row >= 0]])) > 1 for row in alignment.rows):
            return None
    return there


def note_on(there: BoolArray) -> Note:
    """Return the note on a repeated hold-out (R, N)."""
    sizes = there.sum(axis=1)
    n_repeats, n_samples = there.shape
    return remarks.repeated_holdout(n_repeats, n_samples, int(sizes.min()), int(sizes.max()))
