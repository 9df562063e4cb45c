"""Columns beside predictions that say how sure a model is, or how far models disagree.

Bounds of intervals and quantiles are in order in nearly every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from bbccli.notes import identities, listing
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance, step_of
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import PredictionColumn
from bbccli.types import BoolArray, FloatArray, Task, distinct

IN_ORDER = 0.95
"""Share of the rows in which bounds must be in order; quantiles of a model may cross."""

_SIDE = pattern(
    r"(?P<low>lower|lwr|lo|lb|lcl|low|min)|(?P<high>upper|upr|hi|ub|ucl|high|max)", re.IGNORECASE
)
_CERTAIN = frozenset({"lower", "lwr", "lb", "lcl", "upper", "upr", "ub", "ucl", "lo", "hi"})
"""Words that mean bounds of an interval; others need the prediction between them."""

_LEVEL = pattern(
    r"(?:(?<![a-z])(?:q|p|quantile)[_. -]?)?(0?\.\d+)$"
    r"|(?<![a-z])(?:q|p|quantile)[_. -]?(\d{1,2})$|(?<!\d)(\d{1,2}(?:\.\d+)?)\s*%$",
    re.IGNORECASE,
)
_MOST_AROUND = 64
"""Most columns among which those in the middle of others are looked for."""

_NUMBER = pattern(r"\d+(?:\.\d+)?")
"""A level behind a side, in percent or as a share."""

_POINT = pattern(r"y_?hat|mean|point|forecast|pred(?:iction|icted)?|fit(?:ted)?|median", re.I)


def leave_out_bounds(glance: Glance) -> Sheet:
    """Leave out bounds and quantiles beside predictions of values.

    The prediction between them stays: that in the middle of both, the column of their stem, or the
    median.

    Seen: as far below a column as another is above it; or in order in 95% of the rows, and named by
      a side (`yhat_lower`, `ARIMA-hi-90`) or a level (`0.1`, `p90`) of one stem; or so named, and
      above a share of the truth nearer to the level than to one half
    Means: an interval or a distribution around a prediction
    Done: left out, with a note; the column of the stem, or the median, stays
    """
    sheet, cells, truth, task = glance.sheet, glance.cells, glance.truth, glance.task
    if len(cells) < 2 or truth is None or task not in (None, Task.REGRESSION):
        return sheet
    if truth.is_text or truth.is_boolean:
        return sheet
    if task is None and len(distinct(to_numbers(truth.values)[:1000])) <= 2:
        return sheet
    gone = {c for pair in _around(glance) for c in pair}
    for stem, places in _families(tuple(cell.name for cell in cells)).items():
        columns, middle = _with_middle(stem, places, cells)
        certain = _certain(cells, places, middle)
        if certain and (glance.holds(columns, _ordered) or _cover(glance, places)):
            gone |= {*places.values()} - {middle}
    if not gone:
        return sheet
    names = [cells[c].name for c in sorted(gone)]
    left = sheet.without(names, identities.bounds_left_out(names))
    if not left.cells:
        raise sheet.fault(
            f"{listing(names)} are bounds or quantiles, in order in nearly every row; there are "
            "no predictions next to them",
            column=names[0],
            hint="add the point predictions, or name those that are configurations with "
            "--only NAME",
        )
    return left


def _around(glance: Glance) -> Iterator[tuple[int, int]]:
    """Yield the pairs of columns with another in the middle of both in every row."""
    some = glance.complete
    if not (2 < len(glance.cells) <= _MOST_AROUND and len(some) >= FEWEST_ROWS):
        return
    low, high = np.nonzero((some[:, :, None] < some[:, None]).all(axis=0))
    off = np.abs(some[:1, low].T + some[:1, high].T - 2 * some[:1])
    near = off <= 1e-3 * np.maximum(np.ptp(some, axis=0), some[:1, high].T - some[:1, low].T)
    bounds: dict[int, list[tuple[int, int]]] = {}
    for pair, c in np.argwhere(near):
        ends = int(low[pair]), int(high[pair])
        if glance.holds((ends[0], int(c), ends[1]), _is_middle):
            bounds.setdefault(int(c), []).append(ends)
    gone: set[int] = set()
    # bounds of equal widths are in the middle of others too, but of fewer
    for c in sorted(bounds, key=lambda c: -len(bounds[c])):
        if c not in gone:
            yield from bounds[c]
            gone |= {end for ends in bounds[c] for end in ends}


def _is_middle(columns: FloatArray) -> bool:
    """True if the second of three columns (n, 3) is in the middle of the others in every row, but
    for rounding.
    """
    columns = columns[np.isfinite(columns).all(axis=1)]
    unit = max(step_of(column) for column in columns.T)
    noise = 2 * unit + 1e-6 * np.ptp(columns, axis=1)
    off = np.abs(columns[:, 0] + columns[:, 2] - 2 * columns[:, 1])
    apart = np.ptp(columns, axis=1) > 20 * noise
    return bool(len(columns) and (off <= noise).all() and apart.all())


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _families(names: tuple[str, ...]) -> Mapping[str, Mapping[float, int]]:
    """Return stem -> level -> position; a side of an interval has the level -1, or 2."""
    families: dict[str, dict[float, int]] = {}
    for place, name in enumerate(names):
        if reading := _stem_and_level(name):
            families.setdefault(reading[0], {}).setdefault(reading[1], place)
    return {
        stem: dict(sorted(levels.items()))
        for stem, levels in families.items()
        if len(levels) > 1 and min(levels) < 0.5 < max(levels)
    }


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\s_.\-()\[\]]+", name.casefold()) if word]


def _stem_and_level(name: str) -> tuple[str, float] | None:
    """Return the stem of a name without a side or a level, and this one."""
    words = _words(name)
    for place, side in enumerate(map(_SIDE.fullmatch, words)):
        if side:
            number = _NUMBER.search(name.casefold().partition(side[0].casefold())[2])
            width = float(number[0]) if number else 0.0
            width = 100 * max(width, 1 - width) if 0 < width < 1 else width
            level = 2 + width / 1000 if side["high"] else -1 - width / 1000
            rest = [*words[:place], *(word for word in words[place + 1 :] if not word.isdecimal())]
            return " ".join(rest), level
    if not (match := _LEVEL.search(name)):
        return None
    level = float(match[1]) if match[1] else float(match[2] or match[3]) / 100
    return (" ".join(_words(name[: match.start()])), level) if 0 < level < 1 else None


def _with_middle(
    stem: str, places: Mapping[float, int], cells: Sequence[PredictionColumn]
) -> tuple[list[int], int | None]:
    """Return the columns of a family in order, with the prediction between them, if there is one.

    That is the column of this stem, one of such a name (`mean`), or the median.
    """
    stems, middle = {stem, re.sub(r" (interval|ci|pis?)$", "", stem)}, places.get(0.5)
    for place, cell in enumerate(cells):
        name = " ".join(_words(cell.name))
        if place not in places.values() and {name, _POINT.sub("", name).strip()} & stems:
            middle = place
            break
    low = [c for level, c in places.items() if level < 0.5]
    high = [c for level, c in places.items() if level > 0.5]
    return [*low, *([] if middle is None else [middle]), *high], middle


def _ordered(columns: FloatArray) -> bool:
    """True if columns (n, K) don't fall in nearly all rows, and rise in most."""
    columns = columns[~np.isnan(columns).any(axis=1)]
    steps = [(high >= low, high > low) for low, high in pairwise(columns.T)]
    return bool(len(columns)) and all(
        rises.mean() >= IN_ORDER and strictly.mean() > 0.5 for rises, strictly in steps
    )


