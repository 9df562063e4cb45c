"""Weighted counts of concordant (case, control) pairs, for many weightings and configurations.

Sorting is done once per configuration. Under weights, the pairs are counted by one sweep: running
totals of the controls' weights in order of their scores, read off at each case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.types import BoolArray, FloatArray, IntArray

# Resamples swept side by side: wide enough to amortise a numpy call, small enough for the cache.
LANES = 200


@dataclass(frozen=True, slots=True, eq=False)
class PresortedPairs:
    """Cases and controls of C configurations, in order of their scores.

    Attributes
    ----------
    controls : (C, n_controls) int32
        Rows of the controls by increasing score.
    cases : (n_cases,) int32
        Rows of the cases.
    below, upto : (C, n_cases) int32
        How many controls score strictly below, and at most as high as, each case.
    """

    controls: IntArray
    cases: IntArray
    below: IntArray
    upto: IntArray


def presort(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> PresortedPairs:
    """Sort the scores (N, C) of `controls` (N,) and find the place of each of `cases` (N,) there.

    Time O(C N log N), memory O(C N).
    """
    control_rows, case_rows = np.flatnonzero(controls), np.flatnonzero(cases)
    control_scores = np.ascontiguousarray(scores[control_rows].T)
    case_scores = np.ascontiguousarray(scores[case_rows].T)
    order = np.argsort(control_scores, axis=1, kind="stable")
    sorted_scores = np.take_along_axis(control_scores, order, axis=1)
    shape = case_scores.shape
    below, upto = np.empty(shape, np.int32), np.empty(shape, np.int32)
    for c, (ladder, values) in enumerate(zip(sorted_scores, case_scores, strict=True)):
        below[c] = np.searchsorted(ladder, values, side="left")
        upto[c] = np.searchsorted(ladder, values, side="right")
    return PresortedPairs(
        control_rows[order].astype(np.int32), case_rows.astype(np.int32), below, upto
    )


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Twice the weight of concordant pairs, ties counting one half: exact integers.

    Parameters
    ----------
    pairs
        The presorted pairs of all configurations.
    weights : (B, N) non-negative integers
        One weighting of the samples per row.
    configurations : (C',) int
        Which configurations.

    Returns
    -------
    (B, C') int64
        Sum over cases i and controls j of w_i w_j (2 [s_i > s_j] + [s_i = s_j]).
        Time O(B C' N), extra memory O(LANES N).
    """
    counts = np.empty((len(weights), len(configurations)), np.int64)
    lane_type = _lane_type(pairs, weights)
    for start in range(0, len(weights), LANES):
        lanes = np.ascontiguousarray(weights[start : start + LANES].T, dtype=lane_type)
        _sweep(pairs, lanes, configurations, counts[start : start + LANES])
    return counts


def _sweep(
    pairs: PresortedPairs, lanes: IntArray, configurations: IntArray, counts: IntArray
) -> None:
    """Fill counts (L, C') from lanes (N, L)."""
    n_controls, n_lanes = pairs.controls.shape[1], lanes.shape[1]
    running = np.zeros((n_controls + 1, n_lanes), lanes.dtype)
    cases = lanes[pairs.cases]
    for position, c in enumerate(configurations):
        np.cumsum(lanes[pairs.controls[c]], axis=0, out=running[1:])
        beaten = running[pairs.below[c]]
        beaten += running[pairs.upto[c]]
        counts[:, position] = np.einsum("il,il->l", cases, beaten)


def _lane_type(pairs: PresortedPairs, weights: IntArray) -> type[np.unsignedinteger]:
    """The narrowest of two integer types that holds twice the largest possible total."""
    case_weight = int(weights[:, pairs.cases].sum(axis=1, dtype=np.int64).max(initial=0))
    total = int(weights.sum(axis=1, dtype=np.int64).max(initial=0))
    largest = 2 * max(case_weight, 1) * total
    return np.uint32 if largest <= np.iinfo(np.uint32).max else np.uint64
