"""`mean:K`, the equal mean of the K configurations that are best in the bag.

The first columns on ties. Where fewer than K are defined, those.
"""

from __future__ import annotations

import numpy as np

from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.selection import ranked
from bbccli.types import FloatArray, IntArray


def combine(given: Given) -> Combine:
    """Return the shares of the best K."""
    judged, n_best = given.judged, given.number or 1

    def shares(weights: IntArray) -> FloatArray:
        values = judged.score(weights)
        shares = np.full(values.shape, np.nan)
        for of_bag, row in zip(shares, values, strict=True):
            order, ranks = ranked(given.metric.direction, row)
            best = order[ranks[order] > 0][:n_best]
            if len(best):
                of_bag[:] = 0.0
                of_bag[best] = 1 / len(best)
        return shares

    return shares