def _cover(glance: Glance, places: Mapping[float, int]) -> bool:
    """True if columns are above a share of the truth nearer to their levels than to one half."""
    levels = np.array([*places])
    columns = np.column_stack([glance.truths, glance.whole(*places.values())])
    columns = columns[np.isfinite(columns).all(axis=1)]
    off = np.abs((columns[:, :1] <= columns[:, 1:]).mean(axis=0) - levels)
    near = (off < np.abs(levels - 0.5) / 2) | (levels == 0.5)  # no side is: -1, or 2 and more
    return bool(len(columns) >= FEWEST_ROWS and near.all())


def _certain(
    cells: Sequence[PredictionColumn], places: Mapping[float, int], middle: int | None
) -> bool:
    """True if names mean bounds whatever is between: unmistakable words, or symmetric levels."""
    if middle is not None:
        return True
    if all(0 < level < 1 for level in places):
        return len(places) > 2 or abs(sum(places) - 1) < 1e-9
    words = {word for c in places.values() for word in _words(cells[c].name)}
    return len(words & _CERTAIN) > 1


_SLACK = 0.005
"""Share of a column's extent by which rounding may put it out of order."""

_APART = 8
"""Rows of which one is looked at first, in the order of a column."""

_FEW, _AT_ONCE = 16, 4
"""Rows that tell most columns from the spread of the others, and from the difference of two."""

