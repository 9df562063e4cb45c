"""Parts of the samples that differ in a mean, beyond chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from bbccli.types import FloatArray, IntArray

FEWEST_IN_PART = 20
"""Fewest samples of a part."""

CLEAR, STEADY = 6, 4
"""Standard errors from which the means of two parts differ; and up to which nothing changes."""


def two_parts(errors: FloatArray, truth: FloatArray | IntArray) -> IntArray:
    """(n,) 0 in the first samples, and 1 in all later ones, if errors (n,) differ clearly between
    them and not within them, while the truth (n,) is alike in both; else 0. A series changes again
    and again, and a sorted table with its truth.
    """
    n = len(errors)
    if n < 2 * FEWEST_IN_PART:
        return np.zeros(n, np.int64)
    cuts = np.arange(FEWEST_IN_PART, n - FEWEST_IN_PART + 1)
    cut = int(cuts[np.argmax(_apart(errors, cuts))])
    inner = errors[:cut], errors[cut:]
    same = [_apart(p, np.arange(1 + len(p) // 8, len(p) - len(p) // 8)).max() for p in inner]
    same += [_apart(column, cut) for column in (truth, np.abs(truth - truth.mean()))]
    told = _apart(errors, cut) > CLEAR and max(same) < STEADY
    return np.asarray((np.arange(n) >= cut) & told, np.int64)


def _apart(column: FloatArray | IntArray, cuts: IntArray | int) -> Any:
    """Return by how many standard errors the mean of a column (n,) differs before some samples."""
    with np.errstate(all="ignore"):  # beyond floats nothing is told
        off = np.abs(np.cumsum(column - column.mean())[np.subtract(cuts, 1)])
        return off / (np.sqrt(cuts * (1 - cuts / len(column))) * column.std() + 1e-300)
