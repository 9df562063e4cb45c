"""What rows are, told by their values: repeats of a cross-validation, or never predicted.

## Folds of repeats

Folds that are numbered through the repeats of a cross-validation, as `enumerate` does.

In the order of the folds every sample is tested once before any is tested again, so that the first
folds are the first repeat, and so on. That is proved by

- the keys of the samples: the rows of a fold are all there for the same, the r-th, time, in an
  order that never goes back;
- without keys by the outcome, if at least `OWN` of the values in a repeat differ, and no fewer than
  `FEWEST_VALUES`: blocks of as many folds each hold the same values. Another partition of N = rn
  different values does so with probability (n!)^r / N!, about r^-N. The values are then the keys;
  equal ones are told apart by their order.

A repeat has two folds or more: the same samples in every fold are a test set that each model of a
cross-validation predicted, or subjects at the same doses. Classes prove nothing; `checks.repeats`
notes what is likely.

## Rows never predicted

Rows that were never predicted, in an array made by `np.zeros(n)` and filled fold by fold.

A value v stems from such an array if some configurations, all or one, hold it in the same rows S,
and

- it is strange in at least one of them: it occurs there outside S in less than 1% as many rows,
  although most other predictions differ (labels, ratings and averages of votes are equal by chance,
  or since rows are sorted by class); or although all lie on one side of v, which no truth is, and
  there are several configurations (one may be a column of folds);
- S is a shape: whole folds, or one run of rows per repeat. Genuine ties at a strange value fill one
  by chance in one of C(N, |S|) files. One model alone may give up on a fold and predict its mean,
  so that v has to be a whole number. Without a shape, two models or more must agree on the rows;
- the truth says nothing against it. Genuine equal predictions are right: all models predict 0 for
  shops that are closed, and trees exactly 0 or 1 for a class apart. So the most common truth in S
  must not be significantly more common than elsewhere; in a shape, which may be a stretch of time
  with a level of its own, not significantly more common and almost the only one. Significant are
  `BITS`: k of n samples have a truth of share q elsewhere with probability 2^(-n KL(k/n, q)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import prod

import numpy as np

from bbccli.notes import Note, lacking, of_data
from bbccli.reading.arrow import as_arrow, to_numbers
from bbccli.reading.column import Column, joint, natural_order, number_of
from bbccli.reading.predictions import Values
from bbccli.reading.sample_columns import CONSTANT
from bbccli.reading.sheet import Sheet
from bbccli.types import BoolArray, FloatArray, IntArray, distinct, lengths_of, starts_of

FEWEST_VALUES, OWN = 20, 0.9
"""Fewest different values of an outcome that tell samples apart, and their proportion."""

_TOLD = ("repeat", "outer_fold", "train_size")
"""Roles that tell the rows of a sample apart."""


def by_key(roles: Mapping[str, Column]) -> Mapping[str, Column]:
    """Return the repeat of each row (n_rows,), by its role, if keys prove it; else nothing."""
    if "row_id" not in roles or not _may_be(roles) or len(roles["row_id"].nulls):
        return {}
    codes, keys = roles["row_id"].codes()
    if len(keys) == len(codes):  # each once
        return {}
    folds, n_folds = _folds(roles["fold"])
    samples, tested = np.divmod(distinct(codes * n_folds + folds), n_folds)
    times = np.arange(len(samples)) - np.searchsorted(samples, samples)
    fewest, most = np.full(n_folds, len(times)), np.zeros(n_folds, np.int64)
    np.minimum.at(fewest, tested, times)
    np.maximum.at(most, tested, times)
    if not most[-1] or most[1] or (fewest != most).any() or (np.diff(most) < 0).any():
        return {}
    return _repeats(roles, most[folds])


def by_outcome(roles: Mapping[str, Column]) -> tuple[Mapping[str, Column], IntArray | None]:
    """Return the repeat of each row (n_rows,), by its role, and the sample of each, if the outcome
    proves it; else nothing.

    Seen: in the order of the folds, every key is tested once before any is tested again; or blocks
      of as many folds hold the same values of an outcome that mostly differ
    Means: a repeated cross-validation whose folds are numbered through
    Done: the blocks of folds are its repeats, with a note
    """
    if "row_id" in roles or not _may_be(roles):
        return {}, None
    outcome = [roles[role] for role in CONSTANT if role in roles]
    n_values = prod(len(column.codes()[1]) for column in outcome)
    folds, n_folds = _folds(roles["fold"])
    if n_values < max(FEWEST_VALUES, 2 * OWN * len(folds) / n_folds):  # of two folds, at least
        return {}, None
    values = joint([column.codes()[0] for column in outcome])
    for k in range(1, n_folds // 2 + 1):
        if n_folds % k:
            continue
        blocks = folds // k
        sizes, sums = np.bincount(blocks), np.bincount(blocks, values)
        if (sizes != sizes[0]).any() or (sums != sums[0]).any():
            continue
        order = np.lexsort([values, blocks])
        arranged = values[order].reshape(-1, sizes[0])
        if (arranged != arranged[0]).any():
            continue
        if k == 1 or len(distinct(arranged[0])) < max(FEWEST_VALUES, OWN * sizes[0]):
            break
        samples = np.empty(len(folds), np.int64)
        samples[order] = np.tile(np.arange(sizes[0]), n_folds // k)
        return _repeats(roles, blocks), samples
    return {}, None


def _may_be(roles: Mapping[str, Column]) -> bool:
    """True if all rows have a fold, and nothing tells the repeats apart."""
    known = "fold" in roles and not any(role in roles for role in _TOLD)
    return known and not len(roles["fold"].nulls) and len(roles["fold"].codes()[1]) > 3


def _folds(fold: Column) -> tuple[IntArray, int]:
    """Return the folds (n_rows,) numbered in their natural order; and how many they are."""
    codes, names = fold.named_codes()
    return np.argsort(natural_order(names))[codes], len(names)


def _repeats(roles: Mapping[str, Column], repeats: IntArray) -> Mapping[str, Column]:
    """Return the repeat of each row (n_rows,) as a column by its role."""
    return {"repeat": replace(roles["fold"], values=as_arrow(repeats))}


def note_on_repeats(repeats: Mapping[str, Column], roles: Mapping[str, Column]) -> tuple[Note, ...]:
    """Return a note if repeats were found."""
    if not repeats:
        return ()
    n_folds, n_repeats = (len(column.codes()[1]) for column in (roles["fold"], repeats["repeat"]))
    return (of_data.folds_of_repeats(n_folds, n_repeats),)


FEWEST, FEWEST_SCATTERED = 5, 10
"""Fewest rows of a shape, and without one, that are told."""

BITS = 10.0
"""Evidence that the truth of some rows differs from that of others."""

ALMOST_ALL = 0.95
"""Proportion of one truth in a shape from which it speaks for genuine predictions."""

ELSEWHERE = 0.01
"""Occurrences of the value elsewhere, as a proportion of the rows, that chance explains."""

_CELLS, _ROWS = 2**20, (256, 4096)
"""Predictions, roughly, and rows in which a value is suspected first."""


def without_unpredicted(sheet: Sheet, values: Values) -> tuple[Sheet, Values]:
    """Return predictions (R, N, cells) that are missing in rows that were never predicted.

    Seen: one value in whole folds or one run of rows, by one configuration or all, and almost never
      elsewhere; or a whole number beyond the truth, farther from it or from all other predictions
      of one than any of these (-999); or the least of one's fractions, 0, where the truth is as in
      all rows
    Means: an array of zeros that was filled fold by fold, or a code for a missing value
    Done: they count as missing, with a note; the last is only doubted
    """
    if sheet.scored or sheet.nested or values.words:
        return sheet, values
    flat, notes, n_left_out = values.array.reshape(-1, values.array.shape[2]), [], 0
    n_some = int(np.clip(_CELLS // flat.shape[1], *_ROWS))
    seen = np.arange(len(flat))
    if n_some < len(flat):
        seen = distinct(np.linspace(0, len(flat) - 1, n_some).astype(np.int64))
    some = flat[seen]
    every = "every configuration" if len(sheet.configurations) > 1 else "the prediction"
    suspects = [_of_all(sheet, some), _far_off(sheet, flat, some)]
    for name, cells, value, sure in chain(*suspects, _of_each(sheet, some, seen)):
        if sure is None:
            n_rows = int((flat[:, cells[0]] == value).sum())
            notes.append(lacking.never_predicted(n_rows, value, name, sure=False))
            continue
        strange = [] if sure else _strange(sheet, some[:, cells], cells, value)
        rows = _rows_of(flat, cells, value) if sure or strange else cells[:0]
        if len(rows) and (sure or _never_predicted(sheet, flat, rows, value, strange)):
            flat[np.ix_(rows, cells)] = np.nan
            some[np.ix_(_rows_of(some, cells, value), cells)] = np.nan
            notes.append(lacking.never_predicted(len(rows), value, name or every))
            n_left_out += 0 if name else len(distinct(rows % len(sheet.usable)))
    if notes:
        sheet = replace(sheet, unpredicted=tuple(notes), n_unpredicted=n_left_out)
    return sheet, values


_Suspect = tuple[str, IntArray, float, bool | None]
"""A configuration, or none for all, its cells, and a value; and whether that is sure, or None if it
is only a doubt.
"""


def _far_off(sheet: Sheet, flat: FloatArray, some: FloatArray) -> Iterator[_Suspect]:
    """Yield the whole numbers, beyond the truth, that one configuration holds in several of some
    rows (n, C) and that are farther from its other predictions (R N, C) than these from each other,
    or mostly farther from the truth than all these, which are within its range. The least whole
    number of fractions is doubtful if its truth is like that of all, but not like that of as many
    rows that are predicted next: genuine zeros are the farthest from what is positive.
    """
    truth = sheet.of_samples.get("truth")
    if truth is None or sheet.by_class:
        return
    values = truth.codes()[0] if truth.is_text else to_numbers(truth.values)
    high = np.resize(values > values.mean(), len(flat))
    for of in (np.fmin, np.fmax):
        ends = of.reduce(some, axis=0)
        beyond = (ends < values.min()) | (ends > values.max())
        often = (some == ends).sum(axis=0) > 2
        least = np.asarray((some > np.floor(some)).any(axis=0) & (of is np.fmin))
        for c in np.flatnonzero((beyond | least) & often & (np.trunc(ends) == ends)).tolist():
            held, there = flat[:, c] == ends[c], ~np.isnan(flat[:, c])
            others, off = flat[there & ~held, c], np.abs(flat[:, c] - np.resize(values, len(flat)))
            apart = np.abs(others - ends[c]).min(initial=np.inf)
            n, most = int(held.sum()), off[there & ~held].max(initial=0)
            wrong = np.sort(off[held])[n // 2] > most <= np.ptp(values)
            sure = beyond[c] and (wrong or apart >= np.ptp(others) > 0)
            ranked = high[np.argsort(flat[:, c], kind="stable")]
            like, unlike = (_bits(ranked[:n], ranked[n:end]) for end in (None, 2 * n))
            doubt = least[c] and abs(unlike) > BITS > 4 * abs(like)
            n_kinds = len(distinct(others)) if sure or doubt else 0
            sure = sure and n_kinds >= FEWEST
            if sure or (doubt and 2 * n_kinds > len(others)):
                yield sheet.cells[c].configuration, np.array([c]), float(ends[c]), sure or None


def _of_all(sheet: Sheet, some: FloatArray) -> Iterator[_Suspect]:
    """Yield the values that all cells share in several of some rows (n, C), the most frequent
    first.
    """
    lowest = np.fmin.reduce(some, axis=1)
    equal = np.sort(lowest[lowest == np.fmax.reduce(some, axis=1)])
    starts = starts_of(equal)
    counts = lengths_of(starts, len(equal))
    for i in np.argsort(-counts, kind="stable")[:3].tolist():
        if counts[i] > 2:
            yield "", np.arange(some.shape[1]), float(equal[starts[i]]), False


def _of_each(sheet: Sheet, some: FloatArray, seen: IntArray) -> Iterator[_Suspect]:
    """Yield the whole numbers that one of several configurations holds in several of some rows
    (n, C), the predictions `seen`, that may be a shape.
    """
    owners: dict[str, list[int]] = {}
    for i, cell in enumerate(sheet.cells):
        owners.setdefault(cell.configuration, []).append(i)
    if len(owners) < 2:
        return
    order, starts = np.array([*chain(*owners.values())]), np.cumsum([0, *map(len, owners.values())])
    shared = lowest = some if len(order) == len(owners) else some[:, order]
    if len(order) > len(owners):
        ends = [find.reduceat(shared, starts[:-1], axis=1) for find in (np.fmin, np.fmax)]
        lowest, shared = ends[0], np.where(ends[0] == ends[1], ends[0], np.nan)
    # most hold no whole number so often, and need no sorting
    places = ((np.trunc(shared) == shared) & np.isfinite(shared)).sum(axis=0) > 2
    in_order = np.sort(shared[:, places].T)
    new = np.ones(in_order.shape, bool)
    new[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    times, held = lengths_of(np.flatnonzero(new), new.size), in_order[new]
    owner = np.nonzero(new)[0]
    often = (times > 2) & (np.trunc(held) == held) & np.isfinite(held)
    if len(order) == len(owners):  # a column each: that most others differ is told at once
        often &= 2 * new.sum(axis=1)[owner] > len(some) - times
    owner, held = np.flatnonzero(places)[owner[often]], held[often]
    if len(owner):
        inside = (shared[:, owner] == held) | np.isnan(lowest[:, owner])
        likely = _are_shapes(sheet, inside, seen)
        names = [*owners]
        for i in np.flatnonzero(likely).tolist():
            yield names[owner[i]], np.array(owners[names[owner[i]]]), float(held[i]), False


def _strange(sheet: Sheet, some: FloatArray, cells: IntArray, value: float) -> list[int]:
    """Return the cells, whose predictions (n, C) are in some rows, in which a value that all hold
    in several rows is strange, equal ones once.
    """
    several = len({sheet.cells[cell].configuration for cell in cells}) > 1
    there = (np.fmin.reduce(some, axis=1) == value) & (np.fmax.reduce(some, axis=1) == value)
    others = some[~there]
    rare = (others == value).sum(axis=0) <= 1 + ELSEWHERE * there.sum()
    columns: dict[bytes, int] = {}
    for c in np.flatnonzero(rare).tolist():
        numbers = others[~np.isnan(others[:, c]), c]
        if len(numbers) < FEWEST:
            continue
        beside = several and not numbers.min() <= value <= numbers.max()
        beside = beside and not _is_truth(sheet, value)
        if beside or 2 * len(distinct(numbers)) > len(numbers):
            columns.setdefault(numbers.tobytes(), int(cells[c]))
    return [*columns.values()]


def _is_truth(sheet: Sheet, value: float) -> bool:
    """True if some truth is the value."""
    truth = sheet.of_samples.get("truth")
    return truth is not None and value in map(number_of, truth.named_codes()[1])


def _rows_of(flat: FloatArray, cells: IntArray, value: float) -> IntArray:
    """Return the rows all of whose cells have the value, or none."""
    rows: IntArray = np.arange(len(flat))
    for cell in cells:
        numbers = flat[rows, cell]
        rows = rows[(numbers == value) | np.isnan(numbers)]
    return rows


def _never_predicted(
    sheet: Sheet,
    flat: FloatArray,
    rows: IntArray,
    value: float,
    strange: Sequence[int],
) -> bool:
    """True if the rows with a value (n,) of the predictions (R N, cells) were never predicted;
    `strange` are cells in which it seems strange.
    """
    models = {
        sheet.cells[cell].configuration
        for cell in strange
        if np.count_nonzero(flat[:, cell] == value) <= (1 + ELSEWHERE) * len(rows)
    }
    likely = len(models) > 1 or (len(models) == 1 and value == int(value))
    if len(rows) >= FEWEST and likely:
        held = np.zeros((len(flat), 1), bool)
        held[rows] = True
        if _are_shapes(sheet, held, fewest=FEWEST).all():
            return not _known_by_truth(sheet, rows, ALMOST_ALL)
    several = len(models) > 1 and len(rows) >= FEWEST_SCATTERED
    return several and not _known_by_truth(sheet, rows, 0)


def _blocks(sheet: Sheet) -> IntArray | None:
    """(R N,) code of the fold, within its repeat, of each prediction; None without folds."""
    if "fold" not in sheet.roles:
        return None
    repeats = np.repeat(np.arange(sheet.n_repeats), len(sheet.usable))
    places = sheet.rows[:, sheet.usable].reshape(-1)
    return joint([repeats, sheet.roles["fold"].codes()[0][places]])


def _are_shapes(
    sheet: Sheet,
    held: BoolArray,
    seen: IntArray | slice = slice(None),
    fewest: int = 0,
) -> BoolArray:
    """(V,) True for values that the predictions `seen` hold, or none (n, V), in whole folds, or in
    a run of rows, of `fewest` on average, in each of some repeats.
    """
    in_order = held[np.argsort(sheet.rows[:, sheet.usable].reshape(-1)[seen], kind="stable")]
    runs = in_order[0] + (in_order[1:] & ~in_order[:-1]).sum(axis=0)
    likely = (runs <= len(sheet.rows)) & (held.sum(axis=0) >= fewest * runs)
    if not likely.all() and (codes := _blocks(sheet)) is not None:
        codes = codes[seen]
        order = np.argsort(codes, kind="stable")
        starts = starts_of(codes[order])
        all_ = np.logical_and.reduceat(held[order], starts)
        any_ = np.logical_or.reduceat(held[order], starts)
        likely |= (all_ == any_).all(axis=0)
    return np.asarray(likely)


def _known_by_truth(sheet: Sheet, rows: IntArray, share: float) -> bool:
    """True if more than a share of the rows has one truth, and significantly more than others."""
    if "truth" not in sheet.of_samples:
        return False
    codes = np.tile(sheet.of_samples["truth"].named_codes()[0], sheet.n_repeats)
    counts = np.bincount(codes[rows], minlength=int(codes.max()) + 1)
    most = int(np.argmax(counts))
    held, others = codes[rows] == most, np.delete(codes, rows) == most
    return bool(held.mean() > share) and _bits(held, others) >= BITS


def _bits(part: BoolArray, others: BoolArray) -> float:
    """Return the evidence in bits that a larger share of a part is True than of others; negative if
    it seems smaller.
    """
    p, q = part.mean(), (np.count_nonzero(others) + 1) / (len(others) + 2)
    bits = sum(a * np.log2(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)
    return float(len(part) * bits * np.sign(p - q))


RULES = {"folds of repeats": by_outcome, "rows never predicted": without_unpredicted}
"""All rules on rows."""
