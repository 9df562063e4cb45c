"""Columns that say how sure a model is, or how far models disagree, and not what they predict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from bbccli.notes import identities
from bbccli.platform.text import pattern
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance
from bbccli.reading.sheet import Sheet
from bbccli.types import BoolArray, FloatArray

_SLACK = 0.005
"""Share of a column's extent by which rounding may put it out of order."""

_APART = 8
"""Rows of which one is looked at first, in the order of a column."""

_FEW = 16
"""Rows that tell most columns from the spread of the others."""

_SPREAD: Final = pattern(
    r"std(?:dev|err)?|stdev|sd|sep?|sigma|var(?:iance)?|unc(?:ertainty)?|hat|lev(?:erage)?"
    r"|coo(?:k|ksd)?"
)
_POINT: Final = pattern(r"y(?:hat)?|mean|mu|pred(?:icted|iction)?|fit(?:ted)?|pre|forecast")
"""Words of a name that mean a spread, or an influence; and those of the prediction."""

_FOLLOWS = "in every row it follows from the other columns and says"
_CALLED = "its name and values say how certain a model is, not what it predicts"

_NEAR = 0.9
"""Share of the truth's variance that the errors of a model stay below."""

_MOST_COLUMNS = 200
"""Most columns that are compared with each other."""


def leave_out_certainty(glance: Glance) -> Sheet:
    """Leave out columns ordered as the distance of a probability from one half, or in reverse.

    Such are the larger of p and 1 - p, a margin, an entropy, a variance. There must be
    probabilities on both sides, so that no model is ordered so.

    Seen: ordered like the distance of a probability from 0.5, or in reverse
    Means: how sure a model is: the larger of p and 1 - p, a margin, an entropy
    Done: left out, with a note
    """
    if len(glance.classes) != 2 or not 1 < len(glance.cells) <= _MOST_COLUMNS:
        return glance.sheet
    if not glance.fractions.any():
        return glance.sheet
    gone = list[int]()
    for c, k in _likely(glance.complete):
        if k != c and not {c, k} & {*gone}:
            columns = glance.whole(c, k)
            probability, other = columns[np.isfinite(columns).all(axis=1)].T
            if _ordered_by(np.abs(probability - 0.5), other):
                gone.append(k)
    return _without(glance, gone, f"{_FOLLOWS} how certain a model is")


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


def leave_out_spread(glance: Glance) -> Sheet:
    """Leave out columns that are the spread of all others in every row, but for a mean of these;
    and those of a prediction.

    Seen: proportional to the standard deviation, or the range, of all other columns in each row; or
      called a spread (`rf_std`, `.se.fit`), never negative, and less correlated with the truth than
      the prediction (`rf_mean`, `.fitted`)
    Means: how far models disagree, or how certain one is
    Done: left out, with a note
    """
    if called := [*_called_spreads(glance)]:
        glance = glance.after(_without(glance, called, _CALLED))
    n_columns = len(glance.cells)
    if glance.truth is None or not 2 < n_columns <= _MOST_COLUMNS:
        return glance.sheet
    some = glance.complete
    if len(some) < FEWEST_ROWS:
        return glance.sheet
    # of few rows the factor is off by their root, at most, times the slack
    slack = (1 + _FEW**0.5) * _SLACK * np.ptp(some, axis=0)
    if not _are_spreads(some[:_FEW], slack).any() or not _are_spreads(some).any():
        return glance.sheet
    spreads = np.flatnonzero(_are_spreads(glance.whole(*range(n_columns)))).tolist()
    return _without(glance, spreads, f"{_FOLLOWS} how much the others disagree")


def _called_spreads(glance: Glance) -> Iterator[int]:
    """Yield the columns called the spread of a prediction that is there, and no better than it."""
    truth, pairs = glance.truth, _spreads_and_points(tuple(cell.name for cell in glance.cells))
    if truth is None or not pairs or (truth.is_text and len(truth.codes()[1]) > 2):
        return
    for spread, point in pairs:
        columns = np.column_stack([glance.truths, glance.whole(spread, point)])
        columns = columns[np.isfinite(columns).all(axis=1)]
        if len(columns) < FEWEST_ROWS or columns[:, 1].min() < 0:
            continue
        alike = np.abs(np.corrcoef(columns.T)[0])
        # a model of such a name, such as a kernel, is nearer to the truth than its mean is
        off = (columns[:, 1] - columns[:, 0]) ** 2
        if not alike[1] > alike[2] and off.mean() > _NEAR * columns[:, 0].var():
            yield spread


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _spreads_and_points(names: tuple[str, ...]) -> Sequence[tuple[int, int]]:
    """Return the columns called a spread, each with the first of the same stem that is not."""
    words = [re.findall(r"[a-z]+|\d+", name.casefold()) for name in names]
    points, spreads = dict[tuple[str, ...], int](), list[tuple[int, tuple[str, ...]]]()
    for c, some in enumerate(words):
        stem = tuple(w for w in some if not (_SPREAD.fullmatch(w) or _POINT.fullmatch(w)))
        if any(map(_SPREAD.fullmatch, some)):
            spreads.append((c, stem))
        else:
            points.setdefault(stem, c)
    return [(c, points[stem]) for c, stem in spreads if stem in points]


def _are_spreads(columns: FloatArray, slack: FloatArray | None = None) -> BoolArray:
    """(C,) True for columns of (n, C) proportional to the deviation or the range of the others, but
    for a slack (C,).
    """
    columns = columns[np.isfinite(columns).all(axis=1)].astype(np.float64)
    slack = _SLACK * np.ptp(columns, axis=0) if slack is None else slack
    n_others, last = columns.shape[1] - 1, np.sort(columns, axis=1)
    centred = columns - columns.mean(axis=1, keepdims=True)
    mean = -centred / n_others
    square = ((centred**2).sum(axis=1, keepdims=True) - centred**2) / n_others
    highest = np.where(columns == last[:, -1:], last[:, -2:-1], last[:, -1:])
    lowest = np.where(columns == last[:, :1], last[:, 1:2], last[:, :1])
    varying = (columns.min(axis=0) >= 0) & (slack > 0)
    deviation = np.sqrt(np.maximum(square - mean**2, 0))
    off = np.minimum(_off(columns, deviation), _off(columns, highest - lowest))
    return np.asarray(varying & (off <= slack))


def _off(columns: FloatArray, others: FloatArray) -> FloatArray:
    """(C,) how far columns (n, C) are from multiples of others (n, C), at most."""
    factor = (columns * others).sum(axis=0) / np.maximum((others**2).sum(axis=0), 1e-300)
    return np.asarray(np.abs(columns - factor * others).max(axis=0))


def _without(glance: Glance, gone: Sequence[int], why: str) -> Sheet:
    """Return the sheet without some columns, with a note."""
    names, sheet = [glance.cells[c].name for c in gone], glance.sheet
    return sheet.without(names, identities.uncertainty(names, why)) if names else sheet
