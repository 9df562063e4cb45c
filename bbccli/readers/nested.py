"""Rows of a nested cross-validation: which are inner, which are outer, and what each fold holds.

A row with an inner `fold` is an out-of-sample prediction within the training set of its
`outer_fold`; a row without is a prediction of a test sample of that outer fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bbccli.core.nested import NestedFold
from bbccli.errors import InputError
from bbccli.readers.codes import repeated
from bbccli.readers.column import Column
from bbccli.readers.folds import code_folds
from bbccli.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class NestedRows:
    """The rows of a nested cross-validation.

    Parameters
    ----------
    outer : (n_rows,) bool
        Rows of outer test samples; the others are inner.
    blocks : (n_rows,) int
        Code of repeat and outer fold.
    repeats : (n_rows,) int
        Repeat of each row, 0..R-1.
    outer_fold, fold : (n_rows,)
        Columns of the outer and the inner fold.
    """

    outer: BoolArray
    blocks: IntArray
    repeats: IntArray
    outer_fold: Column
    fold: Column


def split_nested(columns: Mapping[str, Column], repeats: IntArray, path: str) -> NestedRows | None:
    """Tell inner from outer rows; None where the cross-validation is not nested.

    Parameters
    ----------
    columns : (n_rows,) each
        Columns of the roles.
    repeats : (n_rows,)
        Repeat of each row.
    path
        File, for messages.

    Raises
    ------
    InputError
        No key or no column of inner folds; rows of one kind only; an outer fold without inner rows
        or without test samples; a sample that is both trained on and tested.
    """
    outer_fold = columns.get("outer_fold")
    if outer_fold is None:
        return None
    for role, what in (("row_id", "the key of the sample"), ("fold", "the inner fold")):
        if role not in columns:
            raise InputError(
                f"nested predictions need a column `{role}` beside `outer_fold`",
                path=path,
                hint=f"{what} of every row"
                + ("; empty where a row is of an outer test sample" if role == "fold" else ""),
            )
    outer_fold.present("outer_fold", hint="say for every row which outer fold it belongs to")
    fold = columns["fold"]
    outer = np.zeros(len(fold), bool)
    outer[fold.nulls] = True
    codes, _ = outer_fold.codes()
    blocks = repeats * (int(codes.max()) + 1) + codes
    rows = NestedRows(outer, blocks, repeats, outer_fold, fold)
    _check_both_kinds(rows)
    _check_disjoint(rows, columns["row_id"])
    return rows


def _check_both_kinds(rows: NestedRows) -> None:
    """Every outer fold has inner rows and test rows."""
    for kind, problem in (
        (rows.outer, "outer fold has no test samples"),
        (~rows.outer, "outer fold has no inner predictions"),
    ):
        lacking = np.flatnonzero(~np.isin(rows.blocks, rows.blocks[kind]))
        if len(lacking):
            raise rows.outer_fold.fault(
                problem,
                lacking,
                hint="rows with a `fold` are inner predictions, rows with an empty `fold` are of "
                "the outer test samples",
            )


def _check_disjoint(rows: NestedRows, row_id: Column) -> None:
    """No sample is tested in the outer fold that trained on it, nor predicted twice there."""
    samples, _ = row_id.present("row_id", hint="give every row the key of its sample").codes()
    cells = rows.blocks * (int(samples.max()) + 1) + samples
    leaked = np.flatnonzero(rows.outer & np.isin(cells, cells[~rows.outer]))
    if len(leaked):
        raise row_id.fault(
            "sample is both trained on and tested in one outer fold",
            leaked,
            hint="inner predictions are of the samples outside the outer fold",
        )
    inner = np.flatnonzero(~rows.outer)
    again = repeated(cells[inner])
    if len(again):
        raise row_id.fault(
            "row_id occurs twice within one outer fold",
            inner[again],
            hint="one inner prediction per sample and outer fold: average those of inner repeats",
        )


def without_gaps(rows: NestedRows, every: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the inner rows that can be used, and the configurations (C,) complete on them.

    Parameters
    ----------
    rows
        Which rows are inner.
    every : (n_rows, C) or (n_rows, C, K)
        All predictions, NaN where missing.
    """
    missing: BoolArray = np.isnan(every)
    missing = np.asarray(missing.any(axis=2)) if missing.ndim == 3 else missing
    inner: IntArray = np.flatnonzero(~rows.outer & ~missing.all(axis=1))
    return inner, np.asarray(~missing[inner].any(axis=0))


def nested_folds(
    rows: NestedRows,
    inner: IntArray,
    predictions: FloatArray,
    samples: IntArray,
    chosen: IntArray,
) -> Iterator[NestedFold]:
    """Yield the outer folds, repeat by repeat.

    Parameters
    ----------
    rows
        What each row of the table is.
    inner
        The inner rows that can be used.
    predictions : (n_rows, C) or (n_rows, C, K)
        All predictions.
    samples : (n_rows,)
        Sample of each row.
    chosen : (N,)
        The samples that are used.

    Raises
    ------
    InputError
        An outer fold of which no sample is left.
    """
    position = np.full(int(samples.max()) + 1, -1)
    position[chosen] = np.arange(len(chosen))
    places = position[samples]
    codes, names = rows.outer_fold.named_codes()
    for block in np.unique(rows.blocks):
        own = np.flatnonzero(rows.blocks == block)
        test = own[rows.outer[own] & (places[own] >= 0)]
        training = np.intersect1d(own, inner[places[inner] >= 0])
        training = training[np.argsort(places[training], kind="stable")]
        if not len(test) or not len(training):
            raise rows.outer_fold.fault(
                "no sample of the outer fold is left", own, hint="complete its predictions"
            )
        folds, fold_names = code_folds(rows.fold, training[None])
        yield NestedFold(
            name=names[codes[own[0]]],
            repeat=int(rows.repeats[own[0]]),
            training=places[training],
            test=np.sort(places[test]),
            predictions=predictions[training],
            folds=folds[0],
            fold_names=fold_names,
        )
