"""CVT: cross-validation with tuning, and no correction.

1. Compute the performance of each configuration from its out-of-sample predictions: over the
   pooled rows, or as the mean over folds.
2. Select the best one, the winner; or a simple one near the best (css).
3. Report its performance as it stands. It was selected for being high, so it is too good.

Source: Algorithm 2 of Tsamardinos, Greasidou & Borboudakis 2018.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.metrics.base import Metric
from bbccli.notes import Note, one_se_winner, tied_winners, undefined_repeats
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import by_repeat, candidates, parts_of
from bbccli.selection.css import css_of, undefined, winner_of
from bbccli.selection.pooling import MeanOverFolds
from bbccli.types import FloatArray, IntArray, Pooling, Select


def cvt(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the naive performance of the best of C configurations, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions.
    metric
        Measures, and decides which configuration is best.
    plan
        Only `pooling` and `select` matter.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        Winner and naive figure; no interval, and an optimism of 0 by construction.

    Raises
    ------
    UndefinedError
        The metric is undefined on the data, or in a fold when fold means are asked for.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 2.
    """
    selector = select_by or metric
    everything = np.ones((1, matrix.n_samples), np.uint8)
    every = candidates(matrix, selector, plan.pooling)
    values = every.performances()
    winner = np.array([winner_of(every, css_of(matrix, selector, plan))])
    if winner[0] < 0:
        raise _no_pair(selector) if plan.pooling is Pooling.WITHIN_FOLDS else undefined()
    # One row of weights and one column: the same sum whatever the other columns are.
    naive = float(
        candidates(matrix, metric, plan.pooling).bind(winner).paired(everything, np.array([0]))[0]
    )
    if np.isnan(naive):
        raise UndefinedError(
            f"{metric.label} of the winner is undefined on these samples",
            hint="another --metric; see bbc metrics",
        )
    name = matrix.configurations[winner[0]]
    return Estimate(
        method="cvt",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=name,
        naive=naive,
        value=naive,
        plan=plan,
        notes=(
            *_notes(matrix, values, name, selector, plan),
            *_undefined_repeats(matrix, metric, winner),
        ),
    )


def _no_pair(metric: Metric) -> UndefinedError:
    return UndefinedError(
        f"no fold holds two samples that {metric.label} can compare",
        hint="--pooling pooled; or larger folds",
    )


def _undefined_repeats(
    matrix: PredictionMatrix, metric: Metric, winner: IntArray
) -> tuple[Note, ...]:
    """A note where the winner has no performance in some repeats of a repeated hold-out."""
    parts = parts_of(matrix)
    if parts is None:
        return ()
    scorer = MeanOverFolds.of_parts(by_repeat(matrix, metric, winner), parts)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    n_undefined = int(scorer.n_undefined(everything, np.array([0]))[0])
    return (undefined_repeats(n_undefined, len(parts), metric.label),) if n_undefined else ()


def _notes(
    matrix: PredictionMatrix, values: FloatArray, winner: str, metric: Metric, plan: Plan
) -> tuple[Note, ...]:
    """Which others are as good, or which one is better."""
    if plan.select is not Select.BEST:
        best = int(metric.direction.best(values))
        chosen = values[matrix.configurations.index(winner)]
        passed = matrix.configurations[best]
        figures = float(chosen), float(values[best])
        return (one_se_winner(winner, passed, *figures, metric.label, metric.bounds),)
    n_tied = int(metric.direction.ties(values).sum())
    return (tied_winners(winner, n_tied, plan.pooling),) if n_tied > 1 else ()


METHOD = Method(
    name="cvt",
    label="naive, too good",
    run=cvt,
    needs=frozenset(),
    gives=frozenset({Gives.POINT}),
    summary="performance of the winner as selected: optimistic, shown for comparison",
    reference="Tsamardinos et al. 2018, Algorithm 2",
)
