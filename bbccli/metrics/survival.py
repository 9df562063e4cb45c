"""Metrics of the order in which events come: concordance of risks with censored times.

A prediction is a risk: the higher, the earlier the event is expected.

Two samples are comparable when it is known which of them had its event first: the sample with
the shorter time had an event. At equal times, an event comes before a censoring, so an event and
a censored sample are comparable; two events, or two censored samples, are not. A comparable pair
is concordant when the sample with the earlier event has the higher risk, and counts one half when
both risks are exactly equal. These are the rules of scikit-survival, except that it takes risks
within 1e-8 of each other as tied.

Under weights a pair weighs the product of its samples' weights. A sample drawn twice meets every
other sample twice; its two copies are not a pair, since they are events, or censored, at one time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Metric
from bbccli.metrics.kernels import concordant_weight_censored
from bbccli.metrics.statistic import Statistic, Total
from bbccli.metrics.weighting import EVENTS, Weighting, scaled, share_of_pairs
from bbccli.platform.dataclass import dataclass
from bbccli.types import (
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    MetricKind,
    PredictionKind,
    Task,
)

if TYPE_CHECKING:
    from bbccli.metrics.kernels.censored import CensoredPairs
    from bbccli.metrics.kernels.running import Numbers


@dataclass(frozen=True, eq=False)
class _OfPairs(Total):
    """A total of the comparable pairs, times the sample weights (N,) of both."""

    pairs: CensoredPairs
    sample_weights: FloatArray | None

    def take(self, rows: BoolArray) -> Self:
        """Keep the samples in `rows`; their factors stay what they are in the full sample."""
        sample_weights = None if self.sample_weights is None else self.sample_weights[rows]
        return replace(self, pairs=self.pairs.take(rows), sample_weights=sample_weights)


class _Concordant(_OfPairs):
    """Twice the weight (B, C') of concordant pairs, ties one half. Time O(B N C log N)."""

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> Numbers:
        chosen = np.arange(self.pairs.risks.shape[1]) if configurations is None else configurations
        masses = scaled(weights.weights, self.sample_weights)
        return concordant_weight_censored(self.pairs, masses, chosen)


class _Comparable(_OfPairs):
    """The weight (B, 1) of all comparable pairs."""

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> Numbers:
        from bbccli.metrics.kernels.censored import comparable_weight

        masses = scaled(weights.weights, self.sample_weights)
        return comparable_weight(self.pairs, masses)[:, None]

    def paired(self, weights: Weighting, configurations: IntArray) -> Numbers:
        return self.of(weights)


def _concordance(pairs: CensoredPairs, sample_weights: FloatArray | None) -> Statistic:
    parts = (_Concordant(pairs, sample_weights), _Comparable(pairs, sample_weights))
    return Statistic(parts, share_of_pairs, pairs.risks.shape[1])


def bind_harrell(outcome: Outcome, risks: FloatArray) -> Statistic:
    """Compare every comparable pair alike."""
    from bbccli.metrics.kernels.censored import CensoredPairs

    pairs = CensoredPairs.of(risks, outcome.values, _events(outcome))
    return _concordance(pairs, outcome.weights)


def bind_uno(outcome: Outcome, risks: FloatArray) -> Statistic:
    """Weigh each pair by the chance that its earlier event was not hidden by censoring.

    A pair whose earlier event is at time t has the factor 1 / G(t)^2, G being the Kaplan-Meier
    estimate of the censoring distribution. G is estimated once, from all samples of the matrix
    (with their sample weights), and held fixed: neither a resample nor a fold estimates it again,
    just as scikit-survival holds it fixed by `survival_train`. G(t) can be 0 only at the last time
    of all, where the factor has no value: scikit-survival refuses an event there, and here its
    pairs are left out.
    """
    from bbccli.metrics.kernels.censored import CensoredPairs

    time, event = outcome.values, _events(outcome)
    survival = censoring_survival(time, event, outcome.weights)
    usable = event & (survival > 0)
    factors = np.divide(1.0, survival**2, out=np.zeros(len(time)), where=usable)
    return _concordance(CensoredPairs.of(risks, time, event, factors), outcome.weights)


def censoring_survival(
    time: Numbers, event: BoolArray, weights: FloatArray | None = None
) -> FloatArray:
    """Kaplan-Meier estimate of the chance to be censored later than each sample's time.

    time (N,): time of the event, or of censoring.
    event (N,) bool: True where the event was seen.
    weights (N,), optional: sample weights; 1 each without them.
    Returns (N,) float64 in [0, 1]: G at each sample's own time. At equal times events come before
        censorings.
    Source: Uno et al. 2011, Statistics in Medicine 30, section 2.

    >>> time, event = np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, False])
    >>> censoring_survival(time, event)
    array([1. , 0.5, 0.5, 0. ])
    """
    moments, moment_of = np.unique(time, return_inverse=True)
    masses = np.ones(len(time)) if weights is None else weights
    total = np.bincount(moment_of, masses, len(moments))
    censored = np.bincount(moment_of, masses * ~event, len(moments))
    later = np.concatenate([np.cumsum(total[:0:-1])[::-1], np.zeros(min(len(moments), 1))])
    at_risk = later + censored
    hazard = np.divide(censored, at_risk, out=np.zeros(len(moments)), where=censored > 0)
    return np.cumprod(1.0 - hazard)[moment_of]


def _events(outcome: Outcome) -> BoolArray:
    return np.ones(len(outcome), bool) if outcome.event is None else outcome.event


PAIRS_COUNTED = (
    "a pair of samples of weights v and w counts v w times; the copies of a sample are not a pair"
)

COMPARABLE = (
    "Two samples are comparable when the one with the shorter time had an event. At equal times an "
    "event comes before a censoring: an event and a censored sample are comparable, two events or "
    "two censored samples are not. These are the rules of scikit-survival, except that it also "
    "ties risks that differ by at most 1e-8."
)

NO_PAIR = "if no two samples are comparable, as without any event"

_of_risks = partial(
    Metric,
    kind=MetricKind.PAIRS,
    tasks=frozenset({Task.SURVIVAL}),
    wants=PredictionKind.SCORE,
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
    rests_on=EVENTS,
    cell=12,
)
"""A metric of how risks order the events, of which 1 is best."""

CONCORDANCE = _of_risks(
    name="concordance",
    label="concordance",
    summary="probability that of two samples the one with the earlier event has the higher risk; "
    "ties one half",
    bind=bind_harrell,
    reference="Harrell et al. 1996",
    formula="(1/n) Σ over the n comparable pairs (i earlier, j later) of [rᵢ > rⱼ] + ½ [rᵢ = rⱼ]",
    under_weights=f"{PAIRS_COUNTED}; counted in whole numbers, exactly",
    undefined=NO_PAIR,
    remarks=COMPARABLE,
)

CONCORDANCE_UNO = _of_risks(
    name="concordance-uno",
    label="concordance (Uno)",
    summary="concordance whose pairs are weighted by inverse probability of censoring, estimated "
    "once from all samples",
    bind=bind_uno,
    reference="Uno et al. 2011",
    formula="Σ G(tᵢ)⁻² ([rᵢ > rⱼ] + ½ [rᵢ = rⱼ]) / Σ G(tᵢ)⁻², both over the comparable pairs "
    "(i earlier, j later); G(t) is the Kaplan-Meier estimate of the chance to be censored later "
    "than t",
    under_weights=f"{PAIRS_COUNTED}; G stays as it is",
    undefined=f"{NO_PAIR}, or G is 0 at the earlier time of every pair",
    remarks="Pairs are comparable as for concordance. G is estimated once, from all samples with "
    "their weights, as if all were the `survival_train` of scikit-survival; resamples and folds "
    "keep it, so intervals leave out its uncertainty. Pairs of an event where G is 0, possible "
    "only at the last time of all, are left out; scikit-survival refuses such data.",
)

METRICS = (CONCORDANCE, CONCORDANCE_UNO)
