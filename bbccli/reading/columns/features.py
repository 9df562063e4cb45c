"""Columns left beside the predictions: whole numbers beside fractions, and standardised ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import compress

import numpy as np

from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import identities
from bbccli.reading.arrow import as_arrow
from bbccli.reading.column import in_equal_parts
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance, all_rows, some_rows, step_of
from bbccli.reading.roles import is_given
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.types import FloatArray, distinct

AS_GOOD, ALIKE = 0.5, 0.9
"""Share of the others' correlation with the truth from which a column predicts as they do; and
where some of them have a word in common that it lacks.
"""

ERRORS = 3
"""Standard errors of a correlation up to which the others predict nothing."""

FEW = 10
"""Values up to which the name counts."""

_FEWEST = 3
"""Columns from which on they are no two opposite answers."""

_IN_EACH = 9
"""Samples of each class in each of three parts from which on equal shares are no accident."""

_MOST_COLUMNS = 200
"""Most columns that are compared with each other."""

_ALIKE = 0.9
"""Rank correlation from which a column may be another one on another scale."""

_COMPARED = 5
"""Other columns whose association is compared."""

_ROWS = 20_000
"""Rows compared, evenly spaced."""


def set_aside_indicators(glance: Glance) -> Sheet:
    """Take columns that are 1 in turn for the values of one; those of folds, by their name, are it.

    Seen: of three or more columns of one stem, other than the classes, one is 1 in every row and
      the others 0
    Means: a feature, or the folds, in a column for each value
    Done: left out as features, or read as the folds, with a note
    """
    sheet, cells = glance.sheet, glance.cells
    for places in families([cell.name for cell in cells], glance.array):
        many = _FEWEST <= len(places) != len(glance.classes)
        if not (many and _take_turns(columns := glance.whole(*places))):
            continue
        names = [cells[c].name for c in places]
        are_folds = "fold" not in sheet.roles and bool(re.search("(?i)fold|split|cv", names[0]))
        sheet = sheet.without(names, identities.indicators(names, folds=are_folds))
        if are_folds and not is_given(glance.request.folds):
            first = sheet.table.column(names[0])
            codes = replace(first, values=as_arrow(columns.argmax(axis=1)))
            sheet = replace(sheet, roles={**sheet.roles, "fold": codes})
    return sheet if sheet.cells else glance.sheet


def families(names: Sequence[str], array: FloatArray) -> list[list[int]]:
    """Return the positions of columns (n, C) that differ in the last, or the first, word of their
    names, and of which one is 1 in every row, and the others 0.
    """
    stems = dict[str, list[int]]()
    for place in np.flatnonzero(((array == 0) | (array == 1)).all(axis=0)).tolist():
        for stem in _without_word(names[place]):
            stems.setdefault(stem, []).append(place)
    of_stems = [some for stem, some in stems.items() if stem and len(some) > 1]
    return [some for some in of_stems if _take_turns(array[:, some])]


@lru_cache(maxsize=2**10)  # the files of a batch have the same columns
def _without_word(name: str) -> tuple[str, str]:
    """Return a name without its last, and without its first, word."""
    return re.sub(r"[^\W_]+\W*$", "", name), re.sub(r"^\W*[^\W_]+", "", name)


def _take_turns(columns: FloatArray) -> bool:
    return bool(((columns == 0) | (columns == 1)).all() and (columns.sum(axis=1) == 1).all())


def set_aside_features(glance: Glance) -> Sheet:
    """Leave out whole numbers that predict far less than the fractions beside them.

    Seen: whole numbers beside fractions, in a wide table, under a name unlike theirs, and far less
      correlated with the truth than these would be if cut to as many values
    Means: features, such as a sex or an age; else labels, or points of a score
    Done: left out as features, such as an age, with a note; if they predict about as well, they are
      configurations
    """
    sheet, truth = glance.sheet, glance.truth
    if sheet.layout != WIDE or sheet.by_class or truth is None:
        return sheet
    known, texts = sheet.declared, sheet.table.texts
    cells = [c for c in sheet.cells if c.source not in texts and c.configuration not in known]
    some = some_rows(sheet, cells)
    fractions = np.asarray((some > np.floor(some)).any(axis=0))
    if not fractions.any() and "fold" not in sheet.roles:
        return _without_parts(glance)
    if fractions.all() or not fractions.any():
        return sheet
    others, whole = ([*compress(cells, of_kind)] for of_kind in (fractions, ~fractions))
    counts = Counter(stem for cell in others for stem in _stems(cell.name))
    strange = [cell for cell in whole if not counts.keys() & _stems(cell.name)]
    codes, values = truth.codes()
    if not strange or (truth.is_text and len(values) != 2):
        return sheet
    array = all_rows(sheet, [*strange, *others[:: -(-len(others) // _COMPARED)]])
    usable = np.flatnonzero((codes >= 0) & np.isfinite(array).all(axis=1))
    usable = usable[:: max(-(-len(usable) // _ROWS), 1)]
    is_whole = ~(array[:, : len(strange)] % 1 > 0).any(axis=0)
    shares = _shares(array[usable], glance.truths[usable], len(strange))
    n_values = np.array([len(distinct(column)) for column in array[usable, : len(strange)].T])
    by_word = (max(counts.values(), default=0) > 1) & (n_values <= FEW)
    weak = is_whole & (shares < np.where(by_word, ALIKE, AS_GOOD))
    good = is_whole & (shares >= AS_GOOD) & ~weak & (n_values == 2)
    parts = np.array([in_equal_parts(column) for column in array[:, : len(strange)].T])
    parts &= "fold" not in sheet.roles and not is_given(glance.request.folds)
    notes, often = [], weak & (n_values > FEW) & (2 * n_values <= len(usable))
    recurring = next((cell.name for cell in compress(strange, often)), "")
    for marked, remark in (
        (weak & parts, identities.equal_parts),
        (weak & ~parts, partial(identities.whole_numbers, recurring=recurring)),
        (good, identities.whole_numbers_kept),
    ):
        if names := [cell.name for cell in compress(strange, marked)]:
            notes.append(remark(names))
    return sheet.without([cell.name for cell in compress(strange, weak)], *notes)


def _without_parts(glance: Glance) -> Sheet:
    """Return the sheet without equal parts of the samples beside labels: of other numbers than
    these, or with the same share of each class, as no labels are by chance.
    """
    labels, sheet, gone = {*glance.labels}, glance.sheet, list[str]()
    if len(labels) < 2 or not glance.classes or is_given(glance.request.folds):
        return sheet
    for c, cell in enumerate(glance.cells):
        few = len(distinct(glance.array[:, c])) < 3
        if few or (cell.source in labels and sheet.n_rows > _ROWS):
            continue
        parts = glance.whole(c)[:, 0]
        if not np.isfinite(parts).all() or not in_equal_parts(parts):
            continue
        each = [
            np.bincount(glance.codes[parts == part] + 1, minlength=1 + len(glance.classes))
            for part in distinct(parts)
        ]
        stratified = np.ptp(each, axis=0).max() <= 1 and np.min(each, axis=0)[1:].min() >= _IN_EACH
        if cell.source not in labels or stratified:
            gone.append(cell.name)
    left = sheet.without(gone, identities.equal_parts(gone)) if len(gone) == 1 else sheet
    return left if left.cells else sheet


def leave_out_copies(glance: Glance) -> Sheet:
    """Leave out columns that are another one on another scale.

    Probabilities on the scale from 0 to 1 may be another one calibrated, and stay.

    Seen: another column standardised (`ZPR_1` of SPSS); or three or more values beyond 0 and 1, in
      the order of a probability, or in reverse (log-odds, ranks, deciles, points)
    Means: the same predictions again
    Done: left out, with a note
    """
    some, cells, copies = glance.complete, glance.cells, dict[str, str]()
    inside = ((some >= 0) & (some <= 1)).all(axis=0)
    of_unit = inside & glance.fractions & (len(glance.classes) == 2)
    likely = ~inside & ((some.min(axis=0, initial=0) < 0) | of_unit.any())
    if len(some) < FEWEST_ROWS or not likely.any() or not 1 < len(cells) <= _MOST_COLUMNS:
        return glance.sheet
    alike = np.abs(np.corrcoef(mean_ranks(some.T)))
    for c, other in np.argwhere((alike > _ALIKE) & likely[:, None]).tolist():
        if c == other or {cells[c].name, cells[other].name} & {*copies}:
            continue
        columns = glance.whole(c, other).astype(np.float64)
        column, of = columns[np.isfinite(columns).all(axis=1)].T
        if _is_standardised(column, of) or (of_unit[other] and _is_in_order(column, of)):
            copies[cells[c].name] = cells[other].name
    return glance.sheet.without(copies, identities.copies(copies)) if copies else glance.sheet


def _is_standardised(column: FloatArray, of: FloatArray) -> bool:
    """True if a column (n,) is another (n,) less its mean, divided by its standard deviation."""
    centred, n = of - of.mean(), len(of)
    scales = [np.sqrt((centred @ centred) / m) for m in (n, n - 1)]
    slack = 1e-6 + step_of(column) + step_of(of) / max(scales[0], 1e-300)
    near = any(np.abs(centred / scale - column).max() <= slack for scale in scales)
    return near and bool((column % 1 > 0).any() and (column != of).any())


def _is_in_order(column: FloatArray, of: FloatArray) -> bool:
    """True if a column (n,) of several values never falls as another (n,) rises, or never rises."""
    ordered = (np.diff(way * column[np.lexsort([way * column, of])]) for way in (1, -1))
    return len(distinct(column)) > 2 and any((steps >= 0).all() for steps in ordered)


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
            correlation, *usual = np.abs(np.corrcoef(both.T, truth)[-1, :-1])
            if np.median(usual) > ERRORS / np.sqrt(len(cut)):
                shares[i] = correlation / np.median(usual)
    return shares


def _stems(name: str) -> set[str]:
    """Return what names of several models have in common: the first and the last of several words,
    or a word before a number.

    >>> sorted(_stems("oof_svm")), _stems("m12"), _stems("sex")
    (['oof', 'svm'], {'m'}, set())
    """
    words = re.findall(r"[^\W\d_]+|\d+", name.casefold())
    return {words[0], words[-1]} - {"", *filter(str.isdigit, words)} if len(words) > 1 else set()
