"""Few pairs: one matrix product of pair weights with pair outcomes."""

from __future__ import annotations

import numpy as np

from bbccli.kernels.pairs import PresortedPairs
from bbccli.types import BoolArray, FloatArray, IntArray

FEW_PAIRS = 4000
"""Where the product, whose time grows with the pairs, and the sweep in numpy take as long."""

MOST_CELLS = 2**23
"""Pair outcomes kept, at most: 32 MB."""

LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in float32."""


def pays(n_pairs: int, n_configurations: int) -> bool:
    """Whether pair outcomes are few enough to be kept and faster to use than a sweep."""
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
    """Count as `kernels.concordant_weight` does, from `pair_outcomes`. Memory O(B n_pairs)."""
    cases = weights[:, np.sort(pairs.cases[0])].astype(np.float32)
    controls = weights[:, np.sort(pairs.controls[0])].astype(np.float32)
    pair_weights = (cases[:, :, None] * controls[:, None, :]).reshape(len(weights), -1)
    everything = len(configurations) == outcomes.shape[1]
    chosen = outcomes if everything else outcomes[:, configurations]
    return (pair_weights @ chosen).astype(np.int64)
