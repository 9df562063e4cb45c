"""Columns that say how sure a model is, or how far models disagree, and not what they predict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from bbccli.notes import identities
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.columns.values import FEWEST_ROWS, all_rows, classes_of, some_rows
from bbccli.reading.roles import Request
from bbccli.reading.sheet import Sheet
from bbccli.types import BoolArray, FloatArray

_SLACK = 0.005
"""Share of a column's extent by which rounding may put it out of order."""

_APART = 8
"""Rows of which one is looked at first, in the order of a column."""

_SPREAD: Final = pattern(
    r"std(?:dev|err)?|stdev|sd|sep?|sigma|var(?:iance)?|unc(?:ertainty)?|hat|lev(?:erage)?"
    r"|coo(?:k|ksd)?"
)
_POINT: Final = pattern(r"y(?:hat)?|mean|mu|pred(?:icted|iction)?|fit(?:ted)?|pre|forecast")
"""Words of a name that mean a spread, or an influence; and those of the prediction."""

_NEAR = 0.9
"""Share of the truth's variance that the errors of a model stay below."""

_MOST_COLUMNS = 200
"""Most columns that are compared with each other."""


def leave_out_certainty(sheet: Sheet, request: Request) -> Sheet:
    """Leave out columns ordered as the distance of a probability from one half, or in reverse.

    Such are the larger of p and 1 - p, a margin, an entropy, a variance. There must be
    probabilities on both sides, so that no model is ordered so.

    Seen: ordered like the distance of a probability from 0.5, or in reverse
    Means: how sure a model is: the larger of p and 1 - p, a margin, an entropy
    Done: left out, with a note
    """
    classes, cells = classes_of(sheet, request), sheet.undecided
    if len(classes) != 2 or not 1 < len(cells) <= _MOST_COLUMNS:
        return sheet
    some, gone = some_rows(sheet, cells), dict[str, str]()
    some = some[np.isfinite(some).all(axis=1)]
    for c, k in _likely(some):
        if k == c or {cells[c].name, cells[k].name} & {*gone}:
            continue
        own, other = all_rows(sheet, [cells[c], cells[k]]).T
        there = np.isfinite(own) & np.isfinite(other)
        if _ordered_by(np.abs(own - 0.5)[there], other[there]):
            gone[cells[k].name] = cells[c].name
    return _without(sheet, [*gone], "how certain a model is")