_SPREAD: Final = pattern(
    r"std(?:dev|err)?|stdev|sd|sep?|sigma|var(?:iance)?|unc(?:ertainty)?|hat|lev(?:erage)?"
    r"|coo(?:k|ksd)?"
)
_CENTRE: Final = pattern(r"y(?:hat)?|mean|mu|pred(?:icted|iction)?|fit(?:ted)?|pre|forecast")
"""Words of a name that mean a spread, or an influence; and those of the prediction."""

_FOLLOWS = "in every row it follows from the other columns and says"
_CALLED = "its name and values say how certain a model is, not what it predicts"

_NEAR = 0.9
"""Share of the truth's variance that the errors of a model stay below."""

_MOST_COLUMNS, _MOST_IN_PAIRS, _CLEARLY = 200, 32, 1.5
"""Most columns that are compared with each other, and with each pair of others; and how many times
as far from the truth as a model the difference of two is."""


def leave_out_certainty(glance: Glance) -> Sheet:
    """Leave out columns ordered as the distance of a probability from one half, or in reverse.

    Such are the larger of p and 1 - p, a margin, an entropy, a variance. There must be
    probabilities on both sides, so that no model is ordered so.

    Seen: ordered like the distance of a probability from 0.5, or in reverse
    Means: how sure a model is: the larger of p and 1 - p, a margin, an entropy
    Done: left out, with a note
    """
    some = len(glance.classes) == 2 and 1 < len(glance.cells) <= _MOST_COLUMNS
    if not some or not glance.fractions.any():
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
    that may be ordered as their distance from it: in some rows they are, in more, and in all.
    """
    n_least = np.minimum((some < 0.5).sum(axis=0), (some > 0.5).sum(axis=0))
    within = ((some >= 0) & (some <= 1)).all(axis=0)
    sides = np.flatnonzero(within & (n_least >= max(3, len(some) // 20)))
    if len(sides):
        order = np.argsort(np.abs(some[:, sides] - 0.5), axis=0, kind="stable")
        slack = _APART * _SLACK * np.ptp(some, axis=0)
        s, k = np.nonzero(_is_ordered(some[order[:: 2 * _APART]], 2 * slack))
        for rows in (order[::_APART], order):
            ordered = _is_ordered(some[rows[:, s], k], slack[k])
            s, k = s[ordered], k[ordered]
        yield from zip(sides[s].tolist(), k.tolist(), strict=True)


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

    Seen: proportional to the standard deviation, or the range, of all other columns in each row;
      what two others differ by; or called a spread (`rf_std`, `.se.fit`), never negative, and less
      correlated with the truth than the prediction (`rf_mean`, `.fitted`)
    Means: how far models disagree, or how certain one is
    Done: left out, with a note
    """
    if called := [*_called_spreads(glance)]:
        glance = glance.after(_without(glance, called, _CALLED))
    if differences := _differences(glance):
        follows = f"{_FOLLOWS} how far two others differ"
        glance = glance.after(_without(glance, differences, follows))
    some, n_columns = glance.complete, len(glance.cells)
    if glance.truth is None or not 2 < n_columns <= _MOST_COLUMNS or len(some) < FEWEST_ROWS:
        return glance.sheet
    # of few rows the factor is off by their root, at most, times the slack
    slack = (1 + _FEW**0.5) * _SLACK * np.ptp(some, axis=0)
    if not _are_spreads(some[:_FEW], slack).any() or not _are_spreads(some).any():
        return glance.sheet
    spreads = np.flatnonzero(_are_spreads(glance.whole(*range(n_columns)))).tolist()
    spreads = spreads[: len(spreads) == 1]  # of three rare labels, each is that of the others
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
    called = _SPREAD.search("\n".join(names).casefold())
    words = [re.findall(r"[a-z]+|\d+", n.casefold()) for n in names] if called else []
    points, spreads = dict[tuple[str, ...], int](), list[tuple[int, tuple[str, ...]]]()
    for c, some in enumerate(words):
        stem = tuple(w for w in some if not (_SPREAD.fullmatch(w) or _CENTRE.fullmatch(w)))
        if any(map(_SPREAD.fullmatch, some)):
            spreads.append((c, stem))
        else:
            points.setdefault(stem, c)
    return [(c, points[stem]) for c, stem in spreads if stem in points]


