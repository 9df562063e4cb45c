"""Which row of a sheet holds which sample of which repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bbccli.core.sample_keys import SampleKeys
from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, take, to_codes
from bbccli.readers.codes import repeated
from bbccli.readers.column import Column, name_of, natural_order
from bbccli.readers.nested import NestedRows, split_nested
from bbccli.readers.problems import Raise
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, IntArray

_CARET = re.compile(r"(.+)[._](Rep\d+)")

KEYS = {
    "repeat": "say for every row which cross-validation pass it belongs to",
    "outer_fold": "say for every row which outer fold it belongs to",
    "row_id": "give every row the key of its sample",
}
"""Roles that place a row, none of which may be missing; and what to do about it."""


@dataclass(frozen=True, slots=True)
class Places:
    """The rows of a sheet as N samples in R repeats.

    Parameters
    ----------
    rows : (R, N)
        Row of each sample in each repeat, -1 where the repeat lacks the sample.
    samples : (n_rows,)
        Sample of each row, numbered in order of first appearance.
    first : (N,)
        Row in which each sample appears first.
    keys : (N,)
        What the samples are called; their numbers where there is no key.
    nested
        Which rows are inner and which are outer, where the cross-validation is a nested one.
    """

    rows: IntArray
    samples: IntArray
    first: IntArray
    keys: SampleKeys
    nested: NestedRows | None = None

    @property
    def n_repeats(self) -> int:
        """R."""
        return len(self.rows)

    @property
    def n_samples(self) -> int:
        """N, samples of which a repeat is lacking included."""
        return len(self.first)

    @property
    def in_every_repeat(self) -> BoolArray:
        """(N,) whether every repeat holds the sample."""
        return np.asarray((self.rows >= 0).all(axis=0))


def place(sheet: Sheet, problems: Raise) -> tuple[Sheet, Places]:
    """Place every row.

    Without a role `row_id`, the order of the rows within each repeat tells the sample. Of a nested
    cross-validation only rows of outer test samples have a place, and the outer folds become the
    folds.

    Raises
    ------
    InputError
        A key that is missing or occurs twice in a repeat, repeats of unequal size where there is
        no key, or nested rows that are no such.
    """
    roles = {role: column for role, column in sheet.roles.items() if role not in KEYS}
    keyless = replace(sheet, roles=roles)
    for role in KEYS:
        problems.attempt("keys", check_key, sheet.roles, role, otherwise=None)
    # where a key is wrong every row counts as a sample, so that the rest can be looked at
    found = problems.attempt("keys", _place, sheet, otherwise=None) or _place(keyless)
    problems.done("keys", found)
    return found


def check_key(roles: Mapping[str, Column], role: str) -> None:
    """Refuse rows in which a role that places them is missing, or two spellings of one key."""
    if role in roles:
        column = roles[role].present(role, hint=KEYS[role])
        if role == "row_id" and column.is_text:
            from bbccli.readers.keys import refuse_two_spellings

            refuse_two_spellings(column)


def _place(sheet: Sheet) -> tuple[Sheet, Places]:
    nested = split_nested(sheet.roles, repeat_codes(sheet.n_rows, sheet.roles), sheet.path)
    roles = dict(sheet.roles)
    if nested is not None:
        roles["fold"] = roles.pop("outer_fold")
    return replace(sheet, roles=roles), align(sheet.n_rows, sheet.path, sheet.roles, nested)


def align(
    n_rows: int, path: str, roles: Mapping[str, Column], nested: NestedRows | None = None
) -> Places:
    """Place every row; of nested predictions, the outer ones.

    Raises
    ------
    InputError
        A key that is missing or occurs twice in a repeat, or repeats of unequal size where there
        is no key.
    """
    repeats, row_id = repeat_codes(n_rows, roles), roles.get("row_id")
    if row_id is None:
        samples = positions_within(repeats, "repeats", path)
    else:
        check_key(roles, "row_id")
        samples, _ = row_id.codes()
    shape = (int(repeats.max()) + 1, int(samples.max()) + 1)
    cells = repeats * shape[1] + samples
    placed = np.arange(n_rows) if nested is None else np.flatnonzero(nested.outer)
    if row_id is not None:
        _refuse_duplicates(cells, placed, row_id, "repeat" in roles)
    rows = np.full(shape[0] * shape[1], -1)
    rows[cells[placed]] = placed
    first = np.empty(shape[1], np.int64)
    first[samples[::-1]] = np.arange(n_rows)[::-1]  # of equal places the last one written stays
    known = row_id or next(iter(roles.values()), None)
    rows_of_file = None if known is None or len(known.origins) > 1 else known.rows[first]
    keys = SampleKeys(np.arange(shape[1]), None, rows_of_file)
    if row_id is not None:
        keys = SampleKeys(_keys_of(row_id.take(first)), row_id.place(0)[1], rows_of_file)
    return Places(rows.reshape(shape), samples, first, keys, nested)


def split_caret(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Split fold names like `Fold1.Rep1` into fold and repeat, where no column has the repeat."""
    import pyarrow as pa

    fold = columns.get("fold")
    if fold is None or "repeat" in columns or not fold.is_text:
        return {}
    codes, values = fold.codes()
    matches = [_CARET.fullmatch(text) for text in values.to_pylist() if text is not None]
    if not matches or len(fold.nulls) or None in matches:
        return {}
    part = [pa.array([match[i] for match in matches if match]) for i in (1, 2)]
    folds, repeats = (replace(fold, values=take(names, as_arrow(codes))) for names in part)
    return {"fold": folds, "repeat": repeats}


def repeat_codes(n_rows: int, roles: Mapping[str, Column]) -> IntArray:
    """(n_rows,) codes 0..R-1 in the natural order of the repeats."""
    if "repeat" not in roles:
        return np.zeros(n_rows, dtype=np.int64)
    check_key(roles, "repeat")
    codes, names = roles["repeat"].named_codes()
    rank = np.empty(len(names), dtype=np.int64)
    rank[natural_order(names)] = np.arange(len(names))
    return rank[codes]


def positions_within(blocks: IntArray, what: str, path: str) -> IntArray:
    """(n_rows,) position of each row within its block, all of which have the same size.

    Raises
    ------
    InputError
        They have not; says so of `what`.
    """
    counts = np.bincount(blocks)
    if len(set(counts.tolist())) > 1:
        raise InputError(
            f"{what} have {counts.min()} to {counts.max()} rows and there is no row_id",
            path=path,
            hint="add a column `row_id` with the key of the sample",
        )
    order = np.argsort(blocks, kind="stable")
    positions = np.empty(len(blocks), dtype=np.int64)
    positions[order] = np.arange(len(blocks)) % counts[0]
    return positions


def _refuse_duplicates(cells: IntArray, placed: IntArray, row_id: Column, in_repeats: bool) -> None:
    """One row per sample and repeat, of those that have a place."""
    again = placed[repeated(cells[placed])]
    if not len(again):
        return
    if in_repeats:
        problem, hint = "row_id occurs twice in one repeat", ""
    else:
        problem = "row_id occurs twice"
        hint = "if the rows are repeats, or of a repeated hold-out, add a column `repeat`; "
    raise row_id.fault(problem, again, hint=f"{hint}else remove one of the rows")


def _keys_of(row_id: Column) -> np.ndarray:
    """(N,) keys: whole numbers, or UTF-8."""
    import pyarrow as pa

    if pa.types.is_signed_integer(row_id.values.type):
        return to_codes(row_id.values)
    texts = row_id.values.to_pylist()
    return np.array([name_of(text).encode("utf-8", "replace") for text in texts])
