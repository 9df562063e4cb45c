"""Cuts of scores, in numpy: the counts of the samples above and below each.

Cells (T, 4) are true and false positives, then false and true negatives, the highest cut of a bag
first. `starts` (B,) says where those of each bag begin.
"""

from __future__ import annotations

import numpy as np

from bbccli.types import BoolArray, FloatArray, IntArray


def of_column(
    scores: FloatArray, order: IntArray, positive: BoolArray, lanes: FloatArray, *, bounded: bool
) -> tuple[FloatArray, IntArray]:
    """Return the cells of one column in all bags, and where bags start.

    scores, order, positive (M,): of each row; the order is from the highest score to the lowest.
    lanes (M, B): what each row counts in each bag.
    bounded: True for probabilities, which no cut below 0 divides.
    """
    ordered, own = scores[order], lanes[order]
    places = _places(ordered, positive[order])

    def upto(counted: FloatArray) -> FloatArray:
        between = np.add.reduceat(counted, places[:-1], axis=0)
        return np.concatenate([np.zeros_like(between[:1]), np.cumsum(between, axis=0)])

    above, hits = upto(own), upto(np.where(positive[order, None], own, 0.0))
    false, missed = above - hits, hits[-1] - hits
    cells = np.stack([hits, false, missed, false[-1] - false], axis=2)
    if bounded:  # in place of a cut that does not exist
        below = own[ordered <= 0].any(axis=0)
        cells[-1, below] = cells[0, below]
    return cells.swapaxes(0, 1).reshape(-1, 4), len(places) * np.arange(lanes.shape[1])


def of_bags(
    scores: FloatArray, positive: BoolArray, masses: FloatArray, *, bounded: bool
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the cells of a column of each bag, where bags start, and the cuts (T,).

    scores, masses (B, M): of each bag, and what each row counts in it.
    """
    bags = [_of_bag(*bag, positive, bounded) for bag in zip(scores, masses, strict=True)]
    cells, cuts = (np.concatenate(parts) for parts in zip(*bags, strict=True))
    return cells, np.cumsum([0, *(len(one) for _, one in bags[:-1])]), cuts


def _of_bag(
    scores: FloatArray, masses: FloatArray, positive: BoolArray, bounded: bool
) -> tuple[FloatArray, FloatArray]:
    rows = np.flatnonzero(masses > 0)
    order = np.argsort(-scores[rows], kind="stable")
    chosen, ordered = scores[rows], scores[rows][order]
    cells, _ = of_column(chosen, order, positive[rows], masses[rows, None], bounded=False)
    places = _places(ordered, positive[rows][order])
    upper, lower = ordered[places[1:-1] - 1], ordered[places[1:-1]]
    between = upper / 2 + lower / 2
    lowest = ordered[-1] / 2 if bounded else ordered[-1] - 1
    cuts = np.r_[ordered[0], np.where(between < upper, between, lower), lowest]
    n_possible = len(cuts) - (bounded and ordered[-1] <= 0)
    return cells[:n_possible], cuts[:n_possible]


def _places(ordered: FloatArray, positive: BoolArray) -> IntArray:
    """Numbers of samples above each cut to look at, ascending: none, between groups, and all."""
    edges = np.flatnonzero(np.diff(ordered)) + 1
    starts, ends = np.r_[0, edges], np.r_[edges, len(ordered)]
    n_positive = np.r_[0, np.cumsum(positive)]
    of_groups = n_positive[ends] - n_positive[starts]
    useful = (of_groups[:-1] > 0) & (of_groups[1:] < (ends - starts)[1:])
    return np.concatenate([[0], edges[useful], [len(ordered)]]).astype(np.int64)
