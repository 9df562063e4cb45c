"""Features left beside the predictions: whole numbers beside fractions."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from bbccli.notes import of_metadata
from bbccli.reading.arrow import to_numbers
from bbccli.reading.column import in_equal_parts
from bbccli.reading.columns.values import all_rows, some_rows
from bbccli.reading.roles import Request, is_given
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.types import BoolArray, FloatArray, distinct

AS_GOOD, ALIKE = 0.5, 0.9
"""Share of the others' correlation with the truth from which on a column predicts as they do; and
where some of them have a word in common that it lacks.
"""

ERRORS = 3
"""Standard errors of a correlation up to which the others predict nothing."""

FEW = 10
"""Values up to which the name counts."""

_COMPARED = 5
"""Other columns whose association is compared."""

_ROWS = 20_000
"""Rows compared, evenly spaced."""


def set_aside_features(sheet: Sheet, request: Request) -> Sheet:
    """Leave out whole numbers that predict far less than the fractions beside them.

    Seen: whole numbers beside fractions, in a wide table, under a name unlike theirs, and far less
      correlated with the truth than these would be if cut to as many values
    Means: features, such as a sex or an age; else labels, or points of a score
    Done: left out as features, such as an age, with a note; if they predict about as well, they are
      configurations
    """
    if sheet.layout != WIDE or sheet.by_class or "truth" not in sheet.roles:
        return sheet
    known, texts = sheet.declared, sheet.table.texts
    cells = [c for c in sheet.cells if c.source not in texts and c.configuration not in known]
    if len(cells) < 2:
        return sheet
    head = some_rows(sheet, cells)
    is_whole = _is_whole(head)
    others = [cell for cell, whole in zip(cells, is_whole, strict=True) if not whole]
    counts = Counter(stem for cell in others for stem in _stems(cell.name))
    stems = {*counts}
    strange = [
        cell
        for cell, whole in zip(cells, is_whole, strict=True)
        if whole and not stems & _stems(cell.name)
    ]
    codes, values = sheet.roles["truth"].codes()
    if not strange or not others or (sheet.roles["truth"].is_text and len(values) != 2):
        return sheet
    truth = codes if sheet.roles["truth"].is_text else to_numbers(sheet.roles["truth"].values)
    array = all_rows(sheet, [*strange, *others[:: -(-len(others) // _COMPARED)]])
    usable = np.flatnonzero((codes >= 0) & np.isfinite(array).all(axis=1))
    usable = usable[:: max(-(-len(usable) // _ROWS), 1)]
    whole = _is_whole(array[:, : len(strange)])
    shares = _shares(array[usable], np.asarray(truth, float)[usable], len(strange))
    n_values = np.array([len(distinct(column)) for column in array[usable, : len(strange)].T])
    by_word = (max(counts.values(), default=0) > 1) & (n_values <= FEW)
    weak = whole & (shares < np.where(by_word, ALIKE, AS_GOOD))
    good = whole & (shares >= AS_GOOD) & ~weak & (n_values == 2)
    parts = np.array([in_equal_parts(column) for column in array[:, : len(strange)].T])
    parts &= "fold" not in sheet.roles and not is_given(request.folds)
    notes = []
    for found, remark in (
        (weak & parts, of_metadata.equal_parts),
        (weak & ~parts, of_metadata.whole_numbers),
        (good, of_metadata.whole_numbers_kept),
    ):
        if names := [cell.name for cell, one in zip(strange, found, strict=True) if one]:
            notes.append(remark(names))
    return sheet.without({c.name for c, one in zip(strange, weak, strict=True) if one}, *notes)


def _is_whole(columns: FloatArray) -> BoolArray:
    """(C,) True if no entry of columns (n, C) has a fraction."""
    return np.asarray((np.isnan(columns) | (columns == np.rint(columns))).all(axis=0))


def _shares(array: FloatArray, truth: FloatArray, n: int) -> FloatArray:
    """(n,) Correlation of each of the first n columns of (N, C) with the truth, as a share of the
    median that the others would have with the same values, each as often; NaN if that is nothing.
    """
    places = array[:, n:].argsort(axis=0, kind="stable").argsort(axis=0).T
    shares = np.full(n, np.nan)
    for i, column in enumerate(array[:, :n].T):
        cut = np.sort(column)
        if len(cut) > 2 and cut[0] < cut[-1] and truth.min() < truth.max():
            both = np.column_stack([column, *(cut[place] for place in places)])
            own, *rest = np.abs(np.corrcoef(both.T, truth)[-1, :-1])
            usual = float(np.median(rest))
            if usual > ERRORS / np.sqrt(len(cut)):
                shares[i] = own / usual
    return shares


def _stems(name: str) -> set[str]:
    """Return what names of several models have in common: the first and the last of several words,
    or a word before a number.

    >>> sorted(_stems("oof_svm")), _stems("m12"), _stems("sex")
    (['oof', 'svm'], {'m'}, set())
    """
    words = re.findall(r"[^\W\d_]+|\d+", name.casefold())
    return {words[0], words[-1]} - {"", *filter(str.isdigit, words)} if len(words) > 1 else set()
