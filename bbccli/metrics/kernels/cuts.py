"""Cuts of scores, in numpy: what counts above each.

The best cut has a positive sample right above it and a negative one right below, or no sample on
one side, so only such cuts are looked at, the highest first; and the lowest. Cells (T, 4) are true
and false positives, then false and true negatives.
"""

from __future__ import annotations

import numpy as np

from bbccli.metrics.kernels.pairs import PresortedPairs, heaviest, presort
from bbccli.metrics.kernels.running import Grid, Numbers, lanes_at_once, side_by_side
from bbccli.metrics.kernels.sweep import lane_type_for
from bbccli.types import BoolArray, FloatArray, IntArray


def best_fractions(
    pairs: PresortedPairs, masses: Numbers, terms: FloatArray, *, root: bool
) -> FloatArray:
    """Return the largest fraction (B, C) of the cuts of each column in each bag, but the lowest.

    masses (B, M): what each row counts in each bag.
    terms, root: of `fraction`, of each bag.
    """
    best = np.empty((len(masses), len(pairs.cases)))
    width = lanes_at_once(masses.shape[1])
    lane = np.float64 if masses.dtype.kind == "f" else lane_type_for(heaviest(masses))
    for start in range(0, len(masses), width):
        part = slice(start, start + width)
        lanes = side_by_side(masses[part], lane)
        for c in range(len(pairs.cases)):
            scores = fraction(terms[:, part], *of_column(pairs, c, lanes), root=root)
            best[part, c] = np.fmax.reduce(scores)
    return best


def fraction(terms: FloatArray, hits: Numbers, false: Numbers, *, root: bool) -> FloatArray:
    """Return a fraction (..., B) of true and false positives (..., B); NaN where undefined.

    terms (10, B): of true positives, false positives and 1, in the numerator, the denominator, and
        a second factor of it; last what is zero up to rounding.
    root: True to divide by the root of the product of both factors, and to give 0 where it is 0.
    """
    above, below, other = (a * hits + b * false + c for a, b, c in terms[:9].reshape(3, 3, -1))
    defined = below > terms[9]
    if root:
        defined &= other > terms[9]
        below = np.sqrt(np.where(defined, below * other, 1.0))
    fractions: FloatArray = np.full(defined.shape, 0.0 if root else np.nan)
    np.divide(above, below, out=fractions, where=defined)
    return fractions


def of_column(pairs: PresortedPairs, c: int, lanes: Numbers) -> Numbers:
    """Return the true and the false positives (2, T, B) of the cuts of one column, but the lowest.

    lanes (M + 1, B): what each row counts in each bag.
    """
    counts, ends = [], _ends(pairs, c)
    for of, below in ((pairs.cases[c], ends), (pairs.controls[c], pairs.below[c, ends])):
        grid = Grid.of(len(of), lanes.shape[1])
        running = grid.table(lanes)
        grid.accumulate(grid.arrange(lanes, of[::-1], running[1:]))
        counts.append(running.take(grid.place[np.r_[0, len(of) - below]], axis=0))
    return np.stack(counts)


def _ends(pairs: PresortedPairs, c: int) -> IntArray:
    """Positions of the cases right above a cut, from the highest to the lowest."""
    return np.flatnonzero(np.diff(pairs.below[c], prepend=0))[::-1]


def of_bags(
    scores: FloatArray, positive: BoolArray, masses: FloatArray, *, bounded: bool
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the cells of a column of each bag, where bags start, and the cuts (T,).

    scores, masses (B, M): of each bag, and what each row counts in it.
    bounded: True for probabilities, which no cut below 0 divides.
    """
    bags = [_of_bag(*bag, positive, bounded) for bag in zip(scores, masses, strict=True)]
    cells, cuts = (np.concatenate(parts) for parts in zip(*bags, strict=True))
    return cells, np.cumsum([0, *(len(bag) for _, bag in bags[:-1])]), cuts


def _of_bag(
    scores: FloatArray, masses: FloatArray, positive: BoolArray, bounded: bool
) -> tuple[FloatArray, FloatArray]:
    rows = np.flatnonzero(masses > 0)
    chosen, is_case, counted = scores[rows], positive[rows], masses[rows]
    lowest, possible = chosen.min(), not bounded or chosen.min() > 0
    if not possible:  # the lowest cut is above a probability of 0, whoever has it
        chosen, is_case, counted = np.r_[chosen, 0.0], np.r_[is_case, False], np.r_[counted, 0.0]
    pairs = presort(chosen[:, None], is_case, ~is_case)
    ends, totals = _ends(pairs, 0), np.array([counted[is_case].sum(), counted[~is_case].sum()])
    counts = np.c_[of_column(pairs, 0, side_by_side(counted[None], np.float64))[:, :, 0], totals]
    upper = chosen[pairs.cases[0, ends]]
    lower = chosen[pairs.controls[0, pairs.below[0, ends] - 1]]
    between = upper / 2 + lower / 2
    last = lowest / 2 if bounded else lowest - 1
    cuts = np.r_[chosen.max(), np.where(between < upper, between, lower), last]
    n_possible = len(cuts) - (not possible)
    return np.r_[counts, totals[:, None] - counts].T[:n_possible], cuts[:n_possible]
