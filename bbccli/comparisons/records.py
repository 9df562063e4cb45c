"""The records of comparisons, which are the schema of the JSON output.

A difference is positive where the first is better, whichever way the metric is better.
"""

from __future__ import annotations

from enum import StrEnum

from bbccli.notes import Note
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import doc
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
    """The size of a difference on a scale of its own."""

    name: str = doc("which measure, such as odds-ratio or cohens-d")
    value: float = doc("its value; null where it is undefined")


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Posterior probabilities that the first is worse, practically equal, or better."""

    rope: float = doc("differences up to this count as none, >= 0")
    worse: float = doc("probability of a difference under -rope")
    equal: float = doc("probability of one between -rope and rope")
    better: float = doc("probability of one over rope")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of one test between two configurations, or two groups of them."""

    first: str = doc("configuration, or group of them")
    second: str = doc("what it is compared with; empty where all are compared")
    metric: str = doc("name of the metric")
    test: str = doc("name of the test")
    first_selected: str | None = doc(
        "the configuration that the first selected; null where it is one", default=None
    )
    second_selected: str | None = doc(
        "the configuration that the second selected; null where it is one", default=None
    )
    first_value: float | None = doc("performance of the first, as measured", default=None)
    second_value: float | None = doc("performance of the second, as measured", default=None)
    difference: float | None = doc("as measured; positive where the first is better", default=None)
    corrected: float | None = doc(
        "corrected for the selection; null where nothing was selected", default=None
    )
    interval: Interval | None = doc("of the difference; null where the test has none", default=None)
    bound: float | None = doc(
        "the difference is at least this, simultaneously, at the level", default=None
    )
    bound_above: float | None = doc(
        "the difference is at most this, simultaneously, at the level", default=None
    )
    statistic: float | None = doc(
        "of the test; null where it has none or it is undefined", default=None
    )
    df: tuple[float, ...] = doc("degrees of freedom", default=())
    p: float | None = doc("p-value; null where it is undefined", default=None)
    alternative: Alternative = doc("what the p-value speaks for", default=Alternative.TWO_SIDED)
    p_adjusted: float | None = doc("p-value adjusted for the number of comparisons", default=None)
    adjustment: str | None = doc("how it was adjusted", default=None)
    error: float | None = doc(
        "Monte Carlo standard error of p; null where it is exact", default=None
    )
    effect: Effect | None = doc("size of the effect", default=None)
    beliefs: Beliefs | None = doc("posterior probabilities, of Bayesian tests", default=None)
    n_units: int | None = doc("units of the test: samples, groups, folds, data sets", default=None)
    ignores_selection: bool = doc(
        "whether p and interval hold only for pairs named in advance", default=False
    )
    verdict: Verdict = doc("what is shown at the level", default=Verdict.UNDEFINED)
    notes: tuple[Note, ...] = doc("what to know about it", default=())
    epsilon: float | None = doc(
        "of Greenhouse and Geisser: what both degrees of freedom are too many by", default=None
    )
    compared: tuple[str, ...] = doc(
        "all that are compared, where they are more than two", default=()
    )

    def __post_init__(self) -> None:
        coerce_fields(self, "alternative", "verdict")


@dataclass(frozen=True, slots=True)
class Member:
    """A configuration that may be the best, or can't be."""

    configuration: str = doc("name of the configuration")
    performance: float = doc("as measured")
    difference: float = doc("to the winner as measured; positive where it is better than that")
    lower: float = doc("lower end of its performance, simultaneous over all")
    upper: float = doc("upper end of its performance, simultaneous over all")
    p: float | None = doc("of the test that none is better than it")
    inside: bool = doc("whether it is in the confidence set at the level")


@dataclass(frozen=True, slots=True)
class BestSet:
    """The configurations that may be the best; the truly best is among them at the level."""

    level: float = doc("in (0, 1)")
    n_inside: int = doc("configurations in the confidence set of the best")
    members: tuple[Member, ...] = doc("all configurations, best first by what selects")
    n_screened: int | None = doc(
        "rivals that each was tested against, after screening; null for all", default=None
    )
    notes: tuple[Note, ...] = doc("what to know about it", default=())
    simplest: str | None = doc(
        "the least complex of the set; null where the metadata give no complexity",
        default=None,
        since="1.0",
    )
    winner: str | None = doc(
        "the configuration selected by the rule of the plan", default=None, since="1.0"
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """The rank of a family over several data sets."""

    family: str = doc("family, or configuration")
    mean_rank: float = doc("mean over data sets; 1 is the best, ties share")
    performance: float = doc("mean over data sets")
    wins: int = doc("data sets on which it is the best, alone or tied")


@dataclass(frozen=True, slots=True)
class Contest:
    """The number of data sets on which one family is better than another."""

    first: str = doc("family")
    second: str = doc("another")
    wins: int = doc("data sets on which the first is better")
    ties: int = doc("data sets on which they are equal")
    losses: int = doc("data sets on which the second is better")


@dataclass(frozen=True, slots=True)
class Ranks:
    """Families over several data sets."""

    metric: str = doc("name of the metric")
    level: float = doc("in (0, 1)")
    data_sets: tuple[str, ...] = doc("those with a performance of every family")
    left_out: tuple[str, ...] = doc("data sets that lack a performance")
    standings: tuple[Standing, ...] = doc("all families, best mean rank first")
    overall: tuple[Comparison, ...] = doc("tests of all families at once")
    pairs: tuple[Comparison, ...] = doc("tests of each pair of families")
    contests: tuple[Contest, ...] = doc("wins, ties and losses of each pair")
    groups: tuple[tuple[str, ...], ...] = doc(
        "families next to each other without a significant difference, by the first test"
    )
    critical_difference: float | None = doc(
        "of mean ranks, by Nemenyi; null where not asked for", default=None
    )
    notes: tuple[Note, ...] = doc("what to know about it", default=())
