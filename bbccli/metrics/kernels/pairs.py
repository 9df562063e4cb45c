"""Cases and controls of many configurations, sorted once.

Under weights, one sweep counts the concordant (case, control) pairs: running totals of the
controls' weights in order of score, read at each case.

The share of concordant pairs is the area under the ROC curve; here are its standard errors, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import ordered_map
from bbccli.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from bbccli.metrics.kernels.running import Numbers


SORTED_AT_ONCE = 2**20
"""Scores sorted in one call: numpy's calls are amortised, and the memory for them is small."""

LONG = 2**13
"""Samples from which a column is swept in steps, because all of it does not stay in the cache."""

AT_HAND = 2**14
"""Scores whose pairs are counted together: they stay in the cache."""

WORTH_THREADS = 2**16
"""Scores that take longer to sort than it takes to start threads."""


@dataclass(frozen=True, slots=True, eq=False)
class PresortedPairs:
    """Cases and controls of C configurations, in order of their scores.

    controls (C, n_controls) int32: rows of the controls by increasing score.
    cases (C, n_cases) int32: rows of the cases by increasing score.
    below, upto (C, n_cases) int32: number of controls with a lower score, and with one no higher,
        for each of these cases.
    tied (C,) bool: True if any case has the score of a control.
    earlier (n_cases,) int32, optional: for cases and controls in blocks, sorted by block and then
        by score: number of controls in the blocks before that of each case, which make no pair with
        it; the same for all configurations. Without it all are in one block.
    outcomes (n_cases n_controls, C) float32, optional: outcome of each pair, as of
        `product.pair_outcomes`, where pairs are few.
    """

    controls: IntArray
    cases: IntArray
    below: IntArray
    upto: IntArray
    tied: BoolArray
    earlier: IntArray | None = None
    outcomes: FloatArray | None = None

    @property
    def n_pairs(self) -> int:
        """Pairs of a case and a control in one configuration."""
        return int(self.cases.shape[1] * self.controls.shape[1])

    def counted(self, configurations: IntArray) -> IntArray:
        """Twice the number of concordant pairs (C',) of cases and controls in one block."""
        ends = (places[configurations] for places in (self.below, self.upto))
        return np.asarray(sum(beaten.sum(axis=1, dtype=np.int64) for beaten in ends))

    def keep(
        self, part: slice, rows: IntArray, keys: Numbers, cases: BoolArray, controls: BoolArray
    ) -> None:
        """Keep in a `part` what sorted rows (C', n) show, of which some are cases or controls.

        keys (C', n): equal where the scores are.
        """
        below, upto = controls_around(keys, controls)
        # positions, found once, are twice as fast as masks
        at, rest = np.flatnonzero(cases), np.flatnonzero(controls)
        for array, values in (
            (self.controls, rows.ravel()[rest]),
            (self.cases, rows.ravel()[at]),
            (self.below, below.ravel()[at]),
            (self.upto, upto.ravel()[at]),
        ):
            array[part] = values.reshape(array[part].shape)
        self.tied[part] = (self.below[part] != self.upto[part]).any(axis=1)


Fill = Callable[[FloatArray, BoolArray, IntArray, PresortedPairs, slice], None]
"""Scores (C', n), which are of cases (n,), their rows (n,) -> the `part` of pairs, sorted."""


def presort(
    scores: FloatArray, cases: BoolArray, controls: BoolArray, fill: Fill | None = None
) -> PresortedPairs:
    """Sort the scores (N, C) of `cases` (N,) and `controls` (N,).

    Time O(C N log N), memory O(C N): 12 bytes per score or fewer, and some more for the columns
    that are being sorted.

    fill: a compiled form of `_fill`.
    """
    rows = np.flatnonzero(cases | controls)
    pairs = room_for(scores.shape[1], int(cases.sum()), int(controls.sum()))
    is_case, of_rows = cases[rows], rows.astype(np.int32)

    def sort(part: slice) -> None:
        (fill or _fill)(scores[rows, part].T, is_case, of_rows, pairs, part)

    by_columns(sort, len(rows), scores.shape[1])
    return pairs


