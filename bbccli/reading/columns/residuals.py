"""Columns computed from the truth and another column: residuals, losses, marks of right answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from itertools import compress, product

import numpy as np

from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import listing
from bbccli.platform.text import pattern
from bbccli.reading.columns.glance import (
    FEWEST_ROWS,
    Glance,
    all_rows,
    nearest_sums,
    probe_weights,
    some_rows,
    step_of,
)
from bbccli.reading.columns.labels import codes_of
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import PredictionColumn
from bbccli.types import FloatArray, Task, distinct

_ROUNDED = 0.005
"""Share of a column's spread by which it may differ, since the other one was rounded."""

_ALIKE = 0.998
"""Correlation of columns that may be equal, up to a factor and a constant."""

_LINE = 1e-9
"""Difference of a correlation from 1 up to which columns are one, but for a factor and a constant.
"""

_EXACT = 1e-6
"""Share of the largest value by which a copy of the truth may differ."""

_TIMES = 20
"""Multiple of what rounding may do that both the truth and the other column must contribute."""

_IN_REVERSE = 0.95
"""Rank correlation from which a column in each class is in the order of another."""

_TOGETHER, _PRODUCTS = 2**12, 2**16
"""Columns, made of the truth and others, that are compared together; pairs that are so few that all
are compared first.
"""

_FEWEST_MARKS = 30
"""Rows of each class that two values must follow, unless their column is called a mark."""

_VARYING = ", but for a factor in each row,"

_CALLED = pattern(r"resid|err|diff|loss|delta|dev|correct|right|hit", re.IGNORECASE)


def _log_loss(truth: FloatArray, other: FloatArray) -> FloatArray:
    return -np.log(np.where(truth == 1, other, np.where(truth == 0, 1 - other, np.nan)))


Form = Callable[[FloatArray, FloatArray], FloatArray]

