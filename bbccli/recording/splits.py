"""The splits of a cross-validation, drawn once."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from bbccli.errors import OptionError
from bbccli.recording.given import as_array
from bbccli.types import IntArray

Split = tuple[IntArray, IntArray]


def frozen(cv: Any, features: Any, truth: Any, groups: Any, classifies: bool) -> list[Split]:
    """Return train and test rows of every split.

    Parameters
    ----------
    cv
        A splitter of scikit-learn, a number of folds, None for five, or pairs of train and test
        rows: positions, or booleans (N,).
    features, truth, groups
        What the splitter sees; `features` may be None.
    classifies
        Whether a number of folds means stratified ones.

    Raises
    ------
    OptionError
        No splits, rows that there are not, or a split that tests what it trains on.
    """
    n_samples = len(truth)
    splits = [
        (_positions(train, n_samples, i), _positions(test, n_samples, i))
        for i, (train, test) in enumerate(_pairs(cv, features, truth, groups, classifies))
    ]
    if not splits:
        raise OptionError("cv has no splits", hint="at least two folds")
    for position, (train, test) in enumerate(splits):
        if np.isin(test, train).any():
            raise OptionError(
                f"split {position} tests rows that it trains on",
                hint="predictions of training rows are not out of sample; give disjoint rows",
            )
    return splits


def _pairs(cv: Any, features: Any, truth: Any, groups: Any, classifies: bool) -> list[Any]:
    """Train and test rows as they were given, or as a splitter draws them."""
    try:
        if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
            from sklearn.model_selection import check_cv

            cv = check_cv(cv, np.asarray(truth), classifier=classifies)
        if hasattr(cv, "split") and not isinstance(cv, str):
            seen = np.zeros((len(truth), 1)) if features is None else features
            return list(cv.split(seen, truth, groups))
        return [(train, test) for train, test in cv]
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"cv gives no splits: {error}",
            hint="a splitter of scikit-learn, a number of folds, or pairs of train and test rows",
        ) from error


def equal_pair(digests: Sequence[bytes]) -> tuple[int, int] | None:
    """Return the first two positions that hold the same; None where all differ."""
    first: dict[bytes, int] = {}
    for position, digest in enumerate(digests):
        if digest in first:
            return first[digest], position
        first[digest] = position
    return None


def _positions(given: Any, n_samples: int, split: int) -> IntArray:
    rows = as_array(given, f"split {split}")
    if rows.dtype == bool and rows.shape == (n_samples,):
        rows = np.flatnonzero(rows)
    right = rows.ndim == 1 and rows.size and rows.dtype.kind in "iu"
    if not right or rows.min() < 0 or rows.max() >= n_samples or len(np.unique(rows)) < len(rows):
        raise OptionError(
            f"split {split} is not a list of rows",
            hint=f"positions from 0 to {n_samples - 1}, each once, at least one",
        )
    return rows.astype(np.int64)
