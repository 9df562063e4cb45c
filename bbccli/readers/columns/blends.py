"""Blends: weighted means of other configurations, fitted to the labels that score them.

A column is a blend if it equals, in every row and to the last digit, a mean of two or more others
with weights above 0: of their values, their logits, their logarithms or their ranks. Predictions of
linear models lie in a space of few dimensions, in which some are means of others by accident; so
these others must be independent of each other and of a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bbccli.core.notes import declared, listing
from bbccli.core.source import LeftOut
from bbccli.readers.arrow import to_numbers
from bbccli.readers.choice import ALL, INCLUDED
from bbccli.readers.columns.values import all_rows, first_rows
from bbccli.readers.roles import Request
from bbccli.readers.rules import ReadingRule
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, FloatArray, IntArray

FLAG = INCLUDED["ensembles"]

MOST = 256
"""Configurations among which blends are looked for by their values."""

TIMES = 3
"""Rows for each configuration from which on a mean of the others is no accident."""

MOST_RANKED = 20
"""Configurations up to which means of ranks are looked for."""

INSIDE = 1e-3
"""Distance from 0 and 1 of probabilities whose logits and logarithms are compared."""

_FEWEST = 64
"""Rows looked at, at least, before whole columns."""

_RANKED = 300_000
"""Cells up to which ranks are computed."""

_DIGITS = 10
"""Most decimals that count as rounded."""

_NOISE = 1e-4
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

_WORD: Final = re.compile(r"blend(?:s|ed|ing)?|ensembl(?:e|es|ed|ing)|avg|average[ds]?|averaging")
_BESIDE: Final = re.compile(
    r"oof|pred(?:iction)?s?|prob(?:a|s)?|scores?|models?|weighted|simple|rank|final|best|all|hill"
    r"|climb(?:ing)?|hillclimb|caruana|greedy|nnls|l|mean|of"
)
"""Words of a name beside those that mean a blend."""


def set_aside_blends(sheet: Sheet, request: Request) -> Sheet:
    """Leave out blends, told by their values or their names, as the flag `ensemble` does."""
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
    note = declared.blends_left_out(found, len(sheet.configurations))
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in found),
        notes=(*sheet.notes, note),
        left_out=(*sheet.left_out, *(LeftOut(name, FLAG) for name in found)),
    )


def _is_called_so(name: str) -> bool:
    """True if a name says that it is of a blend, and nothing else.

    >>> [_is_called_so(n) for n in ("oof_ensemble", "WeightedEnsemble_L2", "deep ensemble", "svm")]
    [True, True, False, False]
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    meant = [word for word in words if _WORD.fullmatch(word)]
    return bool(meant) and all(word in meant or _BESIDE.fullmatch(word) for word in words)


@dataclass(frozen=True, slots=True)
class _Form:
    """What a blend is the mean of.

    of: its name; empty for the values themselves.
    to: values (n, C) -> what is averaged.
    slope: values -> its derivative, by which rounding grows.
    """

    of: str
    to: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]

    def usable(self, array: FloatArray) -> BoolArray:
        """(n,) True for rows of (n, C) far enough inside 0 and 1, where that matters."""
        if not self.of:
            return np.ones(len(array), bool)
        return np.asarray(((array > INSIDE) & (array < 1 - INSIDE)).all(axis=1))


FORMS: Final = (
    _Form("", lambda x: x, np.ones_like),
    _Form("the logits of ", lambda x: np.log(x / (1 - x)), lambda x: 1 / (x * (1 - x))),
    _Form("the logarithms of ", np.log, lambda x: 1 / x),
)


