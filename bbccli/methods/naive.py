"""NB, the naive bootstrap: resample the rows of the winner as if it had not been selected.

1. Select the winner and its naive performance as cvt does. That is the estimate.
2. B times: draw N of the N rows with replacement, or G of the G groups; the draws are those of BBC.
3. Score the winner on the drawn rows, each as often as it was drawn.
4. The interval is made of the percentiles of the B performances.

Nothing is selected in the resamples, so the interval knows nothing of the winner's curse.

Source: NB of Paraschakis et al. 2024, here over rows; naive-f is theirs, over folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Progress, silent
from bbccli.methods.bbc import FEW_GROUPS
from bbccli.methods.corrected import enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.methods.out_of_bag import Selections, extend, score_in_the_bag
from bbccli.methods.selection import Candidates, candidates, kept
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import few_groups, redrawn_resamples
from bbccli.plan import Plan
from bbccli.resampling import draws_of
from bbccli.results import Distribution, Estimate
from bbccli.types import IntArray


def naive(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the winner's naive performance with a bootstrap interval that ignores the selection.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures; a resample in which it is undefined for the winner is drawn again.
    plan
        `n_resamples` B or `tolerance`, `level` and `side` of the interval, `pooling`, `seed`.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        The naive figure and the percentile interval of B performances on resampled rows.

    Raises
    ------
    UndefinedError
        A class with a single sample, or data on which hardly any resample can be used.

    Notes
    -----
    Time O(B N), whatever C, once the winner is known.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024.
    """
    plain = cvt(matrix, metric, plan, select_by=select_by)
    winner = matrix.configurations.index(plain.winner)
    alone = OneOf(candidates(matrix, metric, plan.pooling), winner)
    draws = draws_of(matrix.outcome, matrix.groups, plan.seed)
    key = ("naive", metric, winner, plan.pooling, plan.seed)
    found = kept(matrix, key, Selections)

    def draw(n_resamples: int) -> Distribution:
        extend(
            found,
            n_resamples,
            alone,
            draws,
            metric.direction,
            score=score_in_the_bag,
            progress=progress,
        )
        first = found.first(n_resamples)
        return replace(first, winners=np.full(n_resamples, winner))

    distribution = enough(draw, metric, plan)
    notes = []
    if distribution.n_redrawn:
        notes.append(redrawn_resamples(distribution.n_redrawn, len(distribution.values)))
    if matrix.n_groups is not None and matrix.n_groups < FEW_GROUPS:
        notes.append(few_groups(matrix.n_groups))
    return uncorrected(
        from_distribution(
            matrix, metric, plan, plain, distribution, method="naive", notes=tuple(notes)
        )
    )


def uncorrected(estimate: Estimate) -> Estimate:
    """Return the estimate with the naive figure in the place of the resamples' mean."""
    return replace(estimate, value=estimate.naive, selection=(), ignores_selection=True)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One configuration of several."""

    candidates: Candidates
    configuration: int

    @property
    def n_configurations(self) -> int:
        """One."""
        return 1

    @property
    def n_sweeps(self) -> int:
        """Passes over all samples that it takes to score one weighting."""
        return self.candidates.metric.n_sweeps(self.candidates.matrix.n_samples)

    def blocks(self) -> list[IntArray]:
        """One block of one column."""
        return [np.zeros(1, np.int64)]

    def bind(self, columns: IntArray) -> Scorer:
        """Return the scorer of the configuration."""
        return self.candidates.bind(columns + self.configuration)


METHOD = Method(
    name="naive",
    label="rows",
    run=naive,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="bootstrap of the winner's rows, no correction",
    reference="Efron & Tibshirani 1993; NB of Paraschakis et al. 2024",
    ignores_selection=True,
)
