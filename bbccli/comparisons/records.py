"""The records of comparisons, which are the schema of the JSON output.

A difference is positive where the first is better, whichever way the metric is better.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from bbccli.notes import Note
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.types import Interval


class Alternative(StrEnum):
    """The alternative to equality that a p-value tests."""

    TWO_SIDED = "two-sided"
    BETTER = "better"


class Verdict(StrEnum):
    """The conclusion of a comparison at its level."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    WORSE = "worse"
    DIFFERENT = "different"
    """Of more than two, which are not all alike."""
    NOT_SHOWN = "not-shown"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Effect:
    """The size of a difference on a scale of its own.

    name: which measure, such as odds-ratio or cohens-d
    value: its value; null where it is undefined
    """

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Posterior probabilities that the first is worse, practically equal, or better.

    rope: differences up to this count as none, >= 0
    worse: probability of a difference under -rope
    equal: probability of one between -rope and rope
    better: probability of one over rope
    """

    rope: float
    worse: float
    equal: float
    better: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of one test between two configurations, or two groups of them.

    first: configuration, or group of them
    second: what it is compared with; empty where all are compared
    metric: name of the metric
    test: name of the test
    first_selected: the configuration that the first selected; null where it is one
    second_selected: the configuration that the second selected; null where it is one
    first_value: performance of the first, as measured
    second_value: performance of the second, as measured
    difference: as measured; positive where the first is better
    corrected: corrected for the selection; null where nothing was selected
    interval: of the difference; null where the test has none
    bound: the difference is at least this, simultaneously, at the level
    bound_above: the difference is at most this, simultaneously, at the level
    statistic: of the test; null where it has none or it is undefined
    df: degrees of freedom
    p: p-value; null where it is undefined
    alternative: what the p-value speaks for
    p_adjusted: p-value adjusted for the number of comparisons
    adjustment: how it was adjusted
    error: Monte Carlo standard error of p; null where it is exact
    effect: size of the effect
    beliefs: posterior probabilities, of Bayesian tests
    n_units: units of the test: samples, groups, folds, data sets
    ignores_selection: whether p and interval hold only for pairs named in advance
    verdict: what is shown at the level
    notes: what to know about it
    epsilon: of Greenhouse and Geisser: what both degrees of freedom are too many by
    compared: all that are compared, where they are more than two
    """

    first: str
    second: str
    metric: str
    test: str
    first_selected: str | None = None
    second_selected: str | None = None
    first_value: float | None = None
    second_value: float | None = None
    difference: float | None = None
    corrected: float | None = None
    interval: Interval | None = None
    bound: float | None = None
    bound_above: float | None = None
    statistic: float | None = None
    df: tuple[float, ...] = ()
    p: float | None = None
    alternative: Alternative = Alternative.TWO_SIDED
    p_adjusted: float | None = None
    adjustment: str | None = None
    error: float | None = None
    effect: Effect | None = None
    beliefs: Beliefs | None = None
    n_units: int | None = None
    ignores_selection: bool = False
    verdict: Verdict = Verdict.UNDEFINED
    notes: tuple[Note, ...] = ()
    epsilon: float | None = None
    compared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        coerce_fields(self, "alternative", "verdict")


@dataclass(frozen=True, slots=True)
class Member:
    """A configuration that may be the best, or can't be.

    configuration: name of the configuration
    performance: as measured
    difference: to the winner as measured; positive where it is better than that
    lower: lower end of its performance, simultaneous over all
    upper: upper end of its performance, simultaneous over all
    p: of the test that none is better than it
    inside: whether it is in the confidence set at the level
    """

    configuration: str
    performance: float
    difference: float
    lower: float
    upper: float
    p: float | None
    inside: bool


@dataclass(frozen=True, slots=True)
class BestSet:
    """The configurations that may be the best; the truly best is among them at the level.

    level: in (0, 1)
    n_inside: configurations in the confidence set of the best
    members: all configurations, best first by what selects
    n_screened: rivals that each was tested against, after screening; null for all
    notes: what to know about it
    simplest: the least complex of the set; null where the metadata give no complexity
    winner: the configuration selected by the rule of the plan
    """

    level: float
    n_inside: int
    members: tuple[Member, ...]
    n_screened: int | None = None
    notes: tuple[Note, ...] = ()
    simplest: str | None = field(default=None, metadata={"since": "1.0"})
    winner: str | None = field(default=None, metadata={"since": "1.0"})


@dataclass(frozen=True, slots=True)
class Standing:
    """The rank of a family over several data sets.

    family: family, or configuration
    mean_rank: mean over data sets; 1 is the best, ties share
    performance: mean over data sets
    wins: data sets on which it is the best, alone or tied
    """

    family: str
    mean_rank: float
    performance: float
    wins: int


@dataclass(frozen=True, slots=True)
class Contest:
    """The number of data sets on which one family is better than another.

    first: family
    second: another
    wins: data sets on which the first is better
    ties: data sets on which they are equal
    losses: data sets on which the second is better
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """Families over several data sets.

    metric: name of the metric
    level: in (0, 1)
    data_sets: those with a performance of every family
    left_out: data sets that lack a performance
    standings: all families, best mean rank first
    overall: tests of all families at once
    pairs: tests of each pair of families
    contests: wins, ties and losses of each pair
    groups: families next to each other without a significant difference, by the first test
    critical_difference: of mean ranks, by Nemenyi; null where not asked for
    notes: what to know about it
    """

    metric: str
    level: float
    data_sets: tuple[str, ...]
    left_out: tuple[str, ...]
    standings: tuple[Standing, ...]
    overall: tuple[Comparison, ...]
    pairs: tuple[Comparison, ...]
    contests: tuple[Contest, ...]
    groups: tuple[tuple[str, ...], ...]
    critical_difference: float | None = None
    notes: tuple[Note, ...] = ()
