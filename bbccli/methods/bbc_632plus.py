"""BBC-632+: BBC-632 whose weights depend on how much the selection overfits. Experimental.

1. Draw, select and score B resamples as BBC does: winners j_b, performances I_b in the bag, which
   selected them, and L_b out of it. P(j) is the performance of configuration j on all samples.
2. gamma is the mean over b of the no-information performance of j_b: that of its predictions
   with a truth that has nothing to do with them.
3. The relative rate of overfitting is R = (I - L) / (I - gamma) of the means over b, kept within
   0 and 1: 0 where nothing is lost out of the bag, 1 where all is lost that there was to lose.
4. The estimate is (1 - w) mean_b P(j_b) + w mean_b L_b with w = 0.632 / (1 - 0.368 R): BBC-632 at
   R = 0, BBC at R = 1.
5. The interval is that of BBC, moved to this estimate.

R is a ratio of means, as in the paper. A mean of the resamples' own ratios would not do: those
with a low L_b have a high R_b, and so the greater weight on it, and I_b - gamma may be about 0.

Numerator and denominator have the same sign for gains and for losses, so R needs no direction but
for the cases at the ends. Where nothing is lost, I no better than L, R is 0, whatever gamma.
Where something is lost and I is no better than gamma, R is 1, the limit of the ratio there: the
paper has 0, which would give the naive figures their full weight where they are worth least.

Source: Efron & Tibshirani 1997, section 3; the use for a selection is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.methods.bbc import in_bag, out_of_bag
from bbccli.methods.bbc_632 import IN_BAG, moved
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import candidates
from bbccli.selection.no_information import no_information
from bbccli.types import Direction, FloatArray


def bbc_632plus(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the BBC-632+ estimate of the winner's performance, in the metric's unit.

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
        As `bbc`; or a metric that is undefined for every winner in its bag, or without
        information.

    Notes
    -----
    Beside BBC's, time O(B N) for the winners in their bags and that of the metric on
    max(N K, 2^16) pairs for each distinct winner.

    References
    ----------
    Efron & Tibshirani 1997, section 3.
    """
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    drawn = out_of_bag(matrix, metric, selector, plan, progress)
    inside = in_bag(matrix, metric, selector, plan, len(drawn.values))
    winners, places = np.unique(drawn.winners, return_inverse=True)
    without = no_information(matrix, metric, winners, plan.seed)[places]
    everywhere = candidates(matrix, metric, plan.pooling).performances()[drawn.winners]
    overfit = overfitting(inside, drawn.values, without, metric.direction)
    if np.isnan(overfit.rate):
        raise UndefinedError(
            f"{metric.label} of the winners is undefined in their bags, or without information",
            hint="use bbc, which does not need it: --method bbc",
        )
    weight, slope = weight_of(overfit.rate)
    mixed = (1 - weight) * everywhere + weight * drawn.values
    # what each resample adds through R: nothing on average, but a part of the Monte-Carlo error
    through = slope * float(np.nanmean(drawn.values - everywhere)) * overfit.influence
    return moved(
        matrix, metric, selector, plan, naive, drawn, mixed + through, method="bbc-632plus"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Overfitting:
    """How much of what the selection seems to gain is lost out of the bag.

    Attributes
    ----------
    rate
        R in [0, 1]; NaN where no resample tells.
    influence : (B,)
        What each resample does to R: the derivative by its weight, 0 on average; 0 where R is at
        an end, or where the resample does not tell.
    """

    rate: float
    influence: FloatArray


def overfitting(
    inside: FloatArray, outside: FloatArray, without: FloatArray, direction: Direction
) -> Overfitting:
    """Return the relative rate of overfitting of performances in the bag, out of it and at chance.

    Parameters
    ----------
    inside, outside, without : (B,)
        Of the winner of each resample; a resample with a NaN doesn't count.

    References
    ----------
    Efron & Tibshirani 1997, equation 28.

    Examples
    --------
    >>> inside, outside, chance = (np.full(3, x) for x in (0.9, 0.8, 0.5))
    >>> round(overfitting(inside, outside, chance, Direction.MAXIMIZE).rate, 6)
    0.25
    """
    lost, gained = direction.gain(inside, outside), direction.gain(inside, without)
    known = ~np.isnan(lost + gained)
    none = np.zeros(len(lost))
    if not known.any():
        return Overfitting(float("nan"), none)
    mean_lost, mean_gained = float(lost[known].mean()), float(gained[known].mean())
    if mean_lost <= 0:
        return Overfitting(0.0, none)
    if mean_gained <= mean_lost:
        return Overfitting(1.0, none)
    rate = mean_lost / mean_gained
    return Overfitting(rate, np.where(known, lost - rate * gained, 0.0) / mean_gained)


def weight_of(rate: float) -> tuple[float, float]:
    """Return the weight of the performances out of the bag, and its derivative by R.

    References
    ----------
    Efron & Tibshirani 1997, equation 29.

    Examples
    --------
    >>> [round(weight_of(rate)[0], 3) for rate in (0.0, 0.5, 1.0)]
    [0.632, 0.775, 1.0]
    """
    rest = 1 - (1 - IN_BAG) * rate
    return IN_BAG / rest, IN_BAG * (1 - IN_BAG) / rest**2


METHOD = Method(
    name="bbc-632plus",
    label="corrected, .632+",
    run=bbc_632plus,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="bbc-632 with more weight on BBC, the more the selection overfits",
    reference="Efron & Tibshirani 1997, for the weights",
    experimental=True,
)
