"""Choices of options: tasks, sides, intervals and the like; needs no numpy."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Adjustment",
    "Errors",
    "GateOn",
    "IntervalKind",
    "Missing",
    "Models",
    "OnError",
    "Pooling",
    "RiskDirection",
    "Select",
    "Side",
    "TableLayout",
    "Task",
]


class Task(StrEnum):
    """What is predicted."""

    BINARY = "binary"
    MULTICLASS = "multiclass"
    REGRESSION = "regression"
    SURVIVAL = "survival"
    SCORE = "score"
    """Nothing: the file holds scores that something else computed."""

    @property
    def is_classification(self) -> bool:
        """True if the outcome is one of K classes."""
        return self in (Task.BINARY, Task.MULTICLASS)


class Missing(StrEnum):
    """What is done where some configurations have predictions and others lack them."""

    ERROR = "error"
    DROP = "drop"
    COMMON_ROWS = "common-rows"
    AVAILABLE = "available"


class Errors(StrEnum):
    """What failed requests count in the logs of an evaluation."""

    ZERO = "zero"
    MISSING = "missing"
    REFUSE = "refuse"


class TableLayout(StrEnum):
    """How a table of predictions is laid out: a column, or a row, per configuration."""

    WIDE = "wide"
    LONG = "long"


class RiskDirection(StrEnum):
    """What higher predictions of a survival task mean."""

    EARLIER = "earlier"
    LATER = "later"


class Pooling(StrEnum):
    """How one performance is made of the folds' predictions."""

    POOLED = "pooled"
    FOLD_MEAN = "fold-mean"
    WITHIN_FOLDS = "within-folds"


class Select(StrEnum):
    """Which configuration is selected."""

    BEST = "best"
    ONE_SE = "one-se"
    ONE_SE_SIMPLEST = "one-se-simplest"


class IntervalKind(StrEnum):
    """How an interval is made of a resample distribution."""

    PERCENTILE = "percentile"
    MATCHED = "matched"
    CALIBRATED = "calibrated"
    SHARP = "sharp"
    T = "t"


class Models(StrEnum):
    """Whether models are trained between the selection and their use."""

    TRAINED = "trained"
    FIXED = "fixed"


class Side(StrEnum):
    """Which ends of an interval are estimated; the other is the metric's own bound."""

    TWO = "two"
    LOWER = "lower"
    UPPER = "upper"
    PESSIMISTIC = "pessimistic"


class Adjustment(StrEnum):
    """How p-values are adjusted for the number of comparisons."""

    HOLM = "holm"
    HOCHBERG = "hochberg"
    BH = "bh"
    MAX_T = "max-t"
    NONE = "none"


class OnError(StrEnum):
    """What a batch does when a file has no result."""

    CONTINUE = "continue"
    STOP = "stop"


class GateOn(StrEnum):
    """Which figure of an estimate a gate looks at; the bound is the pessimistic one."""

    BOUND = "bound"
    ESTIMATE = "estimate"
