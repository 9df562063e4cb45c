"""Rows that were never predicted, in an array made by `np.zeros(n)` and filled fold by fold.

A value v stems from such an array if some configurations, all or one, hold it in the same rows S,
and

- it is strange in at least one of them: it occurs there outside S in less than 1% as many rows,
  although most other predictions differ (labels, ratings and averages of votes are equal by chance,
  or since rows are sorted by class); or although all lie on one side of v, which no truth is, and
  there are several configurations (one may be a column of folds);
- S is a shape: whole folds, or one run of rows per repeat. Genuine ties at a strange value fill one
  by chance in one of C(N, |S|) files. One model alone may give up on a fold and predict its mean,
  so that v has to be a whole number. Without a shape, two models or more must agree on the rows;
- the truth says nothing against it. Genuine equal predictions are right: all models predict 0 for
  shops that are closed, and trees exactly 0 or 1 for a class apart. So the most common truth in S
  must not be significantly more common than elsewhere; in a shape, which may be a stretch of time
  with a level of its own, not significantly more common and almost the only one. Significant are
  `BITS`: k of n samples have a truth of share q elsewhere with probability 2^(-n KL(k/n, q)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import compress

import numpy as np

from bbccli.notes import lacking
from bbccli.reading.column import joint, number_of
from bbccli.reading.predictions import Values
from bbccli.reading.sheet import Sheet
from bbccli.types import FloatArray, IntArray, distinct, starts_of

FEWEST, FEWEST_SCATTERED = 5, 10
"""Fewest rows of a shape, and without one, that are told."""

BITS = 10.0
"""Evidence that the truth of some rows differs from that of others."""

ALMOST_ALL = 0.95
"""Proportion of one truth in a shape from which on it speaks for genuine predictions."""

ELSEWHERE = 0.01
"""Occurrences of the value elsewhere, as a proportion of the rows, that chance explains."""

_CELLS, _ROWS = 2**20, (256, 4096)
"""Predictions, roughly, and rows in which a value is suspected first."""


def without_unpredicted(sheet: Sheet, values: Values) -> tuple[Sheet, Values]:
    """Return predictions (R, N, cells) that are missing in rows that were never predicted.

    Seen: one value in whole folds or one run of rows, by one configuration or all, and almost never
      elsewhere
    Means: an array of zeros that was filled fold by fold
    Done: they count as missing, with a note
    """
    if sheet.scored or sheet.nested or values.words:
        return sheet, values
    flat, notes, n_left_out = values.array.reshape(-1, values.array.shape[2]), [], 0
    n_some = int(np.clip(_CELLS // flat.shape[1], *_ROWS))
    some = flat[distinct(np.linspace(0, len(flat) - 1, n_some).astype(np.int64))]
    every = "every configuration" if len(sheet.configurations) > 1 else "the prediction"
    blocks = cache(partial(_blocks, sheet))
    for name, cells in _groups(sheet, some):
        for value, strange in _suspects(sheet, some, cells):
            rows = _rows_of(flat, cells, value)
            if _never_predicted(sheet, blocks, flat, rows, value, strange):
                flat[np.ix_(rows, cells)] = np.nan
                some[np.ix_(_rows_of(some, cells, value), cells)] = np.nan
                notes.append(lacking.never_predicted(len(rows), value, name or every))
                n_left_out += 0 if name else len(distinct(rows % len(sheet.usable)))
    return replace(sheet, unpredicted=tuple(notes), n_unpredicted=n_left_out), values


def _groups(sheet: Sheet, some: FloatArray) -> Iterator[tuple[str, IntArray]]:
    """Yield the cells of all configurations, then of each in which some rows (n, C), without those
    that were told of all, hold a whole number several times and mostly different values beside it.
    """
    yield "", np.arange(len(sheet.cells))
    if len(sheet.configurations) < 2:
        return
    in_order, (n_rows, n_cells) = np.sort(some.T), some.shape
    new = np.ones((n_cells, n_rows), bool)
    new[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    times, n_values = np.diff(np.flatnonzero(new), append=new.size), new.sum(axis=1)
    times *= np.trunc(values := in_order[new]) == values
    most = np.maximum.reduceat(times, np.cumsum(n_values) - n_values)
    owned: dict[str, list[int]] = {}
    for i, cell in enumerate(sheet.cells):
        owned.setdefault(cell.configuration, []).append(i)
    recurs, differ = (
        {cell.configuration for cell in compress(sheet.cells, some)}
        for some in (most > 2, 2 * n_values > n_rows - most)
    )
    likely = recurs & differ
    yield from ((name, np.array(cells)) for name, cells in owned.items() if name in likely)


def _suspects(
    sheet: Sheet, some: FloatArray, cells: IntArray
) -> Iterator[tuple[float, Sequence[int]]]:
    """Yield values shared by cells in several of some rows (n, C), the most frequent first; and the
    cells in which they are strange, equal ones once.
    """
    own, several = some[:, cells], len({sheet.cells[cell].configuration for cell in cells}) > 1
    lowest, highest = np.fmin.reduce(own, axis=1), np.fmax.reduce(own, axis=1)
    equal = np.sort(lowest[lowest == highest])
    starts = starts_of(equal)
    shared, counts = equal[starts], np.diff(starts, append=len(equal))
    for i in np.argsort(-counts, kind="stable")[:3].tolist() if counts.max(initial=0) > 2 else ():
        value = float(shared[i])
        strange: dict[bytes, int] = {}
        others = own[(lowest != value) | (highest != value)]
        rare = (others == value).sum(axis=0) <= 1 + ELSEWHERE * counts[i]
        for c in np.flatnonzero(rare).tolist() if counts[i] > 2 else ():
            cell, numbers = int(cells[c]), others[~np.isnan(others[:, c]), c]
            if len(numbers) < FEWEST:
                continue
            beside = several and not numbers.min() <= value <= numbers.max()
            beside = beside and not _is_truth(sheet, value)
            if beside or 2 * len(distinct(numbers)) > len(numbers):
                strange.setdefault(numbers.tobytes(), cell)
        if strange:
            yield value, list(strange.values())


def _is_truth(sheet: Sheet, value: float) -> bool:
    """True if some truth is the value."""
    truth = sheet.of_samples.get("truth")
    return truth is not None and value in map(number_of, truth.named_codes()[1])


def _rows_of(flat: FloatArray, cells: IntArray, value: float) -> IntArray:
    """Return the rows all of whose cells have the value, or none."""
    rows: IntArray = np.arange(len(flat))
    for cell in cells:
        numbers = flat[rows, cell]
        rows = rows[(numbers == value) | np.isnan(numbers)]
    return rows


def _never_predicted(
    sheet: Sheet,
    blocks: Callable[[], IntArray | None],
    flat: FloatArray,
    rows: IntArray,
    value: float,
    strange: Sequence[int],
) -> bool:
    """True if the rows with a value (n,) of the predictions (R N, cells) were never predicted;
    `strange` are cells in which it seems strange.
    """
    models = {
        sheet.cells[cell].configuration
        for cell in strange
        if np.count_nonzero(flat[:, cell] == value) <= (1 + ELSEWHERE) * len(rows)
    }
    likely = len(models) > 1 or (len(models) == 1 and value == int(value))
    if len(rows) >= FEWEST and likely and _is_shape(sheet, blocks, rows):
        return not _known_by_truth(sheet, rows, ALMOST_ALL)
    several = len(models) > 1 and len(rows) >= FEWEST_SCATTERED
    return several and not _known_by_truth(sheet, rows, 0)


def _blocks(sheet: Sheet) -> IntArray | None:
    """(R N,) code of the fold, within its repeat, of each prediction; None without folds."""
    if "fold" not in sheet.roles:
        return None
    repeats = np.repeat(np.arange(sheet.n_repeats), len(sheet.usable))
    places = sheet.rows[:, sheet.usable].reshape(-1)
    return joint([repeats, sheet.roles["fold"].codes()[0][places]])


def _is_shape(sheet: Sheet, blocks: Callable[[], IntArray | None], rows: IntArray) -> bool:
    """True for whole folds, or a run of rows in each of some repeats."""
    places = sheet.rows[:, sheet.usable].reshape(-1)
    runs = 1 + np.count_nonzero(np.diff(np.sort(places[rows])) > 1)
    if runs <= len(sheet.rows) and len(rows) >= FEWEST * runs:
        return True
    codes = blocks()
    if codes is None:
        return False
    sizes, own = np.bincount(codes), np.bincount(codes[rows], minlength=int(codes.max()) + 1)
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
