"""Blends: weighted means of other configurations, fitted to the labels that score them.

A column is a blend if it equals, in every row and to the last digit, a mean of two or more others
with weights above 0, or of their logarithms, log-odds or ranks. Predictions of linear models lie in
a space of few dimensions, in which some are means of others by accident; so these others must be
independent of each other and of a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import numpy as np

from bbccli.domain.source import LeftOut
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.column import joint
from bbccli.reading.columns.glance import Glance, all_rows, some_rows
from bbccli.reading.configuration_filter import ALL, INCLUDED
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import GLANCE, PredictionColumn
from bbccli.types import BoolArray, FloatArray, IntArray, distinct

FLAG = INCLUDED["ensembles"]

MOST = 256
"""Configurations among which blends are looked for by their values."""

TIMES = 3
"""Rows for each configuration from which a mean of the others is no accident."""

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

_NEAR = 0.5
"""Largest share of its standard deviation that the others leave of a mean on another scale."""

_MOST_CELLS = 2**22
"""Predictions up to which means of ranks are looked for."""

_Scale = Callable[[FloatArray], FloatArray]

_NORMALISED = " in logarithms, normalised"

_PLACES = {"the median": 0.5, "the largest": 1.0, "the least": 0.0}

_WORD: Final = pattern(r"blend(?:s|ed|ing)?|ensembl(?:e|es|ed|ing)|avg|average[ds]?|averaging")
_BESIDE: Final = pattern(
    r"oof|pred(?:iction)?s?|prob(?:a|s)?|scores?|models?|weighted|simple|rank|final|best|all|hill"
    r"|climb(?:ing)?|hillclimb|caruana|greedy|nnls|l|mean|of"
)
"""Words of a name beside those that mean a blend."""


def set_aside_blends(glance: Glance) -> Sheet:
    """Leave out blends, told by their values or their names, as the flag `ensemble` does.

    Seen: in every row a mean of two or more other columns, or of their logarithms (normalised
      too), log-odds or ranks (within folds too), with weights above 0; the median, the largest or
      the least of three or more; or a name that says so and no more, such as `blend`
    Means: an ensemble fitted to the labels that score it
    Done: left out, with a note; `--include ensembles` keeps it
    """
    sheet = glance.sheet
    free = [name for name in sheet.configurations if name not in sheet.declared]
    run = sheet.metadata.run is not None
    if run or sheet.nested or len(free) < 3 or {ALL, "ensembles"} & {*glance.request.include}:
        return sheet
    some = not sheet.scored and _WORD.search(" ".join(free).casefold())
    blends = {name: "" for name in free if _is_called_so(name)} if some else {}
    blends |= {name: what for name, what in _by_values(glance).items() if name in free}
    if not blends or len(free) - len(blends) < 2:
        return sheet
    note = of_metadata.blends_left_out(blends, len(sheet.configurations))
    gone = [cell.name for name in blends for cell in sheet.configurations[name]]
    left_out = (*sheet.left_out, *(LeftOut(name, FLAG) for name in blends))
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


def _by_values(glance: Glance) -> dict[str, str]:
    """Return the blends among configurations, and what each is made of."""
    sheet, names = glance.sheet, [*glance.sheet.configurations]
    cells = [sheet.configurations[name] for name in names]
    flat = [cell for some in cells for cell in some]
    n_classes = len(flat) // max(len(cells), 1)
    unlike = sheet.by_class and len({tuple(cell.label for cell in some) for some in cells}) > 1
    if unlike or not 3 <= len(names) <= MOST or {c.source for c in flat} & sheet.table.texts:
        return {}
    head = some_rows(sheet, flat, max(GLANCE, 2 * TIMES * len(names) // n_classes))
    head = head if n_classes == 1 else _stacked(head, len(names))
    fractions, spread = (head > np.floor(head)).any(axis=0), np.ptp(head, axis=0)
    # else no other is far enough; no number or infinite, which is refused later, or constant
    used = np.flatnonzero((fractions | (spread > _APART)) & (spread > 0) & (spread < np.inf))
    if len(distinct(head[0, used])) < len(used):  # of equal ones the first
        used = np.sort([*{head[:, c].tobytes(): c for c in used[::-1].tolist()}.values()])
    if len(used) < 3 or len(head) < TIMES * len(used):
        return {}
    head, cells, names = head[:, used], [cells[c] for c in used], [names[c] for c in used]
    units, recipes = _units(head), dict[str, str]()
    between = _between(head, units)
    scales = _scales(n_classes) if between.any() or n_classes > 1 else {}
    rest = _rest(head) if scales else np.empty(0)
    for scale, (scaled, slope) in scales.items():
        in_scale, steps = scaled(head), (units * slope(head)).max(axis=0)
        # means on other scales are nearly means
        likely = _between(in_scale, steps) if scale == _NORMALISED else between
        likely = likely & (rest <= _NEAR * head.std(axis=0)) if scale else likely
        there = np.flatnonzero(np.isfinite(in_scale).all(axis=0))
        if not likely[there].any():
            continue
        left = _rest(in_scale[:, there]) if scale else rest
        for j, members in _means(in_scale[:, there], steps[there], likely[there], left):
            chosen = there[[j, *members]]
            name, *others = (names[c] for c in chosen)
            if name in recipes or _of_one_grid(name, others):
                continue
            array = np.column_stack([_stacked(all_rows(sheet, cells[c]), 1) for c in chosen])
            last = bool(j > members.max()) or _is_best(glance, array)
            there_too = ~np.isnan(array.reshape(-1, n_classes, len(chosen))).any(axis=(1, 2))
            array = array[np.repeat(there_too, n_classes)]
            weights = _weights(scaled(array), units[chosen] * slope(array)) if last else None
            if weights is not None:
                recipes[name] = _recipe(weights, others) + scale
    among = np.array([c for c, name in enumerate(names) if name not in recipes], int)
    recipes |= _at_places(sheet, cells, head, units, between, among)
    if n_classes == 1 and not sheet.table.on_disk and sheet.n_rows * len(names) <= _MOST_CELLS:
        array = head if len(head) == sheet.n_rows else all_rows(sheet, [c for (c,) in cells])
        within = [sheet.roles[r].codes()[0] for r in ("repeat", "fold") if r in sheet.roles]
        parts: list[IntArray] = [np.zeros(len(array), np.int64)]
        parts += [joint(within[:n]) for n in range(1, len(within) + 1)]
        recipes |= _of_ranks(array, units, names, parts) if len(array) > TIMES * len(names) else {}
    return recipes


def _at_places(
    sheet: Sheet,
    cells: Sequence[Sequence[PredictionColumn]],
    head: FloatArray,
    units: FloatArray,
    between: BoolArray,
    among: IntArray,
) -> dict[str, str]:
    """Return the columns that are the median, or an end, of all others that are no means."""
    places = dict[str, str]()
    for j in np.flatnonzero(between[among]).tolist() if len(among) > 3 else ():
        order = [among[j], *np.delete(among, j)]
        for what, place in _PLACES.items():
            if all(_is_at(some[:, order], units[order[0]], place) for some in (head[:_FEW], head)):
                array = np.column_stack([_stacked(all_rows(sheet, cells[c]), 1) for c in order])
                if _is_at(array[~np.isnan(array).any(axis=1)], units[order[0]], place):
                    places[cells[order[0]][0].configuration] = f"{what} of all others"
    return places


def _is_at(array: FloatArray, unit: float, place: float) -> bool:
    """True if the first column of (n, 1 + M) is at a place among the others in every row, from 0,
    the least, to 1.
    """
    others = np.sort(array[:, 1:], axis=1)
    at = place * (others.shape[1] - 1)
    middle = others[:, [int(np.floor(at)), int(np.ceil(at))]].mean(axis=1)
    return bool((np.abs(middle - array[:, 0]) <= unit).all())


def _recipe(weights: FloatArray, names: Sequence[str]) -> str:
    parts = [f"{weight:.2g} {name}" for weight, name in zip(weights, names, strict=True)]
    return listing(parts, 4).replace(", ", " + ")


def _of_ranks(
    array: FloatArray, units: FloatArray, names: Sequence[str], parts: Sequence[IntArray]
) -> dict[str, str]:
    """Return the means of ranks among columns (N, C), or of ranks as shares of N: the mean of one
    over the rows is that of any ranks. `parts` (N,) each are those within which rows are ranked.
    """
    recipes, n, means = dict[str, str](), len(array), array.mean(axis=0)
    in_all: list[FloatArray] = []  # ranked if it may matter
    for codes in parts:
        sizes = np.bincount(codes)
        before = (np.cumsum(sizes) - sizes)[codes]
        for scale in (np.ones(n), 1 / sizes[codes]):
            middle = float((scale * (sizes[codes] + 1)).mean() / 2)
            likely = np.abs(means - middle) <= units + 1e-9 * middle
            if not likely.any():
                continue
            in_all = in_all or [mean_ranks(array.T)]
            ranks = (scale * (mean_ranks(codes * (n + 1) + in_all[0]) - before)).T
            for j in np.flatnonzero(likely).tolist():
                members, weights = _combined(ranks, array[:, j], j)
                off = np.abs(ranks[:, members] @ weights - array[:, j])
                if len(members) > 1 and (off <= units[j] + 1e-9 * (1 + middle)).all():
                    within_fold = " within folds" * (len(sizes) > 1)
                    made_of = _recipe(weights, [names[c] for c in members])
                    recipes[names[j]] = f"{made_of} in ranks{within_fold}"
    return recipes


def _scales(n_classes: int) -> Mapping[str, tuple[_Scale, _Scale]]:
    """Return what a mean is taken of, and how much that changes with the predictions: these, their
    logarithms and, of geometric means whose classes were made to sum to 1, log-odds or, of several
    classes below each other, logarithms less their mean.
    """
    scales: dict[str, tuple[_Scale, _Scale]] = {"": (lambda p: p, np.ones_like)}
    scales[" in logarithms"] = np.log, lambda p: 1 / p
    if n_classes == 1:
        scales[" in log-odds"] = lambda p: np.log(p / (1 - p)), lambda p: 1 / (p * (1 - p))
        return scales

    def less_mean(p: FloatArray) -> FloatArray:
        logarithms = np.log(p).reshape(-1, n_classes, p.shape[1])
        return np.asarray(logarithms - logarithms.mean(axis=1, keepdims=True)).reshape(p.shape)

    def slope(p: FloatArray) -> FloatArray:
        steps = 1 / p
        each = steps.reshape(-1, n_classes, p.shape[1]).mean(axis=1)
        return np.asarray(steps + np.repeat(each, n_classes, axis=0))

    return scales | {_NORMALISED: (less_mean, slope)}


def _stacked(array: FloatArray, n: int) -> FloatArray:
    """Return the columns of n configurations with their classes below each other."""
    return array.reshape(len(array), n, -1).swapaxes(1, 2).reshape(-1, n)


def _between(columns: FloatArray, units: FloatArray) -> BoolArray:
    """(C,) True for columns of (n, C) that, but for rounding, are neither below nor above all
    others in any row, as no mean is, of whatever scale.
    """
    low, high = np.sort(columns, axis=1)[:, [1, -2]].T
    slack = units + units.max()
    within = (columns >= low[:, None] - slack) & (columns <= high[:, None] + slack)
    return np.asarray(within.all(axis=0))


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
        fits = _have_decimals(columns[:, left], digits)
        units[left[fits]], left = 10.0**-digits, left[~fits]
    return np.asarray(units)


def _have_decimals(columns: FloatArray, digits: int) -> BoolArray:
    scaled = columns * 10.0**digits
    return np.asarray((np.abs(scaled - np.rint(scaled)) < _NOISE_TOLERANCE).all(axis=0))


def _means(
    array: FloatArray, units: FloatArray, likely: BoolArray, rest: FloatArray
) -> Iterator[tuple[int, IntArray]]:
    """Yield `likely` columns of (n, C) that may be means of others, with these; `rest` (C,) is what
    others leave of each.
    """
    low, high = array.min(axis=0), array.max(axis=0)
    apart = np.maximum(high - low[:, None], high[:, None] - low)  # at most, of each two
    likely = likely & ((apart > _APART * units[:, None]).sum(axis=1) > 1)
    likely &= rest <= 2 * units.max(initial=0) + 1e-9 * array.std(axis=0)
    for j in np.flatnonzero(likely).tolist():
        members, weights = _combined(array, array[:, j], j)
        if len(members) > 1:
            off = float(np.abs(array[:, members] @ weights - array[:, j]).max())
            apart = np.sqrt(((array[:, members] - array[:, [j]]) ** 2).mean(axis=0))
            least = np.minimum(apart, _rest(array[:, members]))
            # members of few digits, such as shares of trees, may be exact
            if (least > _APART * max(units[j], off)).all():
                yield j, members


def _combined(array: FloatArray, blend: FloatArray, j: int) -> tuple[IntArray, FloatArray]:
    """Return the columns of (n, C), without j, of which a column (n,) is nearest to a mean, and
    their weights; none if these don't add up to 1.
    """
    from scipy.optimize import nnls

    others: IntArray = np.delete(np.arange(array.shape[1]), j)
    with suppress(RuntimeError):  # it did not converge
        weights = np.asarray(nnls(array[:, others], blend)[0])
        members, weights = others[weights > _LEAST], weights[weights > _LEAST]
        if abs(weights.sum() - 1) <= _OFF:
            return members, weights
    return others[:0], np.empty(0)


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


def _weights(array: FloatArray, units: FloatArray) -> FloatArray | None:
    """Return the weights (M,) by which the first column of (n, 1 + M) is the mean of the others in
    all rows, but for rounding to units (n, 1 + M); None if it isn't.
    """
    blend, members = array[:, 0], array[:, 1:]
    weights = np.asarray(np.linalg.lstsq(members, blend, rcond=None)[0])
    off = np.abs(members @ weights - blend)
    within = units[:, 0] + units[:, 1:] @ weights + 1e-9 * (1 + np.abs(blend))
    return weights if (off <= within).all() else None


def _is_best(glance: Glance, array: FloatArray) -> bool:
    """True if the first column of (n, C) goes best with the truth: where a blend has a weight below
    0, a member is a mean of it and the others.
    """
    if glance.truth is None or len(array) != glance.sheet.n_rows:
        return False
    rows = ~np.isnan(array).any(axis=1) & ~np.isnan(glance.truths)
    alike = np.abs(np.corrcoef(array[rows].T, glance.truths[rows])[-1, :-1])
    return bool(alike[0] >= alike.max())


def _of_one_grid(name: str, members: Sequence[str]) -> bool:
    """True for two neighbours that differ in numbers alone, such as a penalty: between them some
    models are linear in it.
    """
    stems = {re.sub(r"[\d.e-]+", "", member) for member in (name, *members)}
    return len(members) == 2 and len(stems) == 1