def _differences(glance: Glance) -> list[int]:
    """Return the columns that are the difference of two others in every row, or its size.

    Both members of a sum are differences, and the one that is clearly less like the truth is meant:
    neither where a model is the sum of two.
    """
    some, gone, truth = glance.complete, list[int](), glance.truth
    if truth is None or not 2 < some.shape[1] <= _MOST_IN_PAIRS or len(some) < FEWEST_ROWS:
        return gone
    sizes = np.abs(some[:_AT_ONCE])
    apart = np.abs(some[:_AT_ONCE, :, None] - some[:_AT_ONCE, None])
    off = np.abs(apart[..., None] - sizes[:, None, None]).max(axis=0)
    near = off <= _SLACK * np.ptp(some, axis=0)
    for triple in {tuple(sorted({a, b, c})) for a, b, c in np.argwhere(near).tolist()}:
        if len(triple) < 3 or {*triple} & {*gone} or not glance.holds(triple, _is_difference):
            continue
        columns = glance.whole(*triple)
        there = np.isfinite(columns).all(axis=1) & np.isfinite(glance.truths)
        columns, truths = columns[there], glance.truths[there]
        unlike = ((columns - truths[:, None]) ** 2).mean(axis=0)
        if glance.classes:
            unlike = 1 - np.abs(np.corrcoef(columns.T, truths)[-1, :-1])
        made = np.array(
            [_is_difference(np.roll(columns, -place, axis=1), first=True) for place in range(3)]
        )
        beyond = ((columns < 0) | (columns > 1)).any(axis=0)
        if beyond.sum() == 1:  # two are probabilities, or shares
            made = made & beyond
        *_, second, most = np.sort(np.where(made, unlike, 0))
        if most > _CLEARLY * second:
            gone.append(triple[int(np.argmax(np.where(made, unlike, 0)))])
    return gone


def _is_difference(columns: FloatArray, *, first: bool = False) -> bool:
    """True if one of three columns (n, 3), or the first, is in every row what the others differ by,
    but for rounding.
    """
    columns = columns[np.isfinite(columns).all(axis=1)]
    noise = 2 * max(step_of(column) % 1 for column in columns.T) + 1e-6 * np.abs(columns).max()
    rolled = (np.roll(columns, -place, axis=1).T for place in range(1 if first else 3))
    # rare labels agree by chance
    apart = np.abs(columns - np.median(columns, axis=0)) > 4 * noise
    return bool((apart.sum(axis=0) >= FEWEST_ROWS).all()) and any(
        (np.abs(np.abs(b - c) - np.abs(a)) <= noise).all() for a, b, c in rolled
    )


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
