"""Folds and groups -> dense codes."""

from __future__ import annotations

import numpy as np

from bbccli.readers.column import Column, natural_order
from bbccli.types import IntArray, distinct


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