def _by_values(sheet: Sheet, names: Sequence[str]) -> dict[str, str]:
    """Return the blends among configurations, and what each is made of."""
    cells = [sheet.configurations[name] for name in names]
    flat = [cell for some in cells for cell in some]
    n_classes = len(flat) // max(len(cells), 1)
    alike = len({tuple(cell.label for cell in some) for some in cells}) == 1
    if not 3 <= len(names) <= MOST or not alike or {c.source for c in flat} & sheet.table.texts:
        return {}
    n_rows = max(_FEWEST, 2 * TIMES * len(names) // n_classes)
    if any(cell.rows is not None for cell in flat):
        head = _stacked(all_rows(sheet, flat)[:n_rows], len(names))
    else:
        head = _stacked(first_rows(sheet, flat, n_rows), len(names))
    different = {column.tobytes(): c for c, column in reversed([*enumerate(head.T)])}.values()
    # neither missing nor infinite, which is refused later, nor constant
    used = np.array([c for c in sorted(different) if 0 < np.ptp(head[:, c]) < np.inf], int)
    if len(used) < 3 or len(head) < TIMES * len(used):
        return {}

    def column(c: int) -> FloatArray:
        return _stacked(all_rows(sheet, cells[used[c]]), 1)[:, 0]

    units = np.array([_unit(one) for one in head[:, used].T])
    found: dict[str, str] = {}
    for form in FORMS:
        for j, members, weights in _means(head[:, used], units, form):
            own = [names[used[c]] for c in members]
            if names[used[j]] in found or _of_one_grid(names[used[j]], own):
                continue
            array = np.column_stack([column(c) for c in (j, *members)])
            last = bool(j > members.max()) or _is_best(sheet, array)
            if last and _equal(array, units[[j, *members]], form):
                parts = [f"{w:.2g} {one}" for w, one in zip(weights, own, strict=True)]
                found[names[used[j]]] = form.of + listing(parts, 4).replace(", ", " + ")
    if found or n_classes > 1:
        return found
    return _of_ranks(sheet, [names[c] for c in used])


def _stacked(array: FloatArray, n: int) -> FloatArray:
    """Return columns of n configurations, of each of their classes, with the classes below each
    other.
    """
    return array.reshape(len(array), n, -1).swapaxes(1, 2).reshape(-1, n)


def _unit(column: FloatArray) -> float:
    """Return the last decimal place of numbers (n,), such as 0.001; their precision if they have
    more than ten.
    """
    for digits in range(_DIGITS + 1):
        scaled = column * 10.0**digits
        if (np.abs(scaled - np.rint(scaled)) < _NOISE).all():
            return float(10.0**-digits)
    single = (column.astype(np.float32) == column).all()
    return float(np.abs(column).max()) * (_SINGLE if single else _DOUBLE)


def _means(
    array: FloatArray, units: FloatArray, form: _Form
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield columns of (n, C) that may be means of others, with these and their weights."""
    rows = form.usable(array)
    if np.count_nonzero(rows) < TIMES * len(units):
        return
    slopes = form.slope(array[rows])
    values = form.to(array[rows])
    noise = units * np.sqrt((slopes**2).mean(axis=0))
    rest = _rest(values)
    for j in np.flatnonzero(rest <= 2 * noise.max() + 1e-9 * values.std(axis=0)).tolist():
        others = np.delete(np.arange(len(units)), j)
        weights = _weights(values[:, others], values[:, j], slopes.max(axis=1))
        members, weights = others[weights > _LEAST], weights[weights > _LEAST]
        if len(members) < 2 or abs(weights.sum() - 1) > _OFF:
            continue
        apart = np.sqrt(((values[:, members] - values[:, [j]]) ** 2).mean(axis=0))
        least = np.minimum(apart, _rest(values[:, members]))
        if (least > _APART * np.maximum(noise[members], noise[j])).all():
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


def _weights(others: FloatArray, column: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the weights, at least 0, of the others (n, C) that come closest to a column (n,)."""
    from scipy.optimize import nnls

    try:
        return np.asarray(nnls(others / scale[:, None], column / scale)[0])
    except RuntimeError:  # it did not converge
        return np.zeros(others.shape[1])


def _equal(array: FloatArray, units: FloatArray, form: _Form) -> bool:
    """True if the first column of (n, 1 + M) is the mean of the others in all rows, but for
    rounding.
    """
    array = array[~np.isnan(array).any(axis=1)]
    array = array[form.usable(array)]
    slopes, values = form.slope(array), form.to(array)
    scale = slopes.max(axis=1)
    weights = np.linalg.lstsq(values[:, 1:] / scale[:, None], values[:, 0] / scale, rcond=None)[0]
    rounding = slopes[:, 0] * units[0] + (slopes[:, 1:] * units[1:]) @ weights
    off = np.abs(values[:, 1:] @ weights - values[:, 0])
    return bool((off <= rounding + 1e-9 * (1 + np.abs(values[:, 0]))).all())


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


def _of_ranks(sheet: Sheet, names: Sequence[str]) -> dict[str, str]:
    """Return the columns that are means of the ranks of others."""
    if len(names) > MOST_RANKED or sheet.n_rows * len(names) > _RANKED or sheet.n_repeats > 1:
        return {}
    array = all_rows(sheet, [sheet.configurations[name][0] for name in names])
    array = array[~np.isnan(array).any(axis=1)]
    if len(array) < TIMES * len(names):
        return {}
    ranks, found = np.column_stack([_ranks(column) for column in array.T]), {}
    ranks -= ranks.mean(axis=0)
    for j, name in enumerate(names):
        others = np.delete(np.arange(len(names)), j)
        column = array[:, j] - array[:, j].mean()
        least = 2 * _unit(array[:, j]) + 1e-9 * np.abs(column).max()
        free = np.linalg.lstsq(ranks[:, others], column, rcond=None)[0]
        if column.std() < _APART * least or np.abs(ranks[:, others] @ free - column).max() > least:
            continue
        weights = _weights(ranks[:, others], column, np.ones(len(array)))
        members = others[weights > _LEAST * weights.sum()]
        if len(members) > 1 and np.abs(ranks[:, others] @ weights - column).max() <= least:
            found[name] = "the ranks of " + " + ".join(names[c] for c in members)
    return found


def _ranks(column: FloatArray) -> FloatArray:
    """Return the mean rank of each entry (n,), from 0 to 1."""
    ordered = np.sort(column)
    ends = [np.searchsorted(ordered, column, side) for side in ("left", "right")]
    return np.asarray(sum(ends) / (2 * len(column)))


RULES = (
    ReadingRule(
        "blends",
        "a column that in every row is a mean of two or more others, with weights above 0, but for "
        "rounding: of their values, logits, logarithms or ranks; or a name that says so and no "
        "more, such as `blend` or `oof_ensemble`",
        "an ensemble fitted to the labels that score it",
        "left out, with a note, as by the flag `ensemble`; `--include ensembles` keeps it",
        set_aside_blends,
    ),
)
