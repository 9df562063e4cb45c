"""Rules for dropping: their input between folds, and their requirements.

A rule sees the predictions so far of the configurations still in. A training loop knows no more at
that point. So walking a finished matrix and calling the rule between the folds of a running
cross-validation give the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import Note
from bbccli.notes.methods import unshuffled_folds
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection.candidates import candidates, fold_performances
from bbccli.types import BoolArray, FloatArray, IntArray

MIN_SAMPLES = 50
"""Samples predicted before the first drop: the advice of the BBCD paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Interim:
    """Predictions so far of the configurations still in the race.

    matrix: their predictions on the samples seen; folds coded in the order in which they were seen.
    metric, plan: metric to compare by; `pooling`, `seed` and `n_resamples` count.
    performances (C,): so far, NaN where undefined.
    best (int): the best so far, the first on ties; -1 where all are undefined.
    n_started (int): configurations in the race at its start, those dropped earlier included.
    """

    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    performances: FloatArray
    best: int
    n_started: int

    @classmethod
    def of(
        cls, matrix: PredictionMatrix, metric: Metric, plan: Plan, n_started: int | None = None
    ) -> Interim:
        """Score the configurations of a matrix of the samples seen."""
        gone = () if matrix.unfinished is None else matrix.unfinished.dropped
        n_started = n_started or matrix.n_configurations + len(gone)
        values = candidates(matrix, metric, plan.pooling).performances()
        return cls(matrix, metric, plan, values, int(metric.direction.best(values)), n_started)

    def by_fold(self) -> FloatArray:
        """Return the performances (S, C) in each fold seen, of all repeats, in their order.

        Raises UndefinedError: folds are unknown, or the metric is undefined in one of them.
        """
        return np.concatenate(fold_performances(self.matrix, self.metric))


def too_early(outcome: Outcome, min_samples: int) -> str:
    """Say why nothing can be dropped on these samples yet; an empty text where it can."""
    if len(outcome) < min_samples:
        return f"{len(outcome)} samples are predicted so far, fewer than {min_samples}"
    if outcome.task.is_classification and np.count_nonzero(outcome.class_counts) < 2:
        return f"the {len(outcome)} samples predicted so far are of one class"
    return ""


def walked_folds(matrix: PredictionMatrix) -> IntArray:
    """Return the folds (R, N); an UndefinedError where they are unknown."""
    if matrix.folds is None:
        raise UndefinedError(
            "the folds of the samples are unknown, so they can't be walked",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    return matrix.folds


def on_unshuffled(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where folds are not shuffled: blocks of the keys, or a group each.

    Only numeric keys have an order that precedes the folds.
    """
    if matrix.folds is None or not 2 <= (matrix.n_folds or 0) < matrix.n_samples:
        return ()
    folds = matrix.folds[0]
    if matrix.groups is not None:
        pairs = np.unique(np.stack([folds, matrix.groups]), axis=1)
        alone = len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]
        return (unshuffled_folds("each fold is a single group"),) if alone else ()
    keys = matrix.sample_keys
    if keys is None or keys.values.dtype.kind not in "iu":
        return ()
    ordered = folds[np.argsort(keys.values, kind="stable")]
    in_blocks = np.count_nonzero(np.diff(ordered)) == len(np.unique(folds)) - 1
    if not in_blocks:
        return ()
    return (unshuffled_folds("the folds are blocks of the samples in their order"),)


class RuleNeed(StrEnum):
    """Requirements of a rule beside the predictions so far."""

    FOLDS = "folds"
    LOSSES = "losses"
    BOUNDED_LOSSES = "bounded losses"


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """A rule's judgement of C configurations.

    worse (C,) bool: which ones to drop; never all.
    probability (C,), optional: probability of being worse than the best, for rules that have one;
        NaN for some.
    p_value (C,), optional: of the rule's test against the best, for rules that have one; NaN for
        some.
    """

    worse: BoolArray
    probability: FloatArray | None = None
    p_value: FloatArray | None = None


Run = Callable[[Interim, float], Judgement]
"""``run(interim, threshold) -> Judgement``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to tell, between folds, which configurations need not be trained any more.

    Parameters
    ----------
    name, label
        Name on the command line; what it does, in a few words.
    run
        The function.
    needs
        Checked before the run.
    threshold
        Confidence above which it drops unless told otherwise, in (0, 1).
    min_folds
        Folds before its first drop.
    reference
        Where it comes from.
    """

    name: str
    label: str
    run: Run
    needs: frozenset[RuleNeed]
    threshold: float
    min_folds: int
    reference: str

    def __post_init__(self) -> None:
        coerce_fields(self)

    def judge(self, interim: Interim, threshold: float) -> Judgement:
        """Ask the rule; it says nothing before its first fold or where nothing is defined.

        Raises
        ------
        UndefinedError
            It needs folds, and they are unknown or the metric is undefined in one of them.
        UnsupportedError
            It needs losses per sample, and the metric is not a mean of them.
        """
        if RuleNeed.BOUNDED_LOSSES in self.needs:
            loss_range(interim)
        if RuleNeed.LOSSES in self.needs:
            losses(interim)
        if RuleNeed.FOLDS in self.needs and interim.matrix.folds is None:
            raise UndefinedError(
                f"the rule {self.name} compares folds, and they are unknown",
                hint="add a fold column (--fold NAME), or --rule bbcd",
            )
        if interim.best < 0 or self.waits(interim):
            return undecided(interim)
        return self.run(interim, threshold)

    def waits(self, interim: Interim) -> bool:
        """Return True while there are too few folds."""
        return self.min_folds > 0 and len(interim.by_fold()) < self.min_folds


def undecided(interim: Interim) -> Judgement:
    """Return the verdict that drops nothing."""
    return Judgement(np.zeros(interim.matrix.n_configurations, bool))


def losses(interim: Interim) -> list[FloatArray]:
    """Return the losses per sample (N, C), signed so that larger is better, of each repeat.

    Raises UnsupportedError: the metric is not a mean of losses per sample.
    """
    matrix, metric = interim.matrix, interim.metric
    if matrix.available is not None:
        raise UnsupportedError(
            "this rule compares losses sample by sample, and some predictions are missing",
            hint="--rule bbcd, which takes what each predicts; or complete the folds",
        )
    scorers = [metric.bind(matrix.outcome, p) for p in matrix.as_kind(metric.wants)]
    means = [s for s in scorers if isinstance(s, MeanScorer) and s.undefined is None]
    if len(means) < len(scorers):
        raise UnsupportedError(
            f"{metric.label} is not a mean of losses per sample, which this rule compares",
            hint="a metric such as accuracy, brier or mae, or --rule bbcd",
        )
    weights = matrix.outcome.weights
    scale = 1.0 if weights is None else weights[:, None]
    return [np.asarray(metric.direction.sign * s.losses / scale) for s in means]


def loss_range(interim: Interim) -> float:
    """Return the width of the metric's bounds.

    Raises UnsupportedError: the bounds are infinite.
    """
    low, high = interim.metric.within(interim.matrix.outcome).bounds
    if not np.isfinite(high - low):
        raise UnsupportedError(
            f"{interim.metric.label} has no bounds, which this rule needs",
            hint="a metric such as accuracy or brier, or --rule bbcd",
        )
    return float(high - low)
