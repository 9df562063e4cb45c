"""Columns that say how sure a model is, or how far models disagree, and not what they predict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bbccli.core.notes import identities
from bbccli.readers.columns.values import (
    FEWEST_ROWS,
    all_rows,
    classes_of,
    holds,
    some_rows,
    undecided,
)
from bbccli.readers.roles import Request
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, FloatArray

_SLACK = 0.005
"""Share of a column's extent by which rounding may put it out of order."""

_MOST_COLUMNS = 200
"""Most columns that are compared with each other."""


def leave_out_certainty(sheet: Sheet, request: Request) -> Sheet:
    """Leave out columns ordered as the distance of a probability from one half, or in reverse.

    Such are the larger of p and 1 - p, a margin, an entropy, a variance. There must be
    probabilities on both sides, so that no model is ordered so.

    Seen: ordered as the distance of a probability from 0.5, which has both sides, or in reverse
    Means: how sure a model is: the larger of p and 1 - p, a margin, an entropy
    Done: left out, with a note
    """
    classes, cells = classes_of(sheet, request), undecided(sheet)
    if len(classes) != 2 or not 1 < len(cells) <= _MOST_COLUMNS:
        return sheet
    some, gone = some_rows(sheet, cells), dict[str, str]()
    some = some[np.isfinite(some).all(axis=1)]
    for c, probability in enumerate(cells):
        if probability.name in gone or not _on_both_sides(some[:, c]):
            continue
        for k in np.flatnonzero(_ordered_by(np.abs(some[:, c] - 0.5), some)).tolist():
            if k == c or cells[k].name in gone:
                continue
            own, other = all_rows(sheet, [probability, cells[k]]).T
            there = np.isfinite(own) & np.isfinite(other)
            if _ordered_by(np.abs(own - 0.5)[there], other[there, None])[0]:
                gone[cells[k].name] = probability.name
    return _without(sheet, [*gone], "how sure a model is")


def _on_both_sides(column: FloatArray) -> bool:
    """True if a column (n,) holds probabilities above and below one half."""
    low, high = (column < 0.5).sum(), (column > 0.5).sum()
    within = len(column) > 0 and column.min() >= 0 and column.max() <= 1
    return bool(within and min(low, high) >= max(3, len(column) // 20))


def _ordered_by(key: FloatArray, columns: FloatArray) -> BoolArray:
    """(C,) True for columns (n, C) of many values that only rise, or only fall, with a key (n,)."""
    columns = columns[np.argsort(key, kind="stable")]
    steps, extent = np.diff(columns, axis=0), np.ptp(columns, axis=0)
    rises = (steps >= -_SLACK * extent).all(axis=0)
    falls = (steps <= _SLACK * extent).all(axis=0)
    many = (steps != 0).sum(axis=0) >= FEWEST_ROWS
    return np.asarray((rises | falls) & many)


def leave_out_spread(sheet: Sheet, request: Request) -> Sheet:
    """Leave out columns that are the spread of all others in every row, but for a mean of these.

    Seen: proportional to the standard deviation, or the range, of all other columns in each row
    Means: how far models disagree
    Done: left out, with a note
    """
    cells = undecided(sheet)
    if "truth" not in sheet.roles or not 2 < len(cells) <= _MOST_COLUMNS:
        return sheet
    spread = [
        cell.name for c, cell in enumerate(cells) if holds(sheet, cells, partial(_is_spread, c=c))
    ]
    return _without(sheet, spread, "how far the others disagree")


def _is_spread(columns: FloatArray, c: int) -> bool:
    """True if a column of (n, C) is proportional to the deviation or range of the others."""
    columns = columns[np.isfinite(columns).all(axis=1)].astype(np.float64)
    own, others = columns[:, c], np.delete(columns, c, axis=1)
    if len(own) < FEWEST_ROWS or own.min() < 0 or own.min() == own.max():
        return False
    return any(_proportional(own, one) for one in (others.std(axis=1), np.ptp(others, axis=1)))


def _proportional(column: FloatArray, other: FloatArray) -> bool:
    factor = column @ other / (other @ other or 1.0)
    return bool((np.abs(column - factor * other) <= _SLACK * np.ptp(column)).all())


def _without(sheet: Sheet, names: Sequence[str], what: str) -> Sheet:
    """Return the sheet without some columns, with a note."""
    return sheet.without(names, identities.uncertainty(names, what)) if names else sheet
