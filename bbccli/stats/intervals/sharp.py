"""The spread of the estimate and of the training set: the tightest that kept about 0.95.

1. Take the distribution of `matched` intervals, whose spread is that of the
   estimate over samples of the same size, and stretch it by 1.12 about the estimate.
2. Guard the ends. A loss without a worst value (a squared error, the log-loss) is guarded too, with
   the largest loss of a single sample of the winner, or with the largest D_b if that is larger.
3. With `--models fixed` the factor is 1: nothing is trained between the selection and the use.

Where the factor comes from: a model trained on another sample of the same size is another model,
and no resampling of given predictions shows it. In 1,920 studies with training on real tables (16
populations, N = 40, 100 and 300, about 60 small learners) the standard deviation of the winner's
true performance over training sets was 0.44 to 0.69 standard errors of its figure, about one half:
√(1 + 1/4) = 1.12. It is an average. For the AUC alone the ratio was 1.22 to 1.27, folds pooled, and
unstable learners vary more than stable ones.

How often such intervals held the truth, one-sided 95 % bounds, on these populations, and for
classification on 24 others that were looked at once, with all formulas fixed:

| Bound | held | distance, `bbc` percentile = 1 | other populations: held | distance |
|---|---|---|---|---|
| `bbc`, percentile | 0.973 | 1 | 0.965 | 1 |
| `bbc`, sharp | 0.967 | 0.894 | 0.960 | 0.909 |
| `bbc-632`, sharp | 0.958 | 0.810 | 0.952 | 0.821 |
| `bbc-eb`, sharp | 0.963 | 0.825 | 0.956 | 0.832 |

The standard error of these inclusions is 0.003 to 0.004 over studies, 0.010 over populations. They
are less with unstable learners (0.942) and more with stable ones (0.970). Squared errors with heavy
tails are the exception: 0.81 on average, see the note [unbounded-loss](notes.md#unbounded-loss).
With fixed models, in the simulations of [zf](#zf), sharp bounds of `bbc-eb` held in 0.940 to 1.000
of the cases (± 0.015). The factor was measured for `bbc`, `bbc-632` and `bbc-eb`; with other
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
    return matched(drawn, basis.value, basis.n_drawn, bounds, stretch=stretch)


INTERVAL = Construction(law, check=check, guards_losses=True)