def _likely(some: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield the columns of (n, C) with probabilities on both sides of one half, each with those
    that may be ordered as their distance from it: in every `_APART`th row they are, and in all.
    """
    n_least = np.minimum((some < 0.5).sum(axis=0), (some > 0.5).sum(axis=0))
    within = ((some >= 0) & (some <= 1)).all(axis=0)
    sides = np.flatnonzero(within & (n_least >= max(3, len(some) // 20)))
    if len(sides):
        order = np.argsort(np.abs(some[:, sides] - 0.5), axis=0, kind="stable")
        slack = _APART * _SLACK * np.ptp(some, axis=0)
        s, k = np.nonzero(_is_ordered(some[order[::_APART]], slack))
        ordered = _is_ordered(some[order[:, s], k], slack[k])
        yield from zip(sides[s[ordered]].tolist(), k[ordered].tolist(), strict=True)


def _is_ordered(columns: FloatArray, slack: FloatArray) -> BoolArray:
    """True for columns (n, ...) that only rise, or only fall, but for a slack (...)."""
    steps = np.diff(columns, axis=0)
    return np.asarray((steps >= -slack).all(axis=0) | (steps <= slack).all(axis=0))


def _ordered_by(key: FloatArray, column: FloatArray) -> bool:
    """True for a column (n,) of many values that only rises, or only falls, with a key (n,)."""
    in_order = column[np.argsort(key, kind="stable")]
    many = np.count_nonzero(np.diff(in_order)) >= FEWEST_ROWS
    return bool(many and _is_ordered(in_order, _SLACK * np.ptp(column, axis=0)))


def leave_out_spread(sheet: Sheet, request: Request) -> Sheet:
    """Leave out columns that are the spread of all others in every row, but for a mean of these;
    and those of a prediction.

    Seen: proportional to the standard deviation, or the range, of all other columns in each row; or
      called a spread (`rf_std`, `.se.fit`), never negative, and less correlated with the truth than
      the prediction (`rf_mean`, `.fitted`)
    Means: how far models disagree, or how certain one is
    Done: left out, with a note
    """
    sheet = _without(sheet, [*_called_spreads(sheet)], "how certain a model is")
    cells = sheet.undecided
    if "truth" not in sheet.roles or not 2 < len(cells) <= _MOST_COLUMNS:
        return sheet
    spread = list[str]()
    if _are_spreads(some_rows(sheet, cells)).any():
        found = _are_spreads(all_rows(sheet, cells))
        spread = [cell.name for cell, one in zip(cells, found, strict=True) if one]
    return _without(sheet, spread, "how much the others disagree")


def _called_spreads(sheet: Sheet) -> Iterator[str]:
    """Yield the columns called the spread of a prediction that is there, and no better than it."""
    cells, truth = sheet.undecided, sheet.roles.get("truth")
    words = [re.findall(r"[a-z]+|\d+", cell.name.casefold()) for cell in cells]
    called = [any(map(_SPREAD.fullmatch, own)) for own in words]
    if truth is None or not any(called) or (truth.is_text and len(truth.codes()[1]) > 2):
        return
    values = np.asarray(truth.codes()[0] if truth.is_text else to_numbers(truth.values), float)
    stems = [[w for w in own if not (_SPREAD.fullmatch(w) or _POINT.fullmatch(w))] for own in words]
    for c, cell in enumerate(cells):
        points = [i for i, stem in enumerate(stems) if stem == stems[c] and not called[i]]
        if called[c] and points:
            own, point = all_rows(sheet, [cell, cells[points[0]]]).T
            there = np.isfinite(own) & np.isfinite(point) & np.isfinite(values)
            if there.sum() < FEWEST_ROWS or own[there].min() < 0:
                continue
            told = values[there]
            alike = np.abs(np.corrcoef([told, own[there], point[there]])[0])
            # a model called so, such as a kernel, is nearer to the truth than its mean is
            if not alike[1] > alike[2] and ((own[there] - told) ** 2).mean() > _NEAR * told.var():
                yield cell.name


def _are_spreads(columns: FloatArray) -> BoolArray:
    """(C,) True for columns of (n, C) proportional to the deviation or the range of the others."""
    columns = columns[np.isfinite(columns).all(axis=1)].astype(np.float64)
    if len(columns) < FEWEST_ROWS:
        return np.zeros(columns.shape[1], bool)
    n_others, last = columns.shape[1] - 1, np.sort(columns, axis=1)
    centred = columns - columns.mean(axis=1, keepdims=True)
    mean = -centred / n_others
    square = ((centred**2).sum(axis=1, keepdims=True) - centred**2) / n_others
    highest = np.where(columns == last[:, -1:], last[:, -2:-1], last[:, -1:])
    lowest = np.where(columns == last[:, :1], last[:, 1:2], last[:, :1])
    found = (columns.min(axis=0) >= 0) & (np.ptp(columns, axis=0) > 0)
    deviation = np.sqrt(np.maximum(square - mean**2, 0))
    likely = _proportional(columns, deviation) | _proportional(columns, highest - lowest)
    return np.asarray(found & likely)


def _proportional(columns: FloatArray, others: FloatArray) -> BoolArray:
    """(C,) True for columns (n, C) that are multiples of others (n, C), but for rounding."""
    factor = (columns * others).sum(axis=0) / np.maximum((others**2).sum(axis=0), 1e-300)
    off = np.abs(columns - factor * others).max(axis=0)
    return np.asarray(off <= _SLACK * np.ptp(columns, axis=0))


def _without(sheet: Sheet, names: Sequence[str], what: str) -> Sheet:
    """Return the sheet without some columns, with a note."""
    return sheet.without(names, identities.uncertainty(names, what)) if names else sheet
