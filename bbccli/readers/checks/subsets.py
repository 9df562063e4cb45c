"""Columns that tell training rows from test rows: subsets of the data, not folds."""

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
"""Ratio and difference of the largest to the smallest part from which two or three are no folds."""

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
"""Names of columns of subsets, besides those of folds; without separators."""

_MAYBE_FOLDS: Final = ("split", "datasplit")
"""Names of columns of subsets or folds; without separators."""

_FLAG: Final = re.compile(
    r"(?:is|in)(?:train|training|test|testing|valid|validation|val|holdout|sample)(?:set)?"
    r"|train|training|trainset"
)
"""Names of columns that are true, or 1, in some subsets; without separators."""

_FLAGS: Final = ({"0", "1"}, {"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"})

_HINT: Final = (
    "predictions of training rows are too good: give the rows of one test set; if every row was "
    "predicted out of sample, remove the column"
)


def refuse_subsets(table: Table, fold: str | None, known: Collection[str]) -> None:
    """Refuse a table with a column that marks training rows.

    Both name and values must say so: `split` or `set` with `train` and `test`, `is_train` with 0
    and 1. A column `split` of two or three numbers may be folds, which have about equal sizes, or
    subsets, which don't. `fold` is the column given as the folds, `known` are configurations.
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
    """Return the columns whose names may mean subsets."""
    telling = {*_COLUMNS, *_MAYBE_FOLDS}
    letters = {name: _letters(name) for name in names}
    return [
        name
        for name, plain in letters.items()
        if _is_of_folds(name, fold) or plain in telling or _FLAG.fullmatch(plain)
    ]


def _is_of_folds(name: str, fold: str | None) -> bool:
    """True if a column was given as the folds, or has their name."""
    return name == fold or name.casefold() in NAMES["fold"]


def _letters(name: str) -> str:
    """Return a name without case and separators."""
    return re.sub(r"[\W_]", "", name.casefold())


def refuse_subsets_as_folds(fold: Column) -> None:
    """Refuse folds named after training rows and others, or validation and test rows."""
    if not fold.is_text:
        return
    _, names = fold.named_codes()
    kinds = {_kind_of(name) for name in names}
    if None in kinds or (len(kinds) < 2 and not (_TRAINING[0] in kinds and len(names) > 1)):
        return
    raise _fault(fold, f"holds subsets of the data, not folds: {_sizes(fold)}")


def _kind_of(name: str) -> str | None:
    """Return the subset that a value means: training, validation or test rows; None for any
    other.
    """
    words = [word for word in re.findall(r"[a-z]+", name.casefold()) if word not in _FILLERS]
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
        hint = f"{parameter('fold', column.name)} if they are folds; else {_HINT}"
        problem = f"may hold folds, or training and test rows: {_sizes(column)}"
        raise _fault(column, problem, hint)


def _sizes(column: Column) -> str:
    """Return the names of the parts with their numbers of rows."""
    codes, names = column.named_codes()
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    return listing([f"{name} ({n})" for name, n in zip(names, sizes, strict=True)])


def _fault(column: Column, problem: str, hint: str = _HINT) -> InputError:
    return InputError(problem, path=column.path, column=column.name, hint=hint)
