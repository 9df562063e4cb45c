"""Columns that tell training rows from test rows: these are subsets of the data, and no folds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from math import isnan
from typing import Final

import numpy as np

from bbccli.core.notes import listing
from bbccli.errors import InputError, parameter
from bbccli.readers.column import Column, number_of
from bbccli.readers.roles import NAMES
from bbccli.readers.table import Table

UNEQUAL = 1.5, 5
"""How many times the smallest part the largest one is, and by how many rows it is larger at least,
where two or three are hardly folds."""

_TRAINING: Final = ("train", "training", "trn", "tr", "fit", "insample", "analysis")
_VALIDATION: Final = ("valid", "validation", "val", "vld", "dev", "eval", "evaluation")
_TEST: Final = (
    *("test", "testing", "tst", "te", "holdout", "heldout", "oof", "oob", "assessment"),
    *("public", "private"),
)
_KINDS: Final[Mapping[str, str]] = {
    word: words[0] for words in (_TRAINING, _VALIDATION, _TEST) for word in words
}
_FILLERS: Final = {"fold", "cv", "split", "set", "data", "rep", "repeat", "part", "rows", "samples"}

_COLUMNS: Final = {
    *("set", "subset", "partition", "dataset", "datasplit", "datatype", "sampletype", "splits"),
    *("splittype", "splitname", "splitset", "usage", "phase", "part"),
}
"""What columns of subsets are called, beside the names of folds; without separators."""

_MAYBE_FOLDS: Final = ("split", "datasplit")
"""What columns are called that hold subsets or folds; without separators."""

_FLAG: Final = re.compile(
    r"(?:is|in)(?:train|training|test|testing|valid|validation|val|holdout|sample)(?:set)?"
    r"|train|training|trainset"
)
"""What columns are called that are true, or 1, in some of the subsets; without separators."""

_FLAGS: Final = ({"0", "1"}, {"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"})

_HINT: Final = (
    "predictions of training rows are too good: give the rows of one test set; if every row was "
    "predicted out of sample, remove the column"
)


def refuse_subsets(table: Table, fold: str | None, known: Collection[str]) -> None:
    """Refuse a table with a column that says which rows are training rows, as far as it is told.

    Names and values both have to say so: `split` or `set` with `train` and `test`, `is_train` with
    0 and 1. A column `split` of two or three numbers may be folds, which are of about equal size,
    or subsets, which are not.

    Parameters
    ----------
    table
        The table, in any layout.
    fold
        Column that was said to be the folds.
    known
        Configurations.

    Raises
    ------
    InputError
        Names the column, and what it holds.
    """
    for name in _called_so(table.names, fold):
        plain = _letters(name)
        if name in known:
            continue
        if _is_of_folds(name, fold) or plain in _COLUMNS:
            refuse_subsets_as_folds(table.column(name))
        if name != fold and plain in _MAYBE_FOLDS:
            _refuse_unequal(table.column(name))
        if name != fold and _FLAG.fullmatch(plain):
            column = table.column(name)
            values = column.named_codes()[1]
            if len(values) == 2 and {value.casefold() for value in values} in _FLAGS:
                raise _fault(column, "tells training rows from test rows")


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _called_so(names: tuple[str, ...], fold: str | None) -> list[str]:
    """Return the columns whose names may say so."""
    telling = {*_COLUMNS, *_MAYBE_FOLDS}
    letters = {name: _letters(name) for name in names}
    return [
        name
        for name, plain in letters.items()
        if _is_of_folds(name, fold) or plain in telling or _FLAG.fullmatch(plain)
    ]


def _is_of_folds(name: str, fold: str | None) -> bool:
    """True if a column was said to be the folds, or is called like them."""
    return name == fold or name.casefold() in NAMES["fold"]


def _letters(name: str) -> str:
    """Name without case and separators."""
    return re.sub(r"[\W_]", "", name.casefold())


def refuse_subsets_as_folds(fold: Column) -> None:
    """Refuse folds that are called as training rows and others are, or validation and test rows.

    Raises
    ------
    InputError
        Names the subsets.
    """
    if not fold.is_text:
        return
    _, names = fold.named_codes()
    kinds = {_kind_of(name) for name in names}
    if None in kinds or (len(kinds) < 2 and not (_TRAINING[0] in kinds and len(names) > 1)):
        return
    raise _fault(fold, f"tells subsets of the data apart, which are no folds: {_sizes(fold)}")


def _kind_of(name: str) -> str | None:
    """Which subset a value stands for: training, validation or test rows; None for any other."""
    words = [word for word in re.findall(r"[a-z]+", name.casefold()) if word not in _FILLERS]
    kinds = {_KINDS.get(word) for word in ("".join(words), *words)} - {None}
    told = "".join(words) in _KINDS or all(word in _KINDS for word in words)
    return kinds.pop() if told and len(kinds) == 1 else None


def _refuse_unequal(column: Column) -> None:
    """Refuse two or three numbers that are hardly folds, for they differ in size."""
    codes, names = column.named_codes()
    if not 2 <= len(names) <= 3 or (column.is_text and any(map(isnan, map(number_of, names)))):
        return
    sizes = np.bincount(codes[codes >= 0])
    times, more = UNEQUAL
    if sizes.max() > max(times * sizes.min(), sizes.min() + more):
        hint = f"{parameter('fold', column.name)} if they are folds; else {_HINT}"
        problem = f"may hold folds, or training and test rows: {_sizes(column)}"
        raise _fault(column, problem, hint)


def _sizes(column: Column) -> str:
    """Names of the parts, and how many rows each has."""
    codes, names = column.named_codes()
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    return listing([f"{name} ({n})" for name, n in zip(names, sizes, strict=True)])


def _fault(column: Column, problem: str, hint: str = _HINT) -> InputError:
    return InputError(problem, path=column.path, column=column.name, hint=hint)
