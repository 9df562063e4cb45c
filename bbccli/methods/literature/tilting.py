"""Bootstrap tilting on the evaluation samples of a split.

## tilting

BT, bootstrap tilting: held-out samples are reweighted until the observed score is too good to be
true.

A [split method](#split-methods), for every metric.

Formula, with L_i the influence value of evaluation sample i of n (the jackknife's), f_bi how often
resample b holds it, m_b the winner's score in resample b and m_0 the observed one:

```text
w_i(t) = exp(t L_i) / Σ_j exp(t L_j)          W_b(t) = Π_i (n w_i(t))^f_bi
p(t)   = (1/B) Σ_b W_b(t) ([m_b > m_0] + ½ [m_b = m_0])
```

Algorithm:

1. Split, and select the winner on the selection samples. Score it in B resamples of the evaluation
   samples, drawn within classes where the metric needs each of them; groups are drawn whole.
2. Go from t = 0 down until p(t) is 1 - level (half of it for each end of a two-sided interval). No
   resample is drawn again: W_b(t) says how much more often each would come up.
3. The lower end is the score under the weights w_i(t); the upper one is found on the mirror image.

If no tilt is found, the end comes from another interval
([tilting-infeasible](notes.md#tilting-infeasible)); if no sample changes the score, as at an AUC of
1, there is none.

Departures from the authors' code: it estimates influence values of the AUC by regression, takes the
mean of a weighted bootstrap as the end, stops at t = -10 or -20 (here at 100 standard deviations of
the resamples), flips replicates whose medians cross (see [no flipping](#decisions)), and doesn't
stratify its split.

Assumptions: a score that is about linear in the weights of the samples.

Evidence: in the [studies of 2024](../benchmarks/validation-tables.md#beside-the-paper) with 500
samples its one-sided 95% bound covered in 95% with two equal classes, and in 89% where one has 50
samples (`mabt`: 96% and 86%), at 0.06 below the truth (`mabt` 0.10, `bbc` 0.07). With 50 samples
there was no interval in 60% (`mabt`: 91%).

When to use: with about 100 evaluation samples or more, for an interval that follows the shape of
the metric near its bounds. When not: otherwise.

Cost: O((B + n) n), and O(B) for each tilt tried.

Source: Efron 1981; Rink & Brannath 2025; Paraschakis et al. 2024 and the authors' code.

## tilting-10p

BT with preselection.

Formula: as for `tilting`, with Šidák's level, level^(1/m), in place of the level.

Algorithm: that of `tilting`, for the best of the m [preselected](#split-methods) configurations.

Assumptions: those of `tilting`, and m independent choices; it is too cautious if configurations are
alike.

When to use: to compare with the literature. When not: otherwise; see `mabt`.

Cost: that of `tilting`.

Source: Rink & Brannath 2025; Paraschakis et al. 2024; Šidák 1967.

## mabt

MABT, multiplicity-adjusted bootstrap tilting: `tilting-10p` that allows for how alike the
configurations are.

For every metric (the paper has accuracy and AUC).

Formula, with m_bc the score of preselected configuration c in resample b, W_b(t) as for `tilting`
and w the winner:

```text
u_bc = rank of m_bc among the B values of c, ties at the highest, / (B + 1)
H(x) = share of the resamples with max_c u_bc ≤ x
F(t) = Σ_b W_b(t) [m_bw ≤ m_0] / Σ_b W_b(t)
p(t) = 1 - H(F(t))
```

Algorithm:

1. Preselect, and choose the winner on the evaluation samples, as [split methods](#split-methods)
   do. Score all preselected configurations in B resamples.
2. Go from t = 0 down until p(t), the probability that the best of m looks at least as good as the
   winner did, is below 1 - level; t is taken on the cautious side of the step.
3. The pessimistic end is the score under the weights w_i(t). The optimistic end is that of the
   winner alone, since the best of several is never observed too low.

Departures from the authors' code: `MabtCi` compares raw probabilities with the labels as soon as
one of them is exactly 0 or 1.

Assumptions: those of `tilting`; and that the dependence H between the configurations (independent
ones give Šidák's level, copies no adjustment), and their distributions up to a shift, are those of
the resamples.

When to use: if a split is wanted, and several configurations are nearly as good. When not:
otherwise. The estimate beside the interval is too good: that of the best of m on the samples that
chose it.

Cost: O((B m + n) n), and O(B) for each tilt tried.

Source: Rink & Brannath 2025; Paraschakis et al. 2024 and the authors' code.
"""

