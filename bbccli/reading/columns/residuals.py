"""Columns computed from the truth and another column: residuals, losses, marks of right answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.classes import codes_among
from bbccli.reading.columns.labels import codes_of, labels_of
from bbccli.reading.columns.values import (
    FEWEST_ROWS,
    alike,
    all_rows,
    classes_of,
    rows_at_a_glance,
    some_rows,
    step_of,
)
from bbccli.reading.outcome import task_of
from bbccli.reading.roles import Request
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import PredictionColumn
from bbccli.types import FloatArray, IntArray, Task, distinct

_ROUNDED = 0.005
"""Share of a column's spread by which it may differ, since the other one was rounded."""

_ALIKE = 0.998
"""Correlation of columns that may be equal, up to a factor and a constant."""

_EXACT = 1e-6
"""Share of the largest value by which a copy of the truth may differ."""

_TIMES = 20
"""Multiple of what rounding may do that both the truth and the other column must contribute."""

_IN_REVERSE = 0.95
"""Rank correlation from which on a column in each class is in the order of another."""

_TOGETHER = 2**12
"""Columns, made of the truth and others, that are compared together."""

_FEWEST_MARKS = 30
"""Rows of each class that two values must follow, unless their column is called a mark."""

_VARYING = ", but for a factor in each row,"

_CALLED = pattern(r"resid|err|diff|loss|delta|dev|correct|right|hit", re.IGNORECASE)


def _log_loss(truth: FloatArray, other: FloatArray) -> FloatArray:
    return -np.log(np.where(truth == 1, other, np.where(truth == 0, 1 - other, np.nan)))


def _of_true_class(truth: FloatArray, other: FloatArray) -> FloatArray:
    return np.exp(-_log_loss(truth, other))


Form = Callable[[FloatArray, FloatArray], FloatArray]

FORMS: Sequence[Mapping[str, Form]] = (
    {"the truth": lambda truth, other: truth + 0 * other},
    {
        "the truth minus {}": lambda truth, other: truth - other,
        "{} minus the truth": lambda truth, other: other - truth,
    },
    {
        "the absolute error of {}": lambda truth, other: np.abs(truth - other),
        "the probability of the true class by {}": _of_true_class,
    },
    {"the squared error of {}": lambda truth, other: (truth - other) ** 2},
    {
        "the relative error of {}": lambda truth, other: (other - truth) / truth,
        "{} divided by the truth": lambda truth, other: other / truth,
    },
    {"the absolute relative error of {}": lambda truth, other: np.abs((other - truth) / truth)},
    {"the truth divided by {}": lambda truth, other: truth / other},
    {"the log-loss of {}": _log_loss},
)
"""What is computed of the truth and a column, broadcast; equal ones, but for a factor and a
constant, together.
"""

_SYMMETRIC = ("the truth minus {}", "the truth divided by {}")
"""Forms in which both columns may change places."""


def refuse_residuals(sheet: Sheet, request: Request) -> Sheet:
    """Refuse columns that are computed from the truth, alone or with another one, in every row.

    Seen: but for a factor and a constant, the truth; or another column's residual, standardised
      too, absolute, squared or relative error, log-loss, probability of the true class, or 1 where
      it is right
    Means: computed from the truth
    Done: an error, as for a copy of the truth
    """
    if "truth" not in sheet.roles or task_of(request, sheet) is Task.SCORE or sheet.layout != WIDE:
        return sheet
    classes, truth = classes_of(sheet, request), sheet.roles["truth"]
    codes = codes_among(truth, classes) if classes else np.array([])
    derived = dict[str, str]()
    if len(classes) == 2:
        derived = _derived(sheet, sheet.undecided, np.where(codes < 0, np.nan, codes), FORMS[1:])
        derived |= _signed(sheet, codes, derived)
    elif not truth.is_text:
        numbers = to_numbers(truth.values).astype(np.float64)
        derived = _derived(sheet, sheet.undecided, numbers, FORMS)
    for place, label in enumerate(classes if sheet.by_class else ()):
        of_class = [cell for cell in sheet.cells if cell.label == label]
        if len(of_class) > 1:
            here = np.where(codes < 0, np.nan, codes == place)
            derived |= _derived(sheet, of_class, here, FORMS[1:2])
    if classes:
        derived |= _marks(sheet, classes, derived)
    if derived:
        column, what = next(iter(derived.items()))
        raise InputError(
            f"{column} is {what} in every row, so it holds the truth"
            + (f"; as do {listing([*derived][1:])}" if len(derived) > 1 else ""),
            path=sheet.path,
            column=column,
            hint=" ".join(f"--exclude {name!r}" for name in derived)
            + "; or use --only '*' if it is a configuration",
        )
    return sheet


