"""The spread of the estimate and of the training set. Experimental.

1. Stretch the distribution of `matched` intervals by 1.12 about the estimate; with `--models fixed`
   the factor is 1.
2. Guard the ends. A loss without a worst value (a squared error, the log-loss) is guarded too, with
   the largest loss of a single sample of the winner, or with the largest D_b if that is larger.

Why a factor: on another sample of the same size another model would be trained. If the winner's
true performance varied with its training set by half a standard error of its figure, the spread of
both together would be √(1 + 1/4) = 1.12 of one. The half is a convention; the table below shows the
coverage where models are trained. With `bbc` the upper end is too low near the ceiling, as the
estimate is; `--tight` uses `bbc-632`. For losses without a worst value no interval is safe: see the
note [unbounded-loss](notes.md#unbounded-loss). The factor was measured for `bbc`, `bbc-632` and
`bbc-eb`; with other methods there is the note [not-calibrated](notes.md#not-calibrated). Means over
folds are refused, as `matched` refuses them.

Source: ours.
"""

from __future__ import annotations

from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals.matched import check, matched
from bbccli.stats.intervals.resampled import Basis, Construction

TRAINING = 1.12
"""Factor of the spread for training on another sample of the same size."""


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Distribution:
    """Return the stretched distribution of the estimate, within the bounds."""
    return stretched(drawn, basis, bounds, TRAINING)


def stretched(
    drawn: Distribution, basis: Basis, bounds: tuple[float, float], factor: float
) -> Distribution:
    """Return the distribution of the estimate, stretched by a factor, within the bounds.

    factor: for models that are trained; for those that are fixed it is less by the share of
        training.
    """
    stretch = factor / TRAINING if basis.fixed else factor
    return matched(drawn, basis, bounds, stretch)


INTERVAL = Construction(law, check=check, guards_losses=True)