from __future__ import annotations

import numpy as np

from bbccli.methods.base import INTERVAL, Method, with_preselection
from bbccli.methods.literature.split import choose_evaluated
from bbccli.methods.literature.tilt import (
    Replicates,
    Tail,
    importance,
    rounding,
    tilted_answer,
)
from bbccli.stats.case import Answer, Case
from bbccli.types import FloatArray, IntArray

LARGEST_LOGARITHM = 500.0
"""Of a weight; a p with such a weight in it is far above any error."""


def run(case: Case, *, preselect: bool = False) -> Answer:
    """Return the winner's performance on the evaluation samples, with a tilted interval.

    Raises UndefinedError: the samples can't be split, or the metric is undefined on a side of the
        split.
    """
    finalist = choose_evaluated(case.matrix, case.selector, case.plan, preselect=preselect)
    return tilted_answer(case, finalist, tail_of_tilts, np.array([finalist.winner]), finalist.level)


def tail_of_tilts(replicates: Replicates, _pessimistic: bool) -> Tail:
    """Return p of each tilt: the weight of the resamples at least as good as the observed figure.

    Resamples that are exactly as good, up to rounding, count one half.
    """
    values = replicates.values[:, replicates.column]
    lead = values - replicates.observed
    same = rounding(values)
    counts = np.where(np.abs(lead) <= same, 0.5, (lead > same).astype(float))
    counted, totals, n_resamples = counts[counts > 0], replicates.totals[counts > 0], len(counts)

    def p(tilt: float) -> float:
        logarithms = importance(replicates.influence, totals, tilt)
        weights = np.exp(np.minimum(logarithms, LARGEST_LOGARITHM))
        return float(weights @ counted) / n_resamples

    return p


def adjusted(case: Case) -> Answer:
    """Return the performance of the best preselected configuration, with a MABT interval.

    Raises UndefinedError: the samples can't be split, or the metric is undefined on a side of the
        split.
    """
    finalist = choose_evaluated(case.matrix, case.selector, case.plan, preselect=True)
    of_winner = np.array([finalist.winner])
    columns = of_winner if finalist.preselected is None else np.sort(finalist.preselected)
    return tilted_answer(case, finalist, adjusted_tail, columns, case.plan.level)


def adjusted_tail(replicates: Replicates, pessimistic: bool) -> Tail:
    """Return p of each tilt: how often the best of m looks at least as good as the winner did."""
    of_winner = replicates.values[:, replicates.column]
    judged = replicates.values if pessimistic else of_winner[:, None]
    n_resamples = len(of_winner)
    highest = np.sort(np.max([ranks(column) for column in judged.T], axis=0))
    beaten = of_winner <= replicates.observed + rounding(of_winner)

    def p(tilt: float) -> float:
        logarithms = importance(replicates.influence, replicates.totals, tilt)
        weights = np.exp(logarithms - logarithms.max())
        share = weights[beaten].sum() / weights.sum()
        below = np.searchsorted(highest, share * (n_resamples + 1), side="right")
        return float(n_resamples - below) / n_resamples

    return p


def ranks(values: FloatArray) -> IntArray:
    """Rank each of B values, from 1; values equal up to rounding share the highest rank.

    Undefined values have rank 0, so they are never the best.
    """
    defined = values[~np.isnan(values)]
    places = np.searchsorted(np.sort(defined), values + rounding(defined), side="right")
    return np.where(np.isnan(values), 0, places)


METHODS = (
    *with_preselection(
        Method(
            name="tilting",
            label="split",
            answer=run,
            gives=INTERVAL,
            summary="bootstrap tilting (BT) on the evaluation samples of a split",
            reference="Rink & Brannath 2025; Paraschakis et al. 2024",
            done="the winner was scored on {held_out}, with a bootstrap tilting interval "
            "from {resamples} of these {units}{sidak}",
            splits=True,
        )
    ),
    Method(
        name="mabt",
        label="split, best of 10%",
        answer=adjusted,
        gives=INTERVAL,
        summary="tilting adjusted for the choice among preselected configurations (MABT)",
        reference="Rink & Brannath 2025",
        done=(
            "the winner was scored on {held_out}, with a bootstrap tilting interval from "
            "{resamples} of these {units}{adjusted}"
        ),
        splits=True,
    ),
)
