"""CVM-CV: select on one repeat of the cross-validation, evaluate on the others.

1. For each repeat r: select a configuration by its performance in repeat r (css).
2. Average the performance of that configuration over the other repeats.
3. The estimate is the mean of these R averages.
4. For the interval do the same to B resamples of the samples, with all their repeats: a bootstrap
   of the whole procedure.

The repeats use the same samples, so what is selected in one repeat is favoured in the others too:
the split of the samples into folds is fresh, the samples are not. CVM-CV takes off less than BBC.

Source: Tsamardinos, Rakhshani & Lagani 2015, section 3; step 4 is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.bootstrap.out_of_bag import Selections, bootstrap
from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs
from bbccli.methods.bbc import notes_on_draws
from bbccli.methods.corrected import enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import Resamples, draws_of
from bbccli.results import Estimate
from bbccli.selection.candidates import Candidates, candidates, repeats_of
from bbccli.selection.css import Css, css_of, winners_of
from bbccli.types import FloatArray, IntArray


def cvm_cv(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the CVM-CV estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of R >= 2 repeats.
    metric
        Measures, and decides which configuration is best.
    plan
        `pooling` decides how one performance is made of a repeat; `n_resamples`, `level`, `side`,
        `interval` and `guard` are for the interval.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        Its winner and naive figure are those of all repeats together.

    Raises
    ------
    UndefinedError
        Fewer than two repeats, or a metric that is undefined in one.

    Notes
    -----
    Time O(B R N C) for the interval.

    References
    ----------
    Tsamardinos, Rakhshani & Lagani 2015, section 3.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    procedure = _Procedure.of(matrix, metric, selector, plan)
    value = float(procedure.estimate(np.ones((1, matrix.n_samples), np.uint8))[0])
    if np.isnan(value):
        raise UndefinedError(
            f"{metric.label} is undefined in some repeat",
            hint="another --metric, or a --method that pools the repeats",
        )

    draws = draws_of(matrix.outcome, matrix.groups, plan.seed)
    found = Selections()
    distribution = enough(
        lambda n: bootstrap(
            found,
            n,
            draws,
            procedure,
            n_sweeps=matrix.n_repeats * procedure.together.n_sweeps,
            progress=progress,
        ),
        metric,
        plan,
    )
    return from_distribution(
        matrix,
        metric,
        plan,
        naive,
        distribution,
        method="cvm-cv",
        value=value,
        notes=notes_on_draws(matrix, distribution),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Procedure:
    """Steps 1 to 3 under any weights.

    Attributes
    ----------
    judged, measured : R candidates
        The configurations in each repeat, by the metric that selects and by the one that measures.
    together
        The configurations by the mean over repeats, which decides the winner.
    css
        The rule of selection.
    """

    judged: tuple[Candidates, ...]
    measured: tuple[Candidates, ...]
    together: Candidates
    css: Css

    @classmethod
    def of(
        cls, matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan
    ) -> _Procedure:
        repeats = repeats_of(matrix)
        return cls(
            tuple(candidates(repeat, selector, plan.pooling) for repeat in repeats),
            tuple(candidates(repeat, metric, plan.pooling) for repeat in repeats),
            candidates(matrix, selector, plan.pooling),
            css_of(matrix, selector, plan),
        )

    def estimate(self, weights: IntArray) -> FloatArray:
        """Mean (B,) over repeats of what is selected there and measured in the others."""
        total = np.zeros(len(weights))
        for r, judge in enumerate(self.judged):
            winners = winners_of(judge, self.css, weights)
            others = [m for s, m in enumerate(self.measured) if s != r]
            total += np.mean([other.paired(weights, winners) for other in others], axis=0)
        return np.asarray(total / len(self.judged))

    def __call__(self, drawn: Resamples) -> tuple[IntArray, FloatArray]:
        """What all repeats together select (B,) in each resample, and the estimate (B,)."""
        return winners_of(self.together, self.css, drawn.in_bag), self.estimate(drawn.in_bag)


METHOD = Method(
    name="cvm-cv",
    label="other repeats",
    run=cvm_cv,
    needs=frozenset({Need.REPEATS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="select on one repeat, evaluate on the others",
    reference="Tsamardinos, Rakhshani & Lagani 2015, section 3",
)
