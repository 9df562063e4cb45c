"""Folds that are numbered through the repeats of a cross-validation, as `enumerate` does.

In the order of the folds every sample is tested once before any is tested again, so that the first
folds are the first repeat, and so on. That is proved by

- the keys of the samples: the rows of a fold are all there for the same, the r-th, time, in an
  order that never goes back;
- without keys by the outcome, if at least `OWN` of the values in a repeat differ, and no fewer than
  `FEWEST`: blocks of as many folds each hold the same values. Another partition of N = rn different
  values does so with probability (n!)^r / N!, about r^-N. The values are then the keys; equal ones
  are told apart by their order.

A repeat has two folds or more: the same samples in every fold are a test set that each model of a
cross-validation predicted, or subjects at the same doses. Classes prove nothing; `checks.repeats`
notes what is likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from bbccli.notes import Note, of_data
from bbccli.reading.arrow import as_arrow
from bbccli.reading.column import Column, joint, natural_order
from bbccli.reading.sample_columns import CONSTANT
from bbccli.types import IntArray, distinct

FEWEST, OWN = 20, 0.9
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
    if n_values < FEWEST or n_values < OWN * len(folds) * 2 / n_folds:  # of two folds, at least
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
        if k == 1 or len(distinct(arranged[0])) < max(FEWEST, OWN * sizes[0]):
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
