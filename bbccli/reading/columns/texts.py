"""Columns that say what a row is: of which subset, when, and of which name or text.

Subsets tell training rows from test rows: they are no folds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from math import isnan
from typing import Final

import numpy as np

from bbccli.errors import parameter
from bbccli.notes import listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import apply, pa, to_numbers
from bbccli.reading.column import Column, joint, number_of, repeated, text_entries
from bbccli.reading.columns.glance import Glance
from bbccli.reading.columns.groups import FEWEST_ROWS
from bbccli.reading.numerals import doubt, strangers
from bbccli.reading.roles import Hints, Request, column_named, is_given
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import GLANCE, Table
from bbccli.types import distinct

_TIME = r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]+\d.*)?$"


_NUMERAL = pattern(r"\W*\d*[.,]\d")
"""How a number begins that is marked, or has a unit."""

_MOST_COLUMNS = 100
"""Most columns of whole numbers that are compared with each other."""


def set_aside_texts(glance: Glance) -> Sheet:
    """Set aside times, and text that differs in most rows: neither is a prediction.

    Not where rows should be matched by a key, and there is none, nor beside other text, which may
    be labels. Of forecasts the origins, before the times of their rows, are the folds.

    Seen: a time in every row; text that differs in most rows; of two times, or counts of steps, the
      earlier one constant over rows that differ in the later one, or in it and the series
    Means: what a row is of, and when; the origins of forecasts
    Done: not a configuration, with a note; the origins are the folds
    """
    sheet, separate = glance.sheet, glance.request.separate_roles
    by_place = "repeat" in sheet.roles or separate
    keyless = by_place and "row_id" not in sheet.roles
    if sheet.layout != WIDE or sheet.n_rows < FEWEST_ROWS or keyless:
        return sheet
    texts = [sheet.table.column(name) for name in sheet.free if name in sheet.table.texts]
    times = [column for column in texts if _are_times(column)]
    for origin, later in () if "fold" in separate else _in_order(glance, times):
        if _are_origins(sheet, origin, later):
            table = replace(sheet.table, aside=(*sheet.table.aside, later.name))
            notes = [of_metadata.origins(origin.name, later.name)] * ("fold" not in sheet.roles)
            sheet = sheet.without([origin.name, later.name], *notes)
            sheet = replace(sheet, table=table, roles={**sheet.roles, "fold": origin})
            sheet = replace(sheet, forecasts=True)
            break
    cells = {cell.source for cell in sheet.cells if cell.label is None}
    names = [
        column.name
        for column in texts
        if column.name in cells and (column in times or _is_of_rows(column, glance.classes))
    ]
    left = sheet.without(names, of_metadata.texts_of_rows(names)) if names else sheet
    # labels ask for a key, and a problem of other text comes first
    if not left.cells or any(cell.source in sheet.table.texts for cell in left.cells):
        return sheet if sheet.cells else glance.sheet
    return left


def _are_times(column: Column) -> bool:
    """True if all values are dates, with times or without."""
    if not column.is_text or len(column.nulls):
        return False
    begins = str(column.values[0]).strip()[:1].isdigit()  # most columns are told by one value
    matches = pa.compute.match_substring_regex
    return begins and pa.compute.all(matches(column.codes()[1], _TIME)).as_py() is True


def _is_of_rows(column: Column, classes: Sequence[str]) -> bool:
    """True for text without numbers that differs in more than half of the rows, or never does and
    is none of some classes.
    """
    names = column.named_codes()[1]
    constant = len(names) == 1 and names[0] not in classes
    if len(column.nulls) or not (constant or 2 * len(names) > len(column)):
        return False
    numerals = doubt(column, of="") is not None or len(strangers(column))
    if numerals or any(map(_NUMERAL.match, names)):
        return False
    return len(text_entries(column)) == len(column)


def _in_order(glance: Glance, times: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    """Yield pairs of times, or of whole numbers, the earlier one first; that is the fold, if there
    is one.
    """
    table, fold = glance.sheet.table, glance.sheet.roles.get("fold")
    pairs = permutations(times, 2) if fold is None else ((fold, time) for time in times)
    for early, late in pairs:
        if _are_times(early) and apply("all", apply("less", early.values, late.values)).as_py():
            yield early, late
    integers = table.kinds.integers
    whole = [place for place, cell in enumerate(glance.cells) if cell.source in integers]
    if not whole or (len(whole) > _MOST_COLUMNS if fold is None else not fold.is_integer):
        return
    cells, some = [glance.cells[place] for place in whole], glance.array[:, whole]
    columns = [*enumerate(some.T)]
    if fold is not None:
        columns = [(-1, to_numbers(fold.values)[glance.rows])]
    for place, first in columns:
        for c in np.flatnonzero((some > first[:, None]).all(axis=0)).tolist():
            early = fold if fold is not None else table.column(cells[place].source)
            late = table.column(cells[c].source)
            steps = distinct(to_numbers(late.values) - to_numbers(early.values))
            if len(steps) > 1 and np.array_equal(steps, np.arange(1, len(steps) + 1)):
                yield early, late


def _are_origins(sheet: Sheet, origin: Column, later: Column) -> bool:
    """True if origins have several rows each, which differ in the later time or in a series."""
    codes = origin.codes()[0]
    counts = np.bincount(codes)
    if len(counts) < 2 or counts.min() < 2:
        return False
    cells = joint([codes, later.codes()[0]])
    if not len(repeated(cells)):
        return True
    others = [name for name in sheet.table.names if name not in (origin.name, later.name)]
    of_series = (name for name in others if name in sheet.table.kinds.discrete)
    series = (sheet.table.column(name).codes()[0] for name in of_series)
    return any(
        np.bincount(joint([codes, part])).min() > 1 and not len(repeated(joint([cells, part])))
        for part in series
    )


UNEQUAL = 1.5, 5
"""Ratio and difference of the largest to the smallest part from which two or three are no folds."""

_TRAINING: Final = (
    *("train", "training", "trn", "tr", "fit", "insample", "analysis"),
    *("development", "derivation"),
)
_VALIDATION: Final = ("valid", "validation", "val", "vld", "dev", "eval", "evaluation")
_TEST: Final = (
    *("test", "testing", "tst", "te", "holdout", "heldout", "oof", "oob", "assessment"),
    *("public", "private"),
)
_KINDS: Final[Mapping[str, str]] = {
    word: words[0] for words in (_TRAINING, _VALIDATION, _TEST) for word in words
}
_FILLERS: Final = {"fold", "cv", "split", "set", "data", "rep", "repeat", "part", "rows", "samples"}

_MAYBE_FOLDS: Final = ("split", "datasplit")
"""Names of columns of subsets or folds; without separators."""

_FLAG: Final = pattern(
    r"(?:is|in)(?:train|training|test|testing|valid|validation|val|holdout|sample)(?:set)?"
    r"|train|training|trainset"
)
"""Names of columns that are true, or 1, in some subsets; without separators."""

_FLAGS: Final = ({"0", "1"}, {"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"})

_HINT: Final = (
    "predictions of training rows are too good: give the rows of one test set; if every row was "
    "predicted out of sample, remove the column"
)


def refuse_subsets(table: Table, request: Request, _hints: Hints, known: Collection[str]) -> None:
    """Refuse a table with a column that marks training rows.

    Values such as `train` and `test` say so whatever the column is called, unless they are classes
    of the truth; 0 and 1 need a name such as `is_train`. A column `split` of two or three numbers
    may be folds, which have about equal sizes, or subsets, which don't. `known` are configurations.

    Seen: `train`, `cv`, `valid`, `test`, `holdout` or the like in every row, or beside folds; or 0
      and 1 under a name such as `in_train`; or -1 beside the numbers of folds
    Means: training rows and others
    Done: an error: see [training rows](#training-rows)
    """
    fold = None if is_given(request.folds) else request.roles.fold
    truth = request.roles.truth or column_named(table, "truth")
    texts = [name for name in table.names if name in table.texts and name not in known]
    telling: list[str] = []
    for name in texts:
        some = {*table.head([name], GLANCE).column(0).to_pylist()} - {None}
        if some and all(map(_kind_of, some)):
            telling.append(name)
        elif name not in (fold, truth) and all(map(_is_part, some)):
            _refuse_beside_folds(table.column(name))
    for name in telling if truth not in telling else []:
        _refuse_names(table.column(name))
    for name in _called_so(table.names):
        plain = _letters(name)
        if name in known:
            continue
        if name != fold and plain in _MAYBE_FOLDS:
            _refuse_unequal(table.column(name))
        if name != fold and _FLAG.fullmatch(plain):
            column = table.column(name)
            values = column.named_codes()[1]
            if len(values) == 2 and {value.casefold() for value in values} in _FLAGS:
                raise column.fault("distinguishes training rows from test rows", hint=_HINT)


def _is_part(name: str) -> bool:
    """True for the name of a subset, or the name or number of a fold."""
    from bbccli.reading.advice import FOLD

    return bool(_kind_of(name) or FOLD.fullmatch(name)) or number_of(name) % 1 == 0


def _refuse_beside_folds(column: Column) -> None:
    """Refuse numbers of folds beside another subset, such as DataRobot's `Holdout`."""
    names = column.named_codes()[1]
    folds = [name for name in names if _kind_of(name) is None]
    if 1 < len(folds) < len(names) and all(map(_is_part, names)):
        raise column.fault(
            f"holds folds, and a subset beside them: {_sizes(column)}",
            hint=f"give the rows of the folds alone, or of the subset alone; or "
            f"{parameter('fold', column.name)} to count it as another fold",
        )


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _called_so(names: tuple[str, ...]) -> list[str]:
    """Return the columns whose names may mean subsets by number."""
    letters = {name: _letters(name) for name in names}
    return [n for n, plain in letters.items() if plain in _MAYBE_FOLDS or _FLAG.fullmatch(plain)]


def _letters(name: str) -> str:
    """Return a name without case and separators."""
    return re.sub(r"[\W_]", "", name.casefold())


def refuse_subsets_as_folds(glance: Glance) -> Sheet:
    """Refuse folds, of whatever file, that are subsets; slices of caret are called Training060."""
    sheet = glance.sheet
    if "fold" in sheet.roles and sheet.layout != "caret":
        _refuse_names(sheet.roles["fold"])
        _refuse_minus_one(sheet.roles["fold"], glance)
    return sheet


def _refuse_minus_one(fold: Column, glance: Glance) -> None:
    """Refuse -1, if predicted, beside three folds or more that count from 0 or 1."""
    if glance.request.roles.fold or "-1" not in fold.named_codes()[1] or not fold.is_integer:
        return
    folds = distinct(numbers := to_numbers(fold.values))
    if len(folds) < 4 or folds[0] != -1 or folds[1] not in (0, 1):
        return
    if glance.cells and len(distinct(glance.whole(0)[numbers == -1, 0])) > 1:
        raise fold.fault(
            f"holds -1 beside the folds, as rows that were never tested: {_sizes(fold)}",
            hint=f"give the rows of the folds alone; or {parameter('fold', fold.name)} to count -1 "
            "as another fold",
        )


def _refuse_names(fold: Column) -> None:
    """Refuse folds named after training rows and others, or validation and test rows."""
    if not fold.is_text:
        return
    _, names = fold.named_codes()
    kinds = {_kind_of(name) for name in names}
    if len(names) == len(fold):  # keys of rows, such as the traces tr-0 and tr-1 of MLflow
        return
    if None in kinds or (len(kinds) < 2 and not (_TRAINING[0] in kinds and len(names) > 1)):
        return
    raise fold.fault(f"holds subsets of the data, not folds: {_sizes(fold)}", hint=_HINT)


def _kind_of(name: str) -> str | None:
    """Return the subset that a value means: training, validation or test rows; None for any
    other.
    """
    words = re.findall(r"[a-z]+", name.casefold())
    if words == ["cv"]:
        return _VALIDATION[0]
    words = [word for word in words if word not in _FILLERS]
    kinds = {_KINDS.get(word) for word in ("".join(words), *words)} - {None}
    is_clear = "".join(words) in _KINDS or all(word in _KINDS for word in words)
    return kinds.pop() if is_clear and len(kinds) == 1 else None


def _refuse_unequal(column: Column) -> None:
    """Refuse two or three numbers of very different frequency as folds."""
    codes, names = column.named_codes()
    if not 2 <= len(names) <= 3 or (column.is_text and any(map(isnan, map(number_of, names)))):
        return
    sizes = np.bincount(codes[codes >= 0])
    times, more = UNEQUAL
    if sizes.max() > max(times * sizes.min(), sizes.min() + more):
        hint = f"give {parameter('fold', column.name)} if they are folds; otherwise {_HINT}"
        problem = f"may hold folds, or training and test rows: {_sizes(column)}"
        raise column.fault(problem, hint=hint)


def _sizes(column: Column) -> str:
    """Return the names of the parts with their numbers of rows."""
    codes, names = column.named_codes()
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    return listing([f"{name} ({n})" for name, n in zip(names, sizes, strict=True)])
