"""The spread at which intervals held the truth as often as those of BBC's percentiles, but tighter.

1. Take the distribution of `matched` intervals, whose spread is that of the
   estimate over samples of the same size, and stretch it by 1.25 about the estimate.
2. Guard the ends. A loss without a worst value (a squared error, the log-loss) is guarded too, with
   the largest loss of a single sample of the winner, or with the largest D_b if that is larger.
3. With `--models fixed` the factor is 1.12.

Where the factor comes from: 1.12 is for the training, as of `sharp`; with 1.25 the one-sided 95 %
bounds of `bbc-eb` held the truth as often as those of BBC's percentiles, in 1,920 studies with
training on real tables. On 24 other populations, looked at once with all formulas fixed, so they
did again:

| Bound | held | distance, `bbc` percentile = 1 | other populations: held | distance |
|---|---|---|---|---|
| `bbc`, percentile | 0.973 | 1 | 0.965 | 1 |
| `bbc-eb`, calibrated | 0.973 | 0.916 | 0.964 | 0.921 |

Other populations: classification alone. The standard error of these inclusions is 0.003 to 0.004
over studies, 0.010 over populations. Squared errors with heavy tails are the exception: 0.83 on
average, 0.58 to 0.97 by population, see the note [unbounded-loss](notes.md#unbounded-loss). The
factor was measured for `bbc-eb`; `bbc` and `bbc-632` have it for comparison, and with any other
method the note [not-calibrated](notes.md#not-calibrated) says that it was not measured. Means over
folds are refused, as `matched` refuses them.

Source: ours. Experimental.
"""

from __future__ import annotations

from bbccli.core.results import Distribution
from bbccli.stats.intervals.matched import check
from bbccli.stats.intervals.resampled import Basis, Construction
from bbccli.stats.intervals.sharp import stretched

FACTOR = 1.25
"""The spread as a multiple of that of the estimate, with models that are trained."""


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Distribution:
    """Return the stretched distribution of the estimate, within the bounds."""
    return stretched(drawn, basis, bounds, FACTOR)


INTERVAL = Construction(law, check=check, guards_losses=True)
