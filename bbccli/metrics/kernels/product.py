"""Few pairs: a matrix product of weights with the outcomes of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bbccli.metrics.kernels.pairs import PresortedPairs, heaviest
from bbccli.types import BoolArray, FloatArray, IntArray, distinct

if TYPE_CHECKING:
    from bbccli.metrics.kernels.censored import CensoredPairs
    from bbccli.metrics.kernels.running import Numbers

FEW_PAIRS = 4000
"""Size up to which the product, whose time grows with the pairs, is as fast as numpy's sweep."""

FEW_CELLS = 8000
"""The same for censored samples, in events x samples."""

MOST_CELLS = 2**23
"""Pair outcomes kept, at most: 32 MB."""

LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in float32."""


def pays(n_pairs: int, n_configurations: int) -> bool:
    """True if pair outcomes are few enough to be kept and faster to use than a sweep."""
    return n_pairs <= FEW_PAIRS and n_pairs * n_configurations <= MOST_CELLS


def pair_outcomes(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> FloatArray:
    """Return (n_cases n_controls, C) float32: 2 where the case scores higher, 1 on a tie, else 0.

    Cases and controls are in the order of their rows.
    """
    case_scores, control_scores = scores[cases][:, None], scores[controls][None]
    outcomes = (case_scores > control_scores).astype(np.float32)
    outcomes += case_scores >= control_scores
    return outcomes.reshape(-1, scores.shape[1])


def concordant_weight(
    pairs: PresortedPairs, outcomes: FloatArray, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_weight` does, from `pair_outcomes`. Memory O(B n_pairs).

    Only the pairs that some configuration has in the wrong order, or tied, are multiplied: they
    are taken from the weight of all.
    """
    cases, controls = (side.T for side in _in_order(pairs, weights))
    everything = np.array_equal(configurations, np.arange(outcomes.shape[1]))
    lost = 2 - (outcomes if everything else outcomes[:, configurations])
    costly = np.flatnonzero(lost.any(axis=1))
    of_case, of_control = np.divmod(costly, len(controls))
    lacking = lost[costly].T @ (cases[of_case] * controls[of_control])
    whole = 2 * cases.sum(axis=0) * controls.sum(axis=0)
    return np.asarray((whole - lacking).T, np.int64, order="C")


def concordant_paired(
    pairs: PresortedPairs, outcomes: FloatArray, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_paired` does, from `pair_outcomes`."""
    cases, controls = _in_order(pairs, weights)
    by_pair = outcomes.reshape(cases.shape[1], controls.shape[1], outcomes.shape[1])
    counts = np.empty(len(weights), np.int64)
    for c in distinct(configurations):
        rows = configurations == c
        beaten = cases[rows] @ np.ascontiguousarray(by_pair[:, :, c])
        counts[rows] = np.einsum("bj,bj->b", beaten, controls[rows])
    return counts


def _in_order(pairs: PresortedPairs, weights: IntArray) -> tuple[FloatArray, FloatArray]:
    """Weights (B, n_cases) of the cases, and (B, n_controls) of the controls, in their order."""
    rows = np.sort(pairs.cases[0]), np.sort(pairs.controls[0])
    cases, controls = (weights[:, side].astype(np.float32) for side in rows)
    return cases, controls


def pays_censored(pairs: CensoredPairs, weights: Numbers) -> bool:
    """True if the pairs of censored samples are few enough, and their counts exact in float32."""
    few = pairs.event.sum() * len(pairs.event) <= FEW_CELLS
    exact = not pairs.counts_whole_numbers(weights) or 2 * heaviest(weights) <= LARGEST_EXACT
    return bool(few and exact)


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Count as `kernels.concordant_weight_censored` does. Memory O(N^2 + B N)."""
    whole = pairs.counts_whole_numbers(weights)
    later = weights.astype(np.float32 if whole else np.float64)
    earlier = pairs.as_earlier(weights[:, pairs.event], pairs.event)
    comparable = pairs.outlived[pairs.event] < pairs.outlived[:, None]
    counts = np.empty((len(weights), len(configurations)), np.int64 if whole else np.float64)
    for position, c in enumerate(configurations):
        risks, of_events = pairs.risks[:, c, None], pairs.risks[pairs.event, c]
        outcomes = (of_events > risks).astype(later.dtype)
        outcomes += of_events >= risks
        outcomes *= comparable
        beaten = later @ outcomes
        counts[:, position] = np.einsum("be,be->b", earlier, beaten, dtype=np.float64)
    return counts
