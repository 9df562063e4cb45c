"""BBCD, BBC with dropping of configurations.

Needs folds; not in the default set.

Formula: m_w(S), estimated by BBC, with S the configurations that survive and w the best of them.
After each fold configuration c is dropped if more than 0.99 B of B draws have m_c strictly worse
than m_j, j the best so far.

Algorithm:

1. Walk the folds in the order of their names. After each, find j, the best configuration on the
   rows predicted so far.
2. B times, draw as many of these rows with replacement. A draw in which j is undefined is drawn
   again.
3. Drop each configuration that is strictly worse than j in more than 99 % of the draws; nothing
   before 50 rows are predicted. It takes no part on later folds. Steps 1 to 3 also after the last
   fold.
4. Select the winner among the survivors, and estimate its performance by BBC on their columns
   alone.

Here the cross-validation was run to its end, and steps 1 to 3 replay what dropping would have done.

Assumptions: those of BBC. The choice of the survivors is not bootstrapped; as only losers go, it
costs little: at 1 %, a configuration that could have won is dropped seldom.

When to use: to see what an estimate would have been with dropping, or on a matrix of a run that
dropped. When not: with all predictions at hand, `bbc` corrects for all configurations. See
[dropping](dropping.md).

Cost: time O(B N C) per fold, less as configurations go; memory as BBC. More than 1,000 folds are
refused where the draws after all of them take more than 5,000,000,000 samples: with 1,000
resamples, leave-one-out of more than 3,125 samples.

Source: Tsamardinos, Greasidou & Borboudakis 2018, section 4, and the code of its simulations, which
asks after the last fold too. JSON: `drop_trace`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bbccli.core.notes import nothing_dropped
from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.stats.bootstrap.of_samples import corrected
from bbccli.stats.case import Answer, Case
from bbccli.types import BoolArray

if TYPE_CHECKING:  # few runs drop: its modules are imported by those
    from bbccli.dropping.base import Interim


def run(case: Case) -> Answer:
    """Return the answer of BBC on the survivors, with the trace of who was dropped.

    Raises
    ------
    UndefinedError
        As `bbc`; or the best configuration is undefined in nearly every draw.
    """
    from bbccli.dropping.base import MIN_SAMPLES, too_early
    from bbccli.dropping.over_samples import THRESHOLD
    from bbccli.dropping.walk import walk

    found = walk(case, drops, rule=case.method, threshold=THRESHOLD)
    left = case.on(case.matrix.of_configurations(found.survivors))
    answer = corrected(left)
    drawn = answer.distribution
    early = too_early(case.matrix.outcome, MIN_SAMPLES)
    return replace(
        answer,
        choice=replace(left.choice, winner=int(found.survivors[left.choice.winner])),
        distribution=drawn and replace(drawn, winners=found.survivors[drawn.winners]),
        drop_trace=found.trace,
        notes=(*answer.notes, nothing_dropped(early)) if early else answer.notes,
    )


def drops(standing: Interim) -> BoolArray:
    """Return which configurations (C,) are worse than the best in too many draws (step 3)."""
    from bbccli.dropping.over_samples import THRESHOLD, worse_shares

    return worse_shares(standing) > THRESHOLD


METHODS = (
    Method(
        name="bbcd",
        label="corrected, dropping",
        answer=run,
        gives=DISTRIBUTION,
        summary="drop losers after each fold, then bbc on the survivors",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, section 4",
        needs=frozenset({Need.FOLDS}),
    ),
)
