"""Blends: weighted means of other configurations, fitted to the labels that score them.

A column is a blend if it equals, in every row and to the last digit, a mean of two or more others
with weights above 0. Predictions of linear models lie in a space of few dimensions, in which some
are means of others by accident; so these others must be independent of each other and of a
constant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from bbccli.domain.source import LeftOut
from bbccli.notes import listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.columns.values import all_rows, some_rows
from bbccli.reading.configuration_filter import ALL, INCLUDED
from bbccli.reading.roles import Request
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import GLANCE
from bbccli.types import BoolArray, FloatArray, IntArray

FLAG = INCLUDED["ensembles"]

MOST = 256
"""Configurations among which blends are looked for by their values."""

TIMES = 3
"""Rows for each configuration from which on a mean of the others is no accident."""

_DIGITS = 10
"""Most decimals that count as rounded."""

_FEW = 8
"""Values that show at once that a column is not rounded."""

_NOISE_TOLERANCE = 1e-4
"""Distance from a whole number that double precision makes of rounded numbers."""

_SINGLE, _DOUBLE = 4e-7, 1e-14
"""Relative rounding of numbers in single and in double precision."""

_SAME = 1e-6
"""Share of the largest variance in a direction below which columns may be dependent."""

_LEAST = 1e-3
"""Weight up to which a member may be none."""

_OFF = 0.02
"""Difference of the sum of weights from 1 that rounding may cause."""

_APART = 10
"""Times the rounding by which a blend differs from its members, and each from the others."""

_WORD: Final = pattern(r"blend(?:s|ed|ing)?|ensembl(?:e|es|ed|ing)|avg|average[ds]?|averaging")
_BESIDE: Final = pattern(
    r"oof|pred(?:iction)?s?|prob(?:a|s)?|scores?|models?|weighted|simple|rank|final|best|all|hill"
    r"|climb(?:ing)?|hillclimb|caruana|greedy|nnls|l|mean|of"
)
"""Words of a name beside those that mean a blend."""


def set_aside_blends(sheet: Sheet, request: Request) -> Sheet:
    """Leave out blends, told by their values or their names, as the flag `ensemble` does.

    Seen: in every row a mean of two or more other columns, with weights above 0; or a name that
      says so and no more, such as `blend` or `oof_ensemble`
    Means: an ensemble fitted to the labels that score it
    Done: left out, with a note; `--include ensembles` keeps it
    """
    free = {n: c for n, c in sheet.configurations.items() if n not in sheet.declared}
    run = sheet.metadata.run is not None
    if run or sheet.nested or len(free) < 3 or {ALL, "ensembles"} & {*request.include}:
        return sheet
    found = {} if sheet.scored else {name: "" for name in free if _is_called_so(name)}
    found |= {
        n: what for n, what in _by_values(sheet, [*sheet.configurations]).items() if n in free
    }
    if not found or len(free) - len(found) < 2:
        return sheet
    note = of_metadata.blends_left_out(found, len(sheet.configurations))
    gone = [cell.name for name in found for cell in sheet.configurations[name]]
    left_out = (*sheet.left_out, *(LeftOut(name, FLAG) for name in found))
    return replace(sheet.without(gone, note), left_out=left_out)


def _is_called_so(name: str) -> bool:
    """True if a name says that it is of a blend, and nothing else.

    >>> [_is_called_so(n) for n in ("oof_ensemble", "WeightedEnsemble_L2", "deep ensemble", "svm")]
    [True, True, False, False]
    """
    if not _WORD.search(name.casefold()):
        return False
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    meant = [word for word in words if _WORD.fullmatch(word)]
    return bool(meant) and all(word in meant or _BESIDE.fullmatch(word) for word in words)


def _by_values(sheet: Sheet, names: Sequence[str]) -> dict[str, str]:
    """Return the blends among configurations, and what each is made of."""
    cells = [sheet.configurations[name] for name in names]
    flat = [cell for some in cells for cell in some]
    n_classes = len(flat) // max(len(cells), 1)
    alike = len({tuple(cell.label for cell in some) for some in cells}) == 1
    if not 3 <= len(names) <= MOST or not alike or {c.source for c in flat} & sheet.table.texts:
        return {}
    n_rows = max(GLANCE, 2 * TIMES * len(names) // n_classes)
    head = _stacked(some_rows(sheet, flat, n_rows), len(names))
    different = {column.tobytes(): c for c, column in reversed([*enumerate(head.T)])}.values()
    spread = np.ptp(head, axis=0)  # no number or infinite, which is refused later, or constant
    used = np.array([c for c in sorted(different) if 0 < spread[c] < np.inf], int)
    if len(used) < 3 or len(head) < TIMES * len(used):
        return {}

    def column(c: int) -> FloatArray:
        return _stacked(all_rows(sheet, cells[used[c]]), 1)[:, 0]

    units = _units(head[:, used])
    found: dict[str, str] = {}
    for j, members, weights in _means(head[:, used], units):
        name, own = names[used[j]], [names[used[c]] for c in members]
        if _of_one_grid(name, own):
            continue
        array = np.column_stack([column(c) for c in (j, *members)])
        last = bool(j > members.max()) or _is_best(sheet, array)
        if last and _equal(array, units[[j, *members]]):
            parts = [f"{w:.2g} {one}" for w, one in zip(weights, own, strict=True)]
            found[name] = listing(parts, 4).replace(", ", " + ")
    return found


def _stacked(array: FloatArray, n: int) -> FloatArray:
    """Return columns of n configurations, of each of their classes, with the classes below each
    other.
    """
    return array.reshape(len(array), n, -1).swapaxes(1, 2).reshape(-1, n)


def _units(columns: FloatArray) -> FloatArray:
    """Return (C,) the last decimal place of columns (n, C), such as 0.001; their precision if they
    have more than ten.
    """
    single = (columns.astype(np.float32) == columns).all(axis=0)
    units = np.abs(columns).max(axis=0) * np.where(single, _SINGLE, _DOUBLE)
    left = np.flatnonzero(_have_decimals(columns[:_FEW], _DIGITS))
    for digits in range(_DIGITS + 1):
        if not len(left):
            break
        told = _have_decimals(columns[:, left], digits)
        units[left[told]], left = 10.0**-digits, left[~told]
    return np.asarray(units)


def _have_decimals(columns: FloatArray, digits: int) -> BoolArray:
    scaled = columns * 10.0**digits
    return np.asarray((np.abs(scaled - np.rint(scaled)) < _NOISE_TOLERANCE).all(axis=0))


def _means(array: FloatArray, units: FloatArray) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield columns of (n, C) that may be means of others, with these and their weights."""
    low, high = array.min(axis=0), array.max(axis=0)
    apart = np.maximum(high - low[:, None], high[:, None] - low)  # at most, of each two
    likely = (apart > _APART * np.maximum(units, units[:, None])).sum(axis=0) > 1
    if not likely.any():
        return
    likely &= _rest(array) <= 2 * units.max() + 1e-9 * array.std(axis=0)
    for j in np.flatnonzero(likely).tolist():
        from scipy.optimize import nnls

        others = np.delete(np.arange(len(units)), j)
        try:
            weights = np.asarray(nnls(array[:, others], array[:, j])[0])
        except RuntimeError:  # it did not converge
            continue
        members, weights = others[weights > _LEAST], weights[weights > _LEAST]
        if len(members) < 2 or abs(weights.sum() - 1) > _OFF:
            continue
        apart = np.sqrt(((array[:, members] - array[:, [j]]) ** 2).mean(axis=0))
        least = np.minimum(apart, _rest(array[:, members]))
        if (least > _APART * np.maximum(units[members], units[j])).all():
            yield j, members, weights