def room_for(n_columns: int, n_cases: int, n_controls: int) -> PresortedPairs:
    """Return pairs of some cases and controls, which are yet to be filled in."""
    widths = [n_controls, n_cases, n_cases, n_cases]
    ends = n_columns * np.cumsum(widths)
    # in one piece, which goes back to the system at once: smaller ones stay, and leave gaps
    pieces = np.split(np.empty(ends[-1], np.int32), ends[:-1])
    of_controls, of_cases, below, upto = (piece.reshape(n_columns, -1) for piece in pieces)
    return PresortedPairs(of_controls, of_cases, below, upto, np.empty(n_columns, bool))


def by_columns(sort: Callable[[slice], None], n_rows: int, n_columns: int) -> None:
    """Sort all columns, some at a time, in threads where that is worth it."""
    jobs = resources.current().jobs if n_rows * n_columns > WORTH_THREADS else 1
    width = max(min(SORTED_AT_ONCE // max(n_rows, 1), -(-n_columns // jobs)), 1)
    parts = [slice(start, start + width) for start in range(0, n_columns, width)]
    for _ in map(sort, parts) if jobs == 1 else ordered_map(sort, parts, jobs):
        pass


def concordant_by_value(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> IntArray:
    """Twice the number of concordant pairs (C,) of scores (N, C), ties counting one half.

    Scores alone are sorted, in a third of the time that it takes to sort samples by them.
    """

    def count(c: int) -> int:
        column = scores[:, c]
        of_cases, of_controls = np.sort(column[cases]), np.sort(column[controls])
        ends = (np.searchsorted(of_controls, of_cases, side) for side in ("left", "right"))
        return sum(int(beaten.sum()) for beaten in ends)

    jobs = resources.current().jobs
    return np.array(list(ordered_map(count, range(scores.shape[1]), jobs)), np.int64)


def _fill(
    scores: FloatArray, is_case: BoolArray, rows: IntArray, pairs: PresortedPairs, part: slice
) -> None:
    """Sort the scores (C', n) of some columns, and keep what is found in their `part`."""
    columns = np.ascontiguousarray(scores)
    # of many, equal scores stay in their order, as in the compiled form: sums of real numbers agree
    order = np.argsort(columns, axis=1, kind="stable" if columns.shape[1] >= LONG else None)
    sorted_case, ordered = is_case[order], np.take_along_axis(columns, order, axis=1)
    pairs.keep(part, rows[order], ordered, sorted_case, ~sorted_case)


def controls_around(scores: Numbers, is_control: BoolArray) -> tuple[IntArray, IntArray]:
    """Count controls below, and up to, each of the sorted scores (C, n): two (C, n) int32."""
    through = np.cumsum(is_control, axis=1, dtype=np.int32)
    changes = scores[:, 1:] != scores[:, :-1]
    if changes.all():
        return through - is_control, through
    edge = np.ones((len(scores), 1), bool)
    first, last = np.hstack([edge, changes]), np.hstack([changes, edge])
    below = np.maximum.accumulate(np.where(first, through - is_control, 0), axis=1)
    backwards = np.where(last, through, np.iinfo(np.int32).max)[:, ::-1]
    upto = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    return below.astype(np.int32, copy=False), upto.astype(np.int32, copy=False)


def heaviest(weights: Numbers) -> int:
    """Return the largest total of a row of weights (B, N)."""
    return int(weights.sum(axis=1, dtype=np.int64).max(initial=0))


def largest_total(pairs: PresortedPairs, weights: IntArray) -> int:
    """Return the largest count that any row of weights (B, N) can lead to."""
    # The rows of cases and controls are the same in all configurations, in another order.
    cases = weights[:, pairs.cases[0]].sum(axis=1, dtype=np.int64)
    controls = weights[:, pairs.controls[0]].sum(axis=1, dtype=np.int64)
    return int(2 * (cases * controls).max(initial=0))


def placements(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> FloatArray:
    """Return the placement of each sample among those of the other kind.

    scores (N,): of one configuration.
    cases, controls (N,) bool: at least one of each, and none that is both.
    Returns (N,): of a case, the share of controls that score lower; of a control, the share of
        cases that score higher; ties count one half. 0 elsewhere. The mean over cases and the mean
        over controls both are the AUC. Time O(N log N).
    Source: DeLong, DeLong & Clarke-Pearson 1988, equation 4: V10 and V01.

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


def concordant_by_sample(
    pairs: PresortedPairs, masses: FloatArray, configurations: IntArray
) -> FloatArray:
    """Return twice the weight of each sample's concordant pairs: (N, C').

    pairs: cases and controls in one block.
    masses (N,) float64: weights of the samples. A pair weighs their product, and half of it if
        tied.
    configurations (C',) int: which configurations.

    The sums over cases and over controls both are the weight of all concordant pairs. Time O(N C'),
    since the columns are sorted.
    """
    totals = np.zeros((len(masses), len(configurations)))
    width = max(AT_HAND // max(len(masses), 1), 1)
    for start in range(0, len(configurations), width):
        some = configurations[start : start + width]
        cases, controls = pairs.cases[some], pairs.controls[some]
        ends = np.hstack([pairs.below[some], pairs.upto[some]])
        columns, (n_columns, n_cases) = np.arange(len(some))[:, None], cases.shape
        of_cases, of_controls = masses[cases], masses[controls]
        n_places = controls.shape[1] + 1
        running = np.zeros((n_columns, n_places))
        np.cumsum(of_controls, axis=1, out=running[:, 1:])
        beaten = np.take_along_axis(running, ends, axis=1).reshape(n_columns, 2, n_cases)
        totals[cases, start + columns] = of_cases * beaten.sum(axis=1)
        # a control is in order with the cases that have more controls below them than its place
        places = (ends + n_places * columns).ravel()
        reached = np.bincount(places, np.tile(of_cases, 2).ravel(), n_places * n_columns)
        above = reached.reshape(-1, n_places)[:, ::-1].cumsum(axis=1)[:, -2::-1]
        totals[controls, start + columns] = of_controls * above
    return totals


def area(scores: FloatArray, positive: BoolArray) -> float:
    """Proportion of pairs in which the positive sample scores higher, ties count half; scores
    (N,).
    """
    negatives, positives = np.sort(scores[~positive]), np.sort(scores[positive])
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).mean() / (2 * len(negatives)))


def hanley_mcneil_variance(auc: float, n_positive: float, n_negative: float) -> float:
    """Return the variance of an AUC: Hanley & McNeil 1982, equation 1.

    Examples
    --------
    >>> round(hanley_mcneil_variance(0.9, 10, 20) ** 0.5, 4)
    0.0698
    """
    square = auc**2
    q1, q2 = auc / (2 - auc), 2 * square / (1 + auc)
    total = auc * (1 - auc) + (n_positive - 1) * (q1 - square) + (n_negative - 1) * (q2 - square)
    return max(total / (n_positive * n_negative), 0.0)


def mean_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks in each row (..., n), from 1 for the smallest; ties share their mean.

    >>> mean_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    n = values.shape[-1]
    if not values.size:
        return np.zeros(values.shape)
    rows = np.ascontiguousarray(values).reshape(-1, n)
    before = n * np.arange(len(rows))[:, None]
    entries = np.argsort(rows, axis=1) + before
    ordered = rows.ravel()[entries]
    ends = np.ones((len(rows), n + 1), bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=ends[:, 1:-1])
    starts, lasts = np.flatnonzero(ends[:, :-1]), np.flatnonzero(ends[:, 1:])
    middles = starts.astype(float)
    if len(starts) < rows.size:
        middles = np.repeat((starts + lasts) / 2, lasts - starts + 1)
    ranks = np.empty(rows.shape)
    ranks.ravel()[entries.ravel()] = middles
    return np.asarray(ranks - before + 1).reshape(values.shape)
