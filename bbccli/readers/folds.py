"""Folds and groups as dense codes, and the outer folds of a nested cross-validation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.core.matrix import NestedFold
from bbccli.core.notes import Note, repeated_holdout
from bbccli.readers.column import Column, natural_order
from bbccli.readers.place import outer_blocks
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, FloatArray, IntArray, distinct


def code_folds(fold: Column, rows: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Return folds coded 0..F-1 within each repeat, and their names.

    Parameters
    ----------
    fold : (n_rows,)
        Fold of each row, none missing.
    rows : (R, N)
        Row of each sample in each repeat.

    Returns
    -------
    codes : (R, N)
        In the natural order of the names.
    names
        Of the F codes: those of the file where all repeats share them, else "0", "1", ...
    """
    codes, names = fold.named_codes()
    order = natural_order(names)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    ranks = rank[codes][rows]
    present = [distinct(repeat) for repeat in ranks]
    dense = np.stack([np.searchsorted(p, r) for p, r in zip(present, ranks, strict=True)])
    if all(np.array_equal(present[0], other) for other in present):
        return dense, tuple(names[order[i]] for i in present[0])
    return dense, tuple(str(i) for i in range(max(map(len, present))))


def count_spanning(groups: IntArray, folds: IntArray) -> int:
    """Count the groups with samples in more than one fold of a repeat.

    Parameters
    ----------
    groups : (N,)
        Codes 0..G-1.
    folds : (R, N)
        Codes of the folds.
    """
    n_groups = int(groups.max()) + 1
    lowest = np.full((len(folds), n_groups), np.iinfo(np.int64).max)
    highest = np.full((len(folds), n_groups), -1)
    for repeat, own in enumerate(folds):
        np.minimum.at(lowest[repeat], groups, own)
        np.maximum.at(highest[repeat], groups, own)
    return int((lowest < highest).any(axis=0).sum())


def note_on_holdout(there: BoolArray) -> Note:
    """Return the note on a repeated hold-out (R, N)."""
    sizes = there.sum(axis=1)
    n_repeats, n_samples = there.shape
    return repeated_holdout(n_repeats, n_samples, int(sizes.min()), int(sizes.max()))


def without_gaps(outer: BoolArray, predictions: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the inner rows that can be used, and the configurations (C,) complete on them.

    Parameters
    ----------
    outer : (n_rows,)
        Rows of outer test samples.
    predictions : (n_rows, C) or (n_rows, C, K)
        All predictions, NaN where missing.
    """
    missing: BoolArray = np.isnan(predictions)
    missing = np.asarray(missing.any(axis=2)) if missing.ndim == 3 else missing
    inner: IntArray = np.flatnonzero(~outer & ~missing.all(axis=1))
    return inner, np.asarray(~missing[inner].any(axis=0))


def nested_folds(
    sheet: Sheet, inner: IntArray, predictions: FloatArray, chosen: IntArray
) -> Iterator[NestedFold]:
    """Yield the outer folds, repeat by repeat.

    Parameters
    ----------
    sheet
        Inner and outer rows.
    inner
        The inner rows that can be used.
    predictions : (n_rows, C) or (n_rows, C, K)
        All predictions.
    chosen : (N,)
        The samples that are used.

    Raises
    ------
    InputError
        An outer fold of which no sample is left.
    """
    position = np.full(sheet.n_samples, -1)
    position[chosen] = np.arange(len(chosen))
    places = position[sheet.samples]
    blocks, names = outer_blocks(sheet)
    for block in np.unique(blocks):
        rows = np.flatnonzero(blocks == block)
        test = rows[sheet.outer[rows] & (places[rows] >= 0)]
        training = np.intersect1d(rows, inner[places[inner] >= 0])
        training = training[np.argsort(places[training], kind="stable")]
        if not len(test) or not len(training):
            raise sheet.roles["fold"].fault(
                "no sample of the outer fold is left", rows, hint="complete its predictions"
            )
        folds, fold_names = code_folds(sheet.roles["inner_fold"], training[None])
        repeat, fold = divmod(int(block), len(names))
        yield NestedFold(
            name=names[fold],
            repeat=repeat,
            training=places[training],
            test=np.sort(places[test]),
            predictions=predictions[training],
            folds=folds[0],
            fold_names=fold_names,
        )
