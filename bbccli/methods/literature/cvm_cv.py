"""CVM-CV, selection on one repeat, evaluation on the others.

Needs two repeats of the cross-validation or more.

Formula: 1 / (R (R - 1)) Σ_r Σ_{q ≠ r} m_q(c_r), with m_q(c) the score of configuration c in repeat
q and c_r the best configuration of repeat r.

Algorithm: select in each repeat, and average that configuration's scores over the other repeats;
then over r. There is no interval: percentiles of a bootstrap are too high (inclusion 0.60 at level
0.95).

Assumptions: repeats are independent. They are not: a configuration that suits these samples is
favoured in every repeat, so CVM-CV corrects too little.

When to use: to see how much of the optimism is due to the split into folds. When not: as the number
to report.

Cost: O(R N C).

Source: Tsamardinos, Rakhshani & Lagani 2015, section 4, Algorithm 3, which draws a new split for
the evaluation.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.methods.base import POINT, Method, Need
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import winner_of
from bbccli.stats.selection.candidates import candidates, repeats_of


def run(case: Case) -> Answer:
    """Return a point; its winner and naive figure are those of all repeats together.

    Raises UndefinedError: the metric is undefined in some repeat.
    """
    _ = case.choice
    repeats, pooling = repeats_of(case.matrix), case.plan.pooling
    winners = np.array(
        [winner_of(candidates(r, case.selector, pooling), case.rule) for r in repeats]
    )
    # (R, C): a row per repeat that measures
    each = (candidates(r, case.metric, case.measuring) for r in repeats)
    measured = np.array([scores.performances() for scores in each])
    of_winners = measured[:, winners]  # measured in the repeat of the row, selected in the column's
    elsewhere = ~np.eye(len(repeats), dtype=bool)
    without = (np.isnan(of_winners) & elsewhere & (winners >= 0)).any(axis=1) | (winners < 0)
    if without.any():
        raise UndefinedError(
            f"{case.metric.label} is undefined in {int(without.sum())} of {len(repeats)} repeats "
            "for the configuration selected there or in another repeat",
            hint="another --metric, or a --method that pools the repeats",
        )
    return Answer(float(np.mean(of_winners[elsewhere])))


METHODS = (
    Method(
        name="cvm-cv",
        label="other repeats",
        answer=run,
        gives=POINT,
        summary="select on one repeat, evaluate on the others",
        reference="Tsamardinos, Rakhshani & Lagani 2015, section 4, Algorithm 3",
        needs=frozenset({Need.REPEATS}),
    ),
)
