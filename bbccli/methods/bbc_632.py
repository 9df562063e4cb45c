"""BBC-632: BBC between its own estimate and the naive figures of what it selects. Experimental.

The winner of a resample was selected on 63.2 % of the distinct samples, so BBC is conservative
where performances are fixed. Efron's .632 rule for prediction errors carries over:

1. Draw, select and score B resamples as BBC does: out-of-bag performances L_b of winners j_b.
2. The estimate is 0.368 x mean_b P(j_b) + 0.632 x mean_b L_b, where P(j) is the performance of
   configuration j on all samples.
3. The interval is that of BBC, moved to this estimate: a mixture of L_b and P(j_b) would have less
   spread than the estimate itself.

In simulations of fixed performances the bias is nearer to 0 than BBC's from 40 samples on; with
real training it was optimistic on hard tasks and on very few samples.

Source: the weights are those of Efron 1983, section 6; the use for a selection is ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.methods.bbc import notes_on_draws, out_of_bag
from bbccli.methods.corrected import from_distribution
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Distribution, Estimate
from bbccli.selection.candidates import candidates
from bbccli.types import FloatArray

IN_BAG = 0.632
"""Share of the distinct samples that a resample holds: 1 - 1 / e."""


def bbc_632(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the BBC-632 estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures, and selects in every resample.
    plan
        As for `bbc`; the resamples are the same.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        Marked experimental. Its distribution is that of BBC, moved to the estimate.

    Raises
    ------
    UndefinedError
        A class with a single sample that the selecting metric can't do without, or data on which
        hardly any resample can be used.

    References
    ----------
    Efron 1983, section 6, for the weights.
    """
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    drawn = out_of_bag(matrix, metric, selector, plan, progress)
    performances = candidates(matrix, metric, plan.pooling).performances()
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * performances[drawn.winners]
    return moved(matrix, metric, selector, plan, naive, drawn, mixed, method="bbc-632")


def moved(
    matrix: PredictionMatrix,
    metric: Metric,
    selector: Metric,
    plan: Plan,
    naive: Estimate,
    drawn: Distribution,
    mixed: FloatArray,
    *,
    method: str,
) -> Estimate:
    """Return the mean of `mixed` (B,), with BBC's distribution moved to it. Experimental.

    Parameters
    ----------
    drawn
        Out-of-bag performances of the resamples.
    mixed : (B,)
        What each resample says of the estimate; its spread is that of the Monte-Carlo error.
    """
    shift = float(np.nanmean(mixed) - np.nanmean(drawn.values))
    estimate = from_distribution(
        matrix,
        metric,
        plan,
        naive,
        replace(drawn, values=drawn.values + shift),
        method=method,
        notes=notes_on_draws(matrix, selector, drawn),
    )
    n_defined = int((~np.isnan(mixed)).sum())
    error = float("nan")
    if n_defined > 1:
        error = float(np.nanstd(mixed, ddof=1) / np.sqrt(len(mixed)))
    with_error = estimate.error and replace(estimate.error, value=error)
    return replace(estimate, error=with_error, experimental=True)


METHOD = Method(
    name="bbc-632",
    label="corrected, .632",
    run=bbc_632,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="0.632 BBC + 0.368 naive figures of the resamples' winners",
    reference="Efron 1983, section 6, for the weights",
    experimental=True,
)
