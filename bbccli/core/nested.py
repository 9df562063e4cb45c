"""Predictions of a nested cross-validation: what was tuned within each outer fold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bbccli.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class NestedFold:
    """One outer fold of one repeat: T training samples with inner predictions, and a test set.

    Parameters
    ----------
    name
        Of the outer fold, as in the file.
    repeat
        Position of the repeat, 0..R-1.
    training : (T,) int
        Positions of the training samples among the N of the matrix.
    test : (M,) int
        Positions of the samples of the outer fold; disjoint from `training`.
    predictions : (T, C) or (T, C, K)
        Inner out-of-sample predictions of the training samples, finite.
    folds : (T,) int
        Inner fold of each training sample, coded 0..F-1 in the order of `fold_names`.
    fold_names
        Names of the inner folds.
    """

    name: str
    repeat: int
    training: IntArray
    test: IntArray
    predictions: FloatArray
    folds: IntArray
    fold_names: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("training", "test", "predictions", "folds"):
            view = np.asarray(getattr(self, name)).view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)
