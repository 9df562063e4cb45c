"""The influence-function interval of a cross-validated score.

Formula: m_w ∓ z √(Σ_i d_i²), with d_i the derivative of m_w by the relative weight of sample i.

Algorithm: select the winner as `cvt` does; m_w is the estimate. d_i is M/2 times the difference of
the scores with weights M + 1 and M - 1 of sample i, and M = 1000 of all others; groups are weighted
as a whole. The interval is clipped to the bounds of the metric.

For the accuracy it is `wald`, for a mean loss s / √N, for the pooled AUC DeLong's variance with n
in the place of n - 1; with `--pooling fold-mean` nearly that of LeDell, Petersen & van der Laan,
who weight classes by the whole sample instead of the fold; for other smooth metrics the delta
method.

Assumptions: enough independent samples or groups for a normal interval, and a metric that changes
smoothly with the weights. A median doesn't, and a perfect winner has no influential sample; both
give the note [no-interval](notes.md#no-interval).

When to use: for a single configuration with any metric: it draws nothing, and repeats don't distort
its width. When not: for a selected winner; near the bound of the metric; with many thousands of
samples, where `naive` is faster.

Cost: O(N²), with G groups O(G N).

Source: LeDell, Petersen & van der Laan 2015; Efron 1982, chapter 6 (infinitesimal jackknife).
"""

from __future__ import annotations

import numpy as np

from bbccli.methods.base import INTERVAL, Method
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.notes.intervals import no_interval
from bbccli.platform import resources
from bbccli.platform.resources import Progress
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals.ends import normal
from bbccli.stats.resampling import WEIGHT_BYTES
from bbccli.stats.selection.units import on_few_groups
from bbccli.types import FloatArray, IntArray, distinct

COPIES = 1000
"""M, weight of every sample before one is changed by 1: a small step in whole numbers."""

ROUNDING_TOLERANCE = 1e-9
"""Share of the performance below which a standard error is rounding."""

ROUGH = 0.1
"""Share by which the change of a smooth metric never differs from the sum of the changes."""


def run(case: Case) -> Answer:
    """Return the naive figure with a normal interval; without one where the metric jumps."""
    matrix, metric, value = case.matrix, case.metric, case.choice.naive
    scorer = case.measured.bind(np.array([case.choice.winner]))
    units = np.arange(matrix.n_samples) if matrix.groups is None else matrix.groups
    n_scored = 2 * len(distinct(units)) * matrix.n_samples * metric.n_sweeps(matrix.n_samples)
    with resources.use(kernels.decide(n_scored)):
        above, below = _changes(scorer, units, case.progress)
    changes = (above + below) / 2
    if np.abs(changes).max() <= ROUNDING_TOLERANCE * abs(value):
        why = f"no sample changes the {metric.label} when it counts a little more or less"
        return Answer(value, notes=(no_interval(case.method, why),))
    if not _adds_up(scorer, units, above):
        why = f"the {metric.label} jumps when a sample counts a little more or less"
        return Answer(value, notes=(no_interval(case.method, why),))
    error = float(np.sqrt((changes**2).sum()))
    interval = normal(value, error, case.bounded, case.plan)
    return Answer(value, interval, notes=on_few_groups(matrix))


def _changes(scorer: Scorer, units: IntArray, progress: Progress) -> FloatArray:
    """Derivatives (2, U) of the performance by the weight of each unit, upwards and downwards."""
    names = distinct(units)
    base, first = _base(units), np.zeros(1, np.int64)
    middle = scorer.paired(base, first)
    changes = np.empty((2, len(names)))
    step = max(resources.current().memory // (2 * len(units) * WEIGHT_BYTES), 1)
    for start in range(0, len(names), step):
        rows = slice(start, start + step)
        members = (units == names[rows, None]).astype(np.uint16)
        columns = np.zeros(len(members), np.int64)
        changes[0, rows] = COPIES * (scorer.paired(base + members, columns) - middle)
        changes[1, rows] = COPIES * (middle - scorer.paired(base - members, columns))
        progress(min(start + step, len(names)), len(names))
    return changes


def _adds_up(scorer: Scorer, units: IntArray, changes: FloatArray) -> bool:
    """True if the changes of improving units add up to their joint change: the metric is smooth."""
    raised = changes > 0
    members = np.isin(units, distinct(units)[raised]).astype(np.uint16)
    base, first = _base(units), np.zeros(1, np.int64)
    together = COPIES * (scorer.paired(base + members, first) - scorer.paired(base, first)).item()
    one_by_one = changes[raised].sum()
    return bool(abs(together - one_by_one) <= ROUGH * np.abs(changes).sum())


def _base(units: IntArray) -> IntArray:
    return np.full((1, len(units)), COPIES, np.uint16)


METHODS = (
    Method(
        name="influence",
        label="rows",
        answer=run,
        gives=INTERVAL,
        summary="normal interval from the samples' influence on the winner's performance",
        reference="LeDell, Petersen & van der Laan 2015",
        ignores_selection=True,
    ),
)
