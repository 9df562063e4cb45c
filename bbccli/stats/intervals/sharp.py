"""The spread of the estimate and of the training set. Experimental.

It stretches `matched` intervals by 1.12 about the estimate (1 with `--models fixed`) and guards
their ends; a loss without a worst value is guarded with the largest loss of a single sample of the
winner, or the largest D_b if that is larger. On another sample another model would be trained: if
that makes the winner's true score vary by half a standard error, a convention, the spread of both
together is √(1 + 1/4) = 1.12 of one.

With `bbc` the upper end is too low near the ceiling; `--tight` uses `bbc-632`. For losses without a
worst value no interval is safe ([unbounded-loss](notes.md#unbounded-loss)). The factor was measured
for `bbc`, `bbc-632` and `bbc-eb`; other methods get the note
[not-calibrated](notes.md#not-calibrated). Means over folds are refused, as with `matched`.

Source: ours.
"""

from __future__ import annotations

from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import Basis, Construction
from bbccli.stats.intervals.matched import check, matched

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
