"""BBCD, BBC with dropping of configurations.

Needs folds. JSON: `drop_trace`.

Formula: m_w(S), estimated by BBC, with S the configurations that survive and w the best of them.

Algorithm:

1. Walk the folds in the order of their names. After each, the last included, find j, the best
   configuration so far.
2. B times, draw as many samples as are predicted so far, with replacement. Drop each configuration
   that is strictly worse than j in more than 99% of the draws; drop nothing before 50 samples are
   predicted.
3. Select the winner among the survivors, and estimate its score by BBC on their columns alone.

Assumptions: those of `bbc`. The choice of the survivors is not bootstrapped, which costs little: at
1% a configuration that could have won is seldom dropped.

When to use: for a run that [dropped](dropping.md), or to see what dropping would have changed. When
not: with all predictions at hand; `bbc` corrects for all configurations.

Cost: O(B N C) per fold, less as configurations are dropped. More than 1,000 folds are refused if
the draws after all of them take more than 5,000,000,000 samples.

Source: Tsamardinos et al. 2018, section 4, and the code of its simulations, which also drops after
the last fold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.notes.methods import nothing_dropped
from bbccli.stats.bootstrap.bbc_samples import corrected
from bbccli.stats.case import Answer, Case
from bbccli.types import BoolArray

if TYPE_CHECKING:  # imported only by runs that drop
    from bbccli.dropping.base import Interim


def run(case: Case) -> Answer:
    """Return the answer of BBC on the survivors, with the trace of the dropping.

    Raises UndefinedError: as `bbc`; or the best configuration is undefined in nearly every draw.
    """
    from bbccli.dropping.base import MIN_SAMPLES, too_early
    from bbccli.dropping.over_samples import THRESHOLD
    from bbccli.dropping.walk import walk

    walked = walk(case, drops, rule=case.method, threshold=THRESHOLD)
    left = case.on(case.matrix.of_configurations(walked.survivors))
    answer = corrected(left)
    drawn = answer.distribution
    early = too_early(case.matrix.outcome, MIN_SAMPLES)
    return replace(
        answer,
        choice=replace(left.choice, winner=int(walked.survivors[left.choice.winner])),
        distribution=drawn and replace(drawn, winners=walked.survivors[drawn.winners]),
        drop_trace=walked.trace,
        notes=(*answer.notes, nothing_dropped(early)) if early else answer.notes,
    )


def drops(interim: Interim) -> BoolArray:
    """Return the configurations (C,) that are worse than the best in too many draws (step 3)."""
    from bbccli.dropping.over_samples import THRESHOLD, worse_shares

    return worse_shares(interim) > THRESHOLD


METHODS = (
    Method(
        name="bbcd",
        label="corrected, dropping",
        answer=run,
        gives=DISTRIBUTION,
        summary="drop losers after each fold, then bbc on the survivors",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, section 4",
        done=(
            "after each fold, configurations worse than the best so far in more than 99%"
            " of the resamples were dropped; the selection among the rest was repeated on"
            " {resamples} of the {units}, and each winner was scored on the {units} left "
            "out"
        ),
        needs=frozenset({Need.FOLDS}),
    ),
)
