"""Arithmetic on codes: rows that agree, in order of first appearance, without sorting them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.types import IntArray

_SPARSE = 8
"""Times the number of rows that a table of all codes may be long; beyond, rows are sorted."""


def joint(codes: Sequence[IntArray]) -> IntArray:
    """(n,) one code, dense, for each combination of several codes; -1 counts as a value."""
    combined: IntArray = np.zeros(len(codes[0]), np.int64)
    for one in codes:
        combined = _dense(combined * (int(one.max()) + 2) + one + 1)
    return combined


def by_appearance(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Renumber codes, dense and at least 0.

    Returns
    -------
    ranks : (n,)
        Codes in order of first appearance.
    first : (K,)
        Row in which each of them appears first.
    """
    first = _first_rows(codes)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], first[order]


def repeated(codes: IntArray) -> IntArray:
    """Return the rows whose code, at least 0, stands in an earlier row."""
    codes = _dense(codes)
    rows = np.arange(len(codes))
    return np.flatnonzero(_first_rows(codes)[codes] != rows)


def _first_rows(codes: IntArray) -> IntArray:
    """(K,) first row of each of the codes 0..K-1."""
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal places the last one written stays
    return first


def _dense(codes: IntArray) -> IntArray:
    """(n,) codes 0..K-1 in the order of the given ones, which are at least 0."""
    largest = int(codes.max(initial=-1))
    if largest >= _SPARSE * len(codes) + 1024:
        _, codes = np.unique(codes, return_inverse=True)
        return codes
    there = np.zeros(largest + 1, bool)
    there[codes] = True
    return (np.cumsum(there) - 1)[codes]
