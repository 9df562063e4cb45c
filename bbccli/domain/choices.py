"""Choices of options, such as tasks, sides and intervals; needs no numpy."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Adjustment",
    "Again",
    "Calibration",
    "Errors",
    "GateOn",
    "Guided",
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
    """Task that the predictions are for."""

    BINARY = "binary"
    MULTICLASS = "multiclass"
    REGRESSION = "regression"
    SURVIVAL = "survival"
    SCORE = "score"
    """No outcome: the file holds scores computed elsewhere."""

    @property
    def is_classification(self) -> bool:
        """True if the outcome is one of K classes."""
        return self in (Task.BINARY, Task.MULTICLASS)


class Missing(StrEnum):
    """Treatment of configurations that lack predictions which others have."""

    ERROR = "error"
    DROP = "drop"
    COMMON_ROWS = "common-rows"
    AVAILABLE = "available"


class Errors(StrEnum):
    """Treatment of failed requests in logs of evaluations."""

    ZERO = "zero"
    MISSING = "missing"
    REFUSE = "refuse"


class Guided(StrEnum):
    """What a search saw when it made its later configurations."""

    NO = "no"
    """Nothing of the earlier ones."""
    SCORES = "scores"
    ROWS = "rows"
    """Samples, or the answers to them."""


class Again(StrEnum):
    """Treatment of items that a configuration was asked again."""

    NEWEST = "newest"
    EPOCH = "epoch"


class TableLayout(StrEnum):
    """Layout of a table of predictions: configurations in columns or in rows."""

    WIDE = "wide"
    LONG = "long"


class RiskDirection(StrEnum):
    """Meaning of higher predictions in a survival task: an earlier or a later event."""

    EARLIER = "earlier"
    LATER = "later"


class Pooling(StrEnum):
    """Ways to turn the predictions of the folds into one performance."""

    POOLED = "pooled"
    FOLD_MEAN = "fold-mean"
    WITHIN_FOLDS = "within-folds"


class Select(StrEnum):
    """Rule of selection."""

    BEST = "best"
    ONE_SE = "one-se"
    ONE_SE_SIMPLEST = "one-se-simplest"
    GREEDY = "greedy"
    MEAN = "mean"
    STACK = "stack"
    TOOL = "tool"


OF_SEVERAL = (Select.GREEDY, Select.MEAN, Select.STACK, Select.TOOL)
"""Rules that make an ensemble; the others select a single configuration."""


class Calibration(StrEnum):
    """Calibration of probabilities that is fitted in every resample."""

    PLATT = "platt"
    ISOTONIC = "isotonic"
    TEMPERATURE = "temperature"


class IntervalKind(StrEnum):
    """Ways to make an interval from a resampling distribution."""

    PERCENTILE = "percentile"
    MATCHED = "matched"
    CALIBRATED = "calibrated"
    SHARP = "sharp"
    T = "t"


class Models(StrEnum):
    """How the winner will be used: trained again on all data, or with its models as they are."""

    TRAINED = "trained"
    FIXED = "fixed"


class Side(StrEnum):
    """Ends of an interval that are estimated; any other end is the metric's own bound."""

    TWO = "two"
    LOWER = "lower"
    UPPER = "upper"
    PESSIMISTIC = "pessimistic"


class Adjustment(StrEnum):
    """Adjustment of p-values for the number of comparisons."""

    HOLM = "holm"
    HOCHBERG = "hochberg"
    BH = "bh"
    MAX_T = "max-t"
    NONE = "none"


class OnError(StrEnum):
    """Reaction of a batch to a file without a result."""

    CONTINUE = "continue"
    STOP = "stop"


class GateOn(StrEnum):
    """Figure of an estimate that a gate looks at; the bound is the pessimistic one."""

    BOUND = "bound"
    ESTIMATE = "estimate"
