"""Rows that no model predicted, where an array was made with `np.zeros(n)` and filled fold by fold.

A value v is what such an array was made with, if all configurations are v in the same rows S, and

- it is strange in at least one of them, the *models*: it occurs there outside S in less than 1 % as
  many rows, although all other predictions differ (labels, ratings and averages of votes are equal
  by chance, or since rows are sorted by class), or lie to one side of v, which the truth never is;
- S is a shape: whole folds, or one run of rows per repeat. Genuine ties at a strange value fill one
  by chance in one of C(N, |S|) files. One model alone may give up on a fold and predict its mean,
  so that v has to be a whole number. Without a shape several models must agree on the rows;
- the truth says nothing against it. Genuine equal predictions are right: all models predict 0 for
  shops that are closed, and trees exactly 0 or 1 for a class apart. So of the most common truth in S
  there must not be significantly more than elsewhere, nor, if S is a shape, which may be a stretch
  of time with a level of its own, almost nothing else. Significant are `BITS`: k of n samples have
  a truth of share q elsewhere with probability of at most 2^(-n KL(k/n, q)).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.readers.column import joint
from bbccli.readers.predictions import Values
from bbccli.readers.sheet import Sheet, Unpredicted
from bbccli.types import FloatArray, IntArray, distinct

FEWEST, FEWEST_SCATTERED = 5, 10
"""Fewest rows of a shape, and without one, that are told."""

BITS = 10.0
"""Evidence that the truth of some rows differs from that of others."""

ALMOST_ALL = 0.95
"""Proportion of one truth in a shape from which on it speaks for genuine predictions."""

ELSEWHERE = 0.01
"""Occurrences of the value elsewhere, as a proportion of the rows, that chance explains."""

_ROWS, _MODELS = 4096, 64
"""Rows and columns from which a value is suspected."""


def without_unpredicted(sheet: Sheet, values: Values) -> tuple[Sheet, Values]:
    """Return predictions (R, N, cells) that are missing in rows that were never predicted."""
    if sheet.scored or sheet.nested or values.words or not values.in_memory:
        return sheet, values
    flat = values.array.reshape(-1, values.array.shape[2])
    for value in _suspects(flat):
        rows = _rows_of(flat, value)
        if len(rows) >= FEWEST and _never_predicted(sheet, flat, rows, value):
            break
    else:
        return sheet, values
    flat[rows] = np.nan
    n_samples = len(distinct(rows % len(sheet.usable)))
    told = Unpredicted(len(rows), n_samples, value, len(sheet.configurations))
    return replace(sheet, unpredicted=told), values


def _suspects(flat: FloatArray) -> list[float]:
    """Return values that all cells of some rows (n, cells) share, the most frequent first."""
    some = flat[distinct(np.linspace(0, len(flat) - 1, _ROWS).astype(np.int64))]
    lowest = np.fmin.reduce(some, axis=1)
    shared, counts = np.unique(lowest[lowest == np.fmax.reduce(some, axis=1)], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:3]
    return [float(shared[i]) for i in order if counts[i] > 2]


def _rows_of(flat: FloatArray, value: float) -> IntArray:
    """Return the rows all of whose cells have the value, or none."""
    rows: IntArray = np.arange(len(flat))
    for column in range(flat.shape[1]):
        cells = flat[rows, column]
        rows = rows[(cells == value) | np.isnan(cells)]
    return rows


def _models(flat: FloatArray, rows: IntArray, value: float, sheet: Sheet) -> set[str]:
    """Return the configurations in which the value is strange, equal ones once."""
    elsewhere = np.ones(len(flat), bool)
    elsewhere[rows] = False
    others = np.flatnonzero(elsewhere)
    truth = sheet.of_samples.get("truth")
    known = truth is not None and not truth.is_text and value in truth.numbers("truth")
    found: dict[bytes, str] = {}
    for place, cell in enumerate(sheet.cells[:_MODELS]):
        cells = flat[others[:: len(others) // _ROWS + 1], place]
        cells = cells[~np.isnan(cells)]
        if len(cells) < FEWEST:
            continue
        beyond = not known and not (cells.min() <= value <= cells.max())
        if not beyond and 2 * len(np.unique(cells)) < len(cells):
            continue
        if np.count_nonzero(flat[others, place] == value) <= ELSEWHERE * len(rows):
            found.setdefault(cells.tobytes(), cell.configuration)
    return set(found.values())


def _never_predicted(sheet: Sheet, flat: FloatArray, rows: IntArray, value: float) -> bool:
    """True if the rows with a value (n,) of the predictions (R N, cells) were never predicted."""
    models = _models(flat, rows, value, sheet)
    if _is_shape(sheet, rows):
        likely = len(models) > 1 or (len(models) == 1 and value == int(value))
        return likely and not _known_by_truth(sheet, rows, ALMOST_ALL)
    several = len(models) > 1 and len(rows) >= FEWEST_SCATTERED
    return several and not _known_by_truth(sheet, rows, 0)


def _is_shape(sheet: Sheet, rows: IntArray) -> bool:
    """True for whole folds, or a run of rows in each of some repeats."""
    places = sheet.rows[:, sheet.usable].reshape(-1)
    runs = 1 + np.count_nonzero(np.diff(np.sort(places[rows])) > 1)
    if runs <= sheet.n_repeats:
        return True
    if "fold" not in sheet.roles:
        return False
    repeats = np.repeat(np.arange(sheet.n_repeats), len(sheet.usable))
    blocks = joint([repeats, sheet.roles["fold"].codes()[0][places]])
    sizes, own = np.bincount(blocks), np.bincount(blocks[rows], minlength=int(blocks.max()) + 1)
    return bool(((own == 0) | (own == sizes)).all())


def _known_by_truth(sheet: Sheet, rows: IntArray, share: float) -> bool:
    """True if more than a share of the rows has one truth, and significantly more than others."""
    if "truth" not in sheet.of_samples:
        return False
    codes = np.tile(sheet.of_samples["truth"].named_codes()[0], sheet.n_repeats)
    own = np.bincount(codes[rows], minlength=int(codes.max()) + 1)
    most = int(np.argmax(own))
    n, n_others = len(rows), len(codes) - len(rows)
    inside = own[most] / n
    outside = (np.count_nonzero(codes == most) - own[most] + 1) / (n_others + 2)
    if inside <= max(share, outside):
        return False
    bits = inside * np.log2(inside / outside)
    if inside < 1:
        bits += (1 - inside) * np.log2((1 - inside) / (1 - outside))
    return bool(n * bits >= BITS)
