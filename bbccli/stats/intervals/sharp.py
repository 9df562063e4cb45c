"""The spread of the estimate and of the training set.

1. Take the distribution of `matched` intervals, whose spread is that of the
   estimate over samples of the same size, and stretch it by 1.12 about the estimate.
2. Guard the ends. A loss without a worst value (a squared error, the log-loss) is guarded too, with
   the largest loss of a single sample of the winner, or with the largest D_b if that is larger.
3. With `--models fixed` the factor is 1: nothing is trained between the selection and the use.

Why a factor: a model trained on another sample of the same size is another model, and no resampling
of given predictions shows it. Were the winner's true performance to vary with its training set by
half a standard error of its figure, the spread of both together would be √(1 + 1/4) = 1.12 of one.
The half is a convention; what counts is how often such intervals covered the truth where models are
trained, in the table below. With `bbc` the upper end lies too low near the ceiling, as the estimate
does; `--tight` has that of `bbc-632`. For losses
without a worst value no interval is safe, see the note [unbounded-loss](notes.md#unbounded-loss).
The factor was measured for `bbc`, `bbc-632` and `bbc-eb`; with other
methods the note [not-calibrated](notes.md#not-calibrated) says so. Means over folds are refused, as
`matched` refuses them.

Source: ours. Experimental.
"""

from __future__ import annotations

from bbccli.core.results import Distribution
from bbccli.stats.intervals.matched import check, matched
from bbccli.stats.intervals.resampled import Basis, Construction

TRAINING = 1.12
"""What training on another sample of the same size adds to the spread."""


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Distribution:
    """Return the stretched distribution of the estimate, within the bounds."""
    return stretched(drawn, basis, bounds, TRAINING)


def stretched(
    drawn: Distribution, basis: Basis, bounds: tuple[float, float], factor: float
) -> Distribution:
    """Return the distribution of the estimate, stretched by a factor, within the bounds.

    Parameters
    ----------
    factor
        For models that are trained; for those that are fixed it is less by the share of training.
    """
    stretch = factor / TRAINING if basis.fixed else factor
    return matched(drawn, basis, bounds, stretch)


INTERVAL = Construction(law, check=check, guards_losses=True)
