"""BBC-632, between BBC and the naive figures of what it selects. Experimental.

It is marked so in all outputs. The winner of a resample was selected on 63.2 % of the distinct
samples, so BBC is conservative where performances are fixed. Efron's .632 rule for prediction
errors carries over.

Formula: 0.368 (1/B) Σ_b m(w_b; all samples) + 0.632 (1/B) Σ_b m(w_b; out of bag b), with w_b the
winner in bag b.

Algorithm:

1. Draw, select and score B resamples as `bbc` does; they are the same resamples.
2. Take the performance on all samples of the configuration that each resample selected, and
   average.
3. Weigh this mean by 0.368 and that of BBC by 0.632.
4. The interval is BBC's, moved to this estimate. The mixture of both parts itself spreads less than
   the estimate does, and its percentiles would be too narrow.

Assumptions: those of BBC; and that the naive figures are too good by about as much as BBC is too
strict, in the ratio of the weights. That holds where performances are fixed numbers that are
sampled: in simulations of such the bias is nearer to 0 than BBC's from 40 samples on. Where models
are trained on few samples it need not.

When to use: to see how much of BBC's caution comes from selecting on 63 % of the distinct samples.
When not: as the only number, and not with 20 samples or on hard tasks, where it was optimistic;
[bbc-632plus](#bbc-632plus) is less so. The evidence is there and in [validation](validation.md).

Cost: that of BBC, whose resamples it shares.

Source: the weights are those of Efron 1983, section 6; the use for a selection is ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.bootstrap.of_samples import notes_on_draws, out_of_bag
from bbccli.bootstrap.summary import from_distribution
from bbccli.case import Answer, Case
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.results import Distribution
from bbccli.types import FloatArray

IN_BAG = 0.632
"""Share of the distinct samples that a resample holds: 1 - 1 / e."""


def run(case: Case) -> Answer:
    """Return the mixture of out-of-bag and naive performances; errors are those of `bbc`."""
    _ = case.choice
    drawn = out_of_bag(case)
    performances = case.measured.performances()
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * performances[drawn.winners]
    return moved(case, drawn, mixed)


def moved(case: Case, drawn: Distribution, mixed: FloatArray) -> Answer:
    """Return the mean of `mixed` (B,), with BBC's distribution moved to it.

    Parameters
    ----------
    drawn
        Out-of-bag performances of the resamples.
    mixed : (B,)
        What each resample says of the estimate; its spread is that of the Monte-Carlo error.
    """
    shift = float(np.nanmean(mixed) - np.nanmean(drawn.values))
    shifted = replace(drawn, values=drawn.values + shift)
    notes = notes_on_draws(case.matrix, case.selector, drawn)
    answer = from_distribution(case, shifted, notes=notes)
    error = float("nan")
    if int((~np.isnan(mixed)).sum()) > 1:
        error = float(np.nanstd(mixed, ddof=1) / np.sqrt(len(mixed)))
    return replace(answer, error=answer.error and replace(answer.error, value=error))


METHODS = (
    Method(
        name="bbc-632",
        label="corrected, .632",
        answer=run,
        gives=DISTRIBUTION,
        summary="0.632 BBC + 0.368 naive figures of the resamples' winners",
        reference="Efron 1983, section 6, for the weights",
        experimental=True,
    ),
)
