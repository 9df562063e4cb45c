"""CVT, cross-validation with tuning: the naive figure.

Formula: with m_c the performance of configuration c and w the first of the best, the estimate is
m_w.

Algorithm:

1. Compute m_c of each configuration from its out-of-sample predictions, over the pooled rows or as
   the mean over folds. With repeats: per repeat, then the mean over repeats.
2. Select w, the winner; or a simple one near the best ([css](#selection)).
3. Report m_w as it stands. It was selected for being high, so it is too good.

When to use: to see what an uncorrected report would say. When not: as a result, unless there is one
configuration only. The more configurations, the more alike they are and the fewer the samples, the
more it is too good.

Cost: one evaluation of the metric per configuration.

Source: Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 2.
"""

from __future__ import annotations

from bbccli.case import Answer, Case
from bbccli.methods.base import POINT, Method


def run(case: Case) -> Answer:
    """Return the naive figure itself; its optimism is 0 by construction."""
    return Answer(case.choice.naive)


METHODS = (
    Method(
        name="cvt",
        label="naive, too good",
        answer=run,
        gives=POINT,
        summary="performance of the winner as selected: optimistic, shown for comparison",
        reference="Tsamardinos et al. 2018, Algorithm 2",
    ),
)