FORMS: Sequence[Mapping[str, Form]] = (
    {"the truth": lambda truth, other: truth + 0 * other},
    {
        "the truth minus {}": lambda truth, other: truth - other,
        "{} minus the truth": lambda truth, other: other - truth,
    },
    {
        "the absolute error of {}": lambda truth, other: np.abs(truth - other),
        "the probability of the true class by {}": lambda true, p: np.exp(-_log_loss(true, p)),
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

_RIGHT: Mapping[str, Form] = {"1 where {} is right": lambda truth, other: 1.0 * (truth == other)}
"""Of answers that are numbers."""

_OF_CLASSES = tuple(forms for forms in FORMS[1:] if "relative" not in next(iter(forms)))
_OF_LABELS = FORMS[1:3]
"""Those of two classes: none is divided by the truth, which may be 0; and those of whole numbers.
"""

_SYMMETRIC = ("the truth minus {}", "the truth divided by {}")
"""Forms in which both columns may change places."""


def refuse_residuals(glance: Glance) -> Sheet:
    """Refuse columns that are computed from the truth, alone or with another one, in every row.

    Seen: but for a factor and a constant, the truth; or another column's residual, standardised
      too, absolute, squared or relative error, log-loss, probability of the true class, or 1 where
      it is right; or called like the truth, with another number (`target_2`)
    Means: computed from the truth, or another outcome
    Done: an error, as for a copy of the truth
    """
    sheet, classes, truth = glance.sheet, glance.classes, glance.truth
    if truth is None or glance.task is Task.SCORE or sheet.layout != WIDE:
        return sheet
    _refuse_further_truths(glance, truth.name)
    derived = dict[str, str]()
    if len(classes) == 2:
        forms = _OF_CLASSES if glance.fractions.any() else _OF_LABELS
        codes = np.where(glance.codes < 0, np.nan, glance.codes)
        derived = _derived(glance, glance.cells, codes, forms)
        derived |= _signed(glance, derived)
    elif not truth.is_text:
        forms = FORMS if glance.fractions.all() else (*FORMS, _RIGHT)
        derived = _derived(glance, glance.cells, glance.truths, forms)
    for place, label in enumerate(classes if sheet.by_class else ()):
        of_class = [cell for cell in sheet.cells if cell.label == label]
        if len(of_class) > 1:
            here = np.where(glance.codes < 0, np.nan, glance.codes == place)
            derived |= _derived(glance, of_class, here, FORMS[1:2])
    if classes:
        derived |= _marks(glance, derived)
    if derived:
        column, what = next(iter(derived.items()))
        raise sheet.fault(
            f"{column} is {what} in every row, so it holds the truth"
            + (f"; as do {listing([*derived][1:])}" if len(derived) > 1 else ""),
            column=column,
            hint=" ".join(f"--exclude {name!r}" for name in derived)
            + "; or use --only '*' if it is a configuration",
        )
    return sheet


def _refuse_further_truths(glance: Glance, truth: str) -> None:
    """Refuse columns called like the truth, with another number; y1 and y2 beside y may be
    predictions.
    """
    stem = re.sub(r"[\W_]*\d+$", "", truth)
    like = re.compile(re.escape(stem) + r"[\W_]*\d+", re.IGNORECASE)
    names = [cell.name for cell in glance.cells if like.fullmatch(cell.name)]
    if more := names if len(stem) > (stem == truth) else []:  # all columns may be numbers
        raise glance.sheet.fault(
            f"{listing([truth, *more])} are called like several outcomes",
            hint="correct one at a time, and leave out what predicts the others: "
            + " ".join(f"--exclude {name!r}" for name in more)
            + "; or use --only '*' if they are configurations",
        )


def _derived(
    glance: Glance,
    cells: Sequence[PredictionColumn],
    truth: FloatArray,
    families: Sequence[Mapping[str, Form]],
) -> dict[str, str]:
    """Return the cells that are computed from the truth, alone or with another column, and how."""
    sheet, derived, varying = glance.sheet, dict[str, str](), dict[tuple[str, str], str]()
    some = glance.array if cells is glance.cells else some_rows(sheet, cells)
    complete = np.isfinite(some).all(axis=1)
    first, there = some[complete], truth[glance.rows[complete], None]
    units, together = _units(first), max(1, _TOGETHER // max(1, len(cells)))
    for start in range(0, len(families), together):
        now = families[start : start + together]
        made = [next(iter(forms.values()))(there, first) for forms in now]
        for c, place in _likely(units, _units(np.concatenate(made, axis=1))):
            forms, other = now[place // len(cells)], place % len(cells)
            pair = [cells[c].source, cells[other].source]
            # the truth is the same beside all columns
            if {*pair} & {*derived} or (c == other) != (forms is FORMS[0]):
                continue
            column, beside = all_rows(sheet, [cells[c], cells[other]]).astype(np.float64).T
            form = _form(column, beside, truth, forms, called=bool(_CALLED.search(pair[0])))
            if form in _SYMMETRIC and _is_the_prediction(column, beside, truth, *pair):
                pair.reverse()
            if form.endswith(_VARYING):
                varying[pair[0], pair[1]] = form.format(pair[1])
            elif form:
                derived[pair[0]] = form.format(pair[1])
    # a model may be like the truth less its own absolute error
    return derived | {pair[0]: form for pair, form in varying.items() if not {*pair} & {*derived}}


def _signed(glance: Glance, known: Container[str]) -> dict[str, str]:
    """Return the columns that tell the truth by their sign, and in each class are the lower the
    higher another column: deviance, Pearson and other residuals of a classifier.
    """
    cells, truth = glance.cells, glance.codes
    low, high = (glance.array[truth[glance.rows] == code] for code in (0, 1))
    if min(len(low), len(high)) < FEWEST_ROWS:
        return {}
    apart = np.asarray(np.fmax.reduce(low, axis=0) < np.fmin.reduce(high, axis=0))
    gaps, derived = np.asarray(~np.isfinite(glance.array).all(axis=0)), dict[str, str]()
    here = [truth == code for code in (0, 1)]
    rest = np.flatnonzero(~apart)
    ranks = [_units(mean_ranks(part.T).T) for part in (low, high) if apart.any()]
    for c in np.flatnonzero(apart).tolist() if len(rest) else ():
        below, above = (glance.whole(c)[rows, 0] for rows in here)
        if cells[c].name in known or np.nanmax(below) >= np.nanmin(above):
            continue
        # of many columns few are half as much in reverse order at a glance
        along = np.maximum(*(of_class.T[rest] @ of_class[:, c] for of_class in ranks))
        for other in rest[(along < -_IN_REVERSE / 2) | gaps[rest] | gaps[c]].tolist():
            columns = glance.whole(c, other)
            there = np.isfinite(columns).all(axis=1)
            both = [columns[there & rows] for rows in here]
            reverse = (np.corrcoef(*mean_ranks(part.T))[0, 1] <= -_IN_REVERSE for part in both)
            if min(map(len, both)) >= FEWEST_ROWS and all(reverse):
                derived[cells[c].name] = f"a residual of {cells[other].name}"
                break
    return derived


def _units(columns: FloatArray) -> FloatArray:
    """Return columns (n, C) less their means, of length 1; 0 where they are not finite."""
    there = np.isfinite(columns)
    filled = columns if there.all() else np.where(there, columns, 0)
    means = filled.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, filled - means, 0)
    lengths = np.sqrt(np.einsum("nc,nc->c", centred, centred))
    return np.asarray(centred / np.where(lengths > 0, lengths, 1))


def _likely(units: FloatArray, made: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield columns of (n, C) that may equal what was made (n, C) of another; and this one.

    A weighted sum over the rows, whatever its sign, tells which are worth comparing.
    """
    if units.shape[1] * made.shape[1] <= _PRODUCTS and (abs(units.T @ made) < _ALIKE - _LINE).all():
        return zip()
    weights = probe_weights(len(units), -1, 1)
    near = nearest_sums(np.abs(weights @ units), np.abs(weights @ made))
    # few rows tell most: the square of the distance of columns of length 1, up to the sign
    ours, theirs = units[:FEWEST_ROWS], made[:FEWEST_ROWS]
    lengths = (ours**2).sum(axis=0)[near] + (theirs**2).sum(axis=0)[:, None]
    apart = lengths - 2 * np.abs(np.einsum("rum,ru->um", ours[:, near], theirs))
    others, place = np.nonzero(apart <= 2 - 2 * _ALIKE + _LINE)
    products = np.einsum("uc,uc->c", units[:, near[others, place]], made[:, others])
    alike = np.abs(products) >= _ALIKE
    return zip(near[others, place][alike].tolist(), others[alike].tolist(), strict=True)


def _form(
    column: FloatArray,
    other: FloatArray,
    truth: FloatArray,
    forms: Mapping[str, Form],
    *,
    called: bool,
) -> str:
    """Return how a column (n,) is computed from a truth (n,) and another column (n,), exactly or up
    to a factor and a constant; empty if it is not, or if one of them makes no difference.
    """
    (form, compute), *_ = forms.items()
    made, alone = compute(truth, other), forms is FORMS[0]
    there = np.isfinite(column) & np.isfinite(other) & np.isfinite(made)
    column, other, truth, made = (values[there] for values in (column, other, truth, made))
    if len(column) < FEWEST_ROWS:
        return ""
    centred = made - made.mean()
    factor = float(column @ centred / max(centred @ centred, 1e-300))
    off = np.abs(column - column.mean() - factor * centred).max()
    close = _EXACT * np.abs(column).max() if alone else _ROUNDED * column.std()
    within = max(step_of(column[:FEWEST_ROWS]) % 1, close)

    def unlike(values: FloatArray) -> float:
        return float(1 - abs(np.corrcoef(column, values)[0, 1]))

    # all but equal to a residual, as a standardised one is, and less like the truth itself
    near = forms is FORMS[1] and unlike(made) <= min(1 - _ALIKE, unlike(truth) / 4)
    if (off > within and not near) or (  # a copy is refused as such
        (np.abs(column - truth) <= within).all() if alone else unlike(truth) < _LINE
    ):
        return ""
    if not called and len(distinct(column)) <= 2:
        of, fewest = (column, FEWEST_ROWS) if forms is _RIGHT else (truth, _FEWEST_MARKS)
        if min((of == value).sum() for value in distinct(of)[:3]) < fewest:
            return ""
    order = np.random.default_rng(0).permutation(len(made))
    apart = [compute(truth[order], other) - made, compute(truth, other[order]) - made]
    least = min(float(values[np.isfinite(values)].std()) for values in apart[: 2 - alone])
    # the mean of the other truths falls with the truth by 1 / (N - 1)
    if within >= abs(factor) * least / _TIMES or abs(factor) * len(column) <= 2 * (not near):
        return ""
    if off > within:
        return form + _VARYING
    exact = (name for name, f in forms.items() if np.abs(f(truth, other) - column).max() <= within)
    return next(exact, f"{form}, but for a factor and a constant,")


def _is_the_prediction(
    column: FloatArray, other: FloatArray, truth: FloatArray, name: str, of: str
) -> bool:
    """True if of two columns that make up the truth, and may change places, the first predicts."""
    called = [_CALLED.search(column_name) is not None for column_name in (name, of)]
    if called[0] != called[1]:
        return called[1]
    off = [abs(np.nanmean(values - truth)) for values in (column, other)]
    return bool(off[0] < off[1])


def _marks(glance: Glance, among: Collection[str]) -> dict[str, str]:
    """Return the columns, of such a name or `among` some, that say in which rows a column of
    labels, or of probabilities, is right, or wrong.
    """
    names = " ".join([cell.name for cell in glance.sheet.cells])
    cells = [
        cell
        for cell in (glance.sheet.cells if among or _CALLED.search(names) else ())
        if (cell.name in among or _CALLED.search(cell.name))
        and cell.source not in glance.sheet.table.texts
        and cell.configuration not in glance.sheet.declared
    ]
    some = some_rows(glance.sheet, cells)
    are_marks = ((some == 0) | (some == 1) | np.isnan(some)).all(axis=0)
    marks = {cell.name: cell for cell in compress(cells, np.asarray(are_marks))}
    if not marks:
        return {}
    meanings, truth = dict[str, str](), glance.codes
    within = ((glance.array >= 0) & (glance.array <= 1)).all(axis=0) & glance.fractions
    places = {glance.cells[c].name: c for c in np.flatnonzero(within).tolist()}
    probabilities = [*places] if len(glance.classes) == 2 else []
    for label, mark in product([*glance.labels, *probabilities], marks):
        predicted = codes_of(glance, label) if label not in places else None
        if label in places:
            predicted = np.asarray(glance.whole(places[label])[:, 0] > 0.5, np.int64)
        if predicted is None or label == mark or (label in places and mark in among):
            continue
        known = (predicted >= 0) & (truth >= 0)
        right, said = (predicted == truth)[known], all_rows(glance.sheet, [marks[mark]])[known, 0]
        if len(right) < FEWEST_ROWS or right.all() or not right.any():
            continue
        for what, wanted in (("right", right), ("wrong", ~right)):
            if (said == wanted).all():
                meanings.setdefault(mark, f"1 where {label} is {what}")
    return meanings
