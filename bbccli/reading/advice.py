"""What values say of the columns without a role, so that one hint names every option needed.

A key tells all rows apart, in a long table those of each configuration; of several files it has the
same values in all. A truth has one value for each sample of a long table, and one in text recurs;
else few values beside predictions that have many. Times of rows are no predictions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

import numpy as np

from bbccli.errors import parameter
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import is_number, to_numbers
from bbccli.reading.column import joint
from bbccli.reading.numerals import times_of
from bbccli.reading.roles import CONFIGURATIONS, OUTCOME, Hints
from bbccli.reading.table import Table
from bbccli.types import FloatArray, IntArray, Task, distinct

_MOST_CLASSES = 20
_ORDER = ("truth", "row_id", "configuration", "repeat", "prediction", "fold")
_LEAST_IN_FOLD = 3  # samples
FOLD: Final = re.compile(r"\W*(?:cv|outer|inner)?[\W_]*(?:fold|split|resample|rep)\D*\d+.*", re.I)
"""The name of a fold."""

Levels = Mapping[str, IntArray]
"""Codes (n_rows,) of the columns without gaps and fractions."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What columns seem to be: their roles; columns of which one may hold the predictions; and the
    class that these seem to predict.
    """

    roles: Mapping[str, str]
    among: Sequence[str]
    positive: str = ""

    def __str__(self) -> str:
        """Return options such as `--truth label --row-id case`; empty if nothing can be told."""
        words = [parameter(role, name) for role, name in self.roles.items()]
        return " ".join([*words, parameter("positive", self.positive)] if self.positive else words)


def advice(table: Table, roles: Mapping[str, str], hints: Hints, *, long: bool = False) -> Advice:
    """Tell what columns are beside those of known roles; `long` if one has all predictions."""
    by_hand = {r: n for r in ("configuration", "prediction") if (n := getattr(hints.roles, r))}
    known = {**roles, **by_hand}
    found, several = dict(known), len(hints.tables) > 1
    levels = _levels_of(table)
    if not {"row_id", "configuration"} <= found.keys():
        found |= _key(table, levels, found, hints)
    if not (OUTCOME & found.keys() or OUTCOME & hints.absent):
        found |= _truth(table, levels, found)
    among: list[str] = []
    if (long or several or "configuration" in found) and "prediction" not in found:
        among = _predictions(table, {} if hints.task is Task.SCORE else levels, found)
        found |= {"prediction": among[0]} if len(among) == 1 else {}
    new = {r: found[r] for r in _ORDER if r in found and r not in known and r not in hints.absent}
    positive = _positive(table, new["truth"], levels) if "truth" in new else ""
    return Advice(new, among, positive)


def are_folds(table: Table, roles: Mapping[str, str]) -> bool:
    """True if there is a row for each fold, in a long table of each configuration."""
    texts = [name for name in table.names if name in table.texts]
    folds = [n for n in texts if all(map(FOLD.fullmatch, table.column(n).named_codes()[1]))]
    folds += [name for name in _levels_of(table) if "fold" in name.casefold()]
    folds += [roles[role] for role in ("fold", "repeat") if role in roles]
    codes = {n: table.column(n).codes()[0] + 1 for n in dict.fromkeys([*folds, *texts])}

    def is_grid(names: Sequence[str]) -> bool:
        parts = [codes[name] for name in names]
        return prod(len(distinct(part)) for part in parts) == _size(joint(parts)) == table.n_rows

    n_folds = _size(joint([codes[name] for name in folds])) if folds else 0
    alone = [[name] for name in folds]
    return n_folds > 1 and any(map(is_grid, [*alone, [*dict.fromkeys(folds)], [*codes]]))


def may_be_folds(table: Table, key: str | None) -> bool:
    """True if scores may be means of folds: but for a count no key, and little spread.

    All or nothing spreads by p (1 - p), the mean of m samples by 1 / m of it. Whole numbers up to
    10 are ratings, or right and wrong.
    """
    if key is not None and (key in table.texts or not _counts(_numbers(table, key))):
        return False
    numbers = [_numbers(table, name) for name in table.names if name in table.kinds.numeric]
    scores = [number for number in numbers if (number % 1).any()]
    scores = scores or [n for n in numbers if n.max(initial=0) > 10 and not _counts(n)]
    shares = [_share_of_range(score) for score in scores]
    limit = sum(float(share.mean() * (1 - share.mean())) for share in shares)
    return bool(shares) and _LEAST_IN_FOLD * sum(float(share.var()) for share in shares) <= limit


def _numbers(table: Table, name: str) -> FloatArray:
    """Return the finite numbers of a column."""
    numbers = to_numbers(table.column(name).values)
    return numbers[np.isfinite(numbers)]


def _counts(numbers: FloatArray) -> bool:
    """True for consecutive whole numbers that count the rows, or the rows of each configuration."""
    levels = np.unique(numbers)
    return len(levels) > 1 and bool((np.diff(levels) == 1).all())


def _share_of_range(numbers: FloatArray) -> FloatArray:
    """Return scores as shares of a range: of -1 or 0 to 1 or 100, or of a wider one."""
    low = next(end for end in (0, -1, numbers.min()) if end <= numbers.min())
    high = next(end for end in (1, 100, numbers.max()) if end >= numbers.max())
    return np.asarray((numbers - low) / (high - low))


def _levels_of(table: Table) -> dict[str, IntArray]:
    levels = {}
    for name in table.names:
        column = table.column(name)
        numbers = to_numbers(column.values) if is_number(column.values.type) else np.zeros(1)
        if not len(column.nulls) and (np.isfinite(numbers) & (numbers == np.round(numbers))).all():
            levels[name] = column.codes()[0]
    return levels


def _free(table: Table, roles: Mapping[str, str]) -> list[str]:
    """Return the columns without a role, but no empty ones and no times of rows."""
    free = {name: table.column(name) for name in table.names if name not in roles.values()}
    filled = {name: column for name, column in free.items() if len(column.nulls) < len(column)}
    return [name for name, column in filled.items() if not times_of(column.values)]


def _size(codes: IntArray) -> int:
    return int(codes.max()) + 1


def _key(table: Table, levels: Levels, roles: Mapping[str, str], hints: Hints) -> Mapping[str, str]:
    """Return the key, with the configurations of a long table, and its repeats."""
    free = [name for name in _free(table, roles) if name in levels]
    keys = sorted(free, key=lambda name: -_size(levels[name]))
    if "row_id" in roles:
        keys = [roles["row_id"]] if roles["row_id"] in levels and len(hints.tables) < 2 else []
    if len(hints.tables) > 1:
        same = [name for name in keys if same_in_all(hints.tables, name)]
        return {"row_id": same[0]} if same and _size(levels[same[0]]) > _MOST_CLASSES else {}
    texts = [name for name in free if name in table.texts]
    texts = [roles["configuration"]] if "configuration" in roles else texts
    whole = [key for key in keys if _size(levels[key]) == table.n_rows]
    whole = [key for key in whole if key in texts or key.casefold().endswith("id")]
    for key in keys:
        for name in texts:
            if whole and name.casefold() not in CONFIGURATIONS:
                continue  # else each row may have an id of its own, too
            size, n = _size(levels[key]), _size(levels[name])
            n_times, rest = divmod(table.n_rows, size * n)
            if rest or not size > n > 1:
                continue
            cells = joint([levels[key], levels[name]])
            both = {"row_id": key, "configuration": name}
            if n_times == 1 and _size(cells) == table.n_rows:
                return both
            if "row_id" in roles or name.casefold() in CONFIGURATIONS:
                for again in (name for name in free if _size(levels[name]) == n_times > 1):
                    if _size(joint([cells, levels[again]])) == table.n_rows:
                        return both | {"repeat": again}
    return {"row_id": whole[0]} if whole else {}


def same_in_all(tables: Sequence[Table], name: str) -> bool:
    """True if a column has the same values in several files."""
    if any(name not in table.names for table in tables):
        return False
    sets = [{*table.column(name).named_codes()[1]} for table in tables]
    return sets.count(sets[0]) == len(sets)


def _truth(table: Table, levels: Levels, roles: Mapping[str, str]) -> Mapping[str, str]:
    """Return the only column that can be the truth."""
    free = _free(table, roles)
    if "configuration" in roles and roles.get("row_id") in levels:
        keys = levels[roles["row_id"]]
        codes = {name: table.column(name).codes()[0] + 1 for name in free}
        likely = [n for n, values in codes.items() if _size(joint([keys, values])) == _size(keys)]
        likely = [name for name in likely if _size(codes[name]) > 2]
        texts = [name for name in free if name in table.texts]
        # text of more values than half of the items is what was asked; codes count from 1
        most = _size(keys) / 2 + 1
        likely = [n for n in likely if n not in texts or _size(codes[n]) <= most]
        # more than two classes in text are predicted in text
        few = [n for n in likely if _size(codes[n]) <= 3]
        likely = [n for n in likely if n not in texts or n in few or len(texts) > 1]
    else:
        most = min(_MOST_CLASSES, table.n_rows - 1)  # else it counts the rows
        likely = [name for name in free if name in levels and 1 < _size(levels[name]) <= most]
        likely = likely if len(likely) < len(free) else []  # else predictions are labels too
    return {"truth": likely[0]} if len(likely) == 1 else {}


def _predictions(table: Table, levels: Levels, roles: Mapping[str, str]) -> list[str]:
    """Return the columns that may hold the predictions: fractions, else labels, else numbers."""
    free = _free(table, roles)
    fractions = [name for name in free if name not in levels and name not in table.texts]
    labels = []
    if (truth := roles.get("truth")) is not None:
        known = {*table.column(truth).named_codes()[1]}
        labels = [n for n in free if n in levels and {*table.column(n).named_codes()[1]} <= known]
    return fractions or labels or [name for name in free if name not in table.texts]


def _positive(table: Table, truth: str, levels: Levels) -> str:
    """Return the first of two classes if predictions are higher on it; else nothing."""
    names = table.column(truth).named_codes()[1]
    if len(names) != 2 or truth not in table.texts:
        return ""
    first = levels[truth] == names.index(min(names))
    scores = [n for n in table.names if n not in levels and n not in table.texts]
    numbers = [to_numbers(table.column(name).values) for name in scores]
    parts = [[number[part & ~np.isnan(number)] for part in (first, ~first)] for number in numbers]
    higher = [a.mean() > b.mean() for a, b in parts if len(a) and len(b)]
    return min(names) if higher and all(higher) else ""