def _derived(
    sheet: Sheet,
    cells: Sequence[PredictionColumn],
    truth: FloatArray,
    families: Sequence[Mapping[str, Form]],
) -> dict[str, str]:
    """Return the cells that are computed from the truth, or of another column too, and how."""
    found, varying = dict[str, str](), dict[tuple[str, str], str]()
    first, there = some_rows(sheet, cells), truth[rows_at_a_glance(sheet), None]
    first = np.where(np.isfinite(first).all(axis=1, keepdims=True), first, np.nan)
    units, together = _units(first), max(1, _TOGETHER // max(1, len(cells)))
    for start in range(0, len(families), together):
        some = families[start : start + together]
        made = [next(iter(forms.values()))(there, first) for forms in some]
        for c, place in _likely(units, _units(np.concatenate(made, axis=1))):
            forms, other = some[place // len(cells)], place % len(cells)
            pair = [cells[c].source, cells[other].source]
            if {*pair} & {*found} or (c == other and forms is not FORMS[0]):
                continue
            column, beside = all_rows(sheet, [cells[c], cells[other]]).astype(np.float64).T
            form = _form(column, beside, truth, forms, called=bool(_CALLED.search(pair[0])))
            if form in _SYMMETRIC and _is_the_prediction(column, beside, truth, *pair):
                pair.reverse()
            if form.endswith(_VARYING):
                varying[pair[0], pair[1]] = form.format(pair[1])
            elif form:
                found[pair[0]] = form.format(pair[1])
    # a model may be like the truth less its own absolute error
    return found | {one[0]: form for one, form in varying.items() if not {*one} & {*found}}


def _signed(sheet: Sheet, truth: IntArray, known: Container[str]) -> dict[str, str]:
    """Return the columns that tell the truth by their sign, and in each class are the lower the
    higher another column: deviance, Pearson and other residuals of a classifier.
    """
    cells, rows = sheet.undecided, rows_at_a_glance(sheet)
    some, there = some_rows(sheet, cells), truth[rows]
    low, high = (some[there == code] for code in (0, 1))
    if (there == 0).sum() < FEWEST_ROWS or (there == 1).sum() < FEWEST_ROWS:
        return {}
    apart = np.flatnonzero(np.fmax.reduce(low, axis=0) < np.fmin.reduce(high, axis=0))
    found = dict[str, str]()
    for c in (c for c in apart if cells[c].name not in known):
        own = all_rows(sheet, [cells[c]])[:, 0]
        for other in (o for o in range(len(cells)) if o not in apart):
            beside = all_rows(sheet, [cells[other]])[:, 0]
            usable = [(truth == code) & np.isfinite(own) & np.isfinite(beside) for code in (0, 1)]
            if min(part.sum() for part in usable) < FEWEST_ROWS:
                continue
            if own[usable[0]].max() < own[usable[1]].min() and all(
                _ranked(own[part], beside[part]) <= -_IN_REVERSE for part in usable
            ):
                found[cells[c].name] = f"a residual of {cells[other].name}"
    return found


def _ranked(one: FloatArray, other: FloatArray) -> float:
    """Return the rank correlation of two columns (n,)."""
    first, second = (np.argsort(np.argsort(column)) for column in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _units(columns: FloatArray) -> FloatArray:
    """Return columns (n, C) less their means, of length 1; 0 where they are not finite."""
    there = np.isfinite(columns)
    filled = np.where(there, columns, 0)
    means = filled.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, filled - means, 0)
    lengths = np.linalg.norm(centred, axis=0)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1))


