"""BBC: bootstrap bias corrected cross-validation, over samples.

1. Select the winner and its naive performance by css (CVT).
2. B times: draw N of the N rows with replacement. A draw without every class both in the bag and
   out of it is drawn again.
3. Select the best configuration on the rows in the bag, by the same css as in step 1.
4. Score that configuration on the rows out of the bag.
5. The estimate is the mean of the B performances, the interval their percentiles.

No model is trained: only rows of predictions are drawn. A sample's predictions of all repeats
enter a resample together or not at all.

Source: Algorithm 5 of Tsamardinos, Greasidou & Borboudakis 2018.
"""

from __future__ import annotations

from bbccli.intervals import percentile
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Progress, silent
from bbccli.methods.cvt import cvt
from bbccli.methods.out_of_bag import winners_out_of_bag
from bbccli.methods.selection import performances
from bbccli.metrics.base import Metric
from bbccli.notes import redrawn_resamples
from bbccli.plan import Plan
from bbccli.resampling import ResampleStream, Unit, rule_of
from bbccli.results import Estimate


def bbc(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, *, progress: Progress = silent
) -> Estimate:
    """Return the BBC estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Selects in every resample, and measures.
    plan
        `n_resamples` B, `level` and `side` of the interval, `pooling`, `seed`.

    Returns
    -------
    Estimate
        Mean and percentile interval of B out-of-bag performances.

    Raises
    ------
    UndefinedError
        A class with a single sample, or data on which hardly any resample can be used.

    Notes
    -----
    Time O(B N C); memory O(B + N C) beside blocks of bounded size.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5 and section 3.3.
    """
    naive = cvt(matrix, metric, plan)
    stream = ResampleStream(
        matrix.n_samples, seed=plan.seed, unit=Unit.SAMPLES, accept=rule_of(matrix.outcome)
    )
    distribution = winners_out_of_bag(
        performances(matrix, metric, plan.pooling),
        stream,
        metric.direction,
        plan.n_resamples,
        progress=progress,
    )
    n_redrawn = distribution.n_redrawn
    redrawn = (redrawn_resamples(n_redrawn, plan.n_resamples),) if n_redrawn else ()
    return Estimate(
        method="bbc",
        metric=metric.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=distribution.mean(),
        interval=percentile(distribution, metric, plan),
        distribution=distribution,
        plan=plan,
        notes=naive.notes + redrawn,
    )


METHOD = Method(
    name="bbc",
    label="corrected",
    run=bbc,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="select in bootstrap resamples of the rows, score out of the bag",
    reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5",
)
