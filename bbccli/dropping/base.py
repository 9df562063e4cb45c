"""What a rule for dropping is, and what it may need of the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bbccli.arguments import settle
from bbccli.dropping.standing import Standing
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics.base import MeanScorer
from bbccli.types import BoolArray, Direction, FloatArray


class Requirement(StrEnum):
    """What a rule needs beside the predictions so far."""

    FOLDS = "folds"
    LOSSES = "losses"
    BOUNDED_LOSSES = "bounded losses"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a rule says of C configurations.

    Attributes
    ----------
    worse : (C,) bool
        Which ones to drop; never all.
    probability : (C,), optional
        Of being worse than the best, where the rule has such a thing; NaN for some.
    p_value : (C,), optional
        Of the rule's test against the best, where it has one; NaN for some.
    """

    worse: BoolArray
    probability: FloatArray | None = None
    p_value: FloatArray | None = None


Run = Callable[[Standing, float], Verdict]
"""``run(standing, threshold) -> Verdict``."""


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
    needs: frozenset[Requirement]
    threshold: float
    min_folds: int
    reference: str

    def __post_init__(self) -> None:
        settle(self)

    def judge(self, standing: Standing, threshold: float) -> Verdict:
        """Ask the rule; it says nothing before its first fold or where nothing is defined.

        Raises
        ------
        UndefinedError
            It needs folds, and they are unknown or the metric is undefined in one of them.
        UnsupportedError
            It needs losses per sample, and the metric is no mean of such.
        """
        if Requirement.BOUNDED_LOSSES in self.needs:
            loss_range(standing)
        if Requirement.LOSSES in self.needs:
            losses(standing)
        if Requirement.FOLDS in self.needs and standing.matrix.folds is None:
            raise UndefinedError(
                f"the rule {self.name} compares folds, and they are unknown",
                hint="add a fold column (--fold NAME), or --rule bbcd",
            )
        if standing.best < 0 or self.waits(standing):
            return undecided(standing)
        return self.run(standing, threshold)

    def waits(self, standing: Standing) -> bool:
        """Whether there are too few folds yet."""
        return self.min_folds > 0 and len(standing.by_fold()) < self.min_folds


def undecided(standing: Standing) -> Verdict:
    """Return the verdict that drops nothing."""
    return Verdict(np.zeros(standing.matrix.n_configurations, bool))


def compare(standing: Standing, test: Callable[[FloatArray], Verdict]) -> Verdict:
    """Apply a test to the performances by fold, signed so that larger is better.

    Configurations that are undefined in some fold take no part and stay; fewer than two others
    can't be compared.

    Parameters
    ----------
    test
        From gains (S, C') in S folds to a verdict on C' configurations.
    """
    gains = standing.metric.direction.sign * standing.by_fold()
    defined = np.flatnonzero(~np.isnan(gains).any(axis=0))
    if len(defined) < 2:
        return undecided(standing)
    found = test(gains[:, defined])
    worse = np.zeros(gains.shape[1], bool)
    worse[defined] = found.worse
    p_value = np.full(gains.shape[1], np.nan)
    if found.p_value is not None:
        p_value[defined] = found.p_value
    return Verdict(worse, p_value=None if found.p_value is None else p_value)


def leader(gains: FloatArray) -> tuple[int, FloatArray, BoolArray]:
    """Return the best column of gains (S, C), the means (C,), and which are behind the best."""
    means: FloatArray = np.mean(gains, axis=0)
    best = int(Direction.MAXIMIZE.best(means))
    return best, means, Direction.MAXIMIZE.leads(means[best], means)


def losses(standing: Standing) -> list[FloatArray]:
    """Return the losses per sample (N, C), signed so that larger is better, of each repeat.

    Raises
    ------
    UnsupportedError
        The metric is no mean of losses per sample.
    """
    matrix, metric = standing.matrix, standing.metric
    if matrix.available is not None:
        raise UnsupportedError(
            "this rule compares losses sample by sample, and some predictions are missing",
            hint="--rule bbcd, which takes what each predicts; or complete the folds",
        )
    scorers = [metric.bind(matrix.outcome, p) for p in matrix.as_kind(metric.wants)]
    found = [s for s in scorers if isinstance(s, MeanScorer) and s.undefined is None]
    if len(found) < len(scorers):
        raise UnsupportedError(
            f"{metric.label} is no mean of losses per sample, which this rule compares",
            hint="a metric such as accuracy, brier or mae, or --rule bbcd",
        )
    weights = matrix.outcome.weights
    scale = 1.0 if weights is None else weights[:, None]
    return [np.asarray(metric.direction.sign * s.losses / scale) for s in found]


def loss_range(standing: Standing) -> float:
    """Return the width of the metric's bounds.

    Raises
    ------
    UnsupportedError
        The bounds are infinite.
    """
    low, high = standing.metric.within(standing.matrix.outcome).bounds
    if not np.isfinite(high - low):
        raise UnsupportedError(
            f"{standing.metric.label} has no bounds, which this rule needs",
            hint="a metric such as accuracy or brier, or --rule bbcd",
        )
    return float(high - low)