def _likely(units: FloatArray, made: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield columns of (n, C) that may equal what was made (n, C) of another; and this one.

    A weighted sum over the rows, whatever its sign, tells which are worth comparing.
    """
    weights = np.random.default_rng(0).uniform(-1, 1, len(units))
    near = alike(np.abs(weights @ units), np.abs(weights @ made))
    products = np.einsum("cku,cu->ck", np.ascontiguousarray(units.T)[near], made.T)
    others, place = np.nonzero(np.abs(products) >= _ALIKE)
    return zip(near[others, place].tolist(), others.tolist(), strict=True)


def _form(
    column: FloatArray,
    other: FloatArray,
    truth: FloatArray,
    forms: Mapping[str, Form],
    *,
    called: bool,
) -> str:
    """Return what a column (n,) is of a truth (n,) and another column (n,), exactly or but for a
    factor and a constant; empty if it is not computed, or if one of these does not matter.
    """
    (form, compute), *_ = forms.items()
    made, alone = compute(truth, other), forms is FORMS[0]
    there = np.isfinite(column) & np.isfinite(other) & np.isfinite(made)
    own, other, truth, made = (one[there] for one in (column, other, truth, made))
    if len(own) < FEWEST_ROWS:
        return ""
    centred = made - made.mean()
    factor = float(own @ centred / max(centred @ centred, 1e-300))
    off = np.abs(own - own.mean() - factor * centred).max()
    close = _EXACT * np.abs(own).max() if alone else _ROUNDED * own.std()
    within = max(step_of(own[:FEWEST_ROWS]) % 1, close)
    told = (np.abs(own - truth) <= within).all() if alone else _is_line(own, truth)
    near = forms is FORMS[1] and _is_nearer(own, made, truth)
    if told or (off > within and not near):  # a copy is refused as such
        return ""
    if not called and len(distinct(own)) <= 2:
        rare = min((truth == one).sum() for one in distinct(truth)[:3])
        if rare < _FEWEST_MARKS:
            return ""
    order = np.random.default_rng(0).permutation(len(made))
    apart = [compute(truth[order], other) - made, compute(truth, other[order]) - made]
    least = min(float(one[np.isfinite(one)].std()) for one in apart[: 2 - alone])
    # the mean of the other truths falls with the truth by 1 / (N - 1)
    if within >= abs(factor) * least / _TIMES or abs(factor) * len(own) <= 2 * (not near):
        return ""
    if off > within:
        return form + _VARYING
    exact = (name for name, f in forms.items() if np.abs(f(truth, other) - own).max() <= within)
    return next(exact, f"{form}, but for a factor and a constant,")


def _is_line(column: FloatArray, other: FloatArray) -> bool:
    return bool(abs(np.corrcoef(column, other)[0, 1]) > 1 - 1e-9)


def _is_nearer(column: FloatArray, made: FloatArray, truth: FloatArray) -> bool:
    """True for a standardised residual: all but equal to one, and less like the truth itself."""
    of_made, of_truth = (abs(np.corrcoef(column, one)[0, 1]) for one in (made, truth))
    return bool(of_made >= _ALIKE and 4 * (1 - of_made) < 1 - of_truth)


def _is_the_prediction(
    own: FloatArray, other: FloatArray, truth: FloatArray, name: str, of: str
) -> bool:
    """True if of two columns that make up the truth, and may change places, the first predicts."""
    called = [_CALLED.search(one) is not None for one in (name, of)]
    if called[0] != called[1]:
        return called[1]
    off = [abs(np.nanmean(one - truth)) for one in (own, other)]
    return bool(off[0] < off[1])


def _marks(sheet: Sheet, classes: Sequence[str], among: Container[str]) -> dict[str, str]:
    """Return the columns, called so or `among` some, that say in which rows a column of labels is
    right, or wrong.
    """
    cells = [one for one in sheet.undecided if one.name in among or _CALLED.search(one.name)]
    some = some_rows(sheet, cells)
    marks = [c for c, one in zip(cells, some.T, strict=True) if np.isin(one, (0, 1, np.nan)).all()]
    labels = labels_of(sheet, classes) if marks else []
    truth = codes_among(sheet.roles["truth"], classes)
    found: dict[str, str] = {}
    for label, mark in product(labels, marks):
        predicted = codes_of(sheet, label, classes)
        if predicted is None:
            continue
        right, known = predicted == truth, (predicted >= 0) & (truth >= 0)
        n_right = int(right[known].sum())
        if label == mark.name or known.sum() < FEWEST_ROWS or not 0 < n_right < known.sum():
            continue
        said = all_rows(sheet, [mark])[known, 0]
        for what, wanted in (("right", right[known]), ("wrong", ~right[known])):
            if (said == wanted).all():
                found[mark.name] = f"1 where {label} is {what}"
    return found
