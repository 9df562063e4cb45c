"""Metrics of the order in which samples are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import (
    CLASSES,
    MISSING_CLASS,
    BothForms,
    Metric,
    OfColumn,
    Scorer,
    by_column,
    pair_share,
    pairs_and_all,
    zeroed,
)
from bbccli.metrics.kernels.pairs import controls_around, presort
from bbccli.metrics.statistic import Statistic, Total
from bbccli.metrics.weighting import EACH_CLASS, added, ratio, share_of_pairs
from bbccli.types import (
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    MetricKind,
    PredictionKind,
    Task,
)

NEXT_TO_NOTHING = np.finfo(np.float64).tiny
"""Lost beside any weight: it makes a share of nothing 0 / tiny."""

PAIRS_COUNTED = "a pair of samples of weights v and w counts v w times"

bind_auc = pair_share(lambda outcome: outcome.values == 1, lambda outcome: outcome.values == 0)


def gini(outcome: Outcome, scores: FloatArray) -> Scorer:
    """Bind 2 AUC - 1."""
    parts = pairs_and_all(scores, outcome.values == 1, outcome.values == 0, outcome.weights)
    return Statistic(parts, lambda *totals: 2 * share_of_pairs(*totals) - 1, scores.shape[1])


def one_versus_one(outcome: Outcome, scores: FloatArray) -> Scorer:
    """Bind the mean over ordered pairs of classes of their AUC, of scores (N, C, K); of two classes
    the AUC, of scores (N, C).
    """
    if scores.ndim == 2:
        return bind_auc(outcome, scores)
    members = {k: outcome.values == k for k in np.unique(outcome.values).astype(int)}
    sides = [(i, members[i], members[j]) for i, j in permutations(members, 2)]
    return _mean_share(outcome, scores, sides)


def one_versus_rest(outcome: Outcome, scores: FloatArray) -> Scorer:
    """Bind the mean over classes of the AUC against all others, of scores (N, C, K); of two classes
    the AUC, of scores (N, C).
    """
    if scores.ndim == 2:
        return bind_auc(outcome, scores)
    members = {k: outcome.values == k for k in np.unique(outcome.values).astype(int)}
    return _mean_share(outcome, scores, [(k, inside, ~inside) for k, inside in members.items()])


def _mean_share(
    outcome: Outcome, scores: FloatArray, sides: Sequence[tuple[int, BoolArray, BoolArray]]
) -> Statistic:
    """The mean share of pairs; each side is a class, by whose scores its cases and controls are
    ranked.
    """
    parts: list[Total] = []
    for k, cases, controls in sides:
        parts += pairs_and_all(scores[:, :, k], cases, controls, outcome.weights)

    def mean(*totals: FloatArray) -> FloatArray:
        shares = zip(totals[::2], totals[1::2], strict=True)
        return added([share_of_pairs(*both) for both in shares]) / len(sides)

    return Statistic(tuple(parts), mean, scores.shape[1])


def average_precision(outcome: Outcome, scores: FloatArray) -> BothForms:
    """Sort scores (N, C), highest first, to add up the precision at each positive sample."""
    from bbccli.metrics.kernels.running import Grid, gather_rows, sum_down

    positive = outcome.values == 1
    negated = -scores
    pairs = presort(negated, positive, ~positive)
    descending = np.take_along_axis(negated.T, pairs.cases, axis=1)
    # samples of equal score enter together
    _, with_ties = controls_around(descending, np.ones(descending.shape, bool))
    tied = (descending[:, 1:] == descending[:, :-1]).any(axis=1)
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())

    def under(lanes: FloatArray) -> OfColumn:
        hits, alarms = (Grid.of(n, lanes.shape[1]) for n in (n_positive, n_negative))
        true, false = hits.table(lanes), alarms.table(lanes)
        false[0] = NEXT_TO_NOTHING
        gained, retrieved, relevant = np.empty((3, len(hits.rank), lanes.shape[1]))
        in_order = gained[:n_positive]
        total = lanes[:-1][positive].sum(axis=0)
        rank = np.minimum(hits.rank, n_positive - 1)

        def of(c: int) -> FloatArray:
            true[1:] = hits.arrange(lanes, pairs.cases[c], gained)
            hits.accumulate(true[1:])
            alarms.arrange(lanes, pairs.controls[c], false[1:])
            false[1:2] += NEXT_TO_NOTHING
            alarms.accumulate(false[1:])
            gather_rows(false, alarms.place[pairs.upto[c][rank]], retrieved)
            through = (
                gather_rows(true, hits.place[with_ties[c][rank]], relevant) if tied[c] else true[1:]
            )
            np.add(retrieved, through, out=retrieved)
            np.divide(through, retrieved, out=retrieved)
            np.multiply(gained, retrieved, out=retrieved)
            gather_rows(retrieved, hits.place[1:] - 1, in_order)
            return ratio(sum_down(in_order), total)  # as the compiled form does

        return of

    def swept(forms: Any, lanes: FloatArray, chosen: IntArray) -> FloatArray:
        gained = np.empty((len(chosen), lanes.shape[1]))
        columns = pairs.cases, pairs.controls, pairs.upto, with_ties
        forms.average_precisions(lanes[None], *columns, chosen, gained)
        return ratio(gained, lanes[:-1][positive].sum(axis=0))

    return BothForms(under, swept)


_of_scores = partial(
    Metric,
    wants=PredictionKind.SCORE,
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
    rests_on=EACH_CLASS,
)
"""A metric of how scores rank the classes, of which 1 is best."""

AUC = _of_scores(
    name="auc",
    kind=MetricKind.PAIRS,
    label="AUC",
    summary="probability that a positive sample scores higher than a negative one; ties one half",
    tasks=frozenset({Task.BINARY}),
    bind=bind_auc,
    reference="Hanley & McNeil 1982",
    formula="(1 / (n₊ n₋)) Σ over pairs (i positive, j negative) of [sᵢ > sⱼ] + ½ [sᵢ = sⱼ]",
    under_weights=f"{PAIRS_COUNTED}; counted in whole numbers, exactly",
    undefined=MISSING_CLASS,
    remarks="If the median AUC is below one half, the note [polarity](notes.md#polarity) asks "
    "whether the positive class is the right one.",
    cell=12,
)

AVERAGE_PRECISION = _of_scores(
    name="average-precision",
    label="average precision",
    summary="mean over positive samples of the precision at their score",
    tasks=frozenset({Task.BINARY}),
    bind=by_column(average_precision),
    bind_zero=by_column(average_precision, zeroed(lambda values: values), whole=True),
    reference="Manning, Raghavan & Schütze 2008",
    formula="Σₛ (R(s) - R(s⁺)) P(s) over the scores s from the highest down; s⁺ is the score "
    "before, P and R are precision and recall of predicting positive at s and above",
    undefined="without positive samples",
    remarks="Samples of equal score enter together. Nothing is interpolated.",
)

GINI = _of_scores(
    name="gini",
    kind=MetricKind.PAIRS,
    label="Gini",
    summary="Gini coefficient, or Somers' D: 2 AUC - 1",
    tasks=frozenset({Task.BINARY}),
    bounds=(-1.0, 1.0),
    bind=gini,
    reference="Somers 1962",
    formula="2 AUC - 1",
    under_weights=PAIRS_COUNTED,
    undefined=MISSING_CLASS,
    cell=12,
)

AUC_OVO = _of_scores(
    name="auc-ovo",
    kind=MetricKind.PAIRS,
    label="AUC (one vs one)",
    summary="average AUC over all ordered pairs of classes, one against one",
    tasks=CLASSES,
    bind=one_versus_one,
    reference="Hand & Till 2001",
    formula="(1 / (K (K - 1))) Σ over i ≠ j of A(i|j), the AUC of the scores of class i among "
    "the samples of classes i and j",
    under_weights=PAIRS_COUNTED,
    undefined=MISSING_CLASS,
)

AUC_OVR = _of_scores(
    name="auc-ovr",
    kind=MetricKind.PAIRS,
    label="AUC (one vs rest)",
    summary="average AUC over all classes, one against the rest",
    tasks=CLASSES,
    bind=one_versus_rest,
    reference="Provost & Domingos 2000",
    formula="(1/K) Σₖ of the AUC of the scores of class k, its samples against all others; "
    "every class counts the same",
    under_weights=PAIRS_COUNTED,
    undefined=MISSING_CLASS,
)

METRICS = (AUC, AVERAGE_PRECISION, GINI, AUC_OVO, AUC_OVR)
