"""MABT, multiplicity-adjusted bootstrap tilting.

It is `tilting-10p` that measures how alike the configurations are. Not in the default set. The
paper and its code have it for accuracy and the AUC; here it is for every metric.

Formula, with m_bc the performance of preselected configuration c in resample b, W_b(t) as for
`tilting` and w the winner:

```text
u_bc = rank of m_bc among the B values of c, ties at the highest, / (B + 1)
H(x) = share of the resamples with max_c u_bc ≤ x
F(t) = Σ_b W_b(t) [m_bw ≤ m_0] / Σ_b W_b(t)
p(t) = 1 - H(F(t))
```

Algorithm:

1. Split the samples, and preselect the best tenth of the configurations on those of the selection.
2. The one with the best performance on the evaluation samples wins.
3. Draw B resamples of the evaluation samples, and score all preselected configurations in each.
4. Go from t = 0 down until p(t), the probability that the best of m looks at least as good as the
   winner did, is below 1 - level. p is a step function; t* is on the cautious side of the step. A p
   equal to 1 - level does not count as below.
5. The pessimistic end is the performance under the weights w_i(t*).
6. The optimistic end, where one is wanted, is found on the mirror image with the winner as the only
   configuration. The best of several is never observed too low, so that end needs no adjustment.

H holds the dependence between the configurations, their copula: for configurations that are copies
of each other it is that of one, and for independent ones it gives Šidák's level. The winner is
taken to be the best in the metric that is measured; where another metric selects, the adjustment is
for that as well.

Class predictions are compared with the labels, in `tilting` and `mabt` alike. The authors' `MabtCi`
compares raw probabilities with the labels as soon as one of them is exactly 0 or 1.

Assumptions: those of `tilting`; and that the dependence between the configurations, and the shape
of their distributions up to a shift, are those of the resamples.

When to use: where the split is wanted, and several configurations are nearly as good. When not:
otherwise; as for `tilting`. The estimate next to the interval is that of the best of m on the
samples that chose it: too good, as the note
[selected-on-evaluation](notes.md#selected-on-evaluation) says.

Cost: time O((B m + n) n), and O(B) for each tilt tried.

Source: Rink & Brannath 2025; Paraschakis et al. 2024 and the authors' code.
"""

from __future__ import annotations

import numpy as np

from bbccli.case import Answer, Case
from bbccli.methods.base import INTERVAL, Method
from bbccli.splitting.split import choose
from bbccli.splitting.tilt import Replicates, Tail, importance, rounding
from bbccli.splitting.tilted import tilted_answer
from bbccli.types import FloatArray, IntArray


def run(case: Case) -> Answer:
    """Return the performance of the best preselected configuration, with a MABT interval.

    Raises
    ------
    UndefinedError
        The samples can't be split, or the metric is undefined on a side of the split.
    """
    finalist = choose(case.matrix, case.selector, case.plan, preselect=True)
    of_winner = np.array([finalist.winner])
    columns = of_winner if finalist.preselected is None else np.sort(finalist.preselected)
    return tilted_answer(case, finalist, tail, columns, case.plan.level)


def tail(replicates: Replicates, pessimistic: bool = True) -> Tail:
    """Return p of each tilt: how often the best of m looks at least as good as the winner did."""
    own = replicates.values[:, replicates.column]
    judged = replicates.values if pessimistic else own[:, None]
    n_resamples = len(own)
    highest = np.sort(np.max([ranks(column) for column in judged.T], axis=0))
    beaten = own <= replicates.observed + rounding(own)

    def p(tilt: float) -> float:
        logarithms = importance(replicates.influence, replicates.totals, tilt)
        weights = np.exp(logarithms - logarithms.max())
        share = weights[beaten].sum() / weights.sum()
        below = np.searchsorted(highest, share * (n_resamples + 1), side="right")
        return float(n_resamples - below) / n_resamples

    return p


def ranks(values: FloatArray) -> IntArray:
    """Rank of each of B values, from 1; those that are equal up to rounding share the highest.

    What is undefined has the rank 0: it is never the best.
    """
    known = values[~np.isnan(values)]
    found = np.searchsorted(np.sort(known), values + rounding(known), side="right")
    return np.where(np.isnan(values), 0, found)


METHODS = (
    Method(
        name="mabt",
        label="split, best of 10 %",
        answer=run,
        gives=INTERVAL,
        summary="tilting adjusted for the choice among preselected configurations (MABT)",
        reference="Rink & Brannath 2025",
        splits=True,
    ),
)
