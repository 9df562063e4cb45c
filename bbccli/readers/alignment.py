"""Which row of the file holds which sample of which repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.agreement import differing, disagreement
from bbccli.readers.arrow import as_arrow
from bbccli.readers.frame import Column, number_of
from bbccli.types import BoolArray, IntArray

_CARET = re.compile(r"(.+)[._](Rep\d+)")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The rows of a table as N samples in R repeats.

    Parameters
    ----------
    rows : (R, N)
        Row of each sample in each repeat, -1 where the repeat lacks the sample.
    samples : (n_rows,)
        Sample of each row, numbered in order of first appearance.
    first : (N,)
        Row in which each sample appears first.
    """

    rows: IntArray
    samples: IntArray
    first: IntArray

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


def align(
    n_rows: int,
    path: str,
    row_id: Column | None,
    repeat: Column | None,
    among: BoolArray | None = None,
) -> Alignment:
    """Place every row.

    Without `row_id`, the order of the rows within each repeat tells the sample. Rows that are not
    `among` those to place have a sample but no place.

    Raises
    ------
    InputError
        A key that is missing or occurs twice in a repeat, or repeats of unequal size where there
        is no key.
    """
    repeats = repeat_codes(n_rows, repeat)
    if row_id is None:
        samples = _positions(repeats, path)
    else:
        samples, _ = row_id.present("row_id", hint="give every row the key of its sample").codes()
    shape = (int(repeats.max()) + 1, int(samples.max()) + 1)
    cells = repeats * shape[1] + samples
    placed = np.arange(n_rows) if among is None else np.flatnonzero(among)
    if row_id is not None:
        _refuse_duplicates(cells[placed], row_id.take(placed), repeat)
    rows = np.full(shape[0] * shape[1], -1)
    rows[cells[placed]] = placed
    first = np.full(shape[1], n_rows)
    np.minimum.at(first, samples, np.arange(n_rows))
    return Alignment(rows.reshape(shape), samples, first)


def constant(column: Column, role: str, alignment: Alignment) -> Column:
    """Return one entry per sample, (N,), of a column that varies by rounding at most.

    Raises
    ------
    InputError
        A missing entry, or the first one that differs from the sample's earlier entry.
    """
    column.present(role, hint=f"fill in the {role}, or remove the sample's rows")
    earlier = alignment.first[alignment.samples]
    varies, _ = differing(column, earlier)
    if len(varies):
        raise disagreement(
            column,
            varies,
            earlier,
            f"{role} differs between repeats of one sample",
            f"the {role} of a sample is the same in every repeat",
        )
    return column.take(alignment.first)


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
    folds, repeats = (replace(fold, values=names.take(as_arrow(codes))) for names in part)
    return {"fold": folds, "repeat": repeats}


def natural_order(names: tuple[str, ...]) -> list[int]:
    """Order in which Fold2 precedes Fold10; by value where all names are numbers."""
    numbers = np.array([number_of(name) for name in names])
    if not np.isnan(numbers).any():
        return [int(i) for i in np.argsort(numbers, kind="stable")]
    parts = [
        [(piece.isdigit(), int(piece) if piece.isdecimal() else 0, piece) for piece in split]
        for split in (re.split(r"(\d+)", name) for name in names)
    ]
    return sorted(range(len(names)), key=parts.__getitem__)


def repeat_codes(n_rows: int, repeat: Column | None) -> IntArray:
    """(n_rows,) codes 0..R-1 in the natural order of the repeats."""
    if repeat is None:
        return np.zeros(n_rows, dtype=np.int64)
    repeat.present("repeat", hint="say for every row which cross-validation pass it belongs to")
    codes, names = repeat.named_codes()
    rank = np.empty(len(names), dtype=np.int64)
    rank[natural_order(names)] = np.arange(len(names))
    return rank[codes]


def _positions(repeats: IntArray, path: str) -> IntArray:
    """(n_rows,) position of each row within its repeat."""
    counts = np.bincount(repeats)
    if len(set(counts.tolist())) > 1:
        raise InputError(
            f"repeats have {counts.min()} to {counts.max()} rows and there is no row_id",
            path=path,
            hint="add a column `row_id` with the key of the sample",
        )
    order = np.argsort(repeats, kind="stable")
    positions = np.empty(len(repeats), dtype=np.int64)
    positions[order] = np.arange(len(repeats)) % counts[0]
    return positions


def _refuse_duplicates(cells: IntArray, row_id: Column, repeat: Column | None) -> None:
    """One row per sample and repeat."""
    _, first = np.unique(cells, return_index=True)
    if len(first) == len(cells):
        return
    again = np.ones(len(cells), dtype=bool)
    again[first] = False
    if repeat is None:
        problem = "row_id occurs twice"
        hint = "if the rows are repeats, or of a repeated hold-out, add a column `repeat`; "
    else:
        problem, hint = "row_id occurs twice in one repeat", ""
    raise row_id.fault(problem, np.flatnonzero(again), hint=f"{hint}else remove one of the rows")
