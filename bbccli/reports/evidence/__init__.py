"""Data of figures: a result, and evidence beyond it, all plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import isfinite
from typing import Any

from bbccli.comparisons.records import BestSet
from bbccli.platform.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distribution of the performances of the resamples' winners.

    method, metric: of the estimate that is reported.
    edges (K + 1,): of the bars.
    shares (K,): of the resamples in each bar.
    reaching: share of the resamples at least as good as the naive figure.
    """

    method: str
    metric: str
    edges: tuple[float, ...]
    shares: tuple[float, ...]
    reaching: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A configuration among the others.

    performance: on all samples; not corrected.
    lower, upper: ends that hold for all configurations at once; None where they are not known.
    inside: whether it may be the best; None where that is not known.
    """

    configuration: str
    performance: float
    lower: float | None = None
    upper: float | None = None
    inside: bool | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The configurations, best first: the first ones, of C.

    level: of the intervals; None where there are none.
    without: why there are none.
    simplest: the least complex one that may be the best; None where that is not known.
    """

    metric: str
    rows: tuple[Ranked, ...]
    n_configurations: int
    level: float | None = None
    without: str = ""
    simplest: str | None = None

    @classmethod
    def of(cls, metric: str, best: BestSet) -> Ranking:
        """Return the members of a set of the best that have a performance."""
        rows = tuple(
            Ranked(
                member.configuration,
                member.performance,
                _known(member.lower),
                _known(member.upper),
                None if member.p is None else member.inside,
            )
            for member in best.members
            if _known(member.performance) is not None
        )
        return cls(metric, rows, len(best.members), best.level, simplest=best.simplest)


def _known(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


@dataclass(frozen=True, slots=True)
class FoldSpread:
    """The winner in one fold, against all configurations.

    winner: its performance there; None where it is undefined.
    least, lower, median, upper, most: smallest, quartiles, and largest of all configurations that
        are defined there.
    """

    fold: str
    winner: float | None
    least: float
    lower: float
    median: float
    upper: float
    most: float


@dataclass(frozen=True, slots=True)
class Curves:
    """A curve of the winner, and its mean over the resamples' winners out of their bags.

    x (K,): false positive rates, or probabilities predicted.
    naive, corrected (K,): of the winner on the samples that chose it; and the mean. None where
        there is none.
    lower, upper (K,): range of the naive curve nine times in ten if the probabilities were
        right; empty where that is not asked.
    n_resamples: resamples in the mean.
    """

    x: tuple[float, ...]
    naive: tuple[float | None, ...]
    corrected: tuple[float | None, ...]
    n_resamples: int
    lower: tuple[float | None, ...] = ()
    upper: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it; None where it can't be had, and `missing` says why, by the kind of figure."""

    distribution: Histogram | None = None
    ranking: Ranking | None = None
    folds: tuple[FoldSpread, ...] | None = None
    roc: Curves | None = None
    calibration: Curves | None = None
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A result to show.

    document: the result: an `Envelope`, or a `CompareEnvelope`.
    evidence: what the predictions tell beyond it; None where only the document was kept.
    command: the command line that gives it, where that is known.
    """

    document: Any
    evidence: Evidence | None = None
    command: str = ""

    def absent(self, kind: str) -> str:
        """Say why a kind of figure can't be drawn."""
        if self.evidence is None:
            return "it needs the predictions, which a saved result does not hold"
        return self.evidence.missing.get(kind, "there is nothing to show")
