"""Placements of each case among the controls, and of each control among the cases."""

from __future__ import annotations

import numpy as np

from bbccli.metrics.kernels.pairs import PresortedPairs, presort
from bbccli.types import BoolArray, FloatArray, IntArray


def placements(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> FloatArray:
    """Return the placement of each sample among those of the other kind.

    Parameters
    ----------
    scores : (N,)
        Of one configuration.
    cases, controls : (N,) bool
        At least one of each, and none that is both.

    Returns
    -------
    (N,)
        Of a case, the share of controls that score lower; of a control, the share of cases that
        score higher; ties count one half. 0 elsewhere. The mean over cases and the mean over
        controls both are the AUC. Time O(N log N).

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, equation 4: V10 and V01.

    Examples
    --------
    >>> scores = np.array([0.1, 0.4, 0.4, 0.8])
    >>> cases = np.array([False, True, False, True])
    >>> placements(scores, cases, ~cases)
    array([1.  , 0.75, 0.75, 1.  ])
    """
    among_controls, among_cases = (
        presort(scores[:, None], *kinds) for kinds in ((cases, controls), (controls, cases))
    )
    placed = np.zeros(len(scores))
    for pairs, of_rest in ((among_controls, controls), (among_cases, cases)):
        placed[pairs.cases[0]] = (pairs.below[0] + pairs.upto[0]) / (2 * int(of_rest.sum()))
    return np.where(controls, 1 - placed, placed)


def standing(pairs: PresortedPairs, masses: FloatArray, configurations: IntArray) -> FloatArray:
    """Return twice the weight of the concordant pairs that each sample is part of: (N, C').

    Parameters
    ----------
    pairs
        Cases and controls in one block.
    masses : (N,) float64
        Weights of the samples. A pair weighs their product, and half of it where it ties.
    configurations : (C',) int
        Which configurations.

    Notes
    -----
    The sums over cases and over controls both are the weight of all concordant pairs. Time
    O(N C'), for the columns are sorted.
    """
    found = np.zeros((len(masses), len(configurations)))
    n_controls = pairs.controls.shape[1]
    for position, c in enumerate(configurations):
        cases, controls = pairs.cases[c], pairs.controls[c]
        below, upto = pairs.below[c], pairs.upto[c]
        running = np.zeros(n_controls + 1)
        np.cumsum(masses[controls], out=running[1:])
        found[cases, position] = masses[cases] * (running[below] + running[upto])
        # a control is in order with the cases that have more controls below them than its place
        ends, of_cases = np.concatenate([below, upto]), np.tile(masses[cases], 2)
        reached = np.bincount(ends, of_cases, n_controls + 1)
        above = np.cumsum(reached[::-1])[::-1][1:]
        found[controls, position] = masses[controls] * above
    return found
