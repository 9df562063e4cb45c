"""Ensembles with each configuration added, compiled by numba: see `members` for what they return.

Imported only when this engine is chosen; the compiled code is cached on disk.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

SPLITTER = 2.0**9 + 1
FACTORS, SAFE = 16, 1e-15
"""Factors, or a few more, of a product of which one logarithm is taken; and above which they may be
multiplied without underflow.
"""

NEAR = 1e-9
"""Distance of a sum from the cut below which it is rounded as a mean."""

BITS = 11
"""Digits by which scores are sorted: two of them, and then what is left by insertion."""

LAST = (1 << BITS) - 1
"""Picks a digit."""

FAR = 64
"""Places per score that an insertion may move in all before a general sort takes over."""


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def surprises(weights: Any, sums: Any, columns: Any, number: Any, clip: Any) -> Any:
    """Weighted sums of -ln of the mean probability of the truth, which is at least `clip`."""
    n_columns = len(columns)
    losses, across = np.empty((len(weights), n_columns)), np.ascontiguousarray(columns.T)
    logarithms, products = np.empty(n_columns), np.empty(n_columns)
    least, few = clip * (number + 1), clip > SAFE
    for bag in range(len(weights)):
        rows = np.nonzero(weights[bag])[0]
        summed, masses = sums[bag][rows], weights[bag][rows]
        logarithms[:], products[:], factors = 0.0, 1.0, 0
        for i in range(len(rows)):
            of_row, mass, added = across[rows[i]], masses[i], summed[i]
            if few and mass == 1:
                for c in range(n_columns):
                    products[c] *= max(added + of_row[c], least)
            elif few and mass == 2:
                for c in range(n_columns):
                    mean = max(added + of_row[c], least)
                    products[c] *= mean * mean
            elif few and mass == 3:
                for c in range(n_columns):
                    mean = max(added + of_row[c], least)
                    products[c] *= mean * mean * mean
            else:
                for c in range(n_columns):
                    logarithms[c] += mass * np.log(max(added + of_row[c], least))
            factors += int(min(mass, 3))
            if factors >= FACTORS or i == len(rows) - 1:
                for c in range(n_columns):
                    logarithms[c] += np.log(products[c])
                    products[c] = 1.0
                factors = 0
        losses[bag] = np.log(number + 1.0) * masses.sum() - logarithms
    return losses


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def hits(weights: Any, sums: Any, columns: Any, truth: Any, number: Any, cut: Any) -> Any:
    """Weighted counts of the samples whose class is predicted: 1 above the cut."""
    counts = np.empty((len(weights), len(columns)))
    limit = cut * (number + 1)
    for bag in range(len(weights)):
        rows = np.nonzero(weights[bag])[0]
        summed, masses, positive = sums[bag][rows], weights[bag][rows], truth[rows] > 0
        signed = np.where(positive, masses, -masses)
        negative = masses.sum() - masses[positive].sum()
        for c in range(len(columns)):
            of_column, right, nearest = columns[c], negative, 1.0
            for i in range(len(rows)):
                beyond = summed[i] + of_column[rows[i]] - limit
                nearest = min(nearest, abs(beyond))
                right += signed[i] * (beyond > 0)
            if nearest < NEAR:  # a mean that may equal the cut is rounded
                right = negative
                for i in range(len(rows)):
                    mean = (summed[i] + of_column[rows[i]]) / (number + 1)
                    scaled = mean * SPLITTER
                    right += signed[i] * (scaled - (scaled - mean) > cut)
            counts[bag, c] = right
    return counts


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def concordances(weights: Any, sums: Any, columns: Any, truth: Any, number: Any) -> Any:
    """Shares of (positive, negative) pairs in the right order, ties one half."""
    shares = np.empty((len(weights), len(columns)))
    n_all = weights.shape[1]
    means, order, moved = (np.empty(n_all), np.empty(n_all, np.int64), np.empty(n_all, np.int64))
    keys, counts = np.empty(n_all, np.int64), np.empty(1 << BITS, np.int64)
    for bag in range(len(weights)):
        rows = np.nonzero(weights[bag])[0]
        n = len(rows)
        summed, masses, positive = sums[bag][rows], weights[bag][rows], truth[rows] > 0
        above = masses[positive].sum()
        pairs = above * (masses.sum() - above)
        for c in range(len(columns)):
            of_column = columns[c]
            for i in range(n):
                mean = (summed[i] + of_column[rows[i]]) / (number + 1)
                scaled = mean * SPLITTER
                means[i] = scaled - (scaled - mean)
            sort(means, n, order, moved, keys, counts)
            shares[bag, c] = (
                _concordant(means, order, n, masses, positive) / pairs if pairs > 0 else np.nan
            )
    return shares


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def begin(keys: Any, shift: Any, starts: Any) -> None:
    """Write where the keys of each digit begin, if they are sorted by the digit at a shift."""
    starts[:] = 0
    for key in keys:
        starts[key >> shift & LAST] += 1
    place = 0
    for digit in range(len(starts)):
        size, starts[digit] = starts[digit], place
        place += size


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def sort(means: Any, n: Any, order: Any, moved: Any, keys: Any, counts: Any) -> None:
    """Write the order of the first n means: by two digits of their place in the range, then in
    full by insertion.
    """
    low, high = means[0], means[0]
    for i in range(n):
        low, high = min(low, means[i]), max(high, means[i])
    scale = ((1 << 2 * BITS) - 1) / (high - low) if high > low else 0.0
    for i in range(n):
        keys[i] = int((means[i] - low) * scale)
        order[i] = i
    for shift in (0, BITS):
        begin(keys[:n], shift, counts)
        for i in range(n):
            digit = keys[order[i]] >> shift & LAST
            moved[counts[digit]] = order[i]
            counts[digit] += 1
        order[:n] = moved[:n]
    patience = FAR * n
    for i in range(1, n):
        sample, j = order[i], i - 1
        value = means[sample]
        while j >= 0 and means[order[j]] > value:
            order[j + 1] = order[j]
            j -= 1
            patience -= 1
        order[j + 1] = sample
        if patience < 0:
            order[:n] = np.argsort(means[:n])
            return


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _concordant(means: Any, order: Any, n: Any, masses: Any, positive: Any) -> Any:
    """Weight of the pairs whose positive sample is above, of ascending means; ties one half."""
    total, below, i = 0.0, 0.0, 0
    while i < n:
        value, of_positive, of_negative = means[order[i]], 0.0, 0.0
        while i < n and means[order[i]] == value:
            if positive[order[i]]:
                of_positive += masses[order[i]]
            else:
                of_negative += masses[order[i]]
            i += 1
        total += of_positive * (below + of_negative / 2)
        below += of_negative
    return total
