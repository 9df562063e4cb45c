"""Where each case stands among the controls, and each control among the cases."""

from __future__ import annotations

import numpy as np

from bbccli.kernels.pairs import presort
from bbccli.types import BoolArray, FloatArray


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
