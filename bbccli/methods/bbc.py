"""BBC: bootstrap bias corrected cross-validation, over samples.

1. Select the winner and its naive performance by css (CVT).
2. B times: draw N of the N rows with replacement. A draw that leaves no row out of the bag is drawn
   again, and so is one in which the metric is undefined: in the bag for every configuration, or
   out of it for the one selected there.
3. Select the best configuration on the rows in the bag, by the same css as in step 1.
4. Score that configuration on the rows out of the bag.
5. The estimate is the mean of the B performances, the interval their percentiles.

No model is trained: only rows of predictions are drawn. A sample's predictions of all repeats
enter a resample together or not at all. Where samples come in groups (patients with several rows,
sites), step 2 draws G of the G groups, each with all its samples.

Source: Algorithm 5 of Tsamardinos, Greasidou & Borboudakis 2018.
"""

from __future__ import annotations

from dataclasses import replace

from bbccli.bootstrap.out_of_bag import Selections, extend, measure
from bbccli.bootstrap.single_classes import refuse_single_classes
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, on_few_groups
from bbccli.methods.corrected import check_matched, enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.notes import Note, redrawn_resamples
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import draws_of
from bbccli.results import Distribution, Estimate
from bbccli.selection.candidates import cached, candidates
from bbccli.selection.css import css_of
from bbccli.types import FloatArray


def bbc(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the BBC estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures, and selects in every resample.
    plan
        `n_resamples` B or `tolerance`, `level` and `side` of the interval, `pooling`, `seed`.
    select_by
        Metric that selects, when that is another; the resamples are the same.

    Returns
    -------
    Estimate
        Mean and percentile interval of B out-of-bag performances.

    Raises
    ------
    UndefinedError
        A class with a single sample that the selecting metric can't do without, or data on which
        hardly any resample can be used.
    UnsupportedError
        Matched intervals of means over folds.

    Notes
    -----
    Time O(B N C); memory O(B + N C) beside blocks of bounded size.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5; section 3.1 for the interval.
    """
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    distribution = out_of_bag(matrix, metric, selector, plan, progress)
    return from_distribution(
        matrix,
        metric,
        plan,
        naive,
        distribution,
        method="bbc",
        notes=notes_on_draws(matrix, selector, distribution),
    )


def out_of_bag(
    matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan, progress: Progress
) -> Distribution:
    """Return the out-of-bag performances of the winners of the resamples: steps 2 to 4."""
    check_matched(plan)
    chosen = candidates(matrix, selector, plan.pooling)
    refuse_single_classes(chosen)
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed)
    css = css_of(matrix, selector, plan)
    found = _selections(matrix, selector, plan)

    def draw(n_resamples: int) -> Distribution:
        extend(found, n_resamples, chosen, draws, css, progress=progress)
        first = found.first(n_resamples)
        if metric is selector:
            return first
        measured = candidates(matrix, metric, plan.pooling)
        return replace(first, values=measure(found, n_resamples, measured, draws))

    return enough(draw, matrix, metric, plan)


def in_bag(
    matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan, n_resamples: int
) -> FloatArray:
    """Return what the winners of the first resamples of `out_of_bag` reach in their bags: (B,)."""
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed)
    found = _selections(matrix, selector, plan)
    measured = candidates(matrix, metric, plan.pooling)
    return measure(found, n_resamples, measured, draws, in_bag=True)


def _selections(matrix: PredictionMatrix, selector: Metric, plan: Plan) -> Selections:
    """What was selected so far, kept with the matrix: it depends on all that is in the key."""
    return cached(matrix, ("bbc", selector, plan.select, plan.pooling, plan.seed), Selections)


def notes_on_draws(
    matrix: PredictionMatrix, metric: Metric, distribution: Distribution
) -> tuple[Note, ...]:
    """Return notes on resamples drawn again for a metric, and on few groups to draw from."""
    n_redrawn, n_used = distribution.n_redrawn, len(distribution.values)
    redrawn = (redrawn_resamples(n_redrawn, n_used, metric.label),) if n_redrawn else ()
    return redrawn + on_few_groups(matrix)


METHOD = Method(
    name="bbc",
    label="corrected",
    run=bbc,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="select in bootstrap resamples of the rows, score out of the bag",
    reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5",
)