def _rest(values: FloatArray) -> FloatArray:
    """Return the standard deviation (C,) that the others, and a constant, leave of each column."""
    spread = values.std(axis=0)
    centred = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    sizes, axes = np.linalg.eigh(centred.T @ centred)
    if sizes[0] < _SAME * sizes[-1]:
        # by singular values of the columns: those of their correlations have half of the digits
        _, roots, across = np.linalg.svd(centred, full_matrices=False)
        sizes, axes = np.maximum(roots, np.finfo(float).eps * roots[0]) ** 2, across.T
    return np.asarray(spread / np.sqrt(len(values) * (axes**2 / sizes).sum(axis=1)))


def _equal(array: FloatArray, units: FloatArray) -> bool:
    """True if the first column of (n, 1 + M) is the mean of the others in all rows, but for
    rounding.
    """
    blend, *_ = members = array[~np.isnan(array).any(axis=1)].T
    weights = np.linalg.lstsq(members[1:].T, blend, rcond=None)[0]
    off = np.abs(weights @ members[1:] - blend)
    return bool((off <= units[0] + weights @ units[1:] + 1e-9 * (1 + np.abs(blend))).all())


def _is_best(sheet: Sheet, array: FloatArray) -> bool:
    """True if the first column of (n, C) goes best with the truth: where a blend has a weight below
    0, a member is a mean of it and the others.
    """
    truth = sheet.roles.get("truth")
    if truth is None or len(array) != sheet.n_rows:
        return False
    numbers = truth.codes()[0] if truth.is_text else to_numbers(truth.values)
    rows = ~np.isnan(array).any(axis=1) & ~np.isnan(numbers)
    found = np.abs(np.corrcoef(array[rows].T, numbers[rows])[-1, :-1])
    return bool(found[0] >= found.max())


def _of_one_grid(name: str, members: Sequence[str]) -> bool:
    """True for two neighbours that differ in numbers alone, such as a penalty: between them some
    models are linear in it.
    """
    return (
        len(members) == 2 and len({re.sub(r"[\d.e-]+", "", one) for one in (name, *members)}) == 1
    )
