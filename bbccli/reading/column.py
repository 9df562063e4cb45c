"""A column in memory that remembers the file and row of each value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import count

import numpy as np

from bbccli.errors import InputError
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import (
    apply,
    as_arrow,
    as_arrow_or_null,
    by_hand,
    is_integer,
    is_nothing,
    is_text,
    null_mask,
    pa,
    take,
    to_codes,
    to_numbers,
)
from bbccli.types import FloatArray, IntArray

# Whole numbers up to here are exact in float64, so 1.0 and 1 may share the name "1".
EXACT_INTEGERS = 2.0**53

_SPARSE = 8
"""How many times longer than the rows a table of codes may be; beyond, rows are sorted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One of the files whose rows make up a table.

    Parameters
    ----------
    path
        Name of the file for messages.
    start
        First row of the table that comes from the file.
    names
        Name in the file of each renamed column.
    """

    path: str
    start: int = 0
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A column of numbers, booleans or text; NaN and empty text are null.

    Parameters
    ----------
    path
        File of the values.
    name
        Name of the column in that file.
    values : (n,)
        Arrow array.
    rows : (n,)
        Row of the file for each value.
    origins
        The files, in order, if there are several.
    """

    path: str
    name: str
    values: pa.Array
    rows: IntArray
    origins: tuple[Origin, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def is_text(self) -> bool:
        """True for strings."""
        return is_text(self.values.type)

    @cached_property
    def is_integer(self) -> bool:
        """True for integers."""
        return is_integer(self.values.type)

    @property
    def is_boolean(self) -> bool:
        """True for booleans."""
        return bool(pa.types.is_boolean(self.values.type))

    @cached_property
    def nulls(self) -> IntArray:
        """Return the entries without a value."""
        return np.flatnonzero(null_mask(self.values))

    def take(self, entries: IntArray) -> Column:
        """Return the given entries, in order; null where an entry is -1."""
        if len(entries) == len(self) and (entries == np.arange(len(self))).all():
            return self
        values = take(self.values, as_arrow_or_null(entries))
        return replace(self, values=values, rows=self.rows[entries])

    def place(self, entry: int) -> tuple[str, str, int]:
        """Return file, column and row of an entry."""
        row = int(self.rows[entry])
        for origin in reversed(self.origins):
            if row >= origin.start:
                return origin.path, origin.names.get(self.name, self.name), row - origin.start
        return self.path, self.name, row

    def fault(
        self, problem: str, entries: int | IntArray | None = None, *, hint: str
    ) -> InputError:
        """Return the error about the first of some entries: file, column, row and value; or about
        the whole column.
        """
        if entries is None:
            return InputError(problem, path=self.path, column=self.name, hint=hint)
        wrong = np.atleast_1d(entries)
        entry = int(wrong[0])
        path, column, row = self.place(entry)
        return InputError(
            problem,
            path=path,
            row=row,
            column=column,
            value=self.values[entry].as_py(),
            hint=hint,
            further=len(wrong) - 1,
        )

    def present(self, role: str, *, hint: str) -> Column:
        """Return the column itself; refuse missing values."""
        if len(self.nulls):
            raise self.fault(f"{role} is missing", self.nulls, hint=hint)
        return self

    def codes(self) -> tuple[IntArray, pa.Array]:
        """Return (n,) codes in order of first appearance, -1 where null; and the distinct
        values.
        """
        return self._codes

    def named_codes(self) -> tuple[IntArray, tuple[str, ...]]:
        """Return (n,) codes into the distinct names, -1 where null; and these."""
        return self._named_codes

    @cached_property
    def _codes(self) -> tuple[IntArray, pa.Array]:
        codes: IntArray = np.full(len(self), -1, np.int64)
        values = self.values
        if is_nothing(values.type):
            values = values[:0]
        elif by_hand(len(self)) and (self.is_text or self.is_integer):
            given = values.to_pylist()
            code = dict(zip(dict.fromkeys([None, *given]), count(-1), strict=False))
            codes = np.array([*map(code.__getitem__, given)], np.int64)
            first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
            values = take(values, as_arrow(first))
        else:
            encoded = apply("dictionary_encode", values)
            codes, values = to_codes(encoded.indices), encoded.dictionary
        codes.flags.writeable = False
        return codes, values

    @cached_property
    def _named_codes(self) -> tuple[IntArray, tuple[str, ...]]:
        codes, values = self.codes()
        names = [name_of(value) for value in values.to_pylist()]
        unique = {name: code for code, name in enumerate(dict.fromkeys(names))}
        if len(unique) == len(names):
            return codes, tuple(names)
        merged = np.array([unique[name] for name in names] + [-1], dtype=np.int64)[codes]
        merged.flags.writeable = False
        return merged, tuple(unique)

    def numbers(self, role: str, hint: str = "numbers are needed here") -> FloatArray:
        """Return (n,) float64, NaN where null; refuse text and infinite numbers."""
        if self.is_text:
            raise self.fault(f"{role} is text", text_entries(self), hint=hint)
        numbers: FloatArray = to_numbers(self.values).astype(np.float64, copy=False)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            raise self.fault(f"{role} is infinite", infinite, hint="correct the value")
        merged = np.flatnonzero(np.abs(numbers) > EXACT_INTEGERS)
        if len(merged) and len(np.unique(numbers)) < len(self.codes()[1].unique()):
            lost = f"{role} has integers beyond 2**53 that are equal as numbers of 64 bits"
            raise self.fault(lost, merged, hint="subtract a constant from them and the predictions")
        return numbers


def name_of(value: object) -> str:
    """Return the name of a class or fold: 1, 1.0 and "1" are all called "1"."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT_INTEGERS:
        return str(int(value))
    return str(value)


@lru_cache(maxsize=256)
def number_of(name: str) -> float:
    """Return the finite number that text means, else NaN; True is 1 and False is 0."""
    booleans = {"true": 1.0, "false": 0.0}
    try:
        number = booleans.get(name.casefold(), math.nan) if name.isalpha() else float(name)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def text_entries(column: Column) -> IntArray:
    """Return entries of text that is not a number; the first entry if all are numbers."""
    codes, values = column.codes()
    text = [math.isnan(number_of(value)) for value in values.to_pylist()]
    entries = np.flatnonzero(np.array([*text, False])[codes])
    return entries if len(entries) else np.flatnonzero(codes >= 0)[:1]


@lru_cache(maxsize=8)  # the files of a batch have the same columns and folds
def natural_order(names: tuple[str, ...]) -> Sequence[int]:
    """Return the order in which Fold2 precedes Fold10; by value if all names are numbers."""
    if not math.isnan(number_of(names[0] if names else "0")):
        numbers = np.array([number_of(name) for name in names])
        if not np.isnan(numbers).any():
            return tuple(np.argsort(numbers, kind="stable").tolist())
    parts = [
        [(piece.isdigit(), int(piece) if piece.isdecimal() else 0, piece) for piece in split]
        for split in map(re.compile(r"(\d+)").split, names)
    ]
    return tuple(sorted(range(len(names)), key=parts.__getitem__))


def joint(codes: Sequence[IntArray]) -> IntArray:
    """Return (n,) dense codes of the combinations of several codes; -1 counts as a value."""
    combined: IntArray = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        combined = _dense(combined * (int(code.max()) + 2) + code + 1)
    return combined


def by_appearance(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Renumber codes (n,), at least 0, by first appearance; return also the first row of each."""
    first = first_rows(codes)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], first[order]


def repeated(codes: IntArray) -> IntArray:
    """Return the rows whose code, at least 0, occurs in an earlier row."""
    codes = _dense(codes)
    rows = np.arange(len(codes))
    return np.flatnonzero(first_rows(codes)[codes] != rows)


def first_rows(codes: IntArray) -> IntArray:
    """Return the (K,) first row of each of the codes 0..K-1."""
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last write to a place stays
    return first


def _dense(codes: IntArray) -> IntArray:
    """Return (n,) codes 0..K-1 in the order of the given ones, which are at least 0."""
    largest = int(codes.max(initial=-1))
    if largest >= _SPARSE * len(codes) + 1024:
        _, codes = np.unique(codes, return_inverse=True)
        return codes
    there = np.zeros(largest + 1, bool)
    there[codes] = True
    return (np.cumsum(there) - 1)[codes]


def in_equal_parts(values: FloatArray | IntArray) -> bool:
    """Return whether values (N,) cut the samples into 3 to 100 equal parts, as folds do; those of
    two classes may differ by one sample each.
    """
    sizes = np.unique(values, return_counts=True)[1]
    return 3 <= len(sizes) <= min(100, len(values) // 2) and bool(np.ptp(sizes) <= 2)
