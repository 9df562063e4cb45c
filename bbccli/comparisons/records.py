"""Everything that a comparison may return. These records are the schema of the JSON output.

A difference is positive where the first is better, whichever way the metric is better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bbccli.core.arguments import settle
from bbccli.core.notes import Note
from bbccli.types import Interval


class Alternative(StrEnum):
    """What a p-value speaks against equality for."""

    TWO_SIDED = "two-sided"
    BETTER = "better"


class Verdict(StrEnum):
    """What a comparison shows at its level."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    WORSE = "worse"
    DIFFERENT = "different"
    """Of more than two, which are not all alike."""
    NOT_SHOWN = "not-shown"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Effect:
    """How large a difference is on a scale of its own."""

    name: str = field(metadata={"doc": "which measure, such as odds-ratio or cohens-d"})
    value: float = field(metadata={"doc": "its value; null where it is undefined"})


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Posterior probabilities that a difference is worse, as good as none, or better."""

    rope: float = field(metadata={"doc": "differences up to this count as none, >= 0"})
    worse: float = field(metadata={"doc": "probability of a difference under -rope"})
    equal: float = field(metadata={"doc": "probability of one between -rope and rope"})
    better: float = field(metadata={"doc": "probability of one over rope"})


def _optional(doc: str, default: Any = None) -> Any:
    """Declare a field that most comparisons lack, with its text in the schema."""
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one test says of two configurations, or of two groups of them."""

    first: str = field(metadata={"doc": "configuration, or group of them"})
    second: str = field(metadata={"doc": "what it is compared with; empty where all are compared"})
    metric: str = field(metadata={"doc": "name of the metric"})
    test: str = field(metadata={"doc": "name of the test"})
    first_selected: str | None = _optional(
        "the configuration that the first selected; null where it is one"
    )
    second_selected: str | None = _optional(
        "the configuration that the second selected; null where it is one"
    )
    first_value: float | None = _optional("performance of the first, as measured")
    second_value: float | None = _optional("performance of the second, as measured")
    difference: float | None = _optional("as measured; positive where the first is better")
    corrected: float | None = _optional(
        "corrected for the selection; null where nothing was selected"
    )
    interval: Interval | None = _optional("of the difference; null where the test has none")
    bound: float | None = _optional("the difference is at least this, simultaneously, at the level")
    bound_above: float | None = _optional(
        "the difference is at most this, simultaneously, at the level"
    )
    statistic: float | None = _optional("of the test; null where it has none or it is undefined")
    df: tuple[float, ...] = _optional("degrees of freedom", ())
    p: float | None = _optional("p-value; null where it is undefined")
    alternative: Alternative = _optional("what the p-value speaks for", Alternative.TWO_SIDED)
    p_adjusted: float | None = _optional("p-value adjusted for the number of comparisons")
    adjustment: str | None = _optional("how it was adjusted")
    error: float | None = _optional("Monte-Carlo standard error of p; null where it is exact")
    effect: Effect | None = _optional("size of the effect")
    beliefs: Beliefs | None = _optional("posterior probabilities, of Bayesian tests")
    n_units: int | None = _optional("what the test rests on: samples, groups, folds, data sets")
    ignores_selection: bool = _optional(
        "whether p and interval hold only for pairs named beforehand", False
    )
    verdict: Verdict = _optional("what is shown at the level", Verdict.UNDEFINED)
    notes: tuple[Note, ...] = _optional("what to know of it", ())
    epsilon: float | None = _optional(
        "of Greenhouse and Geisser: what both degrees of freedom are too many by"
    )
    compared: tuple[str, ...] = _optional("all that are compared, where they are more than two", ())

    def __post_init__(self) -> None:
        settle(self, "alternative", "verdict")


@dataclass(frozen=True, slots=True)
class Member:
    """A configuration that may be the best, or can't be."""

    configuration: str = field(metadata={"doc": "name of the configuration"})
    performance: float = field(metadata={"doc": "as measured"})
    difference: float = field(metadata={"doc": "to the winner as measured, 0 or less"})
    lower: float = field(metadata={"doc": "lower end of its performance, simultaneous over all"})
    upper: float = field(metadata={"doc": "upper end of its performance, simultaneous over all"})
    p: float | None = field(metadata={"doc": "of the test that none is better than it"})
    inside: bool = field(metadata={"doc": "whether it may be the best at the level"})


@dataclass(frozen=True, slots=True)
class BestSet:
    """The configurations that may be the best; the truly best is among them at the level."""

    level: float = field(metadata={"doc": "in (0, 1)"})
    n_inside: int = field(metadata={"doc": "configurations that may be the best"})
    members: tuple[Member, ...] = field(metadata={"doc": "all configurations, best first"})
    n_screened: int | None = _optional(
        "rivals that each was tested against, after screening; null for all"
    )
    notes: tuple[Note, ...] = _optional("what to know of it", ())


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a family stands over several data sets."""

    family: str = field(metadata={"doc": "family, or configuration"})
    mean_rank: float = field(metadata={"doc": "mean over data sets; 1 is the best, ties share"})
    performance: float = field(metadata={"doc": "mean over data sets"})
    wins: int = field(metadata={"doc": "data sets on which it is the best, alone or tied"})


@dataclass(frozen=True, slots=True)
class Contest:
    """How often one family is better than another."""

    first: str = field(metadata={"doc": "family"})
    second: str = field(metadata={"doc": "another"})
    wins: int = field(metadata={"doc": "data sets on which the first is better"})
    ties: int = field(metadata={"doc": "data sets on which they are equal"})
    losses: int = field(metadata={"doc": "data sets on which the second is better"})


@dataclass(frozen=True, slots=True)
class Ranks:
    """Families over several data sets."""

    metric: str = field(metadata={"doc": "name of the metric"})
    level: float = field(metadata={"doc": "in (0, 1)"})
    data_sets: tuple[str, ...] = field(metadata={"doc": "those with a performance of every family"})
    left_out: tuple[str, ...] = field(metadata={"doc": "data sets that lack a performance"})
    standings: tuple[Standing, ...] = field(metadata={"doc": "all families, best mean rank first"})
    overall: tuple[Comparison, ...] = field(metadata={"doc": "tests of all families at once"})
    pairs: tuple[Comparison, ...] = field(metadata={"doc": "tests of each pair of families"})
    contests: tuple[Contest, ...] = field(metadata={"doc": "wins, ties and losses of each pair"})
    groups: tuple[tuple[str, ...], ...] = field(
        metadata={"doc": "families next to each other that are not told apart, by the first test"}
    )
    critical_difference: float | None = _optional(
        "of mean ranks, by Nemenyi; null where not asked for"
    )
    notes: tuple[Note, ...] = _optional("what to know of it", ())
