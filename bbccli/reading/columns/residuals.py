"""Columns computed from the truth and another column: residuals, losses, marks of right answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from types import MappingProxyType

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import listing
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
from bbccli.types import BoolArray, FloatArray, Task

_ROUNDED = 0.005
"""Share of a column's spread by which it may differ, since the other one was rounded."""

_NEAR = 0.06
"""Difference up to which the weighted sums of two columns may be of equal ones."""

_CALLED = re.compile(r"resid|err|diff|loss|delta|dev|correct|right|hit", re.IGNORECASE)


def _log_loss(truth: FloatArray, other: FloatArray) -> FloatArray:
    return -np.log(np.where(truth == 1, other, np.where(truth == 0, 1 - other, np.nan)))


FORMS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = MappingProxyType(
    {
        "the truth minus {}": lambda truth, other: truth - other,
        "{} minus the truth": lambda truth, other: other - truth,
        "the absolute error of {}": lambda truth, other: np.abs(truth - other),
        "the squared error of {}": lambda truth, other: (truth - other) ** 2,
        "the relative error of {}": lambda truth, other: (other - truth) / truth,
        "the absolute relative error of {}": lambda truth, other: np.abs((other - truth) / truth),
        "the log-loss of {}": _log_loss,
    }
)
"""What is computed of the truth and a column, up to a factor; broadcast."""


def refuse_residuals(sheet: Sheet, request: Request) -> Sheet:
    """Refuse columns that are the truth minus another one, or a loss of it, in every row.

    Seen: the truth minus another column, its negative, its absolute value or square, the log-loss
      of another column, or 1 where another column of labels is right
    Means: computed from the truth, and so as good as a copy of it
    Done: an error, as for a copy of the truth
    """
    if "truth" not in sheet.roles or task_of(request, sheet) is Task.SCORE or sheet.layout != WIDE:
        return sheet
    classes, truth = classes_of(sheet, request), sheet.roles["truth"]
    derived = dict[str, str]()
    if len(classes) == 2:
        codes = codes_among(truth, classes)
        derived = _derived(sheet, np.where(codes < 0, np.nan, codes))
    elif not truth.is_text:
        derived = _derived(sheet, to_numbers(truth.values).astype(np.float64))
    if classes:
        derived |= _marks(sheet, classes)
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


def _derived(sheet: Sheet, truth: FloatArray) -> dict[str, str]:
    """Return the columns that are computed from the truth and another column, and how.

    A weighted sum over a few rows, of columns of one length, tells which of them may be equal.
    """
    cells, rows = sheet.undecided, rows_at_a_glance(sheet)
    if len(cells) < 2:
        return {}
    first, there = some_rows(sheet, cells).astype(np.float64), truth[rows][:, None]
    first[~np.isfinite(first).all(axis=1)] = np.nan
    sums, found = _sums(first), dict[str, str]()
    for form, compute in FORMS.items():
        made = compute(there, first)
        wanted = _sums(made)
        near = alike(sums, wanted)
        others, places = np.nonzero(np.abs(sums[near] - wanted[:, None]) < _NEAR)
        own = near[others, places]
        likely = (own != others) & _equals(first[:, own], first[:, others], made[:, others])
        for c, other in zip(own[likely].tolist(), others[likely].tolist(), strict=True):
            pair = [cells[c].name, cells[other].name]
            if {*pair} & {*found}:
                continue
            both = all_rows(sheet, [cells[c], cells[other]]).astype(np.float64)
            if _equals(both[:, :1], both[:, 1:], compute(truth[:, None], both[:, 1:])).all():
                if form.startswith("the truth") and _is_the_prediction(*both.T, *pair):
                    pair.reverse()
                found[pair[0]] = form.format(pair[1])
    return found


def _sums(columns: FloatArray) -> FloatArray:
    """Return weighted sums (C,), from -1 to 1, of columns (n, C), each of length 1."""
    columns = np.where(np.isfinite(columns), columns, 0)
    weights = np.random.default_rng(0).uniform(1, 2, len(columns))
    lengths = np.linalg.norm(weights) * np.linalg.norm(columns, axis=0)
    return np.asarray(weights @ columns / np.where(lengths > 0, lengths, 1))


def _equals(columns: FloatArray, others: FloatArray, made: FloatArray) -> BoolArray:
    """(P,) True for columns (n, P) that are multiples of what was made (n, P) of others (n, P), up
    to rounding.
    """
    known = np.isfinite(columns) & np.isfinite(others)
    there = known & np.isfinite(made)
    equal = there.sum(axis=0) >= np.maximum(FEWEST_ROWS, 0.9 * known.sum(axis=0))
    columns, others, made = (np.where(there, one, 0)[:, equal] for one in (columns, others, made))
    factor = (columns * made).sum(axis=0) / np.maximum((made**2).sum(axis=0), 1e-300)
    where, off = there[:, equal], np.abs(columns - factor * made).max(axis=0, initial=0)
    most, near = np.abs(columns).max(axis=0, initial=0), np.zeros(len(off), bool)
    for c in np.flatnonzero(off < most / 20).tolist():
        own, theirs, of_made = (one[where[:, c], c] for one in (columns, others, made))
        spread = own.std()
        least = min(spread, theirs.std(), factor[c] * of_made.std()) / 20
        within = max(step_of(own[:FEWEST_ROWS]) % 1, _ROUNDED * spread)
        near[c] = off[c] <= within < least
    equal[equal] = near
    return np.asarray(equal)


def _is_the_prediction(own: FloatArray, other: FloatArray, name: str, of: str) -> bool:
    """True if of two columns that add up to the truth the first is the prediction."""
    called = [_CALLED.search(one) is not None for one in (name, of)]
    if called[0] != called[1]:
        return called[1]
    return bool(abs(np.nanmean(own)) > abs(np.nanmean(other)))


def _marks(sheet: Sheet, classes: Sequence[str]) -> dict[str, str]:
    """Return the columns that say in which rows a column of labels is right, or wrong."""
    cells = [cell for cell in sheet.undecided if _CALLED.search(cell.name)]
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
